package cause

import (
	"encoding/binary"
	"fmt"

	"spandrel/model"
)

// Guards of numbers next to which bytes were lost or inserted: what follows has shifted, and another number fits the shifted bytes.

const (
	leastRepeated = 4       // bytes of a repeated piece that are no coincidence
	mostRepeated  = 1 << 16 // longest repeated piece
	mostRepeats   = 8       // repeated pieces of that length; a file with more is repetitive by nature
)

// slid: bytes of the number itself may be lost, so that it now ends in bytes that followed it; or bytes may have been inserted.
func (g guarded) slid() string {
	f := g.t.field
	if f == nil || !isNumber(f.span.Field) || len(f.raw) < 2 {
		return ""
	}
	c, err := g.base.snap.Content(f.file)
	if err != nil || c.Len() > g.front {
		return ""
	}
	w, should := int64(len(f.raw)), number(g.t.raw, f.order())
	fits := func(n uint64, instead int64, may func(raw []byte) bool) bool { // whether n may have been in place of so many bytes
		raw := f.encode(n)
		return raw != nil && may(raw) && asGood(g.search, g.t.res, f.file, c.Splice(f.off, instead, model.Memory(raw)))
	}
	for k := int64(1); k <= w; k++ {
		lost := func(raw []byte) bool { return k < w && endMoved(f, raw, w-k) }
		if fits(should, w-k, lost) || fits(should+uint64(k), w-k, lost) { // the number includes itself, or not
			return fmt.Sprintf("%s of %s may be missing, with the bytes after it moved into its place", amountOf(k), f.path)
		}
		there := bytesAt(c, f.off, w+k)
		extra := func(raw []byte) bool { return int64(len(there)) == w+k && subsequence(raw, there) }
		if fits(should, w+k, extra) || fits(should-uint64(k), w+k, extra) {
			return fmt.Sprintf("%s in %s may not belong to it", amountOf(k), f.path)
		}
	}
	return ""
}

// endMoved tells whether only the first n bytes of a field are those of a number, because others of it are missing.
func endMoved(f *suspect, of []byte, n int64) bool {
	last := len(f.raw) - 1
	return f.raw[last] != 0 && subsequence(f.raw[:n], of) && (f.order() == binary.LittleEndian || of[last] == f.raw[n-1])
}

// repeated: a number that seems too small is right if a piece of what it counts or measures is there twice.
func (g guarded) repeated() string {
	f := g.t.field
	if f == nil || !isNumber(f.span.Field) {
		return ""
	}
	c, err := g.base.snap.Content(f.file)
	is, should := number(f.raw, f.order()), number(g.t.raw, f.order())
	if err != nil || c.Len() > g.front || should <= is || should-is > mostRepeated {
		return ""
	}
	b := bytesAt(c, 0, c.Len())
	for unit := 1; unit <= 32; unit *= 2 {
		n := int(should-is) * unit
		if n < leastRepeated || n > mostRepeated {
			continue
		}
		at := doubledAt(b, n)
		if len(at) > mostRepeats {
			continue
		}
		for _, at := range at {
			if asGood(g.search, g.t.res, f.file, c.Splice(at, int64(n), nil)) {
				return fmt.Sprintf("%s at 0x%x may be repeated by mistake; without the repetition, the number would be right", amountOf(int64(n)), at-int64(n))
			}
		}
	}
	return ""
}

// left: what a number counts or measures may not lose its meaning, also in what is read only on demand.
func (g guarded) left() string {
	if g.t.field == nil || g.base.format == nil {
		return ""
	}
	if n := gapsBeside(g, g.after.tree) - gapsBeside(g, g.before); n > 0 {
		return fmt.Sprintf("%s after %s would have no meaning", model.Count(n, "bytes"), g.t.field.path)
	}
	return ""
}

// gapsBeside is how many bytes beside the field have no meaning in a tree.
func gapsBeside(g guarded, t *model.Tree) int64 {
	sp := spaceOf(t, g.t.field.file)
	if sp == nil {
		return 0
	}
	s, err := t.AtOpen(g.all, sp.ID, g.t.field.off)
	if err != nil || s == nil || s.Parent() == nil {
		return 0
	}
	return gapsIn(s.Parent())
}

// gapsIn is how many bytes of a span have no meaning.
func gapsIn(s *model.Span) (n int64) {
	for i := range s.Count() {
		if c := s.Child(i); c != nil && c.State == model.Gap {
			n += c.Range.Len
		}
	}
	return n
}

// asGood tells whether a file with other bytes leads to a state as good as another one. If time is over it may: what was not tried
// proves nothing.
func asGood(r *search, as *verdict, file string, c *model.Content) bool {
	t := &trial{op: rewriteFile, snap: r.base.snap.With(file, c), at: Place{File: file}}
	r.judges([]*trial{t})
	if t.res == nil && r.ctx.Err() != nil {
		return true
	}
	return t.res != nil && t.res.order(as) <= 0
}

// subsequence tells whether the bytes of a occur among those of b, in the same order.
func subsequence(a, b []byte) bool {
	for _, x := range b {
		if len(a) > 0 && x == a[0] {
			a = a[1:]
		}
	}
	return len(a) == 0
}
