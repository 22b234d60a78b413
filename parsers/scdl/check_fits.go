package scdl

import "slices"

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

// reading is the element size of a main array and its number of elements, if only one reading of the files is consistent.
func (a judge) reading(key string) (width, count int64, ok bool) {
	fits := a.fits()
	if len(fits) != 1 || !slices.ContainsFunc(keys[:3], func(k arrayKey) bool { return k.key == key }) {
		return 0, 0, false
	}
	width, count = fits[0].width(key)
	return width, count, true
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
