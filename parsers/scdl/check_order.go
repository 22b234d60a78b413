package scdl

import (
	"context"

	"spandrel/model"
)

// turner detects arrays with the wrong byte order.
type turner struct{ *archive }

// all tells whether all row pointers are valid when read big-endian: in little-endian order they are not (SCDL-054).
func (a turner) all(ctx context.Context, ptr, data *rawArray) (bool, error) {
	w := widthOf(ptr.dtype)
	if w < 2 || !a.ends(ptr, data) {
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

// ends examines only the first and the last pointer.
func (a turner) ends(ptr, data *rawArray) bool {
	first, last := a.elements(ptr, 0, 1), a.elements(ptr, ptr.count-1, ptr.count)
	return first != nil && last != nil && first[0] == 0 && data != nil && swap(last[0], widthOf(ptr.dtype)) == uint64(data.count)
}
