package scdl

import (
	"bytes"
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"spandrel/model"
)

// sheet is a Parquet file in memory, to be changed and written again: the same columns, types and metadata, compressed as before.
type sheet struct {
	schema  *arrow.Schema
	columns []arrow.Array
	rows    int64
	codec   compress.Compression
	group   int64 // rows of a row group
}

// readSheet reads a Parquet file of the archive.
func (a *archive) readSheet(ctx context.Context, name string) (s *sheet, err error) {
	defer recovered(&err)
	rows, err := a.parquet(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if rows.Rows > maxGroup {
		return nil, fmt.Errorf("%s: %d rows are too many to be written again: at most %d", name, rows.Rows, maxGroup)
	}
	f, err := openParquet(ctx, a.t, a.whole(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	fr, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	tab, err := fr.ReadTable(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s = &sheet{schema: tab.Schema(), rows: tab.NumRows(), codec: compress.Codecs.Snappy, group: tab.NumRows()}
	if f.NumRowGroups() > 0 && len(s.schema.Fields()) > 0 {
		s.group = f.MetaData().RowGroup(0).NumRows()
		if c, err := f.MetaData().RowGroup(0).ColumnChunk(0); err == nil {
			s.codec = c.Compression()
		}
	}
	for i := range int(tab.NumCols()) {
		one, err := joined(s.schema.Field(i).Type, tab.Column(i).Data().Chunks()...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s.columns = append(s.columns, one)
	}
	return s, nil
}

// joined is arrays as one.
func joined(of arrow.DataType, parts ...arrow.Array) (arrow.Array, error) {
	if len(parts) == 0 {
		return array.MakeArrayOfNull(memory.DefaultAllocator, of, 0), nil
	}
	return array.Concatenate(parts, memory.DefaultAllocator)
}

// one is an array of one value, given as text; missing, or where the column has no such thing empty, without one.
func (s *sheet) one(column int, text string, missing bool) (arrow.Array, error) {
	f := s.schema.Field(column)
	b := array.NewBuilder(memory.DefaultAllocator, f.Type)
	switch b := b.(type) {
	case *array.StringBuilder:
		if !missing {
			b.Append(text) // also what reads like a missing value
			return b.NewArray(), nil
		}
	case *array.LargeStringBuilder:
		if !missing {
			b.Append(text)
			return b.NewArray(), nil
		}
	}
	switch {
	case missing && f.Nullable:
		b.AppendNull()
	case missing:
		b.AppendEmptyValue()
	default:
		if err := b.AppendValueFromString(text); err != nil {
			return nil, fmt.Errorf("%s: %q is no %s", f.Name, text, f.Type)
		}
	}
	return b.NewArray(), nil
}

// set gives a cell a value, or none.
func (s *sheet) set(row int64, column int, text string, missing bool) error {
	if missing && !s.schema.Field(column).Nullable {
		return fmt.Errorf("%s: the column has no missing values", s.schema.Field(column).Name)
	}
	cell, err := s.one(column, text, missing)
	if err != nil {
		return err
	}
	old := s.columns[column]
	s.columns[column], err = joined(old.DataType(), array.NewSlice(old, 0, row), cell, array.NewSlice(old, row+1, s.rows))
	return err
}

// drop removes the rows from one up to another.
func (s *sheet) drop(from, to int64) (err error) {
	for i, old := range s.columns {
		if s.columns[i], err = joined(old.DataType(), array.NewSlice(old, 0, from), array.NewSlice(old, to, s.rows)); err != nil {
			return err
		}
	}
	s.rows -= to - from
	return nil
}

// add appends a row: a name in the first column of texts, nothing in the others.
func (s *sheet) add(name string) error {
	for i, old := range s.columns {
		id := old.DataType().ID()
		named := name != "" && (id == arrow.STRING || id == arrow.LARGE_STRING)
		cell, err := s.one(i, name, !named)
		if err != nil {
			return err
		}
		if named {
			name = ""
		}
		if s.columns[i], err = joined(old.DataType(), old, cell); err != nil {
			return err
		}
	}
	s.rows++
	return nil
}

// write makes the bytes of the file.
func (s *sheet) write() (b []byte, err error) {
	defer recovered(&err)
	var columns []arrow.Column
	for i, c := range s.columns {
		f := s.schema.Field(i)
		columns = append(columns, *arrow.NewColumn(f, arrow.NewChunked(f.Type, []arrow.Array{c})))
	}
	var out bytes.Buffer
	err = pqarrow.WriteTable(array.NewTable(s.schema, columns, s.rows), &out, max(1, s.group),
		parquet.NewWriterProperties(parquet.WithCompression(s.codec)), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	return out.Bytes(), err
}

// rewrite changes a Parquet file of the archive.
func (a *archive) rewrite(ctx context.Context, name string, change func(*sheet) error) (model.Edit, error) {
	s, err := a.readSheet(ctx, name)
	if err != nil {
		return nil, err
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
