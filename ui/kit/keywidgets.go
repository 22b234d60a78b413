package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/ui/guard"
)

// Fyne's widgets consume every key while they have the focus. These leave Esc and Enter to their dialog, and
// function keys to the window.

// takes passes a key to the dialog on top or, if it is a function key, to the window, and tells whether it was handled.
func (h *Host) takes(e *fyne.KeyEvent) bool {
	switch {
	case h.Shell.Key(e.Name):
	case functionKey(e.Name):
		h.Typed(e)
	default:
		return false
	}
	return true
}

// Button is a button with a tooltip.
type Button struct {
	widget.Button
	h   *Host
	Tip string // what the button does, for the status line, and beside it, while the pointer is on it
}

// NewButton makes a button; do may be nil.
func NewButton(h *Host, label string, do func()) *Button {
	b := &Button{h: h}
	if b.Text = label; do != nil {
		b.OnTapped = func() { guard.Do("the button “"+b.Text+"”", do) }
	}
	b.ExtendBaseWidget(b)
	return b
}

// NewIconButton is NewButton with an icon.
func NewIconButton(h *Host, label string, icon fyne.Resource, do func()) *Button {
	b := NewButton(h, label, do)
	b.Icon = icon
	return b
}

// NewTool is a small button with only an icon, and a tooltip.
func NewTool(h *Host, icon fyne.Resource, tip string, do func()) *Button {
	b := NewIconButton(h, "", icon, do)
	b.Tip, b.Importance = Sentence(tip), widget.LowImportance
	return b
}

// NewLine is a label of one line, which is cut if there is no room for it: its text must not widen its container.
func NewLine(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.Truncation = fyne.TextTruncateEllipsis
	return l
}

func (b *Button) MouseIn(e *desktop.MouseEvent) {
	b.Button.MouseIn(e)
	if b.Tip != "" {
		b.h.Hint(b.Tip)
		b.h.Bubble.later(b)
	}
}

// Tapped ends the hint as well: a button that disappears when it is pressed never notices that the pointer has left it.
func (b *Button) Tapped(e *fyne.PointEvent) {
	b.unhint()
	b.Button.Tapped(e)
}

func (b *Button) MouseOut() {
	b.Button.MouseOut()
	b.unhint()
}

func (b *Button) unhint() {
	if b.Tip != "" {
		b.h.Hint("")
		b.h.Bubble.hide()
	}
}

func (b *Button) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		b.Tapped(nil)
	case fyne.KeyLeft:
		b.h.Shell.stepFocus(true)
	case fyne.KeyRight:
		b.h.Shell.stepFocus(false)
	case fyne.KeyEscape:
		b.h.Typed(e) // passes it to a box, or ends the preview
	default:
		if !b.h.takes(e) {
			b.Button.TypedKey(e)
		}
	}
}

// Slider selects one of a series of steps.
type Slider struct {
	widget.Slider
	h *Host
}

// NewSlider makes a slider whose steps are integers from 0.
func NewSlider(h *Host) *Slider {
	s := &Slider{h: h}
	s.Max, s.Step = 1, 1
	s.ExtendBaseWidget(s)
	return s
}

// At is where the slider has a step if it has a width.
func (s *Slider) At(step int, width float32) float32 {
	pad := (theme.IconInlineSize()-4)/2 + theme.InnerPadding() - 1.5 // as Fyne's slider has it
	return pad + float32(step)/float32(max(1, s.Max))*(width-2*pad)
}

func (s *Slider) TypedKey(e *fyne.KeyEvent) {
	if !s.h.takes(e) {
		s.Slider.TypedKey(e)
	}
}

// Entry is a line of text.
type Entry struct {
	widget.Entry
	h     *Host
	On    map[fyne.KeyName]func() // what keys do instead of what they do in an entry
	Other func(fyne.KeyName) bool // takes keys that are not always taken; may be nil
	Lost  func()                  // the keyboard went elsewhere; may be nil
}

// NewEntry makes an empty line.
func NewEntry(h *Host) *Entry {
	e := &Entry{h: h}
	e.ExtendBaseWidget(e)
	return e
}

// AcceptsTab tells whether Tab is typed into the entry; otherwise it moves to the next widget.
func (e *Entry) AcceptsTab() bool { return e.On[fyne.KeyTab] != nil }

func (e *Entry) FocusLost() {
	if e.Entry.FocusLost(); e.Lost != nil {
		guard.Do("leaving a line of text", e.Lost)
	}
}

// TypedShortcut leaves shortcuts that an entry does not use to the window: Fyne's entry would swallow them.
func (e *Entry) TypedShortcut(s fyne.Shortcut) {
	if c, ok := s.(*desktop.CustomShortcut); ok && c.KeyName != fyne.KeyLeft && c.KeyName != fyne.KeyRight {
		if at, ok := fyne.CurrentApp().Driver().CanvasForObject(e).(fyne.Shortcutable); ok {
			at.TypedShortcut(s)
			return
		}
	}
	guard.Do("editing a line of text", func() { e.Entry.TypedShortcut(s) })
}

func (e *Entry) TypedRune(r rune) {
	guard.Do("typing into a line of text", func() { e.Entry.TypedRune(r) })
}

func (e *Entry) TypedKey(k *fyne.KeyEvent) {
	guard.Do("the key "+string(k.Name), func() { e.keyTyped(k) })
}

func (e *Entry) keyTyped(k *fyne.KeyEvent) {
	switch do := e.On[k.Name]; {
	case do != nil:
		do()
	case e.Other != nil && e.Other(k.Name):
	case e.h.takes(k):
	case k.Name == fyne.KeyEscape:
		e.h.Shell.Focus(nil)
	default:
		e.Entry.TypedKey(k)
	}
}

// functionKey tells whether a key is F1 to F12.
func functionKey(name fyne.KeyName) bool {
	return len(name) >= 2 && name[0] == 'F' && name[1] >= '1' && name[1] <= '9'
}

type keyCheck struct {
	widget.Check
	h *Host
}

// NewCheck makes a checkbox with a label.
func NewCheck(h *Host, label string, on bool, changed func(bool)) *keyCheck {
	c := &keyCheck{h: h}
	c.Text, c.Checked = label, on
	c.OnChanged = func(on bool) { guard.Do("the choice “"+label+"”", func() { changed(on) }) }
	c.ExtendBaseWidget(c)
	return c
}

func (c *keyCheck) TypedKey(e *fyne.KeyEvent) { c.h.takes(e) }

// Select is a drop-down list.
type Select struct {
	widget.Select
	h *Host
}

// NewSelect makes a drop-down list with one entry selected.
func NewSelect(h *Host, labels []string, at int, changed func(i int)) *Select {
	s := &Select{h: h}
	s.Options = labels
	s.ExtendBaseWidget(s)
	if at >= 0 && at < len(labels) {
		s.Selected = labels[at]
	}
	s.OnChanged = func(string) { guard.Do("a choice in a list", func() { changed(s.SelectedIndex()) }) }
	return s
}

func (s *Select) TypedKey(e *fyne.KeyEvent) {
	if !s.h.takes(e) {
		s.Select.TypedKey(e)
	}
}
