package ui

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
)

// Where panes are put around the bytes: at a side, or below them.
const (
	sideLeft  = "left"
	sideRight = "right"
	sideBelow = "below"
)

// movable are the panes that can be put elsewhere, in the order that they have where several are on one side.
var movable = []panes{paneTree, paneLower, paneDetails}

// paneNames are what panes are called.
var paneNames = map[panes]string{paneTree: "Tree", paneBytes: "Bytes", paneLower: "Table and lists", paneDetails: "Details"}

// usualSides are where panes are until someone moves them.
var usualSides = map[panes]string{paneTree: sideLeft, paneLower: sideBelow, paneDetails: sideRight}

// sideNames say where a pane would be.
var sideNames = []struct{ side, says string }{{sideLeft, "on the left"}, {sideRight, "on the right"}, {sideBelow, "at the bottom"}}

// newSplits are the splitters of a document: what is on the left, on the right and below is parted from the rest by the first three, and several
// panes on such a side from each other by the others.
func newSplits() []*container.Split {
	none := layout.NewSpacer
	return []*container.Split{container.NewHSplit(none(), none()), container.NewHSplit(none(), none()), container.NewVSplit(none(), none()),
		container.NewVSplit(none(), none()), container.NewVSplit(none(), none()), container.NewHSplit(none(), none())}
}

// placeKey is the preference for the side of a pane.
func placeKey(one panes) string { return "place-" + paneNames[one] }

// placeOf is the side that a pane is on.
func (f *frame) placeOf(one panes) string {
	at := f.d.Window.App.Preferences().String(placeKey(one))
	if slices.ContainsFunc(sideNames, func(x struct{ side, says string }) bool { return x.side == at }) {
		return at
	}
	return usualSides[one]
}

// object is a pane.
func (f *frame) object(one panes) fyne.CanvasObject {
	switch one {
	case paneTree:
		return f.d.left.Object
	case paneLower:
		return f.d.Lower.Bottom
	case paneDetails:
		return f.d.info.Object
	}
	return f.d.hex.Object
}

// move puts panes on a side, in every document and at the next start; "": where they are until someone moves them.
func (wb *Workbench) move(side string, list ...panes) {
	for _, one := range list {
		wb.App.Preferences().SetString(placeKey(one), side)
	}
	for _, d := range wb.docs {
		d.frame.arrange(d.frame.show)
	}
}

// askMove asks which pane goes where.
func (wb *Workbench) askMove(d *tab) {
	type choice struct {
		pane panes
		side string
	}
	var lines []string
	var list []choice
	for _, one := range movable {
		for _, x := range sideNames {
			if d.frame.placeOf(one) != x.side {
				lines, list = append(lines, paneNames[one]+" "+x.says), append(list, choice{one, x.side})
			}
		}
	}
	lines = append(lines, "All panes where they are usually")
	wb.Pick("Move a pane", lines, func(i int) {
		if i < len(list) {
			wb.move(list[i].side, list[i].pane)
			d.frame.reveal(list[i].pane)
			return
		}
		wb.move("", movable...)
	})
}
