package tiledb

import (
	"context"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// The footer of a sparse fragment and the boxes of its tiles repeat where the cells are (5.1): TileDB finds cells by them.

// extremes are the minimum and maximum of the coordinates of some tiles.
type extremes struct {
	fragment.Statistics
	tiles int64
}

// box compares the coordinates of a tile of a dimension, which are at r, with the box of the tile.
func (x *deepFragment) box(ctx context.Context, at tile, r model.Range) {
	s, t := at.Slot, x.f.a.d.t
	if s.Dim == nil || x.f.meta.Dense || s.Variable() || slices.ContainsFunc(s.Filters, func(f filter.Filter) bool { return f.Type == filter.ScaleFloat }) {
		return
	}
	b, err := t.Bytes(ctx, r)
	size := int(s.Cell())
	if err != nil || len(b) < size {
		return
	}
	var here fragment.Statistics
	for ; len(b) >= size; b = b[size:] {
		here.Widen(s, b[:size], b[:size])
	}
	low, high := here.Min, here.Max
	if x.boxes == nil {
		x.boxes = make([]extremes, len(x.f.slots))
	}
	e := &x.boxes[at.slot]
	e.Widen(s, slices.Clone(low), slices.Clone(high))
	e.tiles++
	leaf := x.leaf(ctx, at.k)
	if leaf == nil {
		return
	}
	for i := range s.At {
		leaf = leaf[2*filter.SizeOf(x.f.meta.Schema.Dims[i].Datatype):]
	}
	if from, to := leaf[:size], leaf[size:2*size]; lessOrMore(s.Datatype, low, from) || lessOrMore(s.Datatype, high, to) {
		x.p.Wrong(rule.BoxDiffers, x.inSpace(r), between(s.Dim, low, high), between(s.Dim, from, to),
			model.Saying("the cells of tile %d are outside the bounding box that the fragment stores in %s", at.k, s.Name))
	}
}

func between(d *schema.Dimension, low, high []byte) string {
	return d.Coordinate(low).String() + " to " + d.Coordinate(high).String()
}

// leaf is the stored box of tile k: the two ends of each dimension; nil if it cannot be read.
func (x *deepFragment) leaf(ctx context.Context, k int64) []byte {
	if x.leaves == nil {
		x.leaves = []byte{}
		if leaves, stride := x.f.leaves(ctx); stride > 0 {
			x.leaves, x.stride = leaves, stride
		}
	}
	if at := k * x.stride; x.stride > 0 && at+x.stride <= int64(len(x.leaves)) {
		return x.leaves[at : at+x.stride]
	}
	return nil
}

// leaves are the boxes of the last level of the R-tree, of so many bytes each; none if dimensions have variable length, or if the number of boxes
// differs from that of tiles.
func (f *frag) leaves(ctx context.Context) (leaves []byte, stride int64) {
	m := f.meta
	if m.Boxes.Span == nil || m.Leaves != int64(m.Tiles) {
		return nil, 0
	}
	for i := range m.Schema.Dims {
		stride += 2 * int64(filter.SizeOf(m.Schema.Dims[i].Datatype))
	}
	b, err := f.a.d.t.Bytes(ctx, m.Boxes.Range)
	if err != nil {
		return nil, 0
	}
	return b, stride
}

// domain compares the box of the fragment with the coordinates of all its cells.
func (x *deepFragment) domain() {
	for slot := range x.boxes {
		e, s := &x.boxes[slot], &x.f.slots[slot]
		if e.tiles == 0 || uint64(e.tiles) != x.f.meta.Tiles || s.At >= len(x.f.meta.Domain) {
			continue
		}
		at, low, high := &x.f.meta.Domain[s.At], s.Dim.Coordinate(e.Min), s.Dim.Coordinate(e.Max)
		if at.Low.Span != nil && storage.Compare(at.Low.Value, low) != 0 {
			x.p.Wrong(rule.BoxDiffers, at.Low, at.Low.Value, low, model.Saying("the bounding box of the fragment does not begin at its first cell in %s", s.Name))
		}
		if at.High.Span != nil && storage.Compare(at.High.Value, high) != 0 {
			x.p.Wrong(rule.BoxDiffers, at.High, at.High.Value, high, model.Saying("the bounding box of the fragment does not end at its last cell in %s", s.Name))
		}
	}
}
