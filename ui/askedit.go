package ui

import (
	"context"
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
)

// textOf is text for a dialog: wide enough to read, and wrapped.
func textOf(s string) fyne.CanvasObject {
	l := widget.NewLabel(s + strings.Repeat(" ", max(0, 80-len(s))))
	l.Wrapping = fyne.TextWrapWord
	return l
}

// question is the size of a dialog that asks one thing.
var question = fyne.NewSize(560, 220)

// choices gives a dialog a button for each pair of a label and what it does; nil does nothing. It shows the dialog, with the
// keyboard on the last button: Space presses it.
func (wb *Workbench) choices(box *dialog.CustomDialog, size fyne.Size, pairs ...any) {
	var buttons []fyne.CanvasObject
	for i := 0; i < len(pairs); i += 2 {
		do, _ := pairs[i+1].(func())
		b := widget.NewButton(pairs[i].(string), func() {
			box.Hide()
			if do != nil {
				do()
			}
		})
		if i == len(pairs)-2 {
			b.Importance = widget.HighImportance
		}
		buttons = append(buttons, b)
	}
	box.SetButtons(buttons)
	box.Resize(size)
	box.Show()
	wb.focus(buttons[len(buttons)-1].(*widget.Button))
}

// askFill asks for a byte and fills the selection with it.
func (wb *Workbench) askFill(d *Document) {
	if d.locked {
		wb.fail("Fill", errLocked)
		return
	}
	wb.ask("Fill the selection", "a byte: 0, 0xFF", "0", func(s string, done func(error)) {
		v, err := model.ParseValue(model.Uint, s)
		if err == nil {
			_, err = model.U8.Encode(v)
		}
		if done(err); err == nil {
			d.hex.fill(byte(v.Uint()))
		}
	})
}

// askAction lists the structural edits that the format offers on the selected span, asks for what the chosen one needs, and
// shows what it would change.
func (wb *Workbench) askAction(d *Document) {
	if d.Model.Format == nil || wb.win == nil {
		return
	}
	var buttons []any
	buttons = append(buttons, "Cancel", nil)
	for i := range d.Model.Format.Actions {
		a := &d.Model.Format.Actions[i]
		if a.On == nil || a.On(d.Tree(), d.Sel.Span) {
			buttons = append(buttons, a.Label+"…", func() { wb.askParams(d, a) })
		}
	}
	if len(buttons) == 2 {
		wb.status.say("the format offers no structural edit here")
		return
	}
	list := widget.NewList(func() int { return len(buttons)/2 - 1 }, func() fyne.CanvasObject { return widget.NewLabel("") },
		func(i widget.ListItemID, o fyne.CanvasObject) { o.(*widget.Label).SetText(buttons[2*i+2].(string)) })
	box := dialog.NewCustom("Structural edits of "+d.Sel.Span.Name(), "Cancel", list, wb.win)
	list.OnSelected = func(i widget.ListItemID) {
		box.Hide()
		buttons[2*i+3].(func())()
	}
	box.Resize(fyne.NewSize(460, 320))
	box.Show()
}

func (wb *Workbench) askParams(d *Document, a *model.Action) {
	args := map[string]string{}
	var items []*widget.FormItem
	for _, p := range a.Params {
		args[p.Name] = p.Default
		if len(p.Choices) > 0 {
			s := widget.NewSelect(p.Choices, func(v string) { args[p.Name] = v })
			s.SetSelected(p.Default)
			items = append(items, widget.NewFormItem(p.Label, s))
			continue
		}
		e := widget.NewEntry()
		e.SetText(p.Default)
		e.OnChanged = func(v string) { args[p.Name] = v }
		items = append(items, widget.NewFormItem(p.Label, e))
	}
	run := func() {
		t, s := d.Tree(), d.Sel.Span
		d.wb.submit(model.Job{Title: a.Label, Priority: model.Edited,
			Run: func(ctx context.Context, _ func(done, total int64)) (any, error) { return a.Plan(ctx, t, s, args) },
			Done: func(v any, err error) {
				edits, _ := v.([]model.Edit)
				if err != nil || len(edits) == 0 {
					if err == nil {
						err = fmt.Errorf("there is nothing to change")
					}
					wb.fail(a.Label, err)
					return
				}
				d.Plan(a.Label, edits, func(p *model.Plan, err error) {
					if err != nil {
						wb.fail(a.Label, err)
						return
					}
					wb.showPlan(d, p, func() { d.Edit(a.Label, "", edits, nil) }, func() {})
				})
			}})
	}
	if len(items) == 0 {
		run()
		return
	}
	box := dialog.NewForm(a.Label, "Preview", "Cancel", items, func(yes bool) {
		if yes {
			run()
		}
	}, wb.win)
	box.Resize(fyne.NewSize(460, 240))
	box.Show()
}
