package doc

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// InPlace is an entry over a part of a row for editing it: Enter and Down continue below, Up above, Tab to the right,
// Esc and losing the focus discard the text.
type InPlace struct {
	wb     *Window
	view   *rows.View
	done   func(text string, down int64, right int)
	Closed func() // called when it closes; may be nil
	Live   bool   // typed text applies at once
	Entry  *kit.Entry
	was    string          // the old value
	escape bool            // it has line breaks: in a line they are typed as \n
	Box    *fyne.Container // over the rows
}

// NewInPlace makes an entry over the rows of a view. done gets the typed text, and how many rows down and columns right to continue.
func NewInPlace(wb *Window, view *rows.View, done func(text string, down int64, right int)) *InPlace {
	e := &InPlace{wb: wb, view: view, done: done, Entry: kit.NewEntry(wb.Host)}
	e.Entry.OnSubmitted = func(string) { done(e.Text(), 1, 0) }
	e.Entry.On = map[fyne.KeyName]func(){
		fyne.KeyEscape: func() { e.Close(); wb.Shell.Focus(view) },
		fyne.KeyTab:    func() { done(e.Text(), 0, 1) },
		fyne.KeyDown:   func() { done(e.Text(), 1, 0) },
		fyne.KeyUp:     func() { done(e.Text(), -1, 0) },
		fyne.KeyF2:     func() {}, // it is being edited already
	}
	e.Entry.Lost = func() { wb.Post(e.left) }
	e.Box = container.NewWithoutLayout(e.Entry)
	e.Entry.Hide()
	return e
}

// leastBox is the least width of the box: room to type a number.
const leastBox = 120

// Wide is the width that shows a text whole, with room to type a number.
func Wide(text string) float32 { return max(leastBox, kit.ColumnFor(text)+theme.InnerPadding()) }

// Open shows a text over a part of a row, selected or with the caret at its end. It tells whether that is visible.
func (e *InPlace) Open(row int64, x, w float32, text string, all bool) bool {
	at, size, ok := e.view.Place(row, x, w)
	if !ok {
		return false
	}
	room := e.view.Size().Width - rows.BarSize
	width := min(max(size.Width, Wide(text)), room) // in a narrow column too
	at.X = max(0, min(at.X, room-width))
	if e.was = ""; all {
		e.was = text
	}
	text, e.escape = InLine(text)
	e.Entry.SetText(text)
	high := max(size.Height, e.Entry.MinSize().Height)
	at.Y = max(0, min(at.Y-(high-size.Height)/2, e.view.Size().Height-high)) // over the middle of its row
	e.Entry.Move(at)
	e.Entry.Resize(fyne.NewSize(width, high))
	e.Entry.Show()
	e.Box.Refresh()
	e.wb.Shell.Focus(e.Entry)
	if all {
		e.Entry.TypedShortcut(&fyne.ShortcutSelectAll{})
	} else {
		e.Entry.CursorColumn = len([]rune(text))
	}
	return true
}

// InLine is a text as typed in a single line, and whether it is escaped: line breaks, and backslashes in a text with line breaks, are.
func InLine(text string) (typed string, other bool) {
	if !strings.ContainsAny(text, "\n\r") {
		return text, false
	}
	return escaped.Replace(text), true
}

// FromLine is the text that was typed in escaped form.
func FromLine(typed string) string { return unescaped.Replace(typed) }

// Text is the typed text.
func (e *InPlace) Text() string {
	if e.escape {
		return FromLine(e.Entry.Text)
	}
	return e.Entry.Text
}

var (
	escaped   = strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\r", "\\r")
	unescaped = strings.NewReplacer("\\\\", "\\", "\\n", "\n", "\\r", "\r")
)

// left closes the entry when another widget, and not just another window, gets the focus.
func (e *InPlace) left() {
	if !e.Entry.Visible() || e.Entry.Disabled() || e.wb.Shell.Focused() == fyne.Focusable(e.Entry) {
		return
	}
	if e.Close(); e.Text() != e.was && !e.Live {
		e.wb.Say("the typed value is not applied yet: press Enter")
	}
}

// Close hides the entry.
func (e *InPlace) Close() {
	e.Entry.Hide()
	if e.Closed != nil {
		e.Closed()
	}
}
