package idv

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// maxEdit is the largest edit that is folded into a new directory or block; larger ones are made where they are.
const maxEdit = 256 << 20

// request is an edit in terms of bytes: what gives way to what.
type request struct {
	edit   model.Edit
	at     model.Range
	with   []byte
	source model.Source // of with, before it is read
	field  *model.Field // of a leaf that gets another value
}

// prepare turns edits that would move bytes of a stream into an append behind it and a new header (§7.2): names and other
// texts of the directories, and values in blocks whose stored size changes. Edits in place stay what they are.
func prepare(ctx context.Context, t *model.Tree, edits []model.Edit) (out []model.Edit, warnings []string, err error) {
	st := stateOf(t)
	byStream := map[*stream][]request{}
	blocks := map[model.SpaceID][]request{}
	var order []model.SpaceID
	for _, e := range edits {
		a, ok := bytesOf(ctx, t, e)
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
	changes := map[*stream]*rewriting{}
	change := func(s *stream) *rewriting {
		if changes[s] == nil {
			changes[s] = s.change(ctx, t)
		}
		return changes[s]
	}
	for _, id := range order {
		d, _ := st.derived.Load(id)
		more, err := d.(*derivedBlock).rewrite(ctx, t, id, blocks[id], change)
		if err != nil {
			return nil, nil, err
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
				return nil, nil, err
			}
		}
		c.beside = len(out) > 0
		more, err := c.edits()
		if err != nil {
			return nil, nil, err
		}
		out = append(out, more...)
	}
	return out, nil, nil
}

// bytesOf returns the bytes that an edit of a value or of a range changes. ok is false for edits that are left alone.
func bytesOf(ctx context.Context, t *model.Tree, e model.Edit) (a request, ok bool) {
	a.edit = e
	switch e := e.(type) {
	case model.Set:
		s, err := t.Find(ctx, e.Path)
		if err != nil || s.Shape != model.Leaf || s.Field.Codec == nil || s.Field.Fixed != "" {
			return a, false // planning says why
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

// concerns tells whether a range lies in a decoded block, or in the header or a directory of a stream.
func (st *state) concerns(r model.Range) bool {
	if _, ok := st.derived.Load(r.Space); ok {
		return true
	}
	s := st.holding(r)
	return s != nil && s.inDirectory(r)
}

// holding returns the stream whose bytes hold a range, or nil.
func (st *state) holding(r model.Range) *stream {
	for _, s := range st.all() {
		if s.space == r.Space && r.Off >= s.base && r.End() <= s.base+s.size {
			return s
		}
	}
	return nil
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

// take folds an edit of a directory or of the header into the change.
func (c *rewriting) take(a request) error {
	off := a.at.Off - c.s.base
	if off < headerSize {
		if int64(len(a.with)) != a.at.Len {
			return fmt.Errorf("the header at 0x%x has a fixed size", c.s.base)
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
	return fmt.Errorf("bytes 0x%x+%d are not one field of the directory", a.at.Off, a.at.Len)
}

// rewrite makes the edits of one decoded block: it is encoded anew, and goes behind the stream where its stored size changes.
func (d *derivedBlock) rewrite(ctx context.Context, t *model.Tree, id model.SpaceID, asked []request, change func(*stream) *rewriting) ([]model.Edit, error) {
	b, err := whole(ctx, t, id)
	if err != nil {
		return nil, err
	}
	if b, err = d.apply(b, asked); err != nil {
		return nil, err
	}
	return d.store(b, change)
}

// read reads the decoded block that a space holds.
func (d *derivedBlock) read(ctx context.Context, t *model.Tree, id model.SpaceID) (*block.Block, error) {
	b, err := whole(ctx, t, id)
	if err != nil {
		return nil, err
	}
	return block.Read(d.sh.codec, b, d.sh.rows), nil
}

// whole returns all bytes of a space.
func whole(ctx context.Context, t *model.Tree, id model.SpaceID) ([]byte, error) {
	size, err := t.Size(ctx, id)
	if err != nil {
		return nil, err
	}
	return t.Bytes(ctx, model.Range{Space: id, Len: size})
}

// replace makes the edits that give the block other decoded bytes.
func (d *derivedBlock) replace(ctx context.Context, t *model.Tree, b []byte) ([]model.Edit, error) {
	var c *rewriting
	edits, err := d.store(b, func(s *stream) *rewriting { c = s.change(ctx, t); return c })
	if err != nil || c == nil {
		return edits, err
	}
	return c.edits()
}

// store puts decoded bytes in the place of the block: where it is when the stored size stays, and behind the stream otherwise.
func (d *derivedBlock) store(b []byte, change func(*stream) *rewriting) ([]model.Edit, error) {
	s, sh := d.s, d.sh
	if sh.over() {
		return nil, errBudget
	}
	stored := b
	var err error
	if sh.compression == 1 {
		if stored, err = deflate(b); err != nil {
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
func (d *derivedBlock) apply(b []byte, asked []request) ([]byte, error) {
	k := block.Read(d.sh.codec, b, d.sh.rows)
	texts := map[int64]block.Raw{}
	out := bytes.Clone(b)
	for _, a := range asked {
		off, old, with := trim(a.at.Off, b[a.at.Off:min(a.at.End(), int64(len(b)))], a.with)
		i, ok := k.InText(off, int64(len(old)))
		switch {
		case ok && texts[i].B == nil:
			from, to := k.TextRange(i)
			s := string(b[from:off]) + string(with) + string(b[off+int64(len(old)):to])
			texts[i] = block.Raw{B: []byte(s)}
		case k.Characters(a.at.Off):
			return nil, fmt.Errorf("the texts of a block end at bounds: change one text at a time, in the table of rows")
		case int64(len(a.with)) != a.at.Len:
			return nil, fmt.Errorf("bytes 0x%x+%d of a block cannot change their size", a.at.Off, a.at.Len)
		default:
			copy(out[a.at.Off:], a.with)
		}
	}
	if len(texts) == 0 {
		return out, nil
	}
	return block.Read(d.sh.codec, out, d.sh.rows).PutTexts(texts)
}

// trim cuts what an edit leaves as it is: the characters that both texts begin and end with.
func trim(off int64, old, with []byte) (int64, []byte, []byte) {
	n := 0
	for n < len(old) && n < len(with) && old[n] == with[n] {
		n++
	}
	for n > 0 && (n < len(old) && !utf8.RuneStart(old[n]) || n < len(with) && !utf8.RuneStart(with[n])) {
		n--
	}
	off, old, with = off+int64(n), old[n:], with[n:]
	n = 0
	for n < len(old) && n < len(with) && old[len(old)-1-n] == with[len(with)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(old[len(old)-n]) {
		n--
	}
	return off, old[:len(old)-n], with[:len(with)-n]
}
