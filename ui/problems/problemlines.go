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

// problemLine is a row of the pane: a cause, a finding, all findings of a frequent rule, or why no format recognised the file.
type problemLine struct {
	Cause *cause.Cause
	Found *model.Finding // of a rule, the first of them
	rule  *model.Rule
	Why   bool // below it is why each format refused the file
}

// refusals is the name of the row that lists why each format declined the file.
const refusals = "refusals"

// fold is the name by which a row is opened and closed; "" for a finding, which has nothing below it.
func (l problemLine) fold() string {
	switch {
	case l.Cause != nil:
		return l.Cause.Text
	case l.rule != nil:
		return l.rule.ID
	case l.Why:
		return refusals
	}
	return ""
}

// same tells whether two rows are about the same.
func (l problemLine) same(o problemLine) bool {
	if l.fold() != "" || o.fold() != "" {
		return l.fold() == o.fold()
	}
	return l.Found != nil && o.Found != nil && doc.KeyOf(l.Found) == doc.KeyOf(o.Found)
}

// groupFrom is how many findings of a rule are listed one by one; more are grouped in a row.
const groupFrom = 12

// problemList is the rows under construction.
type problemList struct {
	p     *Pane
	lines []problemLine
	items []doc.Place
}

func (b *problemList) add(f *model.Finding, indent float32) {
	b.lines = append(b.lines, problemLine{Found: f})
	b.items = append(b.items, doc.Place{Span: f.Span, At: f.Where(), Cells: []rows.Cell{{Text: kit.Sentence(f.Text()), Mark: f.Grade(), Indent: indent},
		{Text: show.AlsoHex(f, f.Found)}, {Text: show.Expected(f)}, {Text: whereText(f), Tail: true}}})
}

// each lists findings, grouping those of a frequent rule.
func (b *problemList) each(list []*model.Finding) {
	of := map[*model.Rule][]*model.Finding{}
	for _, f := range list {
		of[f.Rule] = append(of[f.Rule], f)
	}
	for _, f := range list {
		group := of[f.Rule]
		switch {
		case len(group) <= groupFrom:
			b.add(f, 0)
			continue
		case group[0] != f:
			continue
		}
		open := b.p.open[f.Rule.ID]
		b.lines = append(b.lines, problemLine{Found: f, rule: f.Rule})
		b.items = append(b.items, doc.Place{Span: f.Span, At: f.Where(), Cells: []rows.Cell{
			{Text: model.Words("%s (%s times)", kit.Sentence(f.Rule.Title), model.Thousands(int64(len(group)))), Mark: f.Grade(), Branch: rows.Branch(open)}, {}, {}, {}}})
		for _, f := range group {
			if open {
				b.add(f, 26)
			}
		}
	}
}

// show lists the causes with the findings that each explains, and then the unexplained findings, the worst first; with a filter, the
// findings that contain it.
func (p *Pane) show(found []model.Finding) {
	was := p.Line(p.Grid.Current)
	p.found = found
	b := problemList{p: p}
	var rest []*model.Finding
	if want := strings.ToLower(strings.TrimSpace(p.narrow.Text)); want != "" {
		for i := range found {
			f := &found[i]
			if strings.Contains(strings.ToLower(strings.Join([]string{f.Text(), f.Found, f.Expected, whereText(f), f.Rule.ID}, "\n")), want) {
				rest = append(rest, f)
			}
		}
	} else {
		rest = b.causes(found)
	}
	b.each(rest)
	b.refusals(p.Doc.Declined())
	p.Lines = b.lines
	p.Grid.Current = p.again(was)
	p.Set(b.items)
	p.offer(p.Grid.Current)
}

// refusals lists why each format declined the file.
func (b *problemList) refusals(list []model.Candidate) {
	if len(list) == 0 {
		return
	}
	open := b.p.open[refusals]
	b.lines = append(b.lines, problemLine{Why: true})
	b.items = append(b.items, doc.Place{Cells: []rows.Cell{{Text: "Show why each format rejected it", Branch: rows.Branch(open), Dim: true, Wide: true}}})
	for _, c := range list {
		if open {
			b.items = append(b.items, doc.Place{Cells: []rows.Cell{{Text: c.Format.Name + ": " + c.Reason, Indent: 26, Dim: true, Wide: true}}})
		}
	}
}

// causes lists the causes and returns the findings that none explains.
func (b *problemList) causes(found []model.Finding) (rest []*model.Finding) {
	d := b.p.Doc
	for k, x := range d.Causes.Now() {
		b.lines = append(b.lines, problemLine{Cause: x})
		b.items = append(b.items, causeRow(x, d.Causes.Explained(k, found), len(found), b.p.open[x.Text]))
		for i := range found {
			if by, ok := d.Causes.Of[doc.KeyOf(&found[i])]; ok && by == k && b.p.open[x.Text] {
				b.add(&found[i], 26)
			}
		}
	}
	for i := range found {
		if _, ok := d.Causes.Of[doc.KeyOf(&found[i])]; !ok || len(d.Causes.Now()) == 0 {
			rest = append(rest, &found[i])
		}
	}
	return rest
}

// Line returns what a row is about; nothing for rows after the findings.
func (p *Pane) Line(row int64) problemLine {
	if row < 0 || row >= int64(len(p.Lines)) {
		return problemLine{}
	}
	return p.Lines[row]
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
func (p *Pane) again(was problemLine) int64 {
	return int64(slices.IndexFunc(p.Lines, was.same))
}

// Fold shows or hides what is below a row.
func (p *Pane) Fold(l problemLine, open bool) {
	p.open[l.fold()] = open
	p.show(p.found)
}

// Press selects a row; on its triangle, or with a double click, it shows or hides what is below it.
func (p *Pane) Press(row int64, x float32, e rows.Press) {
	if l := p.Line(row); l.fold() != "" && e.Click() && (e.Double || x < rows.CellPad+rows.BranchBox) {
		p.Fold(l, !p.open[l.fold()])
		return
	}
	p.List.Press(row, x, e)
}

// Key opens and closes rows with Right and Left.
func (p *Pane) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	if l := p.Line(p.Grid.Current); l.fold() != "" && mod == 0 && (name == fyne.KeyLeft || name == fyne.KeyRight || name == fyne.KeySpace) {
		p.Fold(l, name == fyne.KeyRight || name == fyne.KeySpace && !p.open[l.fold()])
		return true
	}
	return p.List.Key(name, mod)
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
		if p.Line(at).rule == nil {
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
	if l.fold() != "" && !l.Why && !p.open[l.fold()] {
		p.Fold(l, true)
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
func causeRow(x *cause.Cause, explains, of int, open bool) doc.Place {
	text := fmt.Sprintf("%s cause: %s %s", kit.Sentence(doc.GradeText(x.Grade)), doc.CauseText(x), x.Means)
	if 0 < explains && explains < of && !strings.HasPrefix(x.Means, "It explains ") { // otherwise what it means says so
		text += fmt.Sprintf(" (explains %d of %d)", explains, of)
	}
	row := doc.Place{Cells: []rows.Cell{{Text: text, Branch: rows.Branch(open), Color: paint.Look().Link, Wide: true}}}
	if x.At.Path != "" {
		row.In = &doc.FieldRange{Path: x.At.Path}
	}
	return row
}
