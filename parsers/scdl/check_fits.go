package scdl

import (
	"fmt"
	"slices"

	"spandrel/model"
)

// fitting is a reading of the main arrays under which they agree: the element size of each, and the number of
// values. It is derived from the files if the header is wrong (section 9).
type fitting struct {
	ptr, col, data int64
	rows, values   int64
}

// fits returns the readings of the main arrays in which the row pointers start at 0, do not decrease as far as they are
// checked, and end at a number of values that both other files contain.
func (a judge) fits() (out []fitting) {
	ptr, col, data := a.entries["row_ptr.npy"].Size, a.entries["col_ptr.npy"].Size, a.entries["data.npy"].Size
	for _, w := range []int64{1, 2, 4, 8} {
		if ptr == 0 || ptr%w != 0 || ptr/w < 2 || col == 0 || data == 0 {
			continue
		}
		ends := a.slice("row_ptr.npy", ptr-w, w)
		if ends == nil {
			return nil
		}
		nnz := numbers(nil, ends, w)[0]
		if nnz == 0 || nnz > uint64(col) || col%int64(nnz) != 0 || data%int64(nnz) != 0 {
			continue
		}
		n := int64(nnz)
		head := a.slice("row_ptr.npy", 0, min(ptr, step))
		fit := fitting{w, col / n, data / n, ptr/w - 1, n}
		if slices.Contains([]int64{1, 2, 4, 8}, fit.col) && slices.Contains([]int64{1, 2, 4, 8}, fit.data) &&
			numbers(nil, head[:w], w)[0] == 0 {
			if bad, _ := ascends(head, w, 0, 0); bad < 0 {
				out = append(out, fit)
			}
		}
	}
	return out
}

// width returns the element size of an array under a fit, and its number of elements.
func (f *fitting) width(key string) (width, count int64) {
	switch key {
	case "ROWPTR":
		return f.ptr, f.rows + 1
	case "COLPTR":
		return f.col, f.values
	}
	return f.data, f.values
}

// ofWidth returns the possible dtypes of an array with an element size: pointers are unsigned.
func ofWidth(width int64, pointer bool) (out []uint64) {
	for d := uint64(1); d <= 7; d++ {
		if widthOf(d) == width && (!pointer || d <= 4) {
			out = append(out, d)
		}
	}
	return out
}

// diagnose says in what way a header is older than its files, for the findings caused by that.
func (a judge) diagnose(fit fitting) string {
	if _, _, _, foreign := a.foreign(); foreign { // its own finding says so
		return ""
	}
	cast, widened := false, false
	for _, k := range keys[:3] {
		if d := a.desc(k.key); d != nil {
			w, _ := fit.width(k.key)
			differs := widthOf(d.dtype.Uint()) != w
			cast, widened = cast || differs && k.key == "DATA", widened || differs && k.key != "DATA"
		}
	}
	switch {
	case widened:
		return "the header does not match the files: it may be older, as after a concat of a loaded archive that needed wider " +
			"pointers"
	case cast:
		return "the header does not match the files: it may be older, as after a cast of a loaded archive"
	}
	return "the header does not match the files: it may be older, as after a concat of a loaded archive"
}

// dtypeFixes offers what the header may say about one array to agree with the files: dtype and length together. It is
// safe if there is only one answer.
func (a judge) dtypeFixes(d *desc) (why string, fixes []model.Fix) {
	key := d.name.Text()
	e, ok := a.entries[fileOf(key)]
	if !ok || e.Size == 0 {
		return "", nil
	}
	fits := a.fits()
	known := len(fits) > 0 && slices.Contains([]string{"DATA", "ROWPTR", "COLPTR"}, key)
	shapes := d.shapes(e.Size)
	if known {
		why, shapes = a.diagnose(fits[0]), nil
		for _, fit := range fits {
			w, n := fit.width(key)
			if s := (shape{w, n}); !slices.Contains(shapes, s) {
				shapes = append(shapes, s)
			}
		}
	}
	pointer := slices.Contains([]string{"ROWPTR", "COLPTR", "NEIGHBOR_INDICES", "NEIGHBOR_INDICES_PTR"}, key)
	narrows := false // to fewer bytes an element: the file may be cut at just that place
	for _, s := range shapes {
		fixes = append(fixes, a.shapeFixes(d, s, pointer)...)
		narrows = narrows || s.width < widthOf(d.dtype.Uint()) && !(pointer && d.dtype.Uint() > 4)
	}
	if len(fixes) == 1 && (known || widthOf(d.dtype.Uint()) == 0) {
		fixes[0].Safe = !narrows
	}
	return why, fixes
}

// shape is a number of elements and an element size.
type shape struct{ width, count int64 }

// shapes are those that fit a file size if the length is right and the dtype wrong, or vice versa.
func (d *desc) shapes(size int64) (out []shape) {
	now, n := widthOf(d.dtype.Uint()), int64(min(d.len_.Uint(), 1<<62))
	for _, w := range []int64{1, 2, 4, 8} {
		if n > 0 && size%n == 0 && size/n == w && w != now {
			out = append(out, shape{w, n})
		}
	}
	if now > 0 && size%now == 0 {
		out = append(out, shape{now, size / now})
	}
	return out
}

// shapeFixes sets dtype and length to a shape: to each dtype of its width, except the present one.
func (a judge) shapeFixes(d *desc, s shape, pointer bool) (fixes []model.Fix) {
	types := ofWidth(s.width, pointer)
	if d.dtype.Uint() == 6 || d.dtype.Uint() == 7 {
		slices.Reverse(types) // floats first where they were floats
	}
	if d.name.Text() == "DATA" {
		types = a.likely(types, s.count)
	}
	if slices.Contains(types, d.dtype.Uint()) {
		types = []uint64{d.dtype.Uint()}
	}
	for _, t := range types {
		f := model.Fix{Label: fmt.Sprintf("set the dtype to %s and the length to %d", dtypes[t], s.count)}
		if t != d.dtype.Uint() {
			f.Edits = append(f.Edits, model.SetValue(d.dtype.Span, model.U(t)))
		} else {
			f.Label = fmt.Sprintf("set the length to %d", s.count)
		}
		if uint64(s.count) != d.len_.Uint() {
			f.Edits, f.Loses = append(f.Edits, model.SetValue(d.len_.Span, model.I(s.count))), a.raws[fileOf(d.name.Text())].fewer(s.count)
		}
		fixes = append(fixes, f)
	}
	return fixes
}
