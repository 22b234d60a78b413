package npy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/internal/npyfile"
	"spandrel/parsers/internal/zipfile"
)

// For how many arrays of an archive the values are tables of their own, and how many columns these have together.
const (
	mostTables  = 1000
	mostColumns = 20_000
)

func tables(ctx context.Context, t *model.Tree) (out []model.Table) {
	f := model.StateOf[*file](t)
	switch {
	case f == nil:
	case f.array != nil && f.array.Data != nil:
		out = append(out, elements("values", t, t.Root, f.array.Data, f.array.Head))
	case f.array != nil && f.array.Err == nil && f.array.Count == 0 && f.array.Parts != nil:
		h := f.array.Head
		out = append(out, indexed(model.Table{Name: "values", Title: title("values", h), Columns: columns(h), Read: model.RowsOf(0, nil)}, h))
	case f.zip != nil:
		members := f.zip.Members
		out = append(out, arraysTable(t, members))
		wide := 0
		for _, m := range members[:min(len(members), mostTables)] {
			h, err := headOf(ctx, t, m)
			if err != nil || m.Plain.Span == nil || h.Parts == nil {
				continue
			}
			if wide += len(h.Parts); wide > mostColumns {
				out[0].Partial = true
				break
			}
			out = append(out, memberTable(t, m, h))
		}
	}
	return out
}

// arraysTable has a row per member of an archive.
func arraysTable(t *model.Tree, members []*zipfile.Member) model.Table {
	list := model.Table{Name: "arrays", Title: "arrays", Doc: "the members of the archive", Rows: int64(len(members)), Columns: model.Columns("name utf8, descr utf8, shape utf8, bytes i64")}
	list.Read = model.RowsOf(list.Rows, func(ctx context.Context, i int64) (model.Row, error) {
		m := members[i]
		row := model.Row{{Value: model.S(m.Name)}, {}, {}, {Value: model.I(m.Size)}}
		if n := m.Entry["name"]; n.Span != nil {
			row[0].Range = n.Range
		}
		if h, err := headOf(ctx, t, m); err == nil {
			row[1].Value, row[2].Value = model.S(h.Type), model.S(shape(h))
		}
		return row, nil
	})
	list.Key = []string{"name"}
	list.Partial = len(members) > mostTables
	list.Stored("bytes")
	return list
}

// headBytes is how much of a member is read for the head of its array: numpy writes 128 bytes, and more for records of many fields.
const headBytes = 4 << 10

// headOf reads the head of the array in a member of an archive.
func headOf(ctx context.Context, t *model.Tree, m *zipfile.Member) (h npyfile.Head, err error) {
	if m.Data.Span == nil || m.Encrypted() {
		return h, errors.New("its bytes cannot be read")
	}
	at := m.Data.Range
	at.Len = min(at.Len, headBytes)
	b, err := t.Bytes(ctx, at)
	if err == nil && m.Method != 0 {
		b = inflate.Front(inflate.Raw, b, headBytes)
	}
	if err != nil {
		return h, err
	}
	return npyfile.Parse(b)
}

// memberTable is the values of an array of an archive, which is inflated when its rows are read.
func memberTable(t *model.Tree, m *zipfile.Member, h npyfile.Head) model.Table {
	x := memberArray{t, m, h}
	out := model.Table{Name: x.name(), Title: title(x.name(), h), Rows: h.Count, Columns: columns(h), Read: x.read}
	if !h.IsRecord() { // cells of structures are edited as the fields that they are
		out.Set, out.Put = x.set, x.put
	}
	if len(h.Shape) > 0 {
		out.Fill = x.fill
	}
	for i := range out.Columns {
		out.Columns[i].Batch = func(ctx context.Context, first, n int64) (model.Batch, error) { return x.batch(ctx, i, first, n) }
	}
	return indexed(out, h)
}

// memberArray is the array in a member, inflated when someone asks for its elements.
type memberArray struct {
	t *model.Tree
	m *zipfile.Member
	h npyfile.Head
}

func (x memberArray) name() string { return strings.TrimSuffix(x.m.Name, ".npy") }

func (x memberArray) elements(ctx context.Context) (model.Table, error) {
	if err := x.t.Open(ctx, x.m.Plain.Span); err != nil {
		return model.Table{}, err
	}
	data := x.m.Plain.Span.Get("data")
	if data == nil || data.Shape != model.Array {
		return model.Table{}, fmt.Errorf("%s has no elements that can be read", x.m.Name)
	}
	return elements(x.name(), x.t, x.m.Plain.Span, data, x.h), nil
}

// read reads rows. Lost rows are included, and say so.
func (x memberArray) read(ctx context.Context, first, n int64) (rows []model.Row, err error) {
	values, err := x.elements(ctx)
	if err == nil {
		rows, err = values.Read(ctx, first, n)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	lost := model.Cell{Trouble: "the member ends before this element"}
	if err != nil {
		lost.Trouble = err.Error()
	}
	for n = max(0, min(n, x.h.Count-first)); int64(len(rows)) < n; {
		rows = append(rows, slices.Repeat(model.Row{lost}, len(columns(x.h))))
	}
	return rows, nil
}

func (x memberArray) set(ctx context.Context, cells []model.Typed) ([]model.Edit, error) {
	return x.put(ctx, cells, nil)
}

func (x memberArray) put(ctx context.Context, cells []model.Typed, runs []model.Run) ([]model.Edit, error) {
	values, err := x.elements(ctx)
	if err != nil || values.Put == nil {
		return nil, cmp.Or(err, fmt.Errorf("%s has no elements that can be changed", x.m.Name))
	}
	return values.Put(ctx, cells, runs)
}

func (x memberArray) fill(ctx context.Context, rows model.GivenRows) ([]model.Edit, error) {
	values, err := x.elements(ctx)
	if err != nil || values.Fill == nil {
		return nil, cmp.Or(err, fmt.Errorf("%s is incomplete", x.m.Name))
	}
	return values.Fill(ctx, rows)
}

func (x memberArray) batch(ctx context.Context, column int, first, n int64) (model.Batch, error) {
	values, err := x.elements(ctx)
	if err != nil {
		return model.Batch{}, err
	}
	list, err := values.Batches(ctx, []int{column}, first, n)
	if err != nil {
		return model.Batch{}, err
	}
	return list[0], nil
}

func title(name string, h npyfile.Head) string {
	return fmt.Sprintf("%s: %s [%s]", name, h.Type, shape(h))
}

func shape(h npyfile.Head) string {
	return model.ShapeText(h.Shape)
}
