package scdl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"spandrel/model"
)

// parquetRows reads rows of a Parquet file. It caches the last rows read, and keeps its position after them.
type parquetRows struct {
	t       *model.Tree
	r       model.Range
	Columns []model.Column
	Rows    int64

	mu     sync.Mutex
	ctx    context.Context // of the current call
	starts []int64         // first row of each row group, then the total
	at     *parquetPlace   // nil: no row group is open
	first  int64           // number of the first cached row
	kept   []model.Row
}

// parquetPlace is a position in a row group.
type parquetPlace struct {
	columns []*parquet.Column
	leaves  []*leafReader
	rows    int64 // of the group, according to the footer
	group   int
	next    int64 // next row to read, counted from the start of the file
}

// maxGroup is the maximum number of rows in memory at once, for gene names and for rewriting tables; keptRows is the size of the cache in rows.
const (
	maxGroup = 4 << 20
	keptRows = 2048
)

// ReadAt reads bytes of the file with the context of the call that asked for rows, because open readers outlive a single call.
func (p *parquetRows) ReadAt(b []byte, off int64) (int, error) {
	return p.t.Reader(p.ctx, p.r).ReadAt(b, off)
}

func (p *parquetRows) open(ctx context.Context) (*parquet.File, error) {
	p.ctx = ctx
	return openParquet(p, p.r.Len)
}

func newParquetRows(ctx context.Context, t *model.Tree, r model.Range) (p *parquetRows, err error) {
	defer recovered(&err)
	p = &parquetRows{t: t, r: r, starts: []int64{0}}
	f, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := knownColumns(f); err != nil {
		return nil, err
	}
	for g := range f.Metadata().RowGroups {
		if err := evenColumns(f, g); err != nil {
			return nil, err
		}
		n := f.Metadata().RowGroups[g].NumRows
		if n < 0 || n > maxRows-p.Rows {
			return nil, fmt.Errorf("a row group has %d rows", n)
		}
		p.Rows += n
		p.starts = append(p.starts, p.Rows)
	}
	for _, c := range f.Root().Columns() {
		p.Columns = append(p.Columns, columnOf(c))
	}
	return p, nil
}

// maxRows is an upper bound on the rows of a file, which no real file reaches.
const maxRows = 1 << 50

// Read implements the Read function of model.Table.
func (p *parquetRows) Read(ctx context.Context, first, n int64) (rows []model.Row, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n > 0 && first < p.Rows {
		if first < p.first || first >= p.first+int64(len(p.kept)) {
			if err := p.load(ctx, first); err != nil {
				return rows, err
			}
		}
		some := p.kept[first-p.first:]
		some = some[:min(n, int64(len(some)))]
		rows = append(rows, some...)
		first, n = first+int64(len(some)), n-int64(len(some))
	}
	return rows, nil
}

// load caches the rows around one, continuing from the current position if possible.
func (p *parquetRows) load(ctx context.Context, row int64) (err error) {
	defer func() {
		if err != nil {
			p.forget()
		}
	}()
	defer recovered(&err)
	p.ctx = ctx
	g := sort.Search(len(p.starts), func(i int) bool { return p.starts[i] > row }) - 1
	row -= (row - p.starts[g]) % keptRows
	if p.at == nil || p.at.group != g || p.at.next != row {
		if err := p.enter(ctx, g, row-p.starts[g]); err != nil {
			return err
		}
	}
	want := min(keptRows, p.starts[g+1]-row)
	p.first, p.at.next = row, row+want
	p.kept, err = p.at.read(want)
	return cmp.Or(ctx.Err(), err)
}

// enter opens a row group at a row relative to its start, with a separate reader per leaf.
func (p *parquetRows) enter(ctx context.Context, g int, row int64) error {
	p.forget()
	f, err := p.open(ctx)
	if err != nil {
		return err
	}
	if g >= len(f.RowGroups()) || len(p.Columns) == 0 {
		return errors.New("it has no columns")
	}
	p.at = &parquetPlace{columns: f.Root().Columns(), group: g, rows: p.starts[g+1] - p.starts[g]}
	for i := range leavesOf(f.Root()) {
		p.at.leaves = append(p.at.leaves, p.leaf(f, g, i, row))
	}
	return nil
}

func (p *parquetRows) forget() {
	if p.at != nil {
		for _, l := range p.at.leaves {
			l.close()
		}
	}
	p.at, p.first, p.kept = nil, 0, nil
}

// drop discards the cached rows.
func (p *parquetRows) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
}

// readAll reads every page of every column to check it, and caches nothing.
func (p *parquetRows) readAll(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, err := p.open(ctx)
	if err != nil {
		return err
	}
	leaves := leavesOf(f.Root()) // as many as each group has columns
	for g := range f.RowGroups() {
		for i, c := range leaves {
			if err := p.checkColumn(f, g, i, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkColumn reads column i of a row group. Strings and names must be UTF-8: the library accepts others, but readers reject them.
func (p *parquetRows) checkColumn(f *parquet.File, g, i int, c *parquet.Column) error {
	bad := !utf8.ValidString(strings.Join(c.Path(), ""))
	noText := func(v parquet.Value) bool { return v.Kind() == parquet.ByteArray && !utf8.Valid(v.ByteArray()) }
	take := func([]parquet.Value) {}
	if isText(c) {
		take = func(list []parquet.Value) { bad = bad || slices.ContainsFunc(list, noText) }
	}
	err := p.readColumn(f, g, i, take)
	if err == nil && bad {
		err = errNoText
	}
	return err
}

// errNoText is the reason why readers that decode strings reject the whole table.
var errNoText = errors.New("a string or a column name that is not UTF-8")

// isText tells whether a column contains strings, which readers decode.
func isText(c *parquet.Column) bool {
	switch meaningOf(c).(type) {
	case *format.StringType, *format.JsonType, *format.EnumType:
		return true
	}
	return false
}

// readColumn passes the values of a column of a row group to take, in batches; it is an error if the rows do not match the group.
func (p *parquetRows) readColumn(f *parquet.File, g, i int, take func([]parquet.Value)) (err error) {
	defer recovered(&err)
	l, rows := p.leaf(f, g, i, 0), int64(0)
	defer l.close()
	for l.fill(); len(l.buf) > 0; l.fill() {
		for _, v := range l.buf {
			if v.RepetitionLevel() == 0 {
				rows++
			}
		}
		take(l.buf)
		l.buf = nil
	}
	if l.err != io.EOF {
		return l.err
	}
	if n := f.RowGroups()[g].NumRows(); rows != n {
		return fmt.Errorf("column %s has %d rows instead of %d", f.Metadata().RowGroups[g].Columns[i].MetaData.PathInSchema, rows, n)
	}
	return nil
}

// texts returns the values of a string column; it fails above maxGroup rows or maxTexts bytes.
func (p *parquetRows) texts(ctx context.Context, column string) (out []string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	if p.Rows > maxGroup {
		return nil, fmt.Errorf("%d rows are too many to decode: the limit is %d", p.Rows, maxGroup)
	}
	c := f.Root().Column(column)
	if c == nil || !c.Leaf() {
		return nil, fmt.Errorf("there is no string column %s", column)
	}
	all := heldTexts{of: c, said: map[string]string{}}
	for g := range f.RowGroups() {
		err := p.readColumn(f, g, c.Index(), func(list []parquet.Value) {
			for _, v := range list {
				out = append(out, all.text(v))
			}
		})
		if err == nil && all.held >= maxTexts {
			err = fmt.Errorf("the strings of %s have more than %s bytes", column, model.Thousands(maxTexts))
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// heldTexts deduplicates the strings of a column, because a column may repeat a value a million times.
type heldTexts struct {
	of   *parquet.Column
	said map[string]string
	held int // bytes
}

func (t *heldTexts) text(v parquet.Value) string {
	var raw []byte
	if v.Kind() == parquet.ByteArray {
		raw = v.ByteArray()
	}
	text, ok := t.said[string(raw)]
	if !ok && t.held < maxTexts {
		text = valueOf(t.of, v).Text()
		if t.held += len(text); len(raw) > 0 && len(t.said) < 1<<16 {
			t.said[string(raw)] = text
		}
	}
	return text
}

// maxTexts is the maximum number of bytes of a column's strings in memory.
const maxTexts = 64 << 20
