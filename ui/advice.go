package ui

import (
	"cmp"
	"path"
	"slices"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/ui/paint"
)

// advice is a way out of what is wrong: what it is called wherever it is offered, and what it does.
type advice struct {
	label  string
	proven bool // it may be done without a doubt: its button is the blue one
	do     func()
}

const replaceText = "Replace from another copy…"

// locateText is how the search for a missing file is called.
func locateText(file string) string { return "Locate " + paint.Shorten(path.Base(file), 40) + "…" }

// guessesText is how a list of repairs is called that are not proven.
func guessesText(n int) string { return counted(int64(n), "possible repair") + "…" }

// advice lists what can be done about a cause, the best first: what is proven; or the file itself, where it is missing or truncated; what is
// intact; guesses.
func (c *causes) advice(x *cause.Cause) (list []advice) {
	var guesses []*cause.Repair
	for _, r := range x.Repairs {
		if r.Safe {
			list = append(list, advice{repairLabel(r.Label), true, func() { c.preview(r) }})
		} else {
			guesses = append(guesses, r)
		}
	}
	file := cmp.Or(x.File, x.At.File, c.d.Model.Tree.Snapshot.Primary)
	_, missing := c.d.Model.Tree.Snapshot.Content(file)
	whole := x.Truncated() || x.Missing() || len(x.Repairs) == 0
	if x.Foreign() {
		return list
	}
	another := advice{replaceText, false, func() { c.d.askCopy(file) }}
	if missing != nil {
		another.label = locateText(file)
	}
	if len(list) > 0 && missing == nil {
		return append(list, c.guesses(guesses)...)
	}
	if whole {
		list = append(list, another)
		if salvageable(c.d) {
			list = append(list, advice{salvageLabel(c.d), false, func() { c.d.wb.command("salvage") }})
		}
	}
	if list = append(list, c.guesses(guesses)...); !whole {
		list = append(list, another)
	}
	return list
}

// firstAdvice is the advice of a headline; none where there is none.
func firstAdvice(list []advice) advice {
	if len(list) == 0 {
		return advice{}
	}
	return list[0]
}

// guesses is a list of repairs that are not proven, as one advice; none of no repairs.
func (c *causes) guesses(list []*cause.Repair) []advice {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *cause.Repair) int { return int(a.Slip()) - int(b.Slip()) })
	var lines []string
	for _, r := range list {
		line := r.Label
		if how := r.Slip().String(); how != "" {
			line += " (" + how + ")"
		}
		if r.Loses != "" {
			line += " (loses " + r.Loses + ")"
		}
		lines = append(lines, inWidget(line))
	}
	return []advice{{guessesText(len(list)), false, func() {
		if !c.waits() {
			c.d.wb.offer("Possible repairs, each with a preview", lines, func(i int) { c.preview(list[i]) })
		}
	}}}
}

// guessed is the same for the repairs that rules offer where no cause is known.
func (c *causes) guessed(fixes []model.Fix) []advice {
	if len(fixes) == 0 {
		return nil
	}
	var lines []string
	for _, x := range fixes {
		lines = append(lines, inWidget(fixText(&x)))
	}
	return []advice{{guessesText(len(fixes)), false, func() {
		if !c.waits() {
			c.d.wb.offer("Possible repairs, each with a preview", lines, func(i int) { c.previewFix(fixes[i]) })
		}
	}}}
}

// fixText is what a repair of a rule does, with what it costs.
func fixText(x *model.Fix) string {
	if x.Loses != "" {
		return x.Label + " (loses " + x.Loses + ")"
	}
	return x.Label
}

// pending tells whether the cause is still being looked for, or will be when the check is over: a repair that is offered then may be the wrong one.
func (c *causes) pending() bool {
	return c.cancel != nil || c.d.trial == nil && c.tree != c.d.Tree() && c.d.check.running() && c.looks()
}

// waits tells the user that repairs wait for the search.
func (c *causes) waits() bool {
	if c.pending() {
		c.d.wb.say("The cause is still being looked for. A repair of one problem might be the wrong one.")
		return true
	}
	return false
}

// advised returns the first advice of a kind for the causes of a document.
func (c *causes) advised(kind func(advice) bool) (advice, bool) {
	if c.pending() || c.d.trial != nil {
		return advice{}, false
	}
	for _, x := range c.now() {
		list := c.advice(x)
		if i := slices.IndexFunc(list, kind); i >= 0 {
			return list[i], true
		}
	}
	return advice{}, false
}

// repairLabel is what a proven repair is called.
func repairLabel(s string) string { return "Repair: " + paint.Shorten(inWidget(s), 50) + "…" }
