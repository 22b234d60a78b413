package ui

import (
	"context"
	"encoding/binary"
	"os"
	"sync/atomic"
	"testing"

	"spandrel/model"
)

// A document of ten gigabytes is scrolled and edited while it is checked, and while it is saved.
func TestLargeDocumentUnderLoad(t *testing.T) {
	const rows, parts = 1_342_177_280, 160
	path := toyFile(t, rows)
	b, _ := newBench(t, toyFile(t, 3))
	deep := *toy
	var checked atomic.Int64
	begun := make(chan bool, 1)
	deep.Deep = func(ctx context.Context, tree *model.Tree, p *model.Probe) error {
		return p.Each(ctx, "parts", parts, func(ctx context.Context, _ *model.Probe, i int64) error {
			_, err := tree.Bytes(ctx, model.Range{Space: tree.Root.Range.Space, Off: i * (tree.Root.Range.Len / parts), Len: 1 << 20})
			checked.Add(1)
			select {
			case begun <- true:
			default:
			}
			return err
		})
	}
	b.formats = []*model.Format{&deep}
	b.files.show(path)
	b.settle(t)
	d := sidesOf(b.current)
	scroll := func(k int64) {
		d.hex.view.ScrollTo(k * (d.hex.size / int64(d.hex.perRow) / 50))
		d.table.View.ScrollTo(k * (d.table.Count() / 50))
		b.win.Canvas().Capture()
	}
	d.editor.setLocked(false)
	d.problem.checkAll()
	<-begun // it is under way
	for k := range int64(10) {
		scroll(k)
		if k == 5 {
			d.sel.path("rows[77]/size", nil)
		}
	}
	b.settle(t)
	d.editor.setValue(d.sel.now.Span, model.U(4242), nil)
	saved := false
	b.saver.save(d.Document, model.SaveOptions{NoBackup: true}, func() { saved = true })
	d.problem.checkAll()
	for k := range int64(10) {
		scroll(40 - k)
	}
	b.settle(t)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var was [4]byte
	if _, err := f.ReadAt(was[:], 8+8*77+4); err != nil || binary.LittleEndian.Uint32(was[:]) != 4242 || !saved || d.Model.Dirty() {
		t.Errorf("saved: %v, edits left: %v, the file says %v, %v", saved, d.Model.Dirty(), was, err)
	}
	if checked.Load() < parts {
		t.Errorf("of %d parts %d were checked", parts, checked.Load())
	}
}
