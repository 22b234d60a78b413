package scdl

import (
	"context"

	"spandrel/model"
)

// An append writes the values and the columns of new cells first, and then the row pointers, the header and the tables. If it stops before, both arrays
// continue after the last cell, usually by different amounts, and everything else is in the state before.

// appended is an archive whose values and columns continue after the last cell: by so many bytes.
type appended struct {
	*archive
	data, col int64
}

// appended tells whether the row pointers and the header end at the same number of values, and both arrays after it. One of them alone may have
// something else after it, and if both have just that number of values of another type, they are that.
func (a judge) appended() (x appended, ok bool) {
	ptr, data, col := a.desc("ROWPTR"), a.desc("DATA"), a.desc("COLPTR")
	if ptr == nil || data == nil || col == nil || a.header.chunked || data.len_.Uint() != col.len_.Uint() {
		return x, false
	}
	r, n := a.raws["row_ptr.npy"], data.len_.Uint()
	if !unsigned(r) || !r.whole() || uint64(r.count) != ptr.len_.Uint() || n == 0 || a.lastPointer("row_ptr.npy") != n {
		return x, false
	}
	x = appended{a.archive, a.beyond("data.npy", n), a.beyond("col_ptr.npy", n)}
	if x.data <= 0 || x.col <= 0 {
		return x, false
	}
	asData, _ := a.otherTypes(data, int64(n), a.entries["data.npy"].Size)
	asCol, _ := a.otherTypes(col, int64(n), a.entries["col_ptr.npy"].Size)
	return x, len(asData) == 0 || len(asCol) == 0
}

// grown tells whether values and columns continue after the cells that everything else counts.
func grown(a judge) bool {
	_, stopped := a.appended()
	_, several := joinedOf(a)
	return stopped || several
}

// beyond is how many bytes an array has after its first n elements.
func (a *archive) beyond(file string, n uint64) int64 {
	r := a.raws[file]
	if r == nil || r.span == nil || n > uint64(r.count) {
		return 0
	}
	return r.size - int64(n)*widthOf(r.dtype)
}

// says is what follows the last cell, in words.
func (x appended) says() string {
	rest := func(file, one string, bytes int64) string {
		return file + " has " + model.Count(bytes/widthOf(x.raws[file].dtype), one) + " more"
	}
	return rest("data.npy", "values", x.data) + ", " + rest("col_ptr.npy", "columns", x.col)
}

// report reports an append that stopped (057), instead of the lengths that differ because of it.
func (x appended) report(c *model.Cursor) {
	n, data := x.desc("DATA").len_.Uint(), x.raws["data.npy"]
	at := model.Spot{Span: data.span, Range: model.Range{Space: data.span.Range.Space, Off: data.size - x.data, Len: x.data}}
	c.Wrong(stoppedAppend, at, nil, nil, model.About(x), model.Saying("an append stopped: row_ptr.npy and the header end at %s values, but %s", model.Thousands(int64(n)), x.says()))
}

// repairAppend restores the state before the append: what it wrote belongs to no cell.
var repairAppend = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, x appended) []model.Fix {
	cut := func(file string, n int64) model.Edit {
		s := x.spans[file]
		return model.Splice{Range: model.Range{Space: s.Range.Space, Off: s.Range.Len - n, Len: n}, With: model.Memory(nil), Loose: true}
	}
	return []model.Fix{{Label: "remove what follows the last cell from data.npy and col_ptr.npy", Once: true, Loses: "the appended values, which belong to no cell",
		Says: "An append stopped: row_ptr.npy and the header end at the last cell before it, but " + x.says() + ".", Edits: []model.Edit{cut("data.npy", x.data), cut("col_ptr.npy", x.col)}}}
})
