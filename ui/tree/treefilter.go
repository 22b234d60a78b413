package tree

import (
	"context"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// treeFilter is the line above the tree. With a filter, the pane shows the matching fields in file
// order with their paths; without, the tree.
type treeFilter struct {
	t       *Pane
	entry   *kit.Entry
	on      bool
	found   []*model.Span
	trouble string      // why there are no matches
	cancel  kit.Running // withdraws the search
}

func newTreeFilter(t *Pane) *treeFilter {
	f := &treeFilter{t: t, entry: kit.NewEntry(t.d.Window.Host)}
	f.entry.SetPlaceHolder("filter: size > 1000")
	f.entry.OnChanged = func(string) { f.run() }
	f.entry.OnSubmitted = func(string) { f.enter() }
	f.entry.On = map[fyne.KeyName]func(){fyne.KeyEscape: f.clear, fyne.KeyDown: f.enter}
	return f
}

// run shows what matches the condition in the line.
func (f *treeFilter) run() {
	f.cancel.Stop()
	t, text := f.t, f.entry.Text
	was := f.on
	f.found, f.trouble = nil, ""
	if f.on = text != ""; !f.on {
		if was {
			t.Page = nil
			t.View.ScrollTo(0)
			t.follow(t.d.Sel.Now, true)
		}
		return
	}
	c, err := model.ParseFilter(text)
	if err != nil {
		f.show(nil, err.Error())
		return
	}
	tree := t.d.Tree()
	f.trouble = "searching…"
	f.cancel = kit.Work(t.d.Window, "filtering", model.Selected, func(ctx context.Context) ([]doc.Place, error) {
		return doc.Search(ctx, c, tree, false)
	}, func(items []doc.Place, err error) {
		f.cancel = nil
		if err == nil && tree == t.d.Tree() {
			f.show(items, "No fields match")
			if len(items) == doc.FindMost {
				t.d.Window.Say(model.Words("the filter shows the first %d fields", doc.FindMost))
			}
		}
		t.d.Found.Refresh()
	})
}

// show shows matches in place of the tree; if there are none it says why.
func (f *treeFilter) show(items []doc.Place, none string) {
	f.found, f.trouble = nil, none
	for _, p := range items {
		f.found = append(f.found, p.Span)
	}
	f.t.Page, f.t.Grid.Current = nil, -1
	f.t.View.ScrollTo(0)
	f.t.follow(f.t.d.Sel.Now, false)
}

// enter gives the focus to the rows and selects the first, unless one is selected.
func (f *treeFilter) enter() {
	if f.t.Count() > 0 && f.t.Grid.Current < 0 {
		f.t.choose(0)
	}
	f.t.d.Window.Shell.Focus(f.t.View)
}

// clear shows the tree again, with the selected field.
func (f *treeFilter) clear() {
	f.entry.SetText("") // runs
	f.t.d.Window.Shell.Focus(f.t.View)
}

// at returns a row of what the pane shows: the tree, or the matches of the filter.
func (t *Pane) at(row int64) (model.TreeRow, bool) {
	if !t.filter.on {
		return t.Rows.At(row)
	}
	if row < 0 || row >= int64(len(t.filter.found)) {
		return model.TreeRow{}, false
	}
	return model.TreeRow{Span: t.filter.found[row]}, true
}

// rowOf returns the row of a span in what the pane shows.
func (t *Pane) rowOf(s *model.Span) (row int64, ok bool) {
	if !t.filter.on {
		return t.Rows.RowOf(s)
	}
	path := s.Path()
	for i, m := range t.filter.found {
		if m == s || m.Range == s.Range && m.Path() == path {
			return int64(i), true
		}
	}
	return -1, false
}
