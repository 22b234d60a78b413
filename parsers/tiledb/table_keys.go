package tiledb

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Tables of the combined content of a folder's files: the metadata of an array or a group, and the members of a group. Later files
// override earlier ones.

// How many records are listed, and from how many files: the latest.
const (
	mostKeys  = 1 << 16
	mostFiles = 1000
)

// keyed is the records of files by key, each with the file that wrote it last.
type keyed struct {
	t     *model.Tree
	ctx   context.Context
	found map[string]keyedRecord
	cut   bool // a limit was reached: the list is incomplete
}

type keyedRecord struct {
	key, file string
	at        *model.Span
}

// gather reads the files of a group in order of time, and collects their records.
func (k *keyed) gather(files *model.Span, take func(file, content *model.Span)) {
	if !k.open(files) {
		return
	}
	var list []*model.Span
	for i := range files.Count() {
		if f := files.Child(i); f != nil {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b *model.Span) int { return cmp.Compare(stampOf(a.Name()).to, stampOf(b.Name()).to) })
	k.cut = k.cut || len(list) > mostFiles
	for _, f := range list[max(0, len(list)-mostFiles):] {
		for _, name := range []string{metaF.Name, groupF.Name} {
			if k.open(f) && k.open(f.Get(name)) {
				take(f, f.Get(name))
			}
		}
	}
}

// open reads a span, and tells whether it exists and can be read.
func (k *keyed) open(s *model.Span) bool {
	return s != nil && k.ctx.Err() == nil && k.t.Open(k.ctx, s) == nil
}

// each calls take for the records of a counted list.
func (k *keyed) each(list *model.Span, take func(r *model.Span)) {
	if !k.open(list) {
		return
	}
	k.cut = k.cut || list.Count() > mostKeys
	for i := range min(list.Count(), mostKeys) {
		if r := list.Child(i); k.open(r) {
			take(r)
		}
	}
}

// keep stores a record, or that it is deleted.
func (k *keyed) keep(file, r *model.Span, key string) {
	if k.value(r, metaDeleted.Name).Uint() != 0 {
		delete(k.found, key)
	} else if _, known := k.found[key]; known || len(k.found) < mostKeys {
		k.found[key] = keyedRecord{key, file.Name(), r}
	} else {
		k.cut = true
	}
}

// value is that of a field of a record.
func (k *keyed) value(r *model.Span, name string) model.Value { return k.cell(k.ctx, r, name).Value }

// cell shows a field of a record.
func (k *keyed) cell(ctx context.Context, r *model.Span, name string) model.Cell {
	s := r.Get(name)
	if s == nil {
		return model.Cell{}
	}
	v, _ := k.t.Value(ctx, s)
	return cellAt(model.Node{Span: s, Value: v})
}

// says is a cell of a field with named values: the name.
func (k *keyed) says(ctx context.Context, r *model.Span, name string) model.Cell {
	c := k.cell(ctx, r, name)
	return model.Cell{Value: model.S(cmp.Or(c.Label, c.Value.String())), Range: c.Range}
}

// table lists the records by their keys.
func (k *keyed) table(t model.Table, row func(ctx context.Context, r keyedRecord) model.Row) model.Table {
	list := slices.SortedFunc(maps.Values(k.found), func(a, b keyedRecord) int { return cmp.Compare(a.key, b.key) })
	t.Rows = int64(len(list))
	if k.cut {
		t.Title += ", not all"
		t.Doc += model.Words("; there is more: only the latest %d files and %d records of each are read, and %d keys listed", mostFiles, mostKeys, mostKeys)
	}
	t.Stored("file")
	t.Read = model.RowsOf(t.Rows, func(ctx context.Context, i int64) (model.Row, error) { return row(ctx, list[i]), nil })
	return t
}

// keyTables are the tables of the metadata and of the members of the opened folder; none if it has none.
func keyTables(ctx context.Context, t *model.Tree) (out []model.Table) {
	k := &keyed{t: t, ctx: ctx, found: map[string]keyedRecord{}}
	k.gather(t.Root.Get(metasF.Name), func(file, content *model.Span) {
		k.each(content.Get(metaEntries.Name), func(r *model.Span) { k.keep(file, r, k.value(r, metaKey.Name).Text()) })
	})
	if len(k.found) > 0 {
		out = append(out, k.table(model.Table{Name: "metadata", Aside: true, Key: []string{"key"}, Title: "Metadata", Doc: "keys and values, each from the latest file",
			Columns: model.Columns("key utf8, datatype utf8, value utf8, file utf8")}, func(ctx context.Context, r keyedRecord) model.Row {
			typ, value := uint8(k.cell(ctx, r.at, metaType.Name).Value.Uint()), model.Cell{}
			if s := r.at.Get(metaValue.Name); s != nil {
				if b, err := t.Bytes(ctx, s.Range); err == nil {
					num := uint32(k.cell(ctx, r.at, metaNum.Name).Value.Uint())
					value = model.Cell{Value: model.S(storage.Cell(typ, num, b).String()), Range: s.Range}
				}
			}
			return model.Row{k.cell(ctx, r.at, metaKey.Name), k.says(ctx, r.at, metaType.Name), value, {Value: model.S(r.file)}}
		}))
	}
	k = &keyed{t: t, ctx: ctx, found: map[string]keyedRecord{}}
	k.gather(t.Root.Get(detailsF.Name), func(file, content *model.Span) {
		if k.value(content, groupVersion.Name).Uint() < 2 {
			clear(k.found) // such a file lists all members
		}
		k.each(content.Get(groupMembers.Name), func(r *model.Span) {
			uri, name := k.value(r, memberURI.Name).Text(), k.value(r, schema.NameF.Name).Text()
			k.keep(file, r, cmp.Or(name, path.Base(uri)))
		})
	})
	if len(k.found) > 0 {
		out = append(out, k.table(model.Table{Name: "members", Partial: true, Key: []string{"member"}, Title: "Members", Doc: "the arrays and groups that the group lists",
			Columns: model.Columns("member utf8, object_type utf8, uri utf8, relative u8, file utf8")}, func(ctx context.Context, r keyedRecord) model.Row {
			name := k.cell(ctx, r.at, schema.NameF.Name)
			if name.Value.Kind == model.None {
				name.Value = model.S(r.key)
			}
			return model.Row{name, k.says(ctx, r.at, memberType.Name), k.cell(ctx, r.at, memberURI.Name), k.cell(ctx, r.at, memberRel.Name), {Value: model.S(r.file)}}
		}))
	}
	return out
}

// cellAt is a cell that shows a field of the schema.
func cellAt(n model.Node) model.Cell {
	if n.Span == nil {
		return model.Cell{}
	}
	c := model.Cell{Value: n.Value, Range: n.Range}
	if n.Field.Enum != nil {
		c.Label = n.Field.Enum[n.Uint()]
	}
	return c
}
