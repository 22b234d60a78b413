package ui

import (
	"fmt"
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/show"
)

// statusBar is the line at the bottom: the worst findings, where the caret is, and what is running.
type statusBar struct {
	wb      *Workbench
	problem *kit.Button
	place   *widget.Label
	mode    *kit.Button // Locked, Overwrite or Insert; a click locks or unlocks
	drawn   string      // what the line says
	object  *fyne.Container
}

func newStatusBar(wb *Workbench) *statusBar {
	s := &statusBar{wb: wb, place: widget.NewLabel("")}
	s.problem = kit.NewButton(wb.Host, "", func() { wb.Command("problems") })
	s.problem.Importance = widget.LowImportance
	s.mode = kit.NewButton(wb.Host, "", func() { wb.Command("unlock") })
	s.mode.Importance = widget.LowImportance
	s.mode.Tip = "Whether the document can be edited, and what typing does to bytes"
	s.place.Truncation = fyne.TextTruncateEllipsis
	s.object = container.New(guard.Layout(kit.Narrowing{Text: s.place, Rest: wb.Line.Running}), s.problem, s.place, s.mode, wb.Line.Running, wb.Line.Cancel)
	wb.Line.Changed = s.object.Refresh
	return s
}

// update shows the present state. It is called often, and drawing the line takes time, so it only draws
// changes.
func (s *statusBar) update() {
	d := s.wb.current
	s.problem.Hidden, s.mode.Hidden = d == nil, d == nil
	if d == nil {
		s.place.SetText("")
		s.drawn = ""
		s.object.Refresh()
		return
	}
	problems, place, mode := s.worst(d), whereabouts(d), modeOf(d.Editor)
	s.mode.SetText(mode)
	if place != s.place.Text {
		s.place.SetText(place)
	}
	if now := problems + "\x00" + place + "\x00" + mode; now != s.drawn {
		s.drawn = now
		s.object.Refresh()
	}
}

// worst shows the number of findings by severity, and returns it as text.
func (s *statusBar) worst(d *tab) string {
	n := d.Found.Counts()
	problems := d.StateText()
	if d.Found.Sealed != nil {
		problems += ", not checked without a key"
	}
	s.problem.SetText(kit.Sentence(problems))
	switch {
	case d.Format() == nil:
		s.problem.SetText("Not recognised")
		s.problem.SetIcon(theme.NewWarningThemedResource(theme.WarningIcon()))
	case n[model.Error] > 0:
		s.problem.SetIcon(theme.NewErrorThemedResource(theme.ErrorIcon()))
	case n[model.Warning] > 0, d.Unverified():
		s.problem.SetIcon(theme.NewWarningThemedResource(theme.WarningIcon()))
	case d.Check.Complete():
		s.problem.SetIcon(theme.ConfirmIcon())
	default:
		s.problem.SetIcon(theme.QuestionIcon())
	}
	return problems
}

// whereabouts describes the kind of document and, if bytes are shown, the caret, the selection and their size: without the bytes, these would
// seem to describe the document.
func whereabouts(d *tab) string {
	var parts []string
	if d.frame.show&paneBytes != 0 {
		parts = append(parts, fmt.Sprintf("0x%X", d.hex.Caret))
		if r := d.Sel.Now.Range; r.Len > 0 {
			parts = append(parts, model.Count(r.Len, "bytes")+" selected")
		}
		parts = append(parts, show.Size(d.hex.Size))
	}
	if read := traffic(d); read != "" {
		parts = append(parts, read)
	}
	format := "no known format"
	if f := d.Format(); f != nil {
		format = f.Title
	}
	return strings.Join(append(parts, format), "   |   ")
}

// modeOf is the effect of typing: none, overwrite, or insert.
func modeOf(e *doc.Editor) string {
	switch {
	case e.Locked:
		return "Locked"
	case e.Inserting:
		return "Insert"
	}
	return "Overwrite"
}

// pathBar shows where the selection is: each step leads to the span that it names.
type pathBar struct {
	d       *doc.Document
	buttons map[string]*kit.Button // by the command that each runs
	steps   *fyne.Container
	strip   *container.Scroll // of the steps
	object  fyne.CanvasObject
	shown   string
}

func newPathBar(d *doc.Document) *pathBar {
	p := &pathBar{d: d, buttons: map[string]*kit.Button{}, steps: container.NewHBox()}
	run := func(r fyne.Resource, command string) *kit.Button {
		b := kit.NewTool(d.Window.Host, r, d.Window.Keys(command), func() { d.Window.Command(command) })
		p.buttons[command] = b
		return b
	}
	left := container.NewHBox(run(theme.FolderOpenIcon(), "open"), run(theme.DocumentSaveIcon(), "save"), widget.NewSeparator(),
		run(theme.ContentUndoIcon(), "undo"), run(theme.ContentRedoIcon(), "redo"), widget.NewSeparator(),
		run(theme.NavigateBackIcon(), "back"), run(theme.NavigateNextIcon(), "forward"))
	right := container.NewHBox(run(theme.ContentCopyIcon(), "copy-path"), run(theme.SearchIcon(), "find"))
	p.strip = container.NewHScroll(p.steps)
	p.object = container.NewBorder(nil, nil, left, right, p.strip)
	return p
}

// able shows whether a command would do something now.
func (p *pathBar) able(command string, on bool) {
	switch b := p.buttons[command]; {
	case b == nil || b.Disabled() != on:
	case on:
		b.Enable()
	default:
		b.Disable()
	}
}

func (p *pathBar) Hovered(model.Range) {}
func (p *pathBar) Changed()            { p.shown = "\x00" }

func (p *pathBar) Selected(s doc.Selection) {
	path := s.Span.Path()
	if path == p.shown {
		return
	}
	p.shown = path
	var chain []*model.Span
	for q := s.Span; q != nil; q = q.Parent() {
		chain = append([]*model.Span{q}, chain...)
	}
	p.steps.Objects = nil
	for i, q := range chain {
		name := show.NameOf(q)
		if i == 0 {
			name = p.d.TabName()
		} else {
			t := canvas.NewText("›", color.Color(paint.Look().Dim))
			p.steps.Objects = append(p.steps.Objects, t)
		}
		b := kit.NewButton(p.d.Window.Host, paint.Shorten(name, 40), func() { p.d.Sel.Set(doc.Selection{Span: q}) })
		b.Importance = widget.LowImportance
		p.steps.Objects = append(p.steps.Objects, b)
	}
	p.steps.Refresh()
	kit.IntoView(p.strip, p.steps.Objects[len(p.steps.Objects)-1])
}
