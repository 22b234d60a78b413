package scdl

import (
	"cmp"
	"math/bits"
	"slices"

	"spandrel/model"
)

// Archives joined with cat, or by a script, have the values and columns of both, but row pointers that start over: those of each part count from
// its own first value. Everything else is usually that of the first. Row pointers also start over if they were counted in fewer bits than they need.

// joined is an archive of which the arrays are those of several: the row pointers as one archive has them, where those of the second begin, and how many
// parts there are. If wrap is not 0, it is one archive, whose row pointers start over at that number.
type joined struct {
	*archive
	ptrs  []uint64
	first int64
	parts int
	wrap  uint64
}

// joinedOf tells whether the row pointers start over, and the ends of all parts add up to the number of values and columns: if only a pointer was damaged,
// they do not. The parts after the first begin with 0 or with the end of their first row.
func joinedOf(a judge) (x joined, ok bool) {
	if !(joined{archive: a.archive}).mayBe(a) {
		return x, false
	}
	ptrs := a.elements(a.raws["row_ptr.npy"], 0, a.raws["row_ptr.npy"].count)
	for _, width := range []int{64, 8, 16, 32} {
		x = joined{archive: a.archive, parts: 1, wrap: 1 << width} // 0 for 64
		if end := x.follow(ptrs); x.parts > 1 && end == uint64(a.raws["data.npy"].count) && slices.IsSorted(x.ptrs) && (width == 64 || slices.Max(ptrs) < x.wrap) {
			return x, true
		}
	}
	return x, false
}

// follow lets the row pointers count on where they start over, and returns the last one.
func (x *joined) follow(ptrs []uint64) uint64 {
	base, before := uint64(0), uint64(0)
	for i, v := range ptrs {
		if v < before {
			base += cmp.Or(x.wrap, before)
			x.parts++
			x.first = cmp.Or(x.first, int64(i))
		}
		if v > 0 || before == 0 || x.wrap > 0 { // otherwise it is the end of the previous part once more
			x.ptrs = append(x.ptrs, base+v)
		}
		before = v
	}
	return base + before
}

// mayBe tells whether the arrays of an archive are whole, and the row pointers end before its values do.
func (x joined) mayBe(a judge) bool {
	ptr, data, col := x.raws["row_ptr.npy"], x.raws["data.npy"], x.raws["col_ptr.npy"]
	if x.header == nil || !x.header.whole || x.header.chunked || !unsigned(ptr) || !unsigned(col) {
		return false
	}
	for _, r := range []*rawArray{ptr, data, col} {
		if !r.whole() || r.desc == nil {
			return false
		}
	}
	last := x.lastPointer("row_ptr.npy")
	return col.count == data.count && ptr.count <= maxPointed && last > 0 && last < uint64(data.count) && a.beginsAtZero("row_ptr.npy")
}

// report reports archives that were joined (058), instead of the lengths that differ because of it.
func (x joined) report(c *model.Cursor) {
	ptr := x.raws["row_ptr.npy"]
	w := widthOf(ptr.dtype)
	at := model.Spot{Span: ptr.span, Range: model.Range{Space: ptr.span.Range.Space, Off: x.first * w, Len: w}}
	c.Wrong(startsOver, at, nil, nil, model.About(x), model.Saying("%s", x.says()))
}

// says is what happened, in words.
func (x joined) says() string {
	if x.wrap > 0 {
		return model.Words("the row pointers were counted in %d bits: they start over at %s, first at element %s, and end at the %s values if they count on",
			bits.Len64(x.wrap)-1, model.Thousands(int64(x.wrap)), model.Thousands(x.first), model.Thousands(x.raws["data.npy"].count))
	}
	return model.Words("the arrays of %d archives were joined: the row pointers start over at element %s, and the ends of all parts add up to the %s values",
		x.parts, model.Thousands(x.first), model.Thousands(x.raws["data.npy"].count))
}
