package parsers

import (
	"context"
	"fmt"
	"io"

	"spandrel/model"
)

// idvMaxEdit is the largest edit that is folded into a new directory or block; larger ones are made where they are.
const idvMaxEdit = 256 << 20

// idvAsked is an edit in terms of bytes: what gives way to what.
type idvAsked struct {
	edit  model.Edit
	at    model.Range
	with  []byte
	field *model.Field // of a leaf that gets another value
}

// idvRewrite turns edits that would move bytes of a stream into an append behind it and a new header (§7.2): names and other
// texts of the directories, and values in blocks whose stored size changes. Edits in place stay what they are.
func idvRewrite(ctx context.Context, t *model.Tree, edits []model.Edit) (out []model.Edit, err error) {
	st := idvStateOf(t)
	byStream := map[*idvStream][]idvAsked{}
	blocks := map[model.SpaceID][]idvAsked{}
	var order []model.SpaceID
	for _, e := range edits {
		a, ok := idvBytesOf(ctx, t, e)
		if !ok || !st.concerns(a.at) || !a.read() {
			out = append(out, e)
			continue
		}
		if _, ok := st.derived.Load(a.at.Space); ok {
			if blocks[a.at.Space] == nil {
				order = append(order, a.at.Space)
			}
			blocks[a.at.Space] = append(blocks[a.at.Space], a)
			continue
		}
		s := st.holding(a.at)
		byStream[s] = append(byStream[s], a)
	}
	changes := map[*idvStream]*idvChange{}
	change := func(s *idvStream) *idvChange {
		if changes[s] == nil {
			changes[s] = s.change(t)
		}
		return changes[s]
	}
	for _, id := range order {
		d, _ := st.derived.Load(id)
		more, err := d.(*idvDerivedBlock).rewrite(ctx, t, id, blocks[id], change)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	for _, s := range st.all() {
		asked := byStream[s]
		grows := changes[s] != nil
		for _, a := range asked {
			grows = grows || int64(len(a.with)) != a.at.Len
		}
		if !grows {
			for _, a := range asked {
				out = append(out, a.edit)
			}
			continue
		}
		c := change(s)
		for _, a := range asked {
			if err := c.take(a); err != nil {
				return nil, err
			}
		}
		more, err := c.edits()
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// idvBytesOf returns the bytes that an edit of a value or of a range changes. ok is false for edits that are left alone.
func idvBytesOf(ctx context.Context, t *model.Tree, e model.Edit) (a idvAsked, ok bool) {
	a.edit = e
	switch {
	case e.Loose || e.File != "":
		return a, false
	case e.With == nil && e.Value.Kind != model.None:
		s, err := t.Find(ctx, e.Path)
		if err != nil || s.Shape != model.Leaf || s.Field.Codec == nil || s.Field.Fixed != "" {
			return a, false // planning says why
		}
		if old, err := t.Value(ctx, s); err == nil && old.Equal(e.Value) {
			return a, false
		}
		if a.with, err = s.Field.Codec.Encode(e.Value); err != nil {
			return a, false
		}
		a.at, a.field = s.Range, s.Field
		return a, true
	}
	a.at = e.Range
	return a, e.With == nil || e.With.Len() <= idvMaxEdit
}

// read gets the bytes of an edit of a range.
func (a *idvAsked) read() bool {
	if a.edit.With == nil {
		return true
	}
	a.with = make([]byte, a.edit.With.Len())
	_, err := a.edit.With.ReadAt(a.with, 0)
	return err == nil || err == io.EOF || len(a.with) == 0
}

// concerns tells whether a range lies in a decoded block, or in the header or a directory of a stream.
func (st *idvState) concerns(r model.Range) bool {
	if _, ok := st.derived.Load(r.Space); ok {
		return true
	}
	s := st.holding(r)
	return s != nil && s.inDirectory(r)
}

// holding returns the stream whose bytes hold a range, or nil.
func (st *idvState) holding(r model.Range) *idvStream {
	for _, s := range st.all() {
		if s.space == r.Space && r.Off >= s.base && r.End() <= s.base+s.size {
			return s
		}
	}
	return nil
}

// inDirectory tells whether a range lies in the header or in a directory of the stream.
func (s *idvStream) inDirectory(r model.Range) bool {
	inside := func(d *model.Span) bool {
		return d != nil && r.Off >= d.Range.Off && r.End() <= d.Range.End() && r.Off < d.Range.End()
	}
	if r.Off < s.base+idvHeaderSize {
		return r.End() <= s.base+idvHeaderSize
	}
	for _, c := range s.cols {
		if inside(c.metaSpan) {
			return true
		}
	}
	return inside(s.tocSpan)
}

// take folds an edit of a directory or of the header into the change.
func (c *idvChange) take(a idvAsked) error {
	off := a.at.Off - c.s.base
	if off < idvHeaderSize {
		if int64(len(a.with)) != a.at.Len {
			return fmt.Errorf("the header at 0x%x has a fixed size", c.s.base)
		}
		c.head[off] = a.with
		return nil
	}
	if a.field != nil {
		c.over[idvLeaf{a.at.Off, a.field}] = a.with
		return nil
	}
	for s := c.t.At(a.at.Space, a.at.Off); s != nil; s = s.Parent() { // bytes of a leaf, or a whole element
		switch {
		case s.Range == a.at && s.Shape == model.Leaf:
			c.over[idvLeaf{a.at.Off, s.Field}] = a.with
			return nil
		case s.Range == a.at && s.Index() >= 0 && len(a.with) == 0:
			c.drop[a.at.Off] = true
			return nil
		case s.Shape == model.Leaf && s.Range.Contains(a.at):
			b, err := c.t.Bytes(idvBackground, s.Range)
			if err != nil {
				return err
			}
			from := a.at.Off - s.Range.Off
			c.over[idvLeaf{s.Range.Off, s.Field}] = append(append(append([]byte(nil), b[:from]...), a.with...), b[from+a.at.Len:]...)
			return nil
		}
	}
	return fmt.Errorf("bytes 0x%x+%d are not one field of the directory", a.at.Off, a.at.Len)
}

// rewrite makes the edits of one decoded block: it is encoded anew, and goes behind the stream where its stored size changes.
func (d *idvDerivedBlock) rewrite(ctx context.Context, t *model.Tree, id model.SpaceID, asked []idvAsked, change func(*idvStream) *idvChange) ([]model.Edit, error) {
	b, err := idvWhole(t, id)
	if err != nil {
		return nil, err
	}
	if b, err = d.apply(b, asked); err != nil {
		return nil, err
	}
	return d.store(b, change)
}

// idvWhole returns all bytes of a space.
func idvWhole(t *model.Tree, id model.SpaceID) ([]byte, error) {
	size, err := t.Size(idvBackground, id)
	if err != nil {
		return nil, err
	}
	return t.Bytes(idvBackground, model.Range{Space: id, Len: size})
}

// replace makes the edits that give the block other decoded bytes.
func (d *idvDerivedBlock) replace(t *model.Tree, b []byte) ([]model.Edit, error) {
	var c *idvChange
	edits, err := d.store(b, func(s *idvStream) *idvChange { c = s.change(t); return c })
	if err != nil || c == nil {
		return edits, err
	}
	return c.edits()
}

// store puts decoded bytes in the place of the block: where it is when the stored size stays, and behind the stream otherwise.
func (d *idvDerivedBlock) store(b []byte, change func(*idvStream) *idvChange) ([]model.Edit, error) {
	s, sh := d.s, d.sh
	if sh.over() {
		return nil, errIdvBudget
	}
	stored := b
	var err error
	if sh.compression == 1 {
		if stored, err = idvDeflate(b); err != nil {
			return nil, err
		}
	}
	alone := sh.meta != nil || len(s.at(sh.at.Off-s.base)) == 1
	if alone && int64(len(stored)) == sh.at.Len && (sh.declared < 0 || sh.declared == int64(len(b))) {
		return []model.Edit{model.Replace(sh.at, stored)}, nil
	}
	c := change(s)
	if sh.meta != nil {
		return nil, c.metaBlock(sh.meta, b)
	}
	c.block(sh.col.index, sh.k, stored, len(b))
	return nil, nil
}

// apply makes edits in decoded bytes. A new length of a text moves the bounds behind it.
func (d *idvDerivedBlock) apply(b []byte, asked []idvAsked) ([]byte, error) {
	for _, a := range asked { // in place first, as the places are those before any edit
		if int64(len(a.with)) == a.at.Len && !d.inText(b, a.at) {
			copy(b[a.at.Off:], a.with)
		}
	}
	var texts []idvAsked
	for _, a := range asked {
		switch {
		case d.inText(b, a.at):
			texts = append(texts, a)
		case int64(len(a.with)) != a.at.Len:
			return nil, fmt.Errorf("bytes 0x%x+%d of a block cannot change their size", a.at.Off, a.at.Len)
		}
	}
	return d.spliceTexts(b, texts)
}
