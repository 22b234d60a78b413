package scdl

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"

	"spandrel/model"
)

// A page that is damaged takes the rows of its column from there to the end of the row group. The other columns are read without it.

// leafReader reads the values of a leaf of a row group, a row at a time.
type leafReader struct {
	pages  parquet.Pages
	values parquet.ValueReader // of the page that is read; nil: none
	buf    []parquet.Value     // those that are read, and not taken
	err    error               // why there are no more
}

// apart opens the leaves of a row group at a row of it, each by itself.
func (p *parquetRows) apart(ctx context.Context, g int, row int64) error {
	p.forget()
	f, err := p.open(ctx)
	if err != nil {
		return err
	}
	if g >= len(f.RowGroups()) || len(p.Columns) == 0 {
		return errors.New("it has no columns")
	}
	p.at = &parquetPlace{columns: f.Root().Columns(), group: g, most: p.starts[g+1] - p.starts[g]}
	for i, c := range f.RowGroups()[g].ColumnChunks() {
		l := &leafReader{}
		if l.err = checkPages(p, &f.Metadata().RowGroups[g].Columns[i].MetaData, p.r.Len, nil); l.err == nil {
			l.open(c, row)
		}
		p.at.leaves = append(p.at.leaves, l)
	}
	return nil
}

func (l *leafReader) open(c parquet.ColumnChunk, row int64) {
	defer recovered(&l.err)
	l.pages = c.Pages()
	l.err = l.pages.SeekToRow(row)
}

var errNoRow = errors.New("the column ends before this row")

// read returns the next n rows. A cell of which something is damaged says so; where no row of very many has a cell, their number is no more to be
// believed than the pages, and that is an error.
func (x *parquetPlace) read(n int64) (rows []model.Row, err error) {
	some := false
	for range n {
		row := make(model.Row, len(x.columns))
		for i, c := range x.columns {
			var values parquet.Row
			var err error
			for _, leaf := range leavesOf(c) {
				if leaf.Index() < len(x.leaves) && err == nil {
					values, err = x.leaves[leaf.Index()].row(values)
				}
			}
			if err != nil {
				row[i].Trouble = err.Error()
			} else {
				some = true
				row[i] = cells([]*parquet.Column{c}, values)[0]
			}
		}
		rows = append(rows, row)
	}
	if !some && x.most > maxGroup {
		return nil, cmp.Or(x.leaves[0].err, errNoRow)
	}
	return rows, nil
}

// row appends the values of the next row: one, or as many as its lists have.
func (l *leafReader) row(to parquet.Row) (_ parquet.Row, err error) {
	defer func() { l.err = cmp.Or(l.err, err) }()
	defer recovered(&err)
	for n := 0; ; n++ {
		if len(l.buf) == 0 && l.err == nil {
			l.fill()
		}
		switch {
		case n > 0 && (len(l.buf) == 0 && l.err == io.EOF || len(l.buf) > 0 && l.buf[0].RepetitionLevel() == 0):
			return to, nil
		case len(l.buf) == 0 && l.err == io.EOF:
			return to, errNoRow
		case len(l.buf) == 0:
			return to, l.err
		case n == maxValues:
			return to, errors.New("a list is too long to be shown")
		}
		to = append(to, l.buf[0].Clone())
		l.buf = l.buf[1:]
	}
}

// fill reads some values, or sets why there are none.
func (l *leafReader) fill() {
	defer recovered(&l.err)
	for len(l.buf) == 0 && l.err == nil {
		if l.values == nil {
			page, err := l.pages.ReadPage()
			if l.err = err; err == nil {
				l.values = page.Values()
			}
			continue
		}
		buf := make([]parquet.Value, 256)
		n, err := l.values.ReadValues(buf)
		if l.buf = buf[:n]; err == io.EOF {
			l.values = nil
		} else {
			l.err = err
		}
	}
}

func (l *leafReader) close() {
	if l.pages != nil {
		l.pages.Close()
	}
}
