package ui

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// askFill asks for a byte and fills the selection with it.
func (wb *Workbench) askFill(d *tab) {
	if d.Editor.Locked {
		wb.Fail("Fill", doc.ErrLocked)
		return
	}
	wb.Ask("Fill the selection", "Fill", "A byte, such as 0 or 0xFF:", "0", func(s string, done func(error)) {
		v, err := model.ParseValue(model.Uint, s)
		if err == nil {
			_, err = model.U8.Encode(v)
		}
		if done(err); err == nil {
			d.hex.Edit.Fill(byte(v.Uint()))
		}
	})
}

// offered is an edit that the format offers for a span.
type offered struct {
	*model.Action
	span *model.Span
}

// actionsAt lists the edits that the format offers for a span and for the spans that contain it; each for the innermost one.
func actionsAt(d *tab, s *model.Span) (list []offered) {
	seen := map[*model.Action]bool{}
	for ; s != nil; s = s.Parent() {
		for i := range d.Model.Format.Actions {
			if a := &d.Model.Format.Actions[i]; !seen[a] && a.Fits(d.Tree(), s) {
				list, seen[a] = append(list, offered{a, s}), true
			}
		}
	}
	return list
}

// askAction offers the structural edits of the selection and what contains it.
func (wb *Workbench) askAction(d *tab) {
	if d.Model.Format == nil {
		return
	}
	var lines []string
	list := actionsAt(d, d.Sel.Now.Span)
	for _, o := range list {
		line := strings.TrimRight(o.Label, ".…") + "…"
		if o.span != d.Sel.Now.Span {
			line += "   of " + titleOf(d, o.span)
		}
		lines = append(lines, line)
	}
	if len(list) == 0 {
		wb.Say("no structural edits are available here")
		return
	}
	wb.Pick("Structural edits of "+titleOf(d, d.Sel.Now.Span), "Choose", lines, func(i int) { wb.askParams(d, list[i]) })
}

// titleOf names a span; the whole document by its name.
func titleOf(d *tab, s *model.Span) string {
	if s.Parent() == nil {
		return d.TabName()
	}
	return s.Name()
}

// proposed is what is asked about at first: the selected rows, for a parameter about rows.
func proposed(d *tab, p *model.Param) string {
	if d.table.Table == nil || d.table.Order.On {
		return p.Default
	}
	name := d.table.Table.Name
	switch first, n := d.table.ChosenRows(); {
	case n > 0 && p.First == name:
		return strconv.FormatInt(first, 10)
	case n > 0 && p.Last == name:
		return strconv.FormatInt(first+n-1, 10)
	case n > 0 && p.Count == name:
		return strconv.FormatInt(n, 10)
	}
	return p.Default
}

func (wb *Workbench) askParams(d *tab, a offered) {
	args := map[string]string{}
	var items []*widget.FormItem
	for _, p := range a.Params {
		args[p.Name] = p.Default
		if len(p.Choices) > 0 {
			s := kit.NewSelect(wb.Host, p.Choices, slices.Index(p.Choices, p.Default), func(i int) { args[p.Name] = p.Choices[i] })
			items = append(items, widget.NewFormItem(p.Label, s))
			continue
		}
		e := kit.NewEntry(wb.Host)
		e.OnChanged = func(v string) { args[p.Name] = v }
		e.SetText(proposed(d, &p))
		items = append(items, widget.NewFormItem(p.Label, e))
	}
	run := func() {
		d.Editor.TryMade(a.Label, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) { return a.Plan(ctx, t, a.span, args) }, func(p *model.Plan) { d.Editor.Try(p, nil, true) })
	}
	if len(items) == 0 {
		run()
		return
	}
	wb.Form(strings.TrimRight(a.Label, ".…"), "Preview", items, run)
	wb.Shell.Focus(items[0].Widget.(fyne.Focusable))
}
