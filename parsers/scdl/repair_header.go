package scdl

import (
	"context"
	"slices"

	"spandrel/model"
)

// repairChunkInfo removes chunk information that does not belong to the backend.
var repairChunkInfo = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, info model.Range) []model.Fix {
	return []model.Fix{{Label: "remove the chunk information", Edits: []model.Edit{model.Replace(info, nil)}}}
})

// repairInline moves inline data into the files that the arrays' names imply, if none of them exists. The data is assumed to be big-endian, as it is shown.
func repairInline(_ context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	a := archiveOf(t, f.Span)
	if a == nil || a.header == nil {
		return nil
	}
	h := a.header
	for _, d := range h.arrays {
		file := fileOf(d.name.Text())
		if _, taken := a.entries[file]; file == "" || taken || a.dirs[file] != nil {
			return nil
		}
	}
	return []model.Fix{{Label: "split the data into files, from big-endian to little-endian", Build: func(_ context.Context,
		t *model.Tree) ([]model.Edit, error) {
		block := make([]byte, 4) // replaces the data by an empty feature-index block if the header has none
		if h.fiCount.Span != nil {
			block = nil
		}
		edits := []model.Edit{model.Replace(f.Range, block)}
		for i, n := range h.inline {
			d := h.arrays[i]
			src, err := t.Mapped(n.Range, widthOf(d.dtype.Uint()), func(_ int64, b []byte) { slices.Reverse(b) })
			if err != nil {
				return nil, err
			}
			edits = append(edits, model.FileEdit{File: a.name(fileOf(d.name.Text())), Create: src})
		}
		return edits, nil
	}}}
}
