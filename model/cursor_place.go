package model

import (
	"fmt"
	"path"
	"slices"
)

// At follows an offset in the frame's space: body reads there, and its spans belong to the frame that contains those
// bytes. It tells whether body ran to its end; an offset outside the space, or a cycle, is a finding.
func (c *Cursor) At(off int64, body func(*Cursor)) bool {
	top := c
	for top.up != nil {
		top = top.up
	}
	switch {
	case off < top.base || off > min(top.limit, top.end):
		c.Report(Finding{Rule: c.linkRule(), Span: c.frame, Found: fmt.Sprintf("0x%x", off),
			Expected: fmt.Sprintf("0x%x to 0x%x", top.base, min(top.limit, top.end)), Message: "an offset leads outside"})
		return false
	case slices.Contains(c.at, off):
		c.Report(Finding{Rule: c.linkRule(), Span: c.frame, Found: fmt.Sprintf("0x%x", off), Message: "an offset leads back to itself"})
		return false
	case c.depth >= MaxDepth:
		c.Report(Finding{Rule: RuleCap, Span: c.frame, Message: fmt.Sprintf("structures are nested deeper than %d levels", MaxDepth)})
		return false
	}
	d := *c
	d.base, d.pos, d.limit, d.end = off, off, top.limit, top.end
	d.kids, d.items = nil, false
	d.depth, d.at = c.depth+1, append(slices.Clip(c.at), off)
	damaged := d.protect(body)
	c.kids = append(c.kids, d.kids...)
	return !damaged
}

func (c *Cursor) linkRule() *Rule {
	if c.damage != nil {
		return c.damage
	}
	return RuleLink
}

// Derived says how the bytes of a derived space are computed from others.
type Derived struct {
	Transform *Transform
	From      Node   // the span that holds the encoded bytes
	At        *Range // where the encoded bytes are when From shows only some of them, as others claim the rest; nil: From's
	Size      int64  // what the file declares, or -1
	Body      func(*Cursor)
	// Fail makes the finding for a failed transform; nil means RuleUndecoded at the encoded bytes. A finding without a rule is not
	// reported, because the structure of the encoded bytes has been reported already. An Unchecked error is a note, or a
	// finding that Needs something, whatever Fail returns.
	Fail func(err error) Finding
}

// derivation identifies a derived space: reading the same bytes in the same way again gives the same space.
type derivation struct {
	from Range
	tr   string
}

// Derive makes a child in a space of its own, whose bytes a transform computes from another span. They are
// decoded when someone looks inside; the output before a failure is shown.
func (c *Cursor) Derive(f *Field, d Derived) Node {
	if c.skim || d.From.Span == nil || c.ctx.Err() != nil { // what an interrupted reading declares may be wrong, and is read again
		return Node{}
	}
	key := derivation{d.From.Range, d.Transform.Name + "/" + f.Name}
	c.t.mu.Lock()
	old := c.t.derived[key]
	c.t.mu.Unlock()
	if old != nil {
		c.kids = append(c.kids, old.Root)
		return Node{Span: old.Root}
	}
	sp := &Space{Raw: d.From.Span, Origin: d.From.Range, Transform: d.Transform, declared: d.Size}
	if d.At != nil {
		sp.Origin = *d.At
	}
	if from := c.t.Space(c.space); from != nil {
		sp.File = from.File
	}
	s := c.add(f, 0, max(0, d.Size), Struct)
	s.number(-1)
	sp.Root = s
	s.kids = &lazy{keep: true, open: func(e *Cursor) children { return e.derived(d, sp) }}
	if c.lazy != nil {
		c.lazy.keep = true
	}
	c.t.mu.Lock()
	defer c.t.mu.Unlock()
	if old := c.t.derived[key]; old != nil { // another worker was faster
		c.kids[len(c.kids)-1] = old.Root
		return Node{Span: old.Root}
	}
	sp.ID = SpaceID(len(c.t.spaces))
	s.Range.Space = sp.ID
	c.t.spaces, c.t.derived[key] = append(c.t.spaces, sp), sp
	return Node{Span: s}
}

// derived parses the bytes of a space, or reports why they are not available.
func (c *Cursor) derived(d Derived, sp *Space) children {
	size, err := c.t.Size(c.ctx, sp.ID)
	if fault := sp.Fault(); err == nil && fault != nil {
		err = fault
	}
	if err != nil && c.ctx.Err() == nil {
		diag := Finding{Rule: RuleUndecoded, Span: sp.Raw, Message: fmt.Sprintf("%s: %v", d.Transform.Name, err)}
		if d.Fail != nil {
			diag = d.Fail(err)
		}
		if IsUnchecked(err) && (diag.Rule == nil || diag.Grade() != Note && diag.Needs == nil) {
			diag = Finding{Rule: RuleCap, Span: sp.Raw, Message: fmt.Sprintf("%s: %v", sp.Root.Path(), err)}
		}
		if diag.Rule != nil {
			c.Report(diag)
		}
	}
	c.base, c.pos, c.limit, c.end = 0, 0, size, size
	if d.Size > size {
		c.limit = d.Size
	}
	return c.run(d.Body)
}

// Fault is why a derived space is incomplete after decoding; nil if it is complete.
func (s *Space) Fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// Group makes a child without bytes of its own that contains others: a folder. body runs when someone looks inside.
func (c *Cursor) Group(f *Field, body func(*Cursor)) Node {
	s := c.add(f, 0, 0, Struct)
	if s == nil {
		return Node{}
	}
	s.Range.Space = NoSpace
	s.kids = &lazy{keep: true, open: func(e *Cursor) children { return e.run(body) }}
	return Node{Span: s}
}

// Companion makes a child that is another file in the document's folder; body reads it when someone looks inside. Its size
// comes from a listing, and the file is opened when it is first read. Only regular files inside the folder are opened.
func (c *Cursor) Companion(f *Field, e Entry, body func(*Cursor)) Node {
	if c.skim {
		return Node{}
	}
	sp := c.t.addSpace(&Space{File: e.Name, declared: -1, load: func() (*Content, error) { return c.t.Snapshot.Content(e.Name) }})
	s := c.add(f, 0, e.Size, Struct)
	s.Range.Space = sp.ID
	sp.Root = s
	s.kids = &lazy{keep: true, open: func(d *Cursor) children {
		size, err := d.t.Size(d.ctx, sp.ID)
		if err != nil {
			d.Report(Finding{Rule: RuleUndecoded, Span: s, Message: e.Name + ": " + err.Error()})
		}
		if folder := d.t.Snapshot.folder; folder != nil && !folder.Remote() && Interrupted(path.Join(folder.Path, e.Name)) {
			d.Report(Finding{Rule: RuleJournal, Span: s, Message: "a save of this file was interrupted: open the file itself, or recover the folder, to roll it back"})
		}
		d.end = min(d.end, size)
		return d.run(body)
	}}
	return Node{Span: s}
}

// Resync looks for the next place from which reading can continue after damage. find returns the index, in a window, of
// the next plausible start, or -1; it should require more than a magic. The skipped bytes become a Bad span. If there is no
// such place, the frame is left at its end, and Resync returns false.
func (c *Cursor) Resync(find func(window []byte) int) bool {
	const step, overlap = 1 << 20, 4 << 10
	from := c.pos
	for off := from; off < min(c.limit, c.end); off += step {
		w := c.PeekAt(off, step+overlap)
		if i := find(w); i >= 0 {
			c.bad(from, off+int64(i))
			return true
		}
		if c.ctx.Err() != nil {
			break
		}
	}
	c.bad(from, min(c.limit, c.end))
	return false
}

// bad marks bytes as damaged and continues after them.
func (c *Cursor) bad(from, to int64) {
	if to > from && !c.skim {
		c.kids = append(c.kids, &Span{Field: fieldBad, State: Bad, Range: Range{c.space, from, to - from}, parent: c.frame})
	}
	c.pos = to
}
