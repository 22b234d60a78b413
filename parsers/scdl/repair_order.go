package scdl

import (
	"context"
	"slices"
	"strings"

	"spandrel/model"
)

// fix turns the bytes of arrays around: they were written on a big-endian machine.
func (a turner) fix(files []string) model.Fix {
	label := "swap the bytes of " + model.Few(files, fewNamed)
	return model.Fix{Label: label, Build: func(context.Context, *model.Tree) (edits []model.Edit, err error) {
		for _, file := range files {
			r := a.raws[file]
			e, err := a.mapped(r, 0, r.count, slices.Reverse)
			if err != nil {
				return nil, err
			}
			edits = append(edits, e)
		}
		return edits, nil
	}}
}

// wide are the arrays whose elements have more than one byte.
func (a turner) wide() (files []string) {
	for _, file := range a.order {
		if r := a.raws[file]; r != nil && r.count > 0 && widthOf(r.dtype) > 1 {
			files = append(files, file)
		}
	}
	return files
}

// files are those of them that make more sense with their bytes turned around.
func (a turner) files(ctx context.Context) (files []string) {
	genes, known := a.geneLimits(ctx).most()
	for _, file := range a.wide() {
		r := a.raws[file]
		w := widthOf(r.dtype)
		b := a.slice(file, 0, min(r.count, glance)*w)
		if b == nil {
			continue
		}
		turned := slices.Clone(b)
		for i := int64(0); i < int64(len(turned)); i += w {
			slices.Reverse(turned[i : i+w])
		}
		below := 1e12
		if known && r.dtype <= 4 && strings.HasSuffix(file, "col_ptr.npy") {
			below = min(below, float64(genes))
		}
		as, now := sensible(turned, r.dtype, below), sensible(b, r.dtype, below)
		if strings.HasSuffix(file, "row_ptr.npy") {
			as, now = 0, 0
			if isAscending(numbers(nil, turned, w)) {
				as = 1
			}
		}
		if as > now {
			files = append(files, file)
		}
	}
	return files
}
