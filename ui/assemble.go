package ui

import (
	"fyne.io/fyne/v2"

	"spandrel/model"
)

// parts is a workbench with what serves it.
type parts struct {
	*Workbench
	talk   *talk
	saver  *saver
	prefs  *preferences
	menus  *menus
	files  *opener
	status *statusBar
}

// newWorkbench makes a workbench without a window. post must run functions one at a time, on the UI goroutine.
func newWorkbench(a fyne.App, formats []*model.Format, post func(func())) *parts {
	post = guarded(post)
	wb := &Workbench{app: a, formats: formats, post: post, shell: silent{}}
	wb.defects = newDefects(wb)
	p := &parts{Workbench: wb, talk: &talk{wb}, prefs: &preferences{wb, a.Preferences()}, files: &opener{wb: wb}}
	p.saver = &saver{wb: wb, recorder: newRecorder(wb)}
	p.saver.recorder.records = func() string { return p.saver.records }
	p.menus = &menus{parts: p}
	wb.talk, wb.prefs, wb.menus, wb.files, wb.saver = p.talk, p.prefs, p.menus, p.files, p.saver
	wb.leave = p.quit
	wb.assemble = func(m *model.Document) *Document { return newDocument(wb, m).Document }
	wb.jobs = model.NewJobs(post, func() {
		if wb.status != nil {
			wb.status.jobsChanged()
		}
	})
	return p
}

// sides is a document with its panes.
type sides struct {
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
}

// take calls then once what is being typed into a cell or a value is taken; not when it cannot be.
func (d *sides) take(then func()) {
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

// sidesOf returns a document with its panes; nil of none.
func sidesOf(d *Document) *sides {
	if d == nil {
		return nil
	}
	return d.own.(*sides)
}

func newDocument(wb *Workbench, m *model.Document) *sides {
	d := &Document{wb: &desk{Workbench: wb}, Model: m}
	s := &sides{Document: d}
	d.own = s
	d.sel, d.editor, d.found, d.marks, d.causes = &choice{d: d}, &editor{d: d, locked: true}, &findings{d: d}, &bookmarks{d}, &causes{d: d}
	s.frame = &frame{d: s}
	d.frame = s.frame
	d.sel.begin(m.Tree.Root)
	d.found.read()
	s.tree, s.hex, s.table, s.info = newTreePane(d), newHexPane(d), newTablePane(d), newInspector(d)
	d.hex, d.table, d.info = s.hex, s.table, s.info
	s.problem, s.cover, s.find, s.path = newProblemPane(d), newCoveragePane(d), newFindPane(d), newPathBar(d)
	d.problem, d.cover, d.find = s.problem, s.cover, s.find
	s.left = newLeftPane(d, s.tree)
	s.changes, s.head, s.disk = newChangesPane(d), newHeadline(d), newDiskBar(d)
	s.trialBar = newTrialBar(d)
	d.left, d.head, d.disk, d.preview = s.left, s.head, s.disk, s.trialBar
	d.panes = []pane{s.tree, s.hex, s.table, s.info, s.problem, s.cover, s.find, s.changes, s.path, s.head, s.disk, s.trialBar, s.left}
	if m.Format != nil && m.Format.Graph != nil {
		s.graph = newGraphPane(d)
		d.panes = append(d.panes, s.graph)
	}
	d.each(func(p pane) {
		p.changed()
		p.selected(d.sel.now)
	})
	return s
}
