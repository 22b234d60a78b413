package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// intoView scrolls a strip of objects sideways until one of them is visible.
func intoView(strip *container.Scroll, o fyne.CanvasObject) {
	strip.Refresh() // its content may have grown
	x, w, room := o.Position().X, o.MinSize().Width, strip.Size().Width
	strip.ScrollToOffset(fyne.NewPos(max(0, min(max(strip.Offset.X, x+w-room), x)), 0))
}
