package headless

import (
	"flag"
	"fmt"
	"slices"

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
		ch := change{c, d, *dry}
		made, g, err := ch.mend(s, *rule, *choose)
		if err != nil {
			return Failed, fmt.Errorf("%s: %w", c.args[0], err)
		}
		if !*dry && (made > 0 || c.out != "") {
			if err := ch.store(); err != nil {
				return Failed, err
			}
		}
		broken := slices.ContainsFunc(g.Findings, func(f model.Finding) bool { return f.Grade() == model.Error })
		if !c.quiet {
			fmt.Fprintf(c.Err, "%s: %s\n", c.args[0], mended(g, made, *dry, broken))
		}
		if broken {
			return Found, nil
		}
		return Done, nil
	}
}

// mended says what was done, and where to go on when it was nothing.
func mended(g *cause.Diagnosis, made int, dry, broken bool) string {
	switch {
	case made > 0 && dry:
		return model.Count(int64(made), "repairs") + " would be made"
	case made > 0:
		return model.Count(int64(made), "repairs") + " made"
	case !broken:
		return "there is nothing to repair"
	case slices.ContainsFunc(g.Causes, func(c *cause.Cause) bool { return len(c.Repairs) > 0 }):
		return "no repair is proven and loses nothing; check lists those there are, and --choose N makes one"
	}
	return "no repair is known; salvage saves what can still be read, where something can"
}

// mend makes repairs: what is proven and loses nothing, one after the other; or what was asked for. It returns how many, and what is
// left to say of the document then.
func (c change) mend(s *search, rule string, choose int) (made int, g *cause.Diagnosis, err error) {
	for range maxRounds {
		t := c.d.Tree
		if rule != "" {
			t = nil // byRule checks it
		}
		if g, err = c.diagnose(c.d, t, s); err != nil {
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
			n, err := c.byRule(rule)
			if err != nil || n == 0 {
				return n, g, err
			}
			g, err = c.diagnose(c.d, nil, s)
			return n, g, err
		case x == nil:
			return made, g, nil
		}
		if err := c.apply(x); err != nil {
			return made, nil, err
		}
		made++
	}
	g, err = c.diagnose(c.d, c.d.Tree, s)
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
func (c change) apply(x *cause.Repair) error {
	p := x.Plan(c.d.Tree.Snapshot)
	if p.Empty() {
		return model.ErrNothing
	}
	if c.dry {
		if err := c.patches(p); err != nil {
			return err
		}
	}
	if x.Format != nil {
		c.d.Format = x.Format
	}
	c.d.Apply(c.ctx, p, nil)
	return nil
}

// maxFixes bounds how many fixes of a rule are applied: one that brings a new problem must not go on for ever.
const maxFixes = 10_000

// byRule makes what a rule offers, one finding after the other, as one may change what another would do.
func (c change) byRule(rule string) (int, error) {
	run := model.Repair{Rule: rule}
	for run.Made < maxFixes {
		if err := c.deep(c.d); err != nil {
			return run.Made, err
		}
		made := false
		for next := run.Next(c.ctx, c.d.Tree); next != nil && !made; next = run.Next(c.ctx, c.d.Tree) {
			err := c.repair(next)
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
