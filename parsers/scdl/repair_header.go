package scdl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// repairName shortens a name that is too long, and replaces a duplicate by a free one.
func repairName(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	v, err := t.Value(ctx, f.Span)
	if err != nil {
		return nil
	}
	if name := v.Text(); f.Rule == longName {
		short := strings.ToValidUTF8(name[:min(len(name), maxName)], "")
		return []model.Fix{{Label: model.Words("shorten the name to %d bytes", len(short)),
			Edits: []model.Edit{model.SetValue(f.Span, model.S(short))}}}
	}
	free, _ := f.About.(string)
	return []model.Fix{{Label: "rename it to " + free, Edits: []model.Edit{model.SetValue(f.Span, model.S(free))}}}
}

// repairShape removes a shape without dimensions, sets the length to the product of the shape, or sets the flag for a shape.
func repairShape(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	switch at := f.Span.Parent(); f.Rule {
	case noDimensions:
		return []model.Fix{{Label: "remove the shape", Safe: true,
			Edits: []model.Edit{model.SetValue(at.Get(hasShape.Name), model.U(0)), model.Replace(f.Span.Range, nil)}}}
	case shapeProduct:
		if product, ok := f.About.(uint64); ok {
			return []model.Fix{{Label: fmt.Sprintf("set the length to %d", product),
				Edits: []model.Edit{model.SetValue(at.Get(length.Name), model.U(product))}}}
		}
	case oddShapeFlag:
		if f.Want.Kind == model.None {
			return []model.Fix{model.SetTo(f.Span, model.U(1))}
		}
	}
	return nil
}

// repairTail adds a missing feature-index block, or removes bytes that no writer puts at the end.
func repairTail(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	switch f.Rule {
	case noIndexBlock:
		return []model.Fix{{Label: "add an empty feature-index block", Edits: []model.Edit{model.Replace(f.Range, make([]byte, 4))}}}
	case strayBytes:
		return []model.Fix{{Label: "remove the stray bytes", Edits: []model.Edit{model.Replace(f.Where(), nil)}}}
	}
	return []model.Fix{{Label: "remove the unknown bytes", Edits: []model.Edit{model.Replace(f.Where(), nil)}}}
}

// repairPath removes a path that is empty or listed twice.
func repairPath(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	if f.Rule == oddPath && f.About != again {
		return nil
	}
	return []model.Fix{{Label: "remove the entry", Edits: []model.Edit{model.Replace(f.Span.Parent().Range, nil)}}}
}

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
