package ui

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/rows"
)

// A table is filtered and sorted, and its rows stay the rows that they are: a chosen cell is the same one, an edit is made where it belongs.
func TestTableIsFilteredAndSorted(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	tab := d.table
	show := func(row int64) string {
		tab.View.Update()
		tab.View.Reveal(row) // pages out of view are not read
		b.settle(t)
		cells, _ := tab.Row(row)
		var out []string
		for _, c := range cells {
			out = append(out, c.Text)
		}
		return strings.Join(out, " ")
	}
	tab.Choose(95, 2)
	b.settle(t)
	tab.Narrow.SetText("size > 900")
	tab.Narrow.OnSubmitted(tab.Narrow.Text)
	b.settle(t)
	if tab.Count() != 9 || show(0) != "91 91 910" || tab.Current != 4 || !strings.HasPrefix(tab.About.Text, "9 of 100 rows") {
		t.Errorf("%d rows, the first is %q, row %d is chosen; %s", tab.Count(), show(0), tab.Current, tab.About.Text)
	}
	header := func(col int) {
		tab.Press(-1, tab.ColumnX(col)+20, rows.Press{Button: desktop.MouseButtonPrimary})
		tab.Release()
		b.settle(t)
	}
	header(2)
	header(2)
	if show(0) != "99 99 990" || !strings.HasSuffix(tab.Columns[2].Title, "↓") || d.Sel.Now.Cell.Row != 95 || tab.Order.Real(tab.Current) != 95 {
		t.Errorf("sorted: %q, %s, %+v", show(0), tab.Columns[2].Title, d.Sel.Now.Cell)
	}
	d.Editor.SetLocked(false)
	tab.Choose(0, 2)
	b.settle(t)
	tab.SetCell(d.Sel.Now.Cell, "5", func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	b.settle(t)
	if got, _ := d.Tree().Bytes(t.Context(), model.Range{Space: d.hex.Space, Off: 8 + 8*99 + 4, Len: 4}); string(got) != "\x05\x00\x00\x00" {
		t.Errorf("the bytes of row 99 are % x", got)
	}
	if tab.Count() != 8 || show(0) != "98 98 980" {
		t.Errorf("after the edit: %d rows, the first is %q", tab.Count(), show(0))
	}
	d.Editor.Undo()
	b.settle(t)
	tab.FilterBy("")
	header(2)
	b.settle(t)
	if tab.Count() != 100 || show(0) != "0 0 0" || tab.Order.On {
		t.Errorf("%d rows, the first is %q", tab.Count(), show(0))
	}
	tab.FilterBy("sizes > 1")
	b.settle(t)
	if !strings.Contains(tab.About.Text, `there is no column "sizes"`) {
		t.Errorf("of a column that is not there it is said: %q", tab.About.Text)
	}
	tab.FilterBy("size >")
	b.settle(t)
	if tab.Count() != 100 {
		t.Error("half a condition filters")
	}
}
