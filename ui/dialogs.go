package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	native "github.com/sqweek/dialog"

	"spandrel/model"
)

// fail tells that something did not work.
func (k *talk) fail(what string, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	k.tell(what, err.Error())
}

// choosers takes questions for the system's file dialog. Two of them at once crash in native code, so one goroutine on one
// thread asks them, one after the other.
var choosers = make(chan func())

func init() {
	go func() {
		runtime.LockOSThread()
		for ask := range choosers {
			ask()
		}
	}()
}

// choose asks the system's dialog for a path; then gets it, and here asks in another way where there is no such dialog.
func (k *talk) choose(browse func() (string, error), then func(path string), here func()) {
	ask := func() {
		path, err := "", errors.New("no system dialog")
		func() {
			defer func() { _ = recover() }() // the toolkit panics where it cannot start
			path, err = browse()
		}()
		k.wb.post(func() {
			switch {
			case err == nil:
				then(path)
			case !errors.Is(err, native.ErrCancelled):
				here()
			}
		})
	}
	select {
	case choosers <- ask:
	default: // a dialog is open already
	}
}

// opener opens files: asked for, dropped, recent, reloaded.
type opener struct {
	wb      *Workbench
	watcher *watcher // nil: folders are not watched
}

// ask asks for a file or a folder and opens it.
func (o *opener) ask(folder bool) {
	dir := o.folder()
	browse := func() (string, error) {
		b := native.File().Title("Open").SetStartDir(dir).Filter("All files", "*")
		for _, f := range o.wb.formats {
			if len(f.Exts) > 0 {
				b = b.Filter(f.Title, extsOf(f)...)
			}
		}
		return b.Load()
	}
	if folder {
		browse = func() (string, error) { return native.Directory().Title("Open folder").SetStartDir(dir).Browse() }
	}
	o.wb.talk.choose(browse, o.show, func() { o.askHere(folder) })
}

// folder is where files are asked for: beside the current one, or where one was opened last.
func (o *opener) folder() string {
	if d := o.wb.current; d != nil {
		return filepath.Dir(d.Model.Path)
	}
	if list := o.wb.app.Preferences().StringList("recent"); len(list) > 0 {
		return filepath.Dir(list[0])
	}
	home, _ := os.UserHomeDir() // "" is where the program was started
	return home
}

// extsOf returns the extensions of a format as the system's dialog wants them: without dots.
func extsOf(f *model.Format) (out []string) {
	for _, e := range f.Exts {
		out = append(out, strings.TrimPrefix(e, "."))
	}
	return out
}

// askRecent offers the files that were opened before.
func (o *opener) askRecent() {
	list := o.wb.app.Preferences().StringList("recent")
	if len(list) == 0 {
		o.wb.status.say("no file was opened before")
		return
	}
	o.wb.talk.pick("Open recent", list, func(i int) { o.show(list[i]) })
}

// askFormat opens the document's file anew as one of a format that the user knows better than the program.
func (o *opener) askFormat(d *Document) {
	var names []string
	for _, f := range o.wb.formats {
		names = append(names, f.Title)
	}
	o.wb.talk.pick("Open "+d.tabName()+" as", names, func(i int) {
		o.openAs(d.Model.Path, o.wb.formats[i], func(*Document) {})
	})
}

// askHere is askOpen with Fyne's own dialog.
func (o *opener) askHere(folder bool) {
	o.wb.shell.cover(func(win fyne.Window) dialog.Dialog {
		if folder {
			return dialog.NewFolderOpen(func(u fyne.ListableURI, err error) {
				if err == nil && u != nil {
					o.show(u.Path())
				}
			}, win)
		}
		return dialog.NewFileOpen(func(f fyne.URIReadCloser, err error) {
			if err == nil && f != nil {
				f.Close()
				o.show(f.URI().Path())
			}
		}, win)
	}, fyne.NewSize(900, 600))
}

// askCommand is the command palette.
func (m *menus) askCommand() {
	var lines []string
	var list []*command
	for _, c := range m.commands {
		if c.name != "" {
			list = append(list, c)
			lines = append(lines, strings.TrimSpace(c.menu+": "+c.label+"   "+c.keyText()))
		}
	}
	m.wb.talk.pick("Commands", lines, func(i int) { list[i].run(m.wb) })
}

// reload opens the file again, at the same place. Unsaved edits are asked about first.
func (o *opener) reload(d *Document) {
	if !d.editor.dirty {
		o.anew(d)
		return
	}
	o.wb.shell.box("Reload", textOf(d.tabName()+" has unsaved edits. Reloading discards them."), question,
		"Cancel", nil, "Discard them and reload", func() { o.anew(d) })
}

// anew closes a document without its edits and opens the file again. One whose file cannot be read any more stays open:
// it may be all that is left.
func (o *opener) anew(d *Document) {
	path := d.Model.Path
	d.wb.submit(model.Job{Title: "reloading", Priority: model.Selected,
		Run: func(context.Context, func(done, total int64)) (any, error) {
			f, err := os.Open(path)
			if err == nil {
				err = f.Close()
			}
			return nil, err
		},
		Done: func(_ any, err error) {
			if err != nil {
				o.wb.talk.fail("Cannot reload "+d.tabName(), fmt.Errorf("%w\nWhat was read stays open; “Save as” writes it to another file", err))
				return
			}
			o.wb.saver.forget(d)
			o.instead(d, path)
		}})
}

// instead closes a document and opens a file in its tab's place, as it was looked at: at the same field, and unlocked when it
// was.
func (o *opener) instead(d *Document, path string) {
	id, place := d.sel.identity(), slices.Index(o.wb.tabs.Items, d.frame.tab)
	bottom, locked := d.frame.bottom.Selected().Text, d.editor.locked
	o.wb.closeThen(d, func() {
		o.open(path, func(d *Document) {
			if d == nil {
				return
			}
			d.problem.check.led = true
			_ = d.frame.showNamed(bottom) // a pane that it has no more is not missed
			d.editor.setLocked(locked)
			d.sel.restore(id)
			items := slices.DeleteFunc(slices.Clone(o.wb.tabs.Items), func(t *container.TabItem) bool { return t == d.frame.tab })
			o.wb.tabs.SetItems(slices.Insert(items, min(max(place, 0), len(items)), d.frame.tab))
			o.wb.show(d)
		})
	})
}

func (wb *Workbench) copy(s string) { wb.app.Clipboard().SetContent(s) }

func (d *Document) tabName() string { return filepath.Base(d.Model.Path) }

// copyMost is how many bytes are copied as text at once.
const copyMost = 1 << 20

func (d *Document) copyValue() {
	t, s := d.Tree(), d.sel.now.Span
	d.wb.submit(model.Job{Priority: model.Selected,
		Run:  func(ctx context.Context, _ func(done, total int64)) (any, error) { return valueText(ctx, t, s), nil },
		Done: func(v any, _ error) { d.wb.copy(fmt.Sprint(v)) }})
}

// spanMenu is what the right button offers on a span.
func (d *Document) spanMenu(s *model.Span) *fyne.Menu {
	items := []*fyne.MenuItem{
		fyne.NewMenuItem("Copy value", func() { d.copyValue() }),
		fyne.NewMenuItem("Copy bytes", func() { d.copyAs(copyHex) }),
		fyne.NewMenuItem("Copy path", func() { d.wb.copy(s.Path()) }),
		fyne.NewMenuItem("Copy offset", func() { d.wb.copy(fmt.Sprintf("0x%x", s.Range.Off)) }),
	}
	for i, r := range d.Tree().Relations(s) {
		if i == 10 {
			break
		}
		if i == 0 {
			items = append(items, fyne.NewMenuItemSeparator())
		}
		items = append(items, fyne.NewMenuItem("Go to "+r.Text+" "+placeText(r.Span, r.To), func() { d.lead(r.Span, r.To) }))
	}
	return fyne.NewMenu("", items...)
}

// lead follows a link to the very bytes that it means: a span, or some of what is known as one.
func (d *Document) lead(s *model.Span, to model.Range) {
	if s != nil && (to.Len == 0 || to == s.Range) {
		d.sel.set(Selection{Span: s})
		return
	}
	d.sel.bytes(to, nil)
}

// placeText names the end of a link.
func placeText(s *model.Span, to model.Range) string {
	switch {
	case s == nil:
		return fmt.Sprintf("0x%x + %d", to.Off, to.Len)
	case to.Len == 0 || to == s.Range:
		return s.Path()
	}
	return fmt.Sprintf("%s at 0x%x", s.Path(), to.Off)
}
