package paint

import (
	"math"

	"fyne.io/fyne/v2"
)

// Whole is the largest size in whole pixels that fits into a size, at pixels per unit: a picture of another would be stretched by a pixel and lose a line.
func Whole(size fyne.Size, scale float32) fyne.Size {
	whole := func(u float32) float32 { return float32(math.Floor(float64(u*scale))) / scale }
	return fyne.NewSize(whole(size.Width), whole(size.Height))
}

// WholeOn is Whole for an object that is shown in a window.
func WholeOn(o fyne.CanvasObject, size fyne.Size) fyne.Size {
	c := fyne.CurrentApp().Driver().CanvasForObject(o)
	if c == nil {
		return size
	}
	return Whole(size, max(0.1, c.Scale()))
}
