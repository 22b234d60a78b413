package tree

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/rows"
)

// Keys, presses and the menu of the logical view.

func (o *outline) Hover(row int64, _ float32) {
	var at model.Range
	if n := o.at(row); n != nil {
		at = n.where()
	}
	o.d.Sel.Light(at)
}

func (o *outline) Press(row int64, x float32, e rows.Press) {
	n := o.at(row)
	if o.Resize(row, x, e) || e.Drag || n == nil {
		return
	}
	box := float32(n.Depth)*13 + rows.CellPad
	if onBranch := x >= box-2 && x < box+rows.BranchBox; e.Click() && (e.Double || onBranch) {
		if o.Toggle(row); onBranch {
			return
		}
	}
	o.Choose(row)
}

func (o *outline) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	n := o.at(o.Current)
	switch {
	case n != nil && name == fyne.KeyC && mod == fyne.KeyModifierShortcutDefault:
		o.d.Window.Copy(strings.TrimSpace(n.Label + "\t" + n.Value))
	case mod != 0:
		return false
	case n == nil:
		return o.Moved(name, o.Count(), o.Choose)
	case name == fyne.KeyRight && !n.Open && n.branch(), name == fyne.KeyLeft && n.Open, name == fyne.KeyReturn, name == fyne.KeySpace:
		o.Toggle(o.Current)
	case name == fyne.KeyLeft && n.Up != nil:
		if up := int64(slices.Index(o.Lines, n.Up)); up >= 0 {
			o.Choose(up)
			o.View.Follow(up)
		}
	default:
		return o.Moved(name, o.Count(), o.Choose)
	}
	return true
}

// Menu is that of the smallest span around the bytes of a row, which the press selected.
func (o *outline) Menu(row int64, _ float32) *fyne.Menu {
	n, now := o.at(row), o.d.Sel.Now
	if n == nil {
		return nil
	}
	m := fyne.NewMenu("", fyne.NewMenuItem("Copy name", func() { o.d.Window.Copy(n.Label) }))
	if at := n.where(); at.Len > 0 && at == now.Range {
		m.Items = append(m.Items, o.d.SpanMenu(now.Span).Items...)
	}
	return m
}
