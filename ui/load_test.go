package ui

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"spandrel/model"
	"spandrel/parsers"
)

// largeFile is a document of ten gigabytes that is under way: what is edited of it, and where that stands.
type largeFile struct {
	path, field string
	at          int64
	formats     []*model.Format
	begin, end  func() // wait until a check of everything is under way; look at what it did
}

// A document of ten gigabytes is scrolled and edited while it is checked, and while it is saved. Closed, nothing is left of it.
func TestLargeDocumentUnderLoad(t *testing.T) {
	for name, large := range map[string]func(*testing.T) largeFile{"toy": largeToy, "npy": largeNpy} {
		t.Run(name, func(t *testing.T) { underLoad(t, large(t)) })
	}
}

// largeToy is a document whose check has 160 parts.
func largeToy(t *testing.T) largeFile {
	const rows, parts = 1_342_177_280, 160
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
	return largeFile{path: toyFile(t, rows), field: "rows[77]/size", at: 8 + 8*77 + 4, formats: []*model.Format{&deep}, begin: func() { <-begun }, end: func() {
		if checked.Load() < parts {
			t.Errorf("of %d parts %d were checked", parts, checked.Load())
		}
	}}
}

// largeNpy is an array of numbers, of half a gigabyte where tests are to be short: all of it is read.
func largeNpy(t *testing.T) largeFile {
	n := int64(2_684_354_560)
	if testing.Short() {
		n /= 20
	}
	head := fmt.Sprintf("{'descr': '<u4', 'fortran_order': False, 'shape': (%d,), }", n)
	head += strings.Repeat(" ", 127-10-len(head)) + "\n"
	path := filepath.Join(t.TempDir(), "large.npy")
	if err := os.WriteFile(path, append([]byte("\x93NUMPY\x01\x00"), append([]byte{byte(len(head)), 0}, head...)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 128+4*n); err != nil {
		t.Fatal(err)
	}
	return largeFile{path: path, field: "data[77]", at: 128 + 4*77, formats: parsers.All(), begin: func() {}, end: func() {}}
}

func underLoad(t *testing.T, large largeFile) {
	b, _ := newBench(t, toyFile(t, 3))
	b.formats = large.formats
	before := b.closeAll(t)
	b.files.show(large.path)
	b.settle(t)
	d := b.current
	gone := held(d.Document)
	scroll := func(k int64) {
		d.hex.View.ScrollTo(k * (d.hex.Size / int64(d.hex.PerRow) / 50))
		d.table.View.ScrollTo(k * (d.table.Count() / 50))
		b.win.Canvas().Capture()
	}
	d.Editor.SetLocked(false)
	d.Check.All()
	large.begin() // it is under way
	for k := range int64(10) {
		scroll(k)
		if k == 5 {
			d.Sel.Path(large.field, nil)
		}
	}
	b.settle(t)
	d.Editor.SetValue(d.Sel.Now.Span, model.U(4242), nil)
	saved := false
	b.saver.save(d, model.SaveOptions{NoBackup: true}, func() { saved = true })
	d.Check.All()
	for k := range int64(10) {
		scroll(40 - k)
	}
	b.settle(t)
	f, err := os.Open(large.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var was [4]byte
	if _, err := f.ReadAt(was[:], large.at); err != nil || binary.LittleEndian.Uint32(was[:]) != 4242 || !saved || d.Model.Dirty() {
		t.Errorf("saved: %v, edits left: %v, the file says %v, %v", saved, d.Model.Dirty(), was, err)
	}
	large.end()
	if d = nil; int(b.closeAll(t))-int(before) > 32<<20 {
		t.Error("memory of a closed document is still in use")
	}
	b.forgotten(t, map[string]func() bool{large.path: gone})
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil && strings.Contains(string(maps), large.path) {
		t.Error("a closed file is still mapped")
	}
}
