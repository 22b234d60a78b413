package idv

import (
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/inflate"
)

// What the diagnosis of damage builds on: how long a file should be, and every number that more than one place states.

var magics = []model.Magic{{Bytes: "CML\x00DVB\x00"}}

// extents says how long the file should be: the end mark stands where the header puts it.
func extents(_ context.Context, t *model.Tree) (out []model.Extent) {
	for _, s := range stateOf(t).all() {
		if s.space != t.Root.Range.Space || s.base != 0 || s.salvage || s.tail < headerSize || s.columnCount > 0 && s.toc >= s.tail {
			continue
		}
		out = append(out, model.Extent{Size: s.tail + 8, By: s.headerSpan(tailOffset), Says: "the header says"})
	}
	return out
}

// headerSpan is a field of the header, or nil.
func (s *stream) headerSpan(f *model.Field) *model.Span {
	if s.root == nil {
		return nil
	}
	if h := s.root.Get(headerField.Name); h != nil {
		return h.Get(f.Name)
	}
	return nil
}

// maxWitnesses is how many columns say how many rows there are.
const maxWitnesses = 64

// quantities are the numbers that several places state: rows by the header and the blocks of each column, rows per block by each
// column, columns by the header and the directory.
func quantities(ctx context.Context, t *model.Tree) (out []model.Quantity) {
	for _, s := range stateOf(t).all() {
		if s.salvage || s.headerSpan(rowCount) == nil || ctx.Err() != nil {
			continue
		}
		rows := model.Quantity{Name: "rows", Witnesses: []model.Witness{{Text: "the header", Value: model.I(s.rows), Field: s.headerSpan(rowCount)}}}
		for _, c := range s.cols[:min(len(s.cols), maxWitnesses)] {
			if n, err := s.columnRows(ctx, t, c); err == nil {
				rows.Witnesses = append(rows.Witnesses, model.Witness{Text: fmt.Sprintf("the blocks of column %q", c.name.s), Value: model.I(n)})
			}
		}
		if len(rows.Witnesses) > 1 {
			out = append(out, rows)
		}
		if n := s.countColumns(peeker(ctx, t, s.space), s.toc); n > 0 {
			out = append(out, model.Quantity{Name: "columns", Witnesses: []model.Witness{
				{Text: "the header", Value: model.I(s.columnCount), Field: s.headerSpan(columnCount)},
				{Text: "the directory, whose entries end at the end mark", Value: model.I(n)}}})
		}
	}
	return out
}

// columnRows is how many rows the blocks of a column hold: those of all blocks but the last are full.
func (s *stream) columnRows(ctx context.Context, t *model.Tree, c *column) (int64, error) {
	if !c.readable() || c.rpb <= 0 {
		return 0, fmt.Errorf("column %q cannot be read", c.name.s)
	}
	n := (s.tableEnd(c) - c.lookup) / 16
	if n <= 0 || n > 1<<31-1 {
		return 0, fmt.Errorf("column %q has no table of blocks", c.name.s)
	}
	last := s.ownRows(ctx, t, c, n-1)
	if last <= 0 || last > c.rpb || n > 1 && s.ownRows(ctx, t, c, 0) != c.rpb {
		return 0, fmt.Errorf("the blocks of column %q do not tell how many rows they have", c.name.s)
	}
	return (n-1)*c.rpb + last, nil
}

// agreedRows is the number of rows that the blocks of all columns that tell it agree on.
func (s *stream) agreedRows(ctx context.Context, t *model.Tree) (rows int64, err error) {
	for _, c := range s.cols[:min(len(s.cols), maxWitnesses)] {
		n, err := s.columnRows(ctx, t, c)
		switch {
		case err != nil:
		case rows > 0 && n != rows:
			return 0, fmt.Errorf("the blocks of some columns hold %d rows, those of others %d", rows, n)
		default:
			rows = n
		}
	}
	if rows == 0 {
		return 0, fmt.Errorf("no column tells how many rows there are")
	}
	return rows, nil
}

// ownRows is how many rows the k-th block of a column says, or seems, to hold; 0 when that cannot be told. It inflates no more than
// the beginning of the block.
func (s *stream) ownRows(ctx context.Context, t *model.Tree, c *column, k int64) int64 {
	if at := c.lookup + 16*k; k > 1<<31 || at < headerSize || at > s.tableEnd(c)-16 {
		return 0
	}
	peek := peeker(ctx, t, s.space)
	e := peek(s.base+c.lookup+16*k, 16)
	if len(e) < 16 {
		return 0
	}
	b := decodeEntry(e, c.index, k)
	if b.off < headerSize || b.n <= 0 || b.end() > s.bound || b.dec <= 0 {
		return 0
	}
	switch base := c.codec.Base(); {
	case base == block.Text || base == block.Vector:
		in := peek(s.base+b.off, min(int64(b.n), 64<<10))
		if c.compression == 1 {
			in = inflate.Front(inflate.Raw, in, 4)
		}
		if len(in) < 4 {
			return 0
		}
		return int64(int32(binary.LittleEndian.Uint32(in)))
	case base == block.DateZone && b.dec%10 == 0:
		return int64(b.dec) / 10
	case base.Width() > 0 && int64(b.dec)%base.Width() == 0:
		return int64(b.dec) / base.Width()
	}
	return 0
}
