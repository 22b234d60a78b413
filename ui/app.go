// Package ui is the window: panes over one document, linked by one selection. It knows formats only as model.Format values
// and touches files only through package model.
package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/assets"
	"spandrel/model"
	_ "spandrel/ui/cachetime"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// appID names the settings of the program.
const appID = "org.spandrel.Spandrel"

// Run opens the window, with a tab for each path, and returns when it is closed.
func Run(formats []*model.Format, paths []string) {
	app.SetMetadata(fyne.AppMetadata{ID: appID, Name: "Spandrel", Migrations: map[string]bool{"fyneDo": true}})
	a := app.NewWithID(appID)
	wb := newWorkbench(a, formats, fyne.Do)
	wb.applyPreferences()
	a.SetIcon(assets.Icon)
	wb.records = filepath.Join(a.Storage().RootURI().Path(), "unsaved")
	wb.win = a.NewWindow("Spandrel")
	wb.win.SetIcon(assets.Icon)
	wb.build()
	wb.win.SetPadded(false)
	wb.win.SetMainMenu(wb.mainMenu())
	wb.win.SetContent(container.NewStack(watchFirstFrame(os.Stderr, os.Exit), wb.content()))
	wb.win.Canvas().SetOnTypedKey(wb.typedKey)
	wb.addShortcuts()
	wb.win.Canvas().AddShortcut(&fyne.ShortcutSelectAll{}, func(fyne.Shortcut) { wb.run("select-all") }) // not in the menu: entries need it
	p := a.Preferences()
	wb.win.Resize(fyne.NewSize(float32(p.FloatWithFallback("width", 1360)), float32(p.FloatWithFallback("height", 860))))
	wb.win.SetOnDropped(wb.dropped)
	wb.win.SetCloseIntercept(wb.askQuit)
	a.Lifecycle().SetOnEnteredForeground(wb.lookAtDisk)
	a.Lifecycle().SetOnStarted(func() {
		if len(paths) == 0 {
			wb.restore()
		}
		wb.openAll(paths)
		wb.offerRecovery()
	})
	wb.win.ShowAndRun()
}

// build makes what stands around the documents.
func (wb *Workbench) build() {
	wb.makeCommands()
	wb.status = newStatusBar(wb)
	wb.tabs = container.NewDocTabs()
	wb.tabs.CloseIntercept = func(t *container.TabItem) {
		if d := wb.docOf(t); d != nil {
			wb.askClose(d)
		}
	}
	wb.tabs.OnSelected = func(t *container.TabItem) {
		if d := wb.docOf(t); d != nil && wb.current != d {
			wb.current = d
			wb.changed()
		}
	}
	wb.body = container.NewStack()
}

// docOf returns the document of a tab; nil while it is opened or closed.
func (wb *Workbench) docOf(t *container.TabItem) *Document {
	if i := slices.IndexFunc(wb.docs, func(d *Document) bool { return d.tab == t }); i >= 0 {
		return wb.docs[i]
	}
	return nil
}

func (wb *Workbench) content() fyne.CanvasObject {
	wb.refreshBody()
	wb.changed()
	return container.NewBorder(nil, container.NewVBox(widget.NewSeparator(), wb.status.object), nil, nil, wb.body)
}

// layout arranges the panes of a document. The places of the splitters are those of the last time.
func (d *Document) layout() fyne.CanvasObject {
	d.bottom = container.NewAppTabs(
		container.NewTabItem("Table", d.table.object),
		container.NewTabItem("Problems", d.problem.object),
		container.NewTabItem("Coverage", d.cover.object),
		container.NewTabItem("Changes", d.changes.object),
		container.NewTabItem("Find", d.find.object))
	if d.graph != nil {
		d.graph.tab = container.NewTabItem("Graph", d.graph.object)
		d.bottom.Append(d.graph.tab)
		d.bottom.OnSelected = func(t *container.TabItem) {
			if t == d.graph.tab {
				d.graph.shown()
			}
		}
		d.graph.offer()
	}
	if d.Model.Format == nil {
		d.showTab(tabProblems)
	}
	if d.wb.pane != "" {
		d.showNamed(d.wb.pane)
	}
	d.problem.changed()
	middle := container.NewVSplit(d.hex.object, d.bottom)
	right := container.NewHSplit(middle, d.info.object)
	all := container.NewHSplit(d.tree.object, right)
	d.splits = []*container.Split{all, right, middle}
	places, width := []float64{0.35, 0.71, 0.62}, d.wb.width
	if d.wb.win != nil {
		width = d.wb.win.Canvas().Size().Width
	}
	switch {
	case width < 1200: // rows of 8 bytes leave room for the rest
		places = []float64{0.28, 0.7, 0.58}
	case width < 1500: // rows of 16 bytes first
		places = []float64{0.25, 0.77, 0.62}
	}
	for i, place := range places {
		d.splits[i].Offset = d.wb.app.Preferences().FloatWithFallback(fmt.Sprintf("split%d", i), place)
	}
	secret := newSecretBar(d)
	d.panes = append(d.panes, secret)
	return container.NewBorder(container.NewVBox(d.path.object, secret.object), nil, nil, nil, all)
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

// countTab puts behind the title of a pane at the bottom how much it lists.
func (d *Document) countTab(i int, title string, n int) {
	if n > 0 {
		title = fmt.Sprintf("%s %d", title, n)
	}
	if d.bottom != nil && d.bottom.Items[i].Text != title {
		d.bottom.Items[i].Text = title
		d.bottom.Refresh()
	}
}

// showTab shows one of the panes at the bottom.
func (d *Document) showTab(i int) { d.bottom.SelectIndex(i) }

// openTab shows one of the panes at the bottom and gives it the keyboard.
func (d *Document) openTab(i int) {
	d.showTab(i)
	var first *rows.View
	rows.EachView(d.bottom.Selected().Content, func(v *rows.View) {
		if first == nil {
			first = v
		}
	})
	if first != nil {
		d.wb.focus(first)
	}
}

// openGraph is openTab for the graph, where there is one.
func (d *Document) openGraph() {
	if err := d.showNamed("graph"); err != nil {
		d.wb.status.say("this document holds no graph")
	} else {
		d.wb.focus(d.graph.view)
	}
}

// stepTab shows the document behind the current one, or before it, in the order of the tabs.
func (wb *Workbench) stepTab(by int) {
	if wb.tabs == nil || len(wb.tabs.Items) < 2 {
		return
	}
	n := len(wb.tabs.Items)
	wb.tabs.SelectIndex((wb.tabs.SelectedIndex() + by + n) % n)
}

// showNamed shows the pane at the bottom whose title begins with the same word as name: behind it there may be a count.
func (d *Document) showNamed(name string) error {
	first := func(s string) string {
		word, _, _ := strings.Cut(strings.ToLower(s), " ")
		return word
	}
	var names []string
	for i, t := range d.bottom.Items {
		if first(t.Text) == first(name) {
			d.showTab(i)
			return nil
		}
		names = append(names, first(t.Text))
	}
	return fmt.Errorf("no pane %q: there are %s", name, strings.Join(names, ", "))
}

// nextPane gives the keyboard to the pane behind the one that has it.
func (d *Document) nextPane() {
	views := []fyne.Focusable{d.tree.View, d.hex.view}
	if d.graph != nil && d.bottom.SelectedIndex() == tabGraph {
		views = append(views, d.graph.view)
	}
	rows.EachView(d.bottom.Selected().Content, func(v *rows.View) { views = append(views, v) })
	views = append(views, d.info.View)
	if d.wb.win == nil {
		return
	}
	at := (slices.Index(views, d.wb.win.Canvas().Focused()) + 1) % len(views)
	d.wb.focus(views[at])
}

// dropped opens files and folders that were dropped on the window. Fyne's position is not that of the drop, so it is not used.
func (wb *Workbench) dropped(_ fyne.Position, files []fyne.URI) {
	var paths []string
	for _, f := range files {
		if f.Scheme() == "file" {
			paths = append(paths, f.Path())
		}
	}
	wb.openAll(paths)
}

// settling is how long Fyne may take to write preferences: it gathers changes, and does not wait for the last at the end.
const settling = 300 * time.Millisecond

// quit keeps the state of the window for the next start and ends.
func (wb *Workbench) quit() {
	wb.keepState()
	if wb.win != nil {
		wb.win.Hide()
	}
	time.AfterFunc(settling, func() { wb.post(wb.app.Quit) })
}

// keepState notes what the next start restores.
func (wb *Workbench) keepState() {
	p := wb.app.Preferences()
	if wb.win != nil {
		size := wb.win.Canvas().Size()
		p.SetFloat("width", float64(size.Width))
		p.SetFloat("height", float64(size.Height))
	}
	wb.keepOpen()
	if wb.current != nil {
		wb.keepSplits(wb.current)
	}
}

func (wb *Workbench) keepSplits(d *Document) {
	for i, s := range d.splits {
		wb.app.Preferences().SetFloat(fmt.Sprintf("split%d", i), s.Offset)
	}
}

// keepOpen notes which files are open, in the order of their tabs, and which is the current one.
func (wb *Workbench) keepOpen() {
	if wb.tabs == nil {
		return
	}
	var open []string
	current := ""
	for _, t := range wb.tabs.Items {
		if d := wb.docOf(t); d != nil {
			open = append(open, d.Model.Path)
			if d == wb.current {
				current = d.Model.Path
			}
		}
	}
	wb.app.Preferences().SetStringList("open", open)
	wb.app.Preferences().SetString("current", current)
}

// restore opens what was open when the program ended last.
func (wb *Workbench) restore() {
	p := wb.app.Preferences()
	open, current := p.StringList("open"), p.String("current")
	var there []string
	for _, path := range open {
		if _, err := os.Stat(path); err == nil { // what is gone is not worth a dialog at every start
			there = append(there, path)
		}
	}
	if slices.Contains(there, current) {
		there = append(there, current) // opening it again shows its tab
	}
	wb.openAll(there)
}

func paletteNamed(name string, system fyne.ThemeVariant) *paint.Palette {
	if name == "dark" || name == "" && system == theme.VariantDark {
		return paint.Dark
	}
	return paint.Light
}
