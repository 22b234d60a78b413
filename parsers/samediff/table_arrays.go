package samediff

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// metadataTable is the metadata of METADATA sections and of graphs.
func metadataTable(ctx context.Context, t *model.Tree, st *state) model.Table {
	var rows []model.Row
	for _, d := range st.own() {
		if d.con != nil && d.con.meta != nil {
			for _, e := range d.con.meta.entries {
				rows = append(rows, model.Row{{Value: model.S(e.key), Range: e.keyAt}, {Value: model.S(e.value), Range: e.valueAt},
					{Value: model.S("METADATA")}})
			}
		}
		for _, g := range d.graphs {
			if !g.Late() {
				continue
			}
			g.whole(ctx, t, func(b flat.Buffer) error {
				rows = append(rows, metadataRows(g, b)...)
				return nil
			})
		}
	}
	return model.Table{Name: "metadata", Title: "Metadata", Key: []string{"key"}, Doc: "Keys and values that describe the model.", Rows: int64(len(rows)), Made: madeKeys,
		Columns: model.Columns("key utf8, value utf8, source utf8"),
		Read:    model.RowsOf(int64(len(rows)), func(_ context.Context, i int64) (model.Row, error) { return rows[i], nil })}
}

// metadataRows are the keys and values of a graph.
func metadataRows(p *placed, b flat.Buffer) (rows []model.Row) {
	root := p.GraphAt(b)
	keys, n, _ := b.Vec(root, flat.GraphKeys, 4)
	values, m, _ := b.Vec(root, flat.GraphValues, 4)
	cell := func(at int64) (c model.Cell) {
		if s, ok := b.Text(b.Follow(at)); ok {
			c = model.Cell{Value: model.S(s), Range: p.text(b.Follow(at), len(s))}
		}
		return c
	}
	for i := range n {
		row := model.Row{cell(keys + 4*i), {}, {Value: model.S("graph")}}
		if i < m {
			row[1] = cell(values + 4*i)
		}
		rows = append(rows, row)
	}
	return rows
}

// table is the elements of one array with their indices, in storage order.
func (a *data) table(t *model.Tree, name string) model.Table {
	out := model.Table{Name: name, Title: fmt.Sprintf("%s %s %v", a.name, typeName(a.typ), a.dims),
		Doc: "The elements of an array, in the order of the file.", Rows: a.count()}
	for i := range a.dims {
		out.Columns = append(out.Columns, model.Column{Name: fmt.Sprintf("i%d", i), Doc: "index along this axis", Type: "i64", Kind: model.Int,
			Fixed: "an index is determined by the order of the elements"})
	}
	out.Set = func(ctx context.Context, cells []model.Typed) ([]model.Edit, error) { return a.set(ctx, t, cells) }
	typ := types[a.typ]
	if typ == nil {
		out.Columns = append(out.Columns, model.Column{Name: "value", Type: "utf8", Kind: model.Text})
		if a.typ != dtypeUTF8 || len(a.at) != 1 {
			out.Rows = 0
		}
		out.Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
			return a.texts(ctx, t, first, min(n, out.Rows-first))
		}
		return out
	}
	if len(a.dims) == 1 || len(a.dims) == 2 {
		out.Fill = func(ctx context.Context, rows model.GivenRows) ([]model.Edit, error) {
			return a.fill(ctx, t, rows)
		}
	}
	f := typ.le
	if a.big {
		f = typ.be
	}
	out.Columns = append(out.Columns, model.Column{Name: "value", Type: f.Codec.Type(), Kind: f.Codec.Kind()})
	for i := range a.dims {
		out.Columns[i].Batch = func(_ context.Context, first, n int64) (model.Batch, error) { return a.indexes(i, first, n), nil }
	}
	if model.WidthOf(f.Codec.Type()) == int(typ.width) {
		out.Columns[len(a.dims)].Batch = func(ctx context.Context, first, n int64) (model.Batch, error) {
			return a.batch(ctx, t, typ.width, first, n)
		}
		out.Put = func(ctx context.Context, cells []model.Typed, runs []model.Run) ([]model.Edit, error) {
			edits, err := a.set(ctx, t, cells)
			for i := 0; i < len(runs) && err == nil; i++ {
				edits, err = a.put(edits, &runs[i])
			}
			return edits, err
		}
	}
	out.Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
		return a.rows(ctx, t, f, first, min(first+n, out.Rows))
	}
	return out.AsTensor(a.dims, a.order == 'f')
}

// rows reads the elements from first to end, as far as they exist.
func (a *data) rows(ctx context.Context, t *model.Tree, f *model.Field, first, end int64) (rows []model.Row, err error) {
	width := types[a.typ].width
	for i := first; i < end; {
		r, ok := a.piece(i*width, (end-i)*width)
		if !ok || r.Len < width {
			return rows, nil
		}
		b, err := t.Bytes(ctx, r)
		if err != nil {
			return nil, err
		}
		for at := int64(0); at+width <= r.Len; at += width {
			v, _, _ := f.Codec.Decode(b[at:])
			rows = append(rows, a.row(i, model.Cell{Value: v, Range: model.Range{Space: r.Space, Off: r.Off + at, Len: width}}))
			i++
		}
	}
	return rows, nil
}

// indexes are those along an axis of n elements.
func (a *data) indexes(axis int, first, n int64) model.Batch {
	b := model.Batch{Rows: n}
	for k := first; k < first+n; k++ {
		b.Data = binary.LittleEndian.AppendUint64(b.Data, uint64(a.index(k)[axis]))
	}
	return b
}

// batch returns n elements from first, each of some bytes.
func (a *data) batch(ctx context.Context, t *model.Tree, width, first, n int64) (model.Batch, error) {
	out := model.Batch{Rows: n, Data: make([]byte, n*width)}
	_, err := io.ReadFull(io.NewSectionReader(a.source(ctx, t, false), first*width, n*width), out.Data)
	return out, err
}

// row puts the indices of an element before its value.
func (a *data) row(i int64, value model.Cell) (row model.Row) {
	for _, k := range a.index(i) {
		row = append(row, model.Cell{Value: model.I(k)})
	}
	return append(row, value)
}

// texts reads rows of an array of texts (section 3.6.4): the offsets of the page, and the texts between them.
func (a *data) texts(ctx context.Context, t *model.Tree, first, n int64) (rows []model.Row, err error) {
	if n <= 0 {
		return nil, nil
	}
	err = t.Stream(ctx, a.at[0], a.at[0].Len, func(_ int64, b []byte) error {
		s := readStrings(b, a.count())
		if s == nil {
			return nil
		}
		for i := first; i < min(first+n, s.n); i++ {
			from, to := s.at(i)
			c := model.Cell{Value: model.S(string(b[from:to])), Range: model.Range{Space: a.at[0].Space, Off: a.at[0].Off + from, Len: to - from}}
			if !utf8.Valid(b[from:to]) {
				c.Value = model.Raw(b[from:to])
			}
			rows = append(rows, a.row(i, c))
		}
		return nil
	})
	return rows, err
}
