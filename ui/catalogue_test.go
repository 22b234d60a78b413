package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/ui/bench"
	"spandrel/ui/rows"
)

// A catalogue lists what is below a folder and how well it is, narrows and sorts it, and its rows open. Its tab is closed as any.
func TestCatalogue(t *testing.T) {
	b, first := newWindowBench(t, toyFile(t, 10))
	dir := t.TempDir()
	for name, from := range map[string]string{"good.toy": toyFile(t, 5), "sub/more.toy": toyFile(t, 7)} {
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
		if name == "good.toy" {
			if err := os.WriteFile(filepath.Join(dir, "cut.toy"), content[:len(content)/2], 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.catalogue(dir)
	b.settle(t)
	if len(b.catalogues) != 1 || b.current != nil {
		t.Fatalf("%d catalogues, and the document is still the one that commands are about: %v", len(b.catalogues), b.current != nil)
	}
	if b.status.problem.Visible() || b.status.mode.Visible() {
		t.Errorf("the status bar says %q, %q beside a catalogue", b.status.problem.Text, b.status.mode.Text)
	}
	c := b.catalogues[0]
	if b.Shell.Focused() != fyne.Focusable(c.narrow) {
		t.Error("what is typed does not narrow the list")
	}
	c.narrow.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
	if b.Shell.Focused() != fyne.Focusable(c.View) {
		t.Error("Down does not lead to the list")
	}
	texts := func() (out []string) {
		for i := range c.Count() {
			cells, _ := c.Cells(i)
			out = append(out, filepath.ToSlash(cells[0].Text)+" "+cells[1].Text)
		}
		return out
	}
	if got := strings.Join(texts(), ", "); got != "cut.toy damaged, good.toy warnings, sub/more.toy warnings" {
		t.Fatal(got)
	}
	if c.line.Text != "3 datasets, 1 damaged, 2 with warnings" {
		t.Error(c.line.Text)
	}
	n := func(n int64) *int64 { return &n }
	for _, x := range catalogueColumns {
		if x.Title == "shape" && x.compare(&dataset{Shape: "9 rows", Rows: n(9)}, &dataset{Shape: "10 rows", Rows: n(10)}) >= 0 {
			t.Error("9 rows come after 10")
		}
		if x.Title == "rows" || x.Title == "columns" {
			t.Errorf("%q says what the shape says", x.Title)
		}
	}
	deep := &dataset{Causes: []string{"__fragments/__1700000000000_1700000000000_4a8d4d6137a3435c3081b5f8a55ede42_22/a0.tdb is truncated."}}
	if text := catalogueColumns[len(catalogueColumns)-1].cell(c, deep).Text; text != "…/a0.tdb is truncated." {
		t.Errorf("what is wrong is out of sight: %s", text)
	}
	c.narrow.SetText("Warnings toy")
	c.Press(-1, c.ColumnX(0)+20, rows.Press{}) // by name, and the other way round
	c.Press(-1, c.ColumnX(0)+20, rows.Press{})
	if got := strings.Join(texts(), ", "); got != "sub/more.toy warnings, good.toy warnings" {
		t.Error(got)
	}
	c.choose(1)
	c.narrow.SetText("")
	if c.listed[c.Current].Document != filepath.Join(dir, "good.toy") {
		t.Error("another row is chosen")
	}
	c.Press(0, c.ColumnX(1)+20, rows.Press{Button: desktop.MouseButtonPrimary})
	if b.settle(t); b.current != nil {
		t.Error("a click beside the name opens the dataset")
	}
	c.Press(0, c.ColumnX(0)+20, rows.Press{Button: desktop.MouseButtonPrimary})
	if b.settle(t); b.current == nil || b.current.Model.Path != filepath.Join(dir, "sub", "more.toy") {
		t.Fatal("a click on the name does not open the dataset")
	}
	b.tabs.Select(c.item)
	c.choose(int64(slices.IndexFunc(c.listed, func(d *dataset) bool { return d.Document == filepath.Join(dir, "good.toy") })))
	c.Key(fyne.KeyReturn, 0)
	b.settle(t)
	if b.current == nil || b.current.Model.Path != filepath.Join(dir, "good.toy") {
		t.Fatal("the dataset is not open")
	}
	b.catalogue(dir)
	if b.settle(t); len(b.catalogues) != 1 || b.tabs.Selected() != c.item {
		t.Error("it is not shown again")
	}
	b.Command("close")
	b.settle(t)
	if len(b.catalogues) != 0 || b.current == nil || len(b.docs) != 3 || first.Window.Ended {
		t.Error("more than the catalogue is closed, or nothing is shown instead")
	}
}

// A folder that is no document and has none right in it opens as its catalogue: nothing is asked first.
func TestFolderOpensAsCatalogue(t *testing.T) {
	b := emptyBench(t)
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "below"), os.DirFS(filepath.Dir(bench.CopySample(t, "npy/good/matrix.npy")))); err != nil {
		t.Fatal(err)
	}
	b.files.show(dir)
	b.settle(t)
	if b.Shell.Modal() || len(b.catalogues) != 1 || b.catalogues[0].Count() != 1 {
		t.Errorf("asked: %v; %d catalogues", b.Shell.Modal(), len(b.catalogues))
	}
}
