package ui

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	_ "unsafe" // for go:linkname
	"weak"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/testdata"
	"spandrel/ui/doc"
)

// What Fyne does with the pictures of widgets, and through them with documents, that are not drawn for a while.
//
//go:linkname forgetRenderers fyne.io/fyne/v2/internal/cache.destroyExpiredRenderers
func forgetRenderers(now time.Time)

//go:linkname forgetCanvases fyne.io/fyne/v2/internal/cache.destroyExpiredCanvases
func forgetCanvases(now time.Time)

// closeAll closes what is open, has Fyne forget it, and returns how much memory is in use then.
func (b *testBench) closeAll(t *testing.T) (live uint64) {
	t.Helper()
	for len(b.docs) > 0 {
		b.close(b.docs[len(b.docs)/2])
		b.settle(t)
	}
	b.win.Canvas().Capture()
	forgetRenderers(time.Now().Add(time.Hour))
	forgetCanvases(time.Now().Add(time.Hour))
	b.win.Canvas().Capture()
	runtime.GC()
	runtime.GC() // what had a finalizer
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// held tells from now on whether something holds a document, its tree or its files.
func held(d *doc.Document) func() bool {
	doc, tree, snap := weak.Make(d), weak.Make(d.Model.Tree), weak.Make(d.Model.Tree.Snapshot)
	return func() bool { return doc.Value() != nil || tree.Value() != nil || snap.Value() != nil }
}

// forgotten reports documents that something still holds. Timers hold some for seconds.
func (b *testBench) forgotten(t *testing.T, all map[string]func() bool) {
	t.Helper()
	var names []string
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		names = nil
		b.settle(t)
		b.closeAll(t)
		for name, held := range all {
			if held() {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			return
		}
	}
	t.Errorf("closed, and not forgotten: %q", names)
}

// Of two hundred documents each has its tab; when they are closed nothing is left of them, neither memory nor mapped files.
func TestTwoHundredDocuments(t *testing.T) {
	many := 200
	if testing.Short() {
		many = 60
	}
	b := emptyBench(t)
	b.formats = []*model.Format{toy}
	dir := t.TempDir()
	all := map[string]func() bool{}
	var before uint64
	for i := range many + 1 {
		path := filepath.Join(dir, fmt.Sprintf("%d.toy", i))
		if err := os.Rename(toyFile(t, uint32(i)), path); err != nil {
			t.Fatal(err)
		}
		all[path] = held(b.open(t, path).Document)
		if i%50 == 0 {
			b.win.Canvas().Capture()
		}
		if i == 0 { // what stays of the first is there once
			before = b.closeAll(t)
		}
	}
	if len(b.docs) != many || len(b.tabs.Items) != many || b.current.Tree().Root.Get("count") == nil {
		t.Fatalf("%d documents, %d tabs", len(b.docs), len(b.tabs.Items))
	}
	after := b.closeAll(t)
	b.forgotten(t, all)
	if grown := int(after) - int(before); grown > many*20_000 { // one that is held takes some 350,000
		t.Errorf("%d bytes stay of %d documents", grown, many)
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil && strings.Contains(string(maps), dir) {
		t.Error("closed files are still mapped")
	}
}

// Whatever was done with documents, nothing holds them once they are closed.
func TestClosedIsForgotten(t *testing.T) {
	b := emptyBench(t)
	all := map[string]func() bool{}
	for i, sample := range testdata.Samples {
		path, err := sample.Copy(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		u := &user{Rand: rand.New(rand.NewSource(int64(i))), b: b, d: b.open(t, path)}
		for range 20 {
			u.act()
			b.settle(t)
			for b.Shell.Modal() {
				b.press(fyne.KeyEscape)
				b.settle(t)
			}
		}
		b.win.Canvas().Capture()
		all[sample.Format] = held(u.d.Document)
	}
	b.forgotten(t, all)
}
