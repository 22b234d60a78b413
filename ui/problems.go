package ui

import (
	"fmt"
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
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
	parked []deepCheck       // of the other side of a change that is looked at
	sound  []*model.Snapshot // the last ones in which everything was read and nothing is wrong
	fixes  *fixBar
	found  []model.Finding // the worst first
	lines  []problemLine   // as listed
	open   map[string]bool // causes by what they say, and rules, whose findings are listed
	narrow *keyEntry       // lists the findings that say this
	object fyne.CanvasObject
}

func newProblemPane(d *Document) *problemPane {
	p := &problemPane{listPane: newListPane(d, rows.Column{Title: "problem", Width: 470}, rows.Column{Title: "found", Width: 150},
		rows.Column{Title: "expected", Width: 160}, rows.Column{Title: "where", Width: 230})}
	p.bind(p)
	p.open = map[string]bool{}
	p.state = widget.NewLabel("")
	p.state.Truncation = fyne.TextTruncateEllipsis // what it says must not widen the pane
	p.deep = newKeyButton(d.wb.Workbench, checkText, func() { p.checkAll() })
	p.deep.Importance = widget.LowImportance
	p.fixes = newFixBar(d)
	p.fixes.proven = d.causes.proven
	p.chosen = p.offer
	p.narrow = newKeyEntry(d.wb.Workbench)
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

// atLeast gives an object a least size.
func atLeast(size fyne.Size, o fyne.CanvasObject) fyne.CanvasObject {
	room := canvas.NewRectangle(color.Transparent)
	room.SetMinSize(size)
	return container.NewStack(room, o)
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
	if p.complete() {
		return "nothing is wrong: everything was read"
	}
	return "nothing is wrong as far as was read; “Check everything” reads the rest"
}

func (p *problemPane) changed() {
	p.followCheck()
	p.d.causes.begin()
	p.whenChecked(false, p.d.causes.follow)
	found := append([]model.Finding(nil), p.d.found.all...)
	slices.SortStableFunc(found, func(a, b model.Finding) int { return int(a.Grade()) - int(b.Grade()) })
	p.fixes.count()
	p.show(found)
	p.state.SetText(p.summary())
	p.d.frame.count(tabProblems, "Problems", len(found)+p.d.found.omitted)
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
	if to := p.check.ledTo; to.Span != nil && to.Span == p.d.sel.now.Span && to.Range == p.d.sel.now.Range {
		p.choose(row)
		return
	}
	p.Grid.Current = row // somebody is elsewhere, or types: the selection stays
	p.offer(row)
	p.View.Redraw()
}

// complete tells whether everything was checked: nothing is left to read, and nothing waits for a key.
func (p *problemPane) complete() bool { return p.check.done && p.d.found.sealed == nil }

func (p *problemPane) wasSound(s *model.Snapshot) bool { return slices.Contains(p.sound, s) }

// summary says what was found and how much was read for it.
func (p *problemPane) summary() string {
	n := p.d.found.counts()
	if p.d.format() == nil && n == [4]int{} {
		return "no known format: each says why it declined"
	}
	text := problemCounts(n, p.complete())
	if n := len(p.d.causes.now()); n > 0 {
		text = counted(int64(n), "cause") + " of " + text
	}
	if p.d.found.omitted > 0 {
		text += fmt.Sprintf("; %d more of the same kinds", p.d.found.omitted)
	}
	switch {
	case p.d.format() == nil:
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

// notVerified is what is said of a document in which a repair was made that is not proven, until that is undone or the file is opened again.
const notVerified = "values not verified"

// stateText says what is wrong with a document; where nothing is, but a repair was made that is not proven, that no more than that is known.
func (d *Document) stateText() string {
	n := d.found.counts()
	text := problemCounts(n, d.problem.complete())
	switch {
	case !d.unverified():
		return text
	case n[model.Error] == 0 && n[model.Warning] == 0:
		return "No errors; " + notVerified
	}
	return text + "; " + notVerified
}

// unverified tells whether a repair that was not proven led to what is shown.
func (d *Document) unverified() bool {
	return d.editor.guessed || d.trial != nil && d.trial.guess && !d.trial.old
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

func (p *problemPane) checked() (all, asked bool) { return p.check.done, p.check.asked }
func (p *problemPane) settled()                   { p.check.led = true }
func (p *problemPane) previewFix(f model.Fix)     { p.fixes.preview(f) }

// checking tells whether a check runs.
func (p *problemPane) checking() bool { return p.check.cancel != nil }
