package ui

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"
)

// threeWide is the least width of a window with panes on both sides of the bytes or the data.
const threeWide = 800

// placesIn is the default places of the splitters in a window of a given width that shows some panes.
func placesIn(width float32, show panes) []float64 {
	switch {
	case width < threeWide: // the tree and below it the details
		return []float64{0.36, 0.7, 0.58}
	case width < 1000, width < 1200 && show&paneBytes == 0: // a label and what it says beside each other
		return []float64{0.22, 0.7, 0.58}
	case width < 1200: // rows of 16 bytes first
		return []float64{0.187, 0.783, 0.58}
	case width < 1500: // and then a wider tree and details
		return []float64{0.22, 0.71, 0.62}
	}
	return []float64{0.235, 0.661, 0.62} // rows of 20 bytes, and numbers of 20 digits side by side
}

// placing lays the panes out; when the width of the window changes, it sets the default splitter places unless the user has moved them.
type placing struct{ f *frame }

func (p placing) MinSize(all []fyne.CanvasObject) fyne.Size {
	return layout.NewStackLayout().MinSize(all)
}

func (p placing) Layout(all []fyne.CanvasObject, size fyne.Size) {
	if narrow := size.Width < threeWide; narrow != p.f.narrow {
		p.f.narrow = narrow
		p.f.d.Window.Post(func() { p.f.arrange(p.f.show) })
	}
	for i, place := range placesIn(size.Width, p.f.show) {
		if s := p.f.splits[i]; s.Offset == p.f.given[i] && p.f.d.Window.App.Preferences().Float(fmt.Sprintf("split%d", i)) == 0 {
			s.Offset, p.f.given[i] = place, place
		}
	}
	layout.NewStackLayout().Layout(all, size)
}
