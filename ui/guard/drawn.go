package guard

import (
	"image"

	"fyne.io/fyne/v2"
)

// What Fyne lays out and draws between two events is called by its own loop, where nothing of ours is below it on the stack. So that is guarded
// where it is handed to Fyne, and everything that answers to an event where the event enters (guardInput of package ui).

// Layout is a layout in which a panic costs one arrangement.
func Layout(l fyne.Layout) fyne.Layout { return &layout{of: l} }

type layout struct {
	of   fyne.Layout
	size fyne.Size
}

func (l *layout) MinSize(list []fyne.CanvasObject) fyne.Size {
	Do("measuring a part of the window", func() { l.size = l.of.MinSize(list) })
	return l.size
}

func (l *layout) Layout(list []fyne.CanvasObject, size fyne.Size) {
	Do("laying a part of the window out", func() { l.of.Layout(list, size) })
}

// Renderer is that of a widget with the same objects all the time: place lays them out, draw draws them again. A panic in either leaves what is
// named as it was drawn before.
func Renderer(name string, least fyne.Size, place func(fyne.Size), draw func(), objects ...fyne.CanvasObject) fyne.WidgetRenderer {
	return &renderer{name, least, place, draw, objects}
}

type renderer struct {
	name    string
	least   fyne.Size
	place   func(fyne.Size)
	draw    func()
	objects []fyne.CanvasObject
}

func (r *renderer) Destroy()                     {}
func (r *renderer) MinSize() fyne.Size           { return r.least }
func (r *renderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *renderer) Layout(size fyne.Size)        { Do("laying out "+r.name, func() { r.place(size) }) }
func (r *renderer) Refresh()                     { Do("drawing "+r.name, r.draw) }

// Pixels is what draws a raster; a panic in it leaves the raster empty.
func Pixels(name string, draw func(w, h int) image.Image) func(w, h int) image.Image {
	return func(w, h int) (img image.Image) {
		if Do("drawing "+name, func() { img = draw(w, h) }); img == nil {
			img = image.NewRGBA(image.Rect(0, 0, max(0, w), max(0, h)))
		}
		return img
	}
}
