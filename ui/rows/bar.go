package rows

import (
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
	"spandrel/ui/guard"
	"spandrel/ui/paint"
)

// BarSize is the thickness of a scroll bar and minThumb the smallest length of its thumb, in units.
const (
	BarSize  = 12
	minThumb = 24
)

// bar is a scroll bar over int64 positions: Fyne's own uses float32 and misses rows of large files. The ends are exact: the
// lowest position is the last page. While Shift is held, the content moves a twentieth as far.
type bar struct {
	widget.BaseWidget
	horizontal       bool
	total, page, pos int64
	onChange         func(pos int64)

	grab   float32 // of the pointer in the thumb, so that it does not jump when taken
	last   float32
	fine   float64 // the position while Shift is held
	inFine bool
	hot    bool
}

func newBar(horizontal bool, onChange func(int64)) *bar {
	b := &bar{horizontal: horizontal, onChange: onChange}
	b.ExtendBaseWidget(b)
	return b
}

// set sets the state; a bar with nothing to scroll draws nothing.
func (b *bar) set(total, page, pos int64) {
	if b.total != total || b.page != page || b.pos != pos {
		b.total, b.page, b.pos = total, page, pos
		b.Refresh()
	}
}

func (b *bar) along(p fyne.Position) float32 {
	if b.horizontal {
		return p.X
	}
	return p.Y
}

func (b *bar) Length() float32 {
	return b.along(fyne.Position(fyne.NewPos(b.Size().Width, b.Size().Height)))
}
func (b *bar) needed() bool { return b.total > b.page && b.page > 0 }

func (b *bar) thumbLen() float32 {
	return min(b.Length(), max(minThumb, float32(float64(b.Length())*float64(b.page)/float64(max(1, b.total)))))
}

func (b *bar) thumbAt() float32 {
	if !b.needed() {
		return 0
	}
	return float32(float64(b.Length()-b.thumbLen()) * float64(b.pos) / float64(b.total-b.page))
}

// Jump moves the thumb's start to y and reports the position; f == 1 gives exactly the last page.
func (b *bar) Jump(y float32) {
	f := min(1, max(0, float64(y/max(1, b.Length()-b.thumbLen()))))
	b.move(int64(math.Round(f * float64(b.total-b.page))))
}

func (b *bar) move(pos int64) {
	pos = max(0, min(pos, b.total-b.page))
	if pos == b.pos {
		return
	}
	b.pos = pos
	b.Refresh()
	b.onChange(pos)
}

func (b *bar) MouseDown(e *desktop.MouseEvent) {
	y := b.along(e.Position)
	if at := b.thumbAt(); y < at || y > at+b.thumbLen() {
		b.grab = b.thumbLen() / 2
		b.Jump(y - b.grab)
	} else {
		b.grab = y - at
	}
	b.last, b.inFine = y, false
}

func (b *bar) MouseUp(*desktop.MouseEvent) {}

func (b *bar) Dragged(e *fyne.DragEvent) {
	y := b.along(e.Position)
	if ShiftHeld() {
		if !b.inFine {
			b.fine, b.inFine = float64(b.pos), true
		}
		rows := float64(b.total-b.page) / float64(max(1, b.Length()-b.thumbLen()))
		b.fine += float64(y-b.last) * max(rows/20, min(1, rows))
		b.move(int64(math.Round(b.fine)))
		b.grab = y - b.thumbAt()
	} else {
		b.inFine = false
		b.Jump(y - b.grab)
	}
	b.last = y
}

func (b *bar) DragEnd()                       { b.inFine = false }
func (b *bar) MouseIn(*desktop.MouseEvent)    { b.hot = true; b.Refresh() }
func (b *bar) MouseMoved(*desktop.MouseEvent) {}
func (b *bar) MouseOut()                      { b.hot = false; b.Refresh() }

func (b *bar) CreateRenderer() fyne.WidgetRenderer {
	groove, thumb := canvas.NewRectangle(nil), canvas.NewRectangle(nil)
	thumb.CornerRadius = 3
	colour := func() {
		groove.FillColor, thumb.FillColor = paint.Look().Header, paint.Look().Thumb
		if b.hot {
			thumb.FillColor = paint.Look().Dim
		}
	}
	colour()
	place := func(size fyne.Size) {
		groove.Resize(size)
		at, n := b.thumbAt(), b.thumbLen()
		if b.horizontal {
			thumb.Move(fyne.NewPos(at, 2))
			thumb.Resize(fyne.NewSize(n, max(1, size.Height-4)))
		} else {
			thumb.Move(fyne.NewPos(2, at))
			thumb.Resize(fyne.NewSize(max(1, size.Width-4), n))
		}
		groove.Hidden, thumb.Hidden = !b.needed(), !b.needed()
	}
	return guard.Renderer("a scroll bar", fyne.NewSquareSize(BarSize), place, func() {
		colour()
		place(b.Size())
		groove.Refresh()
		thumb.Refresh()
	}, groove, thumb)
}

// Wheel turns scroll distances into rows and keeps the remainder, so that slow touchpads move too. One notch of a mouse is 25
// units on Linux and Windows: doubled, it is three rows.
type Wheel struct{ acc float32 }

func (w *Wheel) Rows(dy, rowHeight float32) int64 {
	w.acc += 2 * dy
	n := int64(w.acc / rowHeight)
	w.acc -= float32(n) * rowHeight
	return -n
}

// modifiers returns the pressed modifier keys; none if the driver cannot tell.
func modifiers() fyne.KeyModifier {
	if d, ok := fyne.CurrentApp().Driver().(desktop.Driver); ok {
		return d.CurrentKeyModifiers()
	}
	return 0
}

func ShiftHeld() bool   { return modifiers()&fyne.KeyModifierShift != 0 }
func ControlHeld() bool { return modifiers()&fyne.KeyModifierShortcutDefault != 0 }
