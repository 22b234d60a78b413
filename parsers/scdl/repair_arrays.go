package scdl

import (
	"context"
	"fmt"

	"spandrel/model"
)

// addFix offers the descriptor of a main array that is not listed, when the files say what it must be.
func (a judge) addFix(key string) (fixes []model.Fix) {
	list := a.header.list.Span
	width, n, ok := a.reading(key)
	if list == nil || !ok || !a.header.whole || a.desc(key) != nil || a.desc(fileOf(key)) != nil {
		return nil
	}
	types := ofWidth(width, key != "DATA")
	if key == "DATA" {
		types = a.likely(types, n)
	}
	for _, t := range types {
		w := &writer{}
		w.array(descriptor{key, uint64(n), uint32(t), nil})
		fixes = append(fixes, model.Fix{Label: fmt.Sprintf("add %s: %d × %s", key, n, dtypes[t]), Edits: []model.Edit{appendTo(list, w.b)}})
	}
	return fixes
}

// repairColumns offers to count the genes from 0, if only they count from 1.
func repairColumns(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	a := archiveOf(t, f.Span)
	if a == nil {
		return nil
	}
	for _, col := range a.raws {
		if col != nil && col.span.Range.Space == f.Where().Space && columnsFromOne(ctx, a, col) {
			fix := fromZero(a, "subtract 1 from all columns", col)
			fix.Says = "The columns count from 1, as in R and MATLAB: no value is in column 0, and some are in the column after the last gene."
			return []model.Fix{fix}
		}
	}
	return nil
}
