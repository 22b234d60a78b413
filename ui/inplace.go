package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"spandrel/ui/rows"
)

// inPlace is an entry over a part of a row, where what stands there is edited: Enter and Down go on below, Up above, Tab to the right,
// Esc leaves everything as it was, and so does what takes the keyboard away.
type inPlace struct {
	wb     *desk
	view   *rows.View
	done   func(text string, down int64, right int)
	closed func() // told when it goes; may be nil
	entry  *keyEntry
	was    string          // what stood there
	box    *fyne.Container // over the rows
}

func newInPlace(wb *desk, view *rows.View, done func(text string, down int64, right int)) *inPlace {
	e := &inPlace{wb: wb, view: view, done: done, entry: newKeyEntry(wb.Host)}
	e.entry.OnSubmitted = func(string) { done(e.entry.Text, 1, 0) }
	e.entry.other = func(name fyne.KeyName) bool {
		switch name {
		case fyne.KeyEscape:
			e.close()
			wb.shell.focus(view)
		case fyne.KeyTab:
			done(e.entry.Text, 0, 1)
		case fyne.KeyDown:
			done(e.entry.Text, 1, 0)
		case fyne.KeyUp:
			done(e.entry.Text, -1, 0)
		case fyne.KeyF2: // it is being edited already
		default:
			return false
		}
		return true
	}
	e.entry.tab = true
	e.entry.lost = func() { wb.post(e.left) }
	e.box = container.NewWithoutLayout(e.entry)
	e.entry.Hide()
	return e
}

// open shows a text over a part of a row, all of it selected or with the caret behind it. It tells whether that is in sight.
func (e *inPlace) open(row int64, x, w float32, text string, all bool) bool {
	at, size, ok := e.view.Place(row, x, w)
	if !ok {
		return false
	}
	width := max(size.Width, 90)
	at.X = max(0, min(at.X, e.view.Size().Width-rows.BarSize-width))
	if e.was = ""; all {
		e.was = text
	}
	e.entry.SetText(text)
	high := max(size.Height, e.entry.MinSize().Height)
	at.Y = max(0, min(at.Y-(high-size.Height)/2, e.view.Size().Height-high)) // over the middle of its row
	e.entry.Move(at)
	e.entry.Resize(fyne.NewSize(width, high))
	e.entry.Show()
	e.box.Refresh()
	e.wb.shell.focus(e.entry)
	if all {
		e.entry.TypedShortcut(&fyne.ShortcutSelectAll{})
	} else {
		e.entry.CursorColumn = len([]rune(text))
	}
	return true
}

// left closes the entry when something else got the keyboard, and not only another window.
func (e *inPlace) left() {
	if !e.entry.Visible() || e.entry.Disabled() || e.wb.shell.focused() == fyne.Focusable(e.entry) {
		return
	}
	if e.close(); e.entry.Text != e.was {
		e.wb.say("what was typed is not taken: Enter takes it")
	}
}

func (e *inPlace) close() {
	e.entry.Hide()
	if e.closed != nil {
		e.closed()
	}
}
