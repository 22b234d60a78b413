package ui

import (
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
)

// twoToys opens a toy file and a changed copy of it, and shows the first.
func twoToys(t *testing.T, change func([]byte) []byte) (*testBench, *tab, *tab) {
	t.Helper()
	one := toyFile(t, 100)
	raw, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	two := filepath.Join(t.TempDir(), "other.toy")
	if err := os.WriteFile(two, change(raw), 0o600); err != nil {
		t.Fatal(err)
	}
	b, d := newWindowBench(t, one)
	b.files.show(two)
	b.settle(t)
	o := b.current
	b.show(d)
	b.settle(t)
	return b, d, o
}

// Compared byte by byte, two documents stand side by side: as many bytes a row, at the same place, with what differs marked in both; F7
// walks the differences, and closing either ends it.
func TestBytesSideBySide(t *testing.T) {
	b, d, o := twoToys(t, func(raw []byte) []byte {
		raw[8+8*20], raw[8+8*90+4] = 200, 201
		return append(raw, 'x')
	})
	alone := d.hex.perRow
	d.find.compare(o.Document, false)
	b.settle(t)
	b.win.Canvas().Capture()
	b.settle(t)
	h := d.hex
	if h.twin == nil || d.find.Count() != 3 {
		t.Fatalf("%v, %d differences", h.twin, d.find.Count())
	}
	m := h.twin.other
	differs := func(h *hexPane, off int64) bool {
		i := off - h.page.off
		return i >= 0 && i < int64(len(h.page.kind)) && h.page.kind[i].differs
	}
	if m.perRow != h.perRow || h.perRow > alone {
		t.Errorf("%d and %d bytes a row, alone %d", h.perRow, m.perRow, alone)
	}
	for _, off := range []int64{8 + 8*20, 8 + 8*90 + 4, 8 + 8*100 + 12} {
		if d.find.Current > 0 || off > 8+8*20 {
			b.menus.run("next-difference")
			b.settle(t)
		}
		if m.view.Top != h.view.Top || !differs(m, off) || differs(m, off-1) || off < h.size && !differs(h, off) {
			t.Errorf("0x%x: top %d and %d; differs here %v, there %v", off, h.view.Top, m.view.Top, differs(h, off), differs(m, off))
		}
	}
	m.view.ScrollTo(0)
	b.settle(t)
	if h.view.Top != 0 {
		t.Error("the document does not follow the other")
	}
	m.Key(fyne.KeyEnd, ctrl) // behind the end of the document
	b.settle(t)
	if m.caret != h.size || o.sel.now.Range.Off != h.size {
		t.Errorf("caret at %d, selected 0x%x", m.caret, o.sel.now.Range.Off)
	}
	panes := len(o.panes)
	h.apart(nil)
	b.settle(t)
	b.win.Canvas().Capture()
	b.settle(t)
	if h.twin != nil || len(o.panes) != panes-1 || h.perRow != alone || differs(h, 8+8*20) {
		t.Errorf("closed: %d panes of %d, %d bytes a row", len(o.panes), panes, h.perRow)
	}
	d.find.compare(o.Document, false)
	b.settle(t)
	b.close(o)
	b.settle(t)
	if h.twin != nil {
		t.Error("the other document is closed, and its bytes are shown")
	}
}

// Compared by names, the other document shows what is called as what is selected, where it has it.
func TestCellsSideBySide(t *testing.T) {
	b, d, o := twoToys(t, func(raw []byte) []byte { raw[8+8*20] = 200; return raw })
	d.find.compare(o.Document, true)
	b.settle(t)
	if d.hex.twin == nil || !d.hex.twin.byNames || d.find.Count() != 1 {
		t.Fatalf("%d differences", d.find.Count())
	}
	for _, path := range []string{"rows[20]/id", "rows[7]/size"} {
		d.sel.path(path, nil)
		b.settle(t)
		wantPath(t, d, path, d.sel.now.Range.Off, 4)
		wantPath(t, o, path, d.sel.now.Range.Off, 4)
	}
	b.close(d)
	b.settle(t)
	for _, p := range o.panes {
		if h, ok := p.(*hexPane); ok && h != o.hex {
			t.Error("the pane stays in the other document")
		}
	}
}

// Documents that are called alike are told apart by their folders, in the tabs and where they are compared.
func TestNamesAlike(t *testing.T) {
	b, d := newBench(t, toyFile(t, 3))
	if d.item.Text != "sample.toy" {
		t.Fatal(d.item.Text)
	}
	b.files.show(toyFile(t, 4))
	b.settle(t)
	o := b.current
	if want := filepath.Join(filepath.Base(filepath.Dir(o.Model.Path)), "sample.toy"); o.item.Text != want || d.item.Text == "sample.toy" || d.item.Text == want {
		t.Errorf("tabs %q and %q", d.item.Text, o.item.Text)
	}
	b.close(o)
	b.settle(t)
	if d.item.Text != "sample.toy" {
		t.Errorf("alone: %q", d.item.Text)
	}
}

// Of several files that are opened together those between are not drawn before somebody looks at them: the last one is shown.
func TestManyAreOpenedBehind(t *testing.T) {
	b, first := newBench(t, toyFile(t, 3))
	var paths []string
	for range 4 {
		paths = append(paths, toyFile(t, 5))
	}
	b.files.all(paths)
	b.settle(t)
	if len(b.docs) != 5 || b.current.Model.Path != paths[3] {
		t.Fatalf("%d documents, %s is shown", len(b.docs), b.current.Model.Path)
	}
	for i, d := range b.docs {
		if drawn := len(d.hex.page.bytes) > 0; drawn != (i == 0 || i == 4) {
			t.Errorf("document %d is drawn: %v", i, drawn)
		}
	}
	b.stepTab(-1)
	b.settle(t)
	if b.current != b.docs[3] || len(b.docs[3].hex.page.bytes) == 0 {
		t.Error("a document that is turned to is not drawn")
	}
	b.stepTab(2)
	b.settle(t)
	if b.current != first {
		t.Errorf("%s is shown", b.current.Model.Path)
	}
}
