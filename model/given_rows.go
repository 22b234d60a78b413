package model

import (
	"context"
	"fmt"
)

// GivenRows are rows for the end of a table: N of them, from one on.
type GivenRows struct {
	From, N int64
	// Cell is a cell as someone would type it, by the row of the table.
	Cell func(row int64, column int) Typed
	// Batch is a column of single values, as the batches of the column have them; nil, or nil for a column: its cells must be asked for.
	Batch func(column int) *Batch
}

// Column is a column as a batch; nil if its cells must be asked for.
func (r GivenRows) Column(column int) *Batch {
	if r.Batch == nil || r.N == 0 {
		return nil
	}
	return r.Batch(column)
}

// Bytes are the values of a column as a field of fixed length stores them.
func (r GivenRows) Bytes(ctx context.Context, column int, f *Field) ([]byte, error) {
	if b, c := r.Column(column), f.Codec; b != nil && b.Null == nil && b.Starts == nil && f.Fixed == "" && c.Endian() != "be" &&
		c.Size() > 0 && WidthOf(c.Type()) == c.Size() {
		return b.Data, nil
	}
	var out []byte
	for row := int64(0); row < r.N && ctx.Err() == nil; row++ {
		b, err := f.Typed(r.Cell(r.From+row, column))
		if err != nil {
			return nil, fmt.Errorf("row %d of the new rows, column %q: %w", row, f.Name, err)
		}
		out = append(out, b...)
	}
	return out, ctx.Err()
}
