package ui

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
)

// tableMend has a table show the rows of a damaged document as they are after the repair that is proven, and says so in a line above them,
// with a switch to those that the file has. In a document with edits, or while a cell is typed in, the rows stay those of the file until
// somebody wants the others.
type tableMend struct {
	t           *tablePane
	now         *mended // nil: the file says as much as there is to say
	plain       bool    // the rows are those of the file all the same
	chosen      bool    // by the user
	file, after *keyButton
	text        *widget.Label
	object      *fyne.Container
}

func newTableMend(t *tablePane) *tableMend {
	m := &tableMend{t: t, text: widget.NewLabel("")}
	m.text.Truncation = fyne.TextTruncateEllipsis
	m.file = newKeyButton(t.d.wb.Host, "In the file", func() { m.turn(true) })
	m.after = newKeyButton(t.d.wb.Host, "Repaired", func() { m.turn(false) })
	m.file.tip, m.after.tip = "the rows that the damaged file has", "the rows that it has once it is repaired; the file is not changed by this"
	m.object = container.NewBorder(nil, nil, widget.NewIcon(theme.InfoIcon()), container.NewHBox(m.file, m.after), m.text)
	m.object.Hide()
	return m
}

// shows returns what the rows are of that are shown; nil: of the document as it is.
func (m *tableMend) shows() *mended {
	if m.plain || m.t.d.trial != nil {
		return nil
	}
	return m.now
}

// follow takes up what is known of the tree now.
func (m *tableMend) follow() {
	was := m.now
	m.now = m.t.d.causes.mended()
	if m.now != nil && m.now != was && !m.chosen {
		m.plain = m.t.d.editor.dirty || m.t.editor.ref != nil
	}
	on := m.now != nil && m.t.d.trial == nil
	if on {
		m.tell()
	}
	if on == m.object.Hidden { // the rows have less room, or more
		m.object.Hidden = !on
		m.t.object.Refresh()
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
	m.text.SetText(fmt.Sprintf(text, m.now.repair.Label))
	m.object.Refresh()
}

// turn shows the rows of the file, or those after the repair.
func (m *tableMend) turn(plain bool) {
	if m.chosen = true; m.plain != plain && m.now != nil {
		m.plain = plain
		m.tell()
		m.t.changed()
	}
}

// inFile shows the rows of the file, for who knows a cell of them.
func (m *tableMend) inFile() {
	if m.shows() != nil {
		m.plain = true
		m.tell()
		m.t.changed()
	}
}

// tables lists what is shown, for a worker.
func (m *tableMend) tables() func(context.Context) []model.Table {
	if x := m.shows(); x != nil {
		return x.tables
	}
	return m.t.d.Tree().Tables
}

// offer says that a cell can be edited once the repair is made, and lets it be looked at.
func (m *tableMend) offer(x *mended) {
	m.t.d.wb.shell.box("The repair comes first", textOf("These rows are shown as they are after the repair “"+x.repair.Label+
		"”. The file itself is still damaged. When the repair is made, cells can be edited. It can be looked at first, and undone."),
		question, "Cancel", nil, "Preview the repair", func() { m.t.d.causes.preview(x.repair) })
}

// showCell shows the table of a cell: of the document as it is, or as it is after the repair that the cell is of.
func (t *tablePane) showCell(ref *cellRef) {
	if !ref.mended {
		t.mend.inFile()
	}
	t.openNamed(ref.table)
}

func (t *tablePane) mending() *mended { return t.mend.shows() }
