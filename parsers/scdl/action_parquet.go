package scdl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"spandrel/model"
)

// sheet is a Parquet file to be rewritten with changes: with the same columns, types, metadata and compression.
type sheet struct {
	file    *parquet.File
	columns []*parquet.Column
	rows    int64 // as the file has them; so are the rows below numbered
	cells   map[int64]map[int]parquet.Value
	gone    func(row int64) bool // nil: no rows are removed
	more    []parquet.Row
}

// readSheet opens a Parquet file of the archive.
func (a *archive) readSheet(ctx context.Context, name string) (s *sheet, err error) {
	rows, err := a.parquet(ctx, name)
	if err != nil {
		return nil, err
	}
	if rows.Rows > maxGroup {
		return nil, fmt.Errorf("%d rows are too many to rewrite: the limit is %d", rows.Rows, maxGroup)
	}
	r := a.whole(name)
	in := a.t.Reader(ctx, r)
	f, err := openParquet(in, r.Len)
	if err != nil {
		return nil, err
	}
	for g := range f.Metadata().RowGroups {
		for i := range f.Metadata().RowGroups[g].Columns {
			if err := checkPages(in, &f.Metadata().RowGroups[g].Columns[i].MetaData, r.Len); err != nil {
				return nil, err
			}
		}
	}
	return &sheet{file: f, columns: f.Root().Columns(), rows: rows.Rows, cells: map[int64]map[int]parquet.Value{}}, nil
}

// set sets or clears a cell.
func (s *sheet) set(row int64, column int, text string, missing bool) error {
	c := s.columns[column]
	if missing && !c.Optional() {
		return fmt.Errorf("%s: the column has no missing values", c.Name())
	}
	v, err := cell(c, text, missing)
	if err != nil {
		return err
	}
	if s.cells[row] == nil {
		s.cells[row] = map[int]parquet.Value{}
	}
	s.cells[row][c.Index()] = v
	return nil
}

// categories is the text columns with class names, according to the pandas metadata.
func (s *sheet) categories() map[string]bool {
	text, _ := s.file.Lookup("pandas")
	var said struct {
		Columns []struct {
			Name string `json:"field_name"`
			Type string `json:"pandas_type"`
		}
	}
	out := map[string]bool{}
	if json.Unmarshal([]byte(text), &said) == nil {
		for _, c := range said.Columns {
			out[c.Name] = c.Type == "categorical"
		}
	}
	return out
}

// named sets the first text column to a name, and the others to missing.
func (s *sheet) named(name string) func(column int) (text string, missing bool) {
	classes := s.categories()
	at := slices.IndexFunc(s.columns, func(c *parquet.Column) bool {
		_, isText := meaningOf(c).(*format.StringType)
		return c.Leaf() && !c.Repeated() && isText && !classes[c.Name()]
	})
	return func(column int) (string, bool) { return name, name == "" || column != at }
}

// add appends a row with the given values: empty instead of missing in a column that has no missing values.
func (s *sheet) add(given func(column int) (text string, missing bool)) error {
	var row parquet.Row
	for k, c := range s.columns {
		text, missing := given(k)
		if !c.Leaf() || c.Repeated() {
			if !missing {
				return fmt.Errorf("%s: lists are not supported", c.Name())
			}
			for _, leaf := range leavesOf(c) {
				row = append(row, parquet.NullValue().Level(0, 0, leaf.Index()))
			}
			continue
		}
		v, err := cell(c, text, missing)
		if err != nil {
			return err
		}
		row = append(row, v)
	}
	s.more = append(s.more, row)
	return nil
}

// cell is a value of a column, given as text; missing without one, or empty if the column has no missing values.
func cell(c *parquet.Column, text string, missing bool) (parquet.Value, error) {
	switch {
	case missing && c.Optional():
		return parquet.NullValue().Level(0, 0, c.Index()), nil
	case missing && c.Type().Kind() == parquet.FixedLenByteArray:
		return parquet.FixedLenByteArrayValue(make([]byte, c.Type().Length())).Level(0, 0, c.Index()), nil
	case missing:
		return parquet.ZeroValue(c.Type().Kind()).Level(0, 0, c.Index()), nil
	}
	v, err := typedValue(c, text)
	if err != nil {
		return v, fmt.Errorf("%s: %q is not a valid %s", c.Name(), text, columnOf(c).Type)
	}
	return v.Level(0, c.MaxDefinitionLevel(), c.Index()), nil
}

// write makes the bytes of the file.
func (s *sheet) write() (b []byte, err error) {
	defer recovered(&err)
	options := []parquet.WriterOption{s.file.Schema(), parquet.DataPageVersion(1)}
	for _, kv := range s.file.Metadata().KeyValueMetadata {
		options = append(options, parquet.KeyValueMetadata(kv.Key, kv.Value))
	}
	if groups := s.file.Metadata().RowGroups; len(groups) > 0 {
		options = append(options, parquet.MaxRowsPerRowGroup(max(1, groups[0].NumRows)))
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[any](&out, options...)
	at := int64(0)
	for _, g := range s.file.RowGroups() {
		if err := s.copy(w, g, &at); err != nil {
			return nil, err
		}
	}
	if at != s.rows {
		return nil, fmt.Errorf("it has %d rows instead of %d", at, s.rows)
	}
	if _, err := w.WriteRows(s.more); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), s.same(out.Bytes())
}

// copy writes the rows of a group with the requested changes. at is the number of the next row.
func (s *sheet) copy(w *parquet.GenericWriter[any], g parquet.RowGroup, at *int64) error {
	rows := g.Rows()
	defer rows.Close()
	buf := make([]parquet.Row, 64)
	for {
		n, err := rows.ReadRows(buf)
		for _, r := range buf[:n] {
			row := *at
			if *at++; s.gone != nil && s.gone(row) {
				continue
			}
			if _, err := w.WriteRows([]parquet.Row{s.changed(r, row)}); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// changed applies the new cells to a row.
func (s *sheet) changed(r parquet.Row, row int64) parquet.Row {
	for i, v := range r {
		if with, ok := s.cells[row][v.Column()]; ok {
			r[i] = with
		}
	}
	return r
}

// same is an error if the rewritten file has other columns than the file had, because the library does not know every type.
func (s *sheet) same(b []byte) error {
	f, err := openParquet(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	was, is := s.file.Metadata().Schema, f.Metadata().Schema
	if len(was) != len(is) {
		return errors.New("its columns cannot be rewritten unchanged")
	}
	for i := range was {
		x, y := was[i], is[i]
		if i > 0 && (x.Name != y.Name || x.RepetitionType != y.RepetitionType) || x.Type != y.Type ||
			x.Type.V == format.FixedLenByteArray && x.TypeLength != y.TypeLength ||
			x.LogicalType.Value != nil && !reflect.DeepEqual(x.LogicalType, y.LogicalType) {
			return fmt.Errorf("column %s cannot be rewritten unchanged", x.Name)
		}
	}
	return nil
}

// rewrite changes a Parquet file of the archive.
func (a *archive) rewrite(ctx context.Context, name string, change func(*sheet) error) (model.Edit, error) {
	s, err := a.readSheet(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := change(s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	b, err := s.write()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return model.FileEdit{File: a.name(name), Create: model.Memory(b)}, nil
}
