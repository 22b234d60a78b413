package cause

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/model/evidence"
)

// A text or other content that was edited in place: it has become longer, and its length, and all that measures what follows it, is that of the old one. Which
// bytes were added to it is unknown, and removing others makes content that never existed. If zeros fill it up to an alignment, they are what is removed.

const (
	mostEdited = 1 << 12 // the longest text that someone edits in place
	mostFilled = 1 << 20 // the longest content
)

// edited is the trial that keeps the content in which another trial removes bytes, and updates what measures it; nil if these are in none, or a checksum knows
// it.
func (s shift) edited(t *trial) *trial {
	tree, text := s.content(t)
	if text == nil {
		return nil
	}
	b := bytesAt(s.c, text.Range.Off, text.Range.Len+s.by)
	if summedUp(tree, text) {
		return nil // it knows the old content, not only its length
	}
	is, name, what := model.Raw(b), "", "content of "+text.Path()
	if text.Field.Codec.Kind() == model.Text {
		if text.Range.Len > mostEdited || !utf8.Valid(b) || bytes.ContainsFunc(b, func(c rune) bool { return !unicode.IsPrint(c) }) {
			return nil
		}
		is, name, what = model.S(string(b)), fmt.Sprintf(" %q,", b), fmt.Sprintf("text %q", b)
	}
	d := &model.Document{Format: s.r.base.format, Tree: tree}
	plan, err := d.PlanOn(s.r.all, tree, "", model.SetValue(text, is))
	if err != nil || !s.filled(plan, text.Range.Off+int64(len(b))) {
		return nil
	}
	at := Place{File: s.name, Off: text.Range.Off, Len: text.Range.Len, Span: text}
	out := &trial{kind: legal, op: shiftRest, snap: plan.To, at: at, label: fmt.Sprintf("keep the %s, and update its length and what depends on it", what)}
	out.text = fmt.Sprintf("%s is now%s %s than its length says.", text.Path(), name, counted(s.by, "longer", "longer"))
	out.unsure = !utf8.Valid(b) || bytes.ContainsFunc(b, func(c rune) bool { return !unicode.IsPrint(c) && !unicode.IsSpace(c) }) // no one edits such bytes in place
	out.means = "It was edited in the file itself, or bytes were inserted into it: neither its length nor what depends on it was updated. The old content is unknown."
	out.event = &evidence.Event{Kind: evidence.Moved, What: out.label, Place: evidence.Log(float64(s.c.Len())) - evidence.Log(float64(text.Range.Len+1))}
	s.r.judges([]*trial{out})
	if out.res == nil || out.res.problems() > t.res.problems() {
		return nil
	}
	return out
}

// summedUp tells whether a checksum covers what is stored in a span.
func summedUp(t *model.Tree, s *model.Span) bool {
	of := source(t, s.Range)
	return slices.ContainsFunc(t.Links(), func(l *model.Link) bool {
		return l.Kind == model.ChecksumLink && slices.ContainsFunc(l.Targets, func(x *model.Span) bool {
			at := source(t, x.Range)
			return at.File == of.File && at.Off < of.Off+of.Len && of.Off < at.Off+at.Len
		})
	})
}

// filled tells whether a plan keeps all bytes of the file, but for zeros from a place on that fill up what became longer.
func (s shift) filled(plan *model.Plan, from int64) bool {
	c, err := plan.To.Content(s.name)
	if err != nil || c.Len() == s.c.Len() {
		return err == nil
	}
	return updates(plan, model.LengthLink) && allOf(bytesAt(s.c, from, s.c.Len()-c.Len()), 0)
}

// updates tells whether a plan changes what links of a kind derive.
func updates(plan *model.Plan, kind model.LinkKind) bool {
	return slices.ContainsFunc(plan.Patches, func(p model.Patch) bool { return strings.HasPrefix(p.Why, kind.String()) })
}

// content is the text or the bytes in which a trial removes bytes, in the tree after it, or those that it fills up; nil if what is removed is only too much
// of what fills them up.
func (s shift) content(t *trial) (*model.Tree, *model.Span) {
	tree := judge(s.r.all, t.snap, s.r.base.format, nil).tree
	text := contentAt(s.r.all, tree, s.name, t.at.Off)
	i := slices.IndexFunc(tree.Links(), func(l *model.Link) bool {
		return text != nil && l.Kind == model.PadLink && l.Field.Range == text.Range && len(l.Targets) == 1
	})
	if i < 0 {
		return tree, text
	}
	of := tree.Links()[i].Targets[0].Range
	if allOf(bytesAt(s.c, of.End(), s.by), 0) {
		return nil, nil
	}
	tree = judge(s.r.all, s.spliced(of.Off, s.by, nil).snap, s.r.base.format, nil).tree
	return tree, contentAt(s.r.all, tree, s.name, of.Off)
}

// contentAt is the text or the bytes at a place of a file, or what ends there.
func contentAt(ctx context.Context, t *model.Tree, file string, off int64) *model.Span {
	sp := spaceOf(t, file)
	if sp == nil {
		return nil
	}
	for _, at := range []int64{off, off - 1} {
		span, err := t.AtOpen(ctx, sp.ID, at)
		if err == nil && span != nil && span.Shape == model.Leaf && span.Field.Codec != nil && span.Range.Len > 0 && span.Range.Len <= mostFilled && slices.Contains([]model.Kind{model.Text, model.Bytes}, span.Field.Codec.Kind()) {
			return span
		}
	}
	return nil
}
