package ui

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/rows"
)

// problemPane lists the findings, the worst first, each with what was found and what was expected.
type problemPane struct {
	listPane
	deep   *keyButton
	state  *widget.Label
	check  deepCheck
	fixes  *fixBar
	found  []model.Finding // as listed
	object fyne.CanvasObject
}

func newProblemPane(d *Document) *problemPane {
	p := &problemPane{listPane: newListPane(d, rows.Column{Title: "problem", Width: 420}, rows.Column{Title: "found", Width: 150},
		rows.Column{Title: "expected", Width: 160}, rows.Column{Title: "where", Width: 210}, rows.Column{Title: "rule", Width: 150})}
	p.bind(p)
	p.state = widget.NewLabel("")
	p.state.Truncation = fyne.TextTruncateEllipsis // what it says must not widen the pane
	p.deep = newKeyButton(d.wb.Workbench, checkText, func() { p.checkAll() })
	p.deep.Importance = widget.LowImportance
	p.fixes = newFixBar(d)
	p.chosen = func(row int64) {
		if p.fixes.show(nil); row < int64(len(p.found)) {
			p.fixes.show(&p.found[row])
		}
	}
	p.object = container.NewBorder(container.NewBorder(nil, nil, nil, p.deep, p.state), p.fixes.object, nil, nil, p.View)
	return p
}

// selected marks the first problem of the selected field, unless another of its problems is marked. A field without one leaves the
// mark where it is: F8 goes on from there.
func (p *problemPane) selected(s Selection) {
	if s.Span.Parent() == nil {
		return // nothing was selected yet
	}
	about := func(f model.Finding) bool { return f.Span == s.Span || s.Range.Len > 0 && f.Where() == s.Range }
	if at := p.Grid.Current; at >= 0 && at < int64(len(p.found)) && about(p.found[at]) {
		return
	}
	if i := slices.IndexFunc(p.found, about); i >= 0 {
		p.Grid.Current = int64(i)
		p.fixes.show(&p.found[i])
		p.View.Follow(p.Grid.Current)
		p.View.Redraw()
	}
}

func (p *problemPane) Blank() string {
	if p.complete() {
		return "nothing is wrong: everything was read"
	}
	return "nothing is wrong as far as was read; “Check everything” reads the rest"
}

func (p *problemPane) changed() {
	p.followCheck()
	found := append([]model.Finding(nil), p.d.found.all...)
	slices.SortStableFunc(found, func(a, b model.Finding) int { return int(a.Grade()) - int(b.Grade()) })
	items := make([]place, len(found))
	for i := range found {
		f := &found[i]
		items[i] = place{span: f.Span, at: f.Where(), cells: []rows.Cell{{Text: f.Text(), Mark: f.Grade()},
			{Text: f.Found}, {Text: f.Expected}, {Text: f.Path()}, {Text: f.Rule.ID, Dim: true}}}
	}
	for _, f := range p.d.declined() {
		if !f.heading {
			items = append(items, place{cells: []rows.Cell{{Text: f.label + " declined: it " + f.text, Dim: true, Wide: true}}})
		}
	}
	p.Grid.Current = p.again(found)
	p.found = found
	p.set(items)
	p.fixes.count(found)
	if at := p.Grid.Current; at >= 0 && at < int64(len(found)) {
		p.fixes.show(&found[at])
	} else {
		p.fixes.show(nil)
	}
	p.state.SetText(p.summary())
	p.d.frame.count(tabProblems, "Problems", len(found)+p.d.found.omitted)
}

// again returns the row of the chosen finding among others: they may have come before it, and it may be gone.
func (p *problemPane) again(among []model.Finding) int64 {
	at := p.Grid.Current
	if at < 0 || at >= int64(len(p.found)) {
		return -1
	}
	old := &p.found[at]
	for i := range among {
		if f := &among[i]; f.Rule == old.Rule && f.Path() == old.Path() && f.Text() == old.Text() {
			return int64(i)
		}
	}
	return -1
}

// complete tells whether everything was checked: nothing is left to read, and nothing waits for a key.
func (p *problemPane) complete() bool { return p.check.done && p.d.found.sealed == nil }

// summary says what was found and how much was read for it.
func (p *problemPane) summary() string {
	n := p.d.found.counts()
	if p.d.Model.Format == nil && n == [4]int{} {
		return "no known format: each says why it declined"
	}
	text := problemCounts(n, p.complete())
	if p.d.found.omitted > 0 {
		text += fmt.Sprintf("; %d more of the same kinds", p.d.found.omitted)
	}
	switch {
	case p.d.Model.Format == nil:
	case p.complete():
		text += "; everything was checked"
	case p.check.done:
		text += "; checked but for what needs a key"
	case p.check.cancel != nil:
		text += "; checking everything…"
	default:
		text += "; not everything was checked"
	}
	return text
}

// problemCounts puts findings into words. That there are none is said when everything was checked.
func problemCounts(n [4]int, all bool) string {
	text := ""
	for s, name := range []string{model.Error: "error", model.Warning: "warning", model.Note: "note"} {
		if name == "" || n[s] == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += counted(int64(n[s]), name)
	}
	switch {
	case text == "" && all:
		return "no problems found"
	case text == "":
		return "no problems so far"
	}
	return text
}

// step goes to the next or the previous finding.
func (p *problemPane) step(by int64) {
	if n := p.Count(); n > 0 {
		at := p.Grid.Current + by
		if p.Grid.Current < 0 && by < 0 {
			at = n - 1
		}
		p.choose((at + n) % n)
	}
}
