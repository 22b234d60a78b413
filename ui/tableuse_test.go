package ui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// What a row is known by comes first, and how it is stored last.
func TestColumnsByUse(t *testing.T) {
	_, d := sampleBench(t, "taridx/good/three-shards/train.taridx")
	names := func() string {
		var out []string
		for _, c := range d.table.Table.Columns {
			out = append(out, c.Name)
		}
		return strings.Join(out, " ")
	}
	const usual = "stem extension size keyhash fid offset extid crashid shard member"
	if got := names(); got != usual {
		t.Error(got)
	}
	d.table.Shape.Hide(1)
	d.table.Shape.Move(0, 2)
	if got := names(); got != "size keyhash stem fid offset extid crashid shard member" {
		t.Error(got)
	}
	if d.table.Shape.All(); names() != usual {
		t.Error(names())
	}
}

// Where a column says the numbers of rows, they do not stand there twice; it stays in sight, and if it is hidden they come back.
func TestRowNumbersOnce(t *testing.T) {
	_, d := sampleBench(t, "scdl/good/archive")
	if p := d.table; p.Columns[0].Width != 0 || p.Columns[1].Title != "cell" || p.Pinned != 1 {
		t.Errorf("the row numbers are %v wide beside %s, and %d columns stay", p.Columns[0].Width, p.Columns[1].Title, p.Pinned)
	}
	if d.table.Shape.Hide(0); d.table.Columns[0].Width == 0 || d.table.Pinned != 0 {
		t.Error("no column says the numbers of rows")
	}
}

// A number stands in one base, in the tree, in the table, in what is selected and in repairs.
func TestOneBase(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards/train.taridx")
	d.Sel.Path("rows[1]/offset", nil)
	b.settle(t)
	cells, ok := d.table.Row(1)
	if offset := slices.IndexFunc(d.table.Table.Columns, func(c model.Column) bool { return c.Name == "offset" }); !ok || cells[offset+1].Text != "0x600" || d.Sel.Now.Cell == nil || d.Sel.Now.Cell.Text != "0x600" || d.Sel.Now.Cell.Typed != "0x600" {
		t.Errorf("the table says %+v, the cell %+v", cells, d.Sel.Now.Cell)
	}
	if f := model.SetTo(d.Sel.Now.Span, model.U(0x47)); !strings.HasSuffix(f.Label, "to 0x47") {
		t.Error(f.Label)
	}
}

// Errors of the system are said in words.
func TestPlainErrors(t *testing.T) {
	_, err := os.Open("/nowhere/at all")
	if got := kit.PlainError(fmt.Errorf("opening: %w", err)); got != "There is no such file or folder: /nowhere/at all" {
		t.Error(got)
	}
	if got := kit.PlainError(fmt.Errorf("%w\nThe document stays open", err)); !strings.HasSuffix(got, "/nowhere/at all\nThe document stays open") {
		t.Error(got)
	}
	if got := kit.PlainError(fmt.Errorf("the field is too long")); got != "the field is too long" {
		t.Error(got)
	}
}

// The statistics stay beside the table: they follow an edit, lead to the rows of a range, and are closed.
func TestStatisticsStay(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	p := d.table.Stats
	d.table.Statistics(1)
	b.settle(t)
	said := func() (all string) {
		for _, f := range p.Facts.Items {
			for _, c := range f.Cells {
				all += c.Text + " "
			}
		}
		return all
	}
	if d.Lower.ShownName() != "Statistics" || !strings.Contains(said(), "min 0 max 990 mean 495 ") {
		t.Fatal(d.Lower.ShownName(), said())
	}
	row := slices.IndexFunc(p.Values.Items, func(i doc.Place) bool { return i.Cells[0].Text == "100 to 149" })
	if row < 0 || p.Values.Items[row].Cells[1].Text != "5" {
		t.Fatalf("%+v", p.Values.Items)
	}
	p.Values.Choose(int64(row))
	p.Values.Key(fyne.KeyReturn, 0)
	b.settle(t)
	if d.Lower.ShownName() != "Table" || d.table.Count() != 5 || d.table.Order.Real(0) != 10 {
		t.Error(d.Lower.ShownName(), d.table.Narrow.Text, d.table.Count())
	}
	d.Editor.SetLocked(false)
	d.Editor.SetValue(d.Tree().Root.Get("rows").Child(0).Child(1), model.U(5000), func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	b.settle(t)
	if !strings.Contains(said(), "max 5000") {
		t.Error("after an edit:", said())
	}
	p.Close()
	if d.Lower.ShownName() != "Table" || slices.Contains(d.Lower.Bottom.Items, p.Tab) {
		t.Error("it is not closed")
	}
}

// The details say of a cell what its bytes do not: where in a table it is, that it follows from others, and why it cannot be edited.
func TestDetailsOfACell(t *testing.T) {
	b, d := sampleBench(t, "tiledb/good/sparse-v22")
	said := func(col int) (all string) {
		d.table.Choose(2, col)
		b.settle(t)
		for _, f := range d.info.Facts {
			all += f.Label + " " + f.Text + "\n"
		}
		return all
	}
	if got := said(1); !strings.Contains(got, "read only a cell cannot be moved") {
		t.Errorf("a coordinate:\n%s", got)
	}
	if got := said(2); strings.Contains(got, "read only") || !strings.HasPrefix(got, "CELL \ntable cells\nrow 2\ncolumn n\nFIELD") {
		t.Errorf("a value:\n%s", got)
	}
}
