package ui

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/ui/rows"
)

// problemPane lists the findings, the worst first, each with what was found and what was expected.
type problemPane struct {
	listPane
	deep   *keyButton
	state  *widget.Label
	check  deepCheck
	fixes  *fixBar
	found  []model.Finding // the worst first
	lines  []problemLine   // as listed
	open   map[string]bool // causes, by what they say, whose findings are listed
	object fyne.CanvasObject
}

func newProblemPane(d *Document) *problemPane {
	p := &problemPane{listPane: newListPane(d, rows.Column{Title: "problem", Width: 420}, rows.Column{Title: "found", Width: 150},
		rows.Column{Title: "expected", Width: 160}, rows.Column{Title: "where", Width: 210}, rows.Column{Title: "rule", Width: 150})}
	p.bind(p)
	p.open = map[string]bool{}
	p.state = widget.NewLabel("")
	p.state.Truncation = fyne.TextTruncateEllipsis // what it says must not widen the pane
	p.deep = newKeyButton(d.wb.Workbench, checkText, func() { p.checkAll() })
	p.deep.Importance = widget.LowImportance
	p.fixes = newFixBar(d)
	p.chosen = p.offer
	p.object = container.NewBorder(container.NewBorder(nil, nil, nil, p.deep, p.state), p.fixes.object, nil, nil, p.View)
	return p
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
	p.fixes.count(found)
	p.show(found)
	p.state.SetText(p.summary())
	p.d.frame.count(tabProblems, "Problems", len(found)+p.d.found.omitted)
}

// problemLine is a row of the pane: a cause, or a finding.
type problemLine struct {
	cause *cause.Cause
	found *model.Finding
}

// show lists the causes with what each explains below it, and then the findings that none explains, the worst first.
func (p *problemPane) show(found []model.Finding) {
	was := p.line(p.Grid.Current)
	p.found = found
	var lines []problemLine
	var items []place
	add := func(f *model.Finding, indent float32) {
		lines = append(lines, problemLine{found: f})
		items = append(items, place{span: f.Span, at: f.Where(), cells: []rows.Cell{{Text: f.Text(), Mark: f.Grade(), Indent: indent},
			{Text: alsoHex(f, f.Found)}, {Text: alsoHex(f, f.Expected)}, {Text: whereText(f), Tail: true}, {Text: f.Rule.ID, Dim: true}}})
	}
	for k, x := range p.d.causes.list {
		lines = append(lines, problemLine{cause: x})
		items = append(items, causeRow(x, p.d.causes.explained(k, found), len(found), p.open[x.Text]))
		for i := range found {
			if by, ok := p.d.causes.of[keyOf(&found[i])]; ok && by == k && p.open[x.Text] {
				add(&found[i], 26)
			}
		}
	}
	for i := range found {
		if _, ok := p.d.causes.of[keyOf(&found[i])]; !ok {
			add(&found[i], 0)
		}
	}
	for _, f := range p.d.declined() {
		if !f.heading {
			items = append(items, place{cells: []rows.Cell{{Text: f.label + " declined: it " + f.text, Dim: true, Wide: true}}})
		}
	}
	p.lines = lines
	p.Grid.Current = p.again(was)
	p.set(items)
	p.offer(p.Grid.Current)
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

// line returns what a row is about: nothing of the rows behind the findings.
func (p *problemPane) line(row int64) problemLine {
	if row < 0 || row >= int64(len(p.lines)) {
		return problemLine{}
	}
	return p.lines[row]
}

// offer shows the repairs of a row.
func (p *problemPane) offer(row int64) {
	switch l := p.line(row); {
	case l.cause != nil:
		p.fixes.showCause(l.cause)
	default:
		p.fixes.show(l.found)
	}
}

// again returns the row of what was chosen among the rows as they are now; -1 when it is gone.
func (p *problemPane) again(was problemLine) int64 {
	return int64(slices.IndexFunc(p.lines, func(l problemLine) bool {
		if l.cause != nil || was.cause != nil {
			return l.cause != nil && was.cause != nil && l.cause.Text == was.cause.Text
		}
		return was.found != nil && keyOf(l.found) == keyOf(was.found)
	}))
}

// showCauses is called when the causes are known. The first one takes the place of the finding that the document was opened for.
func (p *problemPane) showCauses() {
	at := p.line(p.Grid.Current).found
	p.show(p.found)
	p.state.SetText(p.summary())
	if len(p.d.causes.list) == 0 || at == nil || p.Grid.Current >= 0 {
		return
	}
	if k, ok := p.d.causes.of[keyOf(at)]; ok && p.check.led {
		p.choose(p.again(problemLine{cause: p.d.causes.list[k]}))
	}
}

// fold shows or hides what a cause explains.
func (p *problemPane) fold(x *cause.Cause, open bool) {
	p.open[x.Text] = open
	p.show(p.found)
}

// Press chooses a row; on the mark of a cause, or twice, it shows or hides what the cause explains.
func (p *problemPane) Press(row int64, x float32, e rows.Press) {
	if l := p.line(row); l.cause != nil && !e.Drag && e.Button == desktop.MouseButtonPrimary && (e.Double || x < rows.CellPad+rows.BranchBox) {
		p.fold(l.cause, !p.open[l.cause.Text])
		return
	}
	p.listPane.Press(row, x, e)
}

// Key opens and closes causes with Right and Left.
func (p *problemPane) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	if l := p.line(p.Grid.Current); l.cause != nil && mod == 0 && (name == fyne.KeyLeft || name == fyne.KeyRight || name == fyne.KeySpace) {
		p.fold(l.cause, name == fyne.KeyRight || name == fyne.KeySpace && !p.open[l.cause.Text])
		return true
	}
	return p.listPane.Key(name, mod)
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
	if n := len(p.d.causes.list); n > 0 {
		text = counted(int64(n), "cause") + " of " + text
	}
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

func (p *problemPane) checked() (all, asked bool) { return p.check.done, p.check.asked }
func (p *problemPane) settled()                   { p.check.led = true }
func (p *problemPane) previewFix(f model.Fix)     { p.fixes.preview(f) }
