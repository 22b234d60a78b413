package idv

import (
	"context"
	"fmt"
	"io"
	"slices"

	"spandrel/model"
)

// maxEdit is the largest edit that is merged into a new directory or block; larger ones are made in place.
const maxEdit = 256 << 20

// request is an edit in terms of bytes: a range and its replacement.
type request struct {
	edit   model.Edit
	at     model.Range
	with   []byte
	source model.Source // bytes of with, before they are read
	field  *model.Field // new value of a leaf
}

// prepare turns edits that would move bytes of a stream into data after it and a new header (§7.2): names and other
// texts of the directories, and values in blocks whose stored size changes. Edits in place are unchanged.
func prepare(ctx context.Context, t *model.Tree, edits []model.Edit) (out []model.Edit, warnings []string, err error) {
	y := newPlanning(ctx, t)
	for _, e := range edits {
		if !y.sort(e) {
			y.out = append(y.out, e)
		}
	}
	var list []rewritten
	for _, id := range y.order {
		list = append(list, rewritten{y.block(id), func() ([]byte, error) { return y.applied(id) }})
	}
	if err := y.store(list); err != nil {
		return nil, nil, err
	}
	for _, s := range stateOf(t).all() {
		if err := y.finish(s); err != nil {
			return nil, nil, err
		}
	}
	return y.out, nil, nil
}

// planning is edits grouped by the streams and blocks that they change.
type planning struct {
	ctx         context.Context
	t           *model.Tree
	directories map[*stream][]request
	blocks      map[model.SpaceID][]request
	order       []model.SpaceID // of the blocks
	changes     map[*stream]*rewriting
	out         []model.Edit
}

func newPlanning(ctx context.Context, t *model.Tree) *planning {
	return &planning{ctx: ctx, t: t, directories: map[*stream][]request{}, blocks: map[model.SpaceID][]request{}, changes: map[*stream]*rewriting{}}
}

// sort determines what an edit changes, and tells whether that is a directory or a block.
func (y *planning) sort(e model.Edit) bool {
	st := stateOf(y.t)
	a, ok := bytesOf(y.ctx, y.t, e)
	if !ok || !st.concerns(a.at) || !a.read() {
		return false
	}
	if _, ok := st.derived.Load(a.at.Space); !ok {
		s := st.holding(a.at)
		y.directories[s] = append(y.directories[s], a)
		return true
	}
	if y.blocks[a.at.Space] == nil {
		y.order = append(y.order, a.at.Space)
	}
	y.blocks[a.at.Space] = append(y.blocks[a.at.Space], a)
	return true
}

// change is the one change of a stream.
func (y *planning) change(s *stream) *rewriting {
	if y.changes[s] == nil {
		y.changes[s] = s.in(y.ctx, y.t).change()
	}
	return y.changes[s]
}

func (y *planning) block(id model.SpaceID) *derivedBlock {
	d, _ := stateOf(y.t).derived.Load(id)
	return d.(*derivedBlock)
}

// moves tells whether anything in a stream changes its size.
func (y *planning) moves(s *stream) bool {
	return y.changes[s] != nil || slices.ContainsFunc(y.directories[s], func(a request) bool { return int64(len(a.with)) != a.at.Len })
}

// finish makes the edits of a stream: the requested ones if no size changes.
func (y *planning) finish(s *stream) error {
	asked := y.directories[s]
	if !y.moves(s) {
		for _, a := range asked {
			y.out = append(y.out, a.edit)
		}
		return nil
	}
	c := y.change(s)
	for _, a := range asked {
		if err := c.take(a); err != nil {
			return err
		}
	}
	c.beside = len(y.out) > 0
	more, err := c.edits()
	y.out = append(y.out, more...)
	return err
}

// bytesOf returns the bytes that an edit of a value or a range changes. ok is false for edits that are passed on unchanged.
func bytesOf(ctx context.Context, t *model.Tree, e model.Edit) (a request, ok bool) {
	a.edit = e
	switch e := e.(type) {
	case model.Set:
		s, err := t.Find(ctx, e.Path)
		if err != nil || s.Shape != model.Leaf || s.Field.Codec == nil || s.Field.Fixed != "" {
			return a, false // planning reports why
		}
		if old, err := t.Value(ctx, s); err == nil && old.Same(e.Value) {
			return a, false
		}
		if a.with, err = s.Field.Codec.Encode(e.Value); err != nil {
			return a, false
		}
		a.at, a.field = s.Range, s.Field
		return a, true
	case model.Splice:
		a.at, a.source = e.Range, e.With
		return a, !e.Loose && (e.With == nil || e.With.Len() <= maxEdit)
	}
	return a, false
}

// read gets the bytes of an edit of a range.
func (a *request) read() bool {
	if a.source == nil {
		return true
	}
	a.with = make([]byte, a.source.Len())
	_, err := a.source.ReadAt(a.with, 0)
	return err == nil || err == io.EOF || len(a.with) == 0
}

// concerns tells whether a range is in a decoded block, or in the header or a directory of a stream.
func (st *state) concerns(r model.Range) bool {
	if _, ok := st.derived.Load(r.Space); ok {
		return true
	}
	s := st.holding(r)
	return s != nil && s.inDirectory(r)
}

// inDirectory tells whether a range lies in the header or in a directory of the stream.
func (s *stream) inDirectory(r model.Range) bool {
	inside := func(d *model.Span) bool {
		return d != nil && r.Off >= d.Range.Off && r.End() <= d.Range.End() && r.Off < d.Range.End()
	}
	if r.Off < s.base+headerSize {
		return r.End() <= s.base+headerSize
	}
	for _, c := range s.cols {
		if inside(c.metaSpan) {
			return true
		}
	}
	return inside(s.tocSpan)
}

// take merges an edit of a directory or of the header into the change.
func (c *rewriting) take(a request) error {
	off := a.at.Off - c.stream.base
	if off < headerSize {
		if int64(len(a.with)) != a.at.Len {
			return fmt.Errorf("the header at 0x%x has a fixed size", c.stream.base)
		}
		c.head[off] = a.with
		return nil
	}
	if a.field != nil {
		c.over[leaf{a.at.Off, a.field}] = a.with
		return nil
	}
	for s := c.t.At(a.at.Space, a.at.Off); s != nil; s = s.Parent() { // bytes of a leaf, or a whole element
		switch {
		case s.Range == a.at && s.Shape == model.Leaf:
			c.over[leaf{a.at.Off, s.Field}] = a.with
			return nil
		case s.Range == a.at && s.Index() >= 0 && len(a.with) == 0:
			c.drop[a.at.Off] = true
			return nil
		case s.Shape == model.Leaf && s.Range.Contains(a.at):
			b, err := c.t.Bytes(c.ctx, s.Range)
			if err != nil {
				return err
			}
			from := a.at.Off - s.Range.Off
			c.over[leaf{s.Range.Off, s.Field}] = append(append(append([]byte(nil), b[:from]...), a.with...), b[from+a.at.Len:]...)
			return nil
		}
	}
	return fmt.Errorf("bytes 0x%x+%d are not a single field of the directory", a.at.Off, a.at.Len)
}
