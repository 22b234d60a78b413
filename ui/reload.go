package ui

import (
	"context"
	"fmt"
	"slices"

	"fyne.io/fyne/v2/container"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// reloader follows the files of open documents on disk: it watches their folders, reports changes by other programs, and reloads
// documents in place.
type reloader struct {
	wb      *Workbench
	watcher *watcher // nil: folders are not watched
}

// reload opens the file again, in the same place. It asks about unsaved edits first.
func (r *reloader) reload(d *tab) {
	if !d.Editor.Dirty {
		r.reopen(d)
		return
	}
	r.wb.Shell.Box("Reload", kit.TextOf(d.TabName()+" has unsaved edits. Reloading discards them."), kit.Question,
		"Cancel", nil, "Discard them and reload", kit.Losing(func() { r.reopen(d) }))
}

// reopen closes a document without its edits and opens the file again. If the file can no longer be read the document stays open:
// it may be all that is left.
func (r *reloader) reopen(d *tab) {
	path := d.Model.Path
	kit.Work(d.Window, "reloading", model.Selected, func(ctx context.Context) (any, error) {
		return nil, readable(ctx, path)
	}, func(_ any, err error) {
		if err != nil {
			r.wb.Fail("Cannot reload "+d.TabName(), fmt.Errorf("%w\nThe document stays open; “Save as” writes it to another file", err))
			return
		}
		r.wb.saver.forget(d)
		r.instead(d, path)
	})
}

// instead closes a document and opens a file in place of its tabs, restoring each view: the same field, and unlocked if it was.
func (r *reloader) instead(d *tab, path string) {
	views := r.viewsOf(d)
	r.wb.closeThen(d, func() {
		r.wb.files.open(path, func(d *tab) {
			if d != nil {
				r.take(d, views)
			}
		})
	})
}

// docView is the state of a view.
type docView struct {
	id     doc.Identity
	place  int    // of its tab
	bottom string // the pane that is shown below
	locked bool
	shown  bool // it is the current one
}

// viewsOf is the state of each view of a document, in the order of their tabs.
func (r *reloader) viewsOf(d *tab) (list []docView) {
	for place, item := range r.wb.tabs.Items {
		for _, v := range r.wb.docs {
			if v.item == item && v.Model == d.Model {
				list = append(list, docView{v.Sel.Identity(), place, v.Lower.ShownName(), v.Editor.Locked, v == r.wb.current})
			}
		}
	}
	return list
}

// take shows a document in place of the views of a closed one, restoring their state.
func (r *reloader) take(d *tab, views []docView) {
	tabs := []*tab{d}
	for len(tabs) < len(views) {
		r.wb.openView(d)
		tabs = append(tabs, r.wb.current)
	}
	for i, v := range views {
		x := tabs[i]
		x.Check.Led = true
		_ = x.Lower.ShowNamed(v.bottom) // a pane that it has no more is not missed
		x.Editor.SetLocked(v.locked)
		x.Sel.Restore(v.id)
		items := slices.DeleteFunc(slices.Clone(r.wb.tabs.Items), func(t *container.TabItem) bool { return t == x.item })
		r.wb.tabs.SetItems(slices.Insert(items, min(v.place, len(items)), x.item))
	}
	for i, v := range views {
		if v.shown || i == 0 {
			r.wb.show(tabs[i])
		}
	}
}
