package ui

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/bytes"
)

// Behind an inserted byte the panes side by side show the same, mark only what differs, and select what stands in the same place.
func TestAlignedSideBySide(t *testing.T) {
	b, d, o := twoToys(t, func(raw []byte) []byte { return slices.Insert(raw, 8+8*20+3, 0xee) })
	d.find.Compare(o.Document, false)
	b.settle(t)
	b.win.Canvas().Capture()
	b.settle(t)
	if d.find.Count() != 1 || d.find.Items[0].Cells[1].Text != "1 byte only there" {
		t.Fatalf("%d differences, the first %+v", d.find.Count(), d.find.Items[0].Cells)
	}
	m := d.hex.Twin.Other
	for i, k := range m.Page.Kind {
		if off := m.Page.Off + int64(i); k.Differs != (off == m.Page.Off+int64(i) && m.Page.Bytes[i] == 0xee) {
			t.Errorf("there 0x%x differs: %v", off, k.Differs)
		}
	}
	for i, k := range d.hex.Page.Kind {
		if k.Differs {
			t.Errorf("here 0x%x differs", d.hex.Page.Off+int64(i))
		}
	}
	d.Sel.Bytes(model.Range{Space: d.hex.Space, Off: 8 + 8*50, Len: 4}, nil)
	b.settle(t)
	if r := o.Sel.Now.Range; r.Off != 8+8*50+1 || r.Len != 4 {
		t.Errorf("selected there: %+v", r)
	}
}

// What an edit rewrites is marked as modified only where it says something else, on the file and in a preview.
func TestOnlyWhatChangesIsMarked(t *testing.T) {
	b, d := newTaridxBench(t, "bad/054-cut")
	b.menus.run("preview") // the shards are indexed again
	b.settle(t)
	marked := func(of func(bytes.ByteKind) bool) (n int) {
		for _, k := range d.hex.Page.Kind {
			if of(k) {
				n++
			}
		}
		return n
	}
	if n := marked(func(k bytes.ByteKind) bool { return k.Tried }); d.Preview == nil || n != 263-192 {
		t.Errorf("a preview that adds %d bytes marks %d", 263-192, n)
	}
	b.press(fyne.KeyReturn)
	b.settle(t)
	b.win.Canvas().Capture()
	b.settle(t)
	if n := marked(func(k bytes.ByteKind) bool { return k.Edited }); d.Preview != nil || n != 263-192 {
		t.Errorf("%d bytes were added, %d are marked", 263-192, n)
	}
}
