package scdl

// Apache Parquet files in an archive: magic, column chunks and footer as spans. A library decodes the footer.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"spandrel/model"
)

var (
	parquetMagic  = &model.Field{Name: "magic", Codec: model.BytesOf(4), Doc: "PAR1"}
	parquetFooter = &model.Field{Name: "footer", Codec: model.RawBytes, Doc: "the metadata of schema, row groups and columns (Thrift)"}
	parquetLength = &model.Field{Name: "footer_len", Codec: model.U32LE}
	parquetEnd    = &model.Field{Name: "end_magic", Codec: model.BytesOf(4), Doc: "PAR1"}
)

// maxFooter is the maximum size in bytes of a footer that is decoded.
const maxFooter = 64 << 20

// openParquet reads the footer. The library panics on some kinds of damage, which is an error here.
func openParquet(in io.ReaderAt, size int64) (f *parquet.File, err error) {
	defer recovered(&err)
	var tail [8]byte
	if size < 12 {
		return nil, errors.New("it is too short")
	}
	if _, err := in.ReadAt(tail[:], size-8); err != nil && err != io.EOF {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case string(tail[4:]) != "PAR1":
		return nil, errors.New("it does not end like a Parquet file")
	case n > size-12:
		return nil, fmt.Errorf("it has no room for a footer of %d bytes", n)
	case n > maxFooter:
		return nil, fmt.Errorf("a footer of %d bytes is too large: the limit is %d", n, maxFooter)
	}
	footer := make([]byte, n)
	if _, err := in.ReadAt(footer, size-8-n); err != nil && err != io.EOF {
		return nil, err
	}
	if _, err := checkThrift(footer); err != nil {
		return nil, err
	}
	return parquet.OpenFile(in, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
}

func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged: %v", p)
	}
}

// parquetFile lays spans over a Parquet file; if its ends are damaged, all bytes are one field.
func parquetFile(c *model.Cursor) {
	n := c.Left()
	tail := c.PeekAt(c.Pos()+n-8, 8)
	if n < 12 || string(c.Peek(4)) != "PAR1" || string(tail[4:]) != "PAR1" {
		c.Rest(&model.Field{Name: "bytes", Codec: model.RawBytes})
		return
	}
	footer := int64(binary.LittleEndian.Uint32(tail))
	c.Field(parquetMagic)
	body := n - 12 - footer
	if body < 0 {
		c.Rest(&model.Field{Name: "bytes", Codec: model.RawBytes})
		return
	}
	end := c.Pos() + body
	for _, k := range columnChunks(c.Context(), c.Tree(), c.Range(c.Base(), n)) {
		if k.off >= c.Pos() && k.n > 0 && k.n <= end-k.off {
			c.Skip(k.off - c.Pos())
			c.FieldN(&model.Field{Name: k.name, Codec: model.RawBytes, Doc: "a column chunk: pages, compressed"}, k.n)
		}
	}
	c.Skip(end - c.Pos())
	f := c.FieldN(parquetFooter, footer)
	c.LengthOf(c.Field(parquetLength), f)
	c.Field(parquetEnd)
}

// columnChunk is the position of a column's pages in a row group.
type columnChunk struct {
	name   string
	off, n int64
}

func columnChunks(ctx context.Context, t *model.Tree, r model.Range) (out []columnChunk) {
	f, err := openParquet(t.Reader(ctx, r), r.Len)
	if err != nil {
		return nil
	}
	for g, rg := range f.Metadata().RowGroups {
		for i := range rg.Columns {
			m := &rg.Columns[i].MetaData
			out = append(out, columnChunk{fmt.Sprintf("row_group[%d]/%s", g, strings.Join(m.PathInSchema, ".")), startOf(m), m.TotalCompressedSize})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].off < out[j].off })
	return out
}

// startOf is the offset of the first page of a column chunk.
func startOf(m *format.ColumnMetaData) int64 {
	if m.DictionaryPageOffset > 0 {
		return min(m.DataPageOffset, m.DictionaryPageOffset)
	}
	return m.DataPageOffset
}

// knownColumns returns an error if the schema is invalid in a way that the library accepts.
func knownColumns(f *parquet.File) error {
	for i, e := range f.Metadata().Schema {
		if n := e.NumChildren; i == 0 && (!n.Valid || n.V < 1) && len(f.Metadata().Schema) > 1 {
			return fmt.Errorf("it says that it has %d columns, but names some", n.V)
		}
		if e.Type.Valid && (e.Type.V < format.Boolean || e.Type.V > format.FixedLenByteArray) {
			return fmt.Errorf("column %s has physical type %d, which does not exist", e.Name, e.Type.V)
		}
		if l, ok := e.LogicalType.Value.(*format.IntType); ok && !slices.Contains([]int8{8, 16, 32, 64}, l.BitWidth) {
			return fmt.Errorf("column %s has integers of %d bits, which do not exist", e.Name, l.BitWidth)
		}
	}
	return nil
}

// evenColumns returns an error if a row group does not have the columns of the file, or if a column's number of values is not the number of rows, which only
// columns of lists allow.
func evenColumns(f *parquet.File, g int) error {
	group, leaves := &f.Metadata().RowGroups[g], leavesOf(f.Root())
	if len(leaves) != len(group.Columns) {
		return fmt.Errorf("a row group has %d columns instead of %d", len(group.Columns), len(leaves))
	}
	for i, c := range leaves {
		if n := group.Columns[i].MetaData.NumValues; c.MaxRepetitionLevel() == 0 && n != group.NumRows {
			return fmt.Errorf("column %s has %d values in a group of %d rows", strings.Join(c.Path(), "."), n, group.NumRows)
		}
	}
	return nil
}

// leavesOf returns the leaf columns below a node, which contain the values, in file order.
func leavesOf(c *parquet.Column) (out []*parquet.Column) {
	if c.Leaf() {
		return []*parquet.Column{c}
	}
	for _, k := range c.Columns() {
		out = append(out, leavesOf(k)...)
	}
	return out
}
