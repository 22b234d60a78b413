package scdl

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"spandrel/model"
)

// fitting is a reading of the main arrays under which they agree: the bytes of an element of each, and how many values there
// are. It is what the files say when the header does not (section 9).
type fitting struct {
	ptr, col, data int64
	rows, values   int64
}

// fits returns the readings of the main arrays in which the row pointers start at 0, do not decrease as far as they are looked
// at, and end at a number of values that both other files hold.
func (a *archive) fits() (out []fitting) {
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

// width returns the bytes of an element of an array under a fit, and how many elements it has.
func (f *fitting) width(key string) (width, count int64) {
	switch key {
	case "ROWPTR":
		return f.ptr, f.rows + 1
	case "COLPTR":
		return f.col, f.values
	}
	return f.data, f.values
}

// ofWidth returns the dtypes of an element size that an array may have: pointers are unsigned.
func ofWidth(width int64, pointer bool) (out []uint64) {
	for d := uint64(1); d <= 7; d++ {
		if widthOf(d) == width && (!pointer || d <= 4) {
			out = append(out, d)
		}
	}
	return out
}

// diagnose says in what way a header is older than its files, for the findings that it causes.
func (a *archive) diagnose(fit fitting) string {
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
		return "the header does not fit the files: perhaps it is older than they are, as after a concat of a loaded archive that needed wider " +
			"pointers"
	case cast:
		return "the header does not fit the files: perhaps it is older than they are, as after a cast of a loaded archive"
	}
	return "the header does not fit the files: perhaps it is older than they are, as after a concat of a loaded archive"
}

// desc returns the first descriptor of a key.
func (a *archive) desc(key string) *desc {
	if a.header == nil {
		return nil
	}
	for i := range a.header.arrays {
		if d := &a.header.arrays[i]; d.name.Text() == key {
			return d
		}
	}
	return nil
}

// dtypeFixes offers what the header may say about one array so that it agrees with the files: dtype and length together. It is
// safe when there is one answer.
func (a *archive) dtypeFixes(d *desc) (why string, fixes []model.Fix) {
	key := d.name.Text()
	e, ok := a.entries[fileOf(key)]
	if !ok || e.Size == 0 {
		return "", nil
	}
	pointer := key == "ROWPTR" || key == "COLPTR" || key == "NEIGHBOR_INDICES" || key == "NEIGHBOR_INDICES_PTR"
	narrows := false // to fewer bytes an element: the file may be cut at just that place
	offer := func(width, count int64) {
		types := ofWidth(width, pointer)
		narrows = narrows || width < widthOf(d.dtype.Uint()) && !(pointer && d.dtype.Uint() > 4)
		if d.dtype.Uint() == 6 || d.dtype.Uint() == 7 {
			slices.Reverse(types) // floats first where they were floats
		}
		if slices.Contains(types, d.dtype.Uint()) {
			types = []uint64{d.dtype.Uint()}
		}
		for _, t := range types {
			f := model.Fix{Label: fmt.Sprintf("set the dtype to %s and the length to %d", dtypes[t], count)}
			if t != d.dtype.Uint() {
				f.Edits = append(f.Edits, model.SetValue(d.dtype.Span, model.U(t)))
			} else {
				f.Label = fmt.Sprintf("set the length to %d", count)
			}
			if uint64(count) != d.len_.Uint() {
				f.Edits = append(f.Edits, model.SetValue(d.len_.Span, model.I(count)))
			}
			fixes = append(fixes, f)
		}
	}
	fits := a.fits()
	main := slices.Contains([]string{"DATA", "ROWPTR", "COLPTR"}, key)
	switch {
	case main && len(fits) > 0:
		why = a.diagnose(fits[0])
		seen := map[int64]bool{}
		for _, fit := range fits {
			if w, n := fit.width(key); !seen[w] {
				seen[w] = true
				offer(w, n)
			}
		}
	default:
		n := int64(min(d.len_.Uint(), 1<<62))
		for _, w := range []int64{1, 2, 4, 8} { // the length may be right and the dtype wrong
			if n > 0 && e.Size%n == 0 && e.Size/n == w && w != widthOf(d.dtype.Uint()) {
				offer(w, n)
			}
		}
		if w := widthOf(d.dtype.Uint()); w > 0 && e.Size%w == 0 {
			offer(w, e.Size/w)
		}
	}
	if len(fixes) == 1 && (main && len(fits) > 0 || widthOf(d.dtype.Uint()) == 0) {
		fixes[0].Safe = !narrows
	}
	return why, fixes
}

// buildHeader makes a header from the files: dtypes and lengths that fit them, feature indices from the folders (section 8.2,
// SCDL-040). It is nil where no reading of the arrays agrees with itself.
func (a *archive) buildHeader() []byte {
	fits := a.fits()
	if len(fits) == 0 {
		return nil
	}
	fit := fits[0]
	for _, f := range fits {
		if f.ptr == 8 && f.col == 4 && f.data == 4 { // what releases without a header wrote
			fit = f
		}
	}
	w := &writer{}
	w.raw("SCDL", 0, 1, 0, 1)
	w.u32(1, 3)
	for _, k := range keys[:3] {
		width, n := fit.width(k.key)
		types := ofWidth(width, k.key != "DATA")
		dtype := types[len(types)-1] // floats are the usual values
		if r := a.raws[k.file]; r != nil && r.desc != nil && slices.Contains(types, r.dtype) {
			dtype = r.dtype
		} else if k.key == "DATA" && len(types) > 1 && !a.sensible(k.key, dtype, n) && a.sensible(k.key, types[0], n) {
			dtype = types[0]
		}
		w.desc(k.key, uint64(n), uint32(dtype))
		w.raw("", 0)
	}
	w.u32(uint32(len(a.folders)))
	for _, f := range a.folders {
		n := fit.rows
		if len(f.cum) > 0 {
			n = max(0, f.cum[len(f.cum)-1])
		}
		w.desc(f.dir, uint64(n), 8)
		w.paths(a.below(f.dir))
		w.raw("", 0)
	}
	return w.b
}

// swapped is the bytes of a raw array in the other byte order, made as they are read.
func (a *archive) swapped(r *rawArray) (model.Edit, error) {
	w := widthOf(r.dtype)
	at := model.Range{Space: r.span.Range.Space, Len: r.count * w}
	src, err := a.t.Mapped(at, w, func(_ int64, b []byte) { slices.Reverse(b) })
	return model.Splice{Range: at, With: src}, err
}

// swapFix turns the bytes of arrays around: they were written on a big-endian machine.
func (a *archive) swapFix(files []string) model.Fix {
	label := "turn around the bytes of " + shorten(files)
	return model.Fix{Label: label, Build: func(context.Context, *model.Tree) (edits []model.Edit, err error) {
		for _, file := range files {
			e, err := a.swapped(a.raws[file])
			if err != nil {
				return nil, err
			}
			edits = append(edits, e)
		}
		return edits, nil
	}}
}

// wideFiles are the arrays whose elements have more than one byte.
func (a *archive) wideFiles() (files []string) {
	for _, file := range a.order {
		if r := a.raws[file]; r != nil && r.count > 0 && widthOf(r.dtype) > 1 {
			files = append(files, file)
		}
	}
	return files
}

// swappedFiles are those of them that make more sense with their bytes turned around.
func (a *archive) swappedFiles() (files []string) {
	genes, known := a.geneLimits().most()
	for _, file := range a.wideFiles() {
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
		sense := func(b []byte) (good int) {
			for ; int64(len(b)) >= w; b = b[w:] {
				v, _, _ := codecOf(r.dtype).Decode(b)
				if x := math.Abs(v.Float()); x == 0 || x > 1e-9 && x < 1e12 && (r.dtype > 4 || !known || !strings.HasSuffix(file, "col_ptr.npy") ||
					x < float64(genes)) {
					good++
				}
				if r.dtype <= 4 && v.Uint() >= 1<<(6*w) {
					good--
				}
			}
			return good
		}
		as, now := sense(turned), sense(b)
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

// bigEndian tells whether all row pointers are valid when they are read big-endian: the other reading is not (SCDL-054).
func (a *archive) bigEndian(ctx context.Context, ptr, data *rawArray) (bool, error) {
	w := widthOf(ptr.dtype)
	if w < 2 || !a.swappedEnds(ptr, data) {
		return false, nil
	}
	least, good := uint64(0), true
	err := a.t.Stream(ctx, model.Range{Space: ptr.span.Range.Space, Len: ptr.count * w}, step, func(_ int64, b []byte) error {
		for _, n := range numbers(nil, b, w) {
			n = swap(n, w)
			good = good && n >= least
			least = n
		}
		return nil
	})
	return good, err
}

// swappedEnds looks at the first and the last pointer only.
func (a *archive) swappedEnds(ptr, data *rawArray) bool {
	w := widthOf(ptr.dtype)
	first, last := a.slice(ptr.file, 0, w), a.slice(ptr.file, (ptr.count-1)*w, w)
	return first != nil && last != nil && strings.Trim(string(first), "\x00") == "" && data != nil &&
		swap(numbers(nil, last, w)[0], w) == uint64(data.count)
}
