package ui

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// Bytes that are saved to the file that they are read from are those that were selected, and not what is left of it then.
func TestSelectionOverItsOwnFile(t *testing.T) {
	path := toyFile(t, 100)
	_, d := newBench(t, path)
	whole, err := os.ReadFile(d.Model.Path)
	if err != nil {
		t.Fatal(err)
	}
	r := model.Range{Space: d.hex.space, Off: 16, Len: 400}
	if err := writeBytes(t.Context(), d.Tree(), r, d.Model.Path, d.Model.Path, func(_, _ int64) {}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(d.Model.Path); err != nil || !bytes.Equal(got, whole[16:416]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// Saving takes what is being typed into a cell or a value; what cannot be taken is said, and nothing is asked.
func TestSaveTakesWhatIsTyped(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	d.table.choose(3, 2)
	b.settle(t)
	d.table.editor.begin("77")
	b.menus.run("save")
	b.settle(t)
	if v := d.Tree().Root.Get("rows").Child(3).Child(1); !b.shell.modal() || valueOf(t, d, v).Uint() != 77 {
		t.Fatalf("asked %v; the cell is %v", b.shell.modal(), valueOf(t, d, v))
	}
	b.press(fyne.KeyEscape)
	d.sel.path("rows[4]/size", nil)
	b.settle(t)
	b.menus.run("edit-value")
	b.settle(t)
	d.info.value.entry.SetText("78")
	b.menus.run("save")
	b.settle(t)
	if v := d.Tree().Root.Get("rows").Child(4).Child(1); !b.shell.modal() || valueOf(t, d, v).Uint() != 78 {
		t.Fatalf("asked %v; the value is %v", b.shell.modal(), valueOf(t, d, v))
	}
	b.press(fyne.KeyEscape)
	d.table.choose(5, 2)
	b.settle(t)
	d.table.editor.begin("x")
	b.menus.run("save")
	b.settle(t)
	if b.shell.modal() || !strings.Contains(b.line.said, "no value of size") {
		t.Errorf("asked %v; said %q", b.shell.modal(), b.line.said)
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
