package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// narrowing lays a line out in which one text is as long as it wants to be while there is room for it, and is cut in a narrow window, so
// that no text widens the window; what is left goes to another one, which gets half of what both have where it needs that. Both are
// labels that are cut with an ellipsis.
type narrowing struct{ text, rest *widget.Label }

// MinSize is that of the line with both texts cut.
func (n narrowing) MinSize(line []fyne.CanvasObject) (size fyne.Size) {
	for _, o := range line {
		if min := o.MinSize(); o.Visible() {
			size = fyne.NewSize(size.Width+min.Width, max(size.Height, min.Height))
		}
	}
	return size
}

// Layout places the line from the left.
func (n narrowing) Layout(line []fyne.CanvasObject, size fyne.Size) {
	left := size.Width
	for _, o := range line {
		if o.Visible() && o != n.text && o != n.rest {
			left -= o.MinSize().Width
		}
	}
	text := min(uncut(n.text), max(left/2, left-uncut(n.rest)))
	x := float32(0)
	for _, o := range line {
		width := o.MinSize().Width
		switch {
		case !o.Visible():
			continue
		case o == n.text:
			width = text
		case o == n.rest:
			width = left - text
		}
		o.Move(fyne.NewPos(x, 0))
		o.Resize(fyne.NewSize(max(0, width), size.Height))
		x += width
	}
}

// uncut is how wide a label is that is not cut.
func uncut(l *widget.Label) float32 {
	if l.Text == "" {
		return 0
	}
	return fyne.MeasureText(l.Text, theme.TextSize(), l.TextStyle).Width + 2*theme.InnerPadding() + 1
}
