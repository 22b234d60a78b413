package cause

import (
	"context"

	"spandrel/model"
	"spandrel/model/evidence"
)

// What a state of the document has right. Every condition that random bytes would fail is evidence that the bytes were written that way, so a repair after
// which such bytes are no longer parsed leaves that evidence unexplained.

// agreements are the conditions that a state meets, by kind of condition and field name.
type agreements map[string]evidence.Check

func (a agreements) add(what string, strength evidence.Bits) {
	c := a[what]
	c.Strength, c.Times = strength, c.Times+1
	a[what] = c
}

// agree records a field that has its constant, or one of a few legal values.
func (v *verdict) agree(s *model.Span) {
	if s.State != model.OK || v.refused[s.Range] {
		return
	}
	switch f := s.Field; {
	case f.Safe.Kind != model.None:
		v.agreed.add("constant "+f.Name, evidence.Constant(s.Range.Len))
	case len(f.Enum) > 0:
		v.agreed.add("value "+f.Name, evidence.OneOf(s.Range.Len, len(f.Enum)))
	}
}

// isOpen tells whether a span can be reached. A frame that was closed again leaves links behind only if something is wrong in it.
func isOpen(s *model.Span) bool {
	for p := s.Parent(); p != nil; p = p.Parent() {
		if !p.Ready() {
			return false
		}
	}
	return true
}

// linked records the numbers that match what they are derived from.
func (v *verdict) linked() {
	for _, l := range v.tree.Links() {
		switch {
		case l.Quiet || l.Kind == model.PadLink || v.refused[l.Field.Range] || !isOpen(l.Field):
		case l.Kind == model.ChecksumLink:
			v.agreed.add(l.Kind.String()+" "+l.Field.Field.Name, evidence.Sum(l.Field.Range.Len, l.Sum.Weak))
		default:
			v.agreed.add(l.Kind.String()+" "+l.Field.Field.Name, min(evidence.ErrorCost, evidence.Random(l.Field.Range.Len)))
		}
	}
}

// lost is the cost of the conditions that base meets and this state does not.
func (v *verdict) lost(base *verdict) (sum evidence.Bits) {
	for what, was := range base.agreed {
		if is := v.agreed[what]; is.Times == 0 {
			sum += was.Cost()
		} else if is.Times < was.Times {
			sum += was.Cost() - is.Cost()
		}
	}
	return sum
}

// maxOpened is how many open frames of a state are kept.
const maxOpened = 1024

// reopen opens the frames of a checked state that the check of the document left open because something is wrong in them. Those that are sound now stay
// closed otherwise, and what they have right would seem to be lost.
func (r *search) reopen(ctx context.Context, t *model.Tree) {
	for _, path := range r.opened {
		if s, err := t.Find(ctx, path); err == nil {
			_ = t.Open(ctx, s) // what cannot be read is a finding
		}
	}
}
