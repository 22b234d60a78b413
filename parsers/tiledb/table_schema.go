package tiledb

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

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

func pipeCell(p *storage.Pipeline) model.Cell {
	c := model.Cell{Value: model.S(pipeText(p.List))}
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

func dimTable(s *schema.Schema) model.Table {
	return model.Table{Name: "dimensions", Aside: true, Title: "Dimensions", Doc: "the dimensions of the current schema", Rows: int64(len(s.Dims)),
		Columns: model.Columns("name utf8, datatype utf8, cell_val_num u32, low utf8, high utf8, tile_extent utf8, filters utf8"),
		Read: rows(len(s.Dims), func(i int64) model.Row {
			d := &s.Dims[i]
			typ := model.Cell{Value: model.S(storage.TypeName(d.Datatype))}
			if d.Typ.Span != nil {
				typ.Range = d.Typ.Range
			}
			return model.Row{cellAt(d.Name), typ, cellAt(d.Num), cellAt(d.Low), cellAt(d.High), cellAt(d.Extent), pipeCell(&d.Filters)}
		})}
}

func attrTable(s *schema.Schema) model.Table {
	return model.Table{Name: "attributes", Aside: true, Title: "Attributes", Doc: "the attributes of the current schema", Rows: int64(len(s.Attrs)),
		Columns: model.Columns("name utf8, datatype utf8, cell_val_num u32, nullable u8, fill_value utf8, order u8, enumeration utf8, filters utf8"),
		Read: rows(len(s.Attrs), func(i int64) model.Row {
			a := &s.Attrs[i]
			return model.Row{cellAt(a.Name), {Value: model.S(storage.TypeName(a.Datatype)), Range: a.Typ.Range}, cellAt(a.Num), cellAt(a.Null),
				cellAt(a.Fill), cellAt(a.Order), cellAt(a.Enum), pipeCell(&a.Filters)}
		})}
}

// enumTable lists every value of every enumeration of the schema.
func enumTable(ctx context.Context, a *array, s *schema.Schema) model.Table {
	type part struct {
		ref schema.EnumerationEntry
		e   *schema.Enumeration
		end int64
	}
	var parts []part
	total := int64(0)
	for _, ref := range s.Enums {
		if e := a.schemas.EnumerationFile(ctx, ref.File.Text()); e != nil {
			total += e.Count()
			parts = append(parts, part{ref, e, total})
		}
	}
	return model.Table{Name: "enumerations", Aside: true, Title: "Enumerations", Doc: "the values of the enumerations of the current schema",
		Rows:    total,
		Columns: model.Columns("enumeration utf8, index u64, value utf8, datatype utf8, file utf8"),
		Read: func(ctx context.Context, first, n int64) (out []model.Row, err error) {
			for i := first; i < min(first+n, total); i++ {
				p := parts[sort.Search(len(parts), func(k int) bool { return parts[k].end > i })]
				at := i - (p.end - p.e.Count())
				r := p.e.Data.Range
				r.Off, r.Len = r.Off+p.e.Starts[at], p.e.Starts[at+1]-p.e.Starts[at]
				b, err := a.d.t.Bytes(ctx, r)
				if err != nil {
					return out, err
				}
				value := storage.Cell(p.e.Datatype, p.e.Num, b)
				value.Range = r
				out = append(out, model.Row{cellAt(p.ref.Name), {Value: model.U(uint64(at))}, value,
					{Value: model.S(storage.TypeName(p.e.Datatype))}, cellAt(p.ref.File)})
			}
			return out, ctx.Err()
		}}
}
