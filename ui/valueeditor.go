package ui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
)

// valueEditor edits the selected field in its own type: a choice for enums and booleans, checks for flags, text for the rest.
// What does not fit is said while it is typed; Enter applies.
type valueEditor struct {
	d     *Document
	load  loader[fieldValue]
	span  *model.Span
	value model.Value
	cell  *cellRef // of a table; nil: none
	names []string // what the numbers from 0 on stand for, of an index of a list; nil: of none

	entry   *keyEntry
	choice  *keySelect
	flags   *widget.CheckGroup
	limits  *widget.Label
	box     *fyne.Container
	wanted  bool   // by the keyboard, once the value is shown
	setting bool   // show is filling the widgets: that is no edit
	then    func() // once the edit is made; may be nil

	relayout func() // the editor has another height
	home     func() // gives the keyboard to the pane that leads to fields
}

// fieldValue is the value of a field, and the names that it chooses among.
type fieldValue struct {
	v     model.Value
	names []string
}

// maxEdit is how long a value may be, in bytes, to be edited in a line.
const maxEdit = 4096

func newValueEditor(d *Document) *valueEditor {
	e := &valueEditor{d: d, home: func() {}, entry: newKeyEntry(d.wb.Host),
		flags: widget.NewCheckGroup(nil, nil), limits: widget.NewLabel("")}
	e.limits.Wrapping = fyne.TextWrapWord
	e.limits.Importance = widget.WarningImportance
	e.entry.OnChanged, e.entry.OnSubmitted = e.typed, e.submit
	e.choice = newKeySelect(d.wb.Host, nil, -1, func(i int) {
		switch {
		case e.setting || i < 0:
		case e.names != nil:
			e.set(model.U(uint64(i)))
		default:
			e.submit(e.choice.Selected)
		}
	})
	e.flags.OnChanged = func(names []string) {
		if e.setting || e.span == nil {
			return
		}
		bits := e.value.Uint()
		for _, f := range e.span.Field.Flags {
			bits &^= f.Mask
		}
		for _, f := range e.span.Field.Flags {
			if slices.Contains(names, f.Name) {
				bits |= f.Mask
			}
		}
		e.set(model.U(bits))
	}
	e.box = container.NewVBox(e.entry, e.choice, e.flags, e.limits)
	return e
}

// editValue unlocks the document and gives the keyboard to the value of the selected field, or says why it has none.
func (e *valueEditor) editValue() {
	e.wanted = true
	if why := e.why(); why != "" && why != lockedText && e.span == e.d.sel.now.Span {
		e.focus(why)
		return
	}
	if !e.d.editor.unlock() { // which shows the value anew
		e.selected(e.d.sel.now)
	}
}

// focus gives the keyboard to the widget that edits the value, when editValue asked for it.
func (e *valueEditor) focus(why string) {
	if !e.wanted {
		return
	}
	e.wanted = false
	switch {
	case why != "":
		e.d.wb.say("this field cannot be edited: " + why)
	case !e.entry.Hidden:
		e.d.wb.shell.focus(e.entry)
		e.entry.TypedShortcut(&fyne.ShortcutSelectAll{})
	case !e.choice.Hidden:
		e.d.wb.shell.focus(e.choice)
	}
}

// selected reads the value of the selected field and shows it.
func (e *valueEditor) selected(s Selection) {
	t := e.d.Tree()
	if e.cell = s.Cell; e.cell != nil && e.cell.fixed != "" && s.Span.Shape == model.Leaf {
		if r := e.d.cells.bytes(e.cell); r.Contains(s.Span.Range) && r != s.Span.Range {
			e.cell = nil // the field is one of several values of a cell, and can be edited where that cannot
		}
	}
	e.load.load(e.d.wb, func(ctx context.Context) (x fieldValue, err error) {
		if x.v, err = t.Value(ctx, s.Span); err == nil && s.Span.Shape == model.Leaf && s.Span.Field.Choices != nil {
			x.names = s.Span.Field.Choices(ctx, t, s.Span)
			x.names = x.names[:min(len(x.names), mostChoices)]
		}
		return x, err
	}, func(x fieldValue, err error) {
		if err == nil && t == e.d.Tree() {
			e.names = x.names
			e.show(s.Span, x.v)
		}
	})
}

// mostChoices is how many names a list to choose from has at most.
const mostChoices = 1000

const lockedText = "locked: Ctrl+L, or READ in the status line"

// byCell tells that the table sets the selected cell: its bytes may hold more than the cell, or say it in another way.
func (e *valueEditor) byCell() bool {
	return e.cell != nil && e.d.cells.sets(e.cell)
}

// why returns why the field cannot be edited now; "" when it can.
func (e *valueEditor) why() string {
	switch {
	case e.cell != nil && e.cell.fixed != "":
		return e.cell.fixed
	case e.byCell():
		if e.d.editor.locked {
			return lockedText
		}
		return ""
	case e.span == nil || e.span.Shape != model.Leaf || e.span.Field.Codec == nil:
		return "no single value"
	case e.span.Field.Fixed != "":
		return e.span.Field.Fixed
	case e.span.Range.Len > maxEdit:
		return "too long for a line: edit it in the hex pane"
	case e.d.editor.locked:
		return lockedText
	}
	return ""
}

func (e *valueEditor) show(s *model.Span, v model.Value) {
	e.setting = true
	defer func() { e.setting = false }()
	e.span, e.value = s, v
	if e.byCell() {
		e.showCell()
		return
	}
	leaf := s != nil && s.Shape == model.Leaf && s.Field.Codec != nil
	isBool := leaf && s.Field.Codec.Kind() == model.Bool
	isEnum := leaf && len(s.Field.Enum) > 0
	e.entry.Hidden = !leaf || isBool
	e.choice.Hidden = !isBool && !isEnum && len(e.names) == 0
	e.flags.Hidden = !leaf || len(s.Field.Flags) == 0
	if leaf {
		text := v.String()
		switch {
		case v.Kind == model.Text:
			text = v.Text()
		case s.Field.Show == model.ShowHex && (v.Kind == model.Uint || v.Kind == model.Int && v.Int() >= 0):
			text = fmt.Sprintf("0x%x", v.Uint())
		}
		e.entry.SetText(text[:min(len(text), maxEdit)])
	}
	e.showChoice(s, v, isBool, isEnum)
	if !e.flags.Hidden {
		e.showFlags(s.Field, v)
	}
	why := e.why()
	if hide := !leaf || why != ""; hide != e.box.Hidden {
		e.box.Hidden = hide
		if e.relayout != nil {
			e.relayout()
		}
	}
	for _, w := range []fyne.Disableable{e.entry, e.choice, e.flags} {
		if why == "" {
			w.Enable()
		} else {
			w.Disable()
		}
	}
	e.say("")
	e.box.Refresh()
	e.focus(why)
}

// showChoice fills the list of values that have names.
func (e *valueEditor) showChoice(s *model.Span, v model.Value, isBool, isEnum bool) {
	switch {
	case isBool:
		e.choice.SetOptions([]string{"false", "true"})
		e.choice.SetSelected(v.String())
	case len(e.names) > 0:
		e.choice.SetOptions(e.names)
		if e.choice.Selected = ""; v.Uint() < uint64(len(e.names)) {
			e.choice.Selected = e.names[v.Uint()]
		}
		e.choice.Refresh()
	case isEnum:
		e.choice.SetOptions(enumNames(s.Field.Enum))
		e.choice.Selected = s.Field.Enum[v.Uint()]
		e.choice.Refresh()
	}
}

// showFlags ticks the bits that are set.
func (e *valueEditor) showFlags(f *model.Field, v model.Value) {
	var all, set []string
	for _, bit := range f.Flags {
		all = append(all, bit.Name)
		if v.Uint()&bit.Mask == bit.Mask {
			set = append(set, bit.Name)
		}
	}
	e.flags.Options = all
	e.flags.SetSelected(set)
}

// showCell offers the selected cell as the table sets it.
func (e *valueEditor) showCell() {
	why := e.why()
	e.entry.SetText(e.cell.typed)
	e.entry.Hidden, e.choice.Hidden, e.flags.Hidden = false, true, true
	if e.entry.Enable(); why != "" {
		e.entry.Disable()
	}
	if hide := why != ""; hide != e.box.Hidden {
		e.box.Hidden = hide
		e.relayout()
	}
	e.say("")
	e.focus(why)
}

func enumNames(e model.Enum) []string {
	var names []string
	for _, k := range slices.Sorted(maps.Keys(e)) {
		names = append(names, e[k])
	}
	return names
}

func (e *valueEditor) say(s string) {
	e.limits.SetText(s)
	e.limits.Hidden = s == ""
	e.box.Refresh()
}

// parse reads what was typed and says why it does not fit.
func (e *valueEditor) parse(s string) (model.Value, error) {
	v, err := e.span.Field.Parse(s)
	if err != nil {
		return v, err
	}
	_, err = e.span.Field.Codec.Encode(v)
	return v, err
}

func (e *valueEditor) typed(s string) {
	if e.setting || e.span == nil || e.why() != "" || e.byCell() {
		return
	}
	v, err := e.parse(s)
	switch {
	case err != nil:
		e.say(err.Error())
	case e.span.Field.Check != nil && e.span.Field.Check(v) != "":
		e.say("expected " + e.span.Field.Check(v))
	default:
		e.say("")
	}
}

func (e *valueEditor) submit(s string) {
	if e.setting || e.span == nil || e.why() != "" {
		return
	}
	switch {
	case e.byCell() && s == e.cell.typed:
		e.leave()
		return
	case e.byCell():
		e.d.cells.set(e.cell, s, e.told)
		return
	}
	v, err := e.parse(s)
	if err != nil {
		e.told(err)
		return
	}
	e.set(v)
}

// leave gives the keyboard from the line back to the tree: undo is that of the document again.
func (e *valueEditor) leave() {
	if e.d.wb.shell.focused() == e.entry {
		e.home()
	}
	if then := e.then; then != nil {
		e.then = nil
		then()
	}
}

// typing tells whether the line has the keyboard: what was typed there is not taken yet.
func (e *valueEditor) typing() bool {
	return e.d.wb.shell.focused() == fyne.Focusable(e.entry) && e.why() == ""
}

func (e *valueEditor) set(v model.Value) {
	switch {
	case e.why() != "":
		return
	case v.Equal(e.value):
		e.leave()
		return
	}
	e.d.editor.setValue(e.span, v, e.told)
}

// told follows an edit, or says why there is none.
func (e *valueEditor) told(err error) {
	if err == nil {
		e.leave()
		return
	}
	switch e.then = nil; {
	case errors.Is(err, context.Canceled): // the user thought better of it
		e.selected(e.d.sel.now)
	default:
		e.say(err.Error())
	}
}
