package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
)

// IntoView scrolls a strip of objects sideways until one of them is visible.
func IntoView(strip *container.Scroll, o fyne.CanvasObject) {
	strip.Refresh() // its content may have grown
	x, w, room := o.Position().X, o.MinSize().Width, strip.Size().Width
	strip.ScrollToOffset(fyne.NewPos(max(0, min(max(strip.Offset.X, x+w-room), x)), 0))
}

// Sharing lays two objects out side by side, each in one half: the second gets at least this many units from the first, and is hidden if there is no room for it.
type Sharing float32

func (s Sharing) MinSize(all []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(float32(s), max(all[0].MinSize().Height, all[1].MinSize().Height))
}

func (s Sharing) Layout(all []fyne.CanvasObject, size fyne.Size) {
	second := min(size.Width, max(float32(s), size.Width/2))
	if first := size.Width - second; first > all[0].MinSize().Width {
		all[0].Resize(fyne.NewSize(first, size.Height))
		all[0].Show()
	} else {
		all[0].Hide() // of a text not even the mark that it is cut would be whole
	}
	all[1].Move(fyne.NewPos(size.Width-second, 0))
	all[1].Resize(fyne.NewSize(second, size.Height))
}

// AtLeast gives an object a minimum size.
func AtLeast(size fyne.Size, o fyne.CanvasObject) fyne.CanvasObject {
	room := canvas.NewRectangle(color.Transparent)
	room.SetMinSize(size)
	return container.NewStack(room, o)
}
