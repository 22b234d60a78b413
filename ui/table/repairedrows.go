package table

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// repairedRows lets a table show the rows of a damaged document as they are after the proven repair. A line above the rows says so, with a switch to the rows
// of the file. If the document has edits, or a cell is being edited, the rows of the file are shown until the user switches.
type repairedRows struct {
	t           *Pane
	Now         *doc.AfterRepair // nil: no repair shows more than the file does
	plain       bool             // show the rows of the file anyway
	chosen      bool             // the user made that choice
	file, after *kit.Button
	Text        *widget.Label
	Object      *fyne.Container
}

func newRepairedRows(t *Pane) *repairedRows {
	m := &repairedRows{t: t, Text: kit.NewLine("")}
	m.file = kit.NewButton(t.d.Window.Host, "In the file", func() { m.Turn(true) })
	m.after = kit.NewButton(t.d.Window.Host, "Repaired", func() { m.Turn(false) })
	m.file.Tip, m.after.Tip = "The rows of the damaged file", "The rows after the repair; this does not change the file"
	m.Object = container.NewBorder(nil, nil, widget.NewIcon(theme.InfoIcon()), container.NewHBox(m.file, m.after), m.Text)
	m.Object.Hide()
	return m
}

// Shows returns the repaired state whose rows are shown; nil: the rows are those of the document.
func (m *repairedRows) Shows() *doc.AfterRepair {
	if m.plain || m.t.d.Preview != nil {
		return nil
	}
	return m.Now
}

// follow updates the state after a new diagnosis or edit.
func (m *repairedRows) follow() {
	was := m.Now
	m.Now = m.t.d.Causes.AfterRepair()
	if m.Now != nil && m.Now != was && !m.chosen {
		m.plain = m.t.d.Editor.Dirty || m.t.Editor.Ref != nil
	}
	on := m.Now != nil && m.t.d.Preview == nil
	if on {
		m.tell()
	}
	if on == m.Object.Hidden { // the space for the rows changes
		m.Object.Hidden = !on
		m.t.Object.Refresh()
	}
}

// tell updates the line that says which rows are shown.
func (m *repairedRows) tell() {
	m.file.Icon, m.after.Icon = theme.RadioButtonIcon(), theme.RadioButtonCheckedIcon()
	text := "Not in the file: rows after the repair “%s”"
	if m.plain {
		m.file.Icon, m.after.Icon = m.after.Icon, m.file.Icon
		text = "In the damaged file; the repair “%s” shows more"
	}
	m.Text.SetText(fmt.Sprintf(text, m.Now.Repair.Label))
	m.Object.Refresh()
}

// Turn shows the rows of the file if plain is set, otherwise those after the repair.
func (m *repairedRows) Turn(plain bool) {
	if m.chosen = true; m.plain != plain && m.Now != nil {
		m.plain = plain
		m.tell()
		m.t.Changed()
	}
}

// inFile shows the rows of the file, for callers that want to select one of their cells.
func (m *repairedRows) inFile() {
	if m.Shows() != nil {
		m.plain = true
		m.tell()
		m.t.Changed()
	}
}

// tables returns the function with which a worker lists the tables to show.
func (m *repairedRows) tables() func(context.Context) []model.Table {
	if x := m.Shows(); x != nil {
		return x.Tables
	}
	return m.t.d.Tree().Tables
}

// offer says that cells can be edited after the repair is applied, and offers a preview of it.
func (m *repairedRows) offer(x *doc.AfterRepair) {
	m.t.d.Window.Shell.Box("Apply the repair first", kit.TextOf("These rows are shown after the repair “"+x.Repair.Label+
		"”. The file itself is still damaged. Apply the repair to edit cells. You can preview it first, and undo it."),
		kit.Question, "Cancel", nil, "Preview the repair", func() { m.t.d.Causes.Preview(x.Repair) })
}

// showCell shows the table of a cell, in the document or in its repaired state, depending on which one the cell belongs to.
func (t *Pane) showCell(ref *doc.CellRef) {
	if !ref.AfterRepair {
		t.Repaired.inFile()
	}
	t.openNamed(ref.Table)
}

// AfterRepair returns the repaired state whose rows are shown although the repair has not been applied; nil: the rows are those of the document.
func (t *Pane) AfterRepair() *doc.AfterRepair { return t.Repaired.Shows() }
