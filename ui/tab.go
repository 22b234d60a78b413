package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"spandrel/model"
	"spandrel/ui/paint"
)

// tab is a document with its panes, in a tab of the window.
type tab struct {
	*Document
	tree     *treePane
	left     *leftPane
	hex      *hexPane
	table    *tablePane
	info     *inspector
	problem  *problemPane
	cover    *coveragePane
	find     *findPane
	changes  *changesPane
	graph    *graphPane // nil where the format describes no graphs
	path     *pathBar
	head     *headline
	disk     *diskBar
	trialBar *trialBar
	frame    *frame

	item *container.TabItem
	room *fyne.Container   // in the item
	look *paint.Palette    // the colours when it went out of sight; nil: it never did
	body fyne.CanvasObject // all panes: in the room while the document is the current one
}

// take calls then once what is being typed into a cell or a value is taken; not when it cannot be.
func (d *tab) take(then func()) {
	switch cell, value := d.table.editor, d.info.value; {
	case cell.ref != nil:
		cell.then = then
		cell.submit(cell.entry.Text, 0, 0)
	case value.typing():
		value.then = then
		value.submit(value.entry.Text)
	default:
		then()
	}
}

// newTab gives a document its panes.
func newTab(wb *Workbench, m *model.Document) *tab {
	d := newDocument(wb.Host, m)
	d.formats, d.causeTime, d.recorder, d.askSecret = wb.formats, wb.causeTime, wb.saver.recorder, wb.askSecret
	s := &tab{Document: d}
	s.frame = &frame{wb: wb, d: s}
	s.tree, s.hex, s.table, s.info = newTreePane(d), newBytesPane(d), newTablePane(d), newInspector(d)
	s.left, s.cover = newLeftPane(d, s.tree), newCoveragePane(d)
	s.head = newHeadline(d)
	s.problem = newProblemPane(d, s.head)
	s.find, s.path = newFindPane(d, s.hex.beside), newPathBar(d)
	s.changes, s.disk = newChangesPane(d), newDiskBar(wb, s)
	s.trialBar = newTrialBar(s)
	s.problem.stays = wb.pane != ""
	s.info.value.home = func() { wb.shell.focus(s.left.view()) }
	d.panes = []pane{s.tree, s.hex, s.table, s.info, s.problem, s.cover, s.find, s.changes, s.path, s.head, s.disk, s.trialBar, s.left}
	if m.Format != nil && m.Format.Graph != nil {
		s.graph = newGraphPane(d)
		d.panes = append(d.panes, s.graph)
	}
	d.begin()
	return s
}
