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

// tableMend has a table show the rows of a damaged document as they are after the repair that is proven, and says so in a line above them,
// with a switch to those that the file has. In a document with edits, or while a cell is typed in, the rows stay those of the file until
// someone wants the others.
type tableMend struct {
	t           *Pane
	Now         *doc.AfterRepair // nil: the file says as much as there is to say
	plain       bool             // the rows are those of the file all the same
	chosen      bool             // by the user
	file, after *kit.Button
	Text        *widget.Label
	Object      *fyne.Container
}

func newTableMend(t *Pane) *tableMend {
	m := &tableMend{t: t, Text: kit.NewLine("")}
	m.file = kit.NewButton(t.d.Window.Host, "In the file", func() { m.Turn(true) })
	m.after = kit.NewButton(t.d.Window.Host, "Repaired", func() { m.Turn(false) })
	m.file.Tip, m.after.Tip = "the rows of the damaged file", "the rows after the repair; this does not change the file"
	m.Object = container.NewBorder(nil, nil, widget.NewIcon(theme.InfoIcon()), container.NewHBox(m.file, m.after), m.Text)
	m.Object.Hide()
	return m
}

// Shows returns what the rows are of that are shown; nil: of the document as it is.
func (m *tableMend) Shows() *doc.AfterRepair {
	if m.plain || m.t.d.Preview != nil {
		return nil
	}
	return m.Now
}

// follow takes up what is known of the tree now.
func (m *tableMend) follow() {
	was := m.Now
	m.Now = m.t.d.Causes.AfterRepair()
	if m.Now != nil && m.Now != was && !m.chosen {
		m.plain = m.t.d.Editor.Dirty || m.t.Editor.Ref != nil
	}
	on := m.Now != nil && m.t.d.Preview == nil
	if on {
		m.tell()
	}
	if on == m.Object.Hidden { // the rows have less room, or more
		m.Object.Hidden = !on
		m.t.Object.Refresh()
	}
}

// tell says what the rows are.
func (m *tableMend) tell() {
	m.file.Icon, m.after.Icon = theme.RadioButtonIcon(), theme.RadioButtonCheckedIcon()
	text := "Not in the file: rows after the repair “%s”"
	if m.plain {
		m.file.Icon, m.after.Icon = m.after.Icon, m.file.Icon
		text = "In the damaged file; the repair “%s” shows more"
	}
	m.Text.SetText(fmt.Sprintf(text, m.Now.Repair.Label))
	m.Object.Refresh()
}

// Turn shows the rows of the file, or those after the repair.
func (m *tableMend) Turn(plain bool) {
	if m.chosen = true; m.plain != plain && m.Now != nil {
		m.plain = plain
		m.tell()
		m.t.Changed()
	}
}

// inFile shows the rows of the file, for who knows a cell of them.
func (m *tableMend) inFile() {
	if m.Shows() != nil {
		m.plain = true
		m.tell()
		m.t.Changed()
	}
}

// tables lists what is shown, for a worker.
func (m *tableMend) tables() func(context.Context) []model.Table {
	if x := m.Shows(); x != nil {
		return x.Tables
	}
	return m.t.d.Tree().Tables
}

// offer says that a cell can be edited once the repair is made, and lets it be looked at.
func (m *tableMend) offer(x *doc.AfterRepair) {
	m.t.d.Window.Shell.Box("Apply the repair first", kit.TextOf("These rows are shown after the repair “"+x.Repair.Label+
		"”. The file itself is still damaged. Apply the repair to edit cells. You can preview it first, and undo it."),
		kit.Question, "Cancel", nil, "Preview the repair", func() { m.t.d.Causes.Preview(x.Repair) })
}

// showCell shows the table of a cell: of the document as it is, or as it is after the repair that the cell is of.
func (t *Pane) showCell(ref *doc.CellRef) {
	if !ref.AfterRepair {
		t.Mend.inFile()
	}
	t.openNamed(ref.Table)
}

// Mending returns what the rows are of after a repair that was not made; nil: they are of the document as it is.
func (t *Pane) Mending() *doc.AfterRepair { return t.Mend.Shows() }
