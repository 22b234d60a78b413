// Command empty opens a window of Fyne with nothing in it: what the start of the program is measured against.
package main

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/widget"
)

func main() {
	w := app.NewWithID("empty").NewWindow("empty")
	w.SetContent(widget.NewLabel(""))
	w.Resize(fyne.NewSize(1400, 860))
	w.ShowAndRun()
}
