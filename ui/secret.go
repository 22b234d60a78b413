package ui

import (
	"context"
	"errors"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
)

// secretBar lies above the panes while something cannot be read without a key that only the user has.
type secretBar struct {
	d      *Document
	needs  *model.Secret
	text   *widget.Label
	give   *keyButton
	object *fyne.Container
}

func newSecretBar(d *Document) *secretBar {
	b := &secretBar{d: d, text: widget.NewLabel("")}
	b.text.Truncation = fyne.TextTruncateEllipsis
	b.give = newKeyButton(d.wb.Workbench, "", func() { d.wb.askSecret(b.needs) })
	b.give.Importance = widget.HighImportance
	b.object = container.NewBorder(nil, nil, widget.NewIcon(theme.VisibilityOffIcon()), b.give, b.text)
	b.changed()
	return b
}

func (b *secretBar) selected(Selection)  {}
func (b *secretBar) hovered(model.Range) {}

func (b *secretBar) changed() {
	b.needs = nil
	for i := range b.d.findings {
		if f := &b.d.findings[i]; f.Needs != nil {
			b.needs = f.Needs
			b.text.SetText(f.Text())
			b.give.SetText(f.Needs.Label)
			break
		}
	}
	if b.needs != nil {
		b.object.Show()
	} else {
		b.object.Hide()
	}
}

// askSecret asks for a secret without showing it, and reads every document that waits for it anew.
func (wb *Workbench) askSecret(s *model.Secret) {
	e := newKeyEntry(wb)
	e.Password = true
	wb.askWith(s.Label, s.Doc+" It is kept in memory until the program ends.", "Use it", e, func(text string, done func(error)) {
		if text == "" {
			done(errors.New("nothing was typed"))
			return
		}
		if s.Check != nil {
			if err := s.Check(text); err != nil {
				done(err)
				return
			}
		}
		done(nil)
		s.Give(text)
		for _, d := range wb.docs {
			for i := range d.findings {
				if d.findings[i].Needs == s {
					d.readAnew()
					break
				}
			}
		}
	})
}

// readAnew parses the document as it is now once more. Edits and their history stay.
func (d *Document) readAnew() {
	d.inTurn(func() {
		snap, format := d.Tree().Snapshot, d.Model.Format
		d.wb.submit(model.Job{Title: "reading " + d.tabName(), Priority: model.Edited,
			Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
				return model.Parse(ctx, snap, format), nil
			},
			Done: func(v any, err error) {
				if t, ok := v.(*model.Tree); ok && err == nil {
					d.Model.Tree = t
					d.TreeChanged()
				}
				d.next()
			}})
	})
}
