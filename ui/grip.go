package ui

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

// grip is the handle at the top of a pane: dragging it to a side moves the pane there.
type grip struct {
	widget.BaseWidget
	f    *frame
	pane panes
	bar  *canvas.Rectangle
	to   string // the side under the pointer; "": none
}

// gripped returns a pane with its handle.
func (f *frame) gripped(one panes) fyne.CanvasObject {
	if f.grips[one] == nil {
		g := &grip{f: f, pane: one, bar: canvas.NewRectangle(paint.Look().Line)}
		g.bar.SetMinSize(fyne.NewSize(32, 3))
		g.bar.CornerRadius = 1.5
		g.ExtendBaseWidget(g)
		f.grips[one] = container.NewBorder(g, nil, nil, nil, f.object(one))
	}
	return f.grips[one]
}

func (g *grip) CreateRenderer() fyne.WidgetRenderer {
	room := canvas.NewRectangle(color.Transparent)
	room.SetMinSize(fyne.NewSize(1, 7))
	return &gripRenderer{widget.NewSimpleRenderer(container.NewStack(room, container.NewCenter(g.bar))), g}
}

// gripRenderer draws a handle in the colours of the current theme.
type gripRenderer struct {
	fyne.WidgetRenderer
	g *grip
}

func (r *gripRenderer) Refresh() {
	r.g.bar.FillColor = paint.Look().Line
	r.WidgetRenderer.Refresh()
}

func (g *grip) Cursor() desktop.Cursor         { return desktop.PointerCursor }
func (g *grip) MouseMoved(*desktop.MouseEvent) {}
func (g *grip) MouseOut()                      { g.f.d.Window.Hint("") }

func (g *grip) MouseIn(*desktop.MouseEvent) {
	g.f.d.Window.Hint(paneNames[g.pane] + ": drag to another side of the window")
}

// Dragged shows where the pane would go.
func (g *grip) Dragged(e *fyne.DragEvent) {
	guard.Do("dragging a pane", func() {
		size := g.f.body.Size()
		at := e.AbsolutePosition.Subtract(fyne.CurrentApp().Driver().AbsolutePositionForObject(g.f.body))
		pos, part := fyne.NewPos(0, 0), fyne.NewSize(size.Width/4, size.Height)
		switch g.to = ""; {
		case at.X < size.Width/4:
			g.to = sideLeft
		case at.X > size.Width*3/4:
			g.to, pos.X = sideRight, size.Width*3/4
		case at.Y > size.Height*3/5:
			g.to, pos.Y, part = sideBelow, size.Height*3/5, fyne.NewSize(size.Width, size.Height*2/5)
		}
		t, c := g.f.target, paint.Look().Selection
		t.FillColor = color.NRGBA{c.R, c.G, c.B, 120}
		t.Move(pos)
		t.Resize(part)
		t.Hidden = g.to == ""
		t.Refresh()
	})
}

// DragEnd moves the pane to the side under the pointer.
func (g *grip) DragEnd() {
	guard.Do("moving a pane", func() {
		g.f.target.Hide()
		if g.to != "" && g.to != g.f.placeOf(g.pane) {
			g.f.wb.move(g.to, g.pane)
		}
	})
}
