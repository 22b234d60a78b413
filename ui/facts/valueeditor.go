package facts

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
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// ValueEditor edits the selected field in its own type: a choice for enums and booleans, checks for flags, text for the rest.
// Errors are shown while typing; Enter applies.
type ValueEditor struct {
	d     *doc.Document
	load  kit.Loader[fieldValue]
	span  *model.Span
	value model.Value
	cell  *doc.CellRef // of a table; nil: none
	names []string     // names of the numbers from 0 on, for an index into a list; nil: none

	Entry   *kit.Entry
	Choice  *kit.Select
	flags   *widget.CheckGroup
	limits  *widget.Label
	About   *widget.Label // says whose value it is
	Box     *fyne.Container
	wanted  bool   // by the keyboard, once the value is shown
	escape  bool   // the value has line breaks: in a line they are typed as \n
	setting bool   // show is filling the widgets: that is no edit
	Then    func() // once the edit is made; may be nil

	relayout func() // the editor has another height
	Home     func() // gives the keyboard to the pane that leads to fields
}

// fieldValue is the value of a field, and the names to choose from.
type fieldValue struct {
	v     model.Value
	names []string
}

// maxEdit is the longest value, in bytes, that can be edited in a line.
const maxEdit = 4096

func newValueEditor(d *doc.Document) *ValueEditor {
	e := &ValueEditor{d: d, Home: func() {}, Entry: kit.NewEntry(d.Window.Host),
		flags: widget.NewCheckGroup(nil, nil), limits: widget.NewLabel(""), About: widget.NewLabel("")}
	e.limits.Wrapping = fyne.TextWrapWord
	e.limits.Importance = widget.WarningImportance
	e.Entry.OnChanged, e.Entry.OnSubmitted = e.typed, e.Submit
	e.Choice = kit.NewSelect(d.Window.Host, nil, -1, func(i int) {
		switch {
		case e.setting || i < 0:
		case e.names != nil:
			e.set(model.U(uint64(i)))
		default:
			e.Submit(e.Choice.Selected)
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
	e.About.Importance, e.About.Truncation = widget.LowImportance, fyne.TextTruncateEllipsis
	e.Box = container.NewVBox(e.About, e.Entry, e.Choice, e.flags, e.limits)
	return e
}

// editValue unlocks the document and gives the focus to the value of the selected field, or says why there is none.
func (e *ValueEditor) editValue() {
	e.wanted = true
	if why := e.why(); why != "" && why != lockedText && e.span == e.d.Sel.Now.Span {
		e.focus(why)
		return
	}
	if !e.d.Editor.Unlock() { // which shows the value again
		e.selected(e.d.Sel.Now)
	}
}

// focus gives the focus to the widget that edits the value, if editValue asked for it.
func (e *ValueEditor) focus(why string) {
	if !e.wanted {
		return
	}
	e.wanted = false
	switch {
	case why != "":
		e.d.Window.Say("this field cannot be edited: " + why)
	case !e.Entry.Hidden:
		e.d.Window.Shell.Focus(e.Entry)
		e.Entry.TypedShortcut(&fyne.ShortcutSelectAll{})
	case !e.Choice.Hidden:
		e.d.Window.Shell.Focus(e.Choice)
	}
}

// selected reads the value of the selected field and shows it.
func (e *ValueEditor) selected(s doc.Selection) {
	t := e.d.Tree()
	if e.cell = s.Cell; e.cell != nil && e.cell.Fixed != "" && s.Span.Shape == model.Leaf {
		if r := e.d.Cells.Bytes(e.cell); r.Contains(s.Span.Range) && r != s.Span.Range {
			e.cell = nil // the field is one of several values of a cell, and can be edited where that cannot
		}
	}
	e.load.Load(e.d.Window, func(ctx context.Context) (x fieldValue, err error) {
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

// mostChoices is the longest list to choose from.
const mostChoices = 1000

const lockedText = "locked: Ctrl+L, or Locked in the status bar"

// byCell means that the table sets the selected cell: its bytes may contain more than the cell, or express it differently.
func (e *ValueEditor) byCell() bool {
	return e.cell != nil && e.d.Cells.Sets(e.cell)
}

// why returns why the field cannot be edited now; "" if it can.
func (e *ValueEditor) why() string {
	switch {
	case e.cell != nil && e.cell.Fixed != "":
		return e.cell.Fixed
	case e.byCell():
		if e.d.Editor.Locked {
			return lockedText
		}
		return ""
	case e.span == nil || e.span.Shape != model.Leaf || e.span.Field.Codec == nil:
		return "not a single value"
	case e.span.Field.Fixed != "":
		return e.span.Field.Fixed
	case e.span.Range.Len > maxEdit:
		return "too long for one line: edit it in the hex pane"
	case e.d.Editor.Locked:
		return lockedText
	}
	return ""
}

// show shows the value of a field, or of the selected cell as the table would set it.
func (e *ValueEditor) show(s *model.Span, v model.Value) {
	e.setting = true
	defer func() { e.setting = false }()
	e.span, e.value = s, v
	cell := e.byCell()
	leaf := !cell && s.Shape == model.Leaf && s.Field.Codec != nil
	e.Entry.Hidden, e.Choice.Hidden, e.flags.Hidden = true, true, true
	switch {
	case cell:
		e.showText(e.cell.Typed)
	case leaf:
		e.showText(typedValue(s.Field, v))
		e.showChoice(s.Field, v)
		e.showFlags(s.Field, v)
	}
	why := e.why()
	if hide := !cell && !leaf || why != ""; hide != e.Box.Hidden {
		e.Box.Hidden = hide
		e.relayout()
	}
	for _, w := range []fyne.Disableable{e.Entry, e.Choice, e.flags} {
		if why == "" {
			w.Enable()
		} else {
			w.Disable()
		}
	}
	e.say("")
	e.Box.Refresh()
	e.focus(why)
}

// showText shows a value in the line, and whose it is.
func (e *ValueEditor) showText(text string) {
	e.About.SetText(e.whose())
	e.Entry.Hidden = false
	text, e.escape = doc.InLine(text[:min(len(text), 2*maxEdit)]) // a byte has two digits
	e.Entry.SetText(text)
}

// typedValue is a value as someone would type it.
func typedValue(f *model.Field, v model.Value) string {
	switch {
	case v.Kind == model.Text:
		return v.Text()
	case v.Kind == model.Bytes: // all of them
		return fmt.Sprint(v.JSON())
	case f.Show == model.ShowHex && (v.Kind == model.Uint || v.Kind == model.Int && v.Int() >= 0):
		return fmt.Sprintf("0x%x", v.Uint())
	}
	return v.String()
}

// showChoice lists the named values, if there are any. Nothing else can be typed for a Boolean.
func (e *ValueEditor) showChoice(f *model.Field, v model.Value) {
	e.Choice.Selected = ""
	switch {
	case f.Codec.Kind() == model.Bool:
		e.Choice.Options, e.Choice.Selected = []string{"false", "true"}, v.String()
		e.Entry.Hidden = true
	case len(e.names) > 0:
		if e.Choice.Options = e.names; v.Uint() < uint64(len(e.names)) {
			e.Choice.Selected = e.names[v.Uint()]
		}
	case len(f.Enum) > 0:
		e.Choice.Options, e.Choice.Selected = enumNames(f.Enum), f.Enum[v.Uint()]
	default:
		return
	}
	e.Choice.Hidden = false
	e.Choice.Refresh()
}

// showFlags ticks the bits that are set.
func (e *ValueEditor) showFlags(f *model.Field, v model.Value) {
	if len(f.Flags) == 0 {
		return
	}
	e.flags.Hidden = false
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

// whose names what has the value: a cell, or otherwise a field.
func (e *ValueEditor) whose() string {
	if e.cell != nil {
		return fmt.Sprintf("row %d, %s", e.cell.Row, e.cell.Column)
	}
	return show.NameOf(e.span) + ", " + show.TypeOf(e.span)
}

func enumNames(e model.Enum) []string {
	return model.Map(slices.Sorted(maps.Keys(e)), func(k uint64) string { return e[k] })
}

func (e *ValueEditor) say(s string) {
	e.limits.SetText(s)
	e.limits.Hidden = s == ""
	e.Box.Refresh()
}

// parse parses the typed text and says what is wrong with it.
func (e *ValueEditor) parse(s string) (model.Value, error) {
	if e.escape {
		s = doc.FromLine(s)
	}
	v, err := e.span.Field.Parse(s)
	if err != nil {
		return v, err
	}
	_, err = e.span.Field.Codec.Encode(v)
	return v, err
}

func (e *ValueEditor) typed(s string) {
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

// Submit sets the field to the typed value.
func (e *ValueEditor) Submit(s string) {
	if e.setting || e.span == nil || e.why() != "" {
		return
	}
	if e.byCell() {
		if e.escape {
			s = doc.FromLine(s)
		}
		if s == e.cell.Typed {
			e.leave()
			return
		}
		e.d.Cells.Set(e.cell, s, e.told)
		return
	}
	v, err := e.parse(s)
	if err != nil {
		e.told(err)
		return
	}
	e.set(v)
}

// leave returns the focus from the line to the tree: undo then applies to the document again.
func (e *ValueEditor) leave() {
	if e.d.Window.Shell.Focused() == e.Entry {
		e.Home()
	}
	if then := e.Then; then != nil {
		e.Then = nil
		then()
	}
}

// Typing tells whether the line has the focus: its text has not been applied yet.
func (e *ValueEditor) Typing() bool {
	return e.d.Window.Shell.Focused() == fyne.Focusable(e.Entry) && e.why() == ""
}

func (e *ValueEditor) set(v model.Value) {
	switch {
	case e.why() != "":
		return
	case v.Equal(e.value):
		e.leave()
		return
	}
	e.d.Editor.SetValue(e.span, v, e.told)
}

// told follows an edit, or says why there is none.
func (e *ValueEditor) told(err error) {
	if err == nil {
		e.leave()
		return
	}
	switch e.Then = nil; {
	case errors.Is(err, context.Canceled): // the user thought better of it
		e.selected(e.d.Sel.Now)
	default:
		e.say(err.Error())
	}
}
