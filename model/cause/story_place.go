package cause

import (
	"slices"

	"spandrel/model"
	"spandrel/model/evidence"
)

// What it costs to choose the place of a change.

// choiceOfPlace is the cost of choosing the place of a few bytes: anywhere in the file, under the checksum that fails, or in a field that has
// a problem.
func choiceOfPlace(r *ranking, t *trial, c Change, anywhere evidence.Bits) evidence.Bits {
	if t.under > 0 {
		anywhere = evidence.Log(float64(t.under))
	}
	inField := func(s *suspect) bool {
		return s.file == c.File && s.off <= c.Off && c.Off+c.Del <= s.off+int64(len(s.raw))
	}
	if !t.sum && slices.ContainsFunc(r.clues.list, inField) {
		return min(anywhere, choiceOfField(r))
	}
	if in := t.at; in.Span != nil && in.Span.Shape == model.Leaf && in.File == c.File && in.Off <= c.Off && c.Off+c.Del <= in.Off+in.Len { // as in a text
		return min(anywhere, choiceOfField(r)+evidence.Log(float64(in.Len)))
	}
	if t.op == makeRepair && besideFinding(r, t.at.Span, c) {
		return min(anywhere, choiceOfField(r))
	}
	return anywhere
}

// besideFinding tells whether a change is within one field of the structure that a finding is about.
func besideFinding(r *ranking, about *model.Span, c Change) bool {
	sp := spaceOf(r.base.tree, c.File)
	if about == nil || sp == nil {
		return false
	}
	leaf, err := r.base.tree.AtOpen(r.all, sp.ID, c.Off)
	return err == nil && leaf != nil && leaf.Shape == model.Leaf && c.Off+c.Del <= leaf.Range.End() && leaf.Range.Len <= shortText &&
		(leaf.Parent() == about || leaf.Parent() == about.Parent())
}

// shortText is a text that is changed as a whole.
const shortText = 16
