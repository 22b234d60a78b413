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
	case c.Missing:
		return nil, errors.New("a number is never missing")
	case e.field.Fixed != "":
		return nil, errors.New(e.field.Fixed)
	}
	v, err := e.field.Parse(c.Text)
	if err != nil {
		return nil, err
	}
	b, err := e.field.Codec.Encode(v)
	if err == nil && int64(len(b)) != e.stride {
		err = fmt.Errorf("it takes %d bytes, and the elements have %d", len(b), e.stride)
	}
	return b, err
}
