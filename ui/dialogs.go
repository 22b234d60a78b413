package ui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"

	"spandrel/model"
	"spandrel/model/remote"
	"spandrel/ui/askpath"
)

// opener opens files: chosen, dropped, or recent.
type opener struct{ wb *Workbench }

// show opens a file or folder in a tab of its own, or shows the tab that it has.
func (o *opener) show(path string) { o.open(path, nil) }

// all opens files and folders in tabs, in order, and shows the last: the others are drawn when someone looks at them.
func (o *opener) all(paths []string) {
	if len(paths) > 0 {
		o.oneOf(paths[0], len(paths) > 1, func(*tab) { o.all(paths[1:]) })
	}
}

// first is all, and calls then when the first of the paths has been opened, or could not be.
func (o *opener) first(paths []string, then func()) {
	if len(paths) > 0 {
		o.open(paths[0], func(*tab) {
			then()
			o.all(paths[1:])
		})
	}
}

// open opens a path and then calls then in any case, with nil after a failure.
func (o *opener) open(path string, then func(*tab)) { o.oneOf(path, false, then) }

// oneOf is open; with behind the current document stays in front.
func (o *opener) oneOf(path string, behind bool, then func(*tab)) {
	path = absolute(path)
	for _, d := range o.wb.docs {
		if d.Model.Path == path {
			if !behind {
				o.wb.show(d)
			}
			if then != nil {
				then(d)
			}
			return
		}
	}
	o.read(path, nil, behind, then)
}

// read opens a path in a tab of its own, as a file of a format; nil: detected.
func (o *opener) read(path string, force *model.Format, behind bool, then func(*tab)) {
	o.wb.Submit(model.Job{Title: "opening " + filepath.Base(path), Priority: model.Selected,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			return readOr(ctx, path, o.wb.formats, force)
		},
		Done: func(v any, err error) {
			switch names, _ := v.([]string); {
			case len(names) > 0 && err == nil:
				o.pickIn(path, names, then)
				return
			case o.openIn(path, names, then):
				return
			}
			if err != nil {
				o.refused(path, err)
			}
			var d *tab
			if m, ok := v.(*model.Document); ok && err == nil {
				d = newTab(o.wb, m)
				o.wb.add(d, behind)
			}
			if then != nil {
				then(d)
			}
		}})
}

// readOr opens a path, or returns the names of files in it that may be meant, with an error if it is no document itself.
func readOr(ctx context.Context, path string, formats []*model.Format, force *model.Format) (any, error) {
	m, err := opened(ctx, path, formats, force)
	if err != nil {
		return filesIn(path, formats), err
	}
	if err = ctx.Err(); err != nil { // it has not been read to its end
		m.Close()
		return nil, err
	}
	if names := mainsIn(path, m); len(names) > 0 {
		m.Close()
		return names, nil
	}
	return m, nil
}

// refused tells why something was not opened. Of a folder that is no document, the documents below it are listed.
func (o *opener) refused(path string, err error) {
	info, failed := os.Stat(path)
	if failed == nil && info.IsDir() && errors.Is(err, model.ErrNoFormat) {
		o.wb.catalogue(path)
		return
	}
	o.wb.Fail("Cannot open "+filepath.Base(path), err)
}

// askFile asks for a file and opens it.
func (o *opener) askFile() {
	dir, kinds := o.folder(), kindsOf(o.wb.formats)
	browse := func() (string, error) { return askpath.File(dir, "Open a file", kinds) }
	o.wb.Choose(browse, o.show, o.fileHere)
}

// fileHere is askFile with Fyne's own dialog.
func (o *opener) fileHere() {
	o.wb.Shell.Cover(func(win fyne.Window) dialog.Dialog {
		d := dialog.NewFileOpen(func(f fyne.URIReadCloser, err error) {
			if err == nil && f != nil {
				f.Close()
				o.show(f.URI().Path())
			}
		}, win)
		d.SetFilter(regular{})
		return d
	}, askHere)
}

// regular hides pipes, devices and virtual files from Fyne's dialog, which reads every file it lists: reading one might block for ever.
type regular struct{}

func (regular) Matches(u fyne.URI) bool {
	info, err := os.Stat(u.Path())
	return err == nil && info.Mode().IsRegular() && !strings.HasPrefix(u.Path(), "/proc/") && !strings.HasPrefix(u.Path(), "/sys/")
}

// askFolder asks for a folder.
func (o *opener) askFolder(title string, then func(path string)) {
	dir := o.folder()
	o.wb.Choose(func() (string, error) { return askpath.Folder(dir, title) }, then, func() { o.folderHere(then) })
}

// folderHere is askFolder with Fyne's own dialog.
func (o *opener) folderHere(then func(path string)) {
	o.wb.Shell.Cover(func(win fyne.Window) dialog.Dialog {
		return dialog.NewFolderOpen(func(u fyne.ListableURI, err error) {
			if err == nil && u != nil {
				then(u.Path())
			}
		}, win)
	}, askHere)
}

// folder is where file dialogs start: beside the current document, or where one was opened last.
func (o *opener) folder() string {
	if d := o.wb.current; d != nil && !d.Model.Remote() {
		return filepath.Dir(d.Model.Path)
	}
	if list := o.wb.App.Preferences().StringList("recent"); len(list) > 0 && !remote.Is(list[0]) {
		return filepath.Dir(list[0])
	}
	home, _ := os.UserHomeDir() // "" is where the program was started
	return home
}

// kindsOf returns the kinds of files that a dialog can list: all known ones, those of each format, and all files.
func kindsOf(formats []*model.Format) []askpath.Kind {
	known := askpath.Kind{Name: "All known files"}
	kinds := []askpath.Kind{known}
	for _, f := range formats {
		k := askpath.Kind{Name: f.Title}
		for _, e := range slices.Concat(f.Exts, f.Inside) {
			k.Exts = append(k.Exts, strings.TrimPrefix(e, "."))
		}
		if known.Exts = append(known.Exts, k.Exts...); len(k.Exts) > 0 {
			kinds = append(kinds, k)
		}
	}
	kinds[0] = known
	return append(kinds, askpath.Kind{Name: "All files"})
}

// askRecent offers the recently opened files.
func (o *opener) askRecent() {
	list := o.wb.App.Preferences().StringList("recent")
	if len(list) == 0 {
		o.wb.Say("no recent files")
		return
	}
	o.wb.Pick("Open recent", "Open", list, func(i int) { o.show(list[i]) })
}

// askFormat opens the document's file again as another format, chosen by the user.
func (o *opener) askFormat(d *tab) {
	names := model.Map(o.wb.formats, func(f *model.Format) string { return f.Title })
	o.wb.Pick("Open "+d.TabName()+" as", "Open", names, func(i int) {
		o.read(d.Model.Path, o.wb.formats[i], false, nil)
	})
}

// askHere is the size of Fyne's own dialogs, which are used if the system has none.
var askHere = fyne.NewSize(900, 600)
