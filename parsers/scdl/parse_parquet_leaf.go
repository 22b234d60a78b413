package scdl

import (
	"cmp"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"

	"spandrel/model"
)

// Rows are read a leaf at a time: a page that is damaged takes the rows of its column from there to the end of the row group, and the other columns
// are read without it.

// leafReader reads the values of a leaf of a row group, a row at a time.
type leafReader struct {
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader // of the page; nil: the next one is read first
	room   [256]parquet.Value
	buf    []parquet.Value // those that are read, and not taken
	err    error           // error that ended reading
}

// leaf opens leaf i of a row group at a row of it.
func (p *parquetRows) leaf(f *parquet.File, g, i int, row int64) *leafReader {
	l := &leafReader{}
	if l.err = checkPages(p, &f.Metadata().RowGroups[g].Columns[i].MetaData, p.r.Len); l.err == nil {
		l.open(f.RowGroups()[g].ColumnChunks()[i], row)
	}
	return l
}

func (l *leafReader) open(c parquet.ColumnChunk, row int64) {
	defer recovered(&l.err)
	if l.pages = c.Pages(); row > 0 {
		l.err = l.pages.SeekToRow(row)
	}
}

var errNoRow = errors.New("the column ends before this row")

// read returns the next n rows. A cell of which something is damaged says so; where no row of very many has a cell, their number is no more to be
// believed than the pages, and that is an error.
func (x *parquetPlace) read(n int64) (rows []model.Row, err error) {
	some := false
	leaves := make([][]*parquet.Column, len(x.columns))
	for i, c := range x.columns {
		leaves[i] = leavesOf(c)
	}
	for range n {
		row := make(model.Row, len(x.columns))
		for i, c := range x.columns {
			row[i] = x.cell(c, leaves[i])
			some = some || row[i].Trouble == ""
		}
		rows = append(rows, row)
	}
	if !some && x.rows > maxGroup {
		return nil, cmp.Or(x.leaves[0].err, errNoRow)
	}
	return rows, nil
}

// cell reads the next cell of a column.
func (x *parquetPlace) cell(c *parquet.Column, leaves []*parquet.Column) model.Cell {
	var values parquet.Row
	for _, leaf := range leaves {
		var err error
		if values, err = x.leaves[leaf.Index()].row(values); err != nil {
			return model.Cell{Trouble: err.Error()}
		}
	}
	return cellOf(c, values)
}

// row appends the values of the next row: one, or as many as its lists have.
func (l *leafReader) row(to parquet.Row) (_ parquet.Row, err error) {
	for n := 0; ; n++ {
		l.fill()
		switch {
		case n > 0 && (len(l.buf) == 0 && l.err == io.EOF || len(l.buf) > 0 && l.buf[0].RepetitionLevel() == 0):
			return to, nil
		case len(l.buf) == 0 && l.err == io.EOF:
			return to, errNoRow
		case len(l.buf) == 0:
			return to, l.err
		case n == maxValues:
			l.buf, l.err = nil, errors.New("the list is too long to show")
			return to, l.err
		}
		to = append(to, l.buf[0].Clone())
		l.buf = l.buf[1:]
	}
}

// fill reads some values where all that were read are taken, or sets why there are no more.
func (l *leafReader) fill() {
	if len(l.buf) > 0 || l.err != nil {
		return
	}
	defer recovered(&l.err)
	for len(l.buf) == 0 && l.err == nil {
		if l.values == nil {
			parquet.Release(l.page)
			if l.page, l.err = l.pages.ReadPage(); l.err == nil {
				l.values = l.page.Values()
			}
			continue
		}
		n, err := l.values.ReadValues(l.room[:])
		if l.buf = l.room[:n]; err == io.EOF {
			l.values = nil
		} else {
			l.err = err
		}
	}
}

func (l *leafReader) close() {
	if l.pages != nil {
		parquet.Release(l.page)
		l.pages.Close()
	}
}
