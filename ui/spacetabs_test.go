package ui

import "testing"

// Walking through cells leaves one tab of decoded bytes, that of the last one, until it is kept: by a double click, or because something
// was edited meanwhile.
func TestOneTabToLook(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	walk := func(cols ...int) {
		for _, col := range cols {
			d.table.choose(1, col)
			b.settle(t)
		}
	}
	tabs := d.hex.spaces
	walk(1, 2, 3, 4)
	if n := len(tabs.list); n != 2 || tabs.list[1].kept || tabs.list[1].space != d.hex.space {
		t.Fatalf("%d tabs: %+v", n, tabs.list)
	}
	tabs.press(1)
	tabs.press(1)
	walk(5, 6)
	if n := len(tabs.list); n != 3 || !tabs.list[1].kept || tabs.list[2].kept {
		t.Fatalf("a tab that was pressed twice is not kept: %+v", tabs.list)
	}
	edited := tabs.list[2].path
	d.editor.setLocked(false)
	d.table.setCell(d.table.tableCells.ref(1, 6), "77", func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	b.settle(t)
	walk(7, 8)
	if n := len(tabs.list); n != 4 || tabs.list[2].path != edited || !tabs.list[2].kept {
		t.Fatalf("the tab of what was edited is not kept: %+v", tabs.list)
	}
	tabs.press(1) // not read in the new tree, or anew
	b.settle(t)
	if now := tabs.list[1]; tabs.at != 1 || now.space != d.hex.space || d.Tree().Space(now.space).Root.Path() != now.path {
		t.Errorf("a kept tab leads elsewhere behind an edit: %+v, shown %d", now, d.hex.space)
	}
	tabs.close(1)
	b.settle(t)
	if len(tabs.list) != 3 || d.hex.space != tabs.list[0].space {
		t.Errorf("closed: %+v", tabs.list)
	}
}

// Of a document of many files it is said which one's bytes are shown, also before another was looked at.
func TestFileOfAFolderIsNamed(t *testing.T) {
	_, d := sampleBench(t, "tiledb/good/dense-v22")
	if !d.hex.spaces.strip.Visible() {
		t.Error("nothing names the file")
	}
	if _, d = sampleBench(t, "idv/good/stored.idv"); d.hex.spaces.strip.Visible() {
		t.Error("a tab says what the document's own says")
	}
}
