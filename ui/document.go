package ui

import (
	"fmt"
	"image/color"
	"path/filepath"
	"strings"
	"time"

	"spandrel/model"
	"spandrel/ui/guard"
	"spandrel/ui/paint"
)

// Document is an open file or folder: what is selected, what is edited, what was found. Panes show it: they are told of what happens to it, and
// ask it for anything else.
type Document struct {
	wb     *desk
	Model  *model.Document
	sel    *choice
	editor *editor
	found  *findings
	check  *check
	causes *causes
	marks  *bookmarks
	lower  *lowerPanes
	trial  *trial // a change that is looked at; nil: none

	formats   []*model.Format // all that there are
	causeTime time.Duration   // how long the cause of what is wrong is looked for; 0: it is not
	recorder  *recorder       // of unsaved edits

	panes    []pane
	rereads  []func()             // the bytes and rows on the screen may be something else now
	graphs   []func(*model.Graph) // told of the graph that was found; nil: none
	previews []func(*trial)       // told of a change that is looked at, and of its other side; nil: it is over

	// What one pane knows and others ask for.
	shown func() byteView                   // what the pane shows that has the caret
	typed pane                              // that one
	hits  func(model.SpaceID) []model.Range // the matches of the search that is listed
	cells cells

	askSecret func(*model.Secret) // asks for a key, for all documents that need it
}

// pane is a view of a document. It is told what happened and asks the document for anything else.
type pane interface {
	selected(s Selection)  // the selection changed
	hovered(r model.Range) // the pointer is on these bytes, in whatever pane; no bytes: nowhere
	changed()              // the tree was parsed anew, or its findings changed
}

// byteView is what a pane of bytes shows: an address space, with a caret in it.
type byteView struct {
	space model.SpaceID
	size  int64
	caret int64
}

// cells is the table that is shown, as others than its pane know it.
type cells struct {
	at    func(model.Range) *cellRef // the cell that holds a range, of those that are shown
	bytes func(*cellRef) model.Range // of a cell that is shown
	sets  func(*cellRef) bool        // the table sets this cell itself
	set   func(*cellRef, string, func(error))
	show  func(*cellRef) // its table
}

// newDocument makes a document without panes.
func newDocument(h *Host, m *model.Document) *Document {
	d := &Document{wb: &desk{Host: h}, Model: m, lower: newLowerPanes(h), recorder: newRecorder(h, ""),
		shown: func() byteView { return byteView{space: m.Tree.Root.Range.Space} },
		hits:  func(model.SpaceID) []model.Range { return nil }, askSecret: func(*model.Secret) {},
		cells: cells{at: func(model.Range) *cellRef { return nil }, bytes: func(*cellRef) model.Range { return model.Range{} },
			sets: func(*cellRef) bool { return false }, set: func(*cellRef, string, func(error)) {}, show: func(*cellRef) {}}}
	d.sel, d.editor, d.found, d.check = &choice{d: d}, &editor{d: d, locked: true}, &findings{d: d}, &check{d: d}
	d.causes, d.marks = &causes{d: d}, &bookmarks{d: d}
	d.sel.begin(m.Tree.Root)
	d.found.read()
	return d
}

// begin tells panes that were just made about the document.
func (d *Document) begin() {
	d.each(func(p pane) {
		p.changed()
		p.selected(d.sel.now)
	})
}

// setGraph tells of the graph that the document holds; nil: none that is known.
func (d *Document) setGraph(g *model.Graph) {
	for _, f := range d.graphs {
		f(g)
	}
}

// preview tells of a change that is looked at, or of its other side; nil: it is over.
func (d *Document) preview(x *trial) {
	for _, f := range d.previews {
		f(x)
	}
}

func (d *Document) tabName() string { return filepath.Base(d.Model.Path) }

// nameAmong is the name of a document among so many that are called alike: with its folder where there are others.
func nameAmong(d *Document, alike int) string {
	if dir := filepath.Base(filepath.Dir(d.Model.Path)); alike > 1 && dir != "." && dir != string(filepath.Separator) {
		return filepath.Join(dir, d.tabName())
	}
	return d.tabName()
}

// namesOf names two documents so that they are told apart.
func namesOf(a, b *Document) (string, string) {
	alike := 1
	if a.tabName() == b.tabName() {
		alike = 2
	}
	return nameAmong(a, alike), nameAmong(b, alike)
}

// Tree returns the tree of the document as it is now or, while a change is looked at, the one that is shown of the two.
func (d *Document) Tree() *model.Tree {
	if d.trial != nil {
		return d.trial.shown()
	}
	return d.Model.Tree
}

// format is the format of the tree that is shown; nil: none that is known.
func (d *Document) format() *model.Format { return d.Tree().Format }

// opened is called when lazy spans may have been read: the bytes and rows on the screen may be something else now.
func (d *Document) opened() {
	for _, f := range d.rereads {
		f()
	}
	d.found.refresh()
}

// TreeChanged is for whoever changed the document: the tree was parsed anew. What id means is selected, and open branches are found
// by their paths.
func (d *Document) TreeChanged(id identity) {
	d.found.read()
	d.sel.hover = model.Range{} // what it was over may be elsewhere
	d.each(func(p pane) {
		p.hovered(d.sel.hover)
		p.changed()
	})
	d.sel.restore(id)
	d.marks.follow()
	d.wb.update()
}

// each calls f for each pane. A defect in one of them leaves the others what they are told.
func (d *Document) each(f func(pane)) {
	for _, p := range d.panes {
		guard.Do(fmt.Sprintf("bringing a pane up to date (%T)", p), func() { f(p) })
	}
}

// spaceTab names an address space in few words.
func (d *Document) spaceTab(id model.SpaceID) string {
	sp := d.Tree().Space(id)
	switch {
	case sp == nil:
		return "-"
	case sp.Derived():
		return d.spaceName(sp.File, sp.Root.Path())
	}
	return d.spaceName(sp.File, "")
}

// spaceName names an address space in few words: its file and, where it is decoded for a field, what is decoded there.
func (d *Document) spaceName(file, path string) string {
	main := d.Tree().Space(d.Tree().Root.Range.Space)
	own := main != nil && main.File == file
	file = filepath.Base(file)
	if path == "" {
		return paint.Shorten(file, 28)
	}
	name := path[strings.LastIndex(path, "/")+1:]
	if !own {
		return paint.Shorten(strings.TrimSuffix(file, filepath.Ext(file)), 20) + " · " + paint.Shorten(name, 20)
	}
	if above, _, ok := cutLast(path, "/"); ok {
		_, above, _ = cutLast("/"+above, "/")
		name = paint.Shorten(above, 18) + " · " + paint.Shorten(name, 18)
	}
	return name
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// page is the colour behind the bytes of a space: another for those that are not in the file.
func (d *Document) page(id model.SpaceID) color.RGBA {
	if sp := d.Tree().Space(id); sp != nil && sp.Derived() {
		return paint.Look().Decoded
	}
	return paint.Look().Background
}

// spaceTitle names an address space for people.
func (d *Document) spaceTitle(id model.SpaceID) string {
	sp := d.Tree().Space(id)
	switch {
	case sp == nil:
		return "-"
	case sp.Derived():
		return fmt.Sprintf("%s (%s)", sp.Root.Path(), sp.Transform.Name)
	case id == d.Tree().Root.Range.Space:
		return "File"
	}
	return sp.File
}

// stop withdraws what is on its way and releases the files once nobody reads them. Then done is called.
func (d *Document) stop(done func()) { d.wb.end(d.Model.Close, done) }

// checkSize is how large the main file is at most of a document that is read to its end without being asked: for checks, for what
// happened to it, for its graph.
const checkSize = 16 << 20

const salvageText = "Save intact data…"

// salvageable tells whether something is wrong with a document, and what can still be read of it can be saved as a new one, as far as is known.
func salvageable(d *Document) bool {
	t := d.Tree()
	return t.Format != nil && t.Format.Salvage != nil && d.found.counts()[model.Error] > 0 && t.Root.Count() > 0 && !(d.causes.tree == t && d.causes.none)
}

// salvageLabel is the label of a button that saves it: with what the new document contains, where that is known.
func salvageLabel(d *Document) string {
	left := d.causes.left
	if left == nil || d.causes.tree != d.Tree() {
		return salvageText
	}
	says := paint.Shorten(left.Contents(), 60)
	if !left.Valid() {
		says += "; not valid"
	}
	return strings.TrimSuffix(salvageText, "…") + " (" + says + ")…"
}

// declined lists the formats that did not take a document which none took, and said why.
func (d *Document) declined() (out []model.Candidate) {
	for _, c := range d.Model.Candidates {
		if d.format() == nil && c.Reason != "" {
			out = append(out, c)
		}
	}
	return out
}
