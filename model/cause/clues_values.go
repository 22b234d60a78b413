package cause

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spandrel/model"
)

// Candidate values of a field: those that other parts of the document suggest, and those that typical damage would have changed into it.

// known lists the values that others suggest for a suspect, and those that typical damage would have changed into the present one.
func (c *clues) known(s *suspect) []candidate {
	v := &values{s: s, seen: map[string]bool{}, worth: c.worth}
	for _, w := range c.wants[spotOf(s.span)] {
		v.by = w.by
		v.value(w.value, derived, w.why)
	}
	v.by = "values that the field offers"
	f := s.span.Field
	for _, x := range []model.Value{f.Safe, f.Offer} {
		if x.Kind != model.None {
			v.value(x, derived, "the only known value")
		}
	}
	v.by = "legal values"
	for _, x := range slices.Sorted(maps.Keys(f.Enum)) {
		if len(f.Enum) <= 64 {
			v.value(model.U(x), legal, "a legal value")
		}
	}
	var mask uint64
	for _, g := range f.Flags {
		mask |= g.Mask
	}
	if mask != 0 {
		v.value(model.U(s.value.Uint()&mask), legal, "only known flags")
	}
	v.by = "values of siblings"
	for _, b := range c.siblings(s) {
		v.raw(b, legal, "the value of its siblings")
	}
	v.by = "near values"
	v.damage()
	return v.list
}

// all lists every value within reach of a suspect: all of one byte, small numbers, all values of each lower byte, single bits, and
// the offsets at which something begins.
func (c *clues) all(s *suspect) []candidate {
	v := &values{s: s, seen: map[string]bool{}, worth: c.worth, by: "every value"}
	for _, k := range c.known(s) {
		v.seen[string(k.raw)] = true
	}
	change := func(i int, x byte) { // one byte
		b := slices.Clone(s.raw)
		b[i] = x
		v.raw(b, tried, "")
	}
	low, next := 0, 1 // the least significant bytes
	if s.order() == binary.BigEndian {
		low, next = len(s.raw)-1, len(s.raw)-2
	}
	for x := range 256 {
		change(low, byte(x))
	}
	if len(s.raw) == 1 || s.span.Field.Codec.Size() < 0 {
		return v.list
	}
	for x := range uint64(256) {
		v.value(unsigned(s, x), tried, "")
	}
	for _, x := range c.places(s) {
		v.value(unsigned(s, uint64(x)), tried, "")
	}
	for bit := range 8 * len(s.raw) {
		change(bit/8, s.raw[bit/8]^1<<(bit%8))
	}
	for i := range s.raw {
		change(i, 0)
	}
	for x := range 256 {
		change(next, byte(x))
	}
	return v.list
}

// places lists the offsets at which something begins or ends in the suspect's file, absolute and relative to the suspect: candidates
// for an offset or a length. In a small file that is every offset.
func (c *clues) places(s *suspect) (out []int64) {
	size, err := c.tree.Size(c.ctx, s.span.Range.Space)
	if err != nil || len(s.raw) < 2 {
		return nil
	}
	if size <= 2048 {
		for x := range size + 1 {
			out = append(out, x)
		}
		return out
	}
	end := s.off + int64(len(s.raw))
	for _, x := range c.edges(s.span.Range.Space, size) {
		out = append(out, x)
		if x > end {
			out = append(out, x-end, (x-end)/2, (x-end)/4, (x-end)/8)
		}
	}
	return out
}

// edges lists the known boundaries of spans in a file, at most 256.
func (c *clues) edges(space model.SpaceID, size int64) []int64 {
	if e, ok := c.edge[space]; ok {
		return e
	}
	seen := map[int64]bool{0: true, size: true}
	var walk func(s *model.Span, depth int)
	walk = func(s *model.Span, depth int) {
		if len(seen) > 256 || s == nil {
			return
		}
		if s.Range.Space == space {
			seen[s.Range.Off], seen[s.Range.End()] = true, true
		}
		if s.Shape == model.Leaf || depth > 3 {
			return
		}
		for i := range min(s.Count(), 64) {
			walk(s.Child(i), depth+1)
		}
	}
	walk(c.tree.Root, 0)
	c.edge[space] = slices.Sorted(maps.Keys(seen))
	return c.edge[space]
}

// siblings lists the values of other fields of the same name, the most frequent first.
func (c *clues) siblings(s *suspect) (out [][]byte) {
	count := map[string]int{}
	for _, o := range c.byField[s.span.Field.Name] {
		if o != s && len(o.raw) == len(s.raw) {
			count[string(o.raw)]++
		}
	}
	all := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	for _, b := range all[:min(len(all), 8)] {
		out = append(out, []byte(b))
	}
	return out
}

// unlike tells whether all other fields of this name share one value, and these bytes are another. Numbers often differ: a trial is unlike them if it takes
// away the value that they have in common.
func (c *clues) unlike(s *suspect, raw []byte, guess bool) bool {
	list := c.siblings(s)
	if len(list) != 1 || bytes.Equal(list[0], raw) {
		return false
	}
	if len(s.span.Field.Enum) > 0 {
		return guess
	}
	return len(c.byField[s.span.Field.Name]) > inCommon && bytes.Equal(list[0], s.raw)
}

// inCommon is how many fields with one value are no coincidence.
const inCommon = 4

// trials are the hypotheses that each of some fields contained one of its candidates.
func (c *clues) trials(list []*suspect, candidates func(*suspect) []candidate) (out []*trial) {
	for _, s := range list {
		for _, x := range candidates(s) {
			out = append(out, c.trial(s, x))
		}
	}
	return out
}

// trial is the hypothesis that a field contained other bytes.
func (c *clues) trial(s *suspect, x candidate) *trial {
	t := &trial{kind: x.kind, by: x.by, field: s, raw: x.raw, patches: []patch{{s.file, s.off, int64(len(x.raw)), x.raw}},
		at: Place{s.file, s.off, int64(len(s.raw)), s.path, s.span}}
	t.sum = c.summed[spotOf(s.span)] && !closeTo(s.raw, x.raw)
	f := s.span.Field
	was, is := show(f, s.raw), show(f, x.raw)
	t.label = fmt.Sprintf("set %s to %s", s.span.Called(), is)
	t.text = fmt.Sprintf("%s is %s%s, should be %s.", s.said, was, how(s.raw, x.raw), is)
	if n := c.there(s, x.raw); n != "" {
		t.text = fmt.Sprintf("%s is %s%s, but %s.", s.said, was, how(s.raw, x.raw), n)
	}
	t.maybe = fmt.Sprintf("%s is %s%s; %s would fit.", s.said, was, how(s.raw, x.raw), is)
	if x.why != "" {
		t.evidence = append(t.evidence, x.why)
	}
	return t
}
