package scdl

import (
	"context"
	"fmt"
	"path"

	"spandrel/model"
)

// quantities are the numbers that several files of an archive state: its values and its cells.
func quantities(ctx context.Context, t *model.Tree) (out []model.Quantity) {
	for _, a := range archivesOf(t) {
		if a.header == nil {
			continue
		}
		if a.header.chunked {
			out = append(out, a.chunkQuantities()...)
			continue
		}
		var values, cells []model.Witness
		for _, k := range keys[:3] {
			r := a.raws[k.file]
			to, less := &values, int64(0)
			if k.key == "ROWPTR" {
				to, less = &cells, 1
			}
			if r == nil {
				continue
			}
			if d := r.desc; d != nil {
				*to = append(*to, model.Witness{Text: "the header, of " + k.key, Value: model.I(d.len_.Int() - less), Field: d.len_.Span,
					Stored: func(v model.Value) (model.Value, bool) { return model.U(uint64(v.Int() + less)), v.Int() >= 0 }})
			}
			*to = append(*to, model.Witness{Text: k.file, Value: model.I(r.count - less), Weak: true})
		}
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

// chunkQuantities are the numbers that the header of an archive in chunks and the chunks state: how many there are, and their rows.
func (a *archive) chunkQuantities() []model.Quantity {
	stated := func(n model.Node) model.Witness {
		return model.Witness{Text: "the header", Value: model.U(n.Uint()), Field: n.Span}
	}
	each, all, folders := []model.Witness{stated(a.header.chunkSize)}, int64(0), int64(0)
	weak := false // a chunk whose values are not as many as its row pointers say may have lost rows as well
	for a.dirs[chunkDir(folders)] != nil && folders < maxChunks {
		ptr, data := a.raws[path.Join(chunkDir(folders), "row_ptr.npy")], a.raws[path.Join(chunkDir(folders), "data.npy")]
		if folders++; ptr == nil || data == nil {
			weak = true
			continue
		}
		cut := uint64(data.count) != a.lastPointer(ptr.file)
		weak, all = weak || cut, all+ptr.count-1
		if last := a.dirs[chunkDir(folders)] == nil; !last && len(each) < 8 {
			each = append(each, model.Witness{Text: path.Dir(ptr.file), Value: model.I(ptr.count - 1), Weak: cut})
		}
	}
	chunks := []model.Witness{stated(a.header.chunks), {Text: "the folders", Value: model.I(folders), Weak: weak || uint64(all) != a.header.rows.Uint()}}
	rows := []model.Witness{stated(a.header.rows), {Text: "the chunks together", Value: model.I(all), Weak: weak}}
	if n := a.statedRows(); n >= 0 {
		rows = append(rows, model.Witness{Text: "metadata.json", Value: model.I(n)})
	}
	return []model.Quantity{{Name: "rows in a chunk", Witnesses: each}, {Name: "chunks", Witnesses: chunks}, {Name: "cells", Witnesses: rows}}
}

// chunkDir is the folder of a chunk.
func chunkDir[N int64 | uint64](i N) string { return fmt.Sprintf("chunk_%05d", i) }
