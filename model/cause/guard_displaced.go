package cause

import (
	"bytes"
	"context"
	"math"
	"slices"

	"spandrel/model"
	"spandrel/model/evidence"
)

// Surplus bytes at the end of a file were not necessarily added there: as many may have been inserted earlier, where no check covers the
// values, and then the last bytes are the file's last values. Removing them would turn an unreadable file into one that reads wrong values.

// Bytes at the end are compared with a sample of values.
const (
	valueSample  = 64 << 10
	surplusMost  = 64 << 10
	widestValue  = 16
	beginsAgain  = 16 // bytes that identify the beginning of a second copy
	unseenWeight = 0.5
)

// displaced objects unless the bytes that a repair removes at the end are known not to be the file's own.
func (g guarded) displaced() string {
	file := g.t.at.File
	from, to, ok := both(g.base.snap, g.to, file)
	if !ok || to.Len() >= from.Len() || !cutsOff(changes(g.all, g.base.snap, g.to), file, to.Len()) {
		return ""
	}
	arrays := unchecked(g.all, g.after.tree, file)
	free := int64(0)
	for _, a := range arrays {
		free += a.Range.Len
	}
	if free <= 0 {
		return "" // a check covers what an inserted byte would move
	}
	bits := evidence.Moved.Rarity - evidence.Added.Rarity + evidence.Bits(math.Log2(float64(to.Len())/float64(free)))
	extra := from.Len() - to.Len()
	rest := bytesAt(from, to.Len(), min(extra, surplusMost))
	if head := bytesAt(to, 0, beginsAgain); padding(rest, to) || len(head) == beginsAgain && bytes.HasPrefix(rest, head) {
		return ""
	}
	if bits += alien(rest, to, extra, arrays); bits >= evidence.ProvenMargin {
		return ""
	}
	return insertedToo
}

// turned objects to pieces in a new order: the first is known by its magic, the order of the others only by what checks them.
func (g guarded) turned() string {
	if g.t.op != rotateFile {
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

// cutsOff tells whether the end of one file is removed and nothing else changes.
func cutsOff(list []Change, file string, end int64) bool {
	return len(list) == 1 && list[0].File == file && list[0].Off == end && list[0].Del > 0 && list[0].Grown == 0
}

// padding tells whether bytes at the end are zeros after other content, and more of them than a value would end in.
func padding(rest []byte, to *model.Content) bool {
	if len(rest) < beginsAgain {
		return false
	}
	last := bytesAt(to, max(0, to.Len()-beginsAgain), beginsAgain)
	return allOf(rest, 0) && len(bytes.Trim(last, "\x00")) > 0
}

// unchecked returns the arrays at the end of a file whose bytes may be anything, the last first: no checksum covers them, and nothing follows.
func unchecked(ctx context.Context, t *model.Tree, file string) (out []*model.Span) {
	s := spaceOf(t, file)
	if s == nil || s.Root == nil || t.Open(ctx, s.Root) != nil {
		return nil
	}
	values, end := lastValues(s.Root, nil), s.Root.Range.End()
	if model.AnyBytes(s.Root) { // the file is just an array
		values = []*model.Span{s.Root}
	}
	summed := summedIn(t, s.ID)
	for _, v := range values {
		if v.Range.End() != end || slices.ContainsFunc(summed, v.Range.Overlaps) {
			break
		}
		out, end = append(out, v), v.Range.Off
	}
	return out
}

// alien compares bytes at the end with the values that they may belong to: those of the last array, those the same distance earlier, and
// the first; both by position within a value and regardless of it. It returns the lowest strangeness. A sample smaller than the bytes proves nothing.
func alien(rest []byte, to *model.Content, extra int64, arrays []*model.Span) evidence.Bits {
	last, first := arrays[0], arrays[len(arrays)-1]
	if to.Len()-first.Range.Off < int64(len(rest)) {
		return 0
	}
	least := evidence.Bits(math.Inf(1))
	for _, from := range []int64{max(last.Range.Off, to.Len()-valueSample), max(first.Range.Off, to.Len()-max(valueSample, min(4*extra, 16*valueSample))), first.Range.Off} {
		values := bytesAt(to, from, max(valueSample, min(4*extra, 16*valueSample)))
		for _, at := range []int64{to.Len() - from, to.Len() - from - extra} {
			least = min(least, strangeness(rest, values, widthOf(last), at), strangeness(rest, values, 1, 0))
		}
	}
	return least
}

// widthOf is the width of an array's values in bytes.
func widthOf(s *model.Span) int {
	if n := s.Count(); s.Shape == model.Array && n > 0 && s.Range.Len%n == 0 {
		return int(max(1, min(widestValue, s.Range.Len/n)))
	}
	return 1
}

// mostValues is how many arrays at the end of a file are examined.
const mostValues = 10_000

// lastValues returns the arrays of numbers and plain bytes at the end of a span, the last first, until something else.
func lastValues(s *model.Span, out []*model.Span) []*model.Span {
	for i := s.Count() - 1; i >= 0 && len(out) < mostValues; i-- {
		k := s.Child(i)
		if k == nil || k.Range.Space != s.Range.Space {
			continue // decoded, or in another file
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

// summedIn are the ranges of a space that checksums cover.
func summedIn(t *model.Tree, space model.SpaceID) (out []model.Range) {
	for _, l := range t.Links() {
		for _, s := range l.Targets {
			if l.Kind == model.ChecksumLink && s.Range.Space == space {
				out = append(out, s.Range)
			}
		}
	}
	return out
}

// strangeness is by how many bits the bytes are more likely to be foreign than to continue the values, which are counted by position within a
// value of that width; at is the position of the first byte. Both are samples: what the values leave open, such as the frequency
// of bytes when all are about equally frequent, counts for neither side.
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

// price is the cost of bytes whose frequencies are learned while reading, or are uniform, whichever is less.
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
