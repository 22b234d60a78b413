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

func dimTable(s *schema.Schema) model.Table {
	return model.Table{Name: "dimensions", Aside: true, Title: "Dimensions", Doc: "the dimensions of the current schema", Rows: int64(len(s.Dims)),
		Columns: model.Columns("name utf8, datatype utf8, cell_val_num u32, low utf8, high utf8, tile_extent utf8, filters utf8"),
		Read: model.RowsOf(int64(len(s.Dims)), func(_ context.Context, i int64) (model.Row, error) {
			d := &s.Dims[i]
			typ := model.Cell{Value: model.S(storage.TypeName(d.Datatype))}
			if d.Typ.Span != nil {
				typ.Range = d.Typ.Range
			}
			return model.Row{cellAt(d.Name), typ, cellAt(d.Num), cellAt(d.Low), cellAt(d.High), cellAt(d.Extent), pipeCell(&d.Filters)}, nil
		})}
}

func attrTable(s *schema.Schema) model.Table {
	return model.Table{Name: "attributes", Aside: true, Title: "Attributes", Doc: "the attributes of the current schema", Rows: int64(len(s.Attrs)),
		Columns: model.Columns("name utf8, datatype utf8, cell_val_num u32, nullable u8, fill_value utf8, order u8, enumeration utf8, filters utf8"),
		Read: model.RowsOf(int64(len(s.Attrs)), func(_ context.Context, i int64) (model.Row, error) {
			a := &s.Attrs[i]
			return model.Row{cellAt(a.Name), {Value: model.S(storage.TypeName(a.Datatype)), Range: a.Typ.Range}, cellAt(a.Num), cellAt(a.Null),
				cellAt(a.Fill), cellAt(a.Order), cellAt(a.Enum), pipeCell(&a.Filters)}, nil
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
		Read: model.RowsOf(total, func(ctx context.Context, i int64) (model.Row, error) {
			p := parts[sort.Search(len(parts), func(k int) bool { return parts[k].end > i })]
			at := i - (p.end - p.e.Count())
			r := p.e.Data.Range
			r.Off, r.Len = r.Off+p.e.Starts[at], p.e.Starts[at+1]-p.e.Starts[at]
			b, err := a.d.t.Bytes(ctx, r)
			value := storage.Cell(p.e.Datatype, p.e.Num, b)
			value.Range = r
			return model.Row{cellAt(p.ref.Name), {Value: model.U(uint64(at))}, value, {Value: model.S(storage.TypeName(p.e.Datatype))}, cellAt(p.ref.File)}, err
		})}
}
