package ui

import (
	"context"
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
)

// askFill asks for a byte and fills the selection with it.
func (wb *Workbench) askFill(d *Document) {
	if d.editor.locked {
		wb.talk.fail("Fill", errLocked)
		return
	}
	wb.talk.ask("Fill the selection", "a byte: 0, 0xFF", "0", func(s string, done func(error)) {
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
	if d.Model.Format == nil {
		return
	}
	var lines []string
	var list []*model.Action
	for i := range d.Model.Format.Actions {
		a := &d.Model.Format.Actions[i]
		if a.On == nil || a.On(d.Tree(), d.sel.now.Span) {
			list, lines = append(list, a), append(lines, a.Label+"…")
		}
	}
	if len(list) == 0 {
		wb.status.say("the format offers no structural edit here")
		return
	}
	wb.talk.pick("Structural edits of "+d.sel.now.Span.Name(), lines, func(i int) { wb.askParams(d, list[i]) })
}

func (wb *Workbench) askParams(d *Document, a *model.Action) {
	args := map[string]string{}
	var items []*widget.FormItem
	for _, p := range a.Params {
		args[p.Name] = p.Default
		if len(p.Choices) > 0 {
			s := newKeySelect(wb, p.Choices, slices.Index(p.Choices, p.Default), func(i int) { args[p.Name] = p.Choices[i] })
			items = append(items, widget.NewFormItem(p.Label, s))
			continue
		}
		e := newKeyEntry(wb)
		e.SetText(p.Default)
		e.OnChanged = func(v string) { args[p.Name] = v }
		items = append(items, widget.NewFormItem(p.Label, e))
	}
	run := func() {
		t, s := d.Tree(), d.sel.now.Span
		d.wb.submit(model.Job{Title: a.Label, Priority: model.Edited,
			Run: func(ctx context.Context, _ func(done, total int64)) (any, error) { return a.Plan(ctx, t, s, args) },
			Done: func(v any, err error) {
				edits, _ := v.([]model.Edit)
				if err != nil || len(edits) == 0 {
					if err == nil {
						err = fmt.Errorf("there is nothing to change")
					}
					wb.talk.fail(a.Label, err)
					return
				}
				d.editor.preview(a.Label, edits, func(p *model.Plan, err error) {
					if err != nil {
						wb.talk.fail(a.Label, err)
						return
					}
					d.editor.try(p, nil)
				})
			}})
	}
	if len(items) == 0 {
		run()
		return
	}
	wb.talk.form(a.Label, "Preview", items, run)
	wb.shell.focus(items[0].Widget.(fyne.Focusable))
}
