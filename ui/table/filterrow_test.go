package table

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/ui/bench"
	"spandrel/ui/rows"
)

// What is typed below the title of a column is a part of the filter, and what the filter asks of a column stands there.
func TestFilterRow(t *testing.T) {
	b, _, p := open(t, bench.ToyFile(t, 100)) // id: the number of the row, size: ten times that
	settle := func() {
		t.Helper()
		for limit := time.Now().Add(10 * time.Second); p.asked.filter != p.Narrow.Text && time.Now().Before(limit); time.Sleep(typingTime / 10) {
			b.Settle(t)
		}
		b.Settle(t)
	}
	if p.View.Resize(fyne.NewSize(600, 400)); p.HeadLines() != 1 {
		t.Fatal("it is there before it is asked for")
	}
	page := p.View.Page()
	p.Filter.Turn()
	if p.HeadLines() != 2 || !p.Filter.Entry.Visible() || p.View.Page() != page-1 {
		t.Fatalf("%d lines above %d rows", p.HeadLines(), p.View.Page())
	}
	p.Filter.Entry.SetText("< 10")
	settle()
	if p.Count() != 10 || p.Narrow.Text != "id < 10" {
		t.Errorf("%d rows, filtered by %q", p.Count(), p.Narrow.Text)
	}
	p.Filter.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyTab})
	p.Filter.Entry.SetText("> 50")
	settle()
	if p.Count() != 4 || p.Narrow.Text != "id < 10 and size > 50" || p.Filter.cell(1).Text != "< 10" {
		t.Errorf("%d rows, filtered by %q, and %q of the first column", p.Count(), p.Narrow.Text, p.Filter.cell(1).Text)
	}
	p.Filter.Entry.SetText("> much")
	settle()
	if p.Count() != 4 || !strings.Contains(p.About.Text, "not understood: \"much\" is not a number") {
		t.Errorf("%d rows, and it says %q", p.Count(), p.About.Text)
	}
	p.Filter.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if !strings.HasPrefix(p.About.Text, "4 of 100 rows") || p.Filter.cell(2).Text != "> 50" {
		t.Errorf("afterwards it says %q, and %q", p.About.Text, p.Filter.cell(2).Text)
	}
	p.Narrow.SetText("size = 90")
	settle()
	if p.Count() != 1 || p.Filter.cell(1).Text != "" || p.Filter.cell(2).Text != "= 90" {
		t.Errorf("%d rows: %q, %q", p.Count(), p.Filter.cell(1).Text, p.Filter.cell(2).Text)
	}
	row, x := p.View.Rows, p.ColumnX(1)+5
	row.Press(rows.FilterRow, x, rows.Press{Button: desktop.MouseButtonPrimary})
	if p.Filter.col != 1 || !p.Filter.Entry.Visible() {
		t.Error("a click does not let it be typed into")
	}
	p.View.Picture(600, 400)
	if p.Filter.Turn(); p.HeadLines() != 1 || p.Count() != 1 {
		t.Errorf("%d lines, %d rows", p.HeadLines(), p.Count())
	}
}
