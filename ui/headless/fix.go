package headless

import (
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/model/cause"
)

func fix(f *flag.FlagSet, c *call) func() (int, error) {
	s := searching(f)
	f.Lookup("warnings").Usage += ", and repair them"
	rule := f.String("rule", "", "apply the repairs of this rule, including unproven ones")
	choose := f.String("choose", "", "apply the repair with this `ID`, number or number:ID in the output of check")
	with := f.String("with", "", "restore damaged bytes from `COPY`: an older save, a backup or another download, which may be damaged elsewhere")
	dry := f.Bool("dry-run", false, "print the byte changes and write nothing")
	return func() (int, error) {
		if *rule != "" && !slices.ContainsFunc(c.Formats, func(f *model.Format) bool { return f.Rule(*rule) != nil }) {
			return Failed, fmt.Errorf("--rule %s: no such rule; spandrel rules lists them", *rule)
		}
		if *choose != "" && !choice.MatchString(*choose) {
			return Failed, fmt.Errorf("--choose %s: give the ID of a repair, 8 digits of 0 to 9 and a to f, its number, or both as NUMBER:ID", *choose)
		}
		if *with != "" {
			return repairWithCopy(c, s, *with, *dry)
		}
		d, err := c.open(c.args[0])
		if err != nil {
			return Failed, err
		}
		return change{call: c, d: d, dry: *dry}.fix(s, *rule, *choose)
	}
}

// fix repairs the document, saves it, and says what was done.
func (c change) fix(s *search, rule, choose string) (int, error) {
	made, g, err := c.repair(s, rule, choose)
	if err = errors.Join(err, c.d.Unread()); err != nil {
		return Failed, of(c.args[0], err)
	}
	if !c.dry && (made > 0 || c.out != "") {
		quiet := c.quiet
		c.quiet = quiet || made == 0 // of an unchanged copy, the last line is enough
		if err := c.store(); err != nil {
			return Failed, err
		}
		c.quiet = quiet
	}
	status := verdictOf(g.Findings)
	broken := status == Found
	message := c.outcome(g, made, s.warnings, broken)
	if made == 0 && c.out != "" && !c.dry {
		message += "; " + c.out + " is an unchanged copy"
	}
	return status, c.tell(answer{Kind: "done", Message: message, Repairs: &made, DryRun: c.dry, Broken: &broken})
}

// outcome says what was done, and if it was nothing, how to continue: with commands that work on this document.
func (c change) outcome(g *cause.Diagnosis, made int, warnings, broken bool) string {
	switch {
	case made > 0 && c.dry:
		return model.Count(int64(made), "repairs") + " would be made"
	case made > 0:
		return model.Count(int64(made), "repairs") + " made"
	case slices.ContainsFunc(g.Causes, func(c *cause.Cause) bool { return len(c.Repairs) > 0 }):
		with := ""
		if warnings {
			with = " --warnings"
		}
		return "no repair is proven and lossless" + longerFor(g) + "; check" + with + " lists the possible ones, and --choose ID applies one"
	case !broken && !warnings && c.offering(g, model.Warning) != nil:
		return "there are no errors to repair; check shows repairs of warnings, and --warnings makes those that are proven"
	case !broken && slices.ContainsFunc(g.Findings, func(f model.Finding) bool { return weighs(&f) }):
		return "there are no errors to repair, and no repair of the warnings is known; check shows them"
	case !broken:
		return "there is nothing to repair"
	}
	if g.Format == nil { // there is nothing that salvage could read
		if len(g.Causes) > 0 {
			return "nothing to repair here: " + model.OneLine(strings.TrimSpace(g.Causes[0].Text+" "+g.Causes[0].Means))
		}
		return "no format accepts it; check says why"
	}
	if rule := c.offering(g, model.Error); rule != nil {
		return "no repair is proven" + longerFor(g) + "; check shows the repairs that rules offer, and --rule " + rule.ID + " makes one of them"
	}
	none := "no repair is known" + longerFor(g)
	switch _, err := model.Salvage(c.ctx, c.d.Tree); {
	case err == nil:
		return none + "; salvage saves the readable data"
	case c.d.Tree.Readable(c.ctx):
		return none + "; check shows what is wrong, and table what can still be read"
	}
	return none + ", and no data can be read from it: download or copy it again; check shows what is wrong"
}

// offering is the first rule with findings of a severity that offers a repair; nil if there is none.
func (c change) offering(g *cause.Diagnosis, of model.Severity) *model.Rule {
	i := slices.IndexFunc(g.Findings, func(f model.Finding) bool { return f.Grade() == of && len(c.d.Tree.Fixes(c.ctx, &f)) > 0 })
	if i < 0 {
		return nil
	}
	return g.Findings[i].Rule
}

// longerFor says how to go on with a search that was cut short: a busy machine may not prove what an idle one does.
func longerFor(g *cause.Diagnosis) string {
	if !g.Cut {
		return ""
	}
	return " (the search was cut short: --effort 4 searches longer)"
}

// repair applies repairs: proven and lossless ones, one after the other; or the one that was asked for. It returns how many, and the
// diagnosis afterwards.
func (c change) repair(s *search, rule, choose string) (made int, g *cause.Diagnosis, err error) {
	o := s.options(c.call)
	if o.Tree = c.d.Tree; rule == "" && choose == "" {
		list, g, err := cause.ApplyProven(c.ctx, c.d, o, c.show)
		return len(list), g, err
	}
	if rule != "" {
		o.Tree = nil // byRule checks it
	}
	g, err = cause.Find(c.ctx, c.d, o)
	if err == nil && g.Cut && len(choose) >= idDigits && chosen(g, rule, choose) == nil { // check had more time, or a machine that did less
		o.Tree, o.Purse, o.Time = nil, nil, longer*max(o.Time, cause.DefaultTime)
		g, err = cause.Find(c.ctx, c.d, o)
	}
	if err != nil {
		return 0, nil, err
	}
	switch x := chosen(g, rule, choose); {
	case x != nil && choose == strconv.Itoa(x.Number) && g.Cut:
		return 0, nil, fmt.Errorf("the search was cut short, so repair %s may not be the one that check printed: give its ID, which is %s for “%s”", choose, x.ID, x.Label)
	case x != nil:
		if choose != "" {
			c.tell(answer{Kind: "repair", Message: fmt.Sprintf("repair %d [%s]: %s", x.Number, x.ID, x.Label)})
		}
		if err = c.show(x); err == nil {
			made, err = 1, x.Make(c.ctx, c.d)
		}
	case choose != "":
		return 0, nil, notThere(g, choose)
	default:
		made, err = c.byRule(rule)
	}
	if err == nil && made > 0 {
		g, err = c.diagnose(c.d, nil, s)
	}
	return made, g, err
}

// choice is how a repair is identified: by its ID, its number, or both.
var choice = regexp.MustCompile(`^([0-9]{1,4}|([0-9]{1,4}:)?[0-9a-f]{8})$`)

// idDigits is the number of digits of an ID.
const idDigits = 8

// longer is the factor by which the time is extended to find a repair by ID if the search was cut short before.
const longer = 8

// notThere says why no repair was chosen.
func notThere(g *cause.Diagnosis, choose string) error {
	number, id, both := strings.Cut(choose, ":")
	n := int64(0)
	for _, c := range g.Causes {
		for _, x := range c.Repairs {
			if n++; both && x.ID == id {
				return fmt.Errorf("the repair with ID %s is now number %d, not %s: give only the ID if that is the one you want", id, x.Number, number)
			}
		}
	}
	cut := ""
	if g.Cut {
		cut = ", and the search was cut short"
	}
	return fmt.Errorf("there is no repair %s: the file now has %s%s; run check again", choose, model.Count(n, "repairs"), cut)
}

// chosen returns the repair to apply: the one with an ID, a number, or both, or the first of the cause that a rule leads to. The ID depends on the
// changed bytes; the number is that of this search, which is the printed one as long as the file and the options are the same.
func chosen(g *cause.Diagnosis, rule, choose string) *cause.Repair {
	for k, x := range g.Causes {
		lead := ofCause(g, k)
		for _, r := range x.Repairs {
			number := strconv.Itoa(r.Number)
			asked := choose != "" && (choose == r.ID || choose == number || choose == number+":"+r.ID)
			if r.To != nil && (asked || choose == "" && lead >= 0 && g.Findings[lead].Rule.ID == rule) {
				return r
			}
		}
	}
	return nil
}

// show prints the bytes that a repair changes, in a dry run.
func (c change) show(x *cause.Repair) error {
	if !c.dry {
		return nil
	}
	p, err := x.Plan(c.ctx, c.d.Tree.Snapshot)
	if err != nil {
		return err
	}
	return c.patches(p)
}

// applyLosing makes a fix, and says what it loses.
func (c change) applyLosing(x *model.Fix) error {
	err := c.apply(x)
	if err == nil && x.Loses != "" {
		c.tell(answer{Kind: "warning", Message: "“" + x.Label + "” loses " + x.Loses})
	}
	return err
}

// maxFixes bounds how many fixes of a rule are applied, because each may introduce a new problem.
const maxFixes = 10_000

// byRule applies what a rule offers, one finding after the other, because one fix may change another.
func (c change) byRule(rule string) (int, error) {
	run := model.Repair{Rule: rule}
	for run.Made < maxFixes {
		if err := c.deep(c.d); err != nil {
			return run.Made, err
		}
		made := false
		for next := run.Next(c.ctx, c.d.Tree); next != nil && !made; next = run.Next(c.ctx, c.d.Tree) {
			err := c.applyLosing(next)
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
		c.tell(answer{Kind: "warning", Message: "not repaired: " + said(err)})
	}
	return run.Made, nil
}
