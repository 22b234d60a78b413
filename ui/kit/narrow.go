package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Narrowing lays out a line in which one text is as long as it needs while there is room, and is cut in a narrow window, so
// that no text widens the window; the rest is for another text, which gets half of the room for both if it needs that. Both are
// labels that are cut with an ellipsis.
type Narrowing struct{ Text, Rest *widget.Label }

// MinSize is the size of the line with both texts cut.
func (n Narrowing) MinSize(line []fyne.CanvasObject) (size fyne.Size) {
	for _, o := range line {
		if min := o.MinSize(); o.Visible() {
			size = fyne.NewSize(size.Width+min.Width, max(size.Height, min.Height))
		}
	}
	return size
}

// Layout places the line from the left.
func (n Narrowing) Layout(line []fyne.CanvasObject, size fyne.Size) {
	left := size.Width
	for _, o := range line {
		if o.Visible() && o != n.Text && o != n.Rest {
			left -= o.MinSize().Width
		}
	}
	text := min(uncut(n.Text), max(left/2, left-uncut(n.Rest)))
	x := float32(0)
	for _, o := range line {
		width := o.MinSize().Width
		switch {
		case !o.Visible():
			continue
		case o == n.Text:
			width = text
		case o == n.Rest:
			width = left - text
		}
		o.Move(fyne.NewPos(x, 0))
		o.Resize(fyne.NewSize(max(0, width), size.Height))
		x += width
	}
}

// uncut is the width of a label that is not cut.
func uncut(l *widget.Label) float32 {
	if l.Text == "" {
		return 0
	}
	return fyne.MeasureText(l.Text, theme.TextSize(), l.TextStyle).Width + 2*theme.InnerPadding() + 1
}
