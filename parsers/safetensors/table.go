package safetensors

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"spandrel/model"
)

// metadataTable is the texts in the header besides the tensors.
func metadataTable(ctx context.Context, t *model.Tree, f *file) model.Table {
	var texts []*model.Span
	for i := range f.entries.Count() {
		e := f.entries.Child(i)
		s := e.Get(name.Name)
		if s == nil {
			continue
		}
		if v, err := t.Value(ctx, s); err != nil || v.Text() != metadata {
			continue
		}
		for k := range e.Count() {
			if x := e.Child(k); x.Field != nil && x.Field.Ref == "Format" && x != s {
				texts = append(texts, x)
			}
		}
	}
	tab := model.Table{Name: "metadata", Title: "metadata", Doc: "strings by name, besides the tensors", Aside: true, Key: []string{"key"}, Rows: int64(len(texts)),
		Columns: model.Columns("key utf8, value utf8")}
	tab.Columns[0].Fixed = "the name cannot be edited here"
	tab.Read = model.RowsOf(tab.Rows, func(ctx context.Context, i int64) (model.Row, error) {
		v, err := t.Value(ctx, texts[i])
		return model.Row{{Value: model.S(texts[i].Name())}, {Value: v, Range: texts[i].Range}}, err
	})
	return tab
}

func tables(ctx context.Context, t *model.Tree) []model.Table {
	f := model.StateOf[*file](t)
	if f != nil && f.checkpoint != nil {
		return append(f.checkpoint.tables(), f.checkpoint.valueTables(t)...)
	}
	if f == nil || f.entries == nil {
		return nil
	}
	list := model.Table{Name: "tensors", Title: "tensors", Doc: "name, type, shape and offsets of each tensor", Rows: int64(len(f.tensors)),
		Columns: model.Columns("name utf8, dtype utf8, shape utf8, begin i64, end i64, values u64")}
	list.Read = model.RowsOf(list.Rows, func(_ context.Context, i int64) (model.Row, error) {
		t := f.tensors[i]
		n := uint64(1)
		for _, d := range t.shape {
			n *= uint64(d)
		}
		row := model.Row{{Value: model.S(t.name)}, {Value: t.typ.Value, Range: t.typ.Range}, {Value: model.S(t.shapeText())},
			{Value: t.begin.Value, Range: t.begin.Range}, {Value: t.end.Value, Range: t.end.Range}, {Value: model.U(n)}}
		if s := t.entry.Get("name"); s != nil {
			row[0].Range = s.Range
		}
		return row, nil
	})
	list.Key = []string{"name"}
	list.Stored("begin", "end")
	out := []model.Table{list, metadataTable(ctx, t, f)}
	for _, x := range f.tensors {
		if x.values != nil {
			out = append(out, x.tables(t)...)
		}
	}
	return out
}

// packed are the types whose values are not whole bytes.
var packed = map[string]*model.SmallFloat{"F4": model.E2M1, "F6_E2M3": model.E2M3, "F6_E3M2": model.E3M2}

// tables is the table of the values.
func (x *tensor) tables(t *model.Tree) []model.Table {
	title, at := fmt.Sprintf("%s: %s [%s]", x.name, x.typ.Text(), x.shapeText()), model.Position(x.shape, false)
	switch of := packed[x.typ.Text()]; {
	case x.typ.Text() == "C64" && x.values.Shape == model.Array:
		return []model.Table{model.Records(x.name, title, t, x.values).Placed(at).AsNumpy("<c8", x.shape, false)}
	case of != nil:
		b := bitwise{t, x.values.Range, of}
		return []model.Table{b.table(x.name, title, at).AsTensor(x.shape, false)}
	case x.values.Shape == model.Array:
		return []model.Table{model.Values(x.name, title, t, x.values, at).AsTensor(x.shape, false)}
	}
	return nil
}

// bitwise are packed numbers of a few bits, the low bits of a byte first: PyTorch packs 4-bit ones this way, and 6-bit ones are assumed to be
// packed too, which the file does not say.
type bitwise struct {
	t  *model.Tree
	in model.Range
	of *model.SmallFloat
}

// place is where the bits of number i are: its bytes, and its first bit in the first byte.
func (b bitwise) place(i int64) (r model.Range, shift int64) {
	first, last := i*b.of.Width(), (i+1)*b.of.Width()-1
	return model.Range{Space: b.in.Space, Off: b.in.Off + first/8, Len: last/8 - first/8 + 1}, first % 8
}

func (b bitwise) count() int64 { return b.in.Len * 8 / b.of.Width() }

func (b bitwise) table(name, title string, at func(i int64) string) model.Table {
	tab := model.Table{Name: name, Title: title, Rows: b.count(),
		Columns: []model.Column{{Name: "position", Type: "utf8", Kind: model.Text}, {Name: "value", Type: b.of.Type(), Kind: model.Float}}}
	if b.of.Width() == 6 {
		tab.Doc = "Four values in three bytes, low bits first. The file does not say how 6-bit values are packed."
	}
	tab.Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
		n = max(0, min(n, tab.Rows-first))
		if n == 0 {
			return nil, nil
		}
		from, _ := b.place(first)
		to, _ := b.place(first + n - 1)
		data, err := b.t.Bytes(ctx, model.Range{Space: from.Space, Off: from.Off, Len: to.End() - from.Off})
		if err != nil {
			return nil, err
		}
		rows := make([]model.Row, n)
		for i := range rows {
			r, shift := b.place(first + int64(i))
			v := uint16(data[r.Off-from.Off])
			if r.Len == 2 {
				v |= uint16(data[r.Off-from.Off+1]) << 8
			}
			rows[i] = model.Row{{Value: model.S(at(first + int64(i)))}, {Value: model.F(b.of.Of(byte(v >> shift))), Range: r}}
		}
		return rows, nil
	}
	tab.Set = b.set
	return tab
}

// typed are the bits of a value that is given as text.
func (b bitwise) typed(c model.Typed) (bits byte, err error) {
	switch {
	case c.Column != 1:
		return 0, fmt.Errorf("row %d: the position is determined by the order of the values", c.Row)
	case c.Row < 0 || c.Row >= b.count():
		return 0, fmt.Errorf("there is no row %d", c.Row)
	case c.Missing:
		return 0, fmt.Errorf("row %d: numbers cannot be missing", c.Row)
	}
	v, err := (&model.Field{Name: "value", Codec: b.of}).Parse(c.Text)
	if err == nil {
		bits, err = b.of.Bits(v)
	}
	if err != nil {
		err = fmt.Errorf("row %d: %w", c.Row, err)
	}
	return bits, err
}

// set makes the edits for typed values.
func (b bitwise) set(ctx context.Context, cells []model.Typed) (edits []model.Edit, err error) {
	changed := map[int64]byte{}
	for _, c := range cells {
		is, err := b.typed(c)
		if err != nil {
			return nil, err
		}
		r, shift := b.place(c.Row)
		mask := (uint16(1)<<b.of.Width() - 1) << shift
		for k := range r.Len {
			at := r.Off + k
			if _, known := changed[at]; !known {
				was, err := b.t.Bytes(ctx, model.Range{Space: r.Space, Off: at, Len: 1})
				if err != nil {
					return nil, err
				}
				changed[at] = was[0]
			}
			changed[at] = changed[at]&^byte(mask>>(8*k)) | byte(uint16(is)<<shift>>(8*k))
		}
	}
	for _, at := range slices.Sorted(maps.Keys(changed)) {
		edits = append(edits, model.Replace(model.Range{Space: b.in.Space, Off: at, Len: 1}, []byte{changed[at]}))
	}
	return edits, nil
}
