// Package graph lays out the graph that a document describes, and shows it as a picture that can be panned and zoomed.
package graph

import (
	"image"
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"spandrel/ui/guard"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// View draws a graph into one raster. It is panned by dragging and with Shift and the arrow keys, and zoomed with the wheel.
type View struct {
	widget.BaseWidget
	Drawing *Drawing    // nil: there is nothing to see yet
	Current int         // the chosen node, or -1
	Pointed int         // the node under the pointer, here or in another pane, or -1
	choose  func(i int) // called when a node is chosen
	hover   func(i int) // called with the node under the pointer; -1: none
	camera
	scale   float32
	down    bool
	focused bool
	wanted  bool // to show all, once there is a size
	begun   bool // the view is unchanged since the graph was first shown, so a resize lays it out again
	wheel   rows.Wheel
	img     *image.RGBA
	raster  *canvas.Raster
	over    *canvas.Rectangle
	ring    *canvas.Rectangle
}

// camera is which part of a picture is visible, and its scale.
type camera struct {
	origin paint.Point // of the picture that is at the left upper corner, in its units
	step   int         // of zoom
}

// Steps of zoom, each a quarter larger than the one before.
const (
	leastZoom = -16
	mostZoom  = 6
	readable  = 0.55 // zoom below which boxes have no text
)

// NewView makes a view. choose is called with each node that the user selects, hover with the one under the pointer.
func NewView(choose, hover func(i int)) *View {
	v := &View{scale: 1, Current: -1, Pointed: -1, choose: choose, hover: hover}
	v.raster = canvas.NewRaster(guard.Pixels("the graph", v.generate))
	v.raster.ScaleMode = canvas.ImageScalePixels
	v.over = canvas.NewRectangle(color.Transparent)
	v.over.StrokeWidth = 2
	v.ring = canvas.NewRectangle(paint.Look().Caret)
	v.ExtendBaseWidget(v)
	return v
}

// Set shows a picture; the first one is fitted to the view. nil: none.
func (v *View) Set(d *Drawing) {
	first := v.Drawing == nil
	v.Drawing, v.Current, v.Pointed = d, -1, -1
	if d != nil && first {
		v.begin()
	}
	v.redraw()
}

// Take selects a node and scrolls it into view.
func (v *View) Take(i int) {
	if v.Drawing != nil && i >= 0 {
		v.Mark(i)
		v.choose(i)
	}
}

// Mark shows which node is selected; -1: none.
func (v *View) Mark(i int) {
	if v.Current = i; i >= 0 && v.Drawing != nil {
		v.reveal(v.Drawing.Boxes[i])
	}
	v.redraw()
}

// Point highlights a node; -1: none.
func (v *View) Point(i int) {
	v.Pointed = i
	v.placeMark()
}

func (v *camera) Zoom() float32 { return float32(math.Pow(1.25, float64(v.step))) }

// begin shows the whole picture if its texts are legible then, and otherwise the side of the inputs.
func (v *View) begin() {
	defer func() { v.begun = !v.wanted }()
	v.Fit()
	d, s := v.Drawing, v.Size()
	if d == nil || v.wanted || v.Zoom() >= readable {
		return
	}
	for ; v.Zoom() < readable; v.step++ {
	}
	first, last, room := float32(math.MaxFloat32), float32(0), paint.Pt(s.Width/v.Zoom(), s.Height/v.Zoom())
	d.turn(&room.X, &room.Y)
	for i, b := range d.Boxes {
		if d.layer[i] == 0 {
			d.turn(&b.X, &b.Y)
			d.turn(&b.W, &b.H)
			first, last = min(first, b.Y), max(last, b.Y+b.H)
		}
	}
	all := paint.Pt(d.w, d.h)
	d.turn(&all.X, &all.Y)
	if v.origin = paint.Pt(-8, max(first-8, (first+last-room.Y)/2)); all.Y <= room.Y {
		v.origin.Y = (all.Y - room.Y) / 2
	}
	d.turn(&v.origin.X, &v.origin.Y)
	v.pan(0, 0)
}

// Fit shows the whole picture.
func (v *View) Fit() {
	d, s := v.Drawing, v.Size()
	if v.wanted = s.Width < 10; d == nil || v.wanted {
		return
	}
	for v.step = 0; v.step > leastZoom && (d.w*v.Zoom() > s.Width-16 || d.h*v.Zoom() > s.Height-16); v.step-- {
	}
	v.origin = paint.Pt((d.w-s.Width/v.Zoom())/2, (d.h-s.Height/v.Zoom())/2)
	v.redraw()
}

// ZoomBy zooms by steps around the middle, or around the selected box.
func (v *View) ZoomBy(steps int) {
	at := paint.Pt(v.Size().Width/2, v.Size().Height/2)
	if d := v.Drawing; d != nil && v.Current >= 0 {
		b := d.Boxes[v.Current]
		if c := v.Out(paint.Pt(b.X+b.W/2, b.Y+b.H/2)); c.X > 0 && c.Y > 0 && c.X < v.Size().Width && c.Y < v.Size().Height {
			at = c
		}
	}
	v.zoomAt(steps, at)
}

func (v *View) zoomAt(steps int, at paint.Point) {
	fixed := v.in(at)
	v.step = max(leastZoom, min(mostZoom, v.step+steps))
	v.origin = paint.Pt(fixed.X-at.X/v.Zoom(), fixed.Y-at.Y/v.Zoom())
	if d := v.Drawing; d != nil && len(d.Boxes) > 0 {
		s := v.Size()
		v.meet(s.Width/v.Zoom(), s.Height/v.Zoom())
	}
	v.pan(0, 0)
}

// meet moves the view, which is w by h of the picture, to the nearest box if none is in it, so that zooming beside the boxes does not lose them.
func (v *View) meet(w, h float32) {
	least, by := float32(math.Inf(1)), paint.Point{}
	for _, b := range v.Drawing.Boxes {
		dx, dy := into(b.X, b.W, v.origin.X, w), into(b.Y, b.H, v.origin.Y, h)
		if far := dx*dx + dy*dy; far < least {
			least, by = far, paint.Pt(dx, dy)
		}
	}
	v.origin = paint.Pt(v.origin.X+by.X, v.origin.Y+by.Y)
}

// into is how far a view from an offset on must move to contain a stretch of the picture, or as much of it as fits; 0 if it contains some.
func into(at, length, view, size float32) float32 {
	switch {
	case at+length <= view:
		return at + length - min(length, size) - view
	case at >= view+size:
		return at + min(length, size) - view - size
	}
	return 0
}

// in and out convert between places of the widget and of the picture.
func (v *camera) in(p paint.Point) paint.Point {
	return paint.Pt(v.origin.X+p.X/v.Zoom(), v.origin.Y+p.Y/v.Zoom())
}
func (v *camera) Out(p paint.Point) paint.Point {
	return paint.Pt((p.X-v.origin.X)*v.Zoom(), (p.Y-v.origin.Y)*v.Zoom())
}

// pan moves the view by units of the widget; a part of the picture stays visible.
func (v *View) pan(dx, dy float32) {
	v.begun = false
	d, z := v.Drawing, v.Zoom()
	if d == nil {
		return
	}
	const rest = 40
	w, h := v.Size().Width/z, v.Size().Height/z
	v.origin.X = max(rest/z-w, min(d.w-rest/z, v.origin.X+dx/z))
	v.origin.Y = max(rest/z-h, min(d.h-rest/z, v.origin.Y+dy/z))
	v.redraw()
}

// reveal moves the view so that a box is visible, if it is not.
func (v *View) reveal(b box) {
	a, e, s := v.Out(paint.Pt(b.X, b.Y)), v.Out(paint.Pt(b.X+b.W, b.Y+b.H)), v.Size()
	if s.Width == 0 || a.X >= 0 && a.Y >= 0 && e.X <= s.Width && e.Y <= s.Height {
		return
	}
	v.pan((a.X+e.X-s.Width)/2, (a.Y+e.Y-s.Height)/2)
}

func (v *View) redraw() {
	v.placeMark()
	v.raster.Refresh()
}

// placeMark highlights the box under the pointer, without drawing the picture again.
func (v *View) placeMark() {
	d := v.Drawing
	if d == nil || v.Pointed < 0 || v.Pointed >= len(d.Boxes) {
		v.over.Hide()
		return
	}
	b := d.Boxes[v.Pointed]
	at := v.Out(paint.Pt(b.X, b.Y))
	v.over.StrokeColor = paint.Look().Hover
	v.over.Move(fyne.NewPos(at.X, at.Y))
	v.over.Resize(fyne.NewSize(b.W*v.Zoom(), b.H*v.Zoom()))
	if v.over.Hidden { // where it was, as large as it was: nothing else would repaint
		v.over.Show()
		v.over.Refresh()
	}
}

// boxAt returns the node at a place of the widget, or -1.
func (v *View) boxAt(at fyne.Position) int {
	if v.Drawing == nil {
		return -1
	}
	p := v.in(paint.Pt(at.X, at.Y))
	for i, b := range v.Drawing.Boxes {
		if b.has(p) {
			return i
		}
	}
	return -1
}

func (v *View) MouseIn(e *desktop.MouseEvent) { v.MouseMoved(e) }
func (v *View) MouseMoved(e *desktop.MouseEvent) {
	guard.Do("pointing at the graph", func() { v.hover(v.boxAt(e.Position)) })
}
func (v *View) MouseOut() { guard.Do("pointing at the graph", func() { v.hover(-1) }) }

func (v *View) MouseDown(e *desktop.MouseEvent) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(v); c != nil {
		c.Focus(v)
	}
	v.down = e.Button == desktop.MouseButtonPrimary
	if i := v.boxAt(e.Position); v.down && i >= 0 {
		guard.Do("choosing in the graph", func() { v.Take(i) })
	}
}

func (v *View) MouseUp(*desktop.MouseEvent) { v.down = false }
func (v *View) Dragged(e *fyne.DragEvent)   { v.pan(-e.Dragged.DX, -e.Dragged.DY) }
func (v *View) DragEnd()                    { v.down = false }
func (v *View) AcceptsTab() bool            { return false }
func (v *View) TypedShortcut(s fyne.Shortcut) {
	if c, ok := fyne.CurrentApp().Driver().CanvasForObject(v).(fyne.Shortcutable); ok {
		c.TypedShortcut(s)
	}
}

// Scrolled zooms at the pointer. Sideways, with Shift or Ctrl, it pans.
func (v *View) Scrolled(e *fyne.ScrollEvent) {
	switch {
	case rows.ControlHeld():
		v.pan(0, -2*e.Scrolled.DY)
	case rows.ShiftHeld() && e.Scrolled.DX == 0:
		v.pan(-2*e.Scrolled.DY, 0)
	case e.Scrolled.DX != 0:
		v.pan(-2*e.Scrolled.DX, 0)
	default:
		if n := v.wheel.Rows(e.Scrolled.DY, 50); n != 0 {
			v.zoomAt(int(-n), paint.Pt(e.Position.X, e.Position.Y))
		}
	}
}

func (v *View) TypedRune(r rune) {
	switch r {
	case '+', '=':
		v.ZoomBy(1)
	case '-':
		v.ZoomBy(-1)
	case '0':
		v.Fit()
	}
}

func (v *View) TypedKey(e *fyne.KeyEvent) {
	guard.Do("the key "+string(e.Name), func() { v.keyTyped(e) })
}

func (v *View) keyTyped(e *fyne.KeyEvent) {
	const far = 60
	switch shift := rows.ShiftHeld(); e.Name {
	case fyne.KeyLeft, fyne.KeyRight, fyne.KeyUp, fyne.KeyDown:
		if !shift {
			v.Take(v.Drawing.step(v.Current, e.Name))
			return
		}
		d := map[fyne.KeyName]paint.Point{fyne.KeyLeft: {X: -far}, fyne.KeyRight: {X: far}, fyne.KeyUp: {Y: -far}, fyne.KeyDown: {Y: far}}[e.Name]
		v.pan(d.X, d.Y)
	case fyne.KeyPageUp, fyne.KeyPageDown, fyne.KeyHome, fyne.KeyEnd:
		page := v.Size().Width
		if v.Drawing != nil && v.Drawing.down {
			page = v.Size().Height
		}
		by := paint.Pt(map[fyne.KeyName]float32{fyne.KeyPageUp: -page, fyne.KeyPageDown: page, fyne.KeyHome: -math.MaxInt32, fyne.KeyEnd: math.MaxInt32}[e.Name], 0)
		if v.Drawing != nil {
			v.Drawing.turn(&by.X, &by.Y)
		}
		v.pan(by.X, by.Y)
	case fyne.KeyReturn, fyne.KeyEnter:
		v.Take(v.Current)
	default:
		if c := fyne.CurrentApp().Driver().CanvasForObject(v); c != nil && c.OnTypedKey() != nil {
			c.OnTypedKey()(e)
		}
	}
}

func (v *View) FocusGained() { v.focused = true; v.Refresh() }
func (v *View) FocusLost()   { v.focused = false; v.Refresh() }

func (v *View) CreateRenderer() fyne.WidgetRenderer {
	return guard.Renderer("the graph", fyne.NewSize(60, 40), v.place, func() {
		v.ring.FillColor = paint.Look().Caret
		v.ring.Hidden = !v.focused
		v.redraw()
	}, v.raster, v.over, v.ring)
}

func (v *View) place(size fyne.Size) {
	whole := paint.WholeOn(v, size)
	other := v.raster.Size() != whole
	v.raster.Resize(whole)
	v.ring.Resize(fyne.NewSize(size.Width, 2))
	v.ring.Hidden = !v.focused
	if v.wanted || v.begun && other {
		v.begin()
	}
	v.placeMark()
}
