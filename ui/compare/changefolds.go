package compare

import (
	"fyne.io/fyne/v2"

	"spandrel/ui/doc"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// list lists the groups, and the content of open ones.
func (p *Changes) list() {
	var items []doc.Place
	for _, f := range p.folds {
		head := heading(f.text)
		if len(f.rows) > 0 {
			head.At, head.Span = f.rows[0].At, f.rows[0].Span
			head.Cells[0].Branch = rows.Branch(p.Open[f.key])
			head.Cells[0].Text += "  (" + show.Counted(int64(len(f.rows)), "byte range") + ")"
		}
		if items = append(items, head); p.Open[f.key] {
			items = append(items, f.rows...)
		}
	}
	p.Set(items)
}

// foldAt returns the group whose line a row is, or nil.
func (p *Changes) foldAt(row int64) *fold {
	for i := range p.folds {
		f := &p.folds[i]
		if row == 0 {
			return f
		}
		if row--; p.Open[f.key] {
			row -= int64(len(f.rows))
		}
		if row < 0 {
			return nil
		}
	}
	return nil
}

// toggle opens or closes the group of a row, and tells whether it has one.
func (p *Changes) toggle(row int64) bool {
	f := p.foldAt(row)
	if f == nil || len(f.rows) == 0 {
		return false
	}
	p.Open[f.key] = !p.Open[f.key]
	p.list()
	return true
}

func (p *Changes) Press(row int64, x float32, e rows.Press) {
	if row >= 0 && !e.Drag && (e.Double || x < rows.CellPad+rows.BranchBox) && p.toggle(row) {
		return
	}
	p.List.Press(row, x, e)
}

func (p *Changes) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	f := p.foldAt(p.Current)
	switch {
	case f == nil || mod != 0:
	case name == fyne.KeyReturn || name == fyne.KeySpace, name == fyne.KeyRight && !p.Open[f.key], name == fyne.KeyLeft && p.Open[f.key]:
		return p.toggle(p.Current)
	}
	return p.List.Key(name, mod)
}
