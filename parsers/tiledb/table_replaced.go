package tiledb

import (
	"context"
	"maps"
	"slices"
	"sort"
	"strings"

	"spandrel/model"
)

// A cell that a later fragment wrote again is listed once, in its first place, as reading the array gives it: as the latest one. Which those
// are is found out from the coordinates of all cells, so only for arrays of so many cells and fragments at most.
const (
	replacedRows  = 100_000
	replacedFrags = 64
	replacedPage  = 4096
)

// findListed finds the cells that later fragments wrote again, and those that were deleted. What cannot be read or judged is listed as it is
// stored.
func (x *cellTable) findListed(ctx context.Context) {
	s := x.a.current()
	if s == nil || len(x.frags) > replacedFrags || x.rows() > replacedRows {
		return
	}
	gone, ok := x.deletions(ctx)
	again := s.dups.Uint() == 0 && len(x.frags) > 1 // of cells in one place the latest counts
	if !again && len(gone) == 0 || !ok {
		return
	}
	y := &cellTable{a: x.a, frags: x.frags, ends: x.ends}
	column, dims := map[string]int{}, []int(nil)
	for _, c := range x.cols {
		if c.dim >= 0 || len(gone) > 0 {
			if column[c.name] = len(y.cols); c.dim >= 0 {
				dims = append(dims, len(y.cols))
			}
			y.cols = append(y.cols, c)
		}
	}
	first, hidden, latest := map[string]int64{}, map[int64]bool{}, map[int64]int64{}
	from := int64(0)
	for i, f := range x.frags {
		mine := goneIn(ctx, f, gone)
		for at := from; at < x.ends[i]; {
			page, err := y.readStored(ctx, at, min(replacedPage, x.ends[i]-at))
			if err != nil || len(page) == 0 {
				return
			}
			for _, row := range page {
				dead := slices.ContainsFunc(mine, func(d deletion) bool { return !d.survive(row, column) })
				key, ok := "", false
				if again {
					key, ok = placeKey(row, dims)
				}
				before, twice := first[key]
				switch {
				case ok && twice:
					hidden[at], hidden[before], latest[before] = true, dead, at
				case dead:
					hidden[at] = true
				}
				if ok && !twice {
					first[key] = at
				}
				at++
			}
		}
		from = x.ends[i]
	}
	for at, is := range hidden {
		if is {
			x.hidden = append(x.hidden, at)
			delete(latest, at)
		}
	}
	slices.Sort(x.hidden)
	x.latest, x.replaced = latest, slices.Sorted(maps.Keys(latest))
}

// placeKey names the place of a cell by its coordinates.
func placeKey(row model.Row, dims []int) (string, bool) {
	var b strings.Builder
	for _, i := range dims {
		c := row[i]
		if c.Trouble != "" || c.Value.Kind == model.None && !c.Vector {
			return "", false
		}
		b.WriteString(c.String())
		b.WriteByte(0)
	}
	return b.String(), len(dims) > 0
}

// stored is the stored cell that a row lists, and how many rows from there on list one behind the other.
func (x *cellTable) stored(row int64) (at, run int64) {
	k := int64(sort.Search(len(x.hidden), func(k int) bool { return x.hidden[k]-int64(k) > row }))
	at, run = row+k, x.stores()-row-k
	if k < int64(len(x.hidden)) {
		run = x.hidden[k] - at
	}
	if i, again := slices.BinarySearch(x.replaced, at); again {
		return x.latest[at], 1
	} else if i < len(x.replaced) {
		run = min(run, x.replaced[i]-at)
	}
	return at, run
}
