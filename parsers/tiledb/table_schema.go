package tiledb

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// tables lists the tables: what the current schema says, what changed between schemas, and the cells.
func tables(ctx context.Context, t *model.Tree) []model.Table {
	d, ok := t.State.(*doc)
	if !ok {
		return nil
	}
	a := d.inOrder[0] // what was opened, or what it is part of
	s := a.schemas.current()
	if s == nil {
		return append(impliedTables(ctx, a), keyTables(ctx, t)...)
	}
	out := []model.Table{dimTable(s), attrTable(s), enumTable(ctx, a, s)}
	out[0].Key, out[1].Key = []string{"name"}, []string{"name"}
	out[0].Stored("tile_extent", "filters")
	out[1].Stored("filters")
	out[2].Stored("file")
	if t.Snapshot.Primary == "" && len(a.schemas.order) > 1 {
		out = append(out, evolutionTable(ctx, a))
	}
	switch {
	case d.whole():
		out = append(out, cellsAt(ctx, a, asOfNow), storedCells(ctx, a, "stored"))
	case len(a.fragList) > 0:
		out = append(out, storedCells(ctx, a, "cells"))
	}
	return append(out, keyTables(ctx, t)...)
}

func pipeText(list []filter.Filter) string {
	var names []string
	for _, f := range list {
		text := filter.NameOf(f.Type)
		if op, ok := filter.Effective(f); ok && op != f.Type {
			text = filter.NameOf(op)
		}
		if f.Level > 0 {
			text += fmt.Sprintf(" %d", f.Level)
		}
		names = append(names, text)
	}
	return strings.Join(names, ", ")
}

func pipeCell(p *pipe) model.Cell {
	c := model.Cell{Value: model.S(pipeText(p.list))}
	if p.Span != nil {
		c.Range = p.Range
	}
	return c
}

// rows is a table whose rows are made one by one.
func rows(n int, row func(i int64) model.Row) func(context.Context, int64, int64) ([]model.Row, error) {
	return func(ctx context.Context, first, count int64) (out []model.Row, err error) {
		for i := first; i < min(first+count, int64(n)); i++ {
			out = append(out, row(i))
		}
		return out, ctx.Err()
	}
}

func dimTable(s *schemaInfo) model.Table {
	return model.Table{Name: "dimensions", Aside: true, Title: "Dimensions", Doc: "the dimensions of the current schema", Rows: int64(len(s.dims)),
		Columns: columns("name:utf8", "datatype:utf8", "cell_val_num:u32", "low:utf8", "high:utf8", "tile_extent:utf8", "filters:utf8"),
		Read: rows(len(s.dims), func(i int64) model.Row {
			d := &s.dims[i]
			typ := model.Cell{Value: model.S(typeName(d.datatype))}
			if d.typ.Span != nil {
				typ.Range = d.typ.Range
			}
			return model.Row{cellAt(d.name), typ, cellAt(d.num), cellAt(d.low), cellAt(d.high), cellAt(d.extent), pipeCell(&d.filters)}
		})}
}

func attrTable(s *schemaInfo) model.Table {
	return model.Table{Name: "attributes", Aside: true, Title: "Attributes", Doc: "the attributes of the current schema", Rows: int64(len(s.attrs)),
		Columns: columns("name:utf8", "datatype:utf8", "cell_val_num:u32", "nullable:u8", "fill_value:utf8", "order:u8",
			"enumeration:utf8", "filters:utf8"),
		Read: rows(len(s.attrs), func(i int64) model.Row {
			a := &s.attrs[i]
			return model.Row{cellAt(a.name), {Value: model.S(typeName(a.datatype)), Range: a.typ.Range}, cellAt(a.num), cellAt(a.null),
				cellAt(a.fill), cellAt(a.order), cellAt(a.enum), pipeCell(&a.filters)}
		})}
}

// enumTable lists every value of every enumeration of the schema.
func enumTable(ctx context.Context, a *array, s *schemaInfo) model.Table {
	type part struct {
		ref enumRef
		e   *enumeration
		end int64
	}
	var parts []part
	total := int64(0)
	for _, ref := range s.enums {
		if e := a.schemas.enumerationFile(ctx, ref.file.Text()); e != nil {
			total += e.count()
			parts = append(parts, part{ref, e, total})
		}
	}
	return model.Table{Name: "enumerations", Aside: true, Title: "Enumerations", Doc: "the values of the enumerations of the current schema",
		Rows:    total,
		Columns: columns("enumeration:utf8", "index:u64", "value:utf8", "datatype:utf8", "file:utf8"),
		Read: func(ctx context.Context, first, n int64) (out []model.Row, err error) {
			for i := first; i < min(first+n, total); i++ {
				p := parts[sort.Search(len(parts), func(k int) bool { return parts[k].end > i })]
				at := i - (p.end - p.e.count())
				r := p.e.data.Range
				r.Off, r.Len = r.Off+p.e.starts[at], p.e.starts[at+1]-p.e.starts[at]
				b, err := a.d.t.Bytes(ctx, r)
				if err != nil {
					return out, err
				}
				value := cell(p.e.datatype, p.e.num, b)
				value.Range = r
				out = append(out, model.Row{cellAt(p.ref.name), {Value: model.U(uint64(at))}, value,
					{Value: model.S(typeName(p.e.datatype))}, cellAt(p.ref.file)})
			}
			return out, ctx.Err()
		}}
}
