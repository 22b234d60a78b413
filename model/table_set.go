package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// setNumbers makes the edits of what was typed for elements of an array, in the second column of its table. Those that stand close together
// are one edit: a column of a million numbers is written as a whole.
func setNumbers(ctx context.Context, t *Tree, e *elements, at Range, cells []Typed) ([]Edit, error) {
	const apart = 64 // bytes that stay, between two that change in one edit
	cells = slices.Clone(cells)
	slices.SortStableFunc(cells, func(a, b Typed) int { return cmp.Compare(a.Row, b.Row) })
	var edits []Edit
	var run []byte
	var from int64
	flush := func() {
		if len(run) > 0 {
			edits = append(edits, Replace(Range{at.Space, at.Off + from, int64(len(run))}, run))
		}
		run = nil
	}
	for _, c := range cells {
		b, err := e.typed(c)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", c.Row, err)
		}
		off := c.Row * e.stride
		if between := off - from - int64(len(run)); len(run) == 0 || between > apart {
			flush()
			from = off
		} else if between > 0 {
			kept, err := t.Bytes(ctx, Range{at.Space, at.Off + off - between, between})
			if err != nil {
				return nil, err
			}
			run = append(run, kept...)
		}
		run = append(run[:off-from], b...)
	}
	flush()
	return edits, nil
}

// typed are the bytes of an element that is given as text.
func (e *elements) typed(c Typed) ([]byte, error) {
	switch {
	case c.Column != 1:
		return nil, errors.New("the position follows from the place of the element")
	case c.Row < 0 || c.Row >= e.n:
		return nil, errors.New("there is no such row")
	}
	return encoded(e.field, c)
}

// FillElements is the Fill of a table over an array whose elements stand one behind the other, for a document in which what counts them follows:
// the values of an element are in the columns from first on, and those in front say where it stands.
func FillElements(array *Span, first int) func(ctx context.Context, from, n int64, cell func(row int64, column int) Typed) ([]Edit, error) {
	e, ok := array.kids.(*elements)
	if !ok {
		return nil
	}
	fields := []*Field{e.field}
	if e.rec != nil {
		fields = e.rec.Fields
	}
	return func(ctx context.Context, from, n int64, cell func(row int64, column int) Typed) ([]Edit, error) {
		if from < 0 || n < 0 || from > e.n || n > mostFilled/max(1, e.stride) {
			return nil, fmt.Errorf("%s rows are too many to be written at once", Thousands(n))
		}
		data := make([]byte, 0, n*e.stride)
		for row := from; row < from+n; row++ {
			if row%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			for j, f := range fields {
				b, err := encoded(f, cell(row, first+j))
				if err != nil {
					return nil, fmt.Errorf("row %d of those that come, column %q: %w", row-from, f.Name, err)
				}
				data = append(data, b...)
			}
		}
		at := Range{array.Range.Space, array.Range.Off + from*e.stride, (e.n - from) * e.stride}
		return []Edit{Splice{Range: at, With: Memory(data), Into: array.Path(), Elements: n - (e.n - from)}}, nil
	}
}

// mostFilled is how many bytes are written as new elements at once.
const mostFilled = 1 << 30

// encoded are the bytes of a field of fixed length that is given as text.
func encoded(f *Field, c Typed) ([]byte, error) {
	switch {
	case c.Missing:
		return nil, errors.New("a value is never missing")
	case f.Fixed != "":
		return nil, errors.New(f.Fixed)
	}
	v, err := f.Parse(c.Text)
	if err != nil {
		return nil, err
	}
	b, err := f.Codec.Encode(v)
	if size := f.Codec.Size(); err == nil && len(b) != size {
		err = fmt.Errorf("it takes %d bytes, and the elements have %d", len(b), size)
	}
	return b, err
}
