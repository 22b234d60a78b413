package idv

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// fixed says why the cells of a column cannot be edited.
func (s *stream) fixed(c *column) string {
	switch {
	case c.cut:
		return "the table of blocks of this column is damaged: repair it first"
	case len(s.cols) != int(s.columnCount) || s.tocSpan == nil:
		return "the column directory is damaged: repair it first"
	}
	return ""
}

// setCells makes the edits that give cells what somebody typed. Each block is encoded anew once.
func (s *stream) setCells(ctx context.Context, t *model.Tree, cols []*column, typed []model.Typed) ([]model.Edit, error) {
	type key struct {
		col *column
		k   int64
	}
	var order []key
	blocks, set := map[key]*block.Block{}, map[key]map[int64]block.Raw{}
	for _, x := range typed {
		if x.Column < 0 || x.Column >= len(cols) {
			return nil, fmt.Errorf("there is no column %d", x.Column)
		}
		c := cols[x.Column]
		if c.rpb <= 0 || x.Row < 0 || x.Row >= s.rows {
			return nil, fmt.Errorf("there is no row %d", x.Row)
		}
		if why := s.fixed(c); why != "" {
			return nil, fmt.Errorf("column %q: %s", c.name.s, why)
		}
		at := key{c, x.Row / c.rpb}
		if blocks[at] == nil {
			b, err := s.decoded(ctx, t, c, at.k)
			if err != nil {
				return nil, err
			}
			blocks[at], set[at] = block.Read(c.codec, b, s.rowsOf(c, at.k)), map[int64]block.Raw{}
			order = append(order, at)
		}
		i := x.Row - at.k*c.rpb
		old, err := blocks[at].Raws(i, i+1)
		if err != nil {
			return nil, fmt.Errorf("row %d of column %q: %w", x.Row, c.name.s, err)
		}
		s.load(ctx, t, c)
		v, err := c.codec.Parse(x.Text, x.Missing, c.labels, old[0])
		if err != nil {
			return nil, fmt.Errorf("row %d of column %q: %w", x.Row, c.name.s, err)
		}
		set[at][i] = v
	}
	ch := s.change(ctx, t)
	var edits []model.Edit
	for _, at := range order {
		b, err := blocks[at].Put(set[at])
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", at.col.name.s, err)
		}
		e, ok := s.entryOf(ctx, t, at.col, at.k)
		if !ok {
			return nil, fmt.Errorf("the table of blocks of column %q is damaged", at.col.name.s)
		}
		more, err := (&derivedBlock{s, s.shape(e)}).store(b, func(*stream) *rewriting { return ch })
		if err != nil {
			return nil, err
		}
		edits = append(edits, more...)
	}
	if len(ch.fresh) == 0 {
		return edits, nil
	}
	ch.beside = len(edits) > 0
	more, err := ch.edits()
	return append(edits, more...), err
}

// entryOf reads the lookup entry of block k of a column.
func (s *stream) entryOf(ctx context.Context, t *model.Tree, c *column, k int64) (extent, bool) {
	if k < 0 || k >= c.blocks {
		return extent{}, false
	}
	b, err := t.Bytes(ctx, model.Range{Space: s.space, Off: s.base + c.lookup + 16*k, Len: 16})
	if err != nil || len(b) < 16 {
		return extent{}, false
	}
	return decodeEntry(b, c.index, k), true
}
