package ui

import (
	"strings"
	"testing"

	"spandrel/model"
)

func TestBookmarksAreKeptAndWalked(t *testing.T) {
	path := toyFile(t, 100)
	b, d := newBench(t, path)
	for _, p := range []string{"rows[40]/size", "count", "rows[7]"} {
		d.sel.path(p, nil)
		b.settle(t)
		b.menus.run("bookmark")
	}
	d.marks.name("the seventh")
	if len(d.marks.list()) != 3 || d.marks.list()[1].Name != "the seventh" || len(d.hex.marked) != 3 {
		t.Fatalf("%+v", d.marks.list())
	}
	d.sel.path("magic", nil)
	b.settle(t)
	for _, want := range []string{"count", "rows[7]", "rows[40]/size", "count"} {
		b.menus.run("next-bookmark")
		b.settle(t)
		if p := d.sel.now.Span.Path(); p != want {
			t.Errorf("at %s, want %s", p, want)
		}
	}
	b.menus.run("previous-bookmark")
	b.settle(t)
	if p := d.sel.now.Span.Path(); p != "rows[40]/size" {
		t.Error("backwards:", p)
	}
	b.menus.run("bookmarks")
	if d.find.Count() != 3 {
		t.Errorf("%d rows in the list", d.find.Count())
	}
	d.find.choose(1)
	b.settle(t)
	wantPath(t, d, "rows[7]", 8+7*8, 8)
	b.close(d)
	b.files.show(path)
	b.settle(t)
	if d = b.current; len(d.marks.list()) != 3 {
		t.Fatal("bookmarks do not survive")
	}
	d.sel.path("rows[7]", nil)
	b.settle(t)
	d.marks.toggle()
	if len(d.marks.list()) != 2 {
		t.Error("the bookmark is not removed")
	}
}

func TestBookmarksFollowEdits(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.sel.path("block", nil)
	b.settle(t)
	b.menus.run("bookmark")
	d.editor.setLocked(false)
	d.editor.edit("delete a row", "", []model.Edit{model.SetValue(d.Tree().Root.Get("count"), model.U(99)),
		model.Splice{Range: model.Range{Space: d.hex.space, Off: 16, Len: 8}, With: model.Memory(nil), Loose: true}}, nil)
	b.settle(t)
	at := d.Tree().Root.Get("block").Range.Off
	if list := d.marks.list(); at != 8+99*8 || list[0].At != at || len(d.hex.marked) != 1 || d.hex.marked[0] != at {
		t.Errorf("the block is at %d, %+v, %v", at, list, d.hex.marked)
	}
	if !strings.HasPrefix(d.item.Text, "• ") {
		t.Errorf("the tab of an edited document is %q", d.item.Text)
	}
	d.editor.undo()
	b.settle(t)
	if list := d.marks.list(); list[0].At != 8+100*8 || strings.HasPrefix(d.item.Text, "• ") {
		t.Errorf("undone: %+v, tab %q", list, d.item.Text)
	}
}
