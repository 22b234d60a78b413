package ui

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// box is a dialog: Esc presses its first button, Enter the last one that loses nothing, unless another has the keyboard. While one is open
// no command of the menus runs.
type box struct {
	s    *windowShell
	hide func()
	show func()        // in the middle of the window; nil: Fyne does
	do   []func() bool // of each button; false: the box stays
	last *keyButton
	at   int // the last one
}

// losing is what a button does that something is lost by: it has to be chosen, Enter alone does not press it.
type losing func()

// question is the size of a box that asks one thing.
var question = fyne.NewSize(560, 220)

func (b *box) add(do any) {
	b.do = append(b.do, func() bool {
		switch do := do.(type) {
		case func() bool:
			return do()
		case losing:
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

// press does what a button does.
func (b *box) press(i int) {
	if b.do[i]() {
		b.close()
	}
}

func (b *box) close() {
	i := slices.Index(b.s.boxes, b)
	if i < 0 {
		return
	}
	has := b.s.focused()
	b.s.boxes = slices.Delete(b.s.boxes, i, i+1)
	b.hide()
	for _, above := range b.s.boxes[i:] { // Fyne hid them too: nobody would see what keeps every command from running
		if above.show != nil {
			above.hide()
			above.show()
		}
	}
	if has != nil && i < len(b.s.boxes) {
		b.s.focus(has)
	}
}

// tell shows a text.
func (h *Host) tell(title, text string) { h.shell.box(title, textOf(text), question, "Close", nil) }

// mostText is how high a text in a box is at most: a longer one scrolls, and the buttons below it stay in the smallest window.
const mostText = 360

// textOf is text for a box: as wide as in a question, and wrapped. Without a least size Fyne first breaks it at the width of the
// buttons, and the box keeps the height of that.
func textOf(s string) fyne.CanvasObject {
	l, room := widget.NewLabel(s), canvas.NewRectangle(color.Transparent)
	l.Wrapping = fyne.TextWrapWord
	l.Resize(fyne.NewSize(question.Width-40, 1))
	high := l.MinSize().Height
	if room.SetMinSize(fyne.NewSize(question.Width-40, min(high, mostText))); high > mostText {
		return container.NewStack(room, container.NewVScroll(l))
	}
	return container.NewStack(room, l)
}

// ask shows a line to type into; answer returns an error to go on asking.
func (h *Host) ask(title, hint, text string, answer func(string, func(error))) {
	e := newKeyEntry(h)
	e.SetText(text)
	h.askWith(title, hint, "OK", e, answer)
}

// askWith is ask with an entry and the label of the button that answers. An error may come later: the box waits for it.
func (h *Host) askWith(title, hint, ok string, e *keyEntry, answer func(string, func(error))) {
	trouble := widget.NewLabel("")
	trouble.Wrapping, trouble.Importance = fyne.TextWrapWord, widget.DangerImportance
	var b *box
	b = h.shell.box(title, container.NewVBox(textOf(hint), e, trouble), fyne.NewSize(560, 200), "Cancel", nil, ok, func() bool {
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
		h.shell.focus(e)
		e.TypedShortcut(&fyne.ShortcutSelectAll{}) // typing replaces what was proposed
	}
}

// form shows labelled fields; "" of the last button closes only.
func (h *Host) form(title, ok string, items []*widget.FormItem, do func()) *box {
	f := widget.NewForm(items...)
	size := fyne.NewSize(560, f.MinSize().Height+120)
	if ok == "" {
		return h.shell.box(title, f, size, "Close", nil)
	}
	return h.shell.box(title, f, size, "Cancel", nil, ok, do)
}
