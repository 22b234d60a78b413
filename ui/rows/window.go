package rows

import (
	"image"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"spandrel/ui/paint"
)

// window is the visible part of rows, and its picture.
type window struct {
	Rows   Rows
	Top    int64 // the first row that is visible
	Left   int64 // units
	Scale  float32
	size   func() fyne.Size // of the widget
	raster *canvas.Raster
	img    *image.RGBA
}

// rowUnits returns the height of a row in units; header rows have the same.
func (v *window) rowUnits() float32 {
	return float32(v.Rows.RowHeight(paint.AtlasAt(v.Scale))) / v.Scale
}

func (v *window) headerUnits() float32 { return float32(v.Rows.HeadLines()) * v.rowUnits() }

// View returns the size of the area of the rows, without bars.
func (v *window) View() (w, h float32) {
	w, h = v.size().Width-BarSize, v.size().Height
	if v.Rows.Width() > w {
		h -= BarSize
	}
	return max(0, w), max(0, h)
}

// Page returns how many rows fit.
func (v *window) Page() int64 {
	_, h := v.View()
	return max(1, int64((h-v.headerUnits())/v.rowUnits()))
}

func (v *window) MaxTop() int64 { return max(0, v.Rows.Count()-v.Page()) }

func (v *window) clampLeft() {
	vw, _ := v.View()
	most := max(0, int64(math.Ceil(float64(v.Rows.Width()-vw))))
	v.Left = max(0, min(v.Left, most))
	if c, ok := v.Rows.(columnwise); ok && v.Left > 0 {
		v.Left = c.Snap(v.Left)
	}
}

// columnwise is rows that scroll sideways by whole columns, because a number that is partly hidden would look like another one.
type columnwise interface {
	Snap(left int64) int64         // the start of the column from there on
	Sideways(left, by int64) int64 // the start of the column so many further
}

// placeRaster makes the raster no wider than its columns and no higher than its rows: its area determines the cost of a frame.
func (v *window) placeRaster(w, h float32) {
	switch n := v.Rows.Count(); {
	case n > 0 && n <= v.Page(): // of more rows, the last visible one may be cut
		h = min(h, v.headerUnits()+float32(n)*v.rowUnits()+1)
		fallthrough
	case n > 0: // without rows it says why
		w = min(w, max(1, v.Rows.Width()))
	}
	size := paint.Whole(fyne.NewSize(w, h), v.Scale)
	if v.raster.Size() != size {
		v.raster.Resize(size)
	}
}

// setScale notes how many pixels a unit has, in whole tenths as Fyne does.
func (v *window) setScale(s float32) { v.Scale = max(0.1, float32(math.Round(float64(s)*10))/10) }

// Picture draws the visible rows. It runs while the window is painted, so it only uses what show prepared. (Fyne treats a widget
// with a method Generate as a gradient, and paints it a second time below.)
func (v *window) Picture(w, h int) image.Image {
	if width := v.raster.Size().Width; width >= 50 {
		v.setScale(float32(w) / width)
	}
	if v.img == nil || v.img.Rect.Dx() != w || v.img.Rect.Dy() != h {
		v.img = image.NewRGBA(image.Rect(0, 0, w, h))
	}
	a := paint.AtlasAt(v.Scale)
	p := &paint.Pen{Img: v.img, At: a, Look: paint.Look(), Clip: v.img.Rect}
	p.Fill(v.img.Rect, p.Look.Background)
	rh := v.Rows.RowHeight(a)
	x0 := -p.Px(float32(v.Left))
	x1 := max(w, x0+p.Px(v.Rows.Width()))
	lines := v.Rows.HeadLines()
	y := lines * rh
	n := v.Rows.Count()
	for row := v.Top; row < n && y < h; row++ {
		r := image.Rect(x0, y, x1, y+rh)
		p.Clip = r.Intersect(v.img.Rect)
		v.Rows.Paint(p, row, r)
		y += rh
	}
	if b, ok := v.Rows.(interface{ Blank() string }); ok && n == 0 {
		p.Text(a.Text, p.Px(CellPad), y+p.Px(3), w, b.Blank(), p.Look.Dim)
	}
	for i, row := range []int64{-1, FilterRow}[:lines] {
		r := image.Rect(x0, i*rh, x1, (i+1)*rh)
		p.Clip = r.Intersect(v.img.Rect)
		p.Fill(r, p.Look.Header)
		v.Rows.Paint(p, row, r)
	}
	return v.img
}

// at returns the row and the content's x at a point: -1 in the header, FilterRow below that, rows after the last one at the end.
func (v *window) at(p fyne.Position) (row int64, x float32) {
	x = p.X + float32(v.Left)
	y := p.Y - v.headerUnits()
	switch lines := v.Rows.HeadLines(); {
	case y < 0 && lines == 2 && y >= -v.rowUnits():
		return FilterRow, x
	case y < 0 && lines > 0:
		return -1, x
	}
	return v.Top + int64(math.Floor(float64(y/v.rowUnits()))), x
}

// Release drops the picture, because Fyne keeps widgets for a while after they were last drawn.
func (v *window) Release() { v.img = nil }

// Place returns where a part of a row is, in units from the top left corner; ok is false if it is not visible.
func (v *window) Place(row int64, x, w float32) (at fyne.Position, size fyne.Size, ok bool) {
	if row == FilterRow {
		return fyne.NewPos(x-float32(v.Left), v.rowUnits()), fyne.NewSize(w, v.rowUnits()), v.Rows.HeadLines() == 2
	}
	at = fyne.NewPos(x-float32(v.Left), v.headerUnits()+float32(row-v.Top)*v.rowUnits())
	return at, fyne.NewSize(w, v.rowUnits()), row >= v.Top && row < v.Top+v.Page()
}
