package table

import (
	"context"
	"fmt"
	"image/color"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/rows"
)

// grid prints the rows of a pane that are read.
func grid(p *Pane) string {
	var lines []string
	for row := range p.Count() {
		cells, _ := p.Row(row)
		var words []string
		for _, c := range cells {
			words = append(words, c.Text)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, " | ")
}

// An array is shown as rows and columns, called by their indices, with colours and what is known of its values; an index shows another part of it.
func TestArrayAsGrid(t *testing.T) {
	b, _, p := sample(t, "npy/good/matrix.npy")
	if got := grid(p); got != "0 0 0.5 1 | 1 1.5 2 2.5" || p.Columns[1].Title != "0" || p.Columns[3].Title != "2" {
		t.Fatalf("%q %+v", got, p.Columns)
	}
	if text := p.About.Text + "; " + p.Array.Line.Text; text != "2 × 3 of [2, 3] f32; min 0  ·  mean 1.25  ·  max 2.5" {
		t.Errorf("about: %q", text)
	}
	hot, _ := p.Row(1)
	cold, _ := p.Row(0)
	if hot[3].Fill == cold[2].Fill || hot[3].Fill.A == 0 {
		t.Errorf("colours %v %v", hot[3].Fill, cold[2].Fill)
	}
	p.SwitchHeat()
	if plain, _ := p.Row(1); plain[3].Fill != (color.RGBA{}) {
		t.Error("colours that are switched off")
	}
	p.Array.Index.SetText("[1, ::2]")
	p.Array.Index.OnSubmitted("[1, ::2]")
	b.Settle(t)
	if got := grid(p); got != "0 1.5 | 2 2.5" {
		t.Errorf("a slice: %q", got)
	}
	p.Array.Show("[7, :]")
	if got := grid(p); got != "0 1.5 | 2 2.5" {
		t.Errorf("an index that there is not: %q", got)
	}
	p.Array.Show("")
	b.Settle(t)
	if got := grid(p); !strings.HasPrefix(got, "0 0, 0 0 | 1 0, 1 0.5") {
		t.Errorf("as a list: %q", got)
	}
}

// A cell of a slice is edited, and stays chosen where it is.
func TestEditArray(t *testing.T) {
	b, d, p := sample(t, "npy/good/matrix.npy")
	d.Editor.Unlock()
	b.Settle(t)
	p.Choose(1, 2)
	b.Settle(t)
	if d.Sel.Now.Cell == nil || d.Sel.Now.Cell.Table != "values[:, :]" || d.Sel.Now.Span.Path() != "data[4]" {
		t.Fatalf("%+v %s", d.Sel.Now.Cell, d.Sel.Now.Span.Path())
	}
	p.Editor.Begin("")
	p.Editor.Submit("-7", 0, 0)
	b.Settle(t)
	if got := grid(p); got != "0 0 0.5 1 | 1 1.5 -7 2.5" || d.Sel.Now.Span.Path() != "data[4]" {
		t.Errorf("%q %s", got, d.Sel.Now.Span.Path())
	}
	if !strings.Contains(p.Array.Line.Text, "min -7") {
		t.Errorf("about: %q", p.Array.Line.Text)
	}
	d.GoToCell(&doc.CellRef{Table: "values", Column: "value", Row: 5})
	b.Settle(t)
	if p.Array.shown != "" || p.Current != 5 {
		t.Errorf("a cell of the list: %q, row %d", p.Array.shown, p.Current)
	}
}

// Tables are chosen from a list that says what they hold, in one line each, however they are called.
func TestTableList(t *testing.T) {
	b, _, p := sample(t, "npy/good/arrays.npz")
	if got := fmt.Sprint(p.List.Lines()); got != "[arrays   2 rows weights   f32 [2, 3]   24 B ids   i32 [4]   16 B]" {
		t.Errorf("%s", got)
	}
	p.open(1)
	b.Settle(t)
	if got := grid(p); got != "0 0 0.5 1 | 1 1.5 2 2.5" || p.List.Button.Text != "weights" {
		t.Errorf("%q, called %q", got, p.List.Button.Text)
	}
	p.tables = []model.Table{{Name: "a\nb" + strings.Repeat("c", 3000)}}
	if line := p.List.Lines()[0]; strings.Contains(line, "\n") || len(line) > 100 {
		t.Errorf("%q", line)
	}
}

// Two million values are shown without reading more than is in sight and a sample of them.
func TestLargeArray(t *testing.T) {
	read := int64(0)
	tab := model.Table{Name: "a", Rows: 2_000_000, Columns: model.Columns("value f32")}
	tab.Read = model.RowsOf(tab.Rows, nil)
	tab = tab.AsTensor([]int64{2000, 1000}, false)
	tab.Tensor.Read = func(_ context.Context, first, n int64) ([]model.Cell, error) {
		read += n
		return make([]model.Cell, n), nil
	}
	s, err := tab.Slice("[:, :]")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(t.Context(), 1990, 8); err != nil || read != 8000 {
		t.Errorf("%d values are read for 8 rows: %v", read, err)
	}
}

// A block of cells is copied without names, pasted elsewhere as one edit, and filled down.
func TestBlocks(t *testing.T) {
	b, d, p := sample(t, "npy/good/matrix.npy")
	d.Editor.Unlock()
	b.Settle(t)
	p.Choose(0, 2)
	p.Key(fyne.KeyRight, fyne.KeyModifierShift)
	p.Key(fyne.KeyDown, fyne.KeyModifierShift)
	p.Key(fyne.KeyC, fyne.KeyModifierShortcutDefault)
	b.Settle(t)
	if got := b.App.Clipboard().Content(); got != "0.5\t1\n2\t2.5\n" {
		t.Fatalf("copied %q", got)
	}
	p.Choose(0, 1)
	p.Key(fyne.KeyV, fyne.KeyModifierShortcutDefault)
	b.Settle(t)
	if got := grid(p); got != "0 0.5 1 1 | 1 2 2.5 2.5" {
		t.Errorf("pasted: %s", got)
	}
	d.Editor.Undo()
	b.Settle(t)
	if got := grid(p); got != "0 0 0.5 1 | 1 1.5 2 2.5" {
		t.Errorf("taken back in one step: %s", got)
	}
	p.Choose(1, 3)
	p.Paste("1\t2")
	b.Settle(t)
	if got := grid(p); got != "0 0 0.5 1 | 1 1.5 2 2.5" {
		t.Errorf("a block that does not fit is pasted: %s", got)
	}
	p.Paste("x")
	b.Settle(t)
	if d.Editor.Busy || strings.Contains(grid(p), "x") {
		t.Error("a word in place of a number")
	}
	p.Choose(0, 1)
	p.Key(fyne.KeyDown, fyne.KeyModifierShift)
	p.FillDown()
	b.Settle(t)
	if got := grid(p); got != "0 0 0.5 1 | 1 0 2 2.5" {
		t.Errorf("filled down: %s", got)
	}
}

// Columns are hidden, moved and pinned; cells stay what they are, and all come back.
func TestColumnOrder(t *testing.T) {
	b, d, p := sample(t, "idv/good/deflated.idv")
	name := func(col int) string { return p.Table.Columns[col].Name }
	p.Shape.Hide(0)
	b.Settle(t)
	p.Shape.Pin(3)
	b.Settle(t)
	if name(0) != "TimeSpan" || name(1) != "Int16" || p.Pinned != 1 || len(p.Columns) != 20 {
		t.Fatalf("%s %s %d %d", name(0), name(1), p.Pinned, len(p.Columns))
	}
	p.Shape.Move(1, 3)
	b.Settle(t)
	if cells, ok := p.Row(1); !ok || name(3) != "Int16" || cells[4].Text != "-51" {
		t.Errorf("%s %+v", name(3), cells)
	}
	p.Choose(1, 4)
	b.Settle(t)
	if c := d.Sel.Now.Cell; c == nil || c.Column != "Int16" || c.Text != "-51" {
		t.Errorf("chosen %+v", c)
	}
	p.Shape.All()
	b.Settle(t)
	if name(0) != "SByte" || p.Pinned != 0 || len(p.Columns) != 21 {
		t.Errorf("all: %s %d %d", name(0), p.Pinned, len(p.Columns))
	}
}

// The title of a column is dragged to another place; one that is only clicked sorts.
func TestDragColumn(t *testing.T) {
	b, _, p := sample(t, "idv/good/deflated.idv")
	name := func(col int) string { return p.Table.Columns[col].Name }
	at := func(col int) float32 { return p.ColumnX(col) + 20 }
	p.Press(-1, at(1), rows.Press{Button: desktop.MouseButtonPrimary})
	p.Press(-1, at(2), rows.Press{Drag: true, Button: desktop.MouseButtonPrimary})
	p.Press(0, at(3), rows.Press{Drag: true, Button: desktop.MouseButtonPrimary})
	if p.Moving != 1 || p.Over != 3 || p.Current >= 0 {
		t.Errorf("column %d goes to %d; row %d is chosen", p.Moving, p.Over, p.Current)
	}
	p.View.DragEnd()
	p.View.MouseUp(nil)
	b.Settle(t)
	if name(0) != "Int16" || name(2) != "SByte" || p.Order.column >= 0 || p.Moving >= 0 {
		t.Errorf("%s %s %s, sorted by %d", name(0), name(1), name(2), p.Order.column)
	}
	p.Press(-1, at(3), rows.Press{Button: desktop.MouseButtonPrimary})
	p.View.MouseUp(nil)
	b.Settle(t)
	if p.Order.column != 2 || name(2) != "SByte" {
		t.Errorf("a click sorts by %d", p.Order.column)
	}
}

// A table is scrolled sideways by whole columns: no number is cut at its front, where it would read as another one.
func TestWholeColumns(t *testing.T) {
	b, _, p := sample(t, "idv/good/deflated.idv")
	b.Win.Resize(fyne.NewSize(500, 400))
	starts := map[float32]bool{}
	for col := 1; col < len(p.Columns); col++ {
		starts[float32(int64(p.ColumnX(col)-p.ColumnWidth(0)))] = true
	}
	scroll := func(dx float32) { p.View.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(dx, 0)}) }
	last := p.View.Left
	for range 30 {
		scroll(-25)
		if !starts[float32(p.View.Left)] {
			t.Fatalf("a column is cut at %d", p.View.Left)
		}
		if p.View.Left < last {
			t.Fatal("backwards")
		}
		last = p.View.Left
	}
	if p.View.Left+int64(p.View.Size().Width) < int64(p.Width()) {
		t.Error("the last column is not reached")
	}
	for range 30 {
		scroll(25)
	}
	if p.View.Left != 0 {
		t.Errorf("back at the start it is %d", p.View.Left)
	}
	p.Choose(0, 20)
	if x := p.ColumnX(20) - float32(p.View.Left); x < p.ColumnWidth(0)-1 {
		t.Errorf("the chosen column is at %v", x)
	}
}

// A condition is followed while it is typed; what is not understood is said, and the rows stay.
func TestLiveFilter(t *testing.T) {
	b, _, p := open(t, bench.ToyFile(t, 100))
	for text, want := range map[string]string{"id >< 3": `not understood: "< 3" is not a number`, "nosuch > 3": `not understood: there is no column "nosuch"`, "id >": "not understood: write name > value"} {
		if p.narrow(text); p.About.Text != want || p.Count() != 100 {
			t.Errorf("%s: %q, %d rows", text, p.About.Text, p.Count())
		}
	}
	p.Narrow.SetText("id >= 98")
	time.Sleep(2 * typingTime)
	b.Settle(t)
	if p.Count() != 2 || !strings.Contains(p.About.Text, "2 of 100 rows") {
		t.Errorf("%d rows, %q", p.Count(), p.About.Text)
	}
	if !p.Key(fyne.KeyEscape, 0) || p.Count() != 100 || p.Narrow.Text != "" {
		t.Errorf("after Esc in the rows there are %d, with the filter %q", p.Count(), p.Narrow.Text)
	}
	f, _ := model.ParseFilter("values = 6")
	tab := &model.Table{Columns: model.Columns("values u32[]")}
	if !f.Meets(tab, model.Row{{Vector: true, Items: []model.Value{model.U(5), model.U(6)}}}) {
		t.Error("a value of a list is not found")
	}
}
