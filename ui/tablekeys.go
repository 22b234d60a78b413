package ui

import (
	"fmt"

	"fyne.io/fyne/v2"
)

func (t *tablePane) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	row, col := t.Current, t.SelColumn
	switch {
	case t.table == nil || mod&fyne.KeyModifierAlt != 0:
		return false
	case t.chosen.rowKey(name, mod):
		return true
	case name == fyne.KeyReturn && row >= 0 && mod == 0, name == fyne.KeyF2 && row >= 0 && mod == 0:
		t.editor.begin("")
		return true
	case name == fyne.KeyDelete && row >= 0 && mod == 0:
		t.editor.makeMissing()
		return true
	case name == fyne.KeyLeft && row >= 0:
		t.choose(row, max(1, col-1))
		return true
	case name == fyne.KeyRight && row >= 0:
		t.choose(row, min(len(t.Columns)-1, col+1))
		return true
	}
	return t.Moved(name, t.Count(), func(to int64) { t.choose(to, t.SelColumn) })
}

// Typed begins to edit the chosen cell with a character.
func (t *tablePane) Typed(r rune) {
	if t.Current >= 0 && t.table != nil {
		t.editor.begin(string(r))
	}
}

func (t *tablePane) Menu(row int64, x float32) *fyne.Menu {
	col := t.ColumnAt(x)
	if t.table == nil || col < 1 {
		return nil
	}
	m := fyne.NewMenu("", fyne.NewMenuItem("Sort by "+t.table.Columns[col-1].Name, func() { t.sortBy(col - 1) }), fyne.NewMenuItem("Statistics of "+t.table.Columns[col-1].Name, func() { t.statistics(col - 1) }),
		fyne.NewMenuItem("Export table…", func() { t.d.wb.command("export") }))
	if first, n := t.chosen.chosenRows(); n > 1 {
		m.Items = append(m.Items, fyne.NewMenuItem(fmt.Sprintf("Export rows %d to %d…", first, first+n-1), t.chosen.exportRows),
			fyne.NewMenuItem(fmt.Sprintf("Copy %d rows", n), t.chosen.copyRows))
	}
	if c, ok := t.tableCells.cellAt(row, col); ok && row >= 0 {
		edit := fyne.NewMenuItem("Edit cell", func() { t.choose(row, col); t.editor.begin("") })
		missing := fyne.NewMenuItem("Make it missing", func() { t.choose(row, col); t.editor.makeMissing() })
		edit.Disabled = t.tableCells.ref(row, col).fixed != "" // the details of the chosen cell say why
		missing.Disabled = edit.Disabled
		m.Items = append([]*fyne.MenuItem{edit, missing, fyne.NewMenuItem("Copy cell", func() { t.d.wb.copy(c.Named(t.tableCells.slots(row, col))) }),
			fyne.NewMenuItemSeparator()}, m.Items...)
	}
	return m
}
