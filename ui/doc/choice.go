package doc

import (
	"context"
	"errors"
	"strings"

	"spandrel/model"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// Selection is what all panes share: a range of bytes and the deepest span that contains it.
type Selection struct {
	Span  *model.Span
	Range model.Range
	From  Pane     // who made it; that pane does not scroll to it
	Cell  *CellRef // cell of a table that contains it; nil: unknown
}

// Hit tells whether a finding is about the selection, whose path is given.
func (s Selection) Hit(f *model.Finding, path string) bool {
	return f.Span != nil && (f.Path() == path || s.Range.Len > 0 && f.Where() == s.Range)
}

// step is a selection in the history, with its tree.
type step struct {
	Selection
	tree *model.Tree
}

// Choice is the selection in a document, with its history.
type Choice struct {
	d      *Document
	Now    Selection
	Past   []step // the history; those behind at were left by going back
	At     int
	Hover  model.Range // what the pointer is on, in whatever pane
	cancel kit.Running // withdraws the search for the span of the selection
}

// begin selects nothing and clears the history: the document is at its root.
func (c *Choice) begin(root *model.Span) {
	c.Now = Selection{Span: root, Range: model.Range{Space: root.Range.Space}}
	c.Past, c.At = []step{{c.Now, c.d.Tree()}}, 0
}

// Set selects bytes and the span that owns them. Every pane follows, and Back can return to it.
func (c *Choice) Set(s Selection) {
	if s.Span == nil {
		return
	}
	if s.Span.Root() != c.d.Tree().Root { // a pane that still shows the document as it was before an edit
		c.Path(s.Span.Path(), nil)
		return
	}
	if s.Range == (model.Range{}) && s.Cell == nil && s.Span.Parent() != nil { // the document as a whole is no bytes
		s.Range = s.Span.Range
	}
	was := c.Now
	c.Put(s)
	if s.Range == was.Range && was.Span != nil && s.Span.Path() == was.Span.Path() && c.Now.Cell.Same(was.Cell) {
		return
	}
	c.Past = append(c.Past[:c.At+1:c.At+1], step{c.Now, c.d.Tree()})
	c.At++
	if len(c.Past) > 1000 {
		c.Past, c.At = c.Past[1:], c.At-1
	}
	c.d.Window.UpdateCommands() // there is something to go back to
}

// Put selects bytes and a span without adding to the history.
func (c *Choice) Put(s Selection) {
	c.cancel.Stop()
	if s.Cell == nil {
		s.Cell = c.d.Cells.At(s.Range)
	}
	c.Now = s
	c.d.each(func(p Pane) { p.Selected(s) })
	c.d.Window.Update()
}

// Caret moves the selection while typing, within what the panes show: an edit in progress finds its field when it is made.
func (c *Choice) Caret(r model.Range, from Pane) {
	c.Now = Selection{Span: c.Now.Span, Range: r, From: from}
}

// Bytes selects a range and finds the deepest span that contains it, opening spans on the way.
func (c *Choice) Bytes(r model.Range, from Pane) { c.Reach(Selection{Range: r, From: from}) }

// Reach is Bytes for a selection whose span is not known yet.
func (c *Choice) Reach(s Selection) {
	t := c.d.Tree()
	sp := t.Space(s.Range.Space)
	if sp != nil && !sp.Derived() && s.From == nil { // lists of changes refer to bytes that may no longer exist
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
	c.Set(s)
	if deepest.Ready() && t.At(s.Range.Space, s.Range.Off) == deepest { // a pane may have read it meanwhile
		return
	}
	c.cancel = kit.Work(c.d.Window, "reading "+s.Span.Name(), model.Selected, func(ctx context.Context) (*model.Span, error) {
		return t.AtOpen(ctx, s.Range.Space, s.Range.Off)
	}, func(found *model.Span, err error) {
		c.cancel = nil
		if err == nil && found != nil && c.Now.Range == s.Range && c.d.Tree() == t {
			s.Span = holder(found, s.Range)
			c.Past[c.At].Selection = s
			c.Put(s)
		}
		c.d.Opened()
	})
}

// holder returns the span that contains a whole range: the given one, which contains its first byte, or one above it in the same space.
func holder(s *model.Span, r model.Range) *model.Span {
	for up := s.Parent(); r.Len > 1 && !s.Range.Contains(r) && up != nil && up.Range.Space == r.Space; up = s.Parent() {
		s = up
	}
	return s
}

// Path selects the field at a path, opening spans on the way.
func (c *Choice) Path(path string, then func(error)) {
	c.Find(path, func(s *model.Span, err error) {
		if err == nil {
			c.Set(Selection{Span: s})
		}
		if then != nil {
			then(err)
		}
	})
}

// Find finds the field at a path in the background, opening spans on the way. If the document changes meanwhile
// that is an error too.
func (c *Choice) Find(path string, then func(*model.Span, error)) {
	t := c.d.Tree()
	kit.Work(c.d.Window, "looking for "+path, model.Selected, func(ctx context.Context) (*model.Span, error) {
		return t.Find(ctx, path)
	}, func(s *model.Span, err error) {
		if err == nil && t != c.d.Tree() {
			err = errors.New("the document has changed")
		}
		c.d.Opened()
		then(s, err)
	})
}

// Back and Forward walk the history of selections.
func (c *Choice) Back() { c.walk(-1) }

// Forward goes to the selection that Back left.
func (c *Choice) Forward() { c.walk(1) }

// walk goes to another selection in the history. One from before an edit is found by its path.
func (c *Choice) walk(by int) {
	to := c.At + by
	if to < 0 || to >= len(c.Past) {
		return
	}
	c.At = to
	p := c.Past[to]
	p.From = nil
	if p.tree == c.d.Tree() {
		c.Put(p.Selection)
		return
	}
	t, id := c.d.Tree(), Identity{path: p.Span.Path(), cell: p.Cell, r: p.Range, whole: p.Range == p.Span.Range}
	kit.Work(c.d.Window, "", model.Selected, func(ctx context.Context) (Selection, error) {
		return id.find(ctx, t)
	}, func(s Selection, err error) {
		if s.Span != nil && err == nil && c.d.Tree() == t && c.At == to {
			c.Past[to] = step{s, t}
			c.Put(s)
		}
	})
}

// Light highlights bytes in every pane. Holding Ctrl freezes the highlight.
func (c *Choice) Light(r model.Range) {
	if r == c.Hover || rows.ControlHeld() {
		return
	}
	c.Hover = r
	c.d.each(func(p Pane) { p.Hovered(r) })
}

// LightAt highlights the deepest known span that contains a byte; that byte alone in a file of no known format.
func (c *Choice) LightAt(space model.SpaceID, off int64) {
	if s := c.d.Tree().At(space, off); s != nil && s.Count() == 0 && (s.State != model.Gap || s.Range != s.Parent().Range) {
		c.Light(s.Range)
	} else {
		c.Light(model.Range{Space: space, Off: off, Len: 1})
	}
}

// nearest returns the span at a path, or the nearest one above it that exists.
func nearest(ctx context.Context, t *model.Tree, path string) (*model.Span, error) {
	for path != "" {
		if s, err := t.Find(ctx, path); err == nil && s != nil {
			return s, nil
		}
		path = path[:max(0, strings.LastIndexAny(path, "/["))]
	}
	return t.Root, ctx.Err()
}

// Restore selects the counterpart of another tree's selection in the current document.
func (c *Choice) Restore(id Identity) {
	t := c.d.Tree()
	before := c.Now
	kit.Work(c.d.Window, "", model.Selected, func(ctx context.Context) (Selection, error) {
		return id.find(ctx, t)
	}, func(s Selection, err error) {
		if s.Span != nil && err == nil && c.d.Tree() == t && c.Now.Range == before.Range && c.Now.Span == before.Span {
			c.Set(s)
		}
	})
}
