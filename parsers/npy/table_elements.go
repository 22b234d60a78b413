package npy

import (
	"context"
	"math"
	"slices"
	"strconv"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// elements is the table of the elements of an array: where each stands, and its value or the fields of its structure.
func elements(name string, t *model.Tree, data *model.Span, h npyfile.Head) model.Table {
	at := model.Position(h.Shape, h.Fortran)
	tab := model.Values(name, title(name, h), t, data, at)
	if h.IsRecord() {
		tab = model.Records(name, title(name, h), t, data).Placed(at)
	}
	for i, p := range h.Parts {
		tab.Columns[i+1].Clock = p.Clock
	}
	tab.Columns[0].Fixed = followsFromPlace
	if len(h.Shape) == 1 && data.Count() == h.Count { // its only dimension counts them
		tab.Fill = model.FillElements(data, 1)
	}
	return indexed(dated(tab), h)
}

// indexed says how elements of one value are indexed as an array; those of structures are rows, and so are dates, which a grid would show as numbers.
func indexed(tab model.Table, h npyfile.Head) model.Table {
	if h.IsRecord() || h.Parts[0].Clock != nil {
		tab.Tensor = nil
		return tab
	}
	return tab.AsTensor(h.Shape, h.Fortran)
}

// columns are those of the table of the elements of an array.
func columns(h npyfile.Head) []model.Column {
	out := []model.Column{{Name: "position", Type: "utf8", Kind: model.Text, Fixed: followsFromPlace}}
	for i, f := range h.Fields() {
		if !h.IsRecord() {
			f.Name = "value"
		}
		out = append(out, model.Column{Name: f.Name, Type: f.Codec.Type(), Kind: f.Codec.Kind(), Clock: h.Parts[i].Clock})
	}
	return out
}

// followsFromPlace is why no one types a position.
const followsFromPlace = "the position follows from the place of the element"

// notATime is what numpy stores for a date or length of time that is missing.
const notATime = math.MinInt64

// dated shows dates beside the numbers that they are stored as, and stores a missing one as numpy does.
func dated(tab model.Table) model.Table {
	if !slices.ContainsFunc(tab.Columns, func(c model.Column) bool { return c.Clock != nil }) {
		return tab
	}
	read, columns := tab.Read, tab.Columns
	tab.Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
		rows, err := read(ctx, first, n)
		for _, r := range rows {
			for j := range r {
				switch c := columns[j].Clock; {
				case c == nil || r[j].Trouble != "":
				case r[j].Value.Int() == notATime:
					r[j].Label = "NaT"
				default:
					r[j].Label = c.Text(r[j].Value.Int())
				}
			}
		}
		return rows, err
	}
	timed := func(c model.Typed) model.Typed {
		if c.Missing && columns[c.Column].Clock != nil {
			c.Missing, c.Text = false, strconv.FormatInt(notATime, 10)
		}
		return c
	}
	if set := tab.Set; set != nil {
		tab.Set = func(ctx context.Context, cells []model.Typed) ([]model.Edit, error) {
			cells = slices.Clone(cells)
			for i := range cells {
				cells[i] = timed(cells[i])
			}
			return set(ctx, cells)
		}
	}
	if fill := tab.Fill; fill != nil {
		tab.Fill = func(ctx context.Context, from, n int64, cell func(int64, int) model.Typed) ([]model.Edit, error) {
			return fill(ctx, from, n, func(row int64, column int) model.Typed { return timed(cell(row, column)) })
		}
	}
	return tab
}
