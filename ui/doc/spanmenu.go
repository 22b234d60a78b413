package doc

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// CopyMost is how many bytes are copied as text at once.
const CopyMost = 1 << 20

// CopyValue copies the value of the selected field.
func (d *Document) CopyValue() {
	t, s := d.Tree(), d.Sel.Now.Span
	kit.Work(d.Window, "", model.Selected, func(ctx context.Context) (any, error) {
		return show.ValueOf(ctx, t, s), nil
	}, func(v any, _ error) { d.Window.Copy(fmt.Sprint(v)) })
}

// SpanMenu is the context menu of a span.
func (d *Document) SpanMenu(s *model.Span) *fyne.Menu {
	items := []*fyne.MenuItem{
		fyne.NewMenuItem("Copy value", func() { d.CopyValue() }),
		fyne.NewMenuItem("Copy bytes", func() { d.CopyAs(CopyHex) }),
		fyne.NewMenuItem("Copy path", func() { d.Window.Copy(s.Path()) }),
		fyne.NewMenuItem("Copy offset", func() { d.Window.Copy(fmt.Sprintf("0x%x", s.Range.Off)) }),
	}
	items = append(items, fyne.NewMenuItemSeparator())
	for _, x := range []struct{ label, command string }{{"Copy as…", "copy-as"}, {"Save bytes to a file…", "save-bytes"}, {"Hashes of the bytes", "hashes"}, {"Edit value", "edit-value"}, {"Set or remove a bookmark", "bookmark"}} {
		items = append(items, fyne.NewMenuItem(x.label, func() { d.Window.Command(x.command) }))
	}
	t := d.Tree()
	for i, r := range t.Relations(s) {
		if i == 10 {
			break
		}
		if i == 0 {
			items = append(items, fyne.NewMenuItemSeparator())
		}
		at := r.Span
		if sp := t.Space(r.To.Space); at != nil && r.To.Len > 0 && r.To != at.Range && sp != nil && sp.Root != nil {
			at = sp.Root // a menu does not wait for unread bytes
		}
		items = append(items, fyne.NewMenuItem("Go to "+PlaceText(at, r.To)+" ("+r.Text+")", func() { d.Lead(r.Span, r.To) }))
	}
	return fyne.NewMenu("", items...)
}

// Lead follows a link to the exact bytes that it means: a span, or a part of one.
func (d *Document) Lead(s *model.Span, to model.Range) {
	d.Sel.Light(model.Range{}) // the pointer is on something else then
	if s != nil && (to.Len == 0 || to == s.Range) {
		d.Sel.Set(Selection{Span: s})
		return
	}
	d.Sel.Bytes(to, nil)
}

// End is the field that a relation leads to. Unread spans on the way are read, so that it does not depend on what was opened before.
func End(ctx context.Context, t *model.Tree, r model.Relation) *model.Span {
	if r.Span == nil || r.To.Len == 0 || r.To == r.Span.Range {
		return r.Span
	}
	if s, err := t.AtOpen(ctx, r.To.Space, r.To.Off); err == nil && s != nil {
		return holder(s, r.To)
	}
	return r.Span
}

// PlaceText names the end of a link.
func PlaceText(s *model.Span, to model.Range) string {
	switch {
	case s == nil:
		return fmt.Sprintf("0x%x + %d", to.Off, to.Len)
	case to.Len == 0 || to == s.Range:
		return s.Path()
	}
	return fmt.Sprintf("%s at 0x%x", s.Path(), to.Off)
}
