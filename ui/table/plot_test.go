package table

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/paint"
)

// A column is drawn over the rows or over another column; a click on a point leads to its row, and an edit moves it without a word.
func TestPlot(t *testing.T) {
	b, d, p := open(t, bench.ToyFile(t, 100))
	d.Lower.Lay(container.NewTabItem("Table", p.Object))
	x := p.Plot
	x.Draw(1, -1) // sizes: ten times the number of the row
	b.Settle(t)
	x.Resize(fyne.NewSize(600, 400))
	if len(x.Points) != 100 || !x.lined || x.y.max != 990 || x.x.max != 99 || x.about.Text != "rows: size over row" {
		t.Fatalf("%d points, to %v and %v: %s", len(x.Points), x.x.max, x.y.max, x.about.Text)
	}
	if y, rows := fmt.Sprint(x.y.ticks(6)), fmt.Sprint(x.x.ticks(5)); y != "[0 200 400 600 800]" || rows != "[0 20 40 60 80]" {
		t.Errorf("the axes say %s and %s", y, rows)
	}
	if one := (plotAxis{min: 7, max: 7}).ticks(5); len(one) != 1 || one[0] != 7 {
		t.Errorf("of one number: %v", one)
	}
	if wide := (plotAxis{min: -math.MaxFloat64, max: math.MaxFloat64}).ticks(5); len(wide) > 9 {
		t.Errorf("of all numbers: %v", wide)
	}
	img := x.generate(600, 400)
	middle := x.place(x.Points[50], 600, 400)
	if img.At(int(middle.X), int(middle.Y)) != paint.Look().Caret {
		t.Error("nothing is drawn where the point is")
	}
	x.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(middle.X+2, middle.Y-1)}})
	b.Settle(t)
	if p.Current != 50 {
		t.Errorf("a click leads to row %d", p.Current)
	}
	x.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(middle.X, middle.Y)}})
	if x.mark.Hidden {
		t.Error("the point is not marked")
	}
	x.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(middle.X, middle.Y-90)}})
	if !x.mark.Hidden {
		t.Error("a point is marked where there is none")
	}
	d.Lower.Open(0)
	d.Editor.SetLocked(false)
	d.Editor.SetValue(d.Tree().Root.Get("rows").Child(7).Child(1), model.U(5000), nil)
	b.Settle(t)
	if x.y.max != 5000 || x.Points[7].y != 5000 {
		t.Errorf("after an edit: up to %v", x.y.max)
	}
	x.Draw(1, 0)
	b.Settle(t)
	if x.lined || len(x.Points) != 100 || !strings.HasSuffix(x.about.Text, "size over id") {
		t.Errorf("%d points: %s", len(x.Points), x.about.Text)
	}
	if x.Close(); len(d.Lower.Bottom.Items) != 1 {
		t.Error("it stays")
	}
}

// What is no number is no point, and a plot of nothing says so.
func TestPlotOfNothing(t *testing.T) {
	b, d, p := open(t, bench.ToyFile(t, 0))
	d.Lower.Lay(container.NewTabItem("Table", p.Object))
	p.Plot.Draw(1, -1)
	b.Settle(t)
	if len(p.Plot.Points) != 0 {
		t.Error(p.Plot.Points)
	}
	p.Plot.generate(300, 200)
	if _, ok := p.Plot.nearest(fyne.NewPos(100, 100)); ok {
		t.Error("a point is near")
	}
}

// Of very many rows a plot has a bounded number of points, from the first rows to the last pages.
func TestPlotOfManyRows(t *testing.T) {
	const n = 3_000_000
	of := model.Table{Rows: n, Columns: model.Columns("value u64")}
	of.Read = model.RowsOf(n, func(_ context.Context, i int64) (model.Row, error) {
		return model.Row{{Value: model.U(uint64(i))}}, nil
	})
	list, err := readPlot(t.Context(), &of, nil)
	if err != nil || len(list) > 2*mostPlotted || list[0].row != 0 || list[len(list)-1].row < n-n/16 {
		t.Errorf("%d points, to row %d: %v", len(list), list[len(list)-1].row, err)
	}
}
