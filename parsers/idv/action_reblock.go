package idv

import (
	"context"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// maxValues is how many values of a stream can be rearranged at once.
const maxValues = 1 << 24

// reblocked rewrites a stream with its rows rearranged: arrange gets the values of a column and returns the new ones.
func (s contents) reblocked(rpb int64, arrange func(c *column, rows []block.Raw) ([]block.Raw, error)) ([]model.Edit, error) {
	if s.stream.rows < 0 || s.stream.rows*int64(len(s.stream.cols)) > maxValues {
		return nil, fmt.Errorf("%d rows of %d columns are too many to rearrange at once", s.stream.rows, len(s.stream.cols))
	}
	if s.stream.salvage || len(s.stream.cols) != int(max(0, s.stream.columnCount)) || s.stream.layout != 6 || s.stream.tail < headerSize || s.stream.tail > s.stream.size-8 {
		return nil, s.stream.damagedTOC()
	}
	head, err := s.t.Bytes(s.ctx, model.Range{Space: s.stream.space, Off: s.stream.base, Len: headerSize})
	if err != nil {
		return nil, err
	}
	f := &file{version: s.stream.version, compatible: s.stream.compatible, rpb: rpb, dead: slices.Clone(head[52:])}
	for _, c := range s.stream.cols {
		column, rows, err := reblockedColumn(s, c, rpb, arrange)
		if err != nil {
			return nil, err
		}
		f.rows = rows
		f.columns = append(f.columns, column)
	}
	return []model.Edit{model.Splice{Range: model.Range{Space: s.stream.space, Off: s.stream.base, Len: s.stream.tail + 8}, With: f.write(),
		Into: s.stream.root.Path()}}, nil
}

// reblockedColumn is a column with its values rearranged, in blocks of rpb rows, and its new number of rows.
func reblockedColumn(s contents, c *column, rpb int64, arrange func(c *column, rows []block.Raw) ([]block.Raw, error)) (out fileColumn, rows int64, err error) {
	if !c.readable() {
		return out, 0, fmt.Errorf("the rows of column %q cannot be read, so they cannot be rearranged", c.name.s)
	}
	if c.unread {
		return out, 0, c.losesMetadata()
	}
	if out, err = s.keepColumn(c); err != nil {
		return out, 0, err
	}
	if len(out.metadata) != len(c.entries) {
		return out, 0, fmt.Errorf("some metadata of column %q is damaged: repair or remove it first", c.name.s)
	}
	all, err := valuesOf(s, c)
	if err != nil {
		return out, 0, err
	}
	if n := int64(len(all)); n != s.stream.rows {
		return out, 0, fmt.Errorf("of column %q, %d of %d rows can be read, so they cannot be rearranged", c.name.s, n, s.stream.rows)
	}
	if all, err = arrange(c, all); err != nil {
		return out, 0, err
	}
	out.blocks, err = blocksOf(c, all, rpb)
	return out, int64(len(all)), err
}

// valuesOf are the values of a column.
func valuesOf(s contents, c *column) (all []block.Raw, err error) {
	for k := range c.blocks {
		b, err := s.decoded(c, k)
		if err != nil {
			return nil, err
		}
		n := s.stream.rowsOf(c, k)
		some, err := block.Read(c.codec, b, n).Raws(0, n)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.name.s, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// blocksOf stores values of a column in blocks of rpb rows.
func blocksOf(c *column, all []block.Raw, rpb int64) (out []fileBlock, err error) {
	for part := range slices.Chunk(all, int(rpb)) {
		b, err := block.Encode(c.codec, part)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.name.s, err)
		}
		stored, err := compress(c.compression, b)
		if err != nil {
			return nil, err
		}
		out = append(out, fileBlock{model.Memory(stored), int64(len(b))})
	}
	return out, nil
}

// blockRows is the number of rows per block of a stream, which all columns share.
func (s *stream) blockRows() int64 {
	if len(s.cols) > 0 {
		return max(1, s.cols[0].rpb)
	}
	return 1
}

// blockRowsFor is the number of rows per block for a stream of n rows: the present one, unless the blocks become so small that each costs more
// than its rows.
func blockRowsFor(s *stream, n int64) int64 {
	const many, usual = 256, 1000
	switch rpb := s.blockRows(); {
	case s.rows == 0:
		return min(n, usual)
	case rpb < usual && n > rpb*many:
		return usual
	default:
		return rpb
	}
}

// fillRows replaces the rows of a stream from one on by n rows, given as typed text.
func fillRows(s contents, cols []*column, from, n int64, cell func(row int64, column int) model.Typed) ([]model.Edit, error) {
	if from < 0 || n < 0 || from > s.stream.rows || (from+n)*int64(len(s.stream.cols)) > maxValues {
		return nil, fmt.Errorf("%d rows of %d columns are too many to write at once", from+n, len(s.stream.cols))
	}
	return s.reblocked(blockRowsFor(s.stream, max(1, from+n)), func(c *column, rows []block.Raw) ([]block.Raw, error) {
		at := slices.Index(cols, c)
		if s.load(c); at < 0 {
			return nil, fmt.Errorf("column %q is not in the table", c.name.s)
		}
		rows = rows[:from]
		for i := range n {
			x := cell(from+i, at)
			v, err := c.codec.Parse(x.Text, x.Missing, c.labels, block.Raw{})
			if err != nil {
				return nil, fmt.Errorf("row %d of the new rows, column %q: %w", i, c.name.s, err)
			}
			rows = append(rows, v)
		}
		return rows, nil
	})
}

// dropRows takes rows out, wherever they are.
func dropRows(ctx context.Context, t *model.Tree, span *model.Span, args map[string]string) ([]model.Edit, error) {
	s := streamOf(t, span)
	first, err := number(args["first"], 0, s.rows-1)
	if err != nil {
		return nil, err
	}
	n, err := number(args["count"], 1, s.rows-first)
	if err != nil {
		return nil, err
	}
	return s.in(ctx, t).reblocked(s.blockRows(), func(_ *column, rows []block.Raw) ([]block.Raw, error) {
		return slices.Delete(rows, int(first), int(first+n)), nil
	})
}

// addRows appends rows of 0, false, empty or missing, to be filled in in the table.
func addRows(ctx context.Context, t *model.Tree, span *model.Span, args map[string]string) ([]model.Edit, error) {
	s := streamOf(t, span)
	n, err := number(args["count"], 1, 1<<20)
	if err != nil {
		return nil, err
	}
	if len(s.cols) == 0 {
		return nil, fmt.Errorf("there are no columns")
	}
	return s.in(ctx, t).reblocked(blockRowsFor(s, s.rows+n), func(c *column, rows []block.Raw) ([]block.Raw, error) {
		for range n {
			rows = append(rows, c.codec.Empty())
		}
		return rows, nil
	})
}

// setBlockRows divides the rows into blocks of another size.
func setBlockRows(ctx context.Context, t *model.Tree, span *model.Span, args map[string]string) ([]model.Edit, error) {
	rpb, err := number(args["rows"], 1, 1<<31-1)
	if err != nil {
		return nil, err
	}
	return streamOf(t, span).in(ctx, t).reblocked(rpb, func(_ *column, rows []block.Raw) ([]block.Raw, error) { return rows, nil })
}
