package ui

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"spandrel/ui/guard"
	"spandrel/ui/rows"
)

// frame arranges the panes of a document.
type frame struct {
	d      *sides
	bottom *container.AppTabs
	splits []*container.Split
	given  []float64         // where they were put: what is elsewhere was moved, and stays
	all    fyne.CanvasObject // the panes in their places
	body   *fyne.Container   // all of them, or the lower ones alone
	whole  *fyne.Container   // all of the document
	top    *fyne.Container   // what stands above the panes
	alone  bool
	asked  bool               // a pane was asked for by its name
	left   *container.TabItem // that was shown below before; nil: none
	graph  *container.TabItem // nil where the format describes no graphs
}

// layout arranges the panes of a document. The places of the splitters are those of the last time.
func (f *frame) layout() fyne.CanvasObject {
	f.bottom = container.NewAppTabs(
		container.NewTabItem("Table", f.d.table.object),
		container.NewTabItem("Problems", f.d.problem.object),
		container.NewTabItem("Coverage", f.d.cover.object),
		container.NewTabItem("Changes", f.d.changes.object),
		container.NewTabItem("Find", f.d.find.object))
	f.bottom.OnUnselected = func(t *container.TabItem) { f.left = t }
	f.bottom.OnSelected = func(t *container.TabItem) {
		if t == f.graph {
			f.d.graph.shown()
		}
		if f.left != nil && holds(f.left.Content, f.d.wb.shell.focused()) {
			f.focusBottom() // what is out of sight takes no keys
		}
	}
	if f.d.graph != nil {
		f.graph = container.NewTabItem("Graph", f.d.graph.object)
		f.bottom.Append(f.graph)
		f.offerGraph(f.d.left.graph || f.d.Tree().Root.Range.Len > checkSize)
	}
	if f.d.format() == nil {
		f.show(tabProblems)
	}
	if f.d.wb.pane != "" {
		f.showNamed(f.d.wb.pane)
	}
	f.d.left.lead()
	f.d.problem.changed()
	middle := container.NewVSplit(f.d.hex.object, f.bottom)
	right := container.NewHSplit(middle, f.d.info.object)
	all := container.NewHSplit(f.d.left.object, right)
	f.splits = []*container.Split{all, right, middle}
	f.all, f.body = all, container.New(guard.Layout(placing{f}), all)
	width := f.d.wb.width
	if size := f.d.wb.shell.size(); size.Width > 0 {
		width = size.Width
	}
	f.given = placesIn(width)
	for i := range f.given {
		f.given[i] = f.d.wb.app.Preferences().FloatWithFallback(fmt.Sprintf("split%d", i), f.given[i])
		f.splits[i].Offset = f.given[i]
	}
	secret := newSecretBar(f.d.Document)
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

// count puts behind the title of a pane at the bottom how much it lists.
func (f *frame) count(i int, title string, n int) {
	if n > 0 {
		title = fmt.Sprintf("%s %d", title, n)
	}
	if f.bottom != nil && f.bottom.Items[i].Text != title {
		f.bottom.Items[i].Text = title
		f.bottom.Refresh()
	}
}

// show shows one of the panes at the bottom.
func (f *frame) show(i int) { f.bottom.SelectIndex(i) }

// open shows one of the panes at the bottom and gives it the keyboard.
func (f *frame) open(i int) {
	f.show(i)
	f.focusBottom()
}

func (f *frame) focusBytes() {
	if !f.alone {
		f.d.wb.shell.focus(f.d.hex.view)
	}
}

// focusBottom gives the keyboard to the pane at the bottom that is shown.
func (f *frame) focusBottom() {
	if f.graph != nil && f.bottom.Selected() == f.graph {
		f.d.wb.shell.focus(f.d.graph.view)
		return
	}
	var first *rows.View
	rows.EachView(f.bottom.Selected().Content, func(v *rows.View) {
		if first == nil {
			first = v
		}
	})
	if first != nil {
		f.d.wb.shell.focus(first)
	}
}

// holds tells whether an object is among those of containers.
func holds(o fyne.CanvasObject, what fyne.Focusable) bool {
	if c, ok := o.(*fyne.Container); ok {
		return slices.ContainsFunc(c.Objects, func(o fyne.CanvasObject) bool { return holds(o, what) })
	}
	f, ok := o.(fyne.Focusable)
	return ok && what != nil && f == what
}

// openGraph is openTab for the graph, where there is one.
func (f *frame) openGraph() {
	if err := f.showNamed("graph"); err != nil {
		f.d.wb.status.say("this document holds no graph")
	} else {
		f.focusBottom()
	}
}

// showNamed shows the pane at the bottom whose title begins with the same word as name: behind it there may be a count.
func (f *frame) showNamed(name string) error {
	first := func(s string) string {
		word, _, _ := strings.Cut(strings.ToLower(s), " ")
		return word
	}
	f.asked = true
	var names []string
	for i, t := range f.bottom.Items {
		if first(t.Text) == first(name) {
			f.show(i)
			return nil
		}
		names = append(names, first(t.Text))
	}
	return fmt.Errorf("no pane %q: there are %s", name, strings.Join(names, ", "))
}

// next gives the keyboard to the pane in sight behind the one that has it.
func (f *frame) next() {
	var views []fyne.Focusable
	if !f.alone {
		views = append(views, f.d.left.view(), f.d.hex.view)
	}
	if f.graph != nil && f.bottom.Selected() == f.graph {
		views = append(views, f.d.graph.view)
	}
	rows.EachView(f.bottom.Selected().Content, func(v *rows.View) { views = append(views, v) })
	views = append(views, f.d.info.View)
	at := (slices.Index(views, f.d.wb.shell.focused()) + 1) % len(views)
	f.d.wb.shell.focus(views[at])
}

// maximise gives the lower panes all of the room beside the details, or puts them back into their place.
func (f *frame) maximise() {
	if f.alone = !f.alone; f.alone {
		wide := container.NewHSplit(f.bottom, f.d.info.object)
		wide.Offset = 1 - (1-f.splits[0].Offset)*(1-f.splits[1].Offset) // as wide as they were
		f.body.Objects = []fyne.CanvasObject{wide}
	} else {
		f.body.Objects = []fyne.CanvasObject{f.all}
	}
	f.body.Refresh()
	if f.alone {
		f.focusBottom() // what is out of sight takes no keys
	}
	f.d.wb.menus.changed()
}

// offerGraph shows the tab of the graph when the document holds one. Of a large document that is not found out before somebody looks.
func (f *frame) offerGraph(on bool) {
	if f.bottom == nil || f.graph == nil {
		return
	}
	switch there := slices.Contains(f.bottom.Items, f.graph); {
	case on && !there:
		f.bottom.Append(f.graph)
	case !on && there && f.bottom.Selected() != f.graph:
		f.bottom.Remove(f.graph)
	}
}

// leadToGraph shows the graph of a document that was just opened, unless another pane was asked for.
func (f *frame) leadToGraph() {
	if f.bottom != nil && f.graph != nil && !f.asked && f.left == nil {
		f.bottom.Select(f.graph)
	}
}

// offer shows a pane that is there at times and gives it the keyboard, or takes it away.
func (f *frame) offer(tab *container.TabItem, on bool) {
	there := slices.Contains(f.bottom.Items, tab)
	switch {
	case !on && there:
		f.bottom.Remove(tab)
	case on && !there:
		f.bottom.Append(tab)
	}
	if on {
		f.bottom.Select(tab)
		f.focusBottom()
	}
}

func (f *frame) ready() bool { return f.bottom != nil }

// shownName is the title of the pane at the bottom that is shown.
func (f *frame) shownName() string {
	if f.bottom == nil || f.bottom.Selected() == nil {
		return ""
	}
	return f.bottom.Selected().Text
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
