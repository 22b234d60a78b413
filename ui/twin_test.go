package ui

import (
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/ui/bench"
	"spandrel/ui/bytes"
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
	alone := d.hex.PerRow
	d.find.Compare(o.Document, false)
	b.settle(t)
	b.win.Canvas().Capture()
	b.settle(t)
	h := d.hex
	if h.Twin == nil || d.find.Count() != 3 {
		t.Fatalf("%v, %d differences", h.Twin, d.find.Count())
	}
	m := h.Twin.Other
	differs := func(h *bytes.Pane, off int64) bool {
		i := off - h.Page.Off
		return i >= 0 && i < int64(len(h.Page.Kind)) && h.Page.Kind[i].Differs
	}
	if m.PerRow != h.PerRow || h.PerRow > alone {
		t.Errorf("%d and %d bytes a row, alone %d", h.PerRow, m.PerRow, alone)
	}
	for _, off := range []int64{8 + 8*20, 8 + 8*90 + 4, 8 + 8*100 + 12} {
		if d.find.Current > 0 || off > 8+8*20 {
			b.menus.run("next-difference")
			b.settle(t)
		}
		if m.View.Top != h.View.Top || !differs(m, off) || differs(m, off-1) || off < h.Size && !differs(h, off) {
			t.Errorf("0x%x: top %d and %d; differs here %v, there %v", off, h.View.Top, m.View.Top, differs(h, off), differs(m, off))
		}
	}
	m.View.ScrollTo(0)
	b.settle(t)
	if h.View.Top != 0 {
		t.Error("the document does not follow the other")
	}
	m.Key(fyne.KeyEnd, ctrl) // behind the end of the document
	b.settle(t)
	if m.Caret != h.Size || o.Sel.Now.Range.Off != h.Size {
		t.Errorf("caret at %d, selected 0x%x", m.Caret, o.Sel.Now.Range.Off)
	}
	panes := len(o.Panes)
	h.Apart(nil)
	b.settle(t)
	b.win.Canvas().Capture()
	b.settle(t)
	if h.Twin != nil || len(o.Panes) != panes-1 || h.PerRow != alone || differs(h, 8+8*20) {
		t.Errorf("closed: %d panes of %d, %d bytes a row", len(o.Panes), panes, h.PerRow)
	}
	d.find.Compare(o.Document, false)
	b.settle(t)
	b.close(o)
	b.settle(t)
	if h.Twin != nil {
		t.Error("the other document is closed, and its bytes are shown")
	}
}

// Compared by names, the other document shows what is called as what is selected, where it has it.
func TestCellsSideBySide(t *testing.T) {
	b, d, o := twoToys(t, func(raw []byte) []byte { raw[8+8*20] = 200; return raw })
	d.find.Compare(o.Document, true)
	b.settle(t)
	if d.hex.Twin == nil || !d.hex.Twin.ByNames || d.find.Count() != 1 {
		t.Fatalf("%d differences", d.find.Count())
	}
	for _, path := range []string{"rows[20]/id", "rows[7]/size"} {
		d.Sel.Path(path, nil)
		b.settle(t)
		bench.WantPath(t, d.Document, path, d.Sel.Now.Range.Off, 4)
		bench.WantPath(t, o.Document, path, d.Sel.Now.Range.Off, 4)
	}
	b.close(d)
	b.settle(t)
	for _, p := range o.Panes {
		if h, ok := p.(*bytes.Pane); ok && h != o.hex {
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

// Of several files that are opened together those between are not drawn before someone looks at them: the last one is shown.
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
		if drawn := len(d.hex.Page.Bytes) > 0; drawn != (i == 0 || i == 4) {
			t.Errorf("document %d is drawn: %v", i, drawn)
		}
	}
	b.stepTab(-1)
	b.settle(t)
	if b.current != b.docs[3] || len(b.docs[3].hex.Page.Bytes) == 0 {
		t.Error("a document that is turned to is not drawn")
	}
	b.stepTab(2)
	b.settle(t)
	if b.current != first {
		t.Errorf("%s is shown", b.current.Model.Path)
	}
}
