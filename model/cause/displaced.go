package cause

import (
	"bytes"
	"context"
	"math"

	"spandrel/model"
	"spandrel/model/evidence"
)

// Bytes that are too many at the end of a file need not be what was added: as many may have been inserted further in front, where nothing checks the
// values, and then those at the end are the last values of the file. Cutting them off would make of one that cannot be read one that is read wrongly.

// A sample of values is what bytes at the end are compared with.
const (
	valueSample  = 64 << 10
	surplusMost  = 64 << 10
	widestValue  = 16
	beginsAgain  = 16 // bytes of a second copy's beginning
	unseenWeight = 0.5
)

// displaced: of bytes that are cut off at the end it is known that they are none of the file's own.
func (g guarded) displaced() string {
	if g.base.tree == nil || g.after.tree == nil {
		return ""
	}
	file := g.t.at.File
	from, err := g.base.snap.Content(file)
	to, toErr := g.to.Content(file)
	if err != nil || toErr != nil || to.Len() >= from.Len() || !cutsOff(changes(g.all, g.base.snap, g.to), file, to.Len()) {
		return ""
	}
	arrays := unchecked(g.all, g.after.tree, file)
	free := int64(0)
	for _, a := range arrays {
		free += a.Range.Len
	}
	if free <= 0 {
		return "" // what an inserted byte would move is checked
	}
	bits := evidence.Moved.Rarity - evidence.Added.Rarity + evidence.Bits(math.Log2(float64(to.Len())/float64(free)))
	extra := from.Len() - to.Len()
	rest := front(from, to.Len(), min(extra, surplusMost))
	if head := front(to, 0, beginsAgain); padding(rest, to) || len(head) == beginsAgain && bytes.HasPrefix(rest, head) {
		return ""
	}
	if bits += alien(rest, to, extra, arrays); bits >= evidence.ProvenMargin {
		return ""
	}
	return insertedToo
}

// turned: of pieces in another order the first is known by how it begins. In which order the others belong only what checks them says.
func (g guarded) turned() string {
	if !g.t.turned || g.after.tree == nil {
		return ""
	}
	for _, s := range unchecked(g.all, g.after.tree, g.t.at.File) {
		if s.Range.Len > 0 {
			return "nothing checks the values, so other pieces may be out of order"
		}
	}
	return ""
}

const (
	insertedToo      = "the same number of bytes may have been inserted earlier, where nothing checks the values"
	insertedTooMeans = "If the last values are right, the bytes were inserted earlier. Check the last values before you remove them."
)

// cutsOff tells whether the end of one file is taken away and nothing else is changed.
func cutsOff(list []Change, file string, end int64) bool {
	return len(list) == 1 && list[0].File == file && list[0].Off == end && list[0].Del > 0 && list[0].Grown == 0
}

// padding tells whether bytes at the end are zeros, behind something else, and more of them than a value ends in.
func padding(rest []byte, to *model.Content) bool {
	if len(rest) < beginsAgain {
		return false
	}
	last := front(to, max(0, to.Len()-beginsAgain), beginsAgain)
	return len(bytes.Trim(rest, "\x00")) == 0 && len(bytes.Trim(last, "\x00")) > 0
}

// unchecked returns the arrays at the end of a file whose bytes may be any, the last first: no checksum covers them, and nothing else follows.
func unchecked(ctx context.Context, t *model.Tree, file string) (out []*model.Span) {
	for _, s := range t.Spaces() {
		if s.File != file || s.Derived() || s.Root == nil || t.Open(ctx, s.Root) != nil {
			continue
		}
		summed, end := summedIn(t, s.ID), s.Root.Range.End()
		values := lastValues(s.Root, nil)
		if model.AnyBytes(s.Root) { // the file is an array, and nothing else
			values = []*model.Span{s.Root}
		}
		for _, v := range values {
			if v.Range.End() != end || summed(v.Range) {
				break
			}
			out, end = append(out, v), v.Range.Off
		}
		return out
	}
	return nil
}

// alien compares bytes at the end with the values that they may be the last of: those of the last array, those in front of as many bytes more, and
// the first; by their place in a value, and whatever their place. It returns the least strangeness. Fewer values than bytes say nothing of them.
func alien(rest []byte, to *model.Content, extra int64, arrays []*model.Span) evidence.Bits {
	last, first := arrays[0], arrays[len(arrays)-1]
	if to.Len()-first.Range.Off < int64(len(rest)) {
		return 0
	}
	least := evidence.Bits(math.Inf(1))
	for _, from := range []int64{max(last.Range.Off, to.Len()-valueSample), max(first.Range.Off, to.Len()-max(valueSample, min(4*extra, 16*valueSample))), first.Range.Off} {
		values := front(to, from, max(valueSample, min(4*extra, 16*valueSample)))
		for _, at := range []int64{to.Len() - from, to.Len() - from - extra} {
			least = min(least, strangeness(rest, values, widthOf(last), at), strangeness(rest, values, 1, 0))
		}
	}
	return least
}

// widthOf is how many bytes a value of an array has.
func widthOf(s *model.Span) int {
	if n := s.Count(); s.Shape == model.Array && n > 0 && s.Range.Len%n == 0 {
		return int(max(1, min(widestValue, s.Range.Len/n)))
	}
	return 1
}

// mostValues is how many arrays at the end of a file are looked at.
const mostValues = 10_000

// lastValues returns the arrays of numbers and the plain bytes at the end of a span, the last first, up to what is neither.
func lastValues(s *model.Span, out []*model.Span) []*model.Span {
	for i := s.Count() - 1; i >= 0 && len(out) < mostValues; i-- {
		k := s.Child(i)
		if k == nil || k.Range.Space != s.Range.Space {
			continue // decoded, or of another file
		}
		switch {
		case k.Range.Len == 0:
		case model.AnyBytes(k):
			out = append(out, k)
		case k.Shape == model.Leaf:
			return out
		default:
			n := len(out)
			out = lastValues(k, out)
			if len(out) == n || out[len(out)-1].Range.Off > k.Range.Off {
				return out
			}
		}
	}
	return out
}

// summedIn tells of ranges of a space whether a checksum covers a part of one.
func summedIn(t *model.Tree, space model.SpaceID) func(model.Range) bool {
	var under []model.Range
	for _, l := range t.Links() {
		if l.Kind == model.ChecksumLink {
			for _, s := range l.Targets {
				if s.Range.Space == space {
					under = append(under, s.Range)
				}
			}
		}
	}
	return func(r model.Range) bool {
		for _, u := range under {
			if u.Off < r.End() && r.Off < u.End() {
				return true
			}
		}
		return false
	}
}

// strangeness is by how many bits likelier bytes are as bytes of their own than as the last of a file's values, which are counted by their place in a
// value of that width. The first of them is byte number at of the values. Both are samples: what the values alone leave unknown, as how often each
// byte is when all are about as frequent, speaks for neither.
func strangeness(rest, values []byte, width int, at int64) (bits evidence.Bits) {
	of, own, both := make([]counts, width), make([]counts, width), make([]counts, width)
	for i, b := range values {
		of[i%width][b]++
		both[i%width][b]++
	}
	for i, b := range rest {
		k := (int((at+int64(i))%int64(width)) + width) % width
		own[k][b]++
		both[k][b]++
	}
	for k := range width {
		bits += both[k].price() - of[k].price() - own[k].price()
	}
	return bits
}

// price is how surprising bytes are of which one learns while reading how often each is, or that each is as likely as any other.
func (c *counts) price() evidence.Bits {
	n := 0.0
	bits, _ := math.Lgamma(256 * unseenWeight)
	none, _ := math.Lgamma(unseenWeight)
	for _, k := range c {
		if k > 0 {
			x, _ := math.Lgamma(float64(k) + unseenWeight)
			bits, n = bits+x-none, n+float64(k)
		}
	}
	all, _ := math.Lgamma(n + 256*unseenWeight)
	return evidence.Bits(min(8*n, (all-bits)/math.Ln2))
}

// front returns up to n bytes of a content from an offset.
func front(c *model.Content, off, n int64) []byte {
	b := make([]byte, max(0, min(n, c.Len()-off)))
	k, _ := c.ReadAt(b, off)
	return b[:k]
}
