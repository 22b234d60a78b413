package table

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

// picture shows the visible part of an array as an image over its rows: a point for each element. Bytes whose last axis is a colour are
// a photograph, other values have the colours of the grid. The rows below it keep the focus.
type picture struct {
	widget.BaseWidget
	a      *arrayView
	On     bool
	points *points // nil: not read yet
	Image  *canvas.Image
	page   *canvas.Rectangle
	mark   *canvas.Rectangle // around the chosen element
	load   kit.Loader[*points]
	Switch *kit.Button
}

// mostPoints is the largest number of points in either direction: larger arrays are subsampled.
const mostPoints = 1024

// points are elements of an array, row by row, with a value for each channel.
type points struct {
	of       *model.Table
	w, h     int
	stepX    int64 // how many elements of a row lie between the start of one point and the next
	stepY    int64 // the same of rows
	channels int
	values   []float32 // NaN: none
	min, max float32
}

func newPicture(a *arrayView) *picture {
	p := &picture{a: a, page: canvas.NewRectangle(color.Transparent), mark: canvas.NewRectangle(color.Transparent)}
	p.Image = canvas.NewImageFromImage(image.NewRGBA(image.Rect(0, 0, 1, 1)))
	p.Image.FillMode, p.Image.ScaleMode, p.mark.StrokeWidth = canvas.ImageFillContain, canvas.ImageScalePixels, 2
	p.ExtendBaseWidget(p)
	p.Switch = kit.NewTool(a.t.d.Window.Host, theme.MediaPhotoIcon(), "as an image, or as numbers", func() { a.t.d.Window.Command("picture") })
	p.Switch.Hide()
	p.Hide()
	return p
}

// Possible tells whether what the table shows has two dimensions.
func (p *picture) Possible() bool {
	t := p.a.t.Table
	return t != nil && t.Of != nil && t.Rows > 0 && len(t.Columns) > 1
}

// Turn switches between the picture and the numbers. For an array of colours one channel becomes all of them.
func (p *picture) Turn() {
	p.On = !p.On
	if at := p.a.at; p.On && at >= 0 {
		if lead, ok := photograph(&p.a.t.tables[at], p.a.shown); ok {
			p.a.Show(lead + "0]")
		}
	}
	p.follow()
}

// photograph tells whether an array has bytes, and colours as its last axis: red, green and blue, perhaps with alpha. lead is the index of a channel of
// the picture that contains an index, up to the channel's number: [2, :, :, .
func photograph(of *model.Table, index string) (lead string, ok bool) {
	a := of.Tensor
	if a == nil || len(a.Shape) < 3 || a.Origin != nil || of.Columns[a.Column].Type != "u8" {
		return "", false
	}
	n := len(a.Shape)
	if c := a.Shape[n-1]; c != 3 && c != 4 {
		return "", false
	}
	lead = "["
	shown := strings.Split(strings.Trim(index, "[] "), ",")
	for i := range n - 3 {
		at := "0"
		if i < len(shown) && !strings.Contains(shown[i], ":") && strings.TrimSpace(shown[i]) != "" {
			at = strings.TrimSpace(shown[i])
		}
		lead += at + ", "
	}
	return lead + ":, :, ", true
}

// photographed tells whether the picture has the array's own colours; the table below shows red.
func (p *picture) photographed() bool {
	t := p.a.t.Table
	if !p.On || t == nil || t.Of == nil {
		return false
	}
	lead, ok := photograph(t.Of, p.a.shown)
	return ok && p.a.shown == lead+"0]"
}

// follow shows the picture of what the table shows now, or nothing if there is none.
func (p *picture) follow() {
	possible := p.Possible()
	if p.a.t.Table != nil {
		p.a.t.tell()
	}
	p.Switch.Hidden = !possible
	if show := p.On && possible; show == p.Hidden {
		p.Hidden = !show
		if p.a.t.Object != nil {
			p.a.t.Object.Refresh() // Fyne does not draw by itself what was never in sight
		}
	}
	if p.Hidden {
		p.load.Stop()
		p.points = nil
		return
	}
	table, parts := p.a.t.Table, []*model.Table{p.a.t.Table}
	if p.photographed() {
		for _, channel := range []string{"1]", "2]"} {
			if s, err := table.Of.Slice(strings.TrimSuffix(p.a.shown, "0]") + channel); err == nil {
				parts = append(parts, &s)
			}
		}
	}
	p.load.Load(p.a.t.d.Window, func(ctx context.Context) (*points, error) { return readPoints(ctx, parts) }, func(x *points, err error) {
		if err == nil && x.of == p.a.t.Table {
			p.points = x
			p.Refresh()
		}
	})
}

// readPoints reads a picture whose channels are tables of the same size.
func readPoints(ctx context.Context, parts []*model.Table) (*points, error) {
	of := parts[0]
	cols := int64(len(of.Columns))
	step := func(n int64) int64 { return (n + mostPoints - 1) / mostPoints }
	x := &points{of: of, stepX: step(cols), stepY: max(step(of.Rows), of.Rows/max(1, 4*model.SpreadMost/cols)), channels: len(parts)}
	x.min, x.max = float32(math.Inf(1)), float32(math.Inf(-1))
	x.w, x.h = int((cols+x.stepX-1)/x.stepX), int((of.Rows+x.stepY-1)/x.stepY)
	x.values = make([]float32, x.w*x.h*x.channels)
	for c, part := range parts {
		n := int64(1) // rows that are read at once
		if x.stepY == 1 {
			n = part.Page(4096)
		}
		for y := int64(0); y < int64(x.h); y += n {
			rows, err := part.Read(ctx, y*x.stepY, n)
			if err != nil {
				return nil, err
			}
			for i := range min(n, int64(x.h)-y) {
				for k := range x.w {
					x.values[((int(y+i)*x.w)+k)*x.channels+c] = x.value(rows, i, int64(k)*x.stepX)
				}
			}
		}
	}
	return x, ctx.Err()
}

// value is a number in rows that were read; NaN if there is none.
func (x *points) value(rows []model.Row, row, col int64) float32 {
	nan := float32(math.NaN())
	if row >= int64(len(rows)) || col >= int64(len(rows[row])) {
		return nan
	}
	c := rows[row][col]
	if c.Trouble != "" || c.Vector || !c.Value.IsNumber() {
		return nan
	}
	f := float32(c.Value.Float())
	if !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) {
		x.min, x.max = min(x.min, f), max(x.max, f)
	}
	return f
}

// draw colours the points.
func (x *points) draw(look *paint.Palette) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, x.w, x.h))
	spread := model.Spread{Min: float64(x.min), Max: float64(x.max)}
	for i := range x.w * x.h {
		c := color.RGBA{A: 255}
		switch v := x.values[i*x.channels]; {
		case x.channels == 3:
			c.R, c.G, c.B = uint8(v), uint8(x.values[i*3+1]), uint8(x.values[i*3+2])
		case math.IsNaN(float64(v)):
			c = look.Mark(model.Error)
		default:
			c = look.Heat(degree(&spread, float64(v)))
		}
		img.SetRGBA(i%x.w, i/x.w, c)
	}
	return img
}

// area is where the image is in the widget, and the size of an element in units.
func (p *picture) area() (at fyne.Position, unitX, unitY float32) {
	x, s := p.points, p.Size()
	unit := min(s.Width/float32(x.w), s.Height/float32(x.h))
	at = fyne.NewPos((s.Width-unit*float32(x.w))/2, (s.Height-unit*float32(x.h))/2)
	return at, unit / float32(x.stepX), unit / float32(x.stepY)
}

// elementAt is the element at a place of the widget: its row and column in the table.
func (p *picture) elementAt(at fyne.Position) (row, col int64, ok bool) {
	if p.points == nil {
		return 0, 0, false
	}
	from, ux, uy := p.area()
	row, col = int64(math.Floor(float64((at.Y-from.Y)/uy))), int64(math.Floor(float64((at.X-from.X)/ux)))
	row, col = row-row%p.points.stepY, col-col%p.points.stepX
	return row, col, row >= 0 && col >= 0 && row < p.points.of.Rows && col < int64(len(p.points.of.Columns))
}

// place puts the mark around the selected element.
func (p *picture) place() {
	t := p.a.t
	if p.Hidden || p.points == nil || t.Current < 0 || t.SelColumn < 1 || t.Order.On {
		p.mark.Hide()
		return
	}
	from, ux, uy := p.area()
	w, h := max(6, ux*float32(p.points.stepX)), max(6, uy*float32(p.points.stepY))
	middle := fyne.NewPos(from.X+(float32(t.SelColumn)-0.5)*ux, from.Y+(float32(t.Current)+0.5)*uy)
	p.mark.StrokeColor = paint.Look().Caret
	p.mark.Resize(fyne.NewSize(w+4, h+4))
	p.mark.Move(middle.SubtractXY(w/2+2, h/2+2))
	p.mark.Show()
	p.mark.Refresh()
}

// MouseDown selects the element under the pointer, as a click on its cell does.
func (p *picture) MouseDown(e *desktop.MouseEvent) {
	t := p.a.t
	t.d.Window.Shell.Focus(t.View)
	if row, col, ok := p.elementAt(e.Position); ok && !t.Order.On {
		t.Show(row, 1)
		t.Choose(row, int(col)+1)
	}
}

func (p *picture) MouseUp(*desktop.MouseEvent) {}

// MouseMoved describes the element under the pointer.
func (p *picture) MouseMoved(e *desktop.MouseEvent) {
	row, col, ok := p.elementAt(e.Position)
	if !ok {
		p.a.t.d.Window.Hint("")
		return
	}
	x := p.points
	i := (int(row/x.stepY)*x.w + int(col/x.stepX)) * x.channels
	values := model.Map(x.values[i:i+x.channels], func(v float32) string { return short6(float64(v)) })
	p.a.t.d.Window.Hint(fmt.Sprintf("row %d, column %s: %s", x.of.Number(row), x.of.Columns[col].Name, strings.Join(values, ", ")))
}

func (p *picture) MouseIn(e *desktop.MouseEvent) { p.MouseMoved(e) }
func (p *picture) MouseOut()                     { p.a.t.d.Window.Hint("") }

func (p *picture) CreateRenderer() fyne.WidgetRenderer {
	return guard.Renderer("the image of an array", fyne.NewSize(20, 20), func(size fyne.Size) {
		p.page.Resize(size)
		p.Image.Resize(size)
		p.place()
	}, func() {
		p.page.FillColor = paint.Look().Background
		p.page.Refresh()
		if p.points != nil {
			p.Image.Image = p.points.draw(paint.Look())
			p.Image.Refresh()
		}
		p.place()
	}, p.page, p.Image, p.mark)
}
