package idv

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/model/parallel"
	"spandrel/parsers/idv/block"
)

// maxValues is how many values of a stream can be rearranged at once.
const maxValues = 1 << 24

// reblocked rewrites a stream with its rows rearranged: arrange gets the values of a column and returns the new ones.
func (s contents) reblocked(rpb int64, arrange func(c *column, rows []block.Raw) ([]block.Raw, error)) ([]model.Edit, error) {
	if s.stream.rows < 0 || s.stream.rows*int64(len(s.stream.cols)) > maxValues {
		return nil, fmt.Errorf("%d rows of %d columns are too many to rearrange at once", s.stream.rows, len(s.stream.cols))
	}
	return withBlocks(s, rpb, func(c *column) (out []fileBlock, rows int64, err error) {
		all, err := valuesOf(s, c, 0, s.stream.rows)
		if err != nil {
			return nil, 0, err
		}
		if n := int64(len(all)); n != s.stream.rows {
			return nil, 0, fmt.Errorf("of column %q, %d of %d rows can be read, so they cannot be rearranged", c.name.s, n, s.stream.rows)
		}
		if all, err = arrange(c, all); err != nil {
			return nil, 0, err
		}
		out, err = blocksOf(c, all, rpb)
		return out, int64(len(all)), err
	})
}

// withBlocks writes a stream with other blocks, of rpb rows each, and another number of rows.
func withBlocks(s contents, rpb int64, blocks func(c *column) (out []fileBlock, rows int64, err error)) ([]model.Edit, error) {
	if s.stream.salvage || len(s.stream.cols) != int(max(0, s.stream.columnCount)) || s.stream.layout != 6 || s.stream.tail < headerSize || s.stream.tail > s.stream.size-8 {
		return nil, s.stream.damagedTOC()
	}
	head, err := s.t.Bytes(s.ctx, model.Range{Space: s.stream.space, Off: s.stream.base, Len: headerSize})
	if err != nil {
		return nil, err
	}
	f := &file{version: s.stream.version, compatible: s.stream.compatible, rpb: rpb, dead: slices.Clone(head[52:])}
	for _, c := range s.stream.cols {
		column, err := keptColumn(s, c)
		if err != nil {
			return nil, err
		}
		if column.blocks, f.rows, err = blocks(c); err != nil {
			return nil, err
		}
		f.columns = append(f.columns, column)
	}
	return []model.Edit{model.Splice{Range: model.Range{Space: s.stream.space, Off: s.stream.base, Len: s.stream.tail + 8}, With: f.write(),
		Into: s.stream.root.Path()}}, nil
}

// keptColumn is a column with its metadata, and without blocks.
func keptColumn(s contents, c *column) (out fileColumn, err error) {
	if !c.readable() {
		return out, fmt.Errorf("the rows of column %q cannot be read, so they cannot be rearranged", c.name.s)
	}
	if c.unread {
		return out, c.losesMetadata()
	}
	if out, err = s.keepColumn(c); err != nil {
		return out, err
	}
	if len(out.metadata) != len(c.entries) {
		return out, fmt.Errorf("some metadata of column %q is damaged: repair or remove it first", c.name.s)
	}
	return out, nil
}

// valuesOf are the values of a column from a block on, up to a row, or as many as there are.
func valuesOf(s contents, c *column, from, end int64) (all []block.Raw, err error) {
	for k := from; k < c.blocks && k*c.rpb < end; k++ {
		b, err := s.decoded(c, k)
		if err != nil {
			return nil, err
		}
		n := s.stream.rowsOf(c, k)
		some, err := block.Read(c.codec, b, n).Raws(0, min(n, end-k*c.rpb))
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.name.s, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// blocksOf stores values of a column in blocks of rpb rows.
func blocksOf(c *column, all []block.Raw, rpb int64) ([]fileBlock, error) {
	var parts [][]byte
	for part := range slices.Chunk(all, int(rpb)) {
		b, err := block.Encode(c.codec, part)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.name.s, err)
		}
		parts = append(parts, b)
	}
	return compressed(c, parts)
}

// compressed are blocks of a column as they are stored, compressed on all cores.
func compressed(c *column, parts [][]byte) ([]fileBlock, error) {
	out, failed := make([]fileBlock, len(parts)), make([]error, len(parts))
	parallel.Each(len(parts), func(k int) {
		var b []byte
		b, failed[k] = compress(c.compression, parts[k])
		out[k], parts[k] = fileBlock{model.Memory(b), int64(len(parts[k]))}, nil
	})
	return out, cmp.Or(failed...)
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

// fillRows replaces the rows of a stream from one on by others. Blocks before them stay as they are.
func fillRows(s contents, cols []*column, given model.GivenRows) ([]model.Edit, error) {
	from, n := given.From, given.N
	rpb, stay := blockRowsFor(s.stream, max(1, from+n)), int64(0)
	if !slices.ContainsFunc(s.stream.cols, func(c *column) bool { return c.rpb != rpb }) {
		stay = from / rpb
	}
	if from < 0 || n < 0 || from > s.stream.rows || n > maxValues || from-stay*rpb > maxValues {
		return nil, fmt.Errorf("%s rows are too many to write at once", model.Thousands(from-stay*rpb+n))
	}
	return withBlocks(s, rpb, func(c *column) (out []fileBlock, rows int64, err error) {
		at := slices.Index(cols, c)
		if s.load(c); at < 0 {
			return nil, 0, fmt.Errorf("column %q is not in the table", c.name.s)
		}
		old, err := valuesOf(s, c, stay, from)
		if err != nil {
			return nil, 0, err
		}
		if stay*rpb+int64(len(old)) < from {
			return nil, 0, fmt.Errorf("not all rows of column %q can be read, so they cannot be written again", c.name.s)
		}
		if out, err = keptBlocks(s, c, stay); err != nil {
			return nil, 0, err
		}
		parts, err := newParts(c, at, rpb, old, given)
		if err != nil {
			return nil, 0, err
		}
		more, err := compressed(c, parts)
		return append(out, more...), from + n, err
	})
}

// keptBlocks are the first blocks of a column as they are stored.
func keptBlocks(s contents, c *column, n int64) (out []fileBlock, err error) {
	for k := range n {
		e, ok := s.entryOf(c, k)
		if !ok {
			return nil, fmt.Errorf("the table of blocks of column %q is damaged", c.name.s)
		}
		out = append(out, fileBlock{s.t.Slice(s.ctx, s.stream.rangeOf(e)), int64(e.dec)})
	}
	return out, nil
}

// newParts are blocks of old rows and new ones. Those of new numbers and texts only are made of columns.
func newParts(c *column, at int, rpb int64, old []block.Raw, given model.GivenRows) (parts [][]byte, err error) {
	batch := given.Column(at)
	if batch != nil && !c.codec.Takes(batch) {
		batch = nil
	}
	kept := int64(len(old))
	for first := int64(0); first < kept+given.N; first += rpb {
		to := min(first+rpb, kept+given.N)
		if batch != nil && first >= kept {
			parts = append(parts, c.codec.EncodeBatch(batch, first-kept, to-kept))
			continue
		}
		values := slices.Clone(old[min(first, kept):min(to, kept)])
		for i := max(first, kept) - kept; i < to-kept; i++ {
			x := given.Cell(given.From+i, at)
			v, err := c.codec.Parse(x.Text, x.Missing, c.labels, block.Raw{})
			if err != nil {
				return nil, fmt.Errorf("row %d of the new rows, column %q: %w", i, c.name.s, err)
			}
			values = append(values, v)
		}
		b, err := block.Encode(c.codec, values)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.name.s, err)
		}
		parts = append(parts, b)
	}
	return parts, nil
}

// cutRows keeps the first rows of a stream. At the border of blocks only the header changes.
func cutRows(ctx context.Context, t *model.Tree, span *model.Span, args map[string]string) ([]model.Edit, error) {
	s := streamOf(t, span).in(ctx, t)
	rows, err := number(args["rows"], 0, max(0, s.stream.rows))
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(s.stream.cols, func(c *column) bool { return c.rpb > 0 && rows%c.rpb != 0 && rows != s.stream.rows }) {
		return s.setField(rowsAt, rows), nil
	}
	return fillRows(s, s.stream.cols, model.GivenRows{From: rows})
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
