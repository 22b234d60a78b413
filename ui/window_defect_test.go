//go:build ci && linux

package ui

import (
	"bytes"
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// faulty is a build of the program with faults: old text by new text of files, given to the compiler in place of the files.
func faulty(t *testing.T, dir string, faults map[string][2]string) string {
	t.Helper()
	replace := map[string]string{}
	for file, fault := range faults {
		raw, err := os.ReadFile(file)
		if err != nil || strings.Count(string(raw), fault[0]) != 1 {
			t.Fatalf("%s has no place for its fault (%v)", file, err)
		}
		from, err := filepath.Abs(file)
		to := filepath.Join(dir, filepath.Base(file))
		if err != nil || os.WriteFile(to, []byte(strings.Replace(string(raw), fault[0], fault[1], 1)), 0o600) != nil {
			t.Fatal(err)
		}
		replace[from] = to
	}
	overlay := filepath.Join(dir, "overlay.json")
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil || os.WriteFile(overlay, raw, 0o600) != nil {
		t.Fatal(err)
	}
	return buildProgram(t, dir, "-overlay", overlay)
}

// TestDefectInRealWindow builds the program with a panic in a function that Fyne calls on an event and with one in a layout, which its loop calls
// when the window has another size. The window goes on after both, and both are logged.
func TestDefectInRealWindow(t *testing.T) {
	dir := t.TempDir()
	program := faulty(t, dir, map[string][2]string{
		"rows/input.go": {"MouseUp(*desktop.MouseEvent) { v.release() }", "MouseUp(*desktop.MouseEvent) { panic(\"sick on an event\") }"},
		"placing.go":    {"size fyne.Size) {\n\tif narrow :=", "size fyne.Size) {\n\tif size.Width < 1300 {\n\t\tpanic(\"sick when laid out\")\n\t}\n\tif narrow :="},
	})
	sample := filepath.Join(dir, "sample.bin")
	if err := os.WriteFile(sample, bytes.Repeat([]byte("spandrel"), 100_000), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, dir)
	id := s.openAt(program, sample)
	s.drawn()
	log := filepath.Join(dir, ".config", "fyne", appID, "defects.log")
	logged := func(what string) func() bool {
		return func() bool {
			raw, _ := os.ReadFile(log)
			return strings.Contains(string(raw), what)
		}
	}
	s.do("mousemove", "--window", id, "700", "300")
	s.do("click", "1")
	if !s.until(logged("sick on an event")) {
		t.Fatal("the defect on an event is not logged")
	}
	s.do("windowsize", id, "1200", "900")
	if !s.until(logged("sick when laid out")) {
		t.Fatal("the defect in the layout is not logged")
	}
	s.do("windowsize", id, "1400", "900")
	before := s.settled()
	s.do("key", "ctrl+End")
	if !s.until(func() bool { return !equal(before, s.picture("end"), image.Rect(360, 0, 1150, 600)) }) {
		t.Error("the window does not go on: Ctrl+End does not scroll")
	}
}
