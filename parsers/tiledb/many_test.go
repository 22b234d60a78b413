package tiledb

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"spandrel/model"
)

// sampleMany is a sample array with n fragments more. damage may change the files of one.
func sampleMany(n int, damage func(i int, name string, b []byte) []byte) map[string][]byte {
	sample := sampleArray(23, true)
	files := maps.Clone(sample)
	fragment := ""
	for name := range sample {
		if dir, in, _ := strings.Cut(name, "/"); dir == "__fragments" {
			fragment, _, _ = strings.Cut(in, "/")
		}
	}
	for i := range n {
		other := fmt.Sprintf("__%d_%d_%032x_23", 1700000000001+i, 1700000000001+i, i)
		for name, b := range sample {
			if strings.Contains(name, fragment) {
				files[strings.Replace(name, fragment, other, 1)] = damage(i, name, b)
			}
		}
	}
	return files
}

func sampleSound(_ int, _ string, b []byte) []byte { return b }

// A deep check finds what is wrong in some of many fragments, at its place, and leaves nothing of the others in the tree. When
// very many are damaged, the folders of the last ones say what is wrong in them.
func TestTDBDeepMany(t *testing.T) {
	ctx := context.Background()
	cut := func(first, step int) func(i int, name string, b []byte) []byte {
		return func(i int, name string, b []byte) []byte {
			if i >= first && i%step == 0 && strings.HasSuffix(name, "/a0.tdb") {
				return b[:len(b)-1]
			}
			return b
		}
	}
	d := open(t, writeFiles(t, t.TempDir(), sampleMany(50, cut(20, 10))))
	if err := d.Deep(ctx, nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	places := map[string]bool{}
	for _, f := range found {
		places[f.Path()] = true
	}
	frags := d.Tree.Root.Get("fragments")
	for i := range 50 {
		name := fmt.Sprintf("__%d_%d_%032x_23", 1700000000001+i, 1700000000001+i, i)
		bad := i >= 20 && i%10 == 0
		if places["fragments/"+name+"/a0.tdb"] != bad {
			t.Errorf("fragment %d: damaged %v, findings at %v", i, bad, places)
		}
		if frags.Get(name).Ready() != bad {
			t.Errorf("fragment %d: damaged %v, in the tree %v", i, bad, frags.Get(name).Ready())
		}
	}
	before := len(d.Tree.Spaces())
	if err := d.Tree.Walk(ctx, frags, 1<<20); err != nil {
		t.Fatal(err)
	}
	if again, _ := d.Tree.Findings(); len(again) != len(found) || len(d.Tree.Spaces()) > before+200 {
		t.Errorf("a walk behind the check finds %d, not %d, and makes %d spaces", len(again), len(found), len(d.Tree.Spaces())-before)
	}

	d = open(t, writeFiles(t, t.TempDir(), sampleMany(mostBad+5, cut(0, 1))))
	if err := d.Deep(ctx, nil); err != nil {
		t.Fatal(err)
	}
	found, _ = d.Tree.Findings()
	folders := 0
	for _, f := range found {
		if strings.Count(f.Path(), "/") == 1 {
			if folders++; !strings.Contains(f.Text(), "/a0.tdb") {
				t.Errorf("%s: %s", f.Path(), f.Text())
			}
		}
	}
	if kinds := len(found) / (mostBad + 5); kinds == 0 || folders != 5*kinds {
		t.Errorf("%d of %d findings are at folders", folders, len(found))
	}
}

// The cells of very many fragments are all read, and only so many fragments become part of the tree: cells of the others have values, and
// no place.
func TestTDBTableOfMany(t *testing.T) {
	ctx := context.Background()
	d := open(t, writeFiles(t, t.TempDir(), sampleMany(mostPlaced+20, sampleSound)))
	x := readTable(t, d, "stored")
	if want := int64(mostPlaced+21) * 10; x.Rows != want {
		t.Fatalf("%d rows, not %d", x.Rows, want)
	}
	placed := 0
	for at := int64(0); at < x.Rows; {
		rows, err := x.Read(ctx, at, 777)
		if err != nil || len(rows) == 0 {
			t.Fatal(at, len(rows), err)
		}
		for i, r := range rows {
			if got, want := r[0].Value.Int(), (at+int64(i))%10+1; got != want {
				t.Fatalf("row %d: coordinate %d, not %d", at+int64(i), got, want)
			}
			if r[0].Range.Len > 0 {
				placed++
			}
		}
		at += int64(len(rows))
	}
	if placed != mostPlaced*10 || d.Tree.State.(*doc).array("").placed != mostPlaced {
		t.Errorf("%d cells have a place", placed)
	}
	if _, err := x.Set(ctx, []model.Typed{{Row: x.Rows - 1, Column: 1, Text: "7"}}); err != nil {
		t.Errorf("a cell without a place cannot be edited: %v", err)
	}
}

// Files of metadata are checked apart too: a damaged one is found, at its place.
func TestTDBDeepMetadata(t *testing.T) {
	files := sampleArray(23, false)
	for i := range 20 {
		payload := new(byteWriter).text("key").put(byte(0), byte(5), uint32(1), int8(i)).Bytes()
		if i == 7 {
			payload = payload[:len(payload)-1]
		}
		files[fmt.Sprintf("__meta/__%d_%d_%032x", 1700000000001+i, 1700000000001+i, i)] = sampleTile(23, payload)
	}
	d := open(t, writeFiles(t, t.TempDir(), files))
	if err := d.Deep(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	group := d.Tree.Root.Get("metadata")
	for i := range group.Count() {
		if file := group.Child(i); file.Ready() != (i == 7) {
			t.Errorf("%s is in the tree: %v", file.Path(), file.Ready())
		}
	}
	if found := damageIn(d.Tree); len(found) != 1 || !strings.HasPrefix(found[0].Path(), group.Child(7).Path()+"/") {
		t.Errorf("%+v", found)
	}
}

// countdown is a context that is cancelled when someone has asked it so often.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A check that is cancelled, wherever it is, ends with an error and finds nothing.
func TestTDBDeepCancelled(t *testing.T) {
	d := open(t, writeFiles(t, t.TempDir(), sampleMany(2, sampleSound)))
	for left := int64(0); ; left += 9 {
		ctx := &countdown{Context: context.Background()}
		ctx.left.Store(left)
		tree := model.Parse(context.Background(), d.Tree.Snapshot, d.Format)
		err := d.DeepOn(ctx, tree, nil)
		if found := damageIn(tree); len(found) > 0 {
			t.Fatalf("after %d questions: %s %s", left, found[0].Rule.ID, found[0].Text())
		}
		if err == nil {
			if left < 100 {
				t.Errorf("the context was asked %d times", left)
			}
			return
		}
	}
}

// Opening and listing an array of ten thousand fragments, and its tables with the number of their rows.
func BenchmarkTDBManyFragments(b *testing.B) {
	const n = 10_000
	dir := writeFiles(b, b.TempDir(), sampleMany(n, sampleSound))
	for b.Loop() {
		reportHeap(b, func() *model.Document {
			d := open(b, dir)
			span, err := d.Tree.Find(context.Background(), "fragments")
			if err != nil || span.Count() != n+1 {
				b.Fatal(err, span.Count())
			}
			if rows := readTable(b, d, "cells").Rows; rows != 10*(n+1) {
				b.Fatal(rows, "rows")
			}
			return d
		})
	}
}

// Checking everything in an array of ten thousand fragments.
func BenchmarkTDBDeepMany(b *testing.B) {
	dir := writeFiles(b, b.TempDir(), sampleMany(10_000, sampleSound))
	for b.Loop() {
		reportHeap(b, func() *model.Document {
			d := open(b, dir)
			if err := d.Deep(context.Background(), nil); err != nil {
				b.Fatal(err)
			}
			return d
		})
	}
}

// reportHeap reports how much memory is in use when work is done, with the document that it leaves.
func reportHeap(b *testing.B, work func() *model.Document) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	d := work()
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric((float64(after.HeapInuse)-float64(before.HeapInuse))/(1<<20), "MB-in-use/op")
	runtime.KeepAlive(d)
}

// What a salvage says of the values that no checksum covers counts those of all fragments, whether they are part of the tree or not.
func TestSalvageOfMany(t *testing.T) {
	unvouched := func(n int) int64 {
		s, err := model.Salvage(t.Context(), open(t, writeFiles(t, t.TempDir(), sampleMany(n, sampleSound))).Tree)
		if err != nil || !s.Valid() {
			t.Fatalf("%d: %v, %v", n, s, err)
		}
		return s.Unvouched
	}
	first := unvouched(1)
	each := unvouched(2) - first
	if many := unvouched(3 * mostLoaded); each <= 0 || many != first+(3*mostLoaded-1)*each {
		t.Errorf("%d bytes of the first, %d of each more, %d of %d more", first, each, many, 3*mostLoaded)
	}
}
