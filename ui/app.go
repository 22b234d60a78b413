// Package ui is the window: panes over one document, linked by one selection. It knows formats only as model.Format values and accesses files
// only through package model.
//
// The panes are packages of their own (bytes, table, tree, problems, facts, compare), which know the document (doc) and their widgets
// (kit), but not each other. This package combines them: the workbench owns what is open, a tab is a document with its panes, the frame
// lays them out. Commands, saving, preferences and the start page are here too.
package ui

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"spandrel/assets"
	"spandrel/model"
	_ "spandrel/ui/cachetime"
	"spandrel/ui/doc"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
)

// appID names the settings of the program.
const appID = "org.spandrel.Spandrel"

// Run opens the window of a version of the program, with a tab for each path, and returns when it is closed.
func Run(formats []*model.Format, version string, paths []string) {
	app.SetMetadata(fyne.AppMetadata{ID: appID, Name: "Spandrel", Migrations: map[string]bool{"fyneDo": true}})
	ownThread()
	a := app.NewWithID(appID)
	wb := newWorkbench(a, formats, fyne.Do)
	wb.version, wb.causeTime = version, doc.CauseTime
	guard.Told = wb.defects.caught
	wb.prefs.apply()
	a.SetIcon(assets.Icon)
	wb.saver.recorder.Records = filepath.Join(a.Storage().RootURI().Path(), "unsaved")
	wb.defects.log = filepath.Join(a.Storage().RootURI().Path(), "defects.log")
	win := a.NewWindow("Spandrel")
	wb.Shell = kit.NewWindowShell(wb.Host, win)
	win.SetIcon(assets.Icon)
	win.SetPadded(false)
	frame := &firstFrame{post: wb.Post, begin: func() { guardInput(); kit.WatchPointer() }}
	win.SetContent(frame.pixel())
	p := a.Preferences()
	win.Resize(fyne.NewSize(float32(p.FloatWithFallback("width", 1360)), float32(p.FloatWithFallback("height", 860))))
	win.SetOnDropped(wb.files.dropped)
	win.SetCloseIntercept(func() { guard.Do("closing the window", wb.saver.askQuit) })
	a.Lifecycle().SetOnEnteredForeground(func() { guard.Do("checking for changes on disk", wb.disk.lookAtDisk) })
	a.Lifecycle().SetOnStarted(func() { // the window comes up first, and then what is in it
		go frame.watch(os.Stderr, os.Exit, frameTurn)
		guard.Do("starting", func() { wb.furnish(win, frame, paths) })
	})
	win.ShowAndRun()
}

// ownThread makes Go run one thread more than workers use: for the window, which would otherwise wait until a worker yields.
func ownThread() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.NumCPU() + 1)
	}
}

// furnish adds menus and documents to the window: the first file is read while the rest is built.
func (wb *Workbench) furnish(win fyne.Window, frame *firstFrame, paths []string) {
	wb.build()
	wb.coming = len(paths) > 0
	wb.files.first(paths, func() {
		if wb.coming = false; len(wb.docs) == 0 {
			wb.refreshBody()
		}
	})
	wb.Bubble = kit.NewTooltip()
	win.SetContent(container.NewStack(frame.pixel(), wb.content(), wb.Bubble.Object))
	win.Canvas().SetOnTypedKey(wb.menus.typedKey)
	wb.menus.place(win)
	win.Canvas().AddShortcut(&fyne.ShortcutSelectAll{}, func(fyne.Shortcut) { wb.Command("select-all") }) // not in the menu: entries need it
	for s, name := range map[fyne.Shortcut]string{&fyne.ShortcutCopy{}: "copy", &fyne.ShortcutCut{}: "cut", &fyne.ShortcutPaste{}: "paste"} {
		win.Canvas().AddShortcut(s, func(fyne.Shortcut) {
			if wb.Shell.Focused() == nil { // otherwise the keys of the focused widget apply
				wb.Command(name)
			}
		})
	}
	wb.settled = wb.tidier()
	wb.disk.watch()
	if len(paths) == 0 {
		wb.prefs.restore()
	}
	wb.saver.offerRecovery()
	welcome(wb, win)
}

// build makes everything around the documents.
func (wb *Workbench) build() {
	wb.menus.take(commandList(wb.menus))
	wb.status = newStatusBar(wb)
	wb.tabs.Menu = wb.tabMenu
	wb.tabs.Close = func(t *container.TabItem) {
		if d, c := wb.docOf(t), wb.catalogueOf(t); d != nil {
			guard.Do("closing a tab", func() { wb.saver.askClose(d) })
		} else if c != nil {
			guard.Do("closing a tab", c.end)
		}
	}
	wb.tabs.OnSelected = func(t *container.TabItem) {
		if d := wb.docOf(t); d != wb.current && (d != nil || wb.catalogueOf(t) != nil) { // a document that is opened has its tab before it is one
			guard.Do("showing a tab", func() {
				wb.turnTo(d)
				wb.changed()
			})
		}
	}
	wb.body = container.NewStack()
}

// tidyTime is how long after the last document was opened or closed memory is returned to the system: temporary memory, and parsed
// fonts. Fyne drops what it drew of a closed document later, and only after drawing something else; that memory is returned then.
const (
	tidyTime    = 2 * time.Second
	fyneForgets = 13 * time.Second
)

// tidier returns a function to call when a document was opened or closed: it tidies up once things have calmed down.
func (wb *Workbench) tidier() func() {
	soon := time.AfterFunc(tidyTime, func() {
		wb.Post(func() { wb.status.object.Refresh() })
		debug.FreeOSMemory()
	})
	later := time.AfterFunc(fyneForgets, debug.FreeOSMemory)
	return func() {
		soon.Reset(tidyTime)
		later.Reset(fyneForgets)
	}
}

// tabMenu is the menu of a document's tab.
func (wb *Workbench) tabMenu(t *container.TabItem) *fyne.Menu {
	d := wb.docOf(t)
	if d == nil {
		return fyne.NewMenu("")
	}
	others := fyne.NewMenuItem("Close others", func() { wb.saver.closeOthers(d) })
	others.Disabled = len(wb.documents()) < 2
	return fyne.NewMenu("", fyne.NewMenuItem("Close", func() { wb.saver.askClose(d) }), others, fyne.NewMenuItem("Open a second view", func() { wb.openView(d) }), fyne.NewMenuItemSeparator(),
		fyne.NewMenuItem("Copy path", func() { wb.Copy(d.Model.Path) }), fyne.NewMenuItem("Reload", func() { wb.disk.reload(wb.opened(d)) }))
}

func (wb *Workbench) content() fyne.CanvasObject {
	wb.refreshBody()
	wb.changed()
	all := container.NewBorder(nil, container.NewVBox(widget.NewSeparator(), wb.status.object), nil, nil, wb.body)
	return container.New(guard.Layout(&resizing{all: layout.NewStackLayout(), then: func() { wb.Post(wb.Shell.Arrange) }}), all)
}

// resizing is a layout that reports changes of size.
type resizing struct {
	all  fyne.Layout
	then func()
	was  fyne.Size
}

func (r *resizing) Layout(list []fyne.CanvasObject, size fyne.Size) {
	if r.all.Layout(list, size); r.was != size {
		if !r.was.IsZero() {
			r.then()
		}
		r.was = size
	}
}

func (r *resizing) MinSize(list []fyne.CanvasObject) fyne.Size { return r.all.MinSize(list) }

// stepTab shows the next document in the order of the tabs, or the previous one.
func (wb *Workbench) stepTab(by int) {
	if n := len(wb.tabs.Items); n > 1 {
		wb.tabs.SelectIndex((wb.tabs.SelectedIndex() + by + n) % n)
	}
}

// dropped opens files and folders dropped on the window. The position that Fyne reports is wrong, so it is not used.
func (o *opener) dropped(_ fyne.Position, files []fyne.URI) {
	var paths []string
	for _, f := range files {
		if f.Scheme() == "file" {
			paths = append(paths, f.Path())
		}
	}
	guard.Do("opening dropped files", func() { o.all(paths) })
}
