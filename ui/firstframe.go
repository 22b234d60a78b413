package ui

import (
	"fmt"
	"image"
	"io"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
)

// firstFrame is how long the window may take to be drawn.
const firstFrame = 10 * time.Second

// watchFirstFrame ends the program with status 2 when no frame is drawn in time: on a display without OpenGL it would run on
// without a window. What it returns, a single clear pixel, has to be in the window.
func watchFirstFrame(log io.Writer, exit func(int)) fyne.CanvasObject {
	late := time.AfterFunc(firstFrame, func() {
		fmt.Fprintf(log, "spandrel: no window was drawn within %v: the display has no usable OpenGL. `spandrel dump` and the other commands work without a display.\n", firstFrame)
		exit(2)
	})
	clear := image.NewRGBA(image.Rect(0, 0, 1, 1))
	drawn := sync.OnceFunc(func() { late.Stop() })
	pixel := canvas.NewRaster(func(_, _ int) image.Image {
		drawn()
		return clear
	})
	pixel.Resize(fyne.NewSize(1, 1))
	return container.NewWithoutLayout(pixel)
}
