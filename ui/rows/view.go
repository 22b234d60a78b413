// Package rows shows any number of rows: a view that draws the visible ones into one picture, with input and scroll bars, and a
// grid of columns for rows of text.
package rows

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
	"spandrel/ui/guard"
	"spandrel/ui/paint"
)

// Rows is what a View shows: how rows look and what clicks on them mean. Row numbers are int64 and start
// at 0; row -1 is the header. Coordinates of events are units from the left of the content.
type Rows interface {
	Count() int64
	Width() float32                                   // of the content; the view scrolls sideways when it is narrower
	RowHeight(a *paint.Atlas) int                     // in pixels
	HeadLines() int                                   // lines above the rows: 1 has titles, 2 something below each of them, FilterRow
	Show(top, n int64)                                // these rows will be painted next: have them ready
	Paint(p *paint.Pen, row int64, r image.Rectangle) // r.Min.X may be negative: the content is scrolled sideways
	Hover(row int64, x float32)                       // row -2: the pointer left
	Press(row int64, x float32, e Press)              //
	Key(name fyne.KeyName, mod fyne.KeyModifier) bool // false: the view moves its page
	Typed(r rune)                                     //
	Menu(row int64, x float32) *fyne.Menu             // of the right button, after press; nil for none
	Spot() (row int64, x float32)                     // where the menu key asks for one
	KeepsTab() bool                                   //
}

// Press is a mouse button going down, or the pointer moving while it is down.
type Press struct {
	Double, Drag bool
	Button       desktop.MouseButton
	Mod          fyne.KeyModifier
}

// Click tells whether it is the primary button going down.
func (e Press) Click() bool { return !e.Drag && e.Button == desktop.MouseButtonPrimary }

// NoRow is the row of hover if the pointer is outside, FilterRow the line below the header.
const (
	NoRow     = -2
	FilterRow = -3
)

// Mark is a rectangle over a row, in content units: what the pointer is on, here or in another pane.
type Mark struct {
	Row, N int64 // the first row, and how many
	X, W   float32
}

// View shows a window of any number of rows. It keeps the first visible row as an int64 and draws the visible ones into one
// raster: the cost of a frame does not depend on the number of rows.
type View struct {
	widget.BaseWidget
	window
	shown int64 // rows that fitted at the last layout
	Marks []Mark

	Focused  bool
	wheel    Wheel
	sideways Wheel
	lastDown Twice
	Vbar     *bar
	hbar     *bar
	Over     []*canvas.Rectangle // one for each mark, reused
	over     *fyne.Container     // with these
	ring     *canvas.Rectangle   // shows the focus
	canvas   func() fyne.Canvas
	onFocus  func()
	Remark   func() // sets the marks again when other rows are shown; may be nil
	Refit    func() // lets the rows follow the width of the view; may be nil
}

func NewView(r Rows) *View {
	v := &View{}
	v.window = window{Rows: r, Scale: 1, size: v.Size}
	v.raster = canvas.NewRaster(guard.Pixels("rows", func(w, h int) image.Image { return v.Picture(w, h) }))
	v.raster.ScaleMode = canvas.ImageScalePixels
	scroll := func(to func(pos int64)) func(int64) {
		return func(pos int64) { v.safely("scrolling", func() { to(pos) }) }
	}
	v.Vbar = newBar(false, scroll(v.ScrollTo))
	v.hbar = newBar(true, scroll(func(pos int64) { v.Left = pos; v.clampLeft(); v.Redraw() }))
	v.ring, v.over = canvas.NewRectangle(paint.Look().Caret), container.NewWithoutLayout()
	v.canvas = func() fyne.Canvas { return fyne.CurrentApp().Driver().CanvasForObject(v) }
	v.ExtendBaseWidget(v)
	return v
}

// ScrollTo makes top the first visible row, as far as there are rows.
func (v *View) ScrollTo(top int64) {
	v.Top = max(0, min(top, v.MaxTop()))
	v.Update()
}

// Reveal scrolls so that a row is visible: to the middle, unless it is visible already.
func (v *View) Reveal(row int64) {
	if row >= v.Top && row < v.Top+v.Page() {
		return
	}
	v.ScrollTo(row - v.Page()/2)
}

// Follow scrolls as little as necessary to show a row: for keys that move a caret.
func (v *View) Follow(row int64) {
	switch {
	case row < v.Top:
		v.ScrollTo(row)
	case row >= v.Top+v.Page():
		v.ScrollTo(row - v.Page() + 1)
	}
}

// RevealX scrolls sideways to show a part of the content.
func (v *View) RevealX(x, w float32) {
	vw, _ := v.View()
	switch {
	case x < float32(v.Left):
		v.Left = int64(x)
	case x+w > float32(v.Left)+vw:
		v.Left = int64(math.Ceil(float64(x + w - vw)))
	default:
		return
	}
	v.clampLeft()
	v.Redraw()
}

// Update prepares the visible rows and draws them: after scrolling and when the rows changed.
func (v *View) Update() {
	v.Top = max(0, min(v.Top, v.MaxTop()))
	v.clampLeft()
	if v.Size().Height > 0 {
		v.Rows.Show(v.Top, v.Page()+2+v.Page()/16) // a few more: the row height changes a little with the scale
	}
	if v.Remark != nil {
		v.Remark()
	}
	v.Redraw()
}

// Redraw draws the rows as they are known now.
func (v *View) Redraw() {
	w, h := v.View()
	v.Vbar.set(v.Rows.Count(), v.Page(), v.Top)
	v.hbar.set(max(int64(math.Ceil(float64(v.Rows.Width()))), v.Left+int64(w)), int64(w), v.Left)
	v.placeBars(w, h)
	v.placeRaster(w, h)
	v.placeMarks()
	v.raster.Refresh()
}

// placeBars puts the scroll bars at the edges of the rows. The lower one is hidden if it is not needed.
func (v *View) placeBars(w, h float32) {
	v.Vbar.Move(fyne.NewPos(v.Size().Width-BarSize, 0))
	v.Vbar.Resize(fyne.NewSize(BarSize, h))
	v.hbar.Move(fyne.NewPos(0, h))
	v.hbar.Resize(fyne.NewSize(w, BarSize))
	v.hbar.Hidden = h == v.Size().Height
}

// SetMarks highlights parts of rows without drawing the rows again.
func (v *View) SetMarks(m []Mark) {
	if len(m) == 0 && len(v.Marks) == 0 {
		return
	}
	v.Marks = m
	v.placeMarks()
}

func (v *View) placeMarks() {
	for len(v.Over) < len(v.Marks) {
		o := outline()
		v.Over, v.over.Objects = append(v.Over, o), append(v.over.Objects, o)
	}
	w, h := v.View()
	rh, head := v.rowUnits(), v.headerUnits()
	for i, o := range v.Over { // moving and hiding repaint, and free no picture
		var m Mark
		if i < len(v.Marks) {
			m = v.Marks[i]
		}
		from, to := max(m.Row, v.Top), min(m.Row+m.N, v.Top+v.Page()+1)
		x0, x1 := max(0, m.X-float32(v.Left)), min(w, m.X+m.W-float32(v.Left))
		y0, y1 := head+float32(from-v.Top)*rh, min(h, head+float32(to-v.Top)*rh)
		switch visible := from < to && x0 < x1 && y0 < y1; {
		case visible:
			o.StrokeColor = paint.Look().Hover
			o.Move(fyne.NewPos(x0, y0))
			o.Resize(fyne.NewSize(x1-x0, y1-y0))
			if o.Hidden { // where it was, as large as it was: nothing else would repaint
				o.Show()
				o.Refresh()
			}
		case o.Visible():
			o.Hide()
		}
	}
}

// outline frames what the pointer is on: a selection below it keeps its colour.
func outline() *canvas.Rectangle {
	r := canvas.NewRectangle(color.Transparent)
	r.StrokeColor, r.StrokeWidth = paint.Look().Hover, 1
	return r
}

// EachView calls f for every View below an object.
func EachView(o fyne.CanvasObject, f func(*View)) {
	switch o := o.(type) {
	case *View:
		f(o)
	case *fyne.Container:
		for _, child := range o.Objects {
			EachView(child, f)
		}
	case *container.Split:
		EachView(o.Leading, f)
		EachView(o.Trailing, f)
	case *container.AppTabs:
		for _, item := range o.Items {
			EachView(item.Content, f)
		}
	}
}

func (v *View) CreateRenderer() fyne.WidgetRenderer {
	return guard.Renderer(fmt.Sprintf("rows (%T)", v.Rows), fyne.NewSize(60, 40), v.place, func() {
		v.ring.FillColor = paint.Look().Caret
		v.ring.Hidden = !v.Focused
		v.placeMarks()
		v.raster.Refresh()
		v.Vbar.Refresh()
		v.hbar.Refresh()
	}, v.raster, v.over, v.ring, v.Vbar, v.hbar)
}

func (v *View) place(size fyne.Size) {
	if c := v.canvas(); c != nil { // after a change of scale other rows are visible: they are fetched before they are drawn
		v.setScale(c.Scale())
	}
	v.ring.Resize(fyne.NewSize(size.Width-BarSize, 2))
	v.ring.Hidden = !v.Focused
	row, _ := v.Rows.Spot()
	visible := row >= v.Top && row < v.Top+v.shown
	if v.Refit != nil {
		v.Refit()
	}
	if row, _ = v.Rows.Spot(); visible {
		v.Follow(row) // what is current stays visible in a smaller window
	}
	v.shown = v.Page()
	v.Update()
}
