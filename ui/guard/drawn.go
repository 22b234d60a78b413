package guard

import (
	"image"

	"fyne.io/fyne/v2"
)

// Layout and drawing between two events are called by Fyne's own loop, with no function of ours below them on the stack. So they are guarded
// where they are handed to Fyne; event handlers are guarded where the event enters (guardInput of package ui).

// Layout is a layout in which a panic only affects one arrangement.
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

// Renderer is the renderer of a widget with constant objects: place lays them out, draw redraws them. After a panic in either the
// widget looks as before.
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

// Pixels draws a raster; a panic leaves it empty.
func Pixels(name string, draw func(w, h int) image.Image) func(w, h int) image.Image {
	return func(w, h int) (img image.Image) {
		if Do("drawing "+name, func() { img = draw(w, h) }); img == nil {
			img = image.NewRGBA(image.Rect(0, 0, max(0, w), max(0, h)))
		}
		return img
	}
}
