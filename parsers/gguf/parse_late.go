package gguf

import "spandrel/model"

// A text of the header was replaced by a longer or shorter one, with its length, and the padding after the header stayed as it was: the data follow where
// they always did, which is later than the alignment says, and readers take the bytes before them for the beginning of the first tensor.

const (
	leastLate   = 4 // bytes of which the padding alone can tell
	sampledLate = 512
)

// late is the idea that the data begin some bytes later than the alignment says.
type late struct {
	*file
	c    *model.Cursor
	more int64
}

// lateness is how many bytes later than the alignment says the data begin. As many are surplus at the end of the file.
func lateness(f *file, c *model.Cursor) int64 {
	if f.lost || len(f.tensors) == 0 || f.tensors[0].at != 0 {
		return 0
	}
	last := f.tensors[len(f.tensors)-1]
	n, ok := last.size()
	if !ok || last.at < 0 || last.at > c.Left()-n {
		return 0
	}
	size := c.Pos() + c.Left() - f.start - last.at
	for _, more := range []int64{size - f.filled(n), size - n} {
		if x := (late{f, c, more}); 0 < more && more < f.alignment && x.padded() && x.sensible() {
			return more
		}
	}
	return 0
}

// padded tells whether all padding is zero then.
func (x late) padded() bool {
	if !model.AllZero(x.c.PeekAt(x.c.Pos(), x.start+x.more-x.c.Pos())) {
		return false
	}
	for _, t := range x.tensors {
		n, ok := t.size()
		if !ok || t.at < 0 || t.at > x.c.Left()-n || !model.AllZero(x.c.PeekAt(x.start+t.at+n+x.more, x.filled(n)-n)) {
			return false
		}
	}
	return true
}

// sensible tells whether the values make sense then, and not where the alignment says. Numbers that are shifted by whole numbers make sense in both places:
// then the padding tells, if it ends exactly there and the surplus bytes at the end are values.
func (x late) sensible() bool {
	better, worse := 0, 0
	for _, t := range x.tensors {
		sense, nonsense := x.sense(t, 0)
		senseThen, nonsenseThen := x.sense(t, x.more)
		switch {
		case nonsense && senseThen:
			better++
		case sense && nonsenseThen:
			worse++
		}
	}
	if better+worse > 0 {
		return better > worse
	}
	last := x.tensors[len(x.tensors)-1]
	n, _ := last.size()
	return x.more >= leastLate && !model.AllZero(x.c.PeekAt(x.start+x.more, leastLate)) && !model.AllZero(x.c.PeekAt(x.start+last.at+n, x.more))
}

// sense tells whether some numbers in the middle of a tensor make sense so many bytes after its stated place.
func (x late) sense(t *tensor, more int64) (sense, nonsense bool) {
	typ := types[t.kind]
	if typ.codec == nil {
		return false, false
	}
	size, _ := t.size()
	n := min(size/typ.size, sampledLate)
	return model.Sense(x.c.PeekAt(x.start+t.at+(size/typ.size-n)/2*typ.size+more, n*typ.size), x.order(typ.codec))
}
