package table

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

// Plot draws the numbers of a column over the rows, or over those of another column. A click on a point goes to its row.
type Plot struct {
	widget.BaseWidget
	*aside
	raster *canvas.Raster
	mark   *canvas.Rectangle // around the point that the pointer is at
	Points []plotPoint       // in the order of the rows
	lined  bool              // over the rows: each is joined with the next
	x, y   plotAxis
}

// plotPoint is a row as a point.
type plotPoint struct {
	x, y float64
	row  int64
}

// plotAxis is what an axis shows, and its range.
type plotAxis struct {
	name     string
	min, max float64
}

// at is where a number is on the axis, from 0 to 1.
func (a plotAxis) at(f float64) float64 {
	if a.max <= a.min {
		return 0.5
	}
	return f/(a.max-a.min) - a.min/(a.max-a.min)
}

// ticks are round numbers on the axis, at most so many; the end of the axis if all numbers are the same.
func (a plotAxis) ticks(most int) (out []float64) {
	step := roundStep(a.max/float64(max(1, most)) - a.min/float64(max(1, most)))
	if !(step > 0) || math.Abs(a.min/step) > 1<<52 || math.Abs(a.max/step) > 1<<52 { // numbers so close cannot be told apart
		return []float64{a.min}
	}
	for k := math.Ceil(a.min / step); k*step <= a.max; k++ {
		out = append(out, k*step)
	}
	return out
}

// The room around the plot, in units, for the labels of the axes.
const (
	plotLeft   = 84
	plotAround = 12
	plotBelow  = 24
	plotNear   = 12 // how far from a point the pointer may be
	tickX      = 90 // between the numbers that an axis says
	tickY      = 48
)

func newPlot(t *Pane) *Plot {
	p := &Plot{mark: canvas.NewRectangle(color.Transparent)}
	p.raster = canvas.NewRaster(guard.Pixels("the plot", p.generate))
	p.raster.ScaleMode = canvas.ImageScalePixels
	p.mark.StrokeWidth = 2
	p.mark.Hide()
	p.ExtendBaseWidget(p)
	p.aside = newAside(t, "Plot", "the plot", p)
	p.again, p.gone = p.redraw, p.Close
	return p
}

// Ask asks which column to draw, unless one is selected, and over which other.
func (p *Plot) Ask() {
	t := p.t
	numbers := t.numberColumns()
	switch col := t.SelColumn - 1; {
	case len(numbers) == 0:
		t.d.Window.Say("the table has no numeric column")
	case t.Current >= 0 && slices.Contains(numbers, col):
		p.askOver(col)
	default:
		t.d.Window.Pick("Plot a column", "Choose", t.columnNames(numbers), func(i int) { p.askOver(numbers[i]) })
	}
}

// askOver asks what to draw a column over.
func (p *Plot) askOver(col int) {
	others := slices.DeleteFunc(p.t.numberColumns(), func(k int) bool { return k == col })
	names := append([]string{"row"}, p.t.columnNames(others)...)
	p.t.d.Window.Pick("Plot column "+p.t.Table.Columns[col].Name+" over", "Plot", names, func(i int) {
		if i == 0 {
			p.Draw(col, -1)
			return
		}
		p.Draw(col, others[i-1])
	})
}

// numberColumns are the columns with one number in each row.
func (t *Pane) numberColumns() (out []int) {
	for i, c := range t.Table.Columns {
		if (c.Kind == model.Uint || c.Kind == model.Int || c.Kind == model.Float) && (c.Type == "" || c.Type[len(c.Type)-1] != ']') {
			out = append(out, i)
		}
	}
	return out
}

func (t *Pane) columnNames(columns []int) []string {
	return model.Map(columns, func(k int) string { return t.Table.Columns[k].Name })
}

// Draw shows a column of the table over another; -1: over the rows.
func (p *Plot) Draw(col, over int) {
	p.t.d.Lower.Offer(p.Tab, true)
	p.read(p.t.Table, col, over)
}

// read reads the columns of a table again, and draws them.
func (p *Plot) read(from *model.Table, col, over int) {
	p.reading.Stop()
	columns := []int{col}
	p.y, p.x, p.lined = plotAxis{name: from.Columns[col].Name}, plotAxis{name: "row"}, over < 0
	if over >= 0 {
		columns = append(columns, over)
		p.x.name = from.Columns[over].Name
	}
	p.name, p.Points = from.Name, nil
	p.mark.Hide()
	name := kit.InWidget(fmt.Sprintf("%s: %s over %s", from.Name, p.y.name, p.x.name))
	p.about.SetText(name + ", reading…")
	narrow := from.Arrange(columns)
	p.reading = kit.Work(p.t.d.Window, "", model.Selected, func(ctx context.Context) ([]plotPoint, error) {
		return readPlot(ctx, &narrow, from.Number)
	}, func(list []plotPoint, err error) {
		p.reading = nil
		if err != nil {
			p.about.SetText(name + ": " + kit.PlainError(err))
			return
		}
		if p.about.SetText(name); int64(len(list)) < from.Rows {
			p.about.SetText(model.Words("%s, %s of %d rows", name, model.Thousands(int64(len(list))), from.Rows))
		}
		p.set(list)
	})
}

// mostPlotted is about the largest number of points, because they are drawn while the window is painted.
const mostPlotted = 1 << 17

// readPlot reads the rows of a table of one or two columns; if there are very many, sampled pages. Rows without numbers are skipped.
func readPlot(ctx context.Context, t *model.Table, number func(row int64) int64) (out []plotPoint, err error) {
	page := t.Page(4096)
	step := max(page, t.Rows/max(1, mostPlotted/page))
	for at := int64(0); at < t.Rows; at += step {
		rows, err := t.Read(ctx, at, min(page, t.Rows-at))
		if err != nil {
			return nil, err
		}
		for i, r := range rows {
			p := plotPoint{row: at + int64(i)}
			if p.x = float64(p.row); number != nil {
				p.x = float64(number(p.row))
			}
			if plotted(r, 0, &p.y) && (len(t.Columns) < 2 || plotted(r, 1, &p.x)) {
				out = append(out, p)
			}
		}
	}
	return out, ctx.Err()
}

// plotted takes the number of a cell, and tells whether it has one that can be drawn.
func plotted(r model.Row, k int, to *float64) bool {
	if k >= len(r) || r[k].Trouble != "" || r[k].Vector || !r[k].Value.IsNumber() {
		return false
	}
	f := r[k].Value.Float()
	*to = f
	return !math.IsNaN(f) && !math.IsInf(f, 0)
}

func (p *Plot) set(list []plotPoint) {
	p.Points = list
	for _, a := range []*plotAxis{&p.x, &p.y} {
		a.min, a.max = math.Inf(1), math.Inf(-1)
	}
	for _, q := range list {
		p.x.min, p.x.max = min(p.x.min, q.x), max(p.x.max, q.x)
		p.y.min, p.y.max = min(p.y.min, q.y), max(p.y.max, q.y)
	}
	p.raster.Refresh()
}

// place is where a point is in an area of so many units.
func (p *Plot) place(q plotPoint, w, h float32) paint.Point {
	return paint.Pt(plotLeft+float32(p.x.at(q.x))*max(1, w-plotLeft-plotAround), plotAround+float32(1-p.y.at(q.y))*max(1, h-plotAround-plotBelow))
}

// generate draws the points, and round numbers on both axes.
func (p *Plot) generate(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	scale := float32(1)
	if width := p.raster.Size().Width; width > 0 {
		scale = float32(w) / width
	}
	look, a := paint.Look(), paint.AtlasAt(scale)
	pen := &paint.Pen{Img: img, At: a, Look: look, Clip: img.Rect}
	pen.Fill(img.Rect, look.Background)
	area := image.Rect(pen.Px(plotLeft), pen.Px(plotAround), w-pen.Px(plotAround), h-pen.Px(plotBelow))
	pen.Fill(image.Rect(area.Min.X-1, area.Min.Y, area.Min.X, area.Max.Y+1), look.Line)
	pen.Fill(image.Rect(area.Min.X-1, area.Max.Y, area.Max.X, area.Max.Y+1), look.Line)
	if len(p.Points) == 0 {
		pen.Text(a.Text, area.Min.X+pen.Px(8), area.Min.Y, w, "No numbers to draw", look.Dim)
		return img
	}
	for _, f := range p.y.ticks(area.Dy() / pen.Px(tickY)) {
		y, text := area.Max.Y-int(p.y.at(f)*float64(area.Dy())), plain(f)
		pen.Fill(image.Rect(area.Min.X, y, area.Max.X, y+1), look.Line)
		pen.Text(a.Text, max(0, area.Min.X-pen.Px(8)-a.Text.Width(text)), y-a.Text.Height/2, area.Min.X, text, look.Dim)
	}
	for _, f := range p.x.ticks(area.Dx() / pen.Px(tickX)) {
		x, text := area.Min.X+int(p.x.at(f)*float64(area.Dx())), plain(f)
		pen.Fill(image.Rect(x, area.Max.Y, x+1, area.Max.Y+pen.Px(4)), look.Dim)
		half := a.Text.Width(text) / 2
		pen.Text(a.Text, max(0, min(x-half, w-2*half-1)), area.Max.Y+pen.Px(5), w, text, look.Dim)
	}
	dot := max(2, pen.Px(2))
	var before paint.Point
	for i, q := range p.Points {
		at := p.place(q, float32(w)/scale, float32(h)/scale)
		at = paint.Pt(at.X*scale, at.Y*scale)
		switch {
		case p.lined && i > 0 && int(at.X) == int(before.X): // as many as there are rows for a column of pixels
			pen.Fill(image.Rect(int(at.X), int(min(at.Y, before.Y)), int(at.X)+1, int(max(at.Y, before.Y))+1), look.Caret)
		case p.lined && i > 0:
			pen.Line(before, at, look.Caret)
		}
		if !p.lined || len(p.Points) < 200 {
			pen.Fill(image.Rect(int(at.X)-dot/2, int(at.Y)-dot/2, int(at.X)+dot, int(at.Y)+dot), look.Caret)
		}
		before = at
	}
	return img
}

// nearest is the point next to a place of the widget, as far as one is near.
func (p *Plot) nearest(at fyne.Position) (q plotPoint, ok bool) {
	least := float32(plotNear * plotNear)
	s := p.Size()
	for _, x := range p.Points {
		c := p.place(x, s.Width, s.Height)
		if d := (c.X-at.X)*(c.X-at.X) + (c.Y-at.Y)*(c.Y-at.Y); d <= least {
			least, q, ok = d, x, true
		}
	}
	return q, ok
}

// MouseMoved says which row the point below the pointer is.
func (p *Plot) MouseMoved(e *desktop.MouseEvent) {
	q, ok := p.nearest(e.Position)
	if p.mark.Hidden = !ok; !ok {
		p.mark.Refresh()
		p.t.d.Window.Hint("")
		return
	}
	c := p.place(q, p.Size().Width, p.Size().Height)
	p.mark.StrokeColor = paint.Look().Hover
	p.mark.Resize(fyne.NewSize(10, 10))
	p.mark.Move(fyne.NewPos(c.X-5, c.Y-5))
	p.mark.Refresh()
	text := fmt.Sprintf("row %d: %s is %s", q.row, p.y.name, short6(q.y))
	if !p.lined {
		text += fmt.Sprintf(", %s is %s", p.x.name, short6(q.x))
	}
	p.t.d.Window.Hint(text)
}

func (p *Plot) MouseIn(e *desktop.MouseEvent) { p.MouseMoved(e) }
func (p *Plot) MouseOut() {
	p.mark.Hide()
	p.t.d.Window.Hint("")
}

// MouseDown goes to the row of the point below the pointer.
func (p *Plot) MouseDown(e *desktop.MouseEvent) {
	q, ok := p.nearest(e.Position)
	if !ok {
		return
	}
	p.t.openNamed(p.name)
	p.t.Show(q.row, 1)
	if err := p.t.GoToRow(q.row); err != nil {
		p.t.d.Window.Say(err.Error())
	}
}

func (p *Plot) MouseUp(*desktop.MouseEvent) {}

// redraw draws the columns of a table again; a column that is gone takes its plot with it.
func (p *Plot) redraw(table *model.Table) bool {
	col, over := table.Column(p.y.name), table.Column(p.x.name)
	if p.lined {
		over = -1
	}
	if col < 0 || over < 0 && !p.lined {
		return false
	}
	p.read(table, col, over)
	return true
}

func (p *Plot) CreateRenderer() fyne.WidgetRenderer {
	return guard.Renderer("the plot", fyne.NewSize(120, 60), func(size fyne.Size) { p.raster.Resize(paint.WholeOn(p, size)); p.mark.Hide() }, p.raster.Refresh, p.raster, p.mark)
}
