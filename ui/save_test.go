package ui

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/headless"
)

// Bytes that are saved to the file that they are read from are those that were selected, and not what is left of it then.
func TestSelectionOverItsOwnFile(t *testing.T) {
	path := toyFile(t, 100)
	_, d := newBench(t, path)
	whole, err := os.ReadFile(d.Model.Path)
	if err != nil {
		t.Fatal(err)
	}
	r := model.Range{Space: d.hex.Space, Off: 16, Len: 400}
	write := func(w io.Writer) error { return writeBytes(t.Context(), d.Tree(), r, w, func(_, _ int64) {}) }
	if err := headless.WriteFile(d.Model.Path, d.Model.Path, write); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(d.Model.Path); err != nil || !bytes.Equal(got, whole[16:416]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// Saving takes what is being typed into a cell or a value; what cannot be taken is said, and nothing is asked.
func TestSaveTakesWhatIsTyped(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	d.table.Choose(3, 2)
	b.settle(t)
	d.table.Editor.Begin("77")
	b.menus.run("save")
	b.settle(t)
	if v := d.Tree().Root.Get("rows").Child(3).Child(1); !b.Shell.Modal() || valueOf(t, d, v).Uint() != 77 {
		t.Fatalf("asked %v; the cell is %v", b.Shell.Modal(), valueOf(t, d, v))
	}
	b.press(fyne.KeyEscape)
	d.Sel.Path("rows[4]/size", nil)
	b.settle(t)
	b.menus.run("edit-value")
	b.settle(t)
	d.info.Value.Entry.SetText("78")
	b.menus.run("save")
	b.settle(t)
	if v := d.Tree().Root.Get("rows").Child(4).Child(1); !b.Shell.Modal() || valueOf(t, d, v).Uint() != 78 {
		t.Fatalf("asked %v; the value is %v", b.Shell.Modal(), valueOf(t, d, v))
	}
	b.press(fyne.KeyEscape)
	d.table.Choose(5, 2)
	b.settle(t)
	d.table.Editor.Begin("x")
	b.menus.run("save")
	b.settle(t)
	if b.Shell.Modal() || !strings.Contains(b.Line.Said, "not a value of size") {
		t.Errorf("asked %v; said %q", b.Shell.Modal(), b.Line.Said)
	}
}

func valueOf(t *testing.T, d *tab, s *model.Span) model.Value {
	t.Helper()
	v, err := d.Tree().Value(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Protection data are written for what is on the disk, and a save keeps them up with it.
func TestProtectAndSave(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	par := d.Model.Path + ".par"
	b.menus.run("protect")
	b.settle(t)
	before, err := os.ReadFile(par)
	if err != nil {
		t.Fatal(err)
	}
	d.table.Choose(3, 2)
	b.settle(t)
	d.table.Editor.Begin("77")
	d.take(func() {})
	b.settle(t)
	if b.menus.run("protect"); b.Pending > 0 {
		t.Error("unsaved edits are protected")
	}
	b.saver.save(d, model.SaveOptions{NoBackup: true}, nil)
	b.settle(t)
	if after, err := os.ReadFile(par); err != nil || bytes.Equal(after, before) {
		t.Errorf("the protection data are those of before the save: %v", err)
	}
}
