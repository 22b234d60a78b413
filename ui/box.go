package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"
)

// box is a dialog: Esc presses its first button, Enter its last one unless another has the keyboard. While one is open no
// command of the menus runs.
type box struct {
	wb   *Workbench
	hide func()
	do   []func() bool // of each button; false: the box stays
	last *keyButton
}

// question is the size of a box that asks one thing.
var question = fyne.NewSize(560, 220)

// box shows a dialog with a button for each pair of a label and what it does: nil, a func(), or a func() bool that says whether
// the box may close. It is nil without a window.
func (wb *Workbench) box(title string, body fyne.CanvasObject, size fyne.Size, pairs ...any) *box {
	if wb.win == nil {
		return nil
	}
	b := &box{wb: wb}
	shown := dialog.NewCustomWithoutButtons(title, body, wb.win)
	b.hide = shown.Hide
	var buttons []fyne.CanvasObject
	for i := 0; i < len(pairs); i += 2 {
		b.add(pairs[i+1])
		b.last = newKeyButton(wb, pairs[i].(string), func() { b.press(i / 2) })
		buttons = append(buttons, b.last)
	}
	b.last.Importance = widget.HighImportance
	shown.SetButtons(buttons)
	shown.Resize(size)
	shown.Show()
	wb.boxes = append(wb.boxes, b)
	wb.focus(b.last)
	return b
}

func (b *box) add(do any) {
	b.do = append(b.do, func() bool {
		switch do := do.(type) {
		case func() bool:
			return do()
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
	for i, o := range b.wb.boxes {
		if o == b {
			b.wb.boxes = append(b.wb.boxes[:i:i], b.wb.boxes[i+1:]...)
			b.hide()
		}
	}
}

// boxKey gives a key to the box on top, if there is one that wants it.
func (wb *Workbench) boxKey(name fyne.KeyName) bool {
	if len(wb.boxes) == 0 {
		return false
	}
	b := wb.boxes[len(wb.boxes)-1]
	switch name {
	case fyne.KeyEscape:
		b.press(0)
	case fyne.KeyReturn, fyne.KeyEnter:
		b.press(len(b.do) - 1)
	default:
		return false
	}
	return true
}

// modal tells whether a dialog or a menu lies over the window.
func (wb *Workbench) modal() bool {
	return len(wb.boxes) > 0 || wb.win != nil && wb.win.Canvas().Overlays().Top() != nil
}

// cover lets Esc close a dialog that Fyne made.
func (wb *Workbench) cover(d dialog.Dialog) {
	b := &box{wb: wb, hide: d.Hide, do: []func() bool{func() bool { return true }}}
	wb.boxes = append(wb.boxes, b)
	d.SetOnClosed(b.close)
}

// tell shows a text.
func (wb *Workbench) tell(title, text string) { wb.box(title, textOf(text), question, "Close", nil) }

// textOf is text for a box: as wide as in a question, and wrapped. Without a least size Fyne first breaks it at the width of the
// buttons, and the box keeps the height of that.
func textOf(s string) fyne.CanvasObject {
	l, room := widget.NewLabel(s), canvas.NewRectangle(color.Transparent)
	l.Wrapping = fyne.TextWrapWord
	l.Resize(fyne.NewSize(question.Width-40, 1))
	room.SetMinSize(fyne.NewSize(question.Width-40, l.MinSize().Height))
	return container.NewStack(room, l)
}

// ask shows a line to type into; answer returns an error to go on asking.
func (wb *Workbench) ask(title, hint, text string, answer func(string, func(error))) {
	e := newKeyEntry(wb)
	e.SetText(text)
	e.SetPlaceHolder(hint)
	wb.askWith(title, hint, "OK", e, answer)
}

// askWith is ask with an entry and the label of the button that answers. An error may come later: the box waits for it.
func (wb *Workbench) askWith(title, hint, ok string, e *keyEntry, answer func(string, func(error))) {
	trouble := widget.NewLabel("")
	trouble.Wrapping, trouble.Importance = fyne.TextWrapWord, widget.DangerImportance
	var b *box
	b = wb.box(title, container.NewVBox(textOf(hint), e, trouble), fyne.NewSize(560, 200), "Cancel", nil, ok, func() bool {
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
		wb.focus(e)
		e.TypedShortcut(&fyne.ShortcutSelectAll{}) // typing replaces what was proposed
	}
}

// form shows labelled fields; "" of the last button closes only.
func (wb *Workbench) form(title, ok string, items []*widget.FormItem, do func()) *box {
	f := widget.NewForm(items...)
	size := fyne.NewSize(560, f.MinSize().Height+120)
	if ok == "" {
		return wb.box(title, f, size, "Close", nil)
	}
	return wb.box(title, f, size, "Cancel", nil, ok, do)
}
