package ui

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// Workbench owns what is open, and its services. Panes know their document and the host, and nothing above them. All of it belongs to the UI
// goroutine.
type Workbench struct {
	*kit.Host
	version   string
	causeTime time.Duration // time to search for causes; 0: no search
	formats   []*model.Format
	defects   *defects
	width     float32 // of a picture without a window, in units
	pane      string  // the tab at the bottom that documents show first; "" for the usual one

	docs       []*tab
	current    *tab
	catalogues []*catalogue
	tabs       *kit.Tabs
	body       *fyne.Container // the tabs, or the start page
	coming     bool            // the first document is being read: nothing is shown in its place

	status *statusBar // nil before the window is built
	saver  *saver
	prefs  *preferences
	menus  *menus
	files  *opener
	disk   *reloader

	settled func() // a document was opened or closed; may be nil
	leave   func() // ends the program and keeps the state of the window
}

// newWorkbench makes a workbench without a window. post must run functions one at a time, on the UI goroutine.
func newWorkbench(a fyne.App, formats []*model.Format, post func(func())) *Workbench {
	wb := &Workbench{Host: kit.NewHost(a, guarded(post)), formats: formats}
	wb.defects = newDefects(wb)
	wb.prefs, wb.files, wb.disk, wb.menus = &preferences{wb, a.Preferences()}, &opener{wb}, &reloader{wb: wb}, &menus{wb: wb}
	wb.saver = &saver{wb: wb, recorder: doc.NewRecorder(wb.Host, "")}
	wb.tabs, wb.leave = kit.NewTabs(wb.Host), wb.quit
	wb.Failed = wb.defects.logged
	wb.Command, wb.Keys, wb.Typed, wb.Update, wb.UpdateCommands = wb.menus.run, wb.menus.tip, wb.menus.typedKey, wb.changed, wb.menus.changed
	return wb
}

// add gives a document its tab, and shows it; with behind only if no other is shown.
func (wb *Workbench) add(d *tab, behind bool) {
	wb.place(d)
	wb.files.remember(d.Model.Path)
	d.Checks = append(d.Checks, func(ended bool) {
		if ended {
			wb.files.noteState(d)
		}
	})
	if !behind || wb.current == nil {
		wb.show(d)
	}
	d.problem.Lead()
	wb.prefs.keepOpen()
	wb.disk.follow(d, 1)
	wb.saver.offerTheRest(d)
	wb.tidy()
}

// place puts the panes of a document into a tab of its own.
func (wb *Workbench) place(d *tab) {
	d.room, d.body = container.NewStack(), d.frame.layout()
	d.item = container.NewTabItem(paint.Shorten(d.TabName(), 32), d.room)
	wb.docs = append(wb.docs, d)
	wb.tabs.Append(d.item)
}

// openView shows a document in a second tab, with a selection of its own.
func (wb *Workbench) openView(d *tab) {
	v := tabOf(wb, d.View())
	wb.place(v)
	wb.show(v)
	v.Sel.Restore(d.Sel.Identity())
}

// opened is the tab in which a document was opened: d itself, unless it is another view.
func (wb *Workbench) opened(d *tab) *tab {
	for _, o := range wb.docs {
		if o.Model == d.Model && o.First() {
			return o
		}
	}
	return d
}

// documents are the tabs in which documents were opened: each document once.
func (wb *Workbench) documents() (list []*tab) {
	for _, d := range wb.docs {
		if d.First() {
			list = append(list, d)
		}
	}
	return list
}

func (wb *Workbench) tidy() {
	if wb.settled != nil {
		wb.settled()
	}
}

// docOf returns the document of a tab; nil while it is being opened or closed.
func (wb *Workbench) docOf(t *container.TabItem) *tab {
	if i := slices.IndexFunc(wb.docs, func(d *tab) bool { return d.item == t }); i >= 0 {
		return wb.docs[i]
	}
	return nil
}

// show makes a document the current one.
func (wb *Workbench) show(d *tab) {
	wb.turnTo(d)
	wb.tabs.Select(d.item)
	wb.refreshBody()
	wb.changed()
}

// turnTo makes a document the current one. Only the current document is in its tab, because Fyne updates the content of all tabs whenever one of
// them changes. The pictures of the previous one are dropped.
func (wb *Workbench) turnTo(d *tab) {
	if was := wb.current; was != nil && was != d {
		rows.EachView(was.body, (*rows.View).Release)
		was.room.RemoveAll()
		was.look = paint.Look()
		wb.Hint("") // the pointer is on nothing of it any more
		if !wb.Shell.Modal() {
			wb.Shell.Focus(nil) // hidden panes must not get typed text
		}
	}
	if wb.current = d; d != nil && len(d.room.Objects) == 0 {
		d.room.Add(d.body)
		if d.look != nil && d.look != paint.Look() { // Fyne gives colours that are chosen to what is in the window then
			wb.Post(func() { wb.App.Settings().SetTheme(wb.App.Settings().Theme()) })
		}
	}
}

// close closes a document's tab and releases its files.
func (wb *Workbench) close(d *tab) { wb.closeThen(d, nil) }

// closeThen is close, and calls then when the files are released.
func (wb *Workbench) closeThen(d *tab, then func()) {
	if d.Window.Ended {
		return
	}
	if d == wb.current {
		wb.prefs.keepSplits(d)
	}
	for _, o := range wb.docs {
		if d.First() && o != d && o.Model == d.Model {
			wb.close(o)
		}
	}
	wb.docs = slices.DeleteFunc(slices.Clone(wb.docs), func(o *tab) bool { return o == d }) // who goes through them still has the list of before
	if d.First() {
		wb.disk.follow(d, -1)
	}
	d.hex.Apart(nil)
	for _, o := range wb.docs {
		o.hex.Apart(d.Document)
	}
	d.Stop(then)
	rows.EachView(d.body, (*rows.View).Release)
	wb.tabs.Remove(d.item)
	if d == wb.current || wb.current == nil {
		wb.turnTo(nil)
		if n := len(wb.docs); n > 0 {
			wb.show(wb.docs[n-1])
		}
	}
	wb.prefs.keepOpen()
	wb.refreshBody()
	wb.changed()
	wb.tidy()
}

// refreshBody shows the tabs, or the start page if nothing is open.
func (wb *Workbench) refreshBody() {
	if wb.body == nil {
		return
	}
	o := wb.tabs.Object
	if len(wb.docs)+len(wb.catalogues) == 0 {
		if wb.coming {
			return
		}
		o = wb.files.startPage()
	}
	if len(wb.body.Objects) != 1 || wb.body.Objects[0] != o {
		wb.body.Objects = []fyne.CanvasObject{o}
		wb.body.Refresh()
	}
}

// changed updates what is around the panes.
func (wb *Workbench) changed() {
	if wb.status != nil {
		wb.status.update()
	}
	wb.menus.changed()
	wb.nameTabs()
	title := "Spandrel"
	if wb.current != nil {
		wb.prefs.keepPlaces()
		title = filepath.Base(wb.current.Model.Path) + " - Spandrel"
		if wb.current.Editor.Dirty {
			title = "● " + title
		}
	}
	wb.Shell.Title(title)
}

// nameTabs gives each tab the name of its document, with a number if it is another view of it, and shows what is unsaved or not verified.
func (wb *Workbench) nameTabs() {
	alike, renamed := map[string]int{}, false
	for _, d := range wb.documents() {
		alike[d.TabName()]++
	}
	views := map[*model.Document]int{}
	for _, d := range wb.docs {
		title := paint.Shorten(doc.NameAmong(d.Document, alike[d.TabName()]), 32)
		if views[d.Model]++; views[d.Model] > 1 {
			title += fmt.Sprintf(" (%d)", views[d.Model])
		}
		if d.Editor.Dirty {
			title = "• " + title // a larger dot is not in the font of tabs on every system
		}
		var icon fyne.Resource
		if d.Editor.Guessed {
			icon = theme.NewWarningThemedResource(theme.WarningIcon())
		}
		if d.item.Text != title || (d.item.Icon == nil) != (icon == nil) {
			d.item.Text, d.item.Icon, renamed = title, icon, true
		}
	}
	if renamed {
		wb.tabs.Refresh()
	}
}
