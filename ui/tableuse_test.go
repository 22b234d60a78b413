package ui

import (
	"fmt"
	"math"
	"os"
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

// Whole numbers are counted one by one where there are few of them.
func TestHistogramOfWholeNumbers(t *testing.T) {
	s := &columnStats{counts: map[string]int64{}, stride: 1}
	for i := range 12 {
		s.add(model.U(uint64(i%3)), "")
	}
	if got := s.String(); strings.Count(got, "█ 4") != 3 || strings.Contains(got, "0.05") {
		t.Error(got)
	}
	for _, most := range []uint64{217, math.MaxUint64} { // of more, each line is a whole number of them
		s = &columnStats{counts: map[string]int64{}, stride: 1}
		s.add(model.U(0), "")
		s.add(model.U(most), "")
		if _, got, _ := strings.Cut(s.String(), "(standard)"); most < 1e15 && strings.Contains(got, ".") || strings.Count(got, "█ 1") != 2 {
			t.Error(got)
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
