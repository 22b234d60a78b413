package kit

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Dialog is a dialog: Esc presses its first button, Enter the last one that loses nothing, unless another one has the focus. While one is open
// no command of the menus runs.
type Dialog struct {
	s    *WindowShell
	hide func()
	show func()        // in the middle of the window; nil: Fyne does
	do   []func() bool // of each button; false: the box stays
	last *Button
	at   int // the last one
}

// Losing is the action of a button that loses something: it must be chosen, Enter alone does not press it.
type Losing func()

// Question is the size of a dialog with one question.
var Question = fyne.NewSize(560, 220)

func (b *Dialog) add(do any) {
	b.do = append(b.do, func() bool {
		switch do := do.(type) {
		case func() bool:
			return do()
		case Losing:
			b.close()
			do()
		case func():
			b.close() // what it opens comes in the box's place
			if do != nil {
				do()
			}
		}
		return true
	})
}

// Press does what a button does.
func (b *Dialog) Press(i int) {
	if b.do[i]() {
		b.close()
	}
}

func (b *Dialog) close() {
	i := slices.Index(b.s.Boxes, b)
	if i < 0 {
		return
	}
	has := b.s.Focused()
	b.s.Boxes = slices.Delete(b.s.Boxes, i, i+1)
	b.hide()
	for _, above := range b.s.Boxes[i:] { // Fyne hid them too: no one would see what keeps every command from running
		if above.show != nil {
			above.hide()
			above.show()
		}
	}
	if has != nil && i < len(b.s.Boxes) {
		b.s.Focus(has)
	}
}

// Tell shows a text. While one is shown, another is added to it: of many files that cannot be opened, one dialog tells. One with the same title is
// not: if one of many typed edits is wrong, all are wrong the same way.
func (h *Host) Tell(title, text string) {
	open := h.told != nil && slices.Contains(h.told.s.Boxes, h.told)
	switch {
	case open && slices.Contains(h.toldOf, title):
		return
	case open:
		h.told.close()
		h.toldOf, h.toldText = append(h.toldOf, title), h.toldText+"\n\n"+title+"\n"+text
	default:
		h.toldOf, h.toldText = []string{title}, text
	}
	h.told = h.Shell.Box(h.toldOf[0], TextOf(h.toldText), Question, "Close", nil)
}

// MostText is the greatest height of a text in a dialog: a longer one scrolls, so that the buttons below it fit into the smallest window.
const MostText = 360

// TextOf is wrapped text for a dialog. Without a minimum size Fyne first breaks it at the width of the
// buttons, and the dialog keeps that height.
func TextOf(s string) fyne.CanvasObject {
	l, room := widget.NewLabel(atSlashes(s, Question.Width-40-2*theme.InnerPadding())), canvas.NewRectangle(color.Transparent)
	l.Wrapping = fyne.TextWrapWord
	l.Resize(fyne.NewSize(Question.Width-40, 1))
	high := l.MinSize().Height
	if room.SetMinSize(fyne.NewSize(Question.Width-40, min(high, MostText))); high > MostText {
		return container.NewStack(room, container.NewVScroll(l))
	}
	return container.NewStack(room, l)
}

// Ask shows a line to type into; verb is what is done with the answer, and answer returns an error to continue asking.
func (h *Host) Ask(title, verb, hint, text string, answer func(string, func(error))) {
	e := NewEntry(h)
	e.SetText(text)
	h.AskWith(title, verb, hint, e, answer)
}

// AskWith is Ask with an entry. An error may come later: the dialog waits for it.
func (h *Host) AskWith(title, verb, hint string, e *Entry, answer func(string, func(error))) {
	trouble := widget.NewLabel("")
	trouble.Wrapping, trouble.Importance = fyne.TextWrapWord, widget.DangerImportance
	var b *Dialog
	b = h.Shell.Box(title, container.NewVBox(TextOf(hint), e, trouble), fyne.NewSize(560, 200), "Cancel", nil, verb, func() bool {
		answer(e.Text, func(err error) {
			if err != nil {
				trouble.SetText(err.Error())
				return
			}
			b.close()
		})
		return false
	})
	if b != nil {
		h.Shell.Focus(e)
		e.TypedShortcut(&fyne.ShortcutSelectAll{}) // typing replaces what was proposed
	}
}

// Form shows labelled fields. If ok is "" the dialog can only be closed.
func (h *Host) Form(title, ok string, items []*widget.FormItem, do func()) *Dialog {
	f := formOf(items)
	size := fyne.NewSize(560, f.MinSize().Height+120)
	if ok == "" {
		return h.Shell.Box(title, f, size, "Close", nil)
	}
	return h.Shell.Box(title, f, size, "Cancel", nil, ok, do)
}

// longestLabel is the longest label, in units, that leaves room for a value beside it.
const longestLabel = 200

// formOf is a form with its labels beside the values or, if one is long, each above its value.
func formOf(items []*widget.FormItem) fyne.CanvasObject {
	lines, long := container.NewVBox(), false
	for _, x := range items {
		long = long || widget.NewLabel(x.Text).MinSize().Width > longestLabel
		lines.Add(TextOf(x.Text))
		lines.Add(x.Widget)
	}
	if long {
		return lines
	}
	return widget.NewForm(items...)
}
