package ui

import (
	"context"
	"errors"
	"strings"

	"spandrel/model"
	"spandrel/ui/rows"
)

// Selection is the one thing that panes share: a range of bytes and the deepest span that owns it.
type Selection struct {
	Span  *model.Span
	Range model.Range
	From  pane     // who made it; that pane does not scroll to it
	Cell  *cellRef // the cell of a table that it is, or a part of; nil: none that is known
}

// hit tells whether a finding is about what is selected, whose path that is.
func (s Selection) hit(f *model.Finding, path string) bool {
	return f.Span != nil && (f.Path() == path || s.Range.Len > 0 && f.Where() == s.Range)
}

// step is a selection of the history, and the tree that it was made in.
type step struct {
	Selection
	tree *model.Tree
}

// choice is what is selected in a document, and what was before.
type choice struct {
	d      *Document
	now    Selection
	past   []step // the history; those behind at were left by going back
	at     int
	hover  model.Range // what the pointer is on, in whatever pane
	cancel func()      // withdraws the search for the span of the selection
}

// begin selects nothing and forgets the history: the document is at its root.
func (c *choice) begin(root *model.Span) {
	c.now = Selection{Span: root, Range: model.Range{Space: root.Range.Space}}
	c.past, c.at = []step{{c.now, c.d.Tree()}}, 0
}

// set makes bytes and the span that owns them the selection. Every pane follows, and it can be gone back to.
func (c *choice) set(s Selection) {
	if s.Span == nil {
		return
	}
	if s.Span.Root() != c.d.Tree().Root { // a pane that still shows the document as it was before an edit
		c.path(s.Span.Path(), nil)
		return
	}
	if s.Range == (model.Range{}) && s.Cell == nil && s.Span.Parent() != nil { // the document as a whole is no bytes
		s.Range = s.Span.Range
	}
	was := c.now
	c.put(s)
	if s.Range == was.Range && was.Span != nil && s.Span.Path() == was.Span.Path() && c.now.Cell.same(was.Cell) {
		return
	}
	c.past = append(c.past[:c.at+1:c.at+1], step{c.now, c.d.Tree()})
	c.at++
	if len(c.past) > 1000 {
		c.past, c.at = c.past[1:], c.at-1
	}
	c.d.wb.updateCommands() // there is something to go back to
}

func (c *choice) put(s Selection) {
	if c.cancel != nil {
		c.cancel()
		c.cancel = nil
	}
	if s.Cell == nil {
		s.Cell = c.d.cells.at(s.Range)
	}
	c.now = s
	c.d.each(func(p pane) { p.selected(s) })
	c.d.wb.update()
}

// caret moves the selection by typing, within what the panes show: the edit that is under way looks its field up when it is made.
func (c *choice) caret(r model.Range, from pane) {
	c.now = Selection{Span: c.now.Span, Range: r, From: from}
}

// bytes selects a range and finds the deepest span that holds it, opening what lies on the way.
func (c *choice) bytes(r model.Range, from pane) { c.reach(Selection{Range: r, From: from}) }

// reach is bytes for a selection whose span is not known yet.
func (c *choice) reach(s Selection) {
	t := c.d.Tree()
	sp := t.Space(s.Range.Space)
	if sp != nil && !sp.Derived() && s.From == nil { // lists of what was done know bytes that may be gone
		s.Range.Off = min(s.Range.Off, sp.Root.Range.Len)
		s.Range.Len = min(s.Range.Len, sp.Root.Range.Len-s.Range.Off)
	}
	s.Span = t.At(s.Range.Space, s.Range.Off)
	if s.Span == nil {
		if sp != nil && sp.Root != nil {
			s.Span = sp.Root
		} else {
			s.Span = t.Root
		}
	}
	deepest := s.Span
	s.Span = holder(s.Span, s.Range)
	c.set(s)
	if deepest.Ready() && t.At(s.Range.Space, s.Range.Off) == deepest { // a pane may have read it meanwhile
		return
	}
	c.cancel = c.d.wb.submit(model.Job{Title: "reading " + s.Span.Name(), Priority: model.Selected,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			return t.AtOpen(ctx, s.Range.Space, s.Range.Off)
		},
		Done: func(v any, err error) {
			c.cancel = nil
			if found, ok := v.(*model.Span); ok && found != nil && c.now.Range == s.Range && c.d.Tree() == t {
				s.Span = holder(found, s.Range)
				c.past[c.at].Selection = s
				c.put(s)
			}
			c.d.opened()
		}})
}

// holder returns the span that holds all of a range, of one that holds its first byte and those above it in the same space.
func holder(s *model.Span, r model.Range) *model.Span {
	for up := s.Parent(); r.Len > 1 && !s.Range.Contains(r) && up != nil && up.Range.Space == r.Space; up = s.Parent() {
		s = up
	}
	return s
}

// path selects the field at a path, opening what lies on the way.
func (c *choice) path(path string, then func(error)) {
	c.find(path, func(s *model.Span, err error) {
		if err == nil {
			c.set(Selection{Span: s})
		}
		if then != nil {
			then(err)
		}
	})
}

// find looks for the field at a path in the background, opening what lies on the way. A document that was changed meanwhile
// has it elsewhere: that is an error too.
func (c *choice) find(path string, then func(*model.Span, error)) {
	t := c.d.Tree()
	c.d.wb.submit(model.Job{Title: "looking for " + path, Priority: model.Selected,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) { return t.Find(ctx, path) },
		Done: func(v any, err error) {
			if err == nil && t != c.d.Tree() {
				err = errors.New("the document was changed meanwhile")
			}
			c.d.opened()
			s, _ := v.(*model.Span)
			then(s, err)
		}})
}

// back and Forward walk the history of selections.
func (c *choice) back() { c.walk(-1) }

func (c *choice) forward() { c.walk(1) }

// walk goes to another selection of the history. One that was made before an edit is looked for by its path.
func (c *choice) walk(by int) {
	to := c.at + by
	if to < 0 || to >= len(c.past) {
		return
	}
	c.at = to
	p := c.past[to]
	p.From = nil
	if p.tree == c.d.Tree() {
		c.put(p.Selection)
		return
	}
	t, id := c.d.Tree(), identity{path: p.Span.Path(), cell: p.Cell, r: p.Range, whole: p.Range == p.Span.Range}
	c.d.wb.submit(model.Job{Priority: model.Selected,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) { return id.find(ctx, t) },
		Done: func(v any, err error) {
			if s, ok := v.(Selection); ok && s.Span != nil && err == nil && c.d.Tree() == t && c.at == to {
				c.past[to] = step{s, t}
				c.put(s)
			}
		}})
}

// light lights up bytes in every pane. Holding Ctrl freezes what is lit.
func (c *choice) light(r model.Range) {
	if r == c.hover || rows.ControlHeld() {
		return
	}
	c.hover = r
	c.d.each(func(p pane) { p.hovered(r) })
}

// lightAt lights up the deepest known span that holds a byte.
func (c *choice) lightAt(space model.SpaceID, off int64) {
	if s := c.d.Tree().At(space, off); s != nil && s.Count() == 0 {
		c.light(s.Range)
	} else {
		c.light(model.Range{Space: space, Off: off, Len: 1})
	}
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

// restore selects what a selection of another tree means in the document as it is now.
func (c *choice) restore(id identity) {
	t := c.d.Tree()
	before := c.now
	c.d.wb.submit(model.Job{Priority: model.Selected,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) { return id.find(ctx, t) },
		Done: func(v any, err error) {
			s, ok := v.(Selection)
			if ok && s.Span != nil && err == nil && c.d.Tree() == t && c.now.Range == before.Range && c.now.Span == before.Span {
				c.set(s)
			}
		}})
}
