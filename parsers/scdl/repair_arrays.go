package scdl

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"

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

// repairColumns offers to count the genes from 0, if only they count from 1, or if those of later cells count on after the last gene.
func repairColumns(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	a := archiveOf(t, f.Span)
	if a == nil {
		return nil
	}
	for _, col := range a.raws {
		if col == nil || col.span.Range.Space != f.Where().Space {
			continue
		}
		if columnsFromOne(ctx, a, col) {
			fix := fromZero(a, "subtract 1 from all columns", col)
			fix.Says = "The columns count from 1, as in R and MATLAB: no value is in column 0, and some are in the column after the last gene."
			return []model.Fix{fix}
		}
		if genes, row := columnsCountOn(ctx, a, col); row > 0 {
			return []model.Fix{{Label: model.Words("count the columns of all cells from 0, as if they had the same %s genes", model.Thousands(int64(genes))), Once: true,
				Says: model.Words("From row %s on, the columns are larger by the number of genes, %s: matrices were joined as if each had genes of its own, as by scipy.sparse.block_diag instead of vstack.",
					model.Thousands(row), model.Thousands(int64(genes))),
				Build: func(context.Context, *model.Tree) ([]model.Edit, error) {
					e, err := a.mapped(col, 0, col.count, func(b []byte) { appendNumber(b[:0], numbers(nil, b, int64(len(b)))[0]%genes, int64(len(b))) })
					return []model.Edit{e}, err
				}}}
		}
	}
	return nil
}

// columnsCountOn is the number of genes, and the first row whose columns are larger by that: those of all later rows are larger by the same or by a higher multiple,
// in the order of the rows. It is 0 if there is none.
func columnsCountOn(ctx context.Context, a *archive, col *rawArray) (genes uint64, row int64) {
	l, ptr := a.geneLimits(ctx), a.raws[path.Join(path.Dir(col.file), "row_ptr.npy")]
	genes, known := l.most()
	if !known || slices.Min(l.genes) != genes || !unsigned(col) || !unsigned(ptr) || max(col.count, ptr.count) > maxPointed {
		return 0, 0
	}
	cols, ptrs, part := a.elements(col, 0, col.count), a.elements(ptr, 0, ptr.count), uint64(0)
	for i := range max(1, len(ptrs)) - 1 {
		if ptrs[i] > ptrs[i+1] || ptrs[i+1] > uint64(len(cols)) {
			return 0, 0
		}
		for _, v := range cols[ptrs[i]:ptrs[i+1]] {
			if first := cols[ptrs[i]] / genes; v/genes != first || first < part || first > part+1 {
				return 0, 0
			}
		}
		if ptrs[i] < ptrs[i+1] && cols[ptrs[i]]/genes > part {
			part++
			row = cmp.Or(row, int64(i))
		}
	}
	return genes, row
}
