package fragment

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
)

// Arrange makes the tiles of a sparse fragment, of so many cells each, from the cells of its fields: in the global order (5.2). twice is a cell that
// has the coordinates of another one; -1: none has.
func (n *Draft) Arrange(fields []Cells, per int) (twice int) {
	count := n.cells(&Tile{Fields: fields})
	compare, order := n.inOrder(fields, count), model.Indices(count)
	if !slices.IsSortedFunc(order, compare) {
		slices.SortStableFunc(order, compare)
		fields = slices.Clone(fields)
		for slot, s := range n.Files() {
			fields[slot] = fields[slot].Pick(s, order)
		}
	}
	for from := 0; from < count; from += per {
		t := Tile{Fields: make([]Cells, len(n.Slots))}
		for slot, s := range n.Files() {
			t.Fields[slot] = fields[slot].Part(s, from, min(from+per, count))
		}
		n.FindBox(&t, int64(len(n.Tiles)))
		n.Tiles = append(n.Tiles, t)
	}
	for i := 1; i < count; i++ {
		if compare(order[i-1], order[i]) == 0 {
			return order[i]
		}
	}
	return -1
}

// Apart is a tile of its own for each cell.
func (n *Draft) Apart() (out []Tile) {
	for k := range n.Tiles {
		for i := range n.cells(&n.Tiles[k]) {
			t := Tile{Fields: make([]Cells, len(n.Slots))}
			for slot, s := range n.Files() {
				t.Fields[slot] = n.Tiles[k].Fields[slot].Part(s, i, i+1)
			}
			n.FindBox(&t, int64(len(out)))
			out = append(out, t)
		}
	}
	return out
}

// inOrder compares cells by their places in the global order: by the space tiles, then in them.
func (n *Draft) inOrder(fields []Cells, count int) func(i, j int) int {
	s := n.Meta.Schema
	by := append(n.comparing(fields, true, s.TileOrder.Uint() == schema.ColMajor, count), n.comparing(fields, false, s.CellOrder.Uint() == schema.ColMajor, count)...)
	return func(i, j int) (c int) {
		for _, compare := range by {
			if c = compare(i, j); c != 0 {
				break
			}
		}
		return c
	}
}

// comparing compares cells, or the space tiles that they are in, dimension by dimension.
func (n *Draft) comparing(fields []Cells, tiles, columnMajor bool, count int) (by []func(i, j int) int) {
	for slot := range n.Slots {
		if n.Slots[slot].Dim == nil {
			continue
		}
		if compare := comparing(&n.Slots[slot], &fields[slot], tiles, count); compare != nil {
			by = append(by, compare)
		}
	}
	if columnMajor {
		slices.Reverse(by)
	}
	return by
}

// comparing compares the coordinates of a dimension, or the space tiles that they are in; nil if there are no such tiles.
func comparing(s *Slot, t *Cells, tiles bool, count int) func(i, j int) int {
	d := s.Dim
	switch {
	case tiles && (d.Extent.Span == nil || d.Low.Span == nil || s.Variable()):
		return nil
	case s.Variable():
		return func(i, j int) int { return bytes.Compare(t.At(s, i), t.At(s, j)) }
	}
	keys := make([]uint64, count)
	for i := range keys {
		v := d.Coordinate(t.At(s, i))
		if tiles {
			v = d.TileOf(v)
		}
		keys[i] = keyOf(v)
	}
	return func(i, j int) int { return cmp.Compare(keys[i], keys[j]) }
}

// keyOf are bits that are ordered as numbers are.
func keyOf(v model.Value) uint64 {
	switch v.Kind {
	case model.Int:
		return v.Uint() ^ 1<<63
	case model.Float:
	default:
		return v.Uint()
	}
	bits := math.Float64bits(v.Float() + 0) // 0 and -0 are one place
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}
