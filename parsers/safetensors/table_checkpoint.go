package safetensors

import (
	"context"
	"maps"
	"slices"

	"spandrel/model"
)

// listed are the tensors of the index; without one, those of the shards.
func (x *index) listed() []*mapped {
	order := x.order
	if len(order) == 0 {
		for _, name := range slices.Sorted(maps.Keys(x.shards)) {
			for _, s := range x.shards[name].tensors {
				order = append(order, &mapped{tensor: s.name, file: name})
			}
		}
	}
	return order
}

// inShard is the shard of a tensor, and the tensor in its header; nil if it is not there.
func (x *index) inShard(w *mapped) (*shard, *stored) {
	h := x.shards[w.file]
	if h == nil {
		return nil, nil
	}
	return h, h.byName[w.tensor]
}

// mostTables limits the tables of the values of a checkpoint, because each takes memory.
const mostTables = 20_000

// valueTables are those of the values of the tensors. The shards are not parsed for them: their headers were read with the index.
func (x *index) valueTables(t *model.Tree) (out []model.Table) {
	for _, w := range x.listed() {
		if len(out) == mostTables {
			break
		}
		if h, s := x.inShard(w); s != nil {
			out = append(out, h.valueTables(t, s)...)
		}
	}
	return out
}

// values is where the values of a tensor are; no bytes if its type and shape do not fill them, or the file ends before.
func (h *shard) values(s *stored) model.Range {
	n, _ := (&tensor{shape: s.shape}).bytesOf(dtypes[s.dtype])
	if s.begin < 0 || s.end-s.begin != n || s.end > h.size-h.data {
		return model.Range{}
	}
	return model.Range{Space: h.span.Range.Space, Off: h.data + s.begin, Len: n}
}

// valueTables is the table of the values of a tensor.
func (h *shard) valueTables(t *model.Tree, s *stored) []model.Table {
	typ, at := dtypes[s.dtype], h.values(s)
	x := &tensor{name: s.name, typ: model.Node{Value: model.S(s.dtype)}, shape: s.shape, values: &model.Span{Range: at}}
	if at.Len == 0 || typ.codec == nil && packed[s.dtype] == nil {
		return nil
	}
	if typ.codec != nil {
		x.values = model.ArrayAt(x.valueField(x.name), typ.element(), at)
	}
	return x.tables(t)
}

// tables are the tensors of a checkpoint, and its files.
func (x *index) tables() []model.Table {
	order := x.listed()
	list := model.Table{Name: "tensors", Title: "tensors", Doc: "name, file, type, shape and bytes of each tensor", Rows: int64(len(order)),
		Columns: model.Columns("name utf8, shard utf8, dtype utf8, shape utf8, bytes i64")}
	list.Read = model.RowsOf(list.Rows, func(_ context.Context, i int64) (model.Row, error) {
		w := order[i]
		row := model.Row{{Value: model.S(w.tensor)}, {Value: model.S(w.file)}, {}, {}, {}}
		if w.node.Span != nil {
			row[1].Range = w.node.Range
		}
		if _, s := x.inShard(w); s != nil {
			row[0].Range = s.at
			row[2].Value, row[3].Value, row[4].Value = model.S(s.dtype), model.S(shapeText(s.shape)), model.I(s.end-s.begin)
		}
		return row, nil
	})
	names := slices.Sorted(maps.Keys(x.shards))
	files := model.Table{Name: "shards", Title: "shards", Doc: "the files of the checkpoint", Rows: int64(len(names)), Aside: true,
		Columns: model.Columns("name utf8, bytes i64, tensors i64, state utf8")}
	files.Read = model.RowsOf(files.Rows, func(_ context.Context, i int64) (model.Row, error) {
		h := x.shards[names[i]]
		row := model.Row{{Value: model.S(h.name)}, {}, {}, {Value: model.S("missing")}}
		if h.there {
			row[1].Value, row[2].Value, row[3].Value = model.I(h.size), model.I(int64(len(h.tensors))), model.S("present")
		}
		if h.trouble {
			row[3].Value = model.S("damaged")
		}
		return row, nil
	})
	list.Partial = true
	return []model.Table{list, files}
}
