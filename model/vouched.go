package model

import (
	"context"
	"slices"
)

// Which bytes of a document are confirmed. That a structure parses says little about its values: they also parse if bytes before them were lost, or if they
// come from another file.

const (
	mostVouched = 1 << 20 // spans that are looked at
	surelySum   = 32      // bits of a checksum from which on it vouches for what it covers
)

// Summed returns the bytes of the files that a checksum covers, whether it matches or not.
func (t *Tree) Summed() FileRanges { return t.summed(func(*Link) bool { return true }) }

// matching tells of a checksum whether it is not known to be wrong.
func (t *Tree) matching() func(*Link) bool {
	found, _ := t.Findings()
	failed := map[Range]bool{}
	for i := range found {
		if f := &found[i]; f.Sum != nil && f.Span != nil {
			failed[f.Span.Range] = true
		}
	}
	return func(l *Link) bool { return !failed[l.Field.Range] }
}

// summed is Summed for the checksums that believed accepts.
func (t *Tree) summed(believed func(*Link) bool) FileRanges {
	var in []Range
	for _, l := range t.Links() {
		if l.Kind == ChecksumLink && !l.Sum.Weak && believed(l) {
			for _, s := range l.Targets {
				in = append(in, s.Range)
			}
		}
	}
	for _, s := range t.Spaces() {
		if s.Derived() && s.Transform.SumBits >= surelySum && s.Fault() == nil {
			in = append(in, s.Origin)
		}
	}
	var out []FileRange
	for _, at := range in {
		if from, exact := t.InFiles(at); exact { // of a part of compressed bytes no one knows which bytes it comes from
			out = append(out, from...)
		}
	}
	return UnionOf(out...)
}

// storedSums is the set of checksums stored in a document, by algorithm and value.
func (t *Tree) storedSums(ctx context.Context) map[string]bool {
	out := map[string]bool{}
	for _, l := range t.Links() {
		if l.Kind == ChecksumLink {
			if v, err := t.Value(ctx, l.Field); err == nil {
				out[l.Sum.Name+v.String()] = true
			}
		}
	}
	return out
}

// Resummed says which checksum did not match in a document and was recomputed for another state of it: that state seems sound, whatever damaged
// the bytes. A checksum that was edited by itself, or that went with its bytes, does not count. It returns "" if there is none.
func Resummed(ctx context.Context, p *Plan, was, is *Tree) (string, error) {
	now, old := is.storedSums(ctx), was.storedSums(ctx)
	fresh := false
	for sum := range now {
		fresh = fresh || !old[sum]
	}
	if !fresh {
		return "", nil
	}
	f, err := was.forgotten(ctx, now, func(at Range) bool { return p.only(was, at) })
	if f == nil {
		return "", err
	}
	return "damaged bytes would get a new checksum, so that the damage is no longer noticed: " + f.Text(), err
}

// forgotten is the finding of a checksum that does not match and is not among those that are stored now; nil if there is none. Checksums in the given
// ranges do not count.
func (t *Tree) forgotten(ctx context.Context, now map[string]bool, but func(Range) bool) (*Finding, error) {
	if err := t.CheckSums(ctx); err != nil { // of a large document they were not checked before
		return nil, err
	}
	found, _ := t.Findings()
	for i := range found {
		f := &found[i]
		if f.Sum == nil || f.Span == nil || but(f.Span.Range) {
			continue
		}
		if v, err := t.Value(ctx, f.Span); err == nil && !now[f.Sum.Name+v.String()] {
			return f, nil
		}
	}
	return nil, nil
}

// only tells whether a plan changes nothing but a range.
func (p *Plan) only(t *Tree, at Range) bool {
	name := t.FileName(at)
	return len(p.Patches) > 0 && !slices.ContainsFunc(p.Patches, func(q Patch) bool { return q.File != name || q.Off < at.Off || q.Off+q.Del > at.End() })
}

// Unvouched returns the bytes of the files that may contain any values and that no matching checksum covers: bytes, arrays of numbers and, with texts
// set, texts. If spans are given, it looks only in them.
func (t *Tree) Unvouched(ctx context.Context, texts bool, in ...*Span) FileRanges {
	return t.anyValues(ctx, texts, in).Minus(t.summed(t.matching()))
}

// unvouchedBy is Unvouched for a document that was made from another one: only checksums stored in the other one count, because a writer computes
// new ones over whatever was left.
func (t *Tree) unvouchedBy(ctx context.Context, other *Tree) FileRanges {
	stored, matches := other.storedSums(ctx), t.matching()
	return t.anyValues(ctx, false, nil).Minus(t.summed(func(l *Link) bool {
		v, err := t.Value(ctx, l.Field)
		return err == nil && stored[l.Sum.Name+v.String()] && matches(l)
	}))
}

// anyValues returns the bytes and arrays of numbers, and the texts, in the spans, or in all files if there are none; not what is stored compressed.
func (t *Tree) anyValues(ctx context.Context, texts bool, in []*Span) FileRanges {
	w := vouching{ctx: ctx, t: t, texts: texts, left: mostVouched}
	for _, s := range in {
		w.free(s)
	}
	for _, s := range t.Spaces() {
		if len(in) == 0 && !s.Derived() && s.Root != nil {
			w.free(s.Root)
		}
	}
	return UnionOf(w.out...)
}

type vouching struct {
	ctx   context.Context
	t     *Tree
	texts bool
	left  int
	out   []FileRange
}

// free adds the ranges in a span whose values could be anything.
func (w *vouching) free(s *Span) {
	w.left--
	switch {
	case s.State == Gap || s.Range.Len == 0 || s.Field.Unused:
		return
	case AnyBytes(s) || w.texts && freeText(s) && !w.term(s):
		w.add(s)
		return
	case s.Shape == Leaf:
		return
	case w.t.Open(w.ctx, s) != nil:
		w.add(s)
		return
	}
	for i := range s.Count() {
		if w.left < 0 { // what a limit leaves out is not vouched for
			w.add(s)
			return
		}
		if k := s.Child(i); k != nil && k.Range.Space == s.Range.Space { // else it is decoded, or of another file
			w.free(k)
		}
	}
}

// add adds the bytes of a span, unless they are stored compressed.
func (w *vouching) add(s *Span) {
	if at, ok := w.t.Verbatim(s.Range); ok {
		w.out = append(w.out, at)
	}
}

// term tells whether a span is a word that the format prescribes.
func (w *vouching) term(s *Span) bool {
	if s.Field.Terms == nil {
		return false
	}
	v, err := w.t.Value(w.ctx, s)
	return err == nil && s.Field.Terms(v.Text())
}

// AnyBytes tells whether a span is an array of numbers or of structures of values, or plain bytes: any content is valid.
func AnyBytes(s *Span) bool {
	if s.Shape == Array {
		return s.Count() > 0 && s.Child(0) != nil && (s.Child(0).Shape == Leaf || s.Field.Values)
	}
	return s.Shape == Leaf && s.Field != nil && (s.Field.Values || s.Field.Codec != nil && s.Field.Codec.Kind() == Bytes && s.Field.Check == nil)
}

// freeText tells whether a span is text that may be any other: a check of it rejects little, unless a grammar prescribes it.
func freeText(s *Span) bool {
	return s.Shape == Leaf && s.Field != nil && s.Field.Fixed == "" && s.Field.Codec != nil && s.Field.Codec.Kind() == Text
}
