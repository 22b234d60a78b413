package idv

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/inflate"
)

// contents reads the content of a stream beyond its directories: tables of blocks, blocks, names.
type contents struct {
	ctx    context.Context
	t      *model.Tree
	stream *stream
	work   *atomic.Int64 // decoded bytes of blocks so far
}

// in is the stream as seen by a reader.
func (s *stream) in(ctx context.Context, t *model.Tree) contents {
	return contents{ctx, t, s, new(atomic.Int64)}
}

// affords tells whether a block may be decoded, and counts it: blocks that share bytes may decode to more than a file of this size could
// contain, and a sequential reader stops there.
func (s contents) affords(sh *shape) bool {
	return s.work.Add(min(max(sh.declared, sh.at.Len), model.DeflateRatio*sh.at.Len)) <= model.DeflateRatio*max(s.stream.size, 1<<20)
}

func (s contents) peek(off, n int64) []byte { return s.t.Peek(s.ctx, s.stream.space)(off, n) }

// entryOf reads the lookup entry of block k of a column.
func (s contents) entryOf(c *column, k int64) (extent, bool) {
	if k < 0 || k >= c.blocks {
		return extent{}, false
	}
	e, err := s.entry(c, k)
	return e, err == nil
}

// entry is entryOf for any place where the table, or what follows it, has bytes.
func (s contents) entry(c *column, k int64) (extent, error) {
	if c.listed != nil {
		if k >= int64(len(c.listed)) {
			return extent{}, fmt.Errorf("its block is no longer in the file")
		}
		return c.listed[k], nil
	}
	b, err := s.t.Bytes(s.ctx, model.Range{Space: s.stream.space, Off: s.stream.base + c.lookup + 16*k, Len: 16})
	if err == nil && len(b) < 16 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return extent{}, err
	}
	return decodeEntry(b, c.index, k), nil
}

// decoded returns the decoded bytes of block k of a column; an error if they do not match the lookup table.
func (s contents) decoded(col *column, k int64) ([]byte, error) {
	b, err := s.entry(col, k)
	if err != nil {
		return nil, err
	}
	if b.n < 0 || b.off < headerSize || b.off > s.stream.size || int64(b.n) > s.stream.size-b.off {
		return nil, fmt.Errorf("%s is outside the stream", s.stream.blockName(b))
	}
	sh := s.stream.shape(b)
	in, err := s.t.Bytes(s.ctx, sh.at)
	if err != nil {
		return nil, err
	}
	out, how := sh.decode(s.ctx, in, nil)
	if sh.compression == 1 && sh.over() {
		return nil, fmt.Errorf("%s: %w", s.stream.blockName(b), errBudget)
	}
	if how.Err != nil || how.More || int64(len(out)) != sh.declared {
		return nil, fmt.Errorf("%s is damaged: repair it first", s.stream.blockName(b))
	}
	return out, nil
}

// try decodes the bytes at the place of a block: b are the values, n how many bytes they take, and ok tells whether they are a valid
// block.
func (s contents) try(sh shape) (b []byte, n int64, ok bool) {
	if sh.at.Len <= 0 || sh.over() || !sh.codec.Readable() {
		return nil, 0, false
	}
	in, err := s.t.Bytes(s.ctx, sh.at)
	if err != nil || int64(len(in)) < sh.at.Len {
		return nil, 0, false
	}
	if sh.compression != 1 {
		if sh.declared >= 0 {
			in = in[:min(sh.declared, sh.at.Len)]
		}
		return in, int64(len(in)), sh.declared <= sh.at.Len && block.Fits(sh.codec, in, sh.rows)
	}
	b, how := sh.decode(s.ctx, in, nil)
	whole := how.Err == nil && !how.More && (sh.declared < 0 || int64(len(b)) == sh.declared)
	return b, sh.at.Len - how.Spare, whole && block.Fits(sh.codec, b, sh.rows)
}

// metaCell decodes the value of a metadata kind of a column.
func (s contents) metaCell(c *column, kind string) (model.Cell, bool) {
	for _, m := range c.entries {
		if m.kind.s != kind || !m.readable() || m.n <= 0 || m.n > maxNames {
			continue
		}
		_, b, how, err := s.metaValue(c, m)
		if err != nil && how.Err == nil {
			continue
		}
		cell := block.Read(m.codec, b, 1).Cell(0)
		return cell, cell.Trouble == ""
	}
	return model.Cell{}, false
}

// metaValue is the value of a metadata entry, stored and decoded; for a damaged one, what precedes the damage.
func (s contents) metaValue(c *column, m *metadata) (stored, b []byte, how inflate.Outcome, err error) {
	sh := s.stream.metaShape(c, m)
	if stored, err = s.t.Bytes(s.ctx, sh.at); err != nil {
		return nil, nil, how, err
	}
	if b, how = sh.decode(s.ctx, stored, nil); how.Err == errFramed {
		how.Err = nil // it is the whole value
	}
	return stored, b, how, how.Err
}

// load reads the names that belong to a column once.
func (s contents) load(c *column) {
	c.once.Do(func() {
		if cell, ok := s.metaCell(c, "KeyValues"); ok {
			c.labels = namesOf(cell)
		}
		if cell, ok := s.metaCell(c, "SlotNames"); ok {
			c.slotsN = namesOf(cell)
		}
	})
}

// slots returns the names of a vector column's positions.
func (s contents) slots(c *column) []string {
	s.load(c)
	return c.slotsN
}

// keyLabel returns the name of a raw key.
func (s contents) keyLabel(c *column, v uint64) string {
	s.load(c)
	return block.Names(c.labels).Of(v)
}

func (c *column) keyNote(ctx context.Context, t *model.Tree, span *model.Span) string {
	v, err := t.Value(ctx, span)
	if err != nil {
		return ""
	}
	for _, s := range stateOf(t).all() {
		if c.index < len(s.cols) && s.cols[c.index] == c {
			return s.in(ctx, t).keyLabel(c, v.Uint())
		}
	}
	return ""
}

// names spreads a vector of names over its positions.
func namesOf(cell model.Cell) []string {
	if !cell.Vector || cell.Len > maxTyped {
		return nil
	}
	out := make([]string, cell.Len)
	for i, v := range cell.Items {
		j := int64(i)
		if cell.Index != nil {
			j = cell.Index[i]
		}
		if j >= 0 && j < cell.Len {
			out[j] = v.String()
		}
	}
	return out
}

// maxTyped is how many names of keys or slots are processed at once.
const maxTyped = 1 << 20

// maxNames is how many stored bytes of key values or slot names are read.
const maxNames = 64 << 20

// leafAt is the field that starts at an offset of the space, or nil.
func (s contents) leafAt(off int64) *model.Span {
	span, err := s.t.AtOpen(s.ctx, s.stream.space, off)
	if err != nil || span == nil || span.Shape != model.Leaf || span.Range.Off != off || span.Field.Codec == nil {
		return nil
	}
	return span
}
