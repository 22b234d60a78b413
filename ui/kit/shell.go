package kit

import (
	"math"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"
)

// Shell is how the program talks to its user: over its window. For screenshots there is one without a user.
type Shell interface {
	// Box asks something, with a button for each pair of a label and its action: nil, a func(), or a func() bool that tells
	// whether the dialog may close. It is nil if nothing is shown.
	Box(title string, body fyne.CanvasObject, size fyne.Size, pairs ...any) *Dialog
	Cover(make func(fyne.Window) dialog.Dialog, size fyne.Size) // shows a dialog of Fyne's own, which Esc closes
	Arrange()                                                   // puts boxes in the middle of a window of another size: Fyne forgets to
	Key(fyne.KeyName) bool                                      // gives a key to the box on top, if there is one that wants it
	Agrees() bool                                               // apply without a preview
	Modal() bool                                                // a dialog or a menu lies over the window
	Focus(fyne.Focusable)                                       // nil: nothing has the keyboard
	Focused() fyne.Focusable
	stepFocus(back bool)
	Title(string)
	Size() fyne.Size       // 0 without a window
	Rescale(change func()) // makes a change of scale without changing the window's size on the screen
	Hide()
}

// WindowShell is the shell of a window.
type WindowShell struct {
	h     *Host
	win   fyne.Window
	Boxes []*Dialog // dialogs, the one on top last
}

// NewWindowShell makes the shell of a window.
func NewWindowShell(h *Host, win fyne.Window) *WindowShell { return &WindowShell{h: h, win: win} }

func (s *WindowShell) Box(title string, body fyne.CanvasObject, size fyne.Size, pairs ...any) *Dialog {
	b := &Dialog{s: s}
	var buttons []fyne.CanvasObject
	for i := 0; i < len(pairs); i += 2 {
		b.add(pairs[i+1])
		button := NewButton(s.h, pairs[i].(string), func() { b.Press(i / 2) })
		if _, loses := pairs[i+1].(Losing); !loses {
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
	s.Boxes = append(s.Boxes, b)
	s.Focus(b.last)
	return b
}

func (s *WindowShell) Arrange() {
	has := s.Focused()
	for _, b := range s.Boxes {
		if b.show != nil {
			b.hide()
			b.show()
		}
	}
	if has != nil && len(s.Boxes) > 0 {
		s.Focus(has)
	}
}

func (s *WindowShell) Cover(make func(fyne.Window) dialog.Dialog, size fyne.Size) {
	d := make(s.win)
	d.Show()
	d.Resize(size)
	b := &Dialog{s: s, hide: d.Hide, do: []func() bool{func() bool { return true }}}
	s.Boxes = append(s.Boxes, b)
	d.SetOnClosed(b.close)
}

func (s *WindowShell) Key(name fyne.KeyName) bool {
	if len(s.Boxes) == 0 {
		return false
	}
	b := s.Boxes[len(s.Boxes)-1]
	switch name {
	case fyne.KeyEscape:
		b.Press(0)
	case fyne.KeyReturn, fyne.KeyEnter:
		b.Press(b.at)
	default:
		return false
	}
	return true
}

func (s *WindowShell) Modal() bool {
	return len(s.Boxes) > 0 || s.win.Canvas().Overlays().Top() != nil
}

func (s *WindowShell) Focus(o fyne.Focusable) {
	if o == nil {
		s.win.Canvas().Unfocus()
		return
	}
	s.win.Canvas().Focus(o)
}

func (s *WindowShell) Focused() fyne.Focusable { return s.win.Canvas().Focused() }

func (s *WindowShell) stepFocus(back bool) {
	if back {
		s.win.Canvas().FocusPrevious()
	} else {
		s.win.Canvas().FocusNext()
	}
}

func (s *WindowShell) Agrees() bool { return false }

func (s *WindowShell) Title(text string) {
	if s.win.Title() != text {
		s.win.SetTitle(text)
	}
}

func (s *WindowShell) Size() fyne.Size { return s.win.Canvas().Size() }
func (s *WindowShell) Rescale(change func()) {
	c := s.win.Canvas()
	size, before := c.Size(), c.Scale()
	change()
	whole := func(u float32) float32 { return (float32(math.Floor(float64(u*before))) - 0.1) / c.Scale() } // it rounds up
	s.win.Resize(fyne.NewSize(whole(size.Width), whole(size.Height)))
	for _, later := range repaints {
		time.AfterFunc(later, func() { s.h.Post(c.Content().Refresh) })
	}
}

// repaints are the delays after which a window is painted again whose size went up and down: what was drawn between the two stays on the screen, in
// the wrong place, until something else is painted.
var repaints = []time.Duration{60 * time.Millisecond, 300 * time.Millisecond}

func (s *WindowShell) Hide() { s.win.Hide() }

// Silent is a shell without a window. It shows nothing; if it agrees, it runs the action of a question's last button at once.
type Silent struct{ Agree bool }

func (s Silent) Box(_ string, _ fyne.CanvasObject, _ fyne.Size, pairs ...any) *Dialog {
	switch do := pairs[len(pairs)-1].(type) {
	case func():
		if s.Agree {
			do()
		}
	case Losing:
		if s.Agree {
			do()
		}
	}
	return nil
}

func (Silent) Cover(func(fyne.Window) dialog.Dialog, fyne.Size) {}
func (Silent) Arrange()                                         {}
func (Silent) Key(fyne.KeyName) bool                            { return false }
func (s Silent) Agrees() bool                                   { return s.Agree }
func (Silent) Modal() bool                                      { return false }
func (Silent) Focus(fyne.Focusable)                             {}
func (Silent) Focused() fyne.Focusable                          { return nil }
func (Silent) stepFocus(bool)                                   {}
func (Silent) Title(string)                                     {}
func (Silent) Size() fyne.Size                                  { return fyne.Size{} }
func (Silent) Rescale(change func())                            { change() }
func (Silent) Hide()                                            {}
