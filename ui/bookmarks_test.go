package ui

import (
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/ui/bench"
)

func TestBookmarksAreKeptAndWalked(t *testing.T) {
	path := toyFile(t, 100)
	b, d := newBench(t, path)
	for _, p := range []string{"rows[40]/size", "count", "rows[7]"} {
		d.Sel.Path(p, nil)
		b.settle(t)
		b.menus.run("bookmark")
	}
	d.Marks.Name("the seventh")
	if len(d.Marks.List()) != 3 || d.Marks.List()[1].Name != "the seventh" || len(d.hex.Marked) != 3 {
		t.Fatalf("%+v", d.Marks.List())
	}
	d.Sel.Path("magic", nil)
	b.settle(t)
	for _, want := range []string{"count", "rows[7]", "rows[40]/size", "count"} {
		b.menus.run("next-bookmark")
		b.settle(t)
		if p := d.Sel.Now.Span.Path(); p != want {
			t.Errorf("at %s, want %s", p, want)
		}
	}
	b.menus.run("previous-bookmark")
	b.settle(t)
	if p := d.Sel.Now.Span.Path(); p != "rows[40]/size" {
		t.Error("backwards:", p)
	}
	b.menus.run("bookmarks")
	if d.find.Count() != 3 || d.find.Columns[1].Title != "note" {
		t.Errorf("%d rows in the list, %v", d.find.Count(), d.find.Columns)
	}
	d.find.Choose(1)
	b.settle(t)
	bench.WantPath(t, d.Document, "rows[7]", 8+7*8, 8)
	b.close(d)
	b.files.show(path)
	b.settle(t)
	if d = b.current; len(d.Marks.List()) != 3 {
		t.Fatal("bookmarks do not survive")
	}
	d.Sel.Path("rows[7]", nil)
	b.settle(t)
	d.Marks.Toggle()
	if len(d.Marks.List()) != 2 {
		t.Error("the bookmark is not removed")
	}
}

func TestBookmarksFollowEdits(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.Sel.Path("block", nil)
	b.settle(t)
	b.menus.run("bookmark")
	d.Editor.SetLocked(false)
	d.Editor.Edit("delete a row", "", []model.Edit{model.SetValue(d.Tree().Root.Get("count"), model.U(99)),
		model.Splice{Range: model.Range{Space: d.hex.Space, Off: 16, Len: 8}, With: model.Memory(nil), Loose: true}}, nil)
	b.settle(t)
	at := d.Tree().Root.Get("block").Range.Off
	if list := d.Marks.List(); at != 8+99*8 || list[0].At != at || len(d.hex.Marked) != 1 || d.hex.Marked[0] != at {
		t.Errorf("the block is at %d, %+v, %v", at, list, d.hex.Marked)
	}
	if !strings.HasPrefix(d.item.Text, "• ") {
		t.Errorf("the tab of an edited document is %q", d.item.Text)
	}
	d.Editor.Undo()
	b.settle(t)
	if list := d.Marks.List(); list[0].At != 8+100*8 || strings.HasPrefix(d.item.Text, "• ") {
		t.Errorf("undone: %+v, tab %q", list, d.item.Text)
	}
}
