package kit

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"

	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// Tooltip describes a button beside it. It is above the window and takes no clicks.
type Tooltip struct {
	Back   *canvas.Rectangle
	Text   *canvas.Text
	Object *fyne.Container
	Wait   *time.Timer   // until it is shown, or looks again for its button
	at     fyne.Position // of the button
}

// tipDelay is how long the pointer must rest on a button.
const tipDelay = 500 * time.Millisecond

// NewTooltip makes the layer that the window puts over its content.
func NewTooltip() *Tooltip {
	t := &Tooltip{Back: canvas.NewRectangle(nil), Text: canvas.NewText("", nil)}
	t.Back.StrokeWidth = 1
	t.Object = container.NewWithoutLayout(t.Back, t.Text)
	t.Object.Hide()
	return t
}

// later shows a text beside a button, unless the pointer leaves it before.
func (t *Tooltip) later(b *Button) {
	if t == nil {
		return
	}
	t.hide()
	t.after(b, func() { t.Show(b) })
}

// after does something in a while, unless the tooltip is hidden before.
func (t *Tooltip) after(b *Button, do func()) {
	var timer *time.Timer
	timer = time.AfterFunc(tipDelay, func() {
		b.h.Post(func() {
			if t.Wait == timer {
				do()
			}
		})
	})
	t.Wait = timer
}

// Look ends the hint of a button that is gone, or elsewhere: Fyne reports that the pointer is no longer on it only when the pointer moves.
func (t *Tooltip) Look(b *Button) {
	if fyne.CurrentApp().Driver().AbsolutePositionForObject(b) != t.at || b.h.Shell.Modal() {
		b.unhint()
		return
	}
	t.after(b, func() { t.Look(b) })
}

func (t *Tooltip) Show(b *Button) {
	look, room := paint.Look(), t.Object.Size()
	t.Text.Text, t.Text.TextSize, t.Text.Color = b.Tip, fyne.CurrentApp().Settings().Theme().Size("text"), look.Foreground
	t.Back.FillColor, t.Back.StrokeColor = look.Menu, look.Line
	size := t.Text.MinSize().Add(fyne.NewSize(2*rows.CellPad, rows.CellPad))
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(b)
	t.at = at
	over := fyne.Position{} // of the content, which is below the menus
	if c := fyne.CurrentApp().Driver().CanvasForObject(b); c != nil {
		over = fyne.CurrentApp().Driver().AbsolutePositionForObject(c.Content())
	}
	at = at.Subtract(over).AddXY(0, b.Size().Height+4)
	if at.Y+size.Height > room.Height {
		at.Y -= b.Size().Height + size.Height + 8
	}
	at.X = max(0, min(at.X, room.Width-size.Width-4))
	t.Back.Move(at)
	t.Back.Resize(size)
	t.Text.Move(at.AddXY(rows.CellPad, rows.CellPad/2))
	t.Text.Resize(t.Text.MinSize())
	t.Object.Show()
	t.Object.Refresh()
	b.Refresh() // Fyne forgets in which window a hidden object is, and would not paint it
	t.after(b, func() { t.Look(b) })
}

func (t *Tooltip) hide() {
	if t == nil {
		return
	}
	if t.Wait != nil {
		t.Wait.Stop()
		t.Wait = nil
	}
	t.Object.Hide()
}
