package scdl

import (
	"context"

	"spandrel/model"
)

// Archives joined with cat, or by a script, have the values and columns of both, but row pointers that start over: those of each part count from
// its own first value. Everything else is usually that of the first.

// joined is an archive of which the arrays are those of several: the row pointers as one archive has them, where those of the second begin, and how many
// parts there are.
type joined struct {
	*archive
	ptrs  []uint64
	first int64
	parts int
}

// joined tells whether the row pointers start over, and the ends of all parts add up to the number of values and columns: if only a pointer was damaged, they do not.
// The parts after the first begin with 0 or with the end of their first row.
func (a judge) joined() (x joined, ok bool) {
	ptr, data, col := a.raws["row_ptr.npy"], a.raws["data.npy"], a.raws["col_ptr.npy"]
	if a.header == nil || !a.header.whole || a.header.chunked || !unsigned(ptr) || !unsigned(col) || !ptr.whole() || !data.whole() || !col.whole() {
		return x, false
	}
	n := uint64(data.count)
	if ptr.desc == nil || data.desc == nil || col.desc == nil {
		return x, false
	}
	if last := a.lastPointer("row_ptr.npy"); col.count != data.count || ptr.count > maxPointed || last == 0 || last >= n || !a.beginsAtZero("row_ptr.npy") {
		return x, false
	}
	x = joined{archive: a.archive, parts: 1}
	base, before := uint64(0), uint64(0)
	for i, v := range a.elements(ptr, 0, ptr.count) {
		if v < before {
			if base += before; base >= n {
				return x, false
			}
			if x.parts++; x.first == 0 {
				x.first = int64(i)
			}
		}
		if v > 0 || before == 0 { // otherwise it is the end of the previous part once more
			x.ptrs = append(x.ptrs, base+v)
		}
		before = v
	}
	return x, x.parts > 1 && base+before == n
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
	return model.Words("the arrays of %d archives were joined: the row pointers start over at element %s, and the ends of all parts add up to the %s values",
		x.parts, model.Thousands(x.first), model.Thousands(x.raws["data.npy"].count))
}

// repairJoined lets the row pointers of the later parts count on, and counts their cells everywhere. Nothing shows which genes and names they had: they
// get those of the first part, and empty rows in its table of cells.
var repairJoined = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, x joined) []model.Fix {
	more := len(x.ptrs) - int(x.first)
	fix := model.Fix{Label: "continue the row pointers of the first archive", Once: true,
		Says: model.Words("The arrays of %d archives were joined, without what describes the later cells: their genes can only be taken to be the same.", x.parts)}
	if f := x.features(false); f != nil && f.last() == x.first-1 {
		fix.Label += model.Words(", with %s empty rows in the table of cells", model.Thousands(int64(more)))
	}
	fix.Build = func(ctx context.Context, _ *model.Tree) ([]model.Edit, error) {
		r := &reshaping{archive: x.archive, matrix: x.main(""), ctx: ctx, cells: x.first - 1}
		if err := r.point(x.first, x.ptrs[x.first:]); err != nil {
			return nil, err
		}
		err := r.more(more, r.data.count, func(s *sheet) (err error) {
			for range more {
				if err = s.add(s.named("")); err != nil {
					break
				}
			}
			return err
		})
		return r.edits, err
	}
	return []model.Fix{fix}
})
