package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"spandrel/model"
	"spandrel/ui/bytes"
	"spandrel/ui/compare"
	"spandrel/ui/doc"
	"spandrel/ui/facts"
	"spandrel/ui/paint"
	"spandrel/ui/problems"
	"spandrel/ui/table"
	"spandrel/ui/tree"
)

// tab is a document with its panes, in a tab of the window.
type tab struct {
	*doc.Document
	tree     *tree.Pane
	left     *tree.Left
	hex      *bytes.Pane
	sums     *bytes.Sums
	table    *table.Pane
	info     *facts.Pane
	problem  *problems.Pane
	cover    *problems.Coverage
	find     *compare.Find
	changes  *compare.Changes
	graph    *tree.Graph // nil where the format describes no graphs
	path     *pathBar
	head     *problems.Headline
	disk     *diskBar
	trialBar *trialBar
	frame    *frame

	item *container.TabItem
	room *fyne.Container   // in the item
	look *paint.Palette    // the colours when it went out of sight; nil: it never did
	body fyne.CanvasObject // all panes: in the room while the document is the current one
}

// take calls then once what is being typed into a cell or a value has been applied; not if it cannot be.
func (d *tab) take(then func()) {
	switch cell, value := d.table.Editor, d.info.Value; {
	case cell.Ref != nil:
		cell.Then = then
		cell.Submit(cell.Text(), 0, 0)
	case value.Typing():
		value.Then = then
		value.Submit(value.Entry.Text)
	default:
		then()
	}
}

// newTab gives a document its panes.
func newTab(wb *Workbench, m *model.Document) *tab {
	d := doc.New(wb.Host, m)
	d.Formats, d.CauseTime, d.Recorder, d.AskSecret = wb.formats, wb.causeTime, wb.saver.recorder, wb.askSecret
	return tabOf(wb, d)
}

// tabOf gives a view of a document its panes.
func tabOf(wb *Workbench, d *doc.Document) *tab {
	m := d.Model
	s := &tab{Document: d}
	s.frame = &frame{wb: wb, d: s}
	s.tree, s.hex, s.sums, s.table, s.info = tree.New(d), bytes.New(d), bytes.NewSums(d), table.New(d), facts.New(d)
	s.left, s.cover = tree.NewLeft(d, s.tree), problems.NewCoverage(d)
	s.head = problems.NewHeadline(d)
	s.problem = problems.New(d, s.head)
	s.find, s.path = compare.NewFind(d, s.hex.Beside), newPathBar(d)
	s.changes, s.disk = compare.NewChanges(d), newDiskBar(wb, s)
	s.trialBar = newTrialBar(s)
	s.problem.Stays = wb.pane != ""
	s.info.Value.Home = func() { wb.Shell.Focus(s.left.View()) }
	d.Panes = []doc.Pane{s.tree, s.hex, s.sums, s.table, s.info, s.problem, s.cover, s.find, s.changes, s.path, s.head, s.disk, s.trialBar, s.left}
	if m.Format != nil && m.Format.Graph != nil {
		s.graph = tree.NewGraph(d)
		d.Panes = append(d.Panes, s.graph)
	}
	d.Begin()
	return s
}
