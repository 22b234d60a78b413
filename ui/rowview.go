package ui

import (
	"image"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// rows is what a rowView shows: it knows what a row looks like and what a click on it means. Row numbers are int64 and start
// at 0; row -1 is the header. Coordinates of events are units from the left of the content.
type rows interface {
	count() int64
	width() float32                                   // of the content; the view scrolls sideways when it is narrower
	rowHeight(a *atlas) int                           // in pixels
	hasHeader() bool                                  //
	show(top, n int64)                                // these rows will be painted next: have them ready
	paint(p *pen, row int64, r image.Rectangle)       // r.Min.X may be negative: the content is scrolled sideways
	hover(row int64, x float32)                       // row -2: the pointer left
	press(row int64, x float32, e press)              //
	key(name fyne.KeyName, mod fyne.KeyModifier) bool // false: the view moves its page
	typed(r rune)                                     //
	menu(row int64, x float32) *fyne.Menu             // of the right button, after press; nil for none
	spot() (row int64, x float32)                     // where the menu key asks for one
	keepsTab() bool                                   //
}

// press is a mouse button going down, or the pointer moving while it is.
type press struct {
	double, drag bool
	button       desktop.MouseButton
	mod          fyne.KeyModifier
}

// noRow is the row of hover when the pointer is outside.
const noRow = -2

// mark is a rectangle over a row, in content units: what the pointer is on, here or in another pane.
type mark struct {
	row, rows int64
	x, w      float32
}

// rowView shows a window of any number of rows. It keeps the first visible row as an int64 and draws what is visible into one
// raster: the cost of a frame does not depend on how many rows there are.
type rowView struct {
	widget.BaseWidget
	rows rows

	top   int64
	left  int64 // units
	shown int64 // rows that fitted at the last layout
	scale float32
	marks []mark

	focused  bool
	wheel    wheel
	sideways wheel
	lastDown clickTime
	dragging bool
	img      *image.RGBA
	raster   *canvas.Raster
	vbar     *bar
	hbar     *bar
	over     []*canvas.Rectangle // one for each mark, reused
	ring     *canvas.Rectangle   // shows the focus
	canvas   func() fyne.Canvas
	onFocus  func()
	remark   func() // sets the marks anew when other rows are shown; may be nil
	refit    func() // lets the rows follow the width of the view; may be nil
}

func newRowView(r rows) *rowView {
	v := &rowView{rows: r, scale: 1}
	v.raster = canvas.NewRaster(v.generate)
	v.raster.ScaleMode = canvas.ImageScalePixels
	v.vbar = newBar(false, func(pos int64) { v.scrollTo(pos) })
	v.hbar = newBar(true, func(pos int64) { v.left = pos; v.redraw() })
	v.ring = canvas.NewRectangle(look().caret)
	v.canvas = func() fyne.Canvas { return fyne.CurrentApp().Driver().CanvasForObject(v) }
	v.ExtendBaseWidget(v)
	return v
}

// rowUnits returns the height of a row in units; header rows are as high.
func (v *rowView) rowUnits() float32 {
	return float32(v.rows.rowHeight(atlasAt(v.scale))) / v.scale
}

func (v *rowView) headerUnits() float32 {
	if v.rows.hasHeader() {
		return v.rowUnits()
	}
	return 0
}

// view returns the size of the area that rows are drawn in, without bars.
func (v *rowView) view() (w, h float32) {
	w, h = v.Size().Width-barSize, v.Size().Height
	if v.rows.width() > w {
		h -= barSize
	}
	return max(0, w), max(0, h)
}

// page returns how many rows fit.
func (v *rowView) page() int64 {
	_, h := v.view()
	return max(1, int64((h-v.headerUnits())/v.rowUnits()))
}

func (v *rowView) maxTop() int64 { return max(0, v.rows.count()-v.page()) }

// scrollTo makes top the first visible row, as far as there are rows.
func (v *rowView) scrollTo(top int64) {
	v.top = max(0, min(top, v.maxTop()))
	v.update()
}

// reveal scrolls so that a row is visible: not at all when it is, otherwise to the middle.
func (v *rowView) reveal(row int64) {
	if row >= v.top && row < v.top+v.page() {
		return
	}
	v.scrollTo(row - v.page()/2)
}

// follow scrolls as little as it takes to show a row: for keys that move a caret.
func (v *rowView) follow(row int64) {
	switch {
	case row < v.top:
		v.scrollTo(row)
	case row >= v.top+v.page():
		v.scrollTo(row - v.page() + 1)
	}
}

// revealX scrolls sideways to show a part of the content.
func (v *rowView) revealX(x, w float32) {
	vw, _ := v.view()
	switch {
	case x < float32(v.left):
		v.left = int64(x)
	case x+w > float32(v.left)+vw:
		v.left = int64(math.Ceil(float64(x + w - vw)))
	default:
		return
	}
	v.clampLeft()
	v.redraw()
}

func (v *rowView) clampLeft() {
	vw, _ := v.view()
	v.left = max(0, min(v.left, int64(math.Ceil(float64(v.rows.width()-vw)))))
}

// update has the visible rows made ready and draws them: after scrolling and when the rows changed.
func (v *rowView) update() {
	v.top = max(0, min(v.top, v.maxTop()))
	v.clampLeft()
	if v.Size().Height > 0 {
		v.rows.show(v.top, v.page()+2+v.page()/16) // a few more: the row height changes a little with the scale
	}
	if v.remark != nil {
		v.remark()
	}
	v.redraw()
}

// redraw draws the rows as they are known now.
func (v *rowView) redraw() {
	w, h := v.view()
	v.vbar.set(v.rows.count(), v.page(), v.top)
	v.hbar.set(int64(math.Ceil(float64(v.rows.width()))), int64(w), v.left)
	v.placeBars(w, h)
	v.placeRaster(w, h)
	v.placeMarks()
	v.raster.Refresh()
}

// placeBars puts the scroll bars at the edges of the area of the rows. Without need of it, the lower one is hidden.
func (v *rowView) placeBars(w, h float32) {
	v.vbar.Move(fyne.NewPos(v.Size().Width-barSize, 0))
	v.vbar.Resize(fyne.NewSize(barSize, h))
	v.hbar.Move(fyne.NewPos(0, h))
	v.hbar.Resize(fyne.NewSize(w, barSize))
	v.hbar.Hidden = h == v.Size().Height
}

// placeRaster makes the raster no wider than its columns and no higher than its rows: what it covers is what a frame costs.
// Its size is whole pixels, or the picture would be stretched over one more or one less and lose a line.
func (v *rowView) placeRaster(w, h float32) {
	whole := func(u float32) float32 { return float32(math.Floor(float64(u*v.scale))) / v.scale }
	switch n := v.rows.count(); {
	case n > 0 && n <= v.page(): // of more rows, the last visible one may be cut
		h = min(h, v.headerUnits()+float32(n)*v.rowUnits()+1)
		fallthrough
	case n > 0: // without rows it says why
		w = min(w, max(1, v.rows.width()))
	}
	size := fyne.NewSize(whole(w), whole(h))
	if v.raster.Size() != size {
		v.raster.Resize(size)
	}
}

// setMarks lights up parts of rows without drawing the rows again.
func (v *rowView) setMarks(m []mark) {
	if len(m) == 0 && len(v.marks) == 0 {
		return
	}
	v.marks = m
	v.placeMarks()
}

func (v *rowView) placeMarks() {
	for len(v.over) < len(v.marks) {
		v.over = append(v.over, canvas.NewRectangle(glass(look().hover)))
		v.BaseWidget.Refresh() // the renderer hands out the new object
	}
	w, h := v.view()
	rh, head := v.rowUnits(), v.headerUnits()
	for i, o := range v.over { // moving, showing and hiding repaint, and free no picture
		var m mark
		if i < len(v.marks) {
			m = v.marks[i]
		}
		from, to := max(m.row, v.top), min(m.row+m.rows, v.top+v.page()+1)
		x0, x1 := max(0, m.x-float32(v.left)), min(w, m.x+m.w-float32(v.left))
		y0, y1 := head+float32(from-v.top)*rh, min(h, head+float32(to-v.top)*rh)
		switch visible := from < to && x0 < x1 && y0 < y1; {
		case visible:
			o.FillColor = glass(look().hover)
			o.Move(fyne.NewPos(x0, y0))
			o.Resize(fyne.NewSize(x1-x0, y1-y0))
			o.Show()
		case o.Visible():
			o.Hide()
		}
	}
}

// setScale notes how many pixels a unit has, in whole tenths as Fyne does.
func (v *rowView) setScale(s float32) { v.scale = max(0.1, float32(math.Round(float64(s)*10))/10) }

// generate draws the visible rows. It runs while the window is painted, so it only uses what show made ready.
func (v *rowView) generate(w, h int) image.Image {
	if width := v.raster.Size().Width; width >= 50 {
		v.setScale(float32(w) / width)
	}
	if v.img == nil || v.img.Rect.Dx() != w || v.img.Rect.Dy() != h {
		v.img = image.NewRGBA(image.Rect(0, 0, w, h))
	}
	a := atlasAt(v.scale)
	p := &pen{img: v.img, at: a, look: look(), clip: v.img.Rect}
	p.fill(v.img.Rect, p.look.background)
	rh := v.rows.rowHeight(a)
	x0 := -p.px(float32(v.left))
	x1 := max(w, x0+p.px(v.rows.width()))
	y := 0
	if v.rows.hasHeader() {
		y = rh
	}
	n := v.rows.count()
	for row := v.top; row < n && y < h; row++ {
		r := image.Rect(x0, y, x1, y+rh)
		p.clip = r.Intersect(v.img.Rect)
		v.rows.paint(p, row, r)
		y += rh
	}
	if b, ok := v.rows.(interface{ blank() string }); ok && n == 0 {
		p.text(a.text, p.px(cellPad), y+p.px(3), w, b.blank(), p.look.dim)
	}
	if v.rows.hasHeader() {
		r := image.Rect(x0, 0, x1, rh)
		p.clip = r.Intersect(v.img.Rect)
		p.fill(r, p.look.header)
		v.rows.paint(p, -1, r)
	}
	return v.img
}

// at returns the row and the content's x below a point: -1 in the header, rows behind the last one at the end.
func (v *rowView) at(p fyne.Position) (row int64, x float32) {
	x = p.X + float32(v.left)
	y := p.Y - v.headerUnits()
	if y < 0 && v.rows.hasHeader() {
		return -1, x
	}
	return v.top + int64(math.Floor(float64(y/v.rowUnits()))), x
}

// release lets go of the picture: Fyne keeps widgets for a while after they were drawn last.
func (v *rowView) release() { v.img = nil }

// eachView calls f for every rowView below an object.
func eachView(o fyne.CanvasObject, f func(*rowView)) {
	switch o := o.(type) {
	case *rowView:
		f(o)
	case *fyne.Container:
		for _, child := range o.Objects {
			eachView(child, f)
		}
	case *container.Split:
		eachView(o.Leading, f)
		eachView(o.Trailing, f)
	case *container.AppTabs:
		for _, item := range o.Items {
			eachView(item.Content, f)
		}
	}
}

func (v *rowView) CreateRenderer() fyne.WidgetRenderer { return &rowRenderer{v} }

type rowRenderer struct{ v *rowView }

func (r *rowRenderer) Destroy()           {}
func (r *rowRenderer) MinSize() fyne.Size { return fyne.NewSize(60, 40) }

func (r *rowRenderer) Objects() []fyne.CanvasObject {
	v := r.v
	list := []fyne.CanvasObject{v.raster}
	for _, o := range v.over {
		list = append(list, o)
	}
	return append(list, v.ring, v.vbar, v.hbar)
}

func (r *rowRenderer) Layout(size fyne.Size) {
	v := r.v
	if c := v.canvas(); c != nil { // after a change of scale other rows are visible: they are fetched before they are drawn
		v.setScale(c.Scale())
	}
	v.ring.Resize(fyne.NewSize(size.Width-barSize, 2))
	v.ring.Hidden = !v.focused
	row, _ := v.rows.spot()
	visible := row >= v.top && row < v.top+v.shown
	if v.refit != nil {
		v.refit()
	}
	if row, _ = v.rows.spot(); visible {
		v.follow(row) // what is current stays visible in a smaller window
	}
	v.shown = v.page()
	v.update()
}

func (r *rowRenderer) Refresh() {
	r.v.ring.FillColor = look().caret
	r.v.ring.Hidden = !r.v.focused
	r.v.placeMarks()
	r.v.raster.Refresh()
	r.v.vbar.Refresh()
	r.v.hbar.Refresh()
}
