package headless

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"spandrel/model"
)

// parquetFile writes a Parquet file, a row at a time.
type parquetFile struct {
	p     *part
	kinds []model.Kind
	lists []bool
	row   parquet.Row
	out   *parquet.GenericWriter[any]
}

// inOrder is a record whose fields stand in the order of the table; the library's own sorts them by name.
type inOrder struct {
	parquet.Group
	fields []parquet.Field
}

func (o inOrder) Fields() []parquet.Field { return o.fields }

func newParquet(w io.Writer, p *part) *parquetFile {
	f := &parquetFile{p: p}
	names, lists := p.columnNames()
	f.lists = lists
	all := inOrder{Group: parquet.Group{}}
	for k, i := range p.pick {
		f.kinds = append(f.kinds, p.Columns[i].Kind)
		node := parquet.Optional(parquetType(p.Columns[i].Kind))
		if lists[k] {
			node = parquet.Optional(parquet.List(node))
		}
		all.Group[names[k]] = node
	}
	byName := map[string]parquet.Field{}
	for _, field := range all.Group.Fields() {
		byName[field.Name()] = field
	}
	for _, name := range names {
		all.fields = append(all.fields, byName[name])
	}
	f.out = parquet.NewGenericWriter[any](w, parquet.NewSchema("table", all), parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1),
		parquet.MaxRowsPerRowGroup(batchRows))
	return f
}

func parquetType(k model.Kind) parquet.Node {
	switch k {
	case model.Uint:
		return parquet.Uint(64)
	case model.Int:
		return parquet.Int(64)
	case model.Float:
		return parquet.Leaf(parquet.DoubleType)
	case model.Bool:
		return parquet.Leaf(parquet.BooleanType)
	case model.Bytes:
		return parquet.Leaf(parquet.ByteArrayType)
	}
	return parquet.String()
}

func (f *parquetFile) Row(r model.Row) error {
	f.row = f.row[:0]
	for k, i := range f.p.pick {
		f.put(k, r[i])
	}
	_, err := f.out.WriteRows([]parquet.Row{f.row})
	return err
}

func (f *parquetFile) Close() error { return f.out.Close() }

// put appends a cell to the row; what is missing or does not fit the column's type is null. Levels say how much of a value there is: of
// a list first itself, then an item, then the item's value.
func (f *parquetFile) put(k int, cell model.Cell) {
	null := parquet.NullValue()
	switch {
	case cell.Trouble != "" || cell.Vector != f.lists[k]:
		f.row = append(f.row, null.Level(0, 0, k))
	case !f.lists[k]:
		v, ok := single(f.kinds[k], cell.Value)
		f.row = append(f.row, v.Level(0, level(ok, 0), k))
	default:
		items, ok := cell.Dense()
		if !ok || len(items) == 0 {
			f.row = append(f.row, null.Level(0, level(ok, 0), k))
		}
		for i, item := range items {
			v, ok := single(f.kinds[k], item)
			f.row = append(f.row, v.Level(min(i, 1), level(ok, 2), k))
		}
	}
}

func level(there bool, from int) int {
	if there {
		return from + 1
	}
	return from
}

func single(k model.Kind, v model.Value) (parquet.Value, bool) {
	if v.Kind == model.None {
		return parquet.NullValue(), false
	}
	switch k {
	case model.Uint:
		return parquet.Int64Value(int64(v.Uint())), true
	case model.Int:
		return parquet.Int64Value(v.Int()), true
	case model.Float:
		return parquet.DoubleValue(v.Float()), true
	case model.Bool:
		return parquet.BooleanValue(v.Bool()), true
	}
	return parquet.ByteArrayValue([]byte(v.Text())), true
}
