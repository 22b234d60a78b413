package ui

import (
	"image"
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
)

// graphView draws a graph into one raster. It can be moved by dragging, the wheel and Shift with the arrows, and zoomed.
type graphView struct {
	widget.BaseWidget
	drawing *drawing    // nil: there is nothing to see yet
	current int         // the chosen node, or -1
	pointed int         // the node under the pointer, here or in another pane, or -1
	choose  func(i int) // told of a node that was chosen
	hover   func(i int) // told of the node under the pointer; -1: none
	origin  point       // of the picture that is at the left upper corner, in its units
	step    int         // of zoom
	scale   float32
	grab    point
	moved   bool // since the button went down
	down    bool
	focused bool
	wanted  bool // to show all, once there is a size
	wheel   wheel
	img     *image.RGBA
	raster  *canvas.Raster
	over    *canvas.Rectangle
	ring    *canvas.Rectangle
}

// Steps of zoom, each a quarter more than the one before.
const (
	leastZoom = -16
	mostZoom  = 6
	readable  = 0.55 // zoom below which boxes have no text
)

// newGraphView makes a view. choose is told of each node that the user chooses here, hover of the one under the pointer.
func newGraphView(choose, hover func(i int)) *graphView {
	v := &graphView{scale: 1, current: -1, pointed: -1, choose: choose, hover: hover}
	v.raster = canvas.NewRaster(v.generate)
	v.raster.ScaleMode = canvas.ImageScalePixels
	v.over = canvas.NewRectangle(glass(look().hover))
	v.ring = canvas.NewRectangle(look().caret)
	v.ExtendBaseWidget(v)
	return v
}

// set shows a picture, the first one as a whole; nil: none.
func (v *graphView) set(d *drawing) {
	first := v.drawing == nil
	v.drawing, v.current, v.pointed = d, -1, -1
	if d != nil && first {
		v.begin()
	}
	v.redraw()
}

// take chooses a node and brings it into view.
func (v *graphView) take(i int) {
	if v.drawing != nil && i >= 0 {
		v.mark(i)
		v.choose(i)
	}
}

// mark shows which node is chosen; -1: none.
func (v *graphView) mark(i int) {
	if v.current = i; i >= 0 && v.drawing != nil {
		v.reveal(v.drawing.boxes[i])
	}
	v.redraw()
}

// point lights up a node; -1: none.
func (v *graphView) point(i int) {
	v.pointed = i
	v.placeMark()
}

func (v *graphView) zoom() float32 { return float32(math.Pow(1.25, float64(v.step))) }

// begin shows the whole picture where its texts can be read then, and otherwise its left side.
func (v *graphView) begin() {
	v.fit()
	d, s := v.drawing, v.Size()
	if d == nil || v.wanted || v.zoom() >= readable {
		return
	}
	for ; v.zoom() < readable; v.step++ {
	}
	top, low := d.h, float32(0)
	for i, b := range d.boxes {
		if d.layer[i] == 0 {
			top, low = min(top, b.y), max(low, b.y+b.h)
		}
	}
	v.origin = point{-8, max(top-8, (top+low-s.Height/v.zoom())/2)}
	v.pan(0, 0)
}

// fit shows the whole picture.
func (v *graphView) fit() {
	d, s := v.drawing, v.Size()
	if v.wanted = s.Width < 10; d == nil || v.wanted {
		return
	}
	for v.step = 0; v.step > leastZoom && (d.w*v.zoom() > s.Width-16 || d.h*v.zoom() > s.Height-16); v.step-- {
	}
	v.origin = point{(d.w - s.Width/v.zoom()) / 2, (d.h - s.Height/v.zoom()) / 2}
	v.redraw()
}

// zoomBy zooms by steps around the middle, or around the chosen box.
func (v *graphView) zoomBy(steps int) {
	at := point{v.Size().Width / 2, v.Size().Height / 2}
	if d := v.drawing; d != nil && v.current >= 0 {
		b := d.boxes[v.current]
		if c := v.out(point{b.x + b.w/2, b.y + b.h/2}); c.x > 0 && c.y > 0 && c.x < v.Size().Width && c.y < v.Size().Height {
			at = c
		}
	}
	v.zoomAt(steps, at)
}

func (v *graphView) zoomAt(steps int, at point) {
	fixed := v.in(at)
	v.step = max(leastZoom, min(mostZoom, v.step+steps))
	v.origin = point{fixed.x - at.x/v.zoom(), fixed.y - at.y/v.zoom()}
	v.pan(0, 0)
}

// in and out turn places of the widget into those of the picture, and back.
func (v *graphView) in(p point) point {
	return point{v.origin.x + p.x/v.zoom(), v.origin.y + p.y/v.zoom()}
}
func (v *graphView) out(p point) point {
	return point{(p.x - v.origin.x) * v.zoom(), (p.y - v.origin.y) * v.zoom()}
}

// pan moves the view by units of the widget; some of the picture stays visible.
func (v *graphView) pan(dx, dy float32) {
	d, z := v.drawing, v.zoom()
	if d == nil {
		return
	}
	const rest = 40
	w, h := v.Size().Width/z, v.Size().Height/z
	v.origin.x = max(rest/z-w, min(d.w-rest/z, v.origin.x+dx/z))
	v.origin.y = max(rest/z-h, min(d.h-rest/z, v.origin.y+dy/z))
	v.redraw()
}

// reveal moves the view so that a box is visible: not at all when it is.
func (v *graphView) reveal(b nodeBox) {
	a, e, s := v.out(point{b.x, b.y}), v.out(point{b.x + b.w, b.y + b.h}), v.Size()
	if s.Width == 0 || a.x >= 0 && a.y >= 0 && e.x <= s.Width && e.y <= s.Height {
		return
	}
	v.pan((a.x+e.x-s.Width)/2, (a.y+e.y-s.Height)/2)
}

func (v *graphView) redraw() {
	v.placeMark()
	v.raster.Refresh()
}

// placeMark lights up the box that the pointer is on, without drawing the picture again.
func (v *graphView) placeMark() {
	d := v.drawing
	if d == nil || v.pointed < 0 || v.pointed >= len(d.boxes) {
		v.over.Hide()
		return
	}
	b := d.boxes[v.pointed]
	at := v.out(point{b.x, b.y})
	v.over.FillColor = glass(look().hover)
	v.over.Move(fyne.NewPos(at.x, at.y))
	v.over.Resize(fyne.NewSize(b.w*v.zoom(), b.h*v.zoom()))
	v.over.Show()
}

// boxAt returns the node at a place of the widget, or -1.
func (v *graphView) boxAt(at fyne.Position) int {
	if v.drawing == nil {
		return -1
	}
	p := v.in(point{at.X, at.Y})
	for i, b := range v.drawing.boxes {
		if b.has(p) {
			return i
		}
	}
	return -1
}

func (v *graphView) MouseIn(e *desktop.MouseEvent)    { v.MouseMoved(e) }
func (v *graphView) MouseMoved(e *desktop.MouseEvent) { v.hover(v.boxAt(e.Position)) }
func (v *graphView) MouseOut()                        { v.hover(-1) }

func (v *graphView) MouseDown(e *desktop.MouseEvent) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(v); c != nil {
		c.Focus(v)
	}
	v.down = e.Button == desktop.MouseButtonPrimary
	if i := v.boxAt(e.Position); v.down && i >= 0 {
		v.take(i)
	}
}

func (v *graphView) MouseUp(*desktop.MouseEvent) { v.down = false }
func (v *graphView) Dragged(e *fyne.DragEvent)   { v.pan(-e.Dragged.DX, -e.Dragged.DY) }
func (v *graphView) DragEnd()                    { v.down = false }
func (v *graphView) AcceptsTab() bool            { return false }
func (v *graphView) TypedShortcut(s fyne.Shortcut) {
	if c, ok := fyne.CurrentApp().Driver().CanvasForObject(v).(fyne.Shortcutable); ok {
		c.TypedShortcut(s)
	}
}

// Scrolled moves the view; with Ctrl it zooms where the pointer is.
func (v *graphView) Scrolled(e *fyne.ScrollEvent) {
	switch {
	case controlHeld():
		if n := v.wheel.rows(e.Scrolled.DY, 50); n != 0 {
			v.zoomAt(int(-n), point{e.Position.X, e.Position.Y})
		}
	case shiftHeld() && e.Scrolled.DX == 0:
		v.pan(-2*e.Scrolled.DY, 0)
	default:
		v.pan(-2*e.Scrolled.DX, -2*e.Scrolled.DY)
	}
}

func (v *graphView) TypedRune(r rune) {
	switch r {
	case '+', '=':
		v.zoomBy(1)
	case '-':
		v.zoomBy(-1)
	case '0':
		v.fit()
	}
}

func (v *graphView) TypedKey(e *fyne.KeyEvent) {
	const far = 60
	switch shift := shiftHeld(); e.Name {
	case fyne.KeyLeft, fyne.KeyRight, fyne.KeyUp, fyne.KeyDown:
		if !shift {
			v.take(v.drawing.step(v.current, e.Name))
			return
		}
		d := map[fyne.KeyName]point{fyne.KeyLeft: {-far, 0}, fyne.KeyRight: {far, 0}, fyne.KeyUp: {0, -far}, fyne.KeyDown: {0, far}}[e.Name]
		v.pan(d.x, d.y)
	case fyne.KeyPageUp, fyne.KeyPageDown:
		s := v.Size().Width
		if e.Name == fyne.KeyPageUp {
			s = -s
		}
		v.pan(s, 0)
	case fyne.KeyHome:
		v.pan(-math.MaxInt32, 0)
	case fyne.KeyEnd:
		v.pan(math.MaxInt32, 0)
	case fyne.KeyReturn, fyne.KeyEnter:
		v.take(v.current)
	default:
		if c := fyne.CurrentApp().Driver().CanvasForObject(v); c != nil && c.OnTypedKey() != nil {
			c.OnTypedKey()(e)
		}
	}
}

func (v *graphView) FocusGained() { v.focused = true; v.Refresh() }
func (v *graphView) FocusLost()   { v.focused = false; v.Refresh() }

// generate draws what is visible. It runs while the window is painted.
func (v *graphView) generate(w, h int) image.Image {
	if width := v.raster.Size().Width; width >= 50 {
		v.scale = max(0.1, float32(math.Round(float64(float32(w)/width*10)))/10)
	}
	if v.img == nil || v.img.Rect.Dx() != w || v.img.Rect.Dy() != h {
		v.img = image.NewRGBA(image.Rect(0, 0, w, h))
	}
	z := v.zoom()
	p := &pen{img: v.img, at: atlasAt(v.scale), look: look(), clip: v.img.Rect}
	if z >= readable {
		p.at = atlasAt(v.scale * z)
	}
	p.fill(v.img.Rect, p.look.background)
	d := v.drawing
	if d == nil {
		return v.img
	}
	px := func(q point) point { q = v.out(q); return point{q.x * v.scale, q.y * v.scale} }
	chosen := map[int]bool{}
	if v.current >= 0 {
		for _, i := range v.drawing.ties[v.current] {
			chosen[i] = true
		}
	}
	for i, e := range d.edges {
		if !chosen[i] {
			v.edge(p, e, px, d.graph.Edges[i].Control, p.look.dim)
		}
	}
	for i := range chosen {
		v.edge(p, d.edges[i], px, d.graph.Edges[i].Control, p.look.caret)
	}
	for i, b := range d.boxes {
		a, e := px(point{b.x, b.y}), px(point{b.x + b.w, b.y + b.h})
		if r := image.Rect(int(a.x), int(a.y), int(e.x), int(e.y)); r.Overlaps(v.img.Rect) {
			v.box(p, r, &d.graph.Nodes[i], i == v.current)
		}
	}
	return v.img
}

// box draws a node. Its form tells what it is: operations have a bar on top, stored values one on the left and right, what
// goes in a point to the right, what comes out a double frame.
func (v *graphView) box(p *pen, r image.Rectangle, n *model.GraphNode, chosen bool) {
	p.clip = v.img.Rect
	hue := map[model.GraphKind]uint32{model.Operation: 0, model.Stored: 3, model.Input: 2, model.Output: 1}[n.Kind]
	line, fill := p.look.dim, p.look.hue(hue)
	if chosen {
		line, fill = p.look.caret, p.look.selection
	}
	one := max(1, int(v.scale+0.5))
	p.fill(r, line)
	inner := r.Inset(one)
	if n.Kind == model.Output {
		p.fill(inner, p.look.background)
		inner = r.Inset(3 * one)
		p.fill(inner.Inset(-one), line)
	}
	p.fill(inner, fill)
	bar := max(2, p.px(3))
	switch n.Kind {
	case model.Operation:
		p.fill(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+bar), line)
	case model.Stored:
		p.fill(image.Rect(r.Min.X, r.Min.Y, r.Min.X+bar, r.Max.Y), line)
		p.fill(image.Rect(r.Max.X-bar, r.Min.Y, r.Max.X, r.Max.Y), line)
	case model.Input:
		for y := r.Min.Y; y < r.Max.Y; y++ { // cuts the corners of the right side
			cut := (max(y-r.Min.Y, r.Max.Y-1-y)*2 - r.Dy()) / 2
			if cut > 0 {
				p.fill(image.Rect(r.Max.X-cut, y, r.Max.X, y+1), p.look.background)
				p.fill(image.Rect(r.Max.X-cut-one, y, r.Max.X-cut, y+1), line)
			}
		}
	}
	if v.zoom() < readable {
		return
	}
	p.clip = inner.Intersect(v.img.Rect)
	pad, end := bar+p.px(4), r.Max.X-bar-p.px(3)
	top := r.Min.Y + (r.Dy()-2*p.at.text.height)/2
	p.text(p.at.text, r.Min.X+pad, top, end, n.Label, p.look.foreground)
	p.text(p.at.text, r.Min.X+pad, top+p.at.text.height, end, n.Detail, p.look.dim)
	p.clip = v.img.Rect
}

// edge draws an edge with a head at its end; dashed when nothing flows along it.
func (v *graphView) edge(p *pen, points []point, px func(point) point, dashed bool, c color.RGBA) {
	if len(points) < 2 {
		return
	}
	var last point
	for i, q := range points {
		q = px(q)
		if i > 0 {
			p.curve(last, q, dashed, c)
		}
		last = q
	}
	if n := float32(p.px(6)); v.zoom() >= readable {
		back := n
		if px(points[len(points)-2]).x > last.x {
			back = -n // an edge that closes a circle comes from the right
		}
		for k := float32(0); k < n; k++ {
			p.line(point{last.x - back, last.y - n/2 + k}, last, c)
		}
	}
}

func (v *graphView) CreateRenderer() fyne.WidgetRenderer { return &graphRenderer{v} }

type graphRenderer struct{ v *graphView }

func (r *graphRenderer) Destroy()           {}
func (r *graphRenderer) MinSize() fyne.Size { return fyne.NewSize(60, 40) }
func (r *graphRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.v.raster, r.v.over, r.v.ring}
}

func (r *graphRenderer) Layout(size fyne.Size) {
	v := r.v
	v.raster.Resize(size)
	v.ring.Resize(fyne.NewSize(size.Width, 2))
	v.ring.Hidden = !v.focused
	if v.wanted {
		v.begin()
	}
	v.placeMark()
}

func (r *graphRenderer) Refresh() {
	r.v.ring.FillColor = look().caret
	r.v.ring.Hidden = !r.v.focused
	r.v.redraw()
}
