package table

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// open shows the pane alone, of a file.
func open(t testing.TB, path string) (*bench.Bench, *doc.Document, *Pane) {
	t.Helper()
	return shownOf(t, bench.Open(t, path))
}

// sample shows the pane alone, of a copy of a sample.
func sample(t testing.TB, path string, inside ...string) (*bench.Bench, *doc.Document, *Pane) {
	t.Helper()
	return shownOf(t, bench.Sample(t, path, inside...))
}

func shownOf(t testing.TB, b *bench.Bench) (*bench.Bench, *doc.Document, *Pane) {
	t.Helper()
	p := New(b.Doc)
	b.Show(t, p, p.Object)
	return b, b.Doc, p
}

// A row may have to meet two conditions; a column's whole name means that column alone.
func TestConditionsOfRows(t *testing.T) {
	rows := &model.Table{Rows: 4, Columns: model.Columns("id u32, other_id u32, label utf8"), Read: func(_ context.Context, first, n int64) (out []model.Row, _ error) {
		for i := first; i < min(4, first+n); i++ {
			out = append(out, model.Row{{Value: model.U(uint64(i))}, {Value: model.U(uint64(3 - i))}, {Value: model.S("salt and pepper")}})
		}
		return out, nil
	}}
	for text, want := range map[string]string{"id >= 1 and id < 3": "[1 2]", "id = 3": "[3]", "d = 3": "[0 3]", "salt and pepper": "[0 1 2 3]",
		"label = salt and pepper": "[0 1 2 3]"} {
		got, err := orderRows(t.Context(), rows, tableOrder{filter: text, column: -1}, func(_, _ int64) {})
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

// Whole numbers are counted one by one where there are few of them, and in ranges that are exact where they are more than a float holds.
func TestHistogramOfWholeNumbers(t *testing.T) {
	texts := func(values ...model.Value) (s *columnStats, out []string) {
		s = newStats(distinctMost, 1)
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
	if got := fmt.Sprint(s.facts()); !strings.Contains(got, "[min 4293253606] [max 9223372036854775809]") {
		t.Error("numbers are not exact:", got)
	}
}

func TestColumnStatistics(t *testing.T) {
	_, _, p := open(t, bench.ToyFile(t, 100))
	list, err := statsOf(t.Context(), p.Table, []int{1}, func(_, _ int64) {})
	s := list[0]
	if err != nil || s.rows != 100 || s.least != 0 || s.most != 990 || s.sum != 49500 || len(s.counts) != 100 {
		t.Errorf("%v: %+v", err, s)
	}
	full := newStats(distinctMost, 1)
	for i := range 3 * sampleMost {
		full.add(model.U(uint64(i)), "")
	}
	if len(full.sample) > sampleMost || full.sample[len(full.sample)-1] < 2.9*sampleMost || !full.more {
		t.Error("the sample of a long column", len(full.sample), full.more)
	}
	if h := full.histogram(); len(h) < bins/2 || h[0].text != "0 to 9999" || !h[0].about || h[0].n < 9_000 || h[0].n > 11_000 {
		t.Errorf("%+v", h)
	}
}

// The statistics of all columns are one row each, which leads to those of its column.
func TestStatisticsOfAllColumns(t *testing.T) {
	b, d, p := open(t, bench.ToyFile(t, 100))
	d.Lower.Lay(container.NewTabItem("Table", p.Object))
	p.Overview()
	b.Settle(t)
	var got []string
	for _, l := range p.AllStats.List.Items {
		got = append(got, strings.Trim(doc.RowText(l), "\t"))
	}
	if want := []string{"id\tu32\t0\t100\t0\t49.5\t99", "size\tu32\t0\t100\t0\t495\t990"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	p.AllStats.List.Current = 1
	p.AllStats.List.Key(fyne.KeyReturn, 0)
	b.Settle(t)
	if p.Stats.column != "size" || p.Stats.Facts.Count() == 0 {
		t.Errorf("Enter leads to column %q, with %d facts", p.Stats.column, p.Stats.Facts.Count())
	}
}

// The menu of a cell offers to edit what can be edited.
func TestMenuOfACell(t *testing.T) {
	b, _, p := sample(t, "taridx/good/three-shards", "train.taridx")
	b.Settle(t)
	dim := map[string]bool{}
	for k, c := range p.Table.Columns {
		m := p.Menu(0, p.ColumnX(k+1)+2)
		dim[c.Name] = m.Items[0].Disabled
		if m.Items[0].Label != "Edit cell" || m.Items[1].Disabled != m.Items[0].Disabled || m.Items[2].Disabled {
			t.Errorf("%s: %+v", c.Name, m.Items[0])
		}
	}
	if dim["size"] || !dim["stem"] {
		t.Errorf("what cannot be edited: %v", dim)
	}
}

// The numbers of the rows stay in sight when a table is scrolled sideways, and what is chosen stands beside them.
func TestRowNumbersStay(t *testing.T) {
	b, _, p := sample(t, "idv/good/deflated.idv")
	b.Win.Resize(fyne.NewSize(900, 700))
	b.Settle(t)
	tab := p
	last := len(tab.Columns) - 1
	tab.Choose(2, last)
	b.Settle(t)
	tab.Choose(2, 4)
	b.Settle(t)
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
	if cells, ok := tab.Row(2); !ok || cells[0].Text != "2" {
		t.Errorf("the row has no number: %+v", cells)
	}
}

// The menu of a cell shows the rows that have its value, and those of the array that its row names.
func TestMenuLeadsOn(t *testing.T) {
	b, _, p := sample(t, "safetensors/good/model.safetensors")
	do := func(row int64, column, label string) {
		t.Helper()
		col := 1 + slices.IndexFunc(p.Table.Columns, func(c model.Column) bool { return c.Name == column })
		for _, x := range p.Menu(row, p.ColumnX(col)+2).Items {
			if x.Label == label {
				x.Action()
				b.Settle(t)
				return
			}
		}
		t.Fatalf("no %q in the menu of %s", label, column)
	}
	if p.Narrow.PlaceHolder != "filter: values > 10" {
		t.Errorf("it is filtered as in %q", p.Narrow.PlaceHolder)
	}
	do(2, "dtype", "Only rows with this value")
	if p.Narrow.Text != "dtype = BOOL" || p.Count() != 1 {
		t.Errorf("%q shows %d rows", p.Narrow.Text, p.Count())
	}
	do(0, "shape", "Show the values of mask")
	if p.Table.Of == nil || p.Table.Of.Name != "mask" || grid(p) != "0 true | 1 false" {
		t.Errorf("%s: %q", p.Table.Name, grid(p))
	}
}

// Columns of short texts leave the room to those behind them, also where more rows follow than were read.
func TestColumnsOfShortTexts(t *testing.T) {
	_, _, p := open(t, bench.ToyFile(t, 3))
	p.View.Resize(fyne.NewSize(700, 400))
	table := model.Table{Name: "short", Rows: 1000, Columns: model.Columns("a utf8, b utf8, c utf8, d utf8, e utf8, f i32")}
	p.Table, p.Columns, p.fitted = &table, columnsOf(&table), false
	page := &tablePage{slots: make([][]string, 6)}
	for i := range 64 {
		row := model.Row{}
		for range 5 {
			row = append(row, model.Cell{Value: model.S(fmt.Sprint("s", i))})
		}
		page.rows = append(page.rows, append(row, model.Cell{Value: model.I(int64(i))}))
	}
	if p.fitColumns(page); p.Width() > p.Room() {
		t.Errorf("columns of %g units in %g", p.Width(), p.Room())
	}
}

// Columns of numbers give up what their first rows leave free, as long as others are out of sight, and keep room for two more digits.
func TestColumnsOfNumbersTighten(t *testing.T) {
	_, _, p := open(t, bench.ToyFile(t, 3))
	table := model.Table{Name: "long", Rows: 100_000, Columns: model.Columns("a u64, b u64, c u64, d u64, e u64, f u64, g u64, h u64")}
	row := model.Row{}
	for range 8 {
		row = append(row, model.Cell{Value: model.U(7)})
	}
	widths := func(pane float32) (all, each float32) {
		p.View.Resize(fyne.NewSize(pane, 400))
		p.Table, p.Columns, p.fitted = &table, columnsOf(&table), false
		p.fitColumns(&tablePage{slots: make([][]string, 8), rows: []model.Row{row, row}})
		return p.Width(), p.Columns[1].Width
	}
	wide, usual := widths(2000)
	if all, each := widths(650); all > 650 || each >= usual || each < kit.ColumnFor("700") {
		t.Errorf("columns of %g units in 650, each %g instead of %g", all, each, usual)
	}
	if all, _ := widths(200); all <= 200 || all >= wide {
		t.Errorf("in 200 units they take %g of %g", all, wide)
	}
}

// Before the tables are known it is not said that there are none.
func TestTablesAreReadFirst(t *testing.T) {
	b := bench.Sample(t, "taridx/good/one-shard", "train.taridx")
	p := New(b.Doc)
	if text := p.List.Button.Text; text != "reading…" {
		t.Errorf("it says %q", text)
	}
	b.Show(t, p, p.Object)
	if text := p.List.Button.Text; text != "rows" {
		t.Errorf("it says %q", text)
	}
}

// The file of an export is called as the table, without what no file name may have and without the index of a whole array.
func TestNameOfAnExport(t *testing.T) {
	for name, want := range map[string]string{"values[:, :]": "values", "a/b": "a-b", "values[0, :, :]": "values[0,--,--]", "x[:]": "x"} {
		if got := fileName(name); got != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
}
