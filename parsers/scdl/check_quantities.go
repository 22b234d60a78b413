package scdl

import (
	"context"

	"spandrel/model"
)

// quantities are the numbers that several files of an archive state: its values and its cells.
func quantities(ctx context.Context, t *model.Tree) (out []model.Quantity) {
	for _, a := range archivesOf(t) {
		if a.header == nil {
			continue
		}
		if a.header.chunked {
			out = append(out, chunked{a}.quantities()...)
			continue
		}
		values := append(a.lengthOf("DATA", 0), a.lengthOf("COLPTR", 0)...)
		cells := a.lengthOf("ROWPTR", 1)
		if n := a.lastPointer("row_ptr.npy"); n > 0 {
			values = append(values, model.Witness{Text: "the last row pointer", Value: model.U(n)})
		}
		if n := a.statedRows(); n >= 0 {
			cells = append(cells, model.Witness{Text: "metadata.json", Value: model.I(n), Field: a.member(ctx, "metadata.json", "num_rows")})
		}
		for _, f := range a.folders {
			if len(f.cum) > 1 {
				cells = append(cells, model.Witness{Text: "the blocks of " + f.dir, Value: model.I(f.cum[len(f.cum)-1])})
			}
		}
		out = append(out, model.Quantity{Name: "values", Witnesses: values}, model.Quantity{Name: "cells", Witnesses: cells})
	}
	return out
}

// lengthOf is the count according to the header and the file of an array: so many less than its number of elements.
func (a *archive) lengthOf(key string, less int64) (out []model.Witness) {
	r := a.raws[fileOf(key)]
	if r == nil {
		return nil
	}
	if d := r.desc; d != nil {
		out = append(out, model.Witness{Text: "the header, of " + key, Value: model.I(d.len_.Int() - less), Field: d.len_.Span,
			Stored: func(v model.Value) (model.Value, bool) { return model.U(uint64(v.Int() + less)), v.Int() >= 0 }})
	}
	return append(out, model.Witness{Text: fileOf(key), Value: model.I(r.count - less), Weak: true})
}
