package ui

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/ui/doc"
)

// matrixWith is a copy of a matrix of 2 × 3 numbers in which some, by their places, have other values.
func matrixWith(t *testing.T, name string, values map[int]float32) string {
	t.Helper()
	raw, err := os.ReadFile("../testdata/npy/good/matrix.npy")
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		binary.LittleEndian.PutUint32(raw[len(raw)-24+4*i:], math.Float32bits(v))
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The changes of another document are added as one step; what both changed is listed, and taken as another.
func TestMergeInTheWindow(t *testing.T) {
	b := emptyBench(t)
	d := b.open(t, matrixWith(t, "mine.npy", map[int]float32{0: 10, 5: 50}))
	base := b.open(t, matrixWith(t, "base.npy", nil))
	theirs := b.open(t, matrixWith(t, "theirs.npy", map[int]float32{1: 11, 5: 55}))
	values := func() string {
		t.Helper()
		r := d.Tree().Root.Range
		raw, err := d.Tree().Bytes(t.Context(), model.Range{Space: r.Space, Off: r.Len - 24, Len: 24})
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for i := 0; i < 24; i += 4 {
			out += " " + fmt.Sprint(math.Float32frombits(binary.LittleEndian.Uint32(raw[i:])))
		}
		return out
	}
	before := values()
	b.show(d)
	d.find.Merge(base.Document, theirs.Document)
	b.settle(t)
	now := strings.Fields(values())
	if now[0] != "10" || now[1] != "11" || now[5] != "50" {
		t.Fatalf("%s became %v", before, now)
	}
	if d.find.Count() != 1 || d.find.Columns[1].Title != "base.npy (base)" {
		t.Fatalf("%d conflicts: %v", d.find.Count(), d.find.Columns)
	}
	if label := d.find.Menu(0, 0).Items[0].Label; label != "Use the value of theirs.npy" {
		t.Error(label)
	}
	d.find.Take(0)
	b.settle(t)
	if now := strings.Fields(values()); now[5] != "55" || d.find.Count() != 0 {
		t.Errorf("%v, %d conflicts are left", now, d.find.Count())
	}
	d.Editor.Undo()
	b.settle(t)
	d.Editor.Undo()
	b.settle(t)
	if values() != before || d.Editor.Dirty {
		t.Errorf("after two steps back it is %s", values())
	}
}

// Files that only one of two folders has are taken from it, or removed, with what they are in; and a value is given to the other document.
func TestTakeFiles(t *testing.T) {
	whole, less := t.TempDir(), t.TempDir()
	for _, dir := range []string{whole, less} {
		if err := os.CopyFS(dir, os.DirFS("../testdata/tiledb/good/consolidated-v22")); err != nil {
			t.Fatal(err)
		}
	}
	commits, err := filepath.Glob(filepath.Join(less, "__commits", "*.wrt"))
	if err != nil || len(commits) == 0 {
		t.Fatal(commits, err)
	}
	name := strings.TrimSuffix(filepath.Base(commits[0]), ".wrt")
	if err := os.RemoveAll(filepath.Join(less, "__fragments", name)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(commits[0]); err != nil {
		t.Fatal(err)
	}
	b := emptyBench(t)
	d, other := b.open(t, less), b.open(t, whole)
	filesOf := func(d *tab) []string {
		list, err := d.Tree().Snapshot.Files()
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	b.show(d)
	d.find.Compare(other.Document, true)
	b.settle(t)
	for range d.find.Count() {
		row := slices.IndexFunc(d.find.Items, func(p doc.Place) bool { return strings.Contains(p.Cells[0].Text, name) })
		if row < 0 {
			break
		}
		if label := d.find.Menu(int64(row), 0).Items[0].Label; !strings.HasPrefix(label, "Copy from ") {
			t.Error(label)
		}
		if d.find.Items[row].Cells[2].Text != "not there" || d.find.Items[row].Cells[3].Text != "is there" {
			t.Errorf("%v", d.find.Items[row].Cells)
		}
		d.find.Take(int64(row))
		b.settle(t)
	}
	if got, want := filesOf(d), filesOf(other); !slices.Equal(got, want) {
		t.Errorf("%v\nnot\n%v", got, want)
	}
	b.show(other)
	d.Editor.Undo()
	d.Editor.Undo()
	b.settle(t)
	other.find.Compare(d.Document, true)
	b.settle(t)
	row := slices.IndexFunc(other.find.Items, func(p doc.Place) bool { return strings.HasPrefix(p.Cells[0].Text, "fragments/") })
	if row < 0 {
		t.Fatalf("%v", other.find.Items)
	}
	other.find.Take(int64(row))
	b.settle(t)
	if slices.ContainsFunc(filesOf(other), func(f string) bool { return strings.HasPrefix(f, "__fragments/"+name) }) {
		t.Error("the files of a fragment that the other does not have are still there")
	}
}

// The value here is given to the other document.
func TestGiveThisValue(t *testing.T) {
	b := emptyBench(t)
	d := b.open(t, matrixWith(t, "mine.npy", map[int]float32{4: 44}))
	other := b.open(t, matrixWith(t, "other.npy", nil))
	b.show(d)
	d.find.Compare(other.Document, true)
	b.settle(t)
	if d.find.Count() != 1 || d.find.Menu(0, 0).Items[1].Label != "Use this value in other.npy" {
		t.Fatalf("%d differences", d.find.Count())
	}
	d.find.Give(0)
	b.settle(t)
	if !other.Editor.Dirty || d.Editor.Dirty || d.find.Count() != 0 {
		t.Errorf("edited: %v and %v; %d differences", other.Editor.Dirty, d.Editor.Dirty, d.find.Count())
	}
	d.find.Compare(other.Document, true)
	b.settle(t)
	if d.find.Count() != 0 {
		t.Errorf("%v", d.find.Items)
	}
}

// An edit is undone and the later ones stay, also of the same compressed block; not if a later one changed the same cell.
func TestUndoOneEdit(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	d.Editor.SetLocked(false)
	set := func(row int64, text string) {
		t.Helper()
		d.table.Choose(row, 2)
		b.settle(t)
		d.table.SetCell(d.Sel.Now.Cell, text, func(err error) {
			if err != nil {
				t.Error(err)
			}
		})
		b.settle(t)
	}
	cell := func(row int64) string {
		cells, _ := d.table.Row(row)
		return cells[2].Text
	}
	was := cell(0)
	set(0, "7")
	set(1, "8")
	set(1, "9")
	pick := func(row int64) {
		t.Helper()
		m := d.changes.Menu(row, 0)
		if m == nil || m.Items[0].Label != "Undo this edit only" {
			t.Fatalf("%+v", m)
		}
		m.Items[0].Action()
		b.settle(t)
	}
	pick(1) // a later edit set the same cell
	if cell(1) != "9" {
		t.Errorf("row 1 is %s", cell(1))
	}
	pick(2)
	if cell(0) != was || cell(1) != "9" {
		t.Errorf("row 0 is %s, not %s; row 1 is %s", cell(0), was, cell(1))
	}
	d.Editor.Undo()
	b.settle(t)
	if cell(0) != "7" {
		t.Errorf("after Undo row 0 is %s", cell(0))
	}
}

// To compare with, documents of the same format are offered first.
func TestLikeDocumentsFirst(t *testing.T) {
	b := emptyBench(t)
	b.open(t, "../testdata/idv/good/stored.idv")
	alike := b.open(t, matrixWith(t, "a.npy", nil))
	d := b.open(t, matrixWith(t, "b.npy", nil))
	if like, rest := b.others(d); len(like) != 1 || like[0] != alike || len(rest) != 1 {
		t.Errorf("%v and %v", like, rest)
	}
}
