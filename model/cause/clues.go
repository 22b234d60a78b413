package cause

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"spandrel/model"
)

// What the document itself says about its numbers: which are suspect, what they should be, and on whose word.

// clues is what is known about the numbers of a document.
type clues struct {
	ctx     context.Context
	tree    *model.Tree
	found   []model.Finding
	list    []*suspect
	byField map[string][]*suspect
	wants   map[spot][]want
	worth   *Worth
	asked   []*model.Span // fields with suggested values, in the order of the findings
	edge    map[model.SpaceID][]int64
	counts  []model.Quantity
	summed  map[spot]bool // fields that contain checksums
}

// want is the value that something in the document says a field should have.
type want struct {
	value model.Value
	why   string
	by    string // the part of the search that suggests it
}

// gather lists the suspects of a tree and the evidence about them.
func gather(ctx context.Context, t *model.Tree, found []model.Finding, worth *Worth) *clues {
	c := &clues{worth: worth, ctx: ctx, tree: t, found: found, byField: map[string][]*suspect{}, wants: map[spot][]want{}, summed: map[spot]bool{}, edge: map[model.SpaceID][]int64{}}
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

// want notes that something says a field should have a value, if it names both.
func (c *clues) want(s *model.Span, v model.Value, why, by string) {
	if s == nil || v.Kind == model.None || c.worth.omits(by) {
		return
	}
	at := spotOf(s)
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

// wantLinks uses links in both directions: the value of the field, and for a copy the value of the original.
func (c *clues) wantLinks(t *model.Tree) {
	for i, l := range t.Links() {
		switch {
		case l.Kind == model.ChecksumLink:
			c.summed[spotOf(l.Field)] = true
		case len(l.Targets) > 0 && i < 20_000:
			c.wantLink(t, l)
		}
	}
}

func (c *clues) wantLink(t *model.Tree, l *model.Link) {
	got, err := t.Value(c.ctx, l.Field)
	if err != nil {
		return
	}
	if v, ok, err := l.Want(c.ctx, t); err == nil && ok && !v.Equal(got) {
		by := "link " + l.Kind.String()
		c.want(l.Field, v, derivation(l, v), by)
		if l.Kind == model.SameLink {
			c.want(l.Targets[0], got, "the same as "+l.Field.Path(), by)
		}
	}
	if l.Kind != model.OffsetLink {
		return
	}
	if n := gapBefore(l.Targets[0]); n > 0 && n%l.Unit == 0 {
		c.want(l.Field, model.I(got.Int()-n/l.Unit), fmt.Sprintf("nothing else refers to the %s before it", model.Count(n, "bytes")), "gap before a target")
	}
}

// gapBefore is how many bytes right before a span have no meaning.
func gapBefore(s *model.Span) int64 {
	in := s.Parent()
	if in == nil || !in.Listed() {
		return 0
	}
	i := sort.Search(int(in.Count()), func(i int) bool { return in.Child(int64(i)).Range.Off >= s.Range.Off })
	if b := in.Child(int64(i) - 1); b != nil && b.State == model.Gap && b.Range.Space == s.Range.Space && b.Range.End() == s.Range.Off {
		return b.Range.Len
	}
	return 0
}

// derivation says what a linked field is derived from, including the number if it is stored unchanged.
func derivation(l *model.Link, v model.Value) string {
	at := l.Targets[0].Path()
	if l.Kind == model.CountLink && l.Unit <= 1 && l.Bias == 0 && l.Base == 0 {
		return model.Words("%s contains %s", at, model.Count(v.Int(), "elements"))
	}
	return fmt.Sprintf("the %s %s", l.Kind, at)
}

// wantFindings uses the values that findings ask for, and repairs that write a single value.
func (c *clues) wantFindings(t *model.Tree) {
	for i := range c.found[:min(len(c.found), 500)] {
		f := &c.found[i]
		c.want(f.Span, f.Want, otherwise(f), "want of "+f.Rule.ID)
		c.want(f.Span, expected(f), "the expected value", "expected by "+f.Rule.ID)
		for _, x := range t.Fixes(c.ctx, f) {
			if x.Loses != "" {
				continue
			}
			for _, e := range x.Edits[:min(len(x.Edits), 64)] {
				s, v, _ := assigned(c.ctx, t, e)
				c.want(s, v, otherwise(f), offeredBy(f.Rule))
			}
		}
	}
}

// wantQuantities gives every witness of a quantity that is stored in a field what the other witnesses say.
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
				if v, ok := storedBy(w, o.Value); ok {
					c.want(w.Field, v, testimony(q, o), "quantity "+q.Name)
				}
			}
		}
	}
}

// storedBy is a value as the field of a witness stores it; false if it cannot.
func storedBy(w *model.Witness, v model.Value) (model.Value, bool) {
	if w.Stored == nil {
		return v, true
	}
	return w.Stored(v)
}

// otherwise is the reason for a value that a check asks for.
func otherwise(f *model.Finding) string { return "otherwise " + f.Rule.Title }

// testimony is what a witness says about a quantity: "the blocks of column "c": 2 rows".
func testimony(q *model.Quantity, w *model.Witness) string {
	switch {
	case w.Value.Kind != model.Uint && w.Value.Kind != model.Int:
		return w.Text + ": " + w.Value.String()
	case strings.HasPrefix(q.Name, "is "): // a place, not a count
		return fmt.Sprintf("%s: 0x%x", w.Text, w.Value.Int())
	}
	return w.Text + ": " + model.Count(w.Value.Int(), q.Name)
}

// tells yields the quantities that a suspect is a witness of, and its testimony about each.
func (c *clues) tells(s *suspect) iter.Seq2[*model.Quantity, *model.Witness] {
	return func(yield func(*model.Quantity, *model.Witness) bool) {
		for i := range c.counts {
			q := &c.counts[i]
			for j := range q.Witnesses {
				w := &q.Witnesses[j]
				if w.Field != nil && spotOf(w.Field) == spotOf(s.span) && !yield(q, w) {
					return
				}
			}
		}
	}
}

// backing is who agrees with the value that a trial gives a field, and who disagrees, without weak witnesses and the field itself.
func (c *clues) backing(t *trial) (with, against []string) {
	v, ok := t.value()
	if !ok {
		return nil, nil
	}
	for q, w := range c.tells(t.field) {
		for k := range q.Witnesses {
			o := &q.Witnesses[k]
			if o == w || o.Weak {
				continue
			}
			if stored, ok := storedBy(w, o.Value); ok && stored.Equal(v) {
				with = append(with, testimony(q, o))
			} else {
				against = append(against, o.Text)
			}
		}
	}
	return with, against
}

// there says how many things a suspect counts: "there are 6 rows". "" if the number is an amount of bytes or an offset, or is stored
// in another unit.
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
