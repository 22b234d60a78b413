package table

import (
	"context"
	"fmt"
	"image/color"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/ui/doc"
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
	if text := p.About.Text; text != "2 × 3 of [2, 3] f32  ·  min 0, mean 1.25, max 2.5" {
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
	if !strings.Contains(p.About.Text, "min -7") {
		t.Errorf("about: %q", p.About.Text)
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
