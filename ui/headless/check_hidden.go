package headless

import (
	"maps"
	"slices"
	"strings"

	"spandrel/model"
)

// What a check says of findings that it does not print.

// mostAlike is how many findings of one rule a person reads.
const mostAlike = 5

// crowded tells whether as many findings of a rule are more than a person reads, unless the rule was asked for.
func (c diagnosed) crowded(r *model.Rule, n int) bool {
	return n > mostAlike && !slices.Contains(c.first, r)
}

// alike says how many findings of the rules that were printed are not, because they are like the others.
func (c diagnosed) alike(found map[*model.Rule]int, all bool) error {
	for _, r := range slices.SortedFunc(maps.Keys(found), func(a, b *model.Rule) int { return strings.Compare(a.ID, b.ID) }) {
		if !all && c.crowded(r, found[r]) {
			if err := linef(c.Out, "%s: %s more %s: %s (--all shows them)", c.path, model.Thousands(int64(found[r]-mostAlike)), r.ID, r.Title); err != nil {
				return err
			}
		}
	}
	return nil
}

// unprinted says which problems are not listed, or that some were not looked for.
func (c diagnosed) unprinted(hidden leftOut) error {
	switch {
	case hidden != (leftOut{}) && !c.quiet:
		return linef(c.Out, "%s: %s", c.path, hidden.String())
	case !c.g.Deep && !c.json:
		return linef(c.Out, "%s: note: the document is large, so only its structure was read; --deep reads everything", c.path)
	}
	return nil
}

// leftOut counts hidden findings, which causes explain.
type leftOut struct{ problems, notes int }

func (l *leftOut) add(grade model.Severity, n int) {
	if grade == model.Note {
		l.notes += n
	} else {
		l.problems += n
	}
}

func (l leftOut) String() string {
	var what []string
	for _, x := range []struct {
		n    int
		name string
	}{{l.problems, "problems"}, {l.notes, "notes"}} {
		if x.n > 0 {
			what = append(what, model.Count(int64(x.n), x.name))
		}
	}
	if l.problems+l.notes == 1 {
		return "1 related " + what[0][2:] + " hidden (--all shows it)"
	}
	return strings.Join(what, " and ") + " related to these causes hidden (--all shows them)"
}
