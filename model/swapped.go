package model

import (
	"bytes"
	"context"
	"slices"
)

// Numbers that were written in one byte order and are read in the other are loaded by every reader without an error, as nonsense. What they look like
// tells: nearly all are ordinary in the other order, and most are not in this one.

const (
	sampledElements = 512 // of an array, in its middle
	leastDistinct   = 32  // different numbers on which a verdict can rest
)

// Numbers is an array of numbers and what it is called.
type Numbers struct {
	Name   string
	Values *Span
}

// SwappedArrays reports the arrays of a file whose numbers make sense only in the other byte order: together, because one event made them. It reads some
// elements in the middle of each. Too few numbers for a verdict of their own count if those of others are swapped for certain.
func (p *Probe) SwappedArrays(ctx context.Context, t *Tree, arrays ...Numbers) error {
	if t.misplaced(ctx) {
		return ctx.Err()
	}
	var odd []*sample
	certain := false
	for _, a := range arrays {
		if x := t.sample(ctx, a); x.swapped(1) {
			odd = append(odd, x)
			certain = certain || x.swapped(leastDistinct)
		}
	}
	if !certain || ctx.Err() != nil {
		return ctx.Err()
	}
	first, names, spans := odd[0], []string{}, []*Span{}
	for _, x := range odd {
		names, spans = append(names, x.array.Name), append(spans, x.array.Values)
	}
	f := Finding{Rule: RuleSwapped, Span: t.At(first.at.Space, first.at.Off), Range: first.at, Found: first.is.String(), Expected: first.other.String(), About: spans}
	if len(arrays) > 1 {
		f.Message = Words("the numbers of %d of %s make sense only in the other byte order: %s", len(odd), Count(int64(len(arrays)), "arrays"), Few(names, mostSwapped))
	}
	p.Report(f)
	return nil
}

// misplaced tells whether the file does not have the length that it states. Then its numbers may be shifted by the bytes that are missing or surplus, and
// numbers that are read a byte too early look exactly as in the other byte order.
func (t *Tree) misplaced(ctx context.Context) bool {
	return slices.ContainsFunc(t.Extents(ctx), func(e Extent) bool { return e.File == t.Snapshot.Primary && !e.Guess && e.Size != t.Root.Range.Len })
}

// mostSwapped is how many swapped arrays are named.
const mostSwapped = 16

// TurnNumbers offers to reverse the bytes of each number of swapped arrays. It is never certain: the numbers tell what is likely.
var TurnNumbers = Knowing(func(ctx context.Context, t *Tree, _ *Finding, arrays []*Span) []Fix {
	fix := Fix{Label: Words("reverse the bytes of each number of %s", Count(int64(len(arrays)), "arrays")), Once: true,
		Says: "The numbers of " + Count(int64(len(arrays)), "arrays") + " are stored in the other byte order."}
	for _, a := range arrays {
		fix.Edits = append(fix.Edits, Splice{Range: a.Range, With: turned{t.Slice(ctx, a.Range), a.children().(*elements).stride}})
	}
	return []Fix{fix}
})

// turned is numbers with their bytes reversed.
type turned struct {
	Source
	size int64
}

func (x turned) ReadAt(b []byte, off int64) (int, error) {
	from := off / x.size * x.size
	whole := make([]byte, min((off+int64(len(b))+x.size-1)/x.size*x.size, x.Len())-from)
	if n, err := x.Source.ReadAt(whole, from); n < len(whole) {
		return 0, err
	}
	for n := range slices.Chunk(whole, int(x.size)) {
		slices.Reverse(n)
	}
	return copy(b, whole[off-from:]), nil
}

// sample is what some numbers of an array are like, of those that differ between the byte orders.
type sample struct {
	array            Numbers
	distinct         int
	ordinary, turned int   // in the order of the array, and in the other one
	at               Range // the first of them
	is, other        Value
	least            int // percent of the numbers that are ordinary in the right order
}

// sample reads some numbers in the middle of an array. What cannot be read is reported elsewhere.
func (t *Tree) sample(ctx context.Context, array Numbers) *sample {
	x := &sample{array: array}
	if array.Values == nil {
		return x
	}
	e, ok := array.Values.children().(*elements)
	if !ok || e.rec != nil {
		return x
	}
	n := min(e.n, sampledElements)
	at := Range{Space: array.Values.Range.Space, Off: array.Values.Range.Off + (e.n-n)/2*e.stride, Len: n * e.stride}
	if b, err := t.Bytes(ctx, at); err == nil {
		x.look(b, at, e.field.Codec)
	}
	return x
}

// look counts the numbers of bytes at a place that are ordinary.
func (x *sample) look(b []byte, at Range, codec Codec) {
	size, seen := int64(codec.Size()), map[string]bool{}
	is, ok := ordinary[codec.Type()]
	if x.least = is.least; !ok {
		return
	}
	for ; int64(len(b)) >= size; b, at.Off = b[size:], at.Off+size {
		turned := slices.Clone(b[:size])
		if slices.Reverse(turned); seen[string(turned)] || bytes.Equal(turned, b[:size]) { // the same in both orders
			continue
		}
		seen[string(turned)] = true
		v, _, _ := codec.Decode(b)
		w, _, _ := codec.Decode(turned)
		if x.distinct++; x.distinct == 1 {
			x.at, x.is, x.other = Range{at.Space, at.Off, size}, v, w
		}
		x.ordinary, x.turned = x.ordinary+is.count(v), x.turned+is.count(w)
	}
}

// Sense tells whether nearly all of some numbers are ordinary, or most are not. It says neither of few numbers, and of types of which it cannot tell.
func Sense(b []byte, codec Codec) (sense, nonsense bool) {
	x := &sample{}
	x.look(b, Range{}, codec)
	enough := x.distinct >= leastDistinct
	return enough && x.ordinary*100 >= x.distinct*x.least, enough && x.ordinary*2 < x.distinct
}

// swapped tells whether so many different numbers were seen, which are ordinary in the other byte order and not in theirs.
func (x *sample) swapped(least int) bool {
	return x.distinct >= least && x.turned*100 >= x.distinct*x.least && x.ordinary*2 < x.distinct
}
