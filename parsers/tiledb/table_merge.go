package tiledb

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"slices"
	"sort"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// A cell that was written several times is listed once, in its first place, as reading the array returns it: the newest one, unless that was
// deleted. This depends on the coordinates and the times of the cells, which are read for all fragments that may share
// cells, up to mostMerged cells. The others need not be read, because their boxes do not overlap.
const mostMerged = 4 << 20

var errNoSchema = errors.New("the array has no readable schema")

var errUnjudged = errors.New("a deletion uses a field that the array does not have")

// mergeKey identifies a cell by its coordinates. Two cells are the same if both hashes agree, which use keys unknown to the file.
type mergeKey struct {
	sum  [2]uint64
	time uint64
	at   int64 // twice the index of the stored cell, plus one if it was deleted
}

// merger finds the stored cells of a table that readers do not see in their place.
type merger struct {
	*cellTable
	gone  []deletion
	again bool // the newest cell at each place counts
	need  []bool
	seeds [2]maphash.Seed

	keys   []mergeKey
	hidden []int64
}

// merge finds the overwritten and deleted cells. What cannot be read or evaluated is listed in storage order, and unmerged says so.
func (x *cellTable) merge(ctx context.Context, list []glance) error {
	m := &merger{cellTable: x, again: x.view.schema.Dups.Uint() == 0, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	var ok bool
	if m.gone, ok = deletions(ctx, x.a, x.view.at); !ok {
		x.unmerged = "a deletion cannot be read, and is not applied"
	}
	if cells := m.needed(list); cells > mostMerged {
		x.unmerged = model.Words("more than %d cells may have been overwritten or deleted: they are listed as stored", mostMerged)
		return nil
	}
	for i, f := range x.frags {
		if !m.need[i] {
			continue
		}
		if err := m.fragment(ctx, f, i); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			x.unmerged = model.Words("fragment %s cannot be read or evaluated: its cells are listed as stored", f.name)
		}
	}
	m.choose()
	return nil
}

// needed finds the fragments whose cells must be examined, and the number of these cells.
func (m *merger) needed(list []glance) (cells int64) {
	m.need = make([]bool, len(list))
	if m.again {
		touching(list, m.need)
	}
	for i, g := range list {
		last := len(m.gone) - 1
		m.need[i] = m.need[i] || g.times && m.again || g.times && g.f.stamp.to > m.view.at || g.deletes ||
			last >= 0 && m.gone[last].at >= g.f.stamp.from
		if m.need[i] {
			cells += g.rows
		}
	}
	return cells
}

// touching marks the fragments that may share cells: in each dimension they overlap with another.
func touching(list []glance, out []bool) {
	for i := range list {
		out[i] = len(list) > 1
	}
	for d := range dimsOf(list) {
		order := model.Indices(len(list))
		slices.SortStableFunc(order, func(i, j int) int { return storage.Compare(list[i].domain[d][0], list[j].domain[d][0]) })
		for k, i := range order {
			before := k > 0 && storage.Compare(list[order[k-1]].domain[d][1], list[i].domain[d][0]) >= 0
			if k > 0 && storage.Compare(list[order[k-1]].domain[d][1], list[i].domain[d][1]) > 0 { // the highest end so far replaces the last one
				list[i].domain[d][1], before = list[order[k-1]].domain[d][1], true
			}
			after := k+1 < len(order) && storage.Compare(list[i].domain[d][1], list[order[k+1]].domain[d][0]) >= 0
			out[i] = out[i] && (before || after)
		}
	}
}

// dimsOf is how many dimensions all the boxes have.
func dimsOf(list []glance) (n int) {
	for i := range list {
		if n = len(list[i].domain); n != len(list[0].domain) {
			return 0
		}
	}
	return n
}

// fragment examines the cells of fragment i.
func (m *merger) fragment(ctx context.Context, f *frag, i int) error {
	g, done, err := beside(ctx, f, false)
	if err != nil {
		return err
	}
	defer done()
	need := map[int]bool{}
	gone, err := g.sentences(ctx, m.gone, need)
	if err != nil {
		return err
	}
	t := newCellsOfTile(g)
	for slot := range g.slots {
		s := &g.slots[slot]
		if m.again && s.Dim != nil || slot == t.times || slot == t.deleted {
			need[slot] = true
		}
	}
	at := int64(0)
	if i > 0 {
		at = m.ends[i-1]
	}
	tiles, _ := g.meta.Count()
	for k := range tiles {
		n := g.meta.CellsPerTile(k)
		if err := t.read(ctx, k, n, need); err != nil {
			return err
		}
		for c := range int(n) {
			m.cell(t, c, at, gone)
			at++
		}
	}
	return nil
}

// cell examines cell c of a tile, which is stored at a place of the table.
func (m *merger) cell(t *cellsOfTile, c int, at int64, gone []sentence) {
	when := t.written(c)
	if when > m.view.at && t.times >= 0 {
		m.hidden = append(m.hidden, at)
		return
	}
	dead := t.deleted >= 0 && binary.LittleEndian.Uint64(t.bytes(t.deleted, c)) <= m.view.at || t.isDeleted(c, gone)
	switch {
	case m.again:
		at <<= 1
		if dead {
			at |= 1
		}
		m.keys = append(m.keys, mergeKey{t.sums(c, &m.seeds), when, at})
	case dead:
		m.hidden = append(m.hidden, at)
	}
}

// choose keeps the newest of the cells in one place.
func (m *merger) choose() {
	slices.SortFunc(m.keys, func(x, y mergeKey) int {
		return cmp.Or(cmp.Compare(x.sum[0], y.sum[0]), cmp.Compare(x.sum[1], y.sum[1]), cmp.Compare(x.at, y.at))
	})
	for from, to := 0, 0; from < len(m.keys); from = to {
		best := m.keys[from]
		for to = from + 1; to < len(m.keys) && m.keys[to].sum == best.sum; to++ {
			if x := m.keys[to]; x.time > best.time || x.time == best.time && m.fragmentOf(x.at>>1) > m.fragmentOf(best.at>>1) {
				best = x
			}
		}
		first := m.keys[from].at >> 1
		for _, x := range m.keys[from+1 : to] {
			m.hidden = append(m.hidden, x.at>>1)
		}
		switch {
		case best.at&1 == 1:
			m.hidden = append(m.hidden, first)
		case best.at>>1 != first:
			m.cellTable.newest = append(m.cellTable.newest, [2]int64{first, best.at >> 1})
		}
	}
	slices.Sort(m.hidden)
	m.cellTable.hidden = m.hidden
	slices.SortFunc(m.newest, func(x, y [2]int64) int { return cmp.Compare(x[0], y[0]) })
}

// fragmentOf is the number of the fragment that has a stored cell.
func (x *cellTable) fragmentOf(at int64) int {
	return sort.Search(len(x.ends), func(i int) bool { return x.ends[i] > at })
}

// stored is the stored cell that a row lists, and how many rows from there on list consecutive ones.
func (x *cellTable) stored(row int64) (at, run int64) {
	k := int64(sort.Search(len(x.hidden), func(k int) bool { return x.hidden[k]-int64(k) > row }))
	at, run = row+k, x.stores()-row-k
	if k < int64(len(x.hidden)) {
		run = x.hidden[k] - at
	}
	i, again := slices.BinarySearchFunc(x.newest, at, func(p [2]int64, at int64) int { return cmp.Compare(p[0], at) })
	if again {
		return x.newest[i][1], 1
	} else if i < len(x.newest) {
		run = min(run, x.newest[i][0]-at)
	}
	return at, run
}

// cellsOfTile is some fields of a tile of a sparse fragment.
type cellsOfTile struct {
	f      *frag
	fields []fragment.Cells
	key    []byte

	times, deleted int // the slots that say when cells were written, and deleted; -1 for none
}

func newCellsOfTile(f *frag) *cellsOfTile {
	own := func(name string) int {
		return slices.IndexFunc(f.slots, func(s fragment.Slot) bool { return s.Attr == nil && s.Dim == nil && s.Name == name })
	}
	return &cellsOfTile{f: f, times: own("__timestamps"), deleted: own("__delete_timestamps")}
}

// written is when cell i was written.
func (t *cellsOfTile) written(i int) uint64 {
	if t.times < 0 {
		return t.f.stamp.from
	}
	return binary.LittleEndian.Uint64(t.bytes(t.times, i))
}

// isDeleted tells whether one of some deletions removes cell i.
func (t *cellsOfTile) isDeleted(i int, gone []sentence) bool {
	when := t.written(i)
	return slices.ContainsFunc(gone, func(d sentence) bool { return !(d.timed && when > d.at) && !d.survives(t, i, false, true) })
}

// read reads the fields of tile k, which has n cells.
func (t *cellsOfTile) read(ctx context.Context, k, n int64, need map[int]bool) error {
	t.fields = make([]fragment.Cells, len(t.f.slots))
	for slot := range need {
		var err error
		if t.fields[slot], _, err = (cellRun{t.f, k, 0, n, 1}).cells(ctx, slot); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// bytes are those of cell i of a field.
func (t *cellsOfTile) bytes(slot, i int) []byte { return t.fields[slot].At(&t.f.slots[slot], i) }

// sums are two hashes of the coordinates of cell i.
func (t *cellsOfTile) sums(i int, seeds *[2]maphash.Seed) (out [2]uint64) {
	key := t.key[:0]
	for d := range t.f.meta.Schema.Dims {
		x := &t.f.meta.Schema.Dims[d]
		b := t.bytes(t.f.dimension(d), i)
		if filter.IsFloat(x.Datatype) && x.Coordinate(b).Float() == 0 { // 0 and -0 are one place
			b = make([]byte, len(b))
		}
		key = append(binary.LittleEndian.AppendUint32(key, uint32(len(b))), b...)
	}
	t.key = key
	return [2]uint64{maphash.Bytes(seeds[0], key), maphash.Bytes(seeds[1], key)}
}

// dimension is the slot of dimension d.
func (f *frag) dimension(d int) int { return len(f.meta.Schema.Attrs) + 1 + d }

// named is the slot of an attribute or a dimension; -1 where the fragment has none of the name.
func (f *frag) named(name string) int {
	for d := range f.meta.Schema.Dims {
		if f.meta.Schema.Dims[d].Name.Text() == name {
			return f.dimension(d)
		}
	}
	return slices.IndexFunc(f.slots, func(s fragment.Slot) bool { return s.Attr != nil && s.Name == name })
}
