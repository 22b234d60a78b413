package scdl

import (
	"context"
	"fmt"
	"path"
	"slices"

	"spandrel/model"
)

// maxPointed is how many values are searched for a row pointer.
const maxPointed = 1 << 24

// pointerFixes restore the one missing row pointer: at the end the number of values, known from both other files; the 0 in front of others;
// otherwise where the columns start again, because they ascend within each row.
func (a judge) pointerFixes(file string, w int64) []model.Fix {
	data, col, s := a.raws["data.npy"], a.raws["col_ptr.npy"], a.spans[file]
	if data == nil || col == nil || data.count != col.count || s == nil {
		return nil
	}
	n := uint64(data.count)
	if fix, ok := a.summed(file, w, n); ok {
		return []model.Fix{fix}
	}
	end := appendNumber(nil, n, w)
	switch last := a.lastPointer(file); {
	case n > last:
		return []model.Fix{addPointer(s, fmt.Sprintf("add the last row pointer, %d", n), s.Range.Len, end, true)}
	case n == last && !a.beginsAtZero(file):
		return []model.Fix{addPointer(s, "add the first row pointer, 0", 0, appendNumber(nil, 0, w), true)}
	case n == last:
		if row, at, ok, sorted := a.seam(file); ok {
			label := fmt.Sprintf("add the row pointer %d, where the columns of row %d start over", at, row)
			return []model.Fix{addPointer(s, label, (row+1)*w, appendNumber(nil, uint64(at), w), sorted)}
		}
		return []model.Fix{addPointer(s, fmt.Sprintf("add the last row pointer, %d, for a row without values", n), s.Range.Len, end, false)}
	}
	return nil
}

// summed offers the row pointers if a file has the lengths of the rows instead: as many as there are rows, which add up to the n values.
func (a judge) summed(file string, w int64, n uint64) (fix model.Fix, ok bool) {
	ptr := a.raws[file]
	if !unsigned(ptr) || ptr.count > maxPointed {
		return fix, false
	}
	sum, pointers, lengths := uint64(0), appendNumber(nil, 0, w), a.elements(ptr, 0, ptr.count)
	for _, k := range lengths {
		if sum += k; k > n || sum > n {
			return fix, false
		}
		pointers = appendNumber(pointers, sum, w)
	}
	if sum != n || slices.IsSorted(lengths) {
		return fix, false
	}
	return model.Fix{Label: "add up the lengths", Safe: true, Once: true,
		Edits: []model.Edit{model.Splice{Range: ptr.span.Range, With: model.Memory(pointers), Into: ptr.span.Path() + "/values", Loose: true}},
		Says:  path.Base(file) + " has the length of each row instead of where it begins: the numbers add up to that of all values."}, true
}

// beginsAtZero tells whether the row pointers in a file begin with 0.
func (a judge) beginsAtZero(file string) bool {
	first := a.elements(a.raws[file], 0, 1)
	return len(first) > 0 && first[0] == 0
}

// addPointer inserts a pointer at an offset of the file.
func addPointer(s *model.Span, label string, off int64, pointer []byte, safe bool) model.Fix {
	return model.Fix{Label: label, Safe: safe, Edits: []model.Edit{model.Splice{Range: model.Range{Space: s.Range.Space, Off: off},
		With: model.Memory(pointer), Into: s.Path() + "/values", Loose: true}}}
}

// leastAscending is how many pairs of columns must ascend to show that those of every row do: by chance, every second one does.
const leastAscending = 14

// seam finds the one place at which columns do not ascend within a row, and the row; sorted tells whether those of all other rows do so on purpose.
func (a judge) seam(file string) (row, at int64, ok, sorted bool) {
	ptr, col := a.raws[file], a.raws["col_ptr.npy"]
	if ptr == nil || !unsigned(ptr) || !unsigned(col) || max(ptr.count, col.count) > maxPointed {
		return 0, 0, false, false
	}
	ptrs, cols, seams, ascending := a.elements(ptr, 0, ptr.count), a.elements(col, 0, col.count), 0, 0
	for i := 0; i+1 < len(ptrs); i++ {
		if ptrs[i] > ptrs[i+1] || ptrs[i+1] > uint64(len(cols)) {
			return 0, 0, false, false
		}
		for k := ptrs[i] + 1; k < ptrs[i+1]; k++ {
			if cols[k] <= cols[k-1] {
				row, at, seams = int64(i), int64(k), seams+1
			} else {
				ascending++
			}
		}
	}
	return row, at, seams == 1, ascending >= leastAscending
}

// misplaced is a row pointer that is not between its neighbours.
type misplaced struct {
	*archive
	ptr    *rawArray
	i      int64
	lo, hi uint64
}

// repairPointer sets a row pointer to where the columns start over between its neighbours, if they do so once: they ascend within each row.
var repairPointer = model.Knowing(func(_ context.Context, _ *model.Tree, f *model.Finding, x misplaced) []model.Fix {
	col, at := x.raws[path.Join(path.Dir(x.ptr.file), "col_ptr.npy")], uint64(0)
	if !unsigned(col) || x.hi > uint64(col.count) || x.hi-x.lo > maxPointed {
		return nil
	}
	cols := x.elements(col, int64(x.lo), int64(x.hi))
	for k := 1; k < len(cols); k++ {
		if cols[k] > cols[k-1] {
			continue
		}
		if at > 0 {
			return nil
		}
		at = x.lo + uint64(k)
	}
	if at == 0 {
		return nil
	}
	return []model.Fix{{Label: fmt.Sprintf("set it to %d, where the columns start over", at), Safe: len(cols)-2 >= leastAscending,
		Edits: []model.Edit{model.Replace(f.Where(), appendNumber(nil, at, widthOf(x.ptr.dtype)))}}}
})

// oneBased is row pointers that count from 1, as in R, MATLAB and Fortran.
type oneBased struct {
	*archive
	ptr *rawArray
}

// repairBase offers to count from 0: in the row pointers, and in the columns too if no value is in column 0 and one is in the column after the
// last gene. Counting from 1 was intended, so nothing in the file says that these are not the numbers of this format.
var repairBase = model.Knowing(func(ctx context.Context, _ *model.Tree, _ *model.Finding, o oneBased) []model.Fix {
	arrays, what := []*rawArray{o.ptr}, "all row pointers"
	if col := o.raws[path.Join(path.Dir(o.ptr.file), "col_ptr.npy")]; columnsFromOne(ctx, o.archive, col) {
		arrays, what = append(arrays, col), "all row pointers and columns"
	}
	return []model.Fix{fromZero(o.archive, "subtract 1 from "+what, arrays...)}
})

// fromZero is the repair of arrays whose numbers count from 1.
func fromZero(a *archive, label string, arrays ...*rawArray) model.Fix {
	return model.Fix{Label: label, Foreign: true, Build: func(context.Context, *model.Tree) (edits []model.Edit, err error) {
		for _, r := range arrays {
			e, err := a.mapped(r, 0, r.count, minus(1))
			if err != nil {
				return nil, err
			}
			edits = append(edits, e)
		}
		return edits, nil
	}}
}

// columnsFromOne tells whether columns count from 1.
func columnsFromOne(ctx context.Context, a *archive, col *rawArray) bool {
	genes, known := a.geneLimits(ctx).most()
	if !known || !unsigned(col) || !col.whole() || col.count == 0 || col.count > maxPointed {
		return false
	}
	cols := a.elements(col, 0, col.count)
	return len(cols) > 0 && slices.Min(cols) == 1 && slices.Max(cols) == genes
}

// mapped is an edit of a range of array elements, each of which change transforms as it is read.
func (a *archive) mapped(r *rawArray, from, to int64, change func(b []byte)) (model.Splice, error) {
	w := widthOf(r.dtype)
	at := model.Range{Space: r.span.Range.Space, Off: from * w, Len: (to - from) * w}
	src, err := a.t.Mapped(at, w, func(_ int64, b []byte) { change(b) })
	return model.Splice{Range: at, With: src}, err
}

// minus decreases a number.
func minus(by uint64) func(b []byte) {
	return func(b []byte) {
		w := int64(len(b))
		appendNumber(b[:0], numbers(nil, b, w)[0]-by, w)
	}
}
