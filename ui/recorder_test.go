package ui

import (
	"os"
	"testing"

	"spandrel/model"
)

// Unsaved edits are written by a worker, at once and then joined to one write a second; none is lost when the program ends, and
// none is left when they are discarded.
func TestRecorder(t *testing.T) {
	b, d := newBench(t, toyFile(t, 3))
	dir := t.TempDir()
	b.saver.recorder.Records = dir
	var later []func()
	b.saver.recorder.Second = func(f func()) { later = append(later, f) }
	edit := func(n uint64) {
		d.Editor.Edit("set", "", []model.Edit{model.Set{Path: "rows[0]/id", Value: model.U(n)}}, nil)
		b.settle(t)
	}
	recorded := func() uint64 {
		t.Helper()
		list := model.Recoveries(dir)
		if len(list) != 1 {
			t.Fatalf("%d records", len(list))
		}
		again, err := model.Open(t.Context(), d.Model.Path, []*model.Format{toy}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if err := again.Recover(t.Context(), &list[0]); err != nil {
			t.Fatal(err)
		}
		s, err := again.Tree.Find(t.Context(), "rows[0]/id")
		if err != nil {
			t.Fatal(err)
		}
		v, err := again.Tree.Value(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return v.Uint()
	}
	d.Editor.SetLocked(false)
	edit(1001)
	if got := recorded(); got != 1001 || len(later) != 1 {
		t.Fatalf("the first edit: %d, %d waits", got, len(later))
	}
	edit(1002)
	edit(1003)
	if got := recorded(); got != 1001 || len(later) != 1 {
		t.Errorf("within the second: %d, %d waits", got, len(later))
	}
	later[0]()
	b.settle(t)
	if got := recorded(); got != 1003 || len(later) != 2 {
		t.Errorf("after the second: %d, %d waits", got, len(later))
	}
	edit(1004)
	b.saver.recorder.Flush()
	if got := recorded(); got != 1004 {
		t.Errorf("at the end: %d", got)
	}
	edit(1005)
	stale := d.Model.Recording()
	b.saver.forget(d)
	if err := stale.Write(dir); err != nil {
		t.Error(err)
	}
	later[1]()
	b.settle(t)
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
}
