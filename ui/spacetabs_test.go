package ui

import "testing"

// Walking through cells leaves one tab of decoded bytes, that of the last one, until it is kept: by a double click, or because something
// was edited meanwhile.
func TestOneTabToLook(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	walk := func(cols ...int) {
		for _, col := range cols {
			d.table.Choose(1, col)
			b.settle(t)
		}
	}
	tabs := d.hex.Spaces
	walk(1, 2, 3, 4)
	if n := len(tabs.List); n != 2 || tabs.List[1].Kept || tabs.List[1].Space != d.hex.Space {
		t.Fatalf("%d tabs: %+v", n, tabs.List)
	}
	tabs.Press(1)
	tabs.Press(1)
	walk(5, 6)
	if n := len(tabs.List); n != 3 || !tabs.List[1].Kept || tabs.List[2].Kept {
		t.Fatalf("a tab that was pressed twice is not kept: %+v", tabs.List)
	}
	edited := tabs.List[2].Path
	d.Editor.SetLocked(false)
	d.table.SetCell(d.table.Ref(1, 6), "77", func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	b.settle(t)
	walk(7, 8)
	if n := len(tabs.List); n != 4 || tabs.List[2].Path != edited || !tabs.List[2].Kept {
		t.Fatalf("the tab of what was edited is not kept: %+v", tabs.List)
	}
	tabs.Press(1) // not read in the new tree, or again
	b.settle(t)
	if now := tabs.List[1]; tabs.At != 1 || now.Space != d.hex.Space || d.Tree().Space(now.Space).Root.Path() != now.Path {
		t.Errorf("a kept tab leads elsewhere behind an edit: %+v, shown %d", now, d.hex.Space)
	}
	tabs.Close(1)
	b.settle(t)
	if len(tabs.List) != 3 || d.hex.Space != tabs.List[0].Space {
		t.Errorf("closed: %+v", tabs.List)
	}
}
