package cause

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/model/evidence"
)

// A text that was edited in place: it has become longer, and its length, and all that measures what follows it, is that of the old one. Which bytes were
// added to it is unknown, and removing others makes a text that never existed.

// mostEdited is the longest text that someone edits in place.
const mostEdited = 1 << 12

// edited is the trial that keeps the text in which another trial removes bytes, and updates what measures it; nil if these are in no text, or not text.
func (s shift) edited(t *trial) *trial {
	tree := judge(s.r.all, t.snap, s.r.base.format, nil).tree
	text := textAt(s.r.all, tree, s.name, t.at.Off)
	if text == nil || text.Range.Len > mostEdited {
		return nil
	}
	is := string(bytesAt(s.c, text.Range.Off, text.Range.Len+s.by))
	if !utf8.ValidString(is) || strings.ContainsFunc(is, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return nil
	}
	d := &model.Document{Format: s.r.base.format, Tree: tree}
	plan, err := d.PlanOn(s.r.all, tree, "", model.SetValue(text, model.S(is)))
	if err != nil || slices.ContainsFunc(plan.Patches, func(p model.Patch) bool { return p.Why == model.ChecksumLink.String() }) {
		return nil // a checksum knows the old text
	}
	if c, err := plan.To.Content(s.name); err != nil || c.Len() != s.c.Len() {
		return nil // nothing measures it
	}
	at := Place{File: s.name, Off: text.Range.Off, Len: text.Range.Len, Span: text}
	out := &trial{kind: legal, op: shiftRest, snap: plan.To, at: at, label: fmt.Sprintf("keep the text %q, and update its length and what depends on it", is)}
	out.text = fmt.Sprintf("%s is now %q, %s than its length says.", text.Path(), is, counted(s.by, "longer", "longer"))
	out.means = "It was edited in the file itself: neither its length nor what depends on it was updated. The old text is unknown."
	out.event = &evidence.Event{Kind: evidence.Moved, What: out.label, Place: evidence.Log(float64(s.c.Len())) - evidence.Log(float64(text.Range.Len+1))}
	s.r.judges([]*trial{out})
	if out.res == nil || out.res.problems() > t.res.problems() {
		return nil
	}
	return out
}

// textAt is the text at a place of a file, or the one that ends there.
func textAt(ctx context.Context, t *model.Tree, file string, off int64) *model.Span {
	sp := spaceOf(t, file)
	if sp == nil {
		return nil
	}
	for _, at := range []int64{off, off - 1} {
		span, err := t.AtOpen(ctx, sp.ID, at)
		if err == nil && span != nil && span.Shape == model.Leaf && span.Field.Codec != nil && span.Field.Codec.Kind() == model.Text {
			return span
		}
	}
	return nil
}
