package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2/container"

	"spandrel/model"
	"spandrel/ui/rows"
)

// Selection is the one thing that panes share: a range of bytes and the deepest span that owns it.
type Selection struct {
	Span  *model.Span
	Range model.Range
	From  pane // who made it; that pane does not scroll to it
}

// pane is a view of a document. It is told what happened and asks the document for anything else.
type pane interface {
	selected(s Selection)  // the selection changed
	hovered(r model.Range) // the pointer is on these bytes, in whatever pane; no bytes: nowhere
	changed()              // the tree was parsed anew, or its findings changed
}

// Document is an open file or folder with its panes.
type Document struct {
	wb     *desk
	Model  *model.Document
	Sel    Selection
	locked bool // until somebody unlocks it, nothing is edited
	editing

	history  []Selection // of selections; those behind at were left by going back
	at       int
	hover    model.Range
	findings []model.Finding
	read     struct { // where they are from, and how many were there
		tree  *model.Tree
		found int
	}
	omitted int
	sealed  *model.Finding            // the first finding that a secret of the user would settle; nil: there is none
	shrunk  *model.Tree               // whose file was found to have lost bytes
	worst   map[string]model.Severity // the worst severity at a path or below it

	tab          *container.TabItem
	panes        []pane
	tree         *treePane
	hex          *hexPane
	table        *tablePane
	info         *inspector
	problem      *problemPane
	cover        *coveragePane
	find         *findPane
	changes      *changesPane
	graph        *graphPane // nil where the format describes no graphs
	bottom       *container.AppTabs
	splits       []*container.Split
	path         *pathBar
	cancelSelect func() // withdraws the search for the span of the selection
}

func newDocument(wb *Workbench, m *model.Document) *Document {
	d := &Document{wb: &desk{Workbench: wb}, Model: m, locked: true}
	d.readFindings()
	d.tree, d.hex, d.table, d.info = newTreePane(d), newHexPane(d), newTablePane(d), newInspector(d)
	d.problem, d.cover, d.find, d.path = newProblemPane(d), newCoveragePane(d), newFindPane(d), newPathBar(d)
	d.changes = newChangesPane(d)
	d.panes = []pane{d.tree, d.hex, d.table, d.info, d.problem, d.cover, d.find, d.changes, d.path}
	if m.Format != nil && m.Format.Graph != nil {
		d.graph = newGraphPane(d)
		d.panes = append(d.panes, d.graph)
	}
	d.Sel = Selection{Span: m.Tree.Root, Range: model.Range{Space: m.Tree.Root.Range.Space}}
	d.history = []Selection{d.Sel}
	for _, p := range d.panes {
		p.changed()
		p.selected(d.Sel)
	}
	return d
}

// Tree returns the tree of the document as it is now.
func (d *Document) Tree() *model.Tree { return d.Model.Tree }

// Select makes bytes and the span that owns them the selection. Every pane follows, and it can be gone back to.
func (d *Document) Select(s Selection) {
	if s.Span == nil {
		return
	}
	if s.Range == (model.Range{}) {
		s.Range = s.Span.Range
	}
	same := s.Range == d.Sel.Range && d.Sel.Span != nil && s.Span.Path() == d.Sel.Span.Path()
	d.put(s)
	if same {
		return
	}
	d.history = append(d.history[:d.at+1:d.at+1], s)
	d.at++
	if len(d.history) > 1000 {
		d.history, d.at = d.history[1:], d.at-1
	}
}

func (d *Document) put(s Selection) {
	if d.cancelSelect != nil {
		d.cancelSelect()
		d.cancelSelect = nil
	}
	d.Sel = s
	for _, p := range d.panes {
		p.selected(s)
	}
	d.wb.changed()
}

// SelectBytes selects a range and finds the deepest span that holds its first byte, opening what lies on the way.
func (d *Document) SelectBytes(r model.Range, from pane) {
	t := d.Tree()
	s := t.At(r.Space, r.Off)
	if s == nil {
		if sp := t.Space(r.Space); sp != nil && sp.Root != nil {
			s = sp.Root
		} else {
			s = t.Root
		}
	}
	d.Select(Selection{s, r, from})
	if s.Ready() {
		return
	}
	d.cancelSelect = d.wb.submit(model.Job{Title: "reading " + s.Name(), Priority: model.Selected,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			return t.AtOpen(ctx, r.Space, r.Off)
		},
		Done: func(v any, err error) {
			d.cancelSelect = nil
			if found, ok := v.(*model.Span); ok && found != nil && d.Sel.Range == r && d.Tree() == t {
				d.history[d.at] = Selection{found, r, from}
				d.put(d.history[d.at])
			}
			d.opened()
		}})
}

// SelectPath selects the field at a path, opening what lies on the way.
func (d *Document) SelectPath(path string, then func(error)) {
	d.findPath(path, func(s *model.Span, err error) {
		if err == nil {
			d.Select(Selection{Span: s})
		}
		if then != nil {
			then(err)
		}
	})
}

// findPath looks for the field at a path in the background, opening what lies on the way. A document that was changed meanwhile
// has it elsewhere: that is an error too.
func (d *Document) findPath(path string, then func(*model.Span, error)) {
	t := d.Tree()
	d.wb.submit(model.Job{Title: "looking for " + path, Priority: model.Selected,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) { return t.Find(ctx, path) },
		Done: func(v any, err error) {
			if err == nil && t != d.Tree() {
				err = errors.New("the document was changed meanwhile")
			}
			d.opened()
			s, _ := v.(*model.Span)
			then(s, err)
		}})
}

// Back and Forward walk the history of selections.
func (d *Document) Back()    { d.walk(-1) }
func (d *Document) Forward() { d.walk(1) }

func (d *Document) walk(step int) {
	if to := d.at + step; to >= 0 && to < len(d.history) {
		d.at = to
		s := d.history[to]
		s.From = nil
		d.put(s)
	}
}

// Hover lights up bytes in every pane. Holding Ctrl freezes what is lit.
func (d *Document) Hover(r model.Range) {
	if r == d.hover || rows.ControlHeld() {
		return
	}
	d.hover = r
	for _, p := range d.panes {
		p.hovered(r)
	}
}

// hoverAt lights up the deepest known span that holds a byte.
func (d *Document) hoverAt(space model.SpaceID, off int64) {
	if s := d.Tree().At(space, off); s != nil && s.Count() == 0 {
		d.Hover(s.Range)
	} else {
		d.Hover(model.Range{Space: space, Off: off, Len: 1})
	}
}

// opened is called when lazy spans may have been read: the bytes and rows on the screen may be something else now.
func (d *Document) opened() {
	d.hex.view.Update()
	d.hex.overview.restart()
	d.tree.View.Update()
	d.cover.changed()
	d.refreshFindings()
}

// shrank makes it a finding that the file lost bytes while it was open, once.
func (d *Document) shrank(err error) {
	if t := d.Tree(); errors.Is(err, model.ErrShrunk) && d.shrunk != t {
		d.shrunk = t
		t.Report(model.Finding{Rule: model.RuleUndecoded, Span: t.Root, Message: err.Error() + ": reload it to see what is left"})
		d.refreshFindings()
	}
}

// refreshFindings shows findings that came since. It is called often.
func (d *Document) refreshFindings() {
	if !d.readFindings() {
		return
	}
	for _, p := range d.panes {
		p.changed()
	}
	d.wb.changed()
}

// readFindings reads the findings of the tree and tells whether there are more than it knew of.
func (d *Document) readFindings() bool {
	found, more := d.Tree().Findings()
	omitted := 0
	for _, n := range more {
		omitted += n
	}
	if d.read.tree == d.Tree() && d.read.found == len(found) && d.omitted == omitted {
		return false
	}
	d.read.tree, d.read.found = d.Tree(), len(found)
	d.findings, d.omitted, d.sealed, d.worst = once(found), omitted, nil, map[string]model.Severity{}
	for i := range d.findings {
		if d.sealed == nil && d.findings[i].Needs != nil {
			d.sealed = &d.findings[i]
		}
		grade := d.findings[i].Grade()
		for s := d.owner(d.findings[i].Span, d.findings[i].Where()); s != nil; s = s.Parent() {
			p := s.Path()
			if w := d.worst[p]; w != 0 && w <= grade {
				break // so are those above
			}
			d.worst[p] = grade
		}
	}
	return true
}

// once drops the findings that were reported more than once: checks that were cancelled begin anew.
func once(found []model.Finding) []model.Finding {
	type key struct {
		rule *model.Rule
		span *model.Span
		at   model.Range
		text string
	}
	seen := map[key]bool{}
	return slices.DeleteFunc(found, func(f model.Finding) bool {
		k := key{f.Rule, f.Span, f.Range, f.Text() + "\x00" + f.Found}
		again := seen[k]
		seen[k] = true
		return again
	})
}

// nearest returns the span at a path, or where there is none any more the one above it that there is.
func nearest(ctx context.Context, t *model.Tree, path string) (*model.Span, error) {
	for path != "" {
		if s, err := t.Find(ctx, path); err == nil && s != nil {
			return s, nil
		}
		path = path[:max(0, strings.LastIndexAny(path, "/["))]
	}
	return t.Root, ctx.Err()
}

// TreeChanged is for whoever changed the document: the tree was parsed anew. Selection and open branches are found by path.
func (d *Document) TreeChanged() {
	d.readFindings()
	d.hover = model.Range{} // what it was over may be elsewhere
	for _, p := range d.panes {
		p.hovered(d.hover)
		p.changed()
	}
	path, r, whole := "", d.Sel.Range, false
	if s := d.Sel.Span; s != nil {
		path, whole = s.Path(), s.Range == r
	}
	t, from := d.Tree(), d.Sel.From
	d.history, d.at = []Selection{{Span: t.Root, Range: model.Range{Space: t.Root.Range.Space}}}, 0
	d.wb.submit(model.Job{Priority: model.Selected,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			s, err := nearest(ctx, t, path)
			if from != d.hex || err != nil {
				return s, err
			}
			if at, err := t.AtOpen(ctx, s.Range.Space, r.Off); err == nil && at != nil { // typed bytes: the caret stays
				return at, nil
			}
			return s, nil
		},
		Done: func(v any, err error) {
			s, ok := v.(*model.Span)
			if !ok || s == nil || err != nil || d.Tree() != t || d.Sel.Range != r {
				return
			}
			if from == d.hex {
				r.Space = s.Range.Space
			} else if whole || r.Space != s.Range.Space || !s.Range.Contains(r) {
				r = s.Range
			}
			d.Select(Selection{Span: s, Range: r, From: from})
		}})
	d.moveMarks()
	d.wb.changed()
}

// counts returns how many findings there are of each severity.
func (d *Document) counts() (n [4]int) {
	for i := range d.findings {
		n[d.findings[i].Grade()]++
	}
	return n
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
