package ui

import (
	"context"
	"fmt"
	"sort"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
)

// problemPane lists the findings, the worst first, each with what was found and what was expected.
type problemPane struct {
	listPane
	deep   *widget.Button
	state  *widget.Label
	cancel func()
	fixes  *fixBar
	found  []model.Diagnostic // as listed
	object fyne.CanvasObject
}

func newProblemPane(d *Document) *problemPane {
	p := &problemPane{listPane: newListPane(d, column{title: "problem", width: 420}, column{title: "found", width: 150},
		column{title: "expected", width: 160}, column{title: "where", width: 210}, column{title: "rule", width: 110})}
	p.fits = true
	p.bind(p)
	p.state = widget.NewLabel("")
	p.deep = widget.NewButton("Check everything", func() { p.checkAll() })
	p.deep.Importance = widget.LowImportance
	p.fixes = newFixBar(d)
	p.chosen = func(row int64) {
		if p.fixes.show(nil); row < int64(len(p.found)) {
			p.fixes.show(&p.found[row])
		}
	}
	p.object = container.NewBorder(container.NewBorder(nil, nil, nil, p.deep, p.state), p.fixes.object, nil, nil, p.view)
	return p
}

func (p *problemPane) selected(s Selection) {}
func (p *problemPane) blank() string {
	return "nothing is wrong as far as was read; “Check everything” reads the rest"
}

func (p *problemPane) changed() {
	found := append([]model.Diagnostic(nil), p.d.findings...)
	sort.SliceStable(found, func(i, j int) bool { return found[i].Grade() < found[j].Grade() })
	items := make([]place, len(found))
	for i := range found {
		f := &found[i]
		items[i] = place{span: f.Span, at: f.Where(), cells: []cell{{text: f.Text(), mark: f.Grade()},
			{text: f.Found}, {text: f.Expected}, {text: f.Path()}, {text: f.Rule.ID, dim: true}}}
	}
	for _, f := range p.d.declined() {
		if !f.heading {
			items = append(items, place{cells: []cell{{text: f.label + " declined: it " + f.text, dim: true, wide: true}}})
		}
	}
	p.found = found
	p.set(items)
	p.fixes.count(found)
	if at := p.grid.current; at >= 0 && at < int64(len(found)) {
		p.fixes.show(&found[at])
	} else {
		p.fixes.box.RemoveAll()
	}
	n := p.d.counts()
	text := problemCounts(n)
	if p.d.omitted > 0 {
		text += fmt.Sprintf("; %d more of the same kinds", p.d.omitted)
	}
	if p.d.Model.Format == nil {
		text += "; no known format: each says why it declined"
	}
	p.state.SetText(text)
	if p.d.bottom != nil {
		title := "Problems"
		if len(found) > 0 {
			title = fmt.Sprintf("Problems %d", len(found)+p.d.omitted)
		}
		if tab := p.d.bottom.Items[1]; tab.Text != title {
			tab.Text = title
			p.d.bottom.Refresh()
		}
	}
}

// problemCounts puts findings into words.
func problemCounts(n [4]int) string {
	text := ""
	for s, name := range []string{model.Error: "error", model.Warning: "warning", model.Note: "note"} {
		if name == "" || n[s] == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%d %s", n[s], name)
		if n[s] > 1 {
			text += "s"
		}
	}
	if text == "" {
		return "no problems found"
	}
	return text
}

// lead selects the worst finding of a file that was opened, when that is an error: it is what it was opened for.
func (p *problemPane) lead() {
	if len(p.found) > 0 && p.found[0].Grade() == model.Error {
		p.choose(0)
	}
}

// step goes to the next or the previous finding.
func (p *problemPane) step(by int64) {
	if n := p.count(); n > 0 {
		at := p.grid.current + by
		if p.grid.current < 0 && by < 0 {
			at = n - 1
		}
		p.choose((at + n) % n)
	}
}

// checkAll runs the checks that read everything: rows, blocks, checksums, other files.
func (p *problemPane) checkAll() {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
		p.deep.SetText("Check everything")
		return
	}
	p.deep.SetText("Cancel the check")
	m := p.d.Model
	p.cancel = p.d.wb.submit(model.Job{Title: "checking everything", Priority: model.Checks,
		Run: func(ctx context.Context, progress func(done, total int64)) (any, error) {
			return nil, m.Deep(ctx, func(done, total int64, _ string) { progress(done, total) })
		},
		Done: func(_ any, err error) {
			p.cancel = nil
			p.deep.SetText("Check everything")
			p.d.refreshFindings()
			if err != nil {
				p.d.wb.fail("The check stopped", err)
			}
		}})
}
