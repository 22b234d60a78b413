package tiledb

import (
	"context"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// The footer of a sparse fragment and the boxes of its tiles repeat where the cells lie (5.1): TileDB finds cells by them.

// extremes are the least and the greatest of some coordinates.
type extremes struct {
	low, high []byte
	tiles     int64 // that were read
}

// box holds the coordinates of tile k of a dimension, which are at r, against the box of the tile.
func (x *deepFragment) box(ctx context.Context, slot int, k int64, r model.Range) {
	s, t := &x.f.slots[slot], x.f.a.d.t
	if s.dim == nil || x.f.meta.dense || s.variable() || slices.ContainsFunc(s.filters, func(f filter.Filter) bool { return f.Type == filter.ScaleFloat }) {
		return
	}
	b, err := t.Bytes(ctx, r)
	size := int(s.cell())
	if err != nil || len(b) < size {
		return
	}
	low, high := b[:size], b[:size]
	for ; len(b) >= size; b = b[size:] {
		if c := b[:size]; lessCell(s.datatype, c, low) {
			low = c
		} else if lessCell(s.datatype, high, c) {
			high = c
		}
	}
	if x.boxes == nil {
		x.boxes = make([]extremes, len(x.f.slots))
	}
	e := &x.boxes[slot]
	if e.tiles++; e.low == nil || lessCell(s.datatype, low, e.low) {
		e.low = slices.Clone(low)
	}
	if e.high == nil || lessCell(s.datatype, e.high, high) {
		e.high = slices.Clone(high)
	}
	if leaf := x.leaf(ctx, k); leaf != nil {
		at := 0
		for i := range x.f.meta.schema.dims {
			n := filter.SizeOf(x.f.meta.schema.dims[i].datatype)
			if s.dim == &x.f.meta.schema.dims[i] && (lessOrMore(s.datatype, low, leaf[at:at+n]) || lessOrMore(s.datatype, high, leaf[at+n:at+2*n])) {
				x.p.Wrong(boxDiffers, model.Spot{Span: t.Space(r.Space).Root, Range: r}, between(s.dim, low, high), between(s.dim, leaf[at:at+n], leaf[at+n:at+2*n]),
					model.Saying("the cells of tile %d are not in the box that their fragment gives it in %s", k, s.name))
			}
			at += 2 * n
		}
	}
}

func between(d *dim, low, high []byte) string {
	return d.coordinate(low).String() + " to " + d.coordinate(high).String()
}

// leaf is the box of tile k as it is stored: the two ends of each dimension. Nil where dimensions are of varying length, or where the
// boxes are not as many as the tiles.
func (x *deepFragment) leaf(ctx context.Context, k int64) []byte {
	if x.leaves == nil {
		x.leaves = []byte{}
		stride := uint64(0)
		for i := range x.f.meta.schema.dims {
			d := &x.f.meta.schema.dims[i]
			if d.variable() {
				return nil
			}
			stride += 2 * uint64(filter.SizeOf(d.datatype))
		}
		if x.f.meta.version < 5 || x.f.meta.tree.Span == nil || x.f.meta.leaves != int64(x.f.meta.tiles) {
			return nil
		}
		payload := x.f.meta.tree.Get(payloadF.Name)
		if payload == nil {
			return nil
		}
		b, err := x.f.a.d.t.Bytes(ctx, payload.Range)
		if err != nil || len(b) < 8 {
			return nil
		}
		levels := filter.Uint(b[4:], 4)
		for b = b[8:]; levels > 0 && len(b) >= 8; levels-- {
			n := filter.Uint(b, 8)
			if n > uint64(len(b)-8)/stride {
				return nil
			}
			x.leaves, b = b[8:8+n*stride], b[8+n*stride:]
		}
		x.leaves, x.stride = slices.Clone(x.leaves), int64(stride)
	}
	if at := k * x.stride; x.stride > 0 && at+x.stride <= int64(len(x.leaves)) {
		return x.leaves[at : at+x.stride]
	}
	return nil
}

// domain holds the box of the fragment against the coordinates of all its cells.
func (x *deepFragment) domain() {
	for slot := range x.boxes {
		e, s := &x.boxes[slot], &x.f.slots[slot]
		if e.tiles == 0 || uint64(e.tiles) != x.f.meta.tiles {
			continue
		}
		for i := range x.f.meta.domain {
			if s.dim != &x.f.meta.schema.dims[i] {
				continue
			}
			at, low, high := &x.f.meta.domain[i], s.dim.coordinate(e.low), s.dim.coordinate(e.high)
			if at.low.Span != nil && compare(at.low.Value, low) != 0 {
				x.p.Wrong(boxDiffers, at.low, at.low.Value, low, model.Saying("the fragment's box does not begin where its first cell in %s lies", s.name))
			}
			if at.high.Span != nil && compare(at.high.Value, high) != 0 {
				x.p.Wrong(boxDiffers, at.high, at.high.Value, high, model.Saying("the fragment's box does not end where its last cell in %s lies", s.name))
			}
		}
	}
}
