package ui

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"spandrel/ui/guard"
	"spandrel/ui/rows"
)

// frame arranges the panes of a document.
type frame struct {
	wb     *Workbench
	d      *tab
	splits []*container.Split
	given  []float64         // where they were put: what is elsewhere was moved, and stays
	all    fyne.CanvasObject // the panes in their places
	body   *fyne.Container   // all of them, or the lower ones alone
	whole  *fyne.Container   // all of the document
	top    *fyne.Container   // what stands above the panes
	alone  bool
}

// layout arranges the panes of a document. The places of the splitters are those of the last time.
func (f *frame) layout() fyne.CanvasObject {
	lower := f.d.lower
	lower.lay(
		container.NewTabItem("Table", f.d.table.object),
		container.NewTabItem("Problems", f.d.problem.object),
		container.NewTabItem("Coverage", f.d.cover.object),
		container.NewTabItem("Changes", f.d.changes.object),
		container.NewTabItem("Find", f.d.find.object))
	if f.d.graph != nil {
		lower.graph, lower.picture, lower.drawn = container.NewTabItem("Graph", f.d.graph.object), f.d.graph.view, f.d.graph.shown
		lower.bottom.Append(lower.graph)
		lower.offerGraph(f.d.left.graph || f.d.Tree().Root.Range.Len > checkSize)
	}
	if f.d.format() == nil {
		lower.show(tabProblems)
	}
	if f.wb.pane != "" {
		_ = lower.showNamed(f.wb.pane)
	}
	f.d.left.lead()
	f.d.problem.changed()
	middle := container.NewVSplit(f.d.hex.object, lower.bottom)
	right := container.NewHSplit(middle, f.d.info.object)
	all := container.NewHSplit(f.d.left.object, right)
	f.splits = []*container.Split{all, right, middle}
	f.all, f.body = all, container.New(guard.Layout(placing{f}), all)
	width := f.wb.width
	if size := f.d.wb.shell.size(); size.Width > 0 {
		width = size.Width
	}
	f.given = placesIn(width)
	for i := range f.given {
		f.given[i] = f.d.wb.app.Preferences().FloatWithFallback(fmt.Sprintf("split%d", i), f.given[i])
		f.splits[i].Offset = f.given[i]
	}
	secret := newSecretBar(f.d)
	f.d.panes = append(f.d.panes, secret)
	f.top = container.NewVBox(f.d.head.object, f.d.path.object, f.d.disk.object, secret.object, f.d.trialBar.object)
	f.whole = container.NewBorder(f.top, nil, nil, nil, f.body)
	return f.whole
}

// placesIn is where the splitters are in a window of a width, before anybody moves them.
func placesIn(width float32) []float64 {
	switch {
	case width < 900: // a label and what it says beside each other
		return []float64{0.22, 0.7, 0.58}
	case width < 1200: // rows of 12 bytes leave room for the rest
		return []float64{0.235, 0.725, 0.58}
	case width < 1500: // rows of 16 bytes first
		return []float64{0.25, 0.675, 0.62}
	}
	return []float64{0.235, 0.661, 0.62} // rows of 20 bytes, and numbers of 20 digits side by side
}

// placing lays the panes out; in a window of another width, with the splitters where they are in such a one, unless somebody moved them.
type placing struct{ f *frame }

func (p placing) MinSize(all []fyne.CanvasObject) fyne.Size {
	return layout.NewStackLayout().MinSize(all)
}

func (p placing) Layout(all []fyne.CanvasObject, size fyne.Size) {
	for i, place := range placesIn(size.Width) {
		if s := p.f.splits[i]; s.Offset == p.f.given[i] && p.f.d.wb.app.Preferences().Float(fmt.Sprintf("split%d", i)) == 0 {
			s.Offset, p.f.given[i] = place, place
		}
	}
	layout.NewStackLayout().Layout(all, size)
}

func (f *frame) relayout() {
	if f.whole != nil {
		f.top.Refresh()
		f.whole.Refresh()
	}
}

func (f *frame) focusBytes() {
	if !f.alone {
		f.d.wb.shell.focus(f.d.hex.view)
	}
}

// next gives the keyboard to the pane in sight behind the one that has it.
func (f *frame) next() {
	var views []fyne.Focusable
	if !f.alone {
		views = append(views, f.d.left.view(), f.d.hex.view)
	}
	if f.d.lower.graph != nil && f.d.lower.bottom.Selected() == f.d.lower.graph {
		views = append(views, f.d.graph.view)
	}
	rows.EachView(f.d.lower.bottom.Selected().Content, func(v *rows.View) { views = append(views, v) })
	views = append(views, f.d.info.View)
	at := (slices.Index(views, f.d.wb.shell.focused()) + 1) % len(views)
	f.d.wb.shell.focus(views[at])
}

// maximise gives the lower panes all of the room beside the details, or puts them back into their place.
func (f *frame) maximise() {
	if f.alone = !f.alone; f.alone {
		wide := container.NewHSplit(f.d.lower.bottom, f.d.info.object)
		wide.Offset = 1 - (1-f.splits[0].Offset)*(1-f.splits[1].Offset) // as wide as they were
		f.body.Objects = []fyne.CanvasObject{wide}
	} else {
		f.body.Objects = []fyne.CanvasObject{f.all}
	}
	f.body.Refresh()
	if f.alone {
		f.d.lower.focusBottom() // what is out of sight takes no keys
	}
	f.d.wb.updateCommands()
}

// splitsMoved is where the splitters are that somebody moved.
func (f *frame) splitsMoved() map[int]float64 {
	moved := map[int]float64{}
	for i, s := range f.splits {
		if s.Offset != f.given[i] {
			moved[i] = s.Offset
		}
	}
	return moved
}
