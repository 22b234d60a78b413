package ui

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/kit"
)

// A dialog that asks for a file can show what is known, each format by its name with its endings, or every file, whatever its name.
func TestKindsOfFiles(t *testing.T) {
	var labels []string
	kinds := kindsOf([]*model.Format{{Title: "One", Exts: []string{".a"}, Inside: []string{".b"}}, {Title: "Folders"}, {Title: "Two", Exts: []string{".c"}}})
	for _, k := range kinds {
		labels = append(labels, k.Label())
	}
	want := []string{"All known files (*.a, *.b, *.c)", "One (*.a, *.b)", "Two (*.c)", "All files"}
	if !slices.Equal(labels, want) {
		t.Errorf("kinds are %q, not %q", labels, want)
	}
	if all := kinds[len(kinds)-1]; len(all.Exts) != 0 {
		t.Errorf("all files are those that end in %q", all.Exts)
	}
}

// What a dialog asks for begins like a sentence.
func TestHintsAreSentences(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	d.Editor.Unlock()
	for _, ask := range []func(*tab){b.askGoTo, b.askRange, b.askRow, b.askFill, func(d *tab) { d.Marks.Toggle(); b.askMark(d) }} {
		ask(d)
		eachVisible(b.win.Canvas().Overlays().Top(), func(o fyne.CanvasObject) {
			if l, ok := o.(*widget.Label); ok && l.Text != "" && unicode.IsLower([]rune(l.Text)[0]) {
				t.Errorf("it says %q", l.Text)
			}
		})
		b.press(fyne.KeyEscape)
	}
}

// TestRefusedTogether opens several files that do not exist: one dialog tells of all, and one key closes it.
func TestRefusedTogether(t *testing.T) {
	b, _ := newWindowBench(t, toyFile(t, 10))
	dir := t.TempDir()
	b.files.all([]string{filepath.Join(dir, "a.toy"), filepath.Join(dir, "b.toy"), filepath.Join(dir, "c.toy")})
	b.settle(t)
	boxes := b.Shell.(*kit.WindowShell).Boxes
	if len(boxes) != 1 {
		t.Fatalf("%d dialogs", len(boxes))
	}
	text := ""
	for _, o := range test.LaidOutObjects(b.win.Canvas().Overlays().Top()) {
		if l, ok := o.(*widget.Label); ok {
			text += l.Text + "\n"
		}
	}
	for _, name := range []string{"a.toy", "b.toy", "c.toy"} {
		if !strings.Contains(text, name) {
			t.Errorf("nothing about %s in %q", name, text)
		}
	}
	b.press(fyne.KeyEscape)
	if b.Shell.Modal() {
		t.Error("a dialog is still open")
	}
}
