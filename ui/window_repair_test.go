//go:build ci && linux

package ui

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"spandrel/model"
	"spandrel/parsers"
)

// TestRepairInRealWindow goes the whole way of a person with a damaged index, with the keyboard: open it, go to the problem,
// preview the repair, apply it, save; then the file is checked without the window. The pictures stay with -artifacts.
func TestRepairInRealWindow(t *testing.T) {
	dir := t.TempDir()
	program := buildProgram(t, dir)
	if err := os.CopyFS(filepath.Join(dir, "bad"), os.DirFS("../testdata/taridx/bad/022-n-rows")); err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(dir, "bad", "train.taridx")
	problems := func() (ids []string) {
		d, err := model.Open(context.Background(), index, parsers.All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if err := d.Deep(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		for i := range found {
			if found[i].Grade() == model.Error {
				ids = append(ids, found[i].Rule.ID)
			}
		}
		return ids
	}
	if ids := problems(); len(ids) != 1 || ids[0] != "TIX-022" {
		t.Fatalf("before: %v", ids)
	}
	s := newScreen(t, dir)
	s.openAt(program, index)
	s.drawn()
	s.picture("problem") // the worst one is selected
	s.press("ctrl+Return")
	s.settled()
	s.picture("preview")
	s.do("key", "space")
	s.waitFor("search", "--onlyvisible", "--name", "● train.taridx - Spandrel")
	s.picture("applied")
	s.press("ctrl+s")
	s.settled()
	s.picture("save")
	s.do("key", "space")
	if !s.until(func() bool { return len(problems()) == 0 }) {
		s.picture("failed")
		t.Fatalf("after the repair: %v", problems())
	}
	s.picture("saved")
	if list, _ := filepath.Glob(index + ".*.bak"); len(list) != 1 {
		t.Errorf("backups: %v", list)
	}
}
