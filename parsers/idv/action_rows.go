package idv

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// cutRows keeps the first rows of a stream. At the border of blocks only the header changes; inside a block, the last block
// of every column is encoded again.
func cutRows(ctx context.Context, t *model.Tree, span *model.Span, args map[string]string) ([]model.Edit, error) {
	s := streamOf(t, span)
	if s == nil {
		return nil, fmt.Errorf("%s is not a stream", span.Path())
	}
	rows, err := number(args["rows"], 0, max(0, s.rows))
	if err != nil {
		return nil, err
	}
	c := s.in(ctx, t).change()
	c.rows = &rows
	whole := true
	for _, col := range s.cols {
		if col.rpb <= 0 || rows%col.rpb == 0 || rows == s.rows {
			continue
		}
		whole = false
		if !col.readable() {
			return nil, fmt.Errorf("the blocks of column %q cannot be split: keep a multiple of %d rows", col.name.s, col.rpb)
		}
		k := rows / col.rpb
		b, err := s.in(ctx, t).decoded(col, k)
		if err != nil {
			return nil, err
		}
		cut, err := cutBlock(col.codec, b, s.rowsOf(col, k), rows-k*col.rpb)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", col.name.s, err)
		}
		stored, err := compress(col.compression, cut)
		if err != nil {
			return nil, err
		}
		c.block(col.index, k, stored, len(cut))
	}
	if whole {
		return s.in(ctx, t).setField(rowsAt, rows), nil
	}
	return c.edits()
}

// cutBlock keeps the first values of a decoded block of n.
func cutBlock(c *block.Codec, b []byte, n, keep int64) ([]byte, error) {
	values, err := block.Read(c, b, n).Raws(0, keep)
	if err != nil {
		return nil, err
	}
	return block.Encode(c, values)
}
