package ui

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// Commands that wait for another program, or end this one.
var leaving = []string{"open", "open-folder", "save-bytes", "salvage", "export", "import", "report", "slice", "quit", "close", "close-others"}

// keyCanvas has shortcuts, as the canvas of a window has.
type keyCanvas struct {
	fyne.Canvas
	keys *fyne.ShortcutHandler
}

func (c keyCanvas) AddShortcut(s fyne.Shortcut, f func(fyne.Shortcut)) { c.keys.AddShortcut(s, f) }

// Every command is run by its keys, and by its name, with documents in every state: one that cannot be done does nothing.
func TestEveryKeyInEveryState(t *testing.T) {
	for _, s := range []struct {
		name, sample string // "": no document
		unlocked     bool
	}{{"no document", "", false}, {"unknown file", "unknown", false}, {"unknown file, unlocked", "unknown", true}, {"no table", "tiledb/good/metadata.tdb", true},
		{"locked", "safetensors/good/" + anySample(t, "safetensors/good"), false}, {"unlocked", "npy/good/" + anySample(t, "npy/good"), true},
		{"damaged", "taridx/bad/022-n-rows", true}} {
		t.Run(s.name, func(t *testing.T) {
			b := emptyBench(t)
			b.menus.bar()
			keys := &fyne.ShortcutHandler{}
			b.menus.addShortcuts(keyCanvas{b.win.Canvas(), keys})
			path := filepath.Join(t.TempDir(), "unknown")
			if s.sample == "unknown" {
				if err := os.WriteFile(path, []byte("\x00\x01 nothing that is known \xff\xfe"), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if s.sample != "" {
				path = bench.CopySample(t, s.sample)
			}
			for _, c := range b.menus.commands {
				if c.name == "" || slices.Contains(leaving, c.name) {
					continue
				}
				if s.sample != "" {
					b.open(t, path).Editor.SetLocked(!s.unlocked)
				}
				t.Log(c.name)
				for _, k := range append([]chord{{c.key, c.mod}}, c.also...) {
					switch {
					case k.key == "":
						b.menus.run(c.name)
					case k.mod&^shift == 0:
						c.invoke(b.Workbench)
						b.menus.typedKey(&fyne.KeyEvent{Name: k.key})
					default:
						keys.TypedShortcut(k.shortcut())
					}
					b.settle(t)
					for range 3 {
						if b.Shell.Modal() {
							b.menus.typedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
							b.settle(t)
						}
					}
					for o := b.win.Canvas().Overlays().Top(); o != nil; o = b.win.Canvas().Overlays().Top() {
						b.win.Canvas().Overlays().Remove(o)
					}
				}
			}
		})
	}
}

func anySample(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir("../testdata/" + dir)
	at := slices.IndexFunc(list, func(e os.DirEntry) bool { return !e.IsDir() && filepath.Ext(e.Name()) != ".tree" })
	if err != nil || at < 0 {
		t.Fatal("no sample:", err)
	}
	return list[at].Name()
}

// A command that cannot do anything now says so, and is not begun.
func TestCommandRunsOnlyWhenItCan(t *testing.T) {
	b, _ := newWindowBench(t, toyFile(t, 1))
	can, did := false, 0
	c := &command{name: "test", label: "Do it…", run: func(*tab) { did++ }, can: func(*tab) bool { return can }}
	c.invoke(b.Workbench)
	if did != 0 || b.Line.Said != "“Do it” is not available now" {
		t.Errorf("done %d times, said %q", did, b.Line.Said)
	}
	if b.menus.run("save"); b.Line.Said != "There is nothing to save" {
		t.Errorf("said %q", b.Line.Said)
	}
	b.open(t, bench.CopySample(t, "npy/good/matrix.npy"))
	if b.menus.run("fix-all"); b.Line.Said != "There is nothing to repair" {
		t.Errorf("said %q", b.Line.Said)
	}
	can = true
	if c.invoke(b.Workbench); did != 1 {
		t.Errorf("done %d times", did)
	}
}

// broken are rows that cannot be touched.
type broken struct{ rows.Rows }

func (broken) Hover(int64, float32)                    { panic("hover") }
func (broken) Press(int64, float32, rows.Press)        { panic("press") }
func (broken) Key(fyne.KeyName, fyne.KeyModifier) bool { panic("key") }
func (broken) Typed(rune)                              { panic("typed") }
func (broken) Show(int64, int64)                       { panic("show") }

// brokenPane cannot be told of a change.
type brokenPane struct{}

func (brokenPane) Selected(doc.Selection) {}
func (brokenPane) Hovered(model.Range)    {}
func (brokenPane) Changed()               { panic("changed") }

// A defect costs the action that it is in: it is logged and told once, and what is open stays, with its edits.
func TestDefectEndsItsActionAlone(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	records, log := t.TempDir(), filepath.Join(t.TempDir(), "new", "defects.log")
	var also bytes.Buffer
	b.saver.recorder.Records, b.defects.log, b.defects.also = records, log, &also
	guard.Told = b.defects.caught
	t.Cleanup(func() { guard.Told = nil })
	told := func(name, want string, f func()) {
		t.Helper()
		b.Say("")
		f()
		b.settle(t)
		if said := b.Line.Said; !strings.HasPrefix(said, "Internal error in: ") || !strings.Contains(said, log) || b.Shell.Modal() {
			t.Errorf("%s: said %q", name, said)
		}
		if raw, _ := os.ReadFile(log); !strings.Contains(string(raw), want) || !strings.Contains(string(raw), "defects_test.go") || !strings.Contains(also.String(), want) {
			t.Errorf("%s: the log has no %q with its trace", name, want)
		}
		for b.Shell.Modal() {
			b.menus.typedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		}
	}
	told("a command", "in a command", func() { (&command{label: "Fail", run: func(*tab) { panic("in a command") }}).invoke(b.Workbench) })
	told("a button", "in a button", func() { kit.NewButton(b.Host, "Fail", func() { panic("in a button") }).Tapped(nil) })
	told("a posted function", "when posted", func() { b.Post(func() { panic("when posted") }) })
	e := kit.NewEntry(b.Host)
	e.OnChanged = func(string) { panic("when typed") }
	told("an entry", "when typed", func() { e.TypedRune('x') })
	view := d.hex.View
	whole := view.Rows
	view.Rows = broken{whole}
	told("a key of a pane", "key", func() { view.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown}) })
	told("a letter", "typed", func() { view.TypedRune('x') })
	told("the pointer", "hover", func() { view.MouseOut() })
	view.Rows = whole

	failed := 0
	b.Submit(model.Job{Title: "failing", Run: func(context.Context, func(done, total int64)) (any, error) { panic("in a worker") },
		Done: func(_ any, err error) { failed++ }})
	b.settle(t)
	if raw, _ := os.ReadFile(log); failed != 1 || !strings.Contains(string(raw), "failing: in a worker") {
		t.Errorf("the job's owner was told %d times; the log: %.200s", failed, raw)
	}

	// A pane that fails keeps neither the others from being told, nor the edit from being made, recorded, undone and saved.
	d.Panes = append([]doc.Pane{brokenPane{}}, d.Panes...)
	d.Editor.SetLocked(false)
	field := func() (*model.Span, uint64) {
		t.Helper()
		span, err := d.Tree().Find(t.Context(), "rows[3]/size")
		if err != nil {
			t.Fatal(err)
		}
		v, err := d.Tree().Value(t.Context(), span)
		if err != nil {
			t.Fatal(err)
		}
		return span, v.Uint()
	}
	for _, v := range []uint64{7, 8} {
		span, _ := field()
		d.Editor.SetValue(span, model.U(v), nil)
		b.settle(t)
		if _, now := field(); now != v || !d.Editor.Dirty || d.Editor.Busy {
			t.Fatalf("%d instead of %d, dirty %v, busy %v", now, v, d.Editor.Dirty, d.Editor.Busy)
		}
	}
	if list, _ := os.ReadDir(records); len(list) == 0 {
		t.Error("the unsaved edits are not recorded")
	}
	d.Editor.Undo()
	b.settle(t)
	if _, now := field(); now != 30 || d.Editor.Busy { // edits of one field within a second are one step
		t.Errorf("%d after undo, busy %v", now, d.Editor.Busy)
	}
	for b.Shell.Modal() {
		b.menus.typedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	}
}
