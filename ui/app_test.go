package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"spandrel/model"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

// next is a workbench that starts where another one ended.
func (b *testBench) next(t testing.TB) *testBench {
	t.Helper()
	n := &testBench{queue: make(chan func(), 1<<16), win: b.win}
	n.Workbench = newWorkbench(b.App, b.formats, func(f func()) { n.queue <- f })
	n.Shell = kit.Silent{Agree: true}
	n.build()
	b.win.SetContent(n.content())
	n.prefs.restore()
	n.settle(t)
	return n
}

// TestRestore drops three files on the window and ends: the next start has two of them, in their order, the same one in front,
// and the splitters where they were. The third is gone.
func TestRestore(t *testing.T) {
	b, first := newWindowBench(t, toyFile(t, 1))
	b.close(first)
	paths := []string{toyFile(t, 2), toyFile(t, 3), toyFile(t, 4)}
	var dropped []fyne.URI
	for _, p := range paths {
		dropped = append(dropped, storage.NewFileURI(p))
	}
	b.files.dropped(fyne.NewPos(0, 0), dropped)
	b.settle(t)
	if len(b.docs) != 3 {
		t.Fatalf("%d tabs of 3 files", len(b.docs))
	}
	b.show(b.docs[1])
	b.current.frame.splits[0].SetOffset(0.4)
	b.prefs.keepOpen()
	if err := os.Remove(paths[0]); err != nil {
		t.Fatal(err)
	}
	n := b.next(t)
	var got []string
	for _, d := range n.docs {
		got = append(got, d.Model.Path)
	}
	if !slices.Equal(got, paths[1:]) || n.current == nil || n.current.Model.Path != paths[1] {
		t.Errorf("restored %v", got)
	}
	if o := n.current.frame.splits[0].Offset; o != 0.4 {
		t.Errorf("splitter at %v", o)
	}
	if r := b.App.Preferences().StringList("recent"); len(r) < 3 || !slices.Contains(r, paths[0]) {
		t.Errorf("recent files: %v", r)
	}
}

// TestDropOfSomethingElse drops what is not a file, and a file that is not there.
func TestDropOfSomethingElse(t *testing.T) {
	b, _ := newWindowBench(t, toyFile(t, 1))
	web, err := storage.ParseURI("https://example.org/x.toy")
	if err != nil {
		t.Fatal(err)
	}
	b.files.dropped(fyne.NewPos(0, 0), []fyne.URI{web, storage.NewFileURI(filepath.Join(t.TempDir(), "missing"))})
	b.settle(t)
	if len(b.docs) != 1 || len(b.Shell.(*kit.WindowShell).Boxes) != 1 {
		t.Errorf("%d tabs, %d dialogs", len(b.docs), len(b.Shell.(*kit.WindowShell).Boxes))
	}
}

// TestPreferencesAreKept changes each choice and looks at a document that is opened by the next start.
func TestPreferencesAreKept(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	t.Setenv("FYNE_SCALE", "1")
	b.menus.run("theme")
	if paint.Look() != paint.Dark {
		t.Error("not dark")
	}
	b.prefs.setBytesARow(32)
	if d.hex.PerRow != 32 {
		t.Error("bytes a row do not change at once")
	}
	for range 3 {
		b.menus.run("zoom-in")
	}
	b.menus.run("zoom-out")
	if got := os.Getenv("FYNE_SCALE"); got != "1.20" {
		t.Errorf("scale %q at 120 %%", got)
	}
	b.prefs.keepOpen()
	b.App.Settings().SetTheme(test.Theme())
	n := b.next(t)
	n.prefs.apply()
	if paint.Look() != paint.Dark || n.current.hex.PerRow != 32 || os.Getenv("FYNE_SCALE") != "1.20" {
		t.Errorf("%s, %d bytes a row, scale %s", paint.Look().Name, n.current.hex.PerRow, os.Getenv("FYNE_SCALE"))
	}
	if o := n.saver.options(); o.NoBackup {
		t.Error("no backup by default")
	}
	n.menus.run("zoom-reset")
	if got := n.App.Preferences().Int(prefZoom); got != 100 {
		t.Errorf("zoom %d", got)
	}
	if paletteNamed("", theme.VariantDark) != paint.Dark || paletteNamed("", theme.VariantLight) != paint.Light || paletteNamed("light", theme.VariantDark) != paint.Light {
		t.Error("the theme is not the system's when none is chosen")
	}
}

// TestLongMessageKeepsTheWidth says something longer than the window is wide.
func TestLongMessageKeepsTheWidth(t *testing.T) {
	b, _ := newWindowBench(t, toyFile(t, 1))
	before := b.win.Content().MinSize().Width
	b.Say(strings.Repeat("a long path / ", 100))
	if after := b.win.Content().MinSize().Width; after != before || after > 1024 {
		t.Errorf("the window was at least %v wide and is now at least %v", before, after)
	}
}

// TestFolderOfFiles opens folders that are no document as a whole.
func TestFolderOfFiles(t *testing.T) {
	b, _ := newWindowBench(t, toyFile(t, 1))
	one := filepath.Dir(toyFile(t, 2))
	if err := os.WriteFile(filepath.Join(one, "._sample.toy"), []byte("\x00\x05\x16\x07"), 0o644); err != nil { // of macOS
		t.Fatal(err)
	}
	b.files.show(one)
	b.settle(t)
	if len(b.docs) != 2 || b.current.TabName() != "sample.toy" || len(b.Shell.(*kit.WindowShell).Boxes) != 0 {
		t.Errorf("%d tabs, %d dialogs", len(b.docs), len(b.Shell.(*kit.WindowShell).Boxes))
	}
	if err := os.Rename(toyFile(t, 3), filepath.Join(one, "another.TOY")); err != nil {
		t.Fatal(err)
	}
	b.close(b.current)
	b.files.show(one)
	b.settle(t)
	if len(b.catalogues) != 1 || len(b.catalogues[0].listed) != 2 {
		t.Fatal("they are not listed")
	}
	b.catalogues[0].open(0)
	b.settle(t)
	if len(b.docs) != 2 || b.current.TabName() != "another.TOY" {
		t.Errorf("%d tabs, %s", len(b.docs), b.current.TabName())
	}
	whole := *toy // it would open the folder, and has another main file there
	whole.Dataset = &model.Dataset{Beside: true, Detect: func(*model.Snapshot) (string, model.Confidence) { return "sample.toy", 90 }}
	b.formats = []*model.Format{&whole}
	b.files.show(one)
	b.settle(t)
	if len(b.Shell.(*kit.WindowShell).Boxes) != 1 || len(b.docs) != 2 {
		t.Errorf("no one is asked which of two main files: %d tabs", len(b.docs))
	}
}

// A checkpoint is opened as a whole: its shards are parts of it, and no one is asked which is meant.
func TestCheckpointFolder(t *testing.T) {
	b, d := sampleBench(t, "safetensors/good/checkpoint")
	if b.Shell.Modal() || d.Model.Tree.Snapshot.Primary != "model.safetensors.index.json" {
		t.Errorf("asked: %v; the main file: %s", b.Shell.Modal(), d.Model.Tree.Snapshot.Primary)
	}
}

// A document that comes in sight after the colours were changed is given them: Fyne gives them only to what is in the window then. One that
// has them already costs nothing.
func TestColoursOfWhatWasOutOfSight(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	other := b.open(t, toyFile(t, 2))
	b.menus.run("theme")
	b.settle(t)
	given := 0
	b.App.Settings().AddListener(func(fyne.Settings) { given++ })
	show := func(d *tab) int {
		before := given
		b.show(d)
		b.settle(t)
		return given - before
	}
	if n := show(d); n != 1 {
		t.Errorf("what was out of sight is given the colours %d times", n)
	}
	if n := show(other) + show(d); n != 0 {
		t.Errorf("what has the colours is given them %d times", n)
	}
}
