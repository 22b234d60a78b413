package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"
)

// pick lets one of some names be chosen: typing narrows the list, Enter takes its first, a click any.
func (wb *Workbench) pick(title string, names []string, then func(i int)) {
	if wb.win == nil {
		return
	}
	var shown []int
	var box *dialog.CustomDialog
	list := widget.NewList(func() int { return len(shown) }, func() fyne.CanvasObject { return widget.NewLabel("") },
		func(i widget.ListItemID, o fyne.CanvasObject) { o.(*widget.Label).SetText(names[shown[i]]) })
	narrow := func(s string) {
		shown = shown[:0]
		for i, n := range names {
			if strings.Contains(strings.ToLower(n), strings.ToLower(s)) {
				shown = append(shown, i)
			}
		}
		list.Refresh()
	}
	narrow("")
	take := func(i int) {
		if i < len(shown) {
			box.Hide()
			then(shown[i])
		}
	}
	list.OnSelected = func(i widget.ListItemID) { take(i) }
	e := widget.NewEntry()
	e.SetPlaceHolder("type to narrow, Enter takes the first")
	e.OnChanged = narrow
	e.OnSubmitted = func(string) { take(0) }
	box = dialog.NewCustom(title, "Cancel", container.NewBorder(e, nil, nil, nil, list), wb.win)
	box.Resize(fyne.NewSize(460, 380))
	box.Show()
	wb.focus(e)
}
