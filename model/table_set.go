package model

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Edits makes the edits for typed cells, except those that have the value already, and for runs of values: by the table's Put or Set, or each
// cell as the field that its bytes are. The error says which cell cannot be set.
func (t *Table) Edits(ctx context.Context, tree *Tree, cells []Typed, runs ...Run) (edits []Edit, err error) {
	if t.Put == nil && len(runs) > 0 {
		cells, runs = t.AsTyped(cells, runs), nil
	}
	rows, left := RowReader{Table: t}, []Typed(nil)
	for _, x := range cells {
		row, err := rows.At(ctx, x.Row)
		if err != nil {
			return nil, err
		}
		one, same, err := t.edit(ctx, tree, &row[x.Column], x)
		if err != nil {
			return nil, fmt.Errorf("row %d, column %q: %w", x.Row, t.Columns[x.Column].Name, err)
		}
		if edits = append(edits, one...); !same {
			left = append(left, x)
		}
	}
	switch {
	case len(runs) > 0:
		return t.Put(ctx, left, runs)
	case t.Set != nil && len(left) > 0:
		return t.Set(ctx, left)
	}
	return edits, nil
}

// edit makes the edits of a cell; none if it has the typed value already, or if the table sets its cells together.
func (t *Table) edit(ctx context.Context, tree *Tree, c *Cell, x Typed) (edits []Edit, same bool, err error) {
	if text, missing := c.Typed(&t.Columns[x.Column]); missing == x.Missing && (text == x.Text || c.String() == x.Text) {
		return nil, true, nil
	}
	switch why := cmp.Or(t.Columns[x.Column].Fixed, c.Fixed, c.Trouble); {
	case why != "":
		return nil, false, errors.New(why)
	case t.Set != nil:
		return nil, false, nil
	case c.Range.Len == 0:
		return nil, false, errors.New("it is computed from other values and is not stored in the file")
	case c.Vector:
		edits, err = tree.setFields(ctx, c, x.Text)
	default:
		edits, err = tree.SetText(ctx, c.Range, x.Text)
	}
	return edits, false, err
}

// OneField returns an error unless bytes are those of one editable field, as far as they have been read.
func OneField(s *Span, at Range) error {
	switch {
	case s == nil || !s.Ready():
	case s.Range != at || s.Shape != Leaf || s.Field.Codec == nil:
		return errors.New("it is one of several values in the same bytes: edit them in the hex pane")
	case s.Field.Fixed != "":
		return errors.New(s.Field.Fixed)
	}
	return nil
}

// SetText makes the edit that gives the field at a range a typed value, or the index of a typed name.
func (t *Tree) SetText(ctx context.Context, at Range, text string) ([]Edit, error) {
	s, err := t.AtOpen(ctx, at.Space, at.Off)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return nil, errors.New("its bytes do not belong to a known field")
	}
	if err = OneField(s, at); err != nil {
		return nil, err
	}
	if s.Field.Choices != nil {
		if i := slices.Index(s.Field.Choices(ctx, t, s), text); i >= 0 {
			return []Edit{SetValue(s, U(uint64(i)))}, nil
		}
	}
	v, err := s.Field.Parse(text)
	if err == nil {
		_, err = s.Field.Codec.Encode(v)
	}
	return []Edit{SetValue(s, v)}, err
}

// setFields makes the edits of a cell whose values are consecutive fields: of those with another value.
func (t *Tree) setFields(ctx context.Context, c *Cell, text string) (edits []Edit, err error) {
	words, n, at := strings.Split(strings.Trim(text, "[] "), ","), len(c.Items), c.Range
	if n == 0 || c.Index != nil || at.Len%int64(n) != 0 {
		return nil, errors.New("it has several values: edit them in the tree or in the hex pane")
	}
	if len(words) != n {
		return nil, fmt.Errorf("the cell has %s: type the same number, separated by commas", Count(int64(n), "values"))
	}
	at.Len /= int64(n)
	for i, was := range c.Items {
		if word := strings.TrimSpace(words[i]); word != was.String() {
			one, err := t.SetText(ctx, at, word)
			if err != nil {
				return nil, err
			}
			edits = append(edits, one...)
		}
		at.Off += at.Len
	}
	return edits, nil
}

// patch is new bytes at an offset in a range.
type patch struct {
	off  int64
	with []byte
}

// stored is elements at a range.
type stored struct {
	*elements
	t  *Tree
	at Range
}

// set makes the edits for typed elements of an array, and for runs of them, in the second column of its table.
func (e stored) set(ctx context.Context, cells []Typed, runs []Run) ([]Edit, error) {
	var list []patch
	for _, c := range cells {
		b, err := e.typed(c)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", c.Row, err)
		}
		list = append(list, patch{c.Row * e.stride, b})
	}
	for i := range runs {
		b, err := e.bytes(&runs[i])
		if err != nil {
			return nil, err
		}
		list = append(list, patch{runs[i].First * e.stride, b})
	}
	return overlaid(ctx, e.t, e.at, list)
}

// overlaid makes the edits that put new bytes into a range. Neighbours become one edit: a column of a million numbers is written as a whole.
func overlaid(ctx context.Context, t *Tree, at Range, list []patch) (edits []Edit, err error) {
	const apart = 64 // bytes that stay, between two that change in one edit
	slices.SortStableFunc(list, func(a, b patch) int { return cmp.Compare(a.off, b.off) })
	for len(list) > 0 {
		from, n := list[0].off, 1
		end := from + int64(len(list[0].with))
		for ; n < len(list) && list[n].off-end <= apart; n++ {
			end = max(end, list[n].off+int64(len(list[n].with)))
		}
		run := list[0].with
		if r := (Range{at.Space, at.Off + from, end - from}); n > 1 {
			if run, err = t.Bytes(ctx, r); err != nil {
				return nil, err
			}
			run = bytes.Clone(run)
			for _, p := range list[:n] {
				copy(run[p.off-from:], p.with)
			}
		}
		edits, list = append(edits, Replace(Range{at.Space, at.Off + from, int64(len(run))}, run)), list[n:]
	}
	return edits, nil
}

// bytes are those of the elements of a run.
func (e *elements) bytes(r *Run) ([]byte, error) {
	switch f := e.field; {
	case r.Column != 1 || r.First < 0 || r.Rows > e.n-r.First:
		return nil, fmt.Errorf("there are no elements %d to %d", r.First, r.First+r.Rows)
	case slices.Contains(r.Null, true):
		return nil, fmt.Errorf("row %d: %w", r.First+int64(slices.Index(r.Null, true)), errMissing)
	case f.Fixed != "":
		return nil, errors.New(f.Fixed)
	case r.Starts != nil:
		return e.texts(r)
	}
	if e.field.Codec.Endian() == "be" {
		b := bytes.Clone(r.Data)
		Swap(b, int(e.stride))
		return b, nil
	}
	return r.Data, nil
}

// texts are the bytes of the elements of a run of texts.
func (e *elements) texts(r *Run) ([]byte, error) {
	kind, out := e.field.Codec.Kind(), make([]byte, 0, r.Rows*e.stride)
	for i := range r.Rows {
		v := S(string(r.Data[r.Starts[i]:r.Starts[i+1]]))
		v.Kind = kind
		b, err := sized(e.field, v)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", r.First+i, err)
		}
		out = append(out, b...)
	}
	return out, nil
}

// typed are the bytes of an element that is given as text.
func (e *elements) typed(c Typed) ([]byte, error) {
	switch {
	case c.Column != 1:
		return nil, errors.New("the position is determined by the order of the elements")
	case c.Row < 0 || c.Row >= e.n:
		return nil, errors.New("there is no such row")
	}
	return e.field.Typed(c)
}

// FillElements is the Fill of a table over an array of consecutive elements, in a document whose links update the count:
// the values of an element are in the columns from first on, and those before them are its position.
func FillElements(array *Span, first int) func(ctx context.Context, rows GivenRows) ([]Edit, error) {
	e, ok := array.kids.(*elements)
	if !ok {
		return nil
	}
	return func(ctx context.Context, rows GivenRows) ([]Edit, error) {
		from, n := rows.From, rows.N
		if from < 0 || n < 0 || from > e.n || n > mostFilled/max(1, e.stride) {
			return nil, fmt.Errorf("%s rows are too many to write at once", Thousands(n))
		}
		data, err := e.encoded(ctx, rows, first)
		if err != nil {
			return nil, err
		}
		at := Range{array.Range.Space, array.Range.Off + from*e.stride, (e.n - from) * e.stride}
		return []Edit{Splice{Range: at, With: Memory(data), Into: array.Path(), Elements: n - (e.n - from)}}, nil
	}
}

// encoded are the bytes of new elements, whose values are in the columns from first on.
func (e *elements) encoded(ctx context.Context, rows GivenRows, first int) ([]byte, error) {
	if e.rec == nil {
		return rows.Bytes(ctx, first, e.field)
	}
	data := make([]byte, rows.N*e.stride)
	for j, f := range e.rec.Fields {
		b, err := rows.Bytes(ctx, first+j, f)
		if err != nil {
			return nil, err
		}
		size := int64(len(b)) / max(1, rows.N)
		for i := range rows.N {
			copy(data[i*e.stride+e.rec.starts[j]:], b[i*size:(i+1)*size])
		}
	}
	return data, nil
}

// mostFilled is how many bytes of new elements are written at once.
const mostFilled = 1 << 30

// Typed are the bytes of a value that is given as text, for a field of fixed length.
func (f *Field) Typed(c Typed) ([]byte, error) {
	switch {
	case c.Missing:
		return nil, errMissing
	case f.Fixed != "":
		return nil, errors.New(f.Fixed)
	}
	v, err := f.Parse(c.Text)
	if err != nil {
		return nil, err
	}
	return sized(f, v)
}

var errMissing = errors.New("values cannot be missing")

// sized are the bytes of a value of a fixed-length field.
func sized(f *Field, v Value) ([]byte, error) {
	b, err := f.Codec.Encode(v)
	if size := f.Codec.Size(); err == nil && len(b) != size {
		err = fmt.Errorf("it needs %d bytes, but elements have %d", len(b), size)
	}
	return b, err
}
