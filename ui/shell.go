package ui

import (
	"math"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"
)

// shell is how the program meets its user: over its window. Pictures have one that nobody sits before.
type shell interface {
	// box asks something, with a button for each pair of a label and what it does: nil, a func(), or a func() bool that says
	// whether the box may close. It is nil where nothing is shown.
	box(title string, body fyne.CanvasObject, size fyne.Size, pairs ...any) *box
	cover(make func(fyne.Window) dialog.Dialog, size fyne.Size) // shows a dialog of Fyne's own, which Esc closes
	arrange()                                                   // puts boxes in the middle of a window of another size: Fyne forgets to
	key(fyne.KeyName) bool                                      // gives a key to the box on top, if there is one that wants it
	agrees() bool                                               // nobody is asked: what would be looked at is made at once
	modal() bool                                                // a dialog or a menu lies over the window
	focus(fyne.Focusable)                                       // nil: nothing has the keyboard
	focused() fyne.Focusable
	stepFocus(back bool)
	title(string)
	size() fyne.Size       // 0 without a window
	rescale(change func()) // makes a change of scale without changing the window's size on the screen
	hide()
}

// windowShell is the shell of a window.
type windowShell struct {
	h     *Host
	win   fyne.Window
	boxes []*box // dialogs, the one on top last
}

func newWindowShell(h *Host, win fyne.Window) *windowShell { return &windowShell{h: h, win: win} }

func (s *windowShell) box(title string, body fyne.CanvasObject, size fyne.Size, pairs ...any) *box {
	b := &box{s: s}
	var buttons []fyne.CanvasObject
	for i := 0; i < len(pairs); i += 2 {
		b.add(pairs[i+1])
		button := newKeyButton(s.h, pairs[i].(string), func() { b.press(i / 2) })
		if _, loses := pairs[i+1].(losing); !loses {
			b.last, b.at = button, i/2
		}
		buttons = append(buttons, button)
	}
	b.last.Importance = widget.HighImportance
	b.show = func() {
		shown := dialog.NewCustomWithoutButtons(title, body, s.win)
		shown.SetButtons(buttons)
		shown.Resize(size)
		shown.Show()
		b.hide = shown.Hide
	}
	b.show()
	s.boxes = append(s.boxes, b)
	s.focus(b.last)
	return b
}

func (s *windowShell) arrange() {
	has := s.focused()
	for _, b := range s.boxes {
		if b.show != nil {
			b.hide()
			b.show()
		}
	}
	if has != nil && len(s.boxes) > 0 {
		s.focus(has)
	}
}

func (s *windowShell) cover(make func(fyne.Window) dialog.Dialog, size fyne.Size) {
	d := make(s.win)
	d.Show()
	d.Resize(size)
	b := &box{s: s, hide: d.Hide, do: []func() bool{func() bool { return true }}}
	s.boxes = append(s.boxes, b)
	d.SetOnClosed(b.close)
}

func (s *windowShell) key(name fyne.KeyName) bool {
	if len(s.boxes) == 0 {
		return false
	}
	b := s.boxes[len(s.boxes)-1]
	switch name {
	case fyne.KeyEscape:
		b.press(0)
	case fyne.KeyReturn, fyne.KeyEnter:
		b.press(b.at)
	default:
		return false
	}
	return true
}

func (s *windowShell) modal() bool {
	return len(s.boxes) > 0 || s.win.Canvas().Overlays().Top() != nil
}

func (s *windowShell) focus(o fyne.Focusable) {
	if o == nil {
		s.win.Canvas().Unfocus()
		return
	}
	s.win.Canvas().Focus(o)
}

func (s *windowShell) focused() fyne.Focusable { return s.win.Canvas().Focused() }

func (s *windowShell) stepFocus(back bool) {
	if back {
		s.win.Canvas().FocusPrevious()
	} else {
		s.win.Canvas().FocusNext()
	}
}

func (s *windowShell) agrees() bool { return false }

func (s *windowShell) title(text string) {
	if s.win.Title() != text {
		s.win.SetTitle(text)
	}
}

func (s *windowShell) size() fyne.Size { return s.win.Canvas().Size() }
func (s *windowShell) rescale(change func()) {
	c := s.win.Canvas()
	size, before := c.Size(), c.Scale()
	change()
	whole := func(u float32) float32 { return (float32(math.Floor(float64(u*before))) - 0.1) / c.Scale() } // it rounds up
	s.win.Resize(fyne.NewSize(whole(size.Width), whole(size.Height)))
	for _, later := range repaints {
		time.AfterFunc(later, func() { s.h.post(c.Content().Refresh) })
	}
}

// repaints are when a window is painted once more whose size went up and down: what was drawn between the two stays on the screen, in
// the wrong place, until something else is painted.
var repaints = []time.Duration{60 * time.Millisecond, 300 * time.Millisecond}

func (s *windowShell) hide() { s.win.Hide() }

// silent is a shell without a window. It shows nothing; where it agrees, it does at once what the last button of a question does.
type silent struct{ agree bool }

func (s silent) box(_ string, _ fyne.CanvasObject, _ fyne.Size, pairs ...any) *box {
	switch do := pairs[len(pairs)-1].(type) {
	case func():
		if s.agree {
			do()
		}
	case losing:
		if s.agree {
			do()
		}
	}
	return nil
}

func (silent) cover(func(fyne.Window) dialog.Dialog, fyne.Size) {}
func (silent) arrange()                                         {}
func (silent) key(fyne.KeyName) bool                            { return false }
func (s silent) agrees() bool                                   { return s.agree }
func (silent) modal() bool                                      { return false }
func (silent) focus(fyne.Focusable)                             {}
func (silent) focused() fyne.Focusable                          { return nil }
func (silent) stepFocus(bool)                                   {}
func (silent) title(string)                                     {}
func (silent) size() fyne.Size                                  { return fyne.Size{} }
func (silent) rescale(change func())                            { change() }
func (silent) hide()                                            {}
