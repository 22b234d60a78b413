package cause

import (
	"context"

	"spandrel/model"
)

// maxRounds bounds how often ApplyProven diagnoses again: every repair removes what was wrong, and may reveal further damage.
const maxRounds = 16

// ApplyProven applies repairs that are proven and lossless, one after the other until there are none, each as a step of the document's history. If before is
// not nil, it is called with each repair before the document changes. ApplyProven returns the repairs and the final diagnosis; with an error, those
// applied so far.
func ApplyProven(ctx context.Context, d *model.Document, o Options, before func(*Repair) error) (made []*Repair, left *Diagnosis, err error) {
	for {
		if left, err = Find(ctx, d, o); err != nil {
			return made, nil, err
		}
		x := left.Safe()
		if x == nil || len(made) == maxRounds {
			return made, left, nil
		}
		if before != nil {
			if err := before(x); err != nil {
				return made, nil, err
			}
		}
		if err := x.Make(ctx, d); err != nil {
			return made, nil, err
		}
		made = append(made, x)
		o.Tree = d.Tree // no one else refers to it
	}
}

// Safe returns the first repair that may be applied without asking, or nil.
func (g *Diagnosis) Safe() *Repair {
	for _, c := range g.Causes {
		if x := c.Safe(); x != nil {
			return x
		}
	}
	return nil
}

// Safe returns the repair of the cause that may be applied without asking, or nil.
func (c *Cause) Safe() *Repair {
	for _, x := range c.Repairs {
		if x.Safe && x.To != nil {
			return x
		}
	}
	return nil
}

// Make applies the repair to the document that was diagnosed: the state that was tried in memory becomes the document's.
func (x *Repair) Make(ctx context.Context, d *model.Document) error {
	p, err := x.Plan(ctx, d.Tree.Snapshot)
	if err != nil {
		return err
	}
	if p.Empty() {
		return model.ErrNothing
	}
	if x.Format != nil {
		d.Format = x.Format
	}
	d.Apply(ctx, p, nil)
	return ctx.Err()
}
