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

// findReplaced finds the cells that later fragments wrote again. What cannot be read is listed as it is stored.
func (x *cellTable) findReplaced(ctx context.Context) {
	s := x.a.current()
	if s == nil || s.dups.Uint() != 0 || len(x.frags) < 2 || len(x.frags) > replacedFrags || x.rows() > replacedRows {
		return
	}
	y := &cellTable{a: x.a, frags: x.frags, ends: x.ends, cols: x.cols[:1:1]}
	for _, c := range x.cols[1:] {
		if c.dim >= 0 {
			y.cols = append(y.cols, c)
		}
	}
	first, hidden, latest := map[string]int64{}, []int64(nil), map[int64]int64{}
	for at := int64(0); at < y.rows(); {
		page, err := y.read(ctx, at, min(replacedPage, y.rows()-at))
		if err != nil || len(page) == 0 {
			return
		}
		for i, row := range page {
			key, ok := placeKey(row[1:])
			if before, twice := first[key]; ok && twice {
				hidden, latest[before] = append(hidden, at+int64(i)), at+int64(i)
			} else if ok {
				first[key] = at + int64(i)
			}
		}
		at += int64(len(page))
	}
	x.hidden, x.latest, x.replaced = hidden, latest, slices.Sorted(maps.Keys(latest))
}

// placeKey names the place of a cell by its coordinates.
func placeKey(row model.Row) (string, bool) {
	var b strings.Builder
	for _, c := range row {
		if c.Trouble != "" || c.Value.Kind == model.None && !c.Vector {
			return "", false
		}
		b.WriteString(c.String())
		b.WriteByte(0)
	}
	return b.String(), len(row) > 0
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
