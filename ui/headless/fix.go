package headless

import (
	"flag"
	"fmt"

	"spandrel/model"
	"spandrel/model/cause"
)

// maxRounds bounds how often fix looks again after a repair: each takes away what was wrong, and may show what was behind it.
const maxRounds = 16

func fix(f *flag.FlagSet, c *call) func() (int, error) {
	s := searching(f)
	rule := f.String("rule", "", "apply the repairs of this rule, also those that are not proven")
	choose := f.Int("choose", 0, "apply the repair with this number, as check prints it")
	dry := f.Bool("dry-run", false, "print the byte changes and write nothing")
	return func() (int, error) {
		if err := c.need(1, 1, "fix PATH"); err != nil {
			return Failed, err
		}
		d, err := c.open(c.args[0])
		if err != nil {
			return Failed, err
		}
		defer d.Close()
		made, g, err := c.mend(d, s, *rule, *choose, *dry)
		if err != nil {
			return Failed, fmt.Errorf("%s: %w", c.args[0], err)
		}
		if !*dry && (made > 0 || c.out != "") {
			if err := c.store(d); err != nil {
				return Failed, err
			}
		}
		if !c.quiet {
			fmt.Fprintf(c.Err, "%s: %d fixes\n", c.args[0], made)
		}
		for i := range g.Findings {
			if g.Findings[i].Grade() == model.Error {
				return Found, nil
			}
		}
		return Done, nil
	}
}

// mend makes repairs: what is proven and loses nothing, one after the other; or what was asked for. It returns how many, and what is
// left to say of the document then.
func (c *call) mend(d *model.Document, s *search, rule string, choose int, dry bool) (made int, g *cause.Diagnosis, err error) {
	for range maxRounds {
		if g, err = c.diagnose(d, s); err != nil {
			return made, nil, err
		}
		if made > 0 && (rule != "" || choose > 0) {
			return made, g, nil
		}
		x := chosen(g, rule, choose)
		switch {
		case x == nil && choose > 0:
			return made, nil, fmt.Errorf("there is no repair %d: check lists them", choose)
		case x == nil && rule != "":
			n, err := c.byRule(d, rule, dry)
			if err != nil || n == 0 {
				return n, g, err
			}
			g, err = c.diagnose(d, s)
			return n, g, err
		case x == nil:
			return made, g, nil
		}
		if err := c.apply(d, x, dry); err != nil {
			return made, nil, err
		}
		made++
	}
	g, err = c.diagnose(d, s)
	return made, g, err
}

// chosen returns the repair to make: the one of a number, the first of the cause that a rule leads to, or the next safe one.
func chosen(g *cause.Diagnosis, rule string, choose int) *cause.Repair {
	for k, x := range g.Causes {
		for _, r := range x.Repairs {
			lead := ofCause(g, k)
			switch {
			case r.To == nil:
			case choose > 0 && r.Number == choose, choose == 0 && rule == "" && r.Safe,
				choose == 0 && rule != "" && (lead >= 0 && g.Findings[lead].Rule.ID == rule):
				return r
			}
		}
	}
	return nil
}

// apply makes a repair: the state that was tested in memory becomes the document's.
func (c *call) apply(d *model.Document, x *cause.Repair, dry bool) error {
	p := x.Plan(d.Tree.Snapshot)
	if p.Empty() {
		return model.ErrNothing
	}
	if dry {
		if err := c.patches(p); err != nil {
			return err
		}
	}
	if x.Format != nil {
		d.Format = x.Format
	}
	d.Apply(c.ctx, p, nil)
	return nil
}

// maxFixes bounds how many fixes of a rule are applied: one that brings a new problem must not go on for ever.
const maxFixes = 10_000

// byRule makes what a rule offers, one finding after the other, as one may change what another would do.
func (c *call) byRule(d *model.Document, rule string, dry bool) (int, error) {
	run := model.Repair{Rule: rule}
	for run.Made < maxFixes {
		if err := c.deep(d); err != nil {
			return run.Made, err
		}
		made := false
		for next := run.Next(c.ctx, d.Tree); next != nil && !made; next = run.Next(c.ctx, d.Tree) {
			err := c.repair(d, next, dry)
			if c.ctx.Err() != nil {
				return run.Made, c.ctx.Err()
			}
			run.Done(err)
			made = err == nil
		}
		if !made {
			break
		}
	}
	if err := run.Failed(); err != nil { // what cannot be repaired keeps nothing else from it
		fmt.Fprintf(c.Err, "spandrel: %s: not repaired: %v\n", c.args[0], err)
	}
	return run.Made, nil
}
