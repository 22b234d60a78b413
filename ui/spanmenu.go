package ui

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// copyMost is how many bytes are copied as text at once.
const copyMost = 1 << 20

func (d *Document) copyValue() {
	t, s := d.Tree(), d.sel.now.Span
	d.wb.submit(model.Job{Priority: model.Selected,
		Run:  func(ctx context.Context, _ func(done, total int64)) (any, error) { return valueText(ctx, t, s), nil },
		Done: func(v any, _ error) { d.wb.copy(fmt.Sprint(v)) }})
}

// spanMenu is what the right button offers on a span.
func (d *Document) spanMenu(s *model.Span) *fyne.Menu {
	items := []*fyne.MenuItem{
		fyne.NewMenuItem("Copy value", func() { d.copyValue() }),
		fyne.NewMenuItem("Copy bytes", func() { d.copyAs(copyHex) }),
		fyne.NewMenuItem("Copy path", func() { d.wb.copy(s.Path()) }),
		fyne.NewMenuItem("Copy offset", func() { d.wb.copy(fmt.Sprintf("0x%x", s.Range.Off)) }),
	}
	for i, r := range d.Tree().Relations(s) {
		if i == 10 {
			break
		}
		if i == 0 {
			items = append(items, fyne.NewMenuItemSeparator())
		}
		items = append(items, fyne.NewMenuItem("Go to "+r.Text+" "+placeText(r.Span, r.To), func() { d.lead(r.Span, r.To) }))
	}
	return fyne.NewMenu("", items...)
}

// lead follows a link to the very bytes that it means: a span, or some of what is known as one.
func (d *Document) lead(s *model.Span, to model.Range) {
	d.sel.light(model.Range{}) // the pointer is on something else then
	if s != nil && (to.Len == 0 || to == s.Range) {
		d.sel.set(Selection{Span: s})
		return
	}
	d.sel.bytes(to, nil)
}

// placeText names the end of a link.
func placeText(s *model.Span, to model.Range) string {
	switch {
	case s == nil:
		return fmt.Sprintf("0x%x + %d", to.Off, to.Len)
	case to.Len == 0 || to == s.Range:
		return s.Path()
	}
	return fmt.Sprintf("%s at 0x%x", s.Path(), to.Off)
}
