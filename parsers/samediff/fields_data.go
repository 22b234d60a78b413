package samediff

import "spandrel/model"

// data is an array with its elements, wherever they are.
type data struct {
	name   string
	typ    int64
	dims   []int64
	order  byte
	big    bool
	where  string
	in     *doc
	graph  *placed       // the buffer that describes it
	record int64         // its FlatArray there; 0 if the bytes are elsewhere
	at     []model.Range // the pieces of its bytes, in order
	bytes  int64
	shared bool   // some of them are another's too
	raw    []byte // new elements, little-endian, instead of those in the file
	// offset is the offset in its stub, or less than 1 for none.
	offset int64
}

// count is the number of elements; 0 if the bytes do not say.
func (a *data) count() int64 {
	n, ok := product(a.dims)
	if t := types[a.typ]; t != nil {
		if have := a.bytes / t.width; !ok || n > have {
			return have
		}
	}
	if !ok {
		return 0
	}
	return n
}

// index returns the indices of the element stored at position i.
func (a *data) index(i int64) []int64 {
	out := make([]int64, len(a.dims))
	for k := range a.dims {
		at := len(a.dims) - 1 - k
		if a.order == 'f' {
			at = k
		}
		d := max(1, a.dims[at])
		out[at], i = i%d, i/d
	}
	return out
}

// piece returns the place of n bytes from off of the array; a piece may end sooner.
func (a *data) piece(off, n int64) (model.Range, bool) {
	for _, r := range a.at {
		if off < r.Len {
			return model.Range{Space: r.Space, Off: r.Off + off, Len: min(n, r.Len-off)}, true
		}
		off -= r.Len
	}
	return model.Range{}, false
}

// start is the place of an array's bytes; 0 if it has none.
func (a *data) start() int64 {
	if len(a.at) == 0 {
		return 0
	}
	return a.at[0].Off
}
