package doc

import (
	"cmp"
	"slices"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/show"
)

// Advice is a way to solve a problem: its label wherever it is offered, and its action.
type Advice struct {
	Label string
	Kind  AdviceKind
	Do    func()
}

// AdviceKind is the kind of an advice. The menu and the palette have a command for some of them.
type AdviceKind uint8

const (
	Other   AdviceKind = iota
	Proven             // it may be done without a doubt: its button is the blue one
	Locate             // asks for a missing file
	Replace            // asks for another copy of a damaged file
	Guesses            // leads to all repairs that may be wrong
)

// ReplaceText is the label for replacing a damaged file by another copy.
const ReplaceText = "Replace from another copy…"

// LocateText is the label for locating a missing file with this name.
func LocateText(name string) string { return "Locate " + paint.Shorten(name, 32) + "…" }

// Advice lists what can be done about a cause, the best first: a proven repair; the file itself, if it is missing or truncated; saving what is
// intact; guesses.
func (c *Causes) Advice(x *cause.Cause) (list []Advice) {
	var guesses []*cause.Repair
	for _, r := range x.Repairs {
		if r.Safe {
			list = append(list, Advice{Label: repairLabel("Repair: ", r.Label), Kind: Proven, Do: func() { c.Preview(r) }})
		} else {
			guesses = append(guesses, r)
		}
	}
	file := cmp.Or(x.File, x.At.File, c.d.Model.Tree.Snapshot.Primary)
	_, missing := c.d.Model.Tree.Snapshot.Content(file)
	whole := x.Truncated() || x.Missing() || len(x.Repairs) == 0 || missing != nil
	if x.Foreign() {
		return list
	}
	if file == "" { // it is about a folder: no single file can be located or replaced
		return append(append(list, c.guesses(guesses)...), c.instead()...)
	}
	another := Advice{Label: ReplaceText, Kind: Replace, Do: func() { c.d.askCopy(file, titled(x, file)) }}
	if missing != nil {
		another.Label, another.Kind = LocateText(titled(x, file)), Locate
	}
	if len(list) > 0 && missing == nil {
		return append(list, c.guesses(guesses)...)
	}
	if whole {
		list = append(list, c.instead(another)...)
	}
	if list = append(list, c.guesses(guesses)...); !whole {
		list = append(list, another)
	}
	return list
}

// instead lists what can be done about a file that has lost bytes: use another copy, or save the intact data, which comes first if it is complete.
func (c *Causes) instead(another ...Advice) []Advice {
	if !Salvageable(c.d) {
		return another
	}
	salvage := Advice{Label: salvageLabel(c.d), Do: func() { c.d.Window.Command("salvage") }}
	if left := c.Left; left != nil && c.Tree == c.d.Tree() && left.Whole() {
		return append([]Advice{salvage}, another...)
	}
	return append(another, salvage)
}

// guesses is a list of unproven repairs as one advice; none for an empty list. The first is the one that the sentence above it names.
func (c *Causes) guesses(list []*cause.Repair) []Advice {
	if len(list) == 0 {
		return nil
	}
	var lines []string
	for _, r := range list {
		line := r.Label
		if how := r.Slip().String(); how != "" {
			line += " (" + how + ")"
		}
		if r.Loses != "" {
			line += " (loses " + r.Loses + ")"
		}
		lines = append(lines, kit.InWidget(line))
	}
	all := c.possible(lines, func(i int) { c.Preview(list[i]) })
	if len(list) > 1 && !slices.ContainsFunc(list[1:], func(r *cause.Repair) bool { return r.Slip() <= list[0].Slip() }) { // it is the only one that undoes such a slip: its preview is one step away
		best := c.possible(lines[:1], func(int) { c.Preview(list[0]) })
		best[0].Kind = Other
		return append(best, all...)
	}
	return all
}

// possible offers the repairs that are not proven as one advice, which shows the list; a single one is named in its label.
func (c *Causes) possible(lines []string, preview func(i int)) []Advice {
	one := Advice{Label: show.Counted(int64(len(lines)), "possible repair") + "…", Kind: Guesses, Do: func() {
		switch {
		case c.Waits():
		case len(lines) == 1:
			preview(0)
		default:
			c.d.Window.Offer("Possible repairs, each with a preview", "Preview", lines, preview)
		}
	}}
	if len(lines) == 1 {
		one.Label = repairLabel("Possible repair: ", lines[0])
	}
	return []Advice{one}
}

// Guessed is the same for the repairs that rules offer if no cause is known.
func (c *Causes) Guessed(fixes []model.Fix) []Advice {
	if len(fixes) == 0 {
		return nil
	}
	lines := model.Map(fixes, func(x model.Fix) string { return kit.InWidget(FixText(&x)) })
	return c.possible(lines, func(i int) { c.PreviewFix(fixes[i]) })
}

// FixText is the effect of a rule's repair, with what it loses.
func FixText(x *model.Fix) string {
	if x.Loses != "" {
		return x.Label + " (loses " + x.Loses + ")"
	}
	return x.Label
}

// Pending tells whether the cause is still being searched for, or will be after the check: repairs offered now may be wrong.
func (c *Causes) Pending() bool {
	return c.Cancel != nil || c.d.Preview == nil && c.Tree != c.d.Tree() && c.d.Check.Running() && c.looks()
}

// waitsSaid is what is said to a repair that has to wait.
const waitsSaid = "Looking for the cause. Repairing a single problem now might be wrong."

// Waits tells the user that repairs wait for the search.
func (c *Causes) Waits() bool {
	if c.Pending() {
		c.d.Window.Say(waitsSaid)
		return true
	}
	return false
}

// Advised returns the first advice of a kind for the causes of a document.
func (c *Causes) Advised(kind AdviceKind) (Advice, bool) {
	if c.Pending() || c.d.Preview != nil {
		return Advice{}, false
	}
	for _, x := range c.Now() {
		list := c.Advice(x)
		if i := slices.IndexFunc(list, func(a Advice) bool { return a.Kind == kind }); i >= 0 {
			return list[i], true
		}
	}
	return Advice{}, false
}

// repairLabel is the label of a button that previews a repair.
func repairLabel(kind, s string) string { return kind + paint.Shorten(kit.InWidget(s), 50) + "…" }
