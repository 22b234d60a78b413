package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"spandrel/ui/guard"
	"spandrel/ui/paint"
)

// The sides of a dock.
const (
	SideLeft  = "left"
	SideRight = "right"
	SideBelow = "below"
)

// Dock is an area in which panes are dragged from one side to another.
type Dock struct {
	Body   *fyne.Container
	Target *canvas.Rectangle // where the pane that is dragged would go
	side   string            // under the pointer; "": none
}

// NewDock makes a dock without panes.
func NewDock(layout fyne.Layout) *Dock {
	d := &Dock{Body: container.New(layout), Target: canvas.NewRectangle(color.Transparent)}
	d.Target.Hide()
	return d
}

// over shows where a pane would go that is let go at a position in the window.
func (d *Dock) over(pos fyne.Position) {
	size := d.Body.Size()
	at := pos.Subtract(fyne.CurrentApp().Driver().AbsolutePositionForObject(d.Body))
	place, part := fyne.NewPos(0, 0), fyne.NewSize(size.Width/4, size.Height)
	switch d.side = ""; {
	case at.X < size.Width/4:
		d.side = SideLeft
	case at.X > size.Width*3/4:
		d.side, place.X = SideRight, size.Width*3/4
	case at.Y > size.Height*3/5:
		d.side, place.Y, part = SideBelow, size.Height*3/5, fyne.NewSize(size.Width, size.Height*2/5)
	}
	c := paint.Look().Selection
	d.Target.FillColor = color.NRGBA{c.R, c.G, c.B, 120}
	d.Target.Move(place)
	d.Target.Resize(part)
	d.Target.Hidden = d.side == ""
	d.Target.Refresh()
}

// Handle is the bar at the top of a pane by which it is dragged.
type Handle struct {
	widget.BaseWidget
	h    *Host
	dock *Dock
	name string
	move func(side string)
	bar  *canvas.Rectangle
}

// NewHandle makes the handle of a pane with a name; move puts the pane on another side.
func NewHandle(h *Host, dock *Dock, name string, move func(side string)) *Handle {
	g := &Handle{h: h, dock: dock, name: name, move: move, bar: canvas.NewRectangle(paint.Look().Line)}
	g.bar.SetMinSize(fyne.NewSize(32, 3))
	g.bar.CornerRadius = 1.5
	g.ExtendBaseWidget(g)
	return g
}

func (g *Handle) CreateRenderer() fyne.WidgetRenderer {
	room := canvas.NewRectangle(color.Transparent)
	room.SetMinSize(fyne.NewSize(1, 7))
	return &handleRenderer{widget.NewSimpleRenderer(container.NewStack(room, container.NewCenter(g.bar))), g}
}

// handleRenderer draws a handle in the colours of the current theme.
type handleRenderer struct {
	fyne.WidgetRenderer
	g *Handle
}

func (r *handleRenderer) Refresh() {
	r.g.bar.FillColor = paint.Look().Line
	r.WidgetRenderer.Refresh()
}

func (g *Handle) Cursor() desktop.Cursor         { return desktop.PointerCursor }
func (g *Handle) MouseMoved(*desktop.MouseEvent) {}
func (g *Handle) MouseOut()                      { g.h.Hint("") }
func (g *Handle) MouseIn(*desktop.MouseEvent) {
	g.h.Hint(g.name + ": drag to another side of the window")
}

func (g *Handle) Dragged(e *fyne.DragEvent) {
	guard.Do("dragging a pane", func() { g.dock.over(e.AbsolutePosition) })
}

// DragEnd moves the pane to the side under the pointer.
func (g *Handle) DragEnd() {
	guard.Do("moving a pane", func() {
		if g.dock.Target.Hide(); g.dock.side != "" {
			g.move(g.dock.side)
		}
	})
}
