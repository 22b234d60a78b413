package ui

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"spandrel/ui/rows"
)

// frame arranges the panes of a document.
type frame struct {
	d      *Document
	tab    *container.TabItem
	bottom *container.AppTabs
	splits []*container.Split
	all    fyne.CanvasObject // the panes in their places
	body   *fyne.Container   // all of them, or the lower ones alone
	alone  bool
}

// The tabs at the bottom that are shown by number.
const (
	tabTable    = 0
	tabProblems = 1
	tabCoverage = 2
	tabChanges  = 3
	tabFind     = 4
	tabGraph    = 5
)

// layout arranges the panes of a document. The places of the splitters are those of the last time.
func (f *frame) layout() fyne.CanvasObject {
	f.bottom = container.NewAppTabs(
		container.NewTabItem("Table", f.d.table.object),
		container.NewTabItem("Problems", f.d.problem.object),
		container.NewTabItem("Coverage", f.d.cover.object),
		container.NewTabItem("Changes", f.d.changes.object),
		container.NewTabItem("Find", f.d.find.object))
	if f.d.graph != nil {
		f.d.graph.tab = container.NewTabItem("Graph", f.d.graph.object)
		f.bottom.Append(f.d.graph.tab)
		f.bottom.OnSelected = func(t *container.TabItem) {
			if t == f.d.graph.tab {
				f.d.graph.shown()
			}
		}
		f.d.graph.offer()
	}
	if f.d.Model.Format == nil {
		f.show(tabProblems)
	}
	if f.d.wb.pane != "" {
		f.showNamed(f.d.wb.pane)
	}
	f.d.problem.changed()
	middle := container.NewVSplit(f.d.hex.object, f.bottom)
	right := container.NewHSplit(middle, f.d.info.object)
	all := container.NewHSplit(f.d.tree.object, right)
	f.splits = []*container.Split{all, right, middle}
	f.all, f.body = all, container.NewStack(all)
	places, width := []float64{0.35, 0.71, 0.62}, f.d.wb.width
	if size := f.d.wb.shell.size(); size.Width > 0 {
		width = size.Width
	}
	switch {
	case width < 1200: // rows of 8 bytes leave room for the rest
		places = []float64{0.28, 0.7, 0.58}
	case width < 1500: // rows of 16 bytes first
		places = []float64{0.25, 0.77, 0.62}
	}
	for i, place := range places {
		f.splits[i].Offset = f.d.wb.app.Preferences().FloatWithFallback(fmt.Sprintf("split%d", i), place)
	}
	secret := newSecretBar(f.d)
	f.d.panes = append(f.d.panes, secret)
	return container.NewBorder(container.NewVBox(f.d.head.object, f.d.path.object, f.d.disk.object, secret.object), nil, nil, nil, f.body)
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

// openGraph is openTab for the graph, where there is one.
func (f *frame) openGraph() {
	if err := f.showNamed("graph"); err != nil {
		f.d.wb.status.say("this document holds no graph")
	} else {
		f.d.wb.shell.focus(f.d.graph.view)
	}
}

// showNamed shows the pane at the bottom whose title begins with the same word as name: behind it there may be a count.
func (f *frame) showNamed(name string) error {
	first := func(s string) string {
		word, _, _ := strings.Cut(strings.ToLower(s), " ")
		return word
	}
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

// next gives the keyboard to the pane behind the one that has it.
func (f *frame) next() {
	views := []fyne.Focusable{f.d.tree.View, f.d.hex.view}
	if f.d.graph != nil && f.bottom.SelectedIndex() == tabGraph {
		views = append(views, f.d.graph.view)
	}
	rows.EachView(f.bottom.Selected().Content, func(v *rows.View) { views = append(views, v) })
	views = append(views, f.d.info.View)
	at := (slices.Index(views, f.d.wb.shell.focused()) + 1) % len(views)
	f.d.wb.shell.focus(views[at])
}

// maximise gives the lower panes all of the room, or puts them back into their place.
func (f *frame) maximise() {
	if f.alone = !f.alone; f.alone {
		f.body.Objects = []fyne.CanvasObject{f.bottom}
	} else {
		f.body.Objects = []fyne.CanvasObject{f.all}
	}
	f.body.Refresh()
	f.d.wb.menus.changed()
}
