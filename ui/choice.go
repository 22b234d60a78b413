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
	From  pane // who made it; that pane does not scroll to it
}

// choice is what is selected in a document, and what was before.
type choice struct {
	d      *Document
	now    Selection
	past   []Selection // the history; those behind at were left by going back
	at     int
	hover  model.Range // what the pointer is on, in whatever pane
	cancel func()      // withdraws the search for the span of the selection
}

// begin selects nothing and forgets the history: the document is at its root.
func (c *choice) begin(root *model.Span) {
	c.now = Selection{Span: root, Range: model.Range{Space: root.Range.Space}}
	c.past, c.at = []Selection{c.now}, 0
}

// set makes bytes and the span that owns them the selection. Every pane follows, and it can be gone back to.
func (c *choice) set(s Selection) {
	if s.Span == nil {
		return
	}
	if s.Range == (model.Range{}) {
		s.Range = s.Span.Range
	}
	same := s.Range == c.now.Range && c.now.Span != nil && s.Span.Path() == c.now.Span.Path()
	c.put(s)
	if same {
		return
	}
	c.past = append(c.past[:c.at+1:c.at+1], s)
	c.at++
	if len(c.past) > 1000 {
		c.past, c.at = c.past[1:], c.at-1
	}
}

func (c *choice) put(s Selection) {
	if c.cancel != nil {
		c.cancel()
		c.cancel = nil
	}
	c.now = s
	for _, p := range c.d.panes {
		p.selected(s)
	}
	c.d.wb.changed()
}

// bytes selects a range and finds the deepest span that holds its first byte, opening what lies on the way.
func (c *choice) bytes(r model.Range, from pane) {
	t := c.d.Tree()
	s := t.At(r.Space, r.Off)
	if s == nil {
		if sp := t.Space(r.Space); sp != nil && sp.Root != nil {
			s = sp.Root
		} else {
			s = t.Root
		}
	}
	c.set(Selection{s, r, from})
	if s.Ready() {
		return
	}
	c.cancel = c.d.wb.submit(model.Job{Title: "reading " + s.Name(), Priority: model.Selected,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			return t.AtOpen(ctx, r.Space, r.Off)
		},
		Done: func(v any, err error) {
			c.cancel = nil
			if found, ok := v.(*model.Span); ok && found != nil && c.now.Range == r && c.d.Tree() == t {
				c.past[c.at] = Selection{found, r, from}
				c.put(c.past[c.at])
			}
			c.d.opened()
		}})
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

func (c *choice) walk(step int) {
	if to := c.at + step; to >= 0 && to < len(c.past) {
		c.at = to
		s := c.past[to]
		s.From = nil
		c.put(s)
	}
}

// light lights up bytes in every pane. Holding Ctrl freezes what is lit.
func (c *choice) light(r model.Range) {
	if r == c.hover || rows.ControlHeld() {
		return
	}
	c.hover = r
	for _, p := range c.d.panes {
		p.hovered(r)
	}
}

// lightAt lights up the deepest known span that holds a byte.
func (c *choice) lightAt(space model.SpaceID, off int64) {
	if s := c.d.Tree().At(space, off); s != nil && s.Count() == 0 {
		c.light(s.Range)
	} else {
		c.light(model.Range{Space: space, Off: off, Len: 1})
	}
}

// clear selects no byte. The caret stays.
func (c *choice) clear() {
	h := c.d.hex
	h.anchor = h.caret
	c.put(Selection{Span: c.d.Tree().Root, Range: model.Range{Space: h.space, Off: h.caret}, From: h})
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

// follow looks the selection up in a tree that was parsed anew.
func (c *choice) follow() {
	path, r, whole := "", c.now.Range, false
	if s := c.now.Span; s != nil {
		path, whole = s.Path(), s.Range == r
	}
	t, from := c.d.Tree(), c.now.From
	c.past, c.at = []Selection{{Span: t.Root, Range: model.Range{Space: t.Root.Range.Space}}}, 0
	c.d.wb.submit(model.Job{Priority: model.Selected,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			s, err := nearest(ctx, t, path)
			if from != c.d.hex || err != nil {
				return s, err
			}
			if at, err := t.AtOpen(ctx, s.Range.Space, r.Off); err == nil && at != nil { // typed bytes: the caret stays
				return at, nil
			}
			return s, nil
		},
		Done: func(v any, err error) {
			s, ok := v.(*model.Span)
			if !ok || s == nil || err != nil || c.d.Tree() != t || c.now.Range != r {
				return
			}
			if from == c.d.hex {
				r.Space = s.Range.Space
			} else if whole || r.Space != s.Range.Space || !s.Range.Contains(r) {
				r = s.Range
			}
			c.set(Selection{Span: s, Range: r, From: from})
		}})
}
