package ui

import (
	"fmt"
	"image/color"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"spandrel/model"
	"spandrel/ui/guard"
	"spandrel/ui/paint"
)

// Document is an open file or folder: what is selected, what is edited, what was found. It knows its panes by what they do.
type Document struct {
	wb     *desk
	Model  *model.Document
	sel    *choice
	editor *editor
	found  *findings
	marks  *bookmarks
	causes *causes
	frame  frames

	panes   []pane
	hex     bytesPane
	table   cellsPane
	info    factsPane
	problem findingsPane
	cover   pane
	find    searchPane
	left    treesPane
	head    advicePane
	disk    diskPane
	preview previewBar
	trial   *trial // a change that is being looked at; nil: none
	tab     *container.TabItem
	room    *fyne.Container   // in the tab
	look    *paint.Palette    // the colours when it went out of sight; nil: it never did
	body    fyne.CanvasObject // all panes: in the room while the document is the current one
	own     any               // who put the parts together: see assemble.go
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
	d.hex.reread()
	d.left.update()
	d.cover.changed()
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
	d.wb.changed()
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
