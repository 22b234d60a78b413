package ui

import (
	"context"
	"encoding/binary"
	"os"
	"runtime"
	"sync/atomic"
	"testing"

	"spandrel/model"
)

// Many documents are opened and closed, twice: the second time needs no more memory than the first left. With SPANDREL_SOAK they are two
// hundred.
func TestClosedDocumentsAreForgotten(t *testing.T) {
	documents, more := 20, uint64(8<<20)
	if os.Getenv("SPANDREL_SOAK") != "" {
		documents = 200
	}
	b, first := newBench(t, toyFile(t, 3))
	var paths []string
	for range documents {
		paths = append(paths, toyFile(t, 100))
	}
	round := func() (open, closed uint64) {
		for at := 0; at < documents; at += 20 {
			b.files.all(paths[at : at+20])
			b.settle(t)
		}
		if len(b.docs) != documents+1 {
			t.Fatalf("%d documents are open", len(b.docs))
		}
		open = liveHeap()
		for len(b.docs) > 1 {
			b.close(b.docs[len(b.docs)-1])
		}
		b.settle(t)
		return open, liveHeap()
	}
	_, once := round()
	open, twice := round()
	t.Logf("%d MB with %d documents, %d MB without them, %d MB when they had been there once", open>>20, documents, twice>>20, once>>20)
	if twice > once+more {
		t.Errorf("%d documents were closed and %d bytes of them are kept", documents, twice-once)
	}
	if b.current != first.Document {
		t.Error("the document that stays is not shown")
	}
}

// liveHeap is what is in use after all garbage is gone.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

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
