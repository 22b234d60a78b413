package gguf

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

const mostItems = 8 // items of an array shown in the table of metadata

func tables(_ context.Context, t *model.Tree) []model.Table {
	f := model.StateOf[*file](t)
	if f == nil || f.head == nil || f.head.Get("metadata") == nil {
		return nil
	}
	pairs, list := f.pairTable(t), f.tensorTable()
	pairs.Layout = true // long lists are shortened here, so compare the fields
	list.Key, list.Partial = []string{"name"}, len(f.shards) > 0
	list.Stored("offset")
	out := []model.Table{list, pairs} // the table shown first
	if len(f.tensors) == 0 {
		out = []model.Table{pairs, list}
	}
	if len(f.shards) > 0 {
		out = append(out, f.shardTable())
	}
	for _, x := range f.tensors {
		switch typ := types[x.kind]; {
		case !x.whole:
		case typ.codec != nil:
			out = append(out, model.Values(x.name, x.title(), t, x.values, model.Position(x.shapeOf(), true)).AsTensor(x.indexed(), false))
		case typ.decode != nil:
			out = append(out, x.blockTable(t, f.order(model.F16LE)))
		default:
			out[0].Partial = true
		}
	}
	return out
}

func (t *tensor) title() string {
	return fmt.Sprintf("%s: %s [%s]", t.name, types[t.kind].name, t.shape())
}

func (t *tensor) shapeOf() (out []int64) {
	for _, d := range t.dims {
		out = append(out, d.Int())
	}
	return out
}

// indexed is the shape as programs index the values: the file states the fastest changing axis first.
func (t *tensor) indexed() []int64 {
	shape := t.shapeOf()
	slices.Reverse(shape)
	return shape
}

// pairTable is the metadata.
func (f *file) pairTable(t *model.Tree) model.Table {
	list := f.head.Get("metadata")
	tab := model.Table{Name: "metadata", Title: "metadata", Doc: "key, type and value of each pair", Rows: list.Count(),
		Columns: model.Columns("key utf8, type utf8, value utf8")}
	tab.Read = model.RowsOf(tab.Rows, func(ctx context.Context, i int64) (model.Row, error) {
		p := list.Child(i)
		row := make(model.Row, 3)
		for i, name := range []string{"key", "type", "value"} {
			if s := p.Get(name); s != nil {
				v, err := t.Value(ctx, s)
				if err != nil {
					return nil, err
				}
				row[i] = model.Cell{Value: model.S(v.Text()), Range: s.Range}
				if name == "type" {
					row[i].Value = model.S(kinds[v.Uint()])
				}
			}
		}
		if s := p.Get("items"); s != nil {
			row[2] = model.Cell{Value: model.S(itemsText(ctx, t, s)), Range: s.Range, Fixed: "items of an array are edited one by one, in the tree"}
		}
		return row, nil
	})
	return tab
}

// itemsText is the first items of an array.
func itemsText(ctx context.Context, t *model.Tree, list *model.Span) string {
	if t.Open(ctx, list) != nil {
		return ""
	}
	var out []string
	for i := range min(list.Count(), mostItems) {
		s := list.Child(i)
		if s.Shape == model.Struct && t.Open(ctx, s) == nil {
			if inner := s.Get("items"); inner != nil {
				out = append(out, model.Count(inner.Count(), "items"))
				continue
			}
			s = s.Get("value")
		}
		if s == nil {
			break
		}
		v, err := t.Value(ctx, s)
		if err != nil {
			break
		}
		out = append(out, v.String())
	}
	if list.Count() > mostItems {
		out = append(out, "… "+model.Thousands(list.Count()))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func (f *file) tensorTable() model.Table {
	tab := model.Table{Name: "tensors", Title: "tensors", Doc: "name, type, shape and offset of each tensor", Rows: int64(len(f.tensors)),
		Columns: model.Columns("name utf8, type utf8, shape utf8, offset u64, bytes i64, values i64")}
	tab.Read = model.RowsOf(tab.Rows, func(_ context.Context, i int64) (model.Row, error) {
		x := f.tensors[i]
		n, _ := x.size()
		count, _ := x.count()
		row := model.Row{{Value: model.S(x.name)}, {Value: model.S(types[x.kind].name), Range: x.typ.Range}, {Value: model.S(x.shape())},
			{Value: x.offset.Value, Range: x.offset.Range}, {Value: model.I(n)}, {Value: model.I(count)}}
		if s := x.entry.Get("name"); s != nil {
			row[0].Range = s.Range
		}
		return row, nil
	})
	return tab
}

// blockTable is the values of a quantised tensor, each with the bytes of its block, whose scales are in float16.
func (x *tensor) blockTable(t *model.Tree, float16 model.Codec) model.Table {
	typ := types[x.kind]
	at, n := model.Position(x.shapeOf(), true), x.values.Count()*typ.block
	half := func(b []byte) float32 {
		v, _, _ := float16.Decode(b)
		return float32(v.Float())
	}
	tab := model.Table{Name: x.name, Title: x.title(), Doc: "the dequantised values", Rows: n,
		Columns: model.Columns("position utf8, value f32")}
	tab.Columns[1].Fixed = fmt.Sprintf("%s stores %d values as one block", typ.name, typ.block)
	tab.Read = func(ctx context.Context, first, count int64) ([]model.Row, error) {
		count = max(0, min(count, n-first))
		from := first / typ.block
		b, err := t.Bytes(ctx, model.Range{Space: x.values.Range.Space, Off: x.values.Range.Off + from*typ.size,
			Len: ((first+count+typ.block-1)/typ.block - from) * typ.size})
		if err != nil {
			return nil, err
		}
		rows, out := make([]model.Row, 0, count), make([]float32, typ.block)
		for i := first; i < first+count; i++ {
			k := i/typ.block - from
			if i%typ.block == 0 || i == first {
				typ.decode(b[k*typ.size:(k+1)*typ.size], half, out)
			}
			rows = append(rows, model.Row{{Value: model.S(at(i))}, {Value: model.F(float64(out[i%typ.block])),
				Range: model.Range{Space: x.values.Range.Space, Off: x.values.Range.Off + (from+k)*typ.size, Len: typ.size}}})
		}
		return rows, nil
	}
	return tab.AsTensor(x.indexed(), false)
}

// apart is the metadata.
func apart(_ context.Context, t *model.Tree) []*model.Span {
	if f := model.StateOf[*file](t); f != nil && f.head != nil && f.head.Get("metadata") != nil {
		return []*model.Span{f.head.Get("metadata")}
	}
	return nil
}

func (f *file) shardTable() model.Table {
	tab := model.Table{Name: "shards", Title: "shards", Doc: "the files of the model", Rows: int64(len(f.shards)),
		Columns: model.Columns("name utf8, bytes i64, tensors i64, state utf8")}
	tab.Read = model.RowsOf(tab.Rows, func(_ context.Context, i int64) (model.Row, error) {
		x := f.shards[i]
		if !x.there {
			return model.Row{{Value: model.S(x.name)}, {}, {}, {Value: model.S("missing")}}, nil
		}
		row := model.Row{{Value: model.S(x.name)}, {Value: model.I(x.size)}, {}, {Value: model.S("present")}}
		if x.tensors >= 0 {
			row[2].Value = model.I(x.tensors)
		}
		return row, nil
	})
	return tab
}
