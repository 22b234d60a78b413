package ui

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"spandrel/ui/doc"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
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
	lower := f.d.Lower
	lower.Lay(
		container.NewTabItem("Table", f.d.table.Object),
		container.NewTabItem("Problems", f.d.problem.Object),
		container.NewTabItem("Coverage", f.d.cover.Object),
		container.NewTabItem("Changes", f.d.changes.Object),
		container.NewTabItem("Find", f.d.find.Object))
	if f.d.graph != nil {
		lower.Graph, lower.Picture, lower.Drawn = container.NewTabItem("Graph", f.d.graph.Object), f.d.graph.View, f.d.graph.Shown
		lower.Bottom.Append(lower.Graph)
		lower.OfferGraph(f.d.left.Graph || f.d.Tree().Root.Range.Len > doc.CheckSize)
	}
	if f.d.Format() == nil {
		lower.Show(kit.TabProblems)
	}
	if f.wb.pane != "" {
		_ = lower.ShowNamed(f.wb.pane)
	}
	f.d.left.Lead()
	f.d.problem.Changed()
	middle := container.NewVSplit(f.d.hex.Object, lower.Bottom)
	right := container.NewHSplit(middle, f.d.info.Object)
	all := container.NewHSplit(f.d.left.Object, right)
	f.splits = []*container.Split{all, right, middle}
	f.all, f.body = all, container.New(guard.Layout(placing{f}), all)
	width := f.wb.width
	if size := f.d.Window.Shell.Size(); size.Width > 0 {
		width = size.Width
	}
	f.given = placesIn(width)
	for i := range f.given {
		f.given[i] = f.d.Window.App.Preferences().FloatWithFallback(fmt.Sprintf("split%d", i), f.given[i])
		f.splits[i].Offset = f.given[i]
	}
	secret := newSecretBar(f.d)
	f.d.Panes = append(f.d.Panes, secret)
	f.top = container.NewVBox(f.d.head.Object, f.d.path.object, f.d.disk.object, secret.object, f.d.trialBar.object)
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
		if s := p.f.splits[i]; s.Offset == p.f.given[i] && p.f.d.Window.App.Preferences().Float(fmt.Sprintf("split%d", i)) == 0 {
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
		f.d.Window.Shell.Focus(f.d.hex.View)
	}
}

// next gives the keyboard to the pane in sight behind the one that has it.
func (f *frame) next() {
	var views []fyne.Focusable
	if !f.alone {
		views = append(views, f.d.left.View(), f.d.hex.View)
	}
	if f.d.Lower.Graph != nil && f.d.Lower.Bottom.Selected() == f.d.Lower.Graph {
		views = append(views, f.d.graph.View)
	}
	rows.EachView(f.d.Lower.Bottom.Selected().Content, func(v *rows.View) { views = append(views, v) })
	views = append(views, f.d.info.View)
	at := (slices.Index(views, f.d.Window.Shell.Focused()) + 1) % len(views)
	f.d.Window.Shell.Focus(views[at])
}

// maximise gives the lower panes all of the room beside the details, or puts them back into their place.
func (f *frame) maximise() {
	if f.alone = !f.alone; f.alone {
		wide := container.NewHSplit(f.d.Lower.Bottom, f.d.info.Object)
		wide.Offset = 1 - (1-f.splits[0].Offset)*(1-f.splits[1].Offset) // as wide as they were
		f.body.Objects = []fyne.CanvasObject{wide}
	} else {
		f.body.Objects = []fyne.CanvasObject{f.all}
	}
	f.body.Refresh()
	if f.alone {
		f.d.Lower.FocusBottom() // what is out of sight takes no keys
	}
	f.d.Window.UpdateCommands()
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
