package ui

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"

	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// tooltip says beside a button what it does. It lies over the window and takes no clicks.
type tooltip struct {
	back   *canvas.Rectangle
	text   *canvas.Text
	object *fyne.Container
	wait   *time.Timer
}

// tipDelay is how long the pointer rests on a button before it is told about.
const tipDelay = 500 * time.Millisecond

func newTooltip() *tooltip {
	t := &tooltip{back: canvas.NewRectangle(nil), text: canvas.NewText("", nil)}
	t.back.StrokeWidth = 1
	t.object = container.NewWithoutLayout(t.back, t.text)
	t.object.Hide()
	return t
}

// later shows a text beside a button, unless the pointer leaves it before.
func (t *tooltip) later(b *keyButton) {
	if t == nil {
		return
	}
	t.hide()
	var timer *time.Timer
	timer = time.AfterFunc(tipDelay, func() {
		b.h.post(func() {
			if t.wait == timer {
				t.show(b)
			}
		})
	})
	t.wait = timer
}

func (t *tooltip) show(b *keyButton) {
	look, room := paint.Look(), t.object.Size()
	t.text.Text, t.text.TextSize, t.text.Color = b.tip, fyne.CurrentApp().Settings().Theme().Size("text"), look.Foreground
	t.back.FillColor, t.back.StrokeColor = look.Menu, look.Line
	size := t.text.MinSize().Add(fyne.NewSize(2*rows.CellPad, rows.CellPad))
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(b)
	over := fyne.Position{} // of the content, which is below the menus
	if c := fyne.CurrentApp().Driver().CanvasForObject(b); c != nil {
		over = fyne.CurrentApp().Driver().AbsolutePositionForObject(c.Content())
	}
	at = at.Subtract(over).AddXY(0, b.Size().Height+4)
	if at.Y+size.Height > room.Height {
		at.Y -= b.Size().Height + size.Height + 8
	}
	at.X = max(0, min(at.X, room.Width-size.Width-4))
	t.back.Move(at)
	t.back.Resize(size)
	t.text.Move(at.AddXY(rows.CellPad, rows.CellPad/2))
	t.text.Resize(t.text.MinSize())
	t.object.Show()
	t.object.Refresh()
}

func (t *tooltip) hide() {
	if t == nil {
		return
	}
	if t.wait != nil {
		t.wait.Stop()
		t.wait = nil
	}
	t.object.Hide()
}
