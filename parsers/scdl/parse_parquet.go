package scdl

// Apache Parquet as a member of an archive: its magic, column chunks and footer as spans, its rows as a table. The footer is
// read by the Arrow library.

import (
	"context"
	"fmt"
	"sort"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"spandrel/model"
)

var (
	parquetMagic  = &model.Field{Name: "magic", Codec: model.BytesOf(4), Doc: "PAR1"}
	parquetFooter = &model.Field{Name: "footer", Codec: model.RawBytes, Doc: "the metadata of schema, row groups and columns (Thrift)"}
	parquetLength = &model.Field{Name: "footer_len", Codec: model.U32LE}
	parquetEnd    = &model.Field{Name: "end_magic", Codec: model.BytesOf(4), Doc: "PAR1"}
)

// openParquet reads the footer. The library panics on some damage: that is an error here.
func openParquet(ctx context.Context, t *model.Tree, r model.Range) (f *file.Reader, err error) {
	defer recovered(&err)
	return file.NewParquetReader(t.Reader(ctx, r))
}

func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged: %v", p)
	}
}

// parquetFile lays spans over a Parquet file.
func parquetFile(c *model.Cursor) {
	n := c.Left()
	tail := c.PeekAt(c.Pos()+n-8, 8)
	if n < 12 || string(c.Peek(4)) != "PAR1" || string(tail[4:]) != "PAR1" {
		c.Rest(&model.Field{Name: "bytes", Codec: model.RawBytes})
		return
	}
	footer := int64(tail[0]) | int64(tail[1])<<8 | int64(tail[2])<<16 | int64(tail[3])<<24
	c.Field(parquetMagic)
	body := n - 12 - footer
	if body < 0 {
		c.Rest(&model.Field{Name: "bytes", Codec: model.RawBytes})
		return
	}
	end := c.Pos() + body
	for _, k := range columnChunks(c.Context(), c.Tree(), c.Range(c.Base(), n)) {
		if k.off >= c.Pos() && k.n > 0 && k.off+k.n <= end {
			c.Skip(k.off - c.Pos())
			c.FieldN(&model.Field{Name: k.name, Codec: model.RawBytes, Doc: "a column chunk: pages, compressed"}, k.n)
		}
	}
	c.Skip(end - c.Pos())
	f := c.FieldN(parquetFooter, footer)
	c.LengthOf(c.Field(parquetLength), f)
	c.Field(parquetEnd)
}

// columnChunk is where the pages of a column of a row group are.
type columnChunk struct {
	name   string
	off, n int64
}

func columnChunks(ctx context.Context, t *model.Tree, r model.Range) (out []columnChunk) {
	f, err := openParquet(ctx, t, r)
	if err != nil {
		return nil
	}
	defer f.Close()
	defer recovered(&err)
	meta := f.MetaData()
	for g := range f.NumRowGroups() {
		rg := meta.RowGroup(g)
		for i := range rg.NumColumns() {
			ch, err := rg.ColumnChunk(i)
			if err != nil {
				continue
			}
			off := ch.DataPageOffset()
			if ch.HasDictionaryPage() && ch.DictionaryPageOffset() > 0 {
				off = min(off, ch.DictionaryPageOffset())
			}
			out = append(out, columnChunk{fmt.Sprintf("row_group[%d]/%s", g, ch.PathInSchema().String()), off, ch.TotalCompressedSize()})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].off < out[j].off })
	return out
}

// parquetRows reads rows of a Parquet file, a row group at a time; the last one is kept.
type parquetRows struct {
	t       *model.Tree
	r       model.Range
	Columns []model.Column
	Rows    int64

	mu     sync.Mutex
	starts []int64         // first row of each row group, and the end
	group  int             // that is kept, or -1
	cols   [][]arrow.Array // of each column, in chunks
}

// maxGroup is how many rows of a row group are decoded at once.
const maxGroup = 4 << 20

func newParquetRows(ctx context.Context, t *model.Tree, r model.Range) (p *parquetRows, err error) {
	f, err := openParquet(ctx, t, r)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer recovered(&err)
	p = &parquetRows{t: t, r: r, group: -1, starts: []int64{0}}
	for g := range f.NumRowGroups() {
		if err := evenColumns(f.MetaData().RowGroup(g)); err != nil {
			return nil, err
		}
		p.Rows += f.MetaData().RowGroup(g).NumRows()
		p.starts = append(p.starts, p.Rows)
	}
	fr, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	schema, err := fr.Schema()
	if err != nil {
		return nil, err
	}
	for _, fd := range schema.Fields() {
		kind := model.Text
		switch {
		case arrow.IsUnsignedInteger(fd.Type.ID()):
			kind = model.Uint
		case arrow.IsSignedInteger(fd.Type.ID()):
			kind = model.Int
		case arrow.IsFloating(fd.Type.ID()):
			kind = model.Float
		case fd.Type.ID() == arrow.BOOL:
			kind = model.Bool
		}
		c := model.Column{Name: fd.Name, Type: fd.Type.String(), Kind: kind}
		if arrow.IsNested(fd.Type.ID()) {
			c.Fixed = "lists and records are not edited cell by cell"
		}
		p.Columns = append(p.Columns, c)
	}
	return p, nil
}

// evenColumns tells when a column of a row group has another number of values than the group has rows; columns of lists may.
func evenColumns(g *metadata.RowGroupMetaData) error {
	for i := range g.NumColumns() {
		c, err := g.ColumnChunk(i)
		if err != nil {
			return err
		}
		if n := c.NumValues(); g.Schema.Column(i).MaxRepetitionLevel() == 0 && n != g.NumRows() {
			return fmt.Errorf("column %s has %d values in a group of %d rows", c.PathInSchema(), n, g.NumRows())
		}
	}
	return nil
}

// Read returns rows as model.Table does.
func (p *parquetRows) Read(ctx context.Context, first, n int64) (rows []model.Row, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n > 0 && first < p.Rows {
		g := sort.Search(len(p.starts), func(i int) bool { return p.starts[i] > first }) - 1
		if err := p.load(ctx, g); err != nil {
			return rows, err
		}
		for ; n > 0 && first < p.starts[g+1]; first, n = first+1, n-1 {
			row := make(model.Row, len(p.Columns))
			for i := range row {
				row[i] = arrowAt(p.cols[i], int(first-p.starts[g]))
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func (p *parquetRows) load(ctx context.Context, g int) (err error) {
	if p.group == g {
		return nil
	}
	if n := p.starts[g+1] - p.starts[g]; n > maxGroup {
		return fmt.Errorf("a row group of %d rows is not decoded: at most %d are", n, maxGroup)
	}
	defer recovered(&err)
	f, err := openParquet(ctx, p.t, p.r)
	if err != nil {
		return err
	}
	defer f.Close()
	fr, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	all := make([]int, f.MetaData().Schema.NumColumns())
	for i := range all {
		all[i] = i
	}
	tab, err := fr.ReadRowGroups(ctx, all, []int{g})
	if err != nil {
		return err
	}
	cols := make([][]arrow.Array, len(p.Columns))
	for i := range cols {
		data := tab.Column(i).Data()
		if n := p.starts[g+1] - p.starts[g]; int64(data.Len()) != n {
			return fmt.Errorf("column %s has %d rows instead of %d", p.Columns[i].Name, data.Len(), n)
		}
		cols[i] = data.Chunks()
	}
	p.group, p.cols = g, cols
	return nil
}

// readAll reads every page of every column, and keeps nothing.
func (p *parquetRows) readAll(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for g := range len(p.starts) - 1 {
		if p.starts[g+1]-p.starts[g] > maxGroup {
			continue // too large to be decoded at once
		}
		if err := p.load(ctx, g); err != nil {
			return err
		}
		p.group, p.cols = -1, nil
	}
	return nil
}

// drop forgets the rows that are kept.
func (p *parquetRows) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.group, p.cols = -1, nil
}

// texts returns the values of one text column, of at most maxGroup rows.
func (p *parquetRows) texts(ctx context.Context, column string) (out []string, err error) {
	defer recovered(&err)
	f, err := openParquet(ctx, p.t, p.r)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if p.Rows > maxGroup {
		return nil, fmt.Errorf("%d rows are not decoded: at most %d are", p.Rows, maxGroup)
	}
	fr, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	for g := range f.NumRowGroups() {
		tab, err := fr.ReadRowGroups(ctx, []int{f.MetaData().Schema.ColumnIndexByName(column)}, []int{g})
		if err != nil {
			return nil, err
		}
		for _, chunk := range tab.Column(0).Data().Chunks() {
			for i := range chunk.Len() {
				out = append(out, arrowCell(chunk, i).Value.Text())
			}
		}
	}
	return out, nil
}

// arrowAt returns row i of a column in chunks.
func arrowAt(chunks []arrow.Array, i int) model.Cell {
	for _, c := range chunks {
		if i < c.Len() {
			return arrowCell(c, i)
		}
		i -= c.Len()
	}
	return model.Cell{}
}

func arrowCell(a arrow.Array, i int) model.Cell {
	if a.IsNull(i) {
		return model.Cell{}
	}
	switch a := a.(type) {
	case *array.String:
		return model.Cell{Value: model.S(a.Value(i))}
	case *array.LargeString:
		return model.Cell{Value: model.S(a.Value(i))}
	case *array.Boolean:
		return model.Cell{Value: model.B(a.Value(i))}
	case *array.Int64:
		return model.Cell{Value: model.I(a.Value(i))}
	case *array.Int32:
		return model.Cell{Value: model.I(int64(a.Value(i)))}
	case *array.Uint64:
		return model.Cell{Value: model.U(a.Value(i))}
	case *array.Uint32:
		return model.Cell{Value: model.U(uint64(a.Value(i)))}
	case *array.Float64:
		return model.Cell{Value: model.F(a.Value(i))}
	case *array.Float32:
		return model.Cell{Value: model.F(float64(a.Value(i)))}
	}
	return model.Cell{Value: model.S(a.ValueStr(i))}
}
