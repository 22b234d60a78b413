package problems

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// A row is about a cause, a finding, all findings of a frequent rule, or why no format recognised the file.

// refusals is the name of the row that lists why each format declined the file.
const refusals = "refusals"

// same tells whether two rows are about the same.
func same(a, b doc.Place) bool {
	if a.Fold != "" || b.Fold != "" {
		return a.Fold == b.Fold
	}
	return a.Found != nil && b.Found != nil && doc.KeyOf(a.Found) == doc.KeyOf(b.Found)
}

// groupFrom is how many findings of a rule are listed one by one; more are grouped in a row.
const groupFrom = 12

// findingRow is a finding as a row.
func findingRow(f *model.Finding, indent float32) doc.Place {
	return doc.Place{Found: f, Span: f.Span, At: f.Where(), Cells: []rows.Cell{{Text: kit.Sentence(f.Text()), Mark: f.Grade(), Indent: indent},
		{Text: show.AlsoHex(f, f.Found)}, {Text: show.Expected(f)}, {Text: whereText(f), Tail: true}}}
}

// below are findings as rows below another.
func below(list []*model.Finding) func() []doc.Place {
	return func() []doc.Place {
		return model.Map(list, func(f *model.Finding) doc.Place { return findingRow(f, 26) })
	}
}

// findingRows lists findings, grouping those of a frequent rule.
func findingRows(list []*model.Finding) (out []doc.Place) {
	of := map[*model.Rule][]*model.Finding{}
	for _, f := range list {
		of[f.Rule] = append(of[f.Rule], f)
	}
	for _, f := range list {
		switch group := of[f.Rule]; {
		case len(group) <= groupFrom:
			out = append(out, findingRow(f, 0))
		case group[0] == f:
			title := model.Words("%s (%s times)", kit.Sentence(f.Rule.Title), model.Thousands(int64(len(group))))
			out = append(out, doc.Place{Fold: f.Rule.ID, Below: below(group), Found: f, Span: f.Span, At: f.Where(), Cells: []rows.Cell{{Text: title, Mark: f.Grade()}, {}, {}, {}}})
		}
	}
	return out
}

// show lists the causes with the findings that each explains, and then the unexplained findings, the worst first; with a filter, the
// findings that contain it.
func (p *Pane) show(found []model.Finding) {
	was := p.Line(p.Grid.Current)
	p.found = found
	var items []doc.Place
	var rest []*model.Finding
	if want := strings.ToLower(strings.TrimSpace(p.narrow.Text)); want != "" {
		for i := range found {
			f := &found[i]
			if strings.Contains(strings.ToLower(strings.Join([]string{f.Text(), f.Found, f.Expected, whereText(f), f.Rule.ID}, "\n")), want) {
				rest = append(rest, f)
			}
		}
	} else {
		items, rest = p.causes(found)
	}
	items = append(items, findingRows(rest)...)
	if list := p.Doc.Declined(); len(list) > 0 {
		items = append(items, doc.Place{Fold: refusals, Cells: []rows.Cell{{Text: "Show why each format rejected it", Dim: true, Wide: true}}, Below: func() []doc.Place {
			return model.Map(list, func(c model.Candidate) doc.Place {
				return doc.Place{Cells: []rows.Cell{{Text: c.Format.Name + ": " + c.Reason, Indent: 26, Dim: true, Wide: true}}}
			})
		}})
	}
	p.Set(items)
	p.Grid.Current = p.again(was)
	p.View.Redraw()
	p.offer(p.Grid.Current)
}

// causes lists the causes, and returns the findings that none explains.
func (p *Pane) causes(found []model.Finding) (items []doc.Place, rest []*model.Finding) {
	now := p.Doc.Causes.Now()
	explained := make([][]*model.Finding, len(now))
	for i := range found {
		if k, ok := p.Doc.Causes.Of[doc.KeyOf(&found[i])]; ok && len(now) > 0 {
			explained[k] = append(explained[k], &found[i])
		} else {
			rest = append(rest, &found[i])
		}
	}
	for k, x := range now {
		items = append(items, causeRow(x, explained[k], len(found)))
	}
	return items, rest
}

// offer shows the repairs of a row.
func (p *Pane) offer(row int64) {
	switch l := p.Line(row); {
	case l.Cause != nil:
		p.Fixes.showCause(l.Cause)
	default:
		p.Fixes.show(l.Found)
	}
}

// again finds a row among the present rows; -1 if it is gone.
func (p *Pane) again(was doc.Place) int64 {
	return int64(slices.IndexFunc(p.Items, func(x doc.Place) bool { return same(was, x) }))
}

// Step goes to the next or previous cause or finding, also inside a group. The row of a group itself is skipped.
func (p *Pane) Step(by int64) {
	if p.Count() == 0 {
		return
	}
	at := p.Grid.Current
	if at < 0 && by < 0 {
		at = 0
	}
	for {
		if by > 0 {
			p.unfold(at)
		}
		if at = (at + by + p.Count()) % p.Count(); by < 0 {
			at += p.unfold(at)
		}
		if l := p.Line(at); l.Fold == "" || l.Found == nil {
			break
		}
	}
	p.Choose(at)
}

// ChooseOf goes to the first problem of one of some rules, also inside a group.
func (p *Pane) ChooseOf(rules []string) {
	for row := int64(0); row < p.Count(); row++ {
		p.unfold(row)
		if f := p.Line(row).Found; f != nil && slices.Contains(rules, f.Rule.ID) {
			p.Choose(row)
			return
		}
	}
}

// unfold shows what is below a row, and returns the number of rows added.
func (p *Pane) unfold(row int64) int64 {
	l, before := p.Line(row), p.Count()
	if l.Fold != "" && l.Fold != refusals && !p.Open[l.Fold] {
		p.Unfold(l, true)
	}
	return p.Count() - before
}

// Menu is the context menu of a problem.
func (p *Pane) Menu(row int64, x float32) *fyne.Menu {
	l := p.Line(row)
	if l.Found == nil && l.Cause == nil {
		return nil
	}
	items := []*fyne.MenuItem{
		fyne.NewMenuItem("Preview the repair", func() { p.Choose(row); p.Fixes.PreviewFirst() }),
		fyne.NewMenuItem("Copy the problem", func() { p.Doc.Window.Copy(doc.RowText(p.Items[row])) }),
		fyne.NewMenuItem(model.Words("Copy all %d rows", len(p.Items)), func() {
			p.Doc.Window.Copy(strings.Join(model.Map(p.Items, doc.RowText), "\n"))
		}),
		fyne.NewMenuItem("Write a report…", func() { p.Doc.Window.Command("report") }),
	}
	if l.Found != nil {
		r := l.Found.Rule
		items = append(items, fyne.NewMenuItem("About this rule", func() { p.Doc.Window.Tell(r.Title, r.Doc+"\n\n"+r.ID) }))
	}
	if more := p.List.Menu(row, x); more != nil {
		items = append(append(items, fyne.NewMenuItemSeparator()), more.Items...)
	}
	return fyne.NewMenu("", items...)
}

// causeRow is a cause as a row of the problems: how certain it is, what happened, what that means, and how much else it explains.
func causeRow(x *cause.Cause, explained []*model.Finding, of int) doc.Place {
	text := fmt.Sprintf("%s cause: %s %s", kit.Sentence(doc.GradeText(x.Grade)), doc.CauseText(x), x.Means)
	if explains := len(explained); 0 < explains && explains < of && !strings.HasPrefix(x.Means, "It explains ") { // otherwise what it means says so
		text += fmt.Sprintf(" (explains %d of %d)", explains, of)
	}
	row := doc.Place{Cause: x, Fold: x.Text, Below: below(explained), Cells: []rows.Cell{{Text: text, Color: paint.Look().Link, Wide: true}}}
	if x.At.Path != "" {
		row.In = &doc.FieldRange{Path: x.At.Path}
	}
	return row
}
