package ui

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// The numbers of the rows stay in sight when a table is scrolled sideways, and what is chosen stands beside them.
func TestRowNumbersStay(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	b.win.Resize(fyne.NewSize(900, 700))
	b.settle(t)
	tab := d.table
	last := len(tab.Columns) - 1
	tab.choose(2, last)
	b.settle(t)
	tab.choose(2, 4)
	b.settle(t)
	left := float32(tab.View.Left)
	if left == 0 {
		t.Fatal("all columns fit: nothing is tried")
	}
	if x := tab.ColumnX(4); x < left+tab.ColumnWidth(0) {
		t.Errorf("column 4 begins at %v, below the numbers that reach to %v", x, left+tab.ColumnWidth(0))
	}
	if tab.ColumnAt(left+5) != 0 || tab.ColumnAt(left+tab.ColumnWidth(0)+5) == 0 {
		t.Error("a click on the number of a row hits another column")
	}
	if cells, ok := tab.row(2); !ok || cells[0].Text != "2" {
		t.Errorf("the row has no number: %+v", cells)
	}
}

// A number stands in one base, in the tree, in the table, in what is selected and in repairs.
func TestOneBase(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards/train.taridx")
	d.sel.path("rows[1]/offset", nil)
	b.settle(t)
	cells, ok := d.table.row(1)
	if !ok || cells[2].Text != "0x600" || d.sel.now.Cell == nil || d.sel.now.Cell.text != "0x600" || d.sel.now.Cell.typed != "0x600" {
		t.Errorf("the table says %+v, the cell %+v", cells, d.sel.now.Cell)
	}
	if f := model.SetTo(d.sel.now.Span, model.U(0x47)); !strings.HasSuffix(f.Label, "to 0x47") {
		t.Error(f.Label)
	}
}

// Errors of the system are said in words.
func TestPlainErrors(t *testing.T) {
	_, err := os.Open("/nowhere/at all")
	if got := plainError(fmt.Errorf("opening: %w", err)); got != "There is no such file or folder: /nowhere/at all" {
		t.Error(got)
	}
	if got := plainError(fmt.Errorf("%w\nThe document stays open", err)); !strings.HasSuffix(got, "/nowhere/at all\nThe document stays open") {
		t.Error(got)
	}
	if got := plainError(fmt.Errorf("the field is too long")); got != "the field is too long" {
		t.Error(got)
	}
}

// Whole numbers are counted one by one where there are few of them, and in ranges that are exact where they are more than a float holds.
func TestHistogramOfWholeNumbers(t *testing.T) {
	texts := func(values ...model.Value) (s *columnStats, out []string) {
		s = &columnStats{counts: map[string]int64{}, stride: 1}
		for _, v := range values {
			s.add(v, "")
		}
		for _, l := range s.histogram() {
			if l.n > 0 {
				out = append(out, fmt.Sprintf("%s: %d", l.text, l.n))
			}
		}
		return s, out
	}
	for _, c := range []struct {
		values []model.Value
		want   string
	}{
		{[]model.Value{model.U(0), model.U(1), model.U(2), model.U(1)}, "0: 1, 1: 2, 2: 1"},
		{[]model.Value{model.U(0), model.U(217)}, "0 to 19: 1, 200 to 219: 1"},
		{[]model.Value{model.I(-7), model.I(93)}, "-10 to -6: 1, 90 to 94: 1"},
		{[]model.Value{model.U(5), model.U(math.MaxUint64)}, "0 to below 1e18: 1, 1.8e19 to below 1.9e19: 1"},
		{[]model.Value{model.F(0.5), model.F(1.49)}, "0.5 to 0.55: 1, 1.45 to 1.5: 1"},
		{[]model.Value{model.F(1e18), model.F(1e18 + 256)}, "1000000000000000000 to 1000000000000000256: 2"},
		{[]model.Value{model.F(0), model.F(math.SmallestNonzeroFloat64)}, "0 to 4.94066e-324: 2"},
		{[]model.Value{model.F(-math.MaxFloat64), model.F(math.MaxFloat64)}, "-1.79769e+308 to -1.6e+308: 1, 1.6e+308 to 1.79769e+308: 1"},
		{[]model.Value{model.B(true), model.B(false)}, ""},
	} {
		if _, got := texts(c.values...); strings.Join(got, ", ") != c.want {
			t.Errorf("%v: %v", c.values, got)
		}
	}
	s, _ := texts(model.U(4293253606), model.U(1<<63+1))
	if got := fmt.Sprint(s.facts()); !strings.Contains(got, "[minimum 4293253606] [maximum 9223372036854775809]") {
		t.Error("numbers are not exact:", got)
	}
}

// The statistics stay beside the table: they follow an edit, lead to the rows of a range, and are closed.
func TestStatisticsStay(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	p := d.table.stats
	d.table.statistics(1)
	b.settle(t)
	said := func() (all string) {
		for _, f := range p.facts.items {
			for _, c := range f.cells {
				all += c.Text + " "
			}
		}
		return all
	}
	if d.lower.shownName() != "Statistics" || !strings.Contains(said(), "minimum 0 maximum 990 mean 495 ") {
		t.Fatal(d.lower.shownName(), said())
	}
	row := slices.IndexFunc(p.values.items, func(i place) bool { return i.cells[0].Text == "100 to 149" })
	if row < 0 || p.values.items[row].cells[1].Text != "5" {
		t.Fatalf("%+v", p.values.items)
	}
	p.values.choose(int64(row))
	p.values.Key(fyne.KeyReturn, 0)
	b.settle(t)
	if d.lower.shownName() != "Table" || d.table.Count() != 5 || d.table.order.real(0) != 10 {
		t.Error(d.lower.shownName(), d.table.narrow.Text, d.table.Count())
	}
	d.editor.setLocked(false)
	d.editor.setValue(d.Tree().Root.Get("rows").Child(0).Child(1), model.U(5000), func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	b.settle(t)
	if !strings.Contains(said(), "maximum 5000") {
		t.Error("after an edit:", said())
	}
	p.close()
	if d.lower.shownName() != "Table" || slices.Contains(d.lower.bottom.Items, p.tab) {
		t.Error("it is not closed")
	}
}

// A row may have to meet two conditions; a column's whole name means that column alone.
func TestConditionsOfRows(t *testing.T) {
	table := &model.Table{Rows: 4, Columns: model.Columns("id u32, other_id u32, label utf8"), Read: func(_ context.Context, first, n int64) (out []model.Row, _ error) {
		for i := first; i < min(4, first+n); i++ {
			out = append(out, model.Row{{Value: model.U(uint64(i))}, {Value: model.U(uint64(3 - i))}, {Value: model.S("salt and pepper")}})
		}
		return out, nil
	}}
	for text, want := range map[string]string{"id >= 1 and id < 3": "[1 2]", "id = 3": "[3]", "d = 3": "[0 3]", "salt and pepper": "[0 1 2 3]",
		"label = salt and pepper": "[0 1 2 3]"} {
		got, err := orderRows(t.Context(), table, tableOrder{filter: text, column: -1}, func(_, _ int64) {})
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

// The details say of a cell what its bytes do not: that it follows from others, and why it cannot be edited.
func TestDetailsOfACell(t *testing.T) {
	b, d := sampleBench(t, "tiledb/good/sparse-v22")
	said := func(col int) (all string) {
		d.table.choose(2, col)
		b.settle(t)
		for _, f := range d.info.facts {
			all += f.label + " " + f.text + "\n"
		}
		return all
	}
	if got := said(1); !strings.Contains(got, "read only a cell stays where it is") {
		t.Errorf("a coordinate:\n%s", got)
	}
	if got := said(2); strings.Contains(got, "read only") || strings.Contains(got, "CELL") {
		t.Errorf("a value:\n%s", got)
	}
}

// The menu of a cell offers to edit what can be edited.
func TestMenuOfACell(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards", "train.taridx")
	b.settle(t)
	dim := map[string]bool{}
	for k, c := range d.table.table.Columns {
		m := d.table.Menu(0, d.table.ColumnX(k+1)+2)
		dim[c.Name] = m.Items[0].Disabled
		if m.Items[0].Label != "Edit cell" || m.Items[1].Disabled != m.Items[0].Disabled || m.Items[2].Disabled {
			t.Errorf("%s: %+v", c.Name, m.Items[0])
		}
	}
	if dim["size"] || !dim["stem"] {
		t.Errorf("what cannot be edited: %v", dim)
	}
}
