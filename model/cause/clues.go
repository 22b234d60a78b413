package cause

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"spandrel/model"
)

// What the document itself says of its numbers: whom it suspects, what they should be, and who says so.

// clues is what is known of the numbers of a document.
type clues struct {
	ctx     context.Context
	tree    *model.Tree
	found   []model.Finding
	list    []*suspect
	byField map[string][]*suspect
	wants   map[[2]int64][]want
	worth   *Worth
	asked   []*model.Span // fields of which someone says what they should be, in the order of the findings
	edge    map[model.SpaceID][]int64
	counts  []model.Quantity
	summed  map[[2]int64]bool // fields that hold checksums
}

// want is what someone says a field should be.
type want struct {
	value model.Value
	why   string
	by    string // the part of the search that says so
}

// gather lists the suspects of a tree and what is known of them.
func gather(ctx context.Context, t *model.Tree, found []model.Finding, worth *Worth) *clues {
	c := &clues{worth: worth, ctx: ctx, tree: t, found: found, byField: map[string][]*suspect{}, wants: map[[2]int64][]want{}, edge: map[model.SpaceID][]int64{}}
	if f := t.Format; f.Quantities != nil {
		model.Contain(func() error { c.counts = f.Quantities(ctx, t); return nil })
	}
	c.wantLinks(t)
	c.wantFindings(t)
	c.wantQuantities()
	c.list = suspects(ctx, t, found, c.asked)
	for _, s := range c.list {
		c.byField[s.span.Field.Name] = append(c.byField[s.span.Field.Name], s)
	}
	return c
}

func (c *clues) want(s *model.Span, v model.Value, why, by string) {
	if s == nil || v.Kind == model.None || c.worth.omits(by) {
		return
	}
	at := [2]int64{int64(s.Range.Space), s.Range.Off}
	for _, w := range c.wants[at] {
		if w.value.Equal(v) {
			return
		}
	}
	if len(c.wants[at]) < 16 {
		c.asked = append(c.asked, s)
		c.wants[at] = append(c.wants[at], want{v, why, by})
	}
}

// wantLinks takes both directions of links: what a field should be, and of a copy what the original should.
func (c *clues) wantLinks(t *model.Tree) {
	links := t.Links()
	c.summed = map[[2]int64]bool{}
	for _, l := range links {
		if l.Kind == model.ChecksumLink {
			c.summed[[2]int64{int64(l.Field.Range.Space), l.Field.Range.Off}] = true
		}
	}
	for _, l := range links[:min(len(links), 20_000)] {
		if l.Kind == model.ChecksumLink || len(l.Targets) == 0 {
			continue
		}
		got, err := t.Value(c.ctx, l.Field)
		if err != nil {
			continue
		}
		if v, ok, err := l.Want(c.ctx, t); err == nil && ok && !v.Equal(got) {
			c.want(l.Field, v, derivation(l, v), "link "+l.Kind.String())
			if l.Kind == model.SameLink {
				c.want(l.Targets[0], got, "the same as "+l.Field.Path(), "link "+l.Kind.String())
			}
		}
	}
}

// derivation says what a linked field follows from, with the number where it is stored as it is.
func derivation(l *model.Link, v model.Value) string {
	at := l.Targets[0].Path()
	if l.Kind == model.CountLink && l.Unit <= 1 && l.Bias == 0 && l.Base == 0 {
		return model.Words("%s contains %s", at, model.Count(v.Int(), "elements"))
	}
	return fmt.Sprintf("the %s %s", l.Kind, at)
}

// wantFindings takes what findings want, and the repairs that write one value.
func (c *clues) wantFindings(t *model.Tree) {
	for i := range c.found[:min(len(c.found), 500)] {
		f := &c.found[i]
		if f.Span != nil && f.Want.Kind != model.None {
			c.want(f.Span, f.Want, otherwise(f), "want of "+f.Rule.ID)
		}
		if v := expected(f); v.Kind != model.None {
			c.want(f.Span, v, "the expected value", "expected by "+f.Rule.ID)
		}
		part := offeredBy(f.Rule)
		if c.worth.omits(part) {
			continue
		}
		for _, x := range t.Fixes(c.ctx, f) {
			if x.Loses != "" {
				continue
			}
			for _, e := range x.Edits[:min(len(x.Edits), 64)] {
				if s, b := assigned(c.ctx, t, e); s != nil {
					if v, _, err := s.Field.Codec.Decode(b); err == nil {
						c.want(s, v, otherwise(f), part)
					}
				}
			}
		}
	}
}

// wantQuantities takes, for each witness of a quantity that is written in a field, what the other witnesses say.
func (c *clues) wantQuantities() {
	for i := range c.counts {
		q := &c.counts[i]
		for j := range q.Witnesses {
			w := &q.Witnesses[j]
			for k := range q.Witnesses {
				o := &q.Witnesses[k]
				if w.Field == nil || w.Agrees(o) {
					continue
				}
				v, ok := o.Value, true
				if w.Stored != nil {
					v, ok = w.Stored(o.Value)
				}
				if ok {
					c.want(w.Field, v, testimony(q, o), "quantity "+q.Name)
				}
			}
		}
	}
}

// otherwise is what a field's value rests on where a check asks for it.
func otherwise(f *model.Finding) string { return "otherwise " + f.Rule.Title }

// testimony is what a witness says of a quantity: "the blocks of column "c": 2 rows".
func testimony(q *model.Quantity, w *model.Witness) string {
	switch {
	case w.Value.Kind != model.Uint && w.Value.Kind != model.Int:
		return w.Text + ": " + w.Value.String()
	case strings.HasPrefix(q.Name, "is "): // a place, not a number of things
		return fmt.Sprintf("%s: 0x%x", w.Text, w.Value.Int())
	}
	return w.Text + ": " + model.Count(w.Value.Int(), q.Name)
}

// tells yields the quantities that a suspect is a witness of, each with what it says.
func (c *clues) tells(s *suspect) iter.Seq2[*model.Quantity, *model.Witness] {
	return func(yield func(*model.Quantity, *model.Witness) bool) {
		for i := range c.counts {
			q := &c.counts[i]
			for j := range q.Witnesses {
				w := &q.Witnesses[j]
				if w.Field != nil && w.Field.Range.Off == s.off && w.Field.Range.Space == s.space && !yield(q, w) {
					return
				}
			}
		}
	}
}

// witnesses returns who says of a field that it holds a value, and who says something else, weak ones and itself left out.
func (c *clues) witnesses(s *suspect, v model.Value) (with, against []string) {
	for q, w := range c.tells(s) {
		for k := range q.Witnesses {
			o := &q.Witnesses[k]
			if o == w || o.Weak {
				continue
			}
			stored, ok := o.Value, true
			if w.Stored != nil {
				stored, ok = w.Stored(o.Value)
			}
			if ok && stored.Equal(v) {
				with = append(with, testimony(q, o))
			} else {
				against = append(against, o.Text)
			}
		}
	}
	return with, against
}

// there says how many things there are where a suspect has their number: "there are 6 rows". "" where the number is of bytes or a place, or is stored as
// another one.
func (c *clues) there(s *suspect, raw []byte) string {
	v, _, err := s.span.Field.Codec.Decode(raw)
	if err != nil {
		return ""
	}
	for q, w := range c.tells(s) {
		things := !strings.Contains(q.Name, " of ") && !strings.HasPrefix(q.Name, "is ") && w.Stored == nil
		if things && slices.ContainsFunc(q.Witnesses, func(o model.Witness) bool { return o.Field != w.Field && o.Value.Equal(v) }) {
			return fmt.Sprintf("there %s %s", are(v.Int()), model.Count(v.Int(), q.Name))
		}
	}
	return ""
}

// known lists what a suspect should be going by others, and what damage would have made of a number.
func (c *clues) known(s *suspect) []candidate {
	v := &values{s: s, seen: map[string]bool{}, worth: c.worth}
	for _, w := range c.wants[[2]int64{int64(s.space), s.off}] {
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

// all lists every value in reach of a suspect: all of one byte, small numbers, all of each of its lower bytes, single bits, and
// the places where something begins.
func (c *clues) all(s *suspect) []candidate {
	v := &values{s: s, seen: map[string]bool{}, worth: c.worth, by: "every value"}
	for _, k := range c.known(s) {
		v.seen[string(k.raw)] = true
	}
	low := 0
	big := s.span.Field.Codec.Endian() == "be"
	if big {
		low = len(s.raw) - 1
	}
	for x := range 256 {
		b := slices.Clone(s.raw)
		b[low] = byte(x)
		v.raw(b, tried, "")
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
		b := slices.Clone(s.raw)
		b[bit/8] ^= 1 << (bit % 8)
		v.raw(b, tried, "")
	}
	for i := range s.raw {
		b := slices.Clone(s.raw)
		b[i] = 0
		v.raw(b, tried, "")
	}
	for x := range 256 {
		b := slices.Clone(s.raw)
		if big {
			b[low-1] = byte(x)
		} else {
			b[1] = byte(x)
		}
		v.raw(b, tried, "")
	}
	return v.list
}

// places lists the offsets at which something begins or ends in the suspect's file, and how far they are from the suspect: what
// an offset or a length could be. Of a small file that is every offset.
func (c *clues) places(s *suspect) (out []int64) {
	size, err := c.tree.Size(c.ctx, s.space)
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
	for _, x := range c.edges(s.space, size) {
		out = append(out, x)
		if x > end {
			out = append(out, x-end, (x-end)/2, (x-end)/4, (x-end)/8)
		}
	}
	return out
}

// edges lists where spans of a file begin and end, as far as they are known, at most 256.
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
	var out []int64
	for x := range seen {
		out = append(out, x)
	}
	slices.Sort(out)
	c.edge[space] = out
	return out
}

// siblings lists the values that fields of the same name have elsewhere in the document, the most frequent first.
func (c *clues) siblings(s *suspect) (out [][]byte) {
	count := map[string]int{}
	for _, o := range c.byField[s.span.Field.Name] {
		if o != s && len(o.raw) == len(s.raw) {
			count[string(o.raw)]++
		}
	}
	var all []string
	for b := range count {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return bytes.Compare([]byte(a), []byte(b))
	})
	for _, b := range all[:min(len(all), 8)] {
		out = append(out, []byte(b))
	}
	return out
}

// trial is the hypothesis that a field had other bytes.
func (c *clues) trial(s *suspect, x candidate) *trial {
	t := &trial{kind: x.kind, by: x.by, field: s, raw: x.raw, patches: []patch{{s.file, s.off, int64(len(x.raw)), x.raw}},
		at: Place{s.file, s.off, int64(len(s.raw)), s.path, s.span}}
	t.sum = c.summed[[2]int64{int64(s.space), s.off}] && !closeTo(s.raw, x.raw)
	f := s.span.Field
	was, is := show(f, s.raw), show(f, x.raw)
	t.label = fmt.Sprintf("set %s to %s", s.span.Called(), is)
	t.text = fmt.Sprintf("%s is %s%s, but %s.", s.path, was, how(s.raw, x.raw), cmp.Or(c.there(s, x.raw), "everything else fits "+is))
	t.maybe = fmt.Sprintf("%s is %s%s; %s would fit.", s.path, was, how(s.raw, x.raw), is)
	if x.why != "" {
		t.evidence = append(t.evidence, x.why)
	}
	return t
}
