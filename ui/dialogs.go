package ui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"
	native "github.com/sqweek/dialog"

	"spandrel/model"
)

// fail tells that something did not work.
func (wb *Workbench) fail(what string, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	err = fmt.Errorf("%s.\n%w", what, err)
	if wb.win != nil {
		dialog.ShowError(err, wb.win)
		return
	}
	fyne.LogError(what, err)
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

// choosePath asks the system's dialog for a path; then gets it, and here asks in another way where there is no such dialog.
func (wb *Workbench) choosePath(browse func() (string, error), then func(path string), here func()) {
	ask := func() {
		path, err := "", errors.New("no system dialog")
		func() {
			defer func() { _ = recover() }() // the toolkit panics where it cannot start
			path, err = browse()
		}()
		wb.post(func() {
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

// askOpen asks for a file or a folder and opens it.
func (wb *Workbench) askOpen(folder bool) {
	browse := func() (string, error) { return native.File().Title("Open").Load() }
	if folder {
		browse = func() (string, error) { return native.Directory().Title("Open folder").Browse() }
	}
	wb.choosePath(browse, wb.Open, func() { wb.askOpenHere(folder) })
}

// askOpenHere is askOpen with Fyne's own dialog.
func (wb *Workbench) askOpenHere(folder bool) {
	if wb.win == nil {
		return
	}
	if folder {
		dialog.ShowFolderOpen(func(u fyne.ListableURI, err error) {
			if err == nil && u != nil {
				wb.Open(u.Path())
			}
		}, wb.win)
		return
	}
	dialog.ShowFileOpen(func(f fyne.URIReadCloser, err error) {
		if err == nil && f != nil {
			f.Close()
			wb.Open(f.URI().Path())
		}
	}, wb.win)
}

// ask shows a line to type into; answer returns an error to go on asking.
func (wb *Workbench) ask(title, hint, text string, answer func(string, func(error))) {
	if wb.win == nil {
		return
	}
	e := widget.NewEntry()
	e.SetText(text)
	e.SetPlaceHolder(hint)
	trouble := widget.NewLabel("")
	trouble.Wrapping = fyne.TextWrapWord
	var box *dialog.CustomDialog
	submit := func(s string) {
		answer(s, func(err error) {
			if err != nil {
				trouble.SetText(err.Error())
				return
			}
			box.Hide()
		})
	}
	e.OnSubmitted = submit
	ok := widget.NewButton("Go", func() { submit(e.Text) })
	ok.Importance = widget.HighImportance
	box = dialog.NewCustomWithoutButtons(title, container.NewVBox(e, widget.NewLabel(hint), trouble), wb.win)
	box.SetButtons([]fyne.CanvasObject{widget.NewButton("Cancel", func() { box.Hide() }), ok})
	box.Resize(fyne.NewSize(520, 180))
	box.Show()
	wb.focus(e)
}

func (wb *Workbench) askGoTo(d *Document) {
	wb.ask("Go to", "1234, 0x4d2, +16, -0x10, end-8, header/n_rows+4", "", func(s string, done func(error)) { d.GoTo(s, done) })
}

// GoTo selects what an expression names: an offset in the space that the hex pane shows, or a field's path. done gets why not.
func (d *Document) GoTo(expr string, done func(error)) {
	h := d.hex
	off, path, err := parsePlace(expr, h.caret, h.size)
	switch {
	case err != nil:
		done(err)
	case path != "":
		d.SelectPath(path, func(err error) {
			if err == nil && off != 0 {
				d.goTo(h.caret+off, done)
				return
			}
			done(err)
		})
	default:
		d.goTo(off, done)
	}
}

func (d *Document) goTo(off int64, done func(error)) {
	h := d.hex
	if off < 0 || off >= h.size {
		done(fmt.Errorf("0x%x is outside the %d bytes of %s", off, h.size, d.spaceTitle(h.space)))
		return
	}
	d.SelectBytes(model.Range{Space: h.space, Off: off, Len: 1}, nil)
	done(nil)
}

// askCommand is the command palette: type a part of a command's name, Enter runs the first.
func (wb *Workbench) askCommand() {
	if wb.win == nil {
		return
	}
	var shown []*command
	var box *dialog.CustomDialog
	list := widget.NewList(func() int { return len(shown) }, func() fyne.CanvasObject { return widget.NewLabel("") },
		func(i widget.ListItemID, o fyne.CanvasObject) {
			c := shown[i]
			o.(*widget.Label).SetText(strings.TrimSpace(c.menu + ": " + c.label + "   " + c.keyText()))
		})
	filter := func(s string) {
		shown = shown[:0]
		for _, c := range wb.commands {
			if c.name != "" && strings.Contains(strings.ToLower(c.menu+" "+c.label), strings.ToLower(s)) {
				shown = append(shown, c)
			}
		}
		list.Refresh()
	}
	filter("")
	do := func(i int) {
		if i < len(shown) {
			c := shown[i]
			box.Hide()
			c.run(wb)
		}
	}
	list.OnSelected = func(i widget.ListItemID) { do(i) }
	e := widget.NewEntry()
	e.SetPlaceHolder("command…")
	e.OnChanged = filter
	e.OnSubmitted = func(string) { do(0) }
	box = dialog.NewCustom("Commands", "Close", container.NewBorder(e, nil, nil, nil, list), wb.win)
	box.Resize(fyne.NewSize(520, 420))
	box.Show()
	wb.focus(e)
}

func (wb *Workbench) about() {
	if wb.win == nil {
		return
	}
	var names []string
	for _, f := range wb.formats {
		names = append(names, f.Title)
	}
	dialog.ShowInformation("Spandrel", "Shows every byte of a data file as what it is, and repairs it.\nFormats: "+strings.Join(names, ", ")+".", wb.win)
}

// reload opens the file again, at the same place.
func (wb *Workbench) reload(d *Document) {
	path, at := d.Model.Path, d.Sel.Span.Path()
	wb.closeThen(d, func() {
		wb.open(path, func(d *Document) {
			if d != nil {
				d.SelectPath(at, nil)
			}
		})
	})
}

func (wb *Workbench) focus(o fyne.Focusable) {
	if wb.win != nil {
		wb.win.Canvas().Focus(o)
	}
}

func (wb *Workbench) copy(s string) { wb.app.Clipboard().SetContent(s) }

func (d *Document) tabName() string { return filepath.Base(d.Model.Path) }

// copyMost is how many bytes are copied as text at once.
const copyMost = 1 << 20

func (d *Document) copyHex() {
	r := d.Sel.Range
	r.Len = min(r.Len, copyMost)
	t := d.Tree()
	d.wb.submit(model.Job{Priority: model.Selected,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) { return t.Bytes(ctx, r) },
		Done: func(v any, err error) {
			if b, ok := v.([]byte); ok && err == nil {
				d.wb.copy(fmt.Sprintf("% x", b))
			}
		}})
}

func (d *Document) copyValue() {
	t, s := d.Tree(), d.Sel.Span
	d.wb.submit(model.Job{Priority: model.Selected,
		Run:  func(ctx context.Context, _ func(done, total int64)) (any, error) { return valueText(ctx, t, s), nil },
		Done: func(v any, _ error) { d.wb.copy(fmt.Sprint(v)) }})
}

// spanMenu is what the right button offers on a span.
func (d *Document) spanMenu(s *model.Span) *fyne.Menu {
	items := []*fyne.MenuItem{
		fyne.NewMenuItem("Copy value", func() { d.copyValue() }),
		fyne.NewMenuItem("Copy bytes", func() { d.copyHex() }),
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
		name := fmt.Sprintf("0x%x", r.To.Off)
		if r.Span != nil {
			name = r.Span.Path()
		}
		items = append(items, fyne.NewMenuItem("Go to "+r.Text+" "+name, func() {
			if r.Span != nil {
				d.Select(Selection{Span: r.Span})
			} else {
				d.SelectBytes(r.To, nil)
			}
		}))
	}
	return fyne.NewMenu("", items...)
}
