package ui

import (
	"path/filepath"
	"slices"
	"testing"

	"spandrel/model"
	"spandrel/ui/bench"
)

// Two views of a document: each has a selection of its own, and what is edited, previewed or unlocked in one is so in both. It is one document when it
// is saved, listed and closed.
func TestTwoViews(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	d.Sel.Path("rows[3]/size", nil)
	b.settle(t)
	b.menus.run("second-view")
	b.settle(t)
	v := b.current
	b.Hint("row 3: 7")
	b.show(d)
	if b.Line.Running.Text != "" {
		t.Errorf("of what is out of sight is said: %s", b.Line.Running.Text)
	}
	b.show(v)
	if v == d || v.Model != d.Model || len(b.docs) != 2 || v.item.Text != "sample.toy (2)" || d.item.Text != "sample.toy" {
		t.Fatalf("%d tabs, %q and %q", len(b.docs), d.item.Text, v.item.Text)
	}
	bench.WantPath(t, v.Document, "rows[3]/size", 8+3*8+4, 4) // it begins where the other is
	v.Sel.Path("rows[9]/id", nil)
	b.settle(t)
	bench.WantPath(t, d.Document, "rows[3]/size", 8+3*8+4, 4)
	bench.WantPath(t, v.Document, "rows[9]/id", 8+9*8, 4)

	v.Editor.SetLocked(false)
	v.Editor.SetValue(v.Sel.Now.Span, model.U(77), nil)
	b.settle(t)
	for _, x := range []*tab{d, v} {
		if c, ok := x.table.CellAt(9, 1); !ok || c.Value.Uint() != 77 || !x.Editor.Dirty {
			t.Errorf("a view shows %v", c)
		}
	}
	bench.WantPath(t, d.Document, "rows[3]/size", 8+3*8+4, 4)
	bench.WantPath(t, v.Document, "rows[9]/id", 8+9*8, 4)
	d.Editor.Preview("set size", []model.Edit{model.SetValue(d.Tree().Root.Get("rows").Child(42).Child(1), model.U(7))}, func(p *model.Plan, err error) {
		d.Editor.Try(p, nil, true)
	})
	b.settle(t)
	if v.Preview == nil || v.Tree() != d.Tree() || !v.trialBar.object.Visible() {
		t.Error("only one view shows what is looked at")
	}
	v.Preview.Decide(v.Document, false)
	b.settle(t)
	if d.Preview != nil || v.Preview != nil || d.trialBar.object.Visible() {
		t.Error("it is over in one view only")
	}

	if n := len(b.saver.unsaved()); n != 1 {
		t.Errorf("%d documents are to be saved", n)
	}
	if open := b.App.Preferences().StringList("open"); !slices.Equal(open, []string{d.Model.Path}) {
		t.Errorf("noted as open: %v", open)
	}
	b.saver.askClose(v) // the edits stay in the other
	b.settle(t)
	if b.Shell.Modal() || len(b.docs) != 1 || b.current != d {
		t.Fatalf("asked: %v, %d tabs", b.Shell.Modal(), len(b.docs))
	}
	d.Editor.Undo()
	b.settle(t)
	if d.Editor.Dirty {
		t.Error("not undone once the other view is closed")
	}
	b.openView(d)
	b.settle(t)
	b.saver.askClose(d)
	b.settle(t)
	if len(b.docs) != 0 || len(b.tabs.Items) != 0 {
		t.Errorf("%d tabs stay of a document that was closed", len(b.docs))
	}
}

// A document that is read again keeps its views, each where it was, and so does one that is saved as another file.
func TestReloadKeepsViews(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	path := d.Model.Path
	d.Sel.Path("rows[3]/size", nil)
	b.files.show(toyFile(t, 7))
	b.settle(t)
	b.openView(d)
	b.current.Sel.Path("rows[9]/id", nil)
	b.settle(t)
	want := func(what, path string) {
		t.Helper()
		b.settle(t)
		var names []string
		for _, item := range b.tabs.Items {
			names = append(names, item.Text)
		}
		if len(b.docs) != 3 || len(names) != 3 || b.current.First() || b.current.item != b.tabs.Items[2] {
			t.Fatalf("%s: %d documents, tabs %q, the first view is current: %v", what, len(b.docs), names, b.current.First())
		}
		bench.WantPath(t, b.current.Document, "rows[9]/id", 8+9*8, 4)
		first := b.opened(b.current)
		if bench.WantPath(t, first.Document, "rows[3]/size", 8+3*8+4, 4); first.Model.Path != path || first.item != b.tabs.Items[0] {
			t.Errorf("%s: %s, tabs %q", what, first.Model.Path, names)
		}
	}
	want("before", path)
	b.menus.run("reload")
	want("after it was read again", path)
	other := filepath.Join(t.TempDir(), "other.toy")
	b.saver.writeAs(b.opened(b.current), other)
	want("after it was saved as another file", other)
}
