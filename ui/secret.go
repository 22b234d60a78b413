package ui

import (
	"errors"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// secretBar is above the panes while something cannot be read without a key that only the user has.
type secretBar struct {
	d      *tab
	text   *widget.Label
	give   *kit.Button
	object *fyne.Container
}

func newSecretBar(d *tab) *secretBar {
	b := &secretBar{d: d, text: kit.NewLine("")}
	b.give = kit.NewButton(d.Window.Host, "", func() { d.AskSecret(d.Found.Sealed.Needs) })
	b.give.Importance = widget.HighImportance
	b.object = container.NewBorder(nil, nil, widget.NewIcon(theme.VisibilityOffIcon()), b.give, b.text)
	b.Changed()
	return b
}

func (b *secretBar) Selected(doc.Selection) {}
func (b *secretBar) Hovered(model.Range)    {}

func (b *secretBar) Changed() {
	f := b.d.Found.Sealed
	if was := b.object.Hidden; was != (f == nil) {
		b.object.Hidden = !was
		defer b.d.frame.relayout()
	}
	if f == nil {
		return
	}
	b.text.SetText(f.Text())
	b.give.SetText(f.Needs.Label)
}

// askSecret asks for a secret without showing it, and reads every document that needs it again.
func (wb *Workbench) askSecret(s *model.Secret) {
	e := kit.NewEntry(wb.Host)
	e.Password = true
	wb.AskWith(strings.TrimSuffix(s.Label, "…"), "Use it", s.Doc+" It is kept in memory until the program ends.", e, func(text string, done func(error)) {
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
		for _, d := range wb.documents() {
			if slices.ContainsFunc(d.Found.All, func(f model.Finding) bool { return f.Needs == s }) {
				d.Editor.ReadAnew()
			}
		}
	})
}
