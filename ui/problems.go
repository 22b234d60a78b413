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
	stays  bool // it does not come to the front by itself
	fixes  *fixBar
	found  []model.Finding // the worst first
	lines  []problemLine   // as listed
	open   map[string]bool // causes by what they say, and rules, whose findings are listed
	narrow *keyEntry       // lists the findings that say this
	object fyne.CanvasObject
}

func newProblemPane(d *Document, head *headline) *problemPane {
	p := &problemPane{listPane: newListPane(d, rows.Column{Title: "problem", Width: 470}, rows.Column{Title: "found", Width: 150},
		rows.Column{Title: "expected", Width: 160}, rows.Column{Title: "where", Width: 230})}
	p.bind(p)
	p.open = map[string]bool{}
	p.state = widget.NewLabel("")
	p.state.Truncation = fyne.TextTruncateEllipsis // what it says must not widen the pane
	p.deep = newKeyButton(d.wb.Host, checkText, d.check.all)
	p.deep.Importance = widget.LowImportance
	p.fixes = newFixBar(d, head)
	p.fixes.proven = d.causes.proven
	p.chosen = p.offer
	d.check.told = append(d.check.told, p.checked)
	d.causes.told = append(d.causes.told, func(found bool) {
		if found {
			p.showCauses()
		}
	})
	p.narrow = newKeyEntry(d.wb.Host)
	p.narrow.SetPlaceHolder("filter problems")
	p.narrow.OnChanged = func(string) { p.show(p.found) }
	p.narrow.other = func(name fyne.KeyName) bool {
		clears := name == fyne.KeyEscape && p.narrow.Text != ""
		if clears {
			p.narrow.SetText("")
		}
		return clears
	}
	top := container.NewBorder(nil, nil, nil, container.NewHBox(atLeast(fyne.NewSize(120, 1), p.narrow), p.deep), p.state)
	p.object = container.NewBorder(top, p.fixes.object, nil, nil, atLeast(fyne.NewSize(1, 90), p.View)) // two problems and the bars
	p.fixes.pane = p.object
	return p
}

const checkText = "Check everything"

// checked is called when a check began, or ended.
func (p *problemPane) checked(ended bool) {
	text := checkText
	if p.d.check.running() && p.d.check.asked {
		text = "Cancel the check"
	}
	p.deep.SetText(text)
	p.state.SetText(p.summary())
	if ended {
		p.View.Redraw() // without a problem, the list says what was read
		p.lead()
	}
}

// selected marks the first problem of the selected field, unless another of its problems is marked. A field without one leaves the
// mark where it is: F8 goes on from there.
func (p *problemPane) selected(s Selection) {
	if s.Span.Parent() == nil {
		return // nothing was selected yet
	}
	about := func(l problemLine) bool {
		return l.found != nil && (l.found.Span == s.Span || s.Range.Len > 0 && l.found.Where() == s.Range) || l.cause != nil && l.cause.At.Path == s.Span.Path()
	}
	if about(p.line(p.Grid.Current)) {
		return
	}
	if i := slices.IndexFunc(p.lines, about); i >= 0 {
		p.Grid.Current = int64(i)
		p.offer(int64(i))
		p.View.Follow(p.Grid.Current)
		p.View.Redraw()
	}
}

func (p *problemPane) Blank() string {
	if p.narrow.Text != "" {
		return "no problem says that; Esc in its line shows all"
	}
	if p.d.check.complete() {
		return "nothing is wrong: everything was read"
	}
	return "nothing is wrong as far as was read; “Check everything” reads the rest"
}

func (p *problemPane) changed() {
	p.d.check.follow()
	p.d.causes.begin()
	p.d.check.whenChecked(false, p.d.causes.follow)
	found := append([]model.Finding(nil), p.d.found.all...)
	slices.SortStableFunc(found, func(a, b model.Finding) int { return int(a.Grade()) - int(b.Grade()) })
	p.fixes.count()
	p.show(found)
	p.state.SetText(p.summary())
	p.d.lower.count(tabProblems, "Problems", len(found)+p.d.found.omitted)
}

// whereText is the path of a finding; of what has none, its place.
func whereText(f *model.Finding) string {
	if p := f.Path(); p != "" {
		return p
	}
	if r := f.Where(); r.Len > 0 && f.Span != nil && r != f.Span.Range {
		return fmt.Sprintf("0x%x, %s", r.Off, counted(r.Len, "byte"))
	}
	return "the whole document"
}

// showCauses is called when the causes are known. The first one takes the place of the finding that the document was opened for.
func (p *problemPane) showCauses() {
	at := p.line(p.Grid.Current).found
	p.fixes.count()
	p.show(p.found)
	p.state.SetText(p.summary())
	if len(p.d.causes.now()) == 0 || at == nil || p.Grid.Current >= 0 {
		return
	}
	k, ok := p.d.causes.of[keyOf(at)]
	if !ok {
		return
	}
	row := p.again(problemLine{cause: p.d.causes.list[k]})
	if to := p.d.check.ledTo; to.Span != nil && to.Span == p.d.sel.now.Span && to.Range == p.d.sel.now.Range {
		p.choose(row)
		return
	}
	p.Grid.Current = row // somebody is elsewhere, or types: the selection stays
	p.offer(row)
	p.View.Redraw()
}

// summary says what was found and how much was read for it.
func (p *problemPane) summary() string {
	n := p.d.found.counts()
	if p.d.format() == nil && n == [4]int{} {
		return "no known format: each says why it declined"
	}
	text := problemCounts(n, p.d.check.complete())
	if n := len(p.d.causes.now()); n > 0 {
		text = counted(int64(n), "cause") + " of " + text
	}
	if p.d.found.omitted > 0 {
		text += fmt.Sprintf("; %d more of the same kinds", p.d.found.omitted)
	}
	switch {
	case p.d.format() == nil:
	case p.d.check.complete():
		text += "; everything was checked"
	case p.d.check.done:
		text += "; checked but for what needs a key"
	case p.d.check.cancel != nil:
		text += "; checking everything…"
	default:
		text += "; not everything was checked"
	}
	return text
}

// lead selects the worst finding of a document in which nothing was selected yet, when that is an error: it is what the file
// was opened for.
func (p *problemPane) lead() {
	d := p.d
	if p.d.check.led || len(d.sel.past) > 1 || !d.lower.ready() || p.stays || p.line(0).cause == nil && (p.line(0).found == nil || p.found[0].Grade() != model.Error) {
		return
	}
	p.d.check.led = true
	d.lower.show(tabProblems)
	p.choose(0)
	p.d.check.ledTo = d.sel.now
}
