package npy

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// elements is the table of the elements of an array: the position of each, and its value or the fields of its structure. whole is the type of the array.
func elements(name string, t *model.Tree, whole, data *model.Span, h npyfile.Head) model.Table {
	at := model.Position(h.Shape, h.Fortran)
	tab := model.Values(name, title(name, h), t, data, at)
	if h.IsRecord() {
		tab = model.Records(name, title(name, h), t, data).Placed(at)
	}
	for i, p := range h.Parts {
		tab.Columns[i+1].Clock = p.Clock
	}
	tab.Columns[0].Fixed = followsFromPlace
	if len(h.Shape) > 1 { // in another order of the dimensions an element is in another row
		tab.Key = []string{tab.Columns[0].Name}
	}
	if len(h.Shape) > 0 && data.Count() == h.Count {
		if tab.Fill = model.FillElements(data, 1); len(h.Shape) > 1 { // one dimension, the number of elements
			tab.Fill = filled(tab.Fill, whole, h)
		}
	}
	return indexed(dated(tab), h)
}

// filled is the Fill of an array of several dimensions: the slowest one changes its length, by whole slices.
func filled(fill fillRows, whole *model.Span, h npyfile.Head) fillRows {
	slow := 0
	if h.Fortran {
		slow = len(h.Shape) - 1
	}
	dim := whole.Get("header").Get(fmt.Sprintf("dim%d", slow))
	if dim == nil || h.Shape[slow] == 0 {
		return nil
	}
	slice := h.Count / h.Shape[slow]
	return func(ctx context.Context, rows model.GivenRows) ([]model.Edit, error) {
		from, n := rows.From, rows.N
		if slice == 0 || (from+n)%slice != 0 {
			return nil, fmt.Errorf("elements of the array [%s] can only be added or removed %d at a time, along dimension %d: it would have %d", model.ShapeText(h.Shape), slice, slow, from+n)
		}
		edits, err := fill(ctx, rows)
		if is := (from + n) / slice; err == nil && is != h.Shape[slow] {
			edits = append(edits, model.SetValue(dim, model.I(is)))
		}
		return edits, err
	}
}

// fillRows is the Fill of a table.
type fillRows = func(ctx context.Context, rows model.GivenRows) ([]model.Edit, error)

// indexed says how elements of one value are indexed as an array; structures are rows, and so are dates, which a grid would show as numbers.
func indexed(tab model.Table, h npyfile.Head) model.Table {
	tab = tab.AsNumpy(h.Type, h.Shape, h.Fortran)
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

// followsFromPlace says why a position cannot be typed.
const followsFromPlace = "the position is determined by the order of the elements"

// notATime is what numpy stores for a missing date or duration.
const notATime = math.MinInt64

// dateText is the date in a cell; "" if it has none.
func dateText(c *model.Clock, cell model.Cell) string {
	switch {
	case c == nil || cell.Trouble != "":
		return ""
	case cell.Value.Int() == notATime:
		return "NaT"
	}
	return c.Text(cell.Value.Int())
}

// dated shows dates beside the stored numbers, and stores a missing one as numpy does.
func dated(tab model.Table) model.Table {
	if !slices.ContainsFunc(tab.Columns, func(c model.Column) bool { return c.Clock != nil }) {
		return tab
	}
	read, columns := tab.Read, tab.Columns
	tab.Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
		rows, err := read(ctx, first, n)
		for _, r := range rows {
			for j := range r {
				r[j].Label = cmp.Or(dateText(columns[j].Clock, r[j]), r[j].Label)
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
	if put := tab.Put; put != nil {
		set := putTimes(put, timed)
		tab.Put, tab.Set = set, func(ctx context.Context, cells []model.Typed) ([]model.Edit, error) { return set(ctx, cells, nil) }
	}
	if fill := tab.Fill; fill != nil {
		tab.Fill = func(ctx context.Context, rows model.GivenRows) ([]model.Edit, error) {
			cell := rows.Cell
			rows.Cell = func(row int64, column int) model.Typed { return timed(cell(row, column)) }
			return fill(ctx, rows)
		}
	}
	return tab
}

// putValues is the Put of a table.
type putValues = func(ctx context.Context, cells []model.Typed, runs []model.Run) ([]model.Edit, error)

// putTimes is put for cells as timed changes them, and for runs of times, some of them missing.
func putTimes(put putValues, timed func(model.Typed) model.Typed) putValues {
	return func(ctx context.Context, cells []model.Typed, runs []model.Run) ([]model.Edit, error) {
		cells, runs = slices.Clone(cells), slices.Clone(runs)
		for i := range cells {
			cells[i] = timed(cells[i])
		}
		for i := range runs {
			runs[i].Batch = withNoTime(runs[i].Batch)
		}
		return put(ctx, cells, runs)
	}
}

// withNoTime are times of which those that are missing are stored as numpy does.
func withNoTime(b model.Batch) model.Batch {
	data := bytes.Clone(b.Data)
	for i, none := range b.Null {
		if none {
			binary.LittleEndian.PutUint64(data[8*i:], 1<<63)
		}
	}
	return model.Batch{Rows: b.Rows, Data: data}
}
