package ui

import (
	"fmt"
	"image"
	"io"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
)

// firstFrame watches for the first frame of the window: without OpenGL the program would keep running without a window.
type firstFrame struct {
	post  func(func())
	begin func() // called while it is painted; may be nil
	drawn atomic.Bool
}

// An event loop that has turned so often, and not faster than that, without drawing a frame will not draw one. Time alone is not enough: on a busy machine
// one turn may take long.
const (
	frameTurns = 20
	frameTurn  = 500 * time.Millisecond
)

// pixel is a transparent pixel that must be in the window.
func (f *firstFrame) pixel() fyne.CanvasObject {
	clear := image.NewRGBA(image.Rect(0, 0, 1, 1))
	p := canvas.NewRaster(func(_, _ int) image.Image {
		if !f.drawn.Swap(true) && f.begin != nil {
			f.begin()
		}
		return clear
	})
	p.Resize(fyne.NewSize(1, 1))
	return container.NewWithoutLayout(p)
}

// watch ends the program with status 2 if the event loop runs and draws nothing.
func (f *firstFrame) watch(log io.Writer, exit func(int), turn time.Duration) {
	for range frameTurns {
		turned := make(chan bool)
		f.post(func() { close(turned) })
		<-turned
		if f.drawn.Load() {
			return
		}
		time.Sleep(turn)
	}
	fmt.Fprintln(log, "spandrel: cannot open a window: the display has no usable OpenGL. `spandrel dump` and the other commands work without a display.")
	exit(2)
}
