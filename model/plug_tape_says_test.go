package model

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// found are the contents that a file may have after a power cut, the last of them when the program had said that it is done.
func found(t *testing.T, do func(p *tape, dir string)) (before, done []string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := tapeOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	do(p, dir)
	p.Say()
	all := [2]map[string]bool{{}, {}}
	for s := range p.States() {
		at := t.TempDir()
		if err := s.Put(at); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(at, "file"))
		if err != nil {
			b = []byte("none")
		}
		all[s.Said][string(b)] = true
	}
	return slices.Sorted(maps.Keys(all[0])), slices.Sorted(maps.Keys(all[1]))
}

// A new file takes the place of an old one: what may be there depends on what was synced, and when.
func TestStates(t *testing.T) {
	for name, c := range map[string]struct {
		file, folder bool // synced
		before, done []string
	}{
		"neither": {false, false, []string{"", "\x00\x00\x00", "\x00ew", "n", "new", "old"}, []string{"", "\x00\x00\x00", "\x00ew", "n", "new", "old"}},
		"file":    {true, false, []string{"new", "old"}, []string{"new", "old"}},
		"folder":  {false, true, []string{"", "\x00\x00\x00", "\x00ew", "n", "new", "old"}, []string{"", "\x00\x00\x00", "\x00ew", "n", "new"}},
		"both":    {true, true, []string{"new", "old"}, []string{"new"}},
	} {
		before, done := found(t, func(p *tape, dir string) {
			temp := filepath.Join(dir, "temp")
			p.New(temp, 0o600)
			p.Write(p.Find(temp), []byte("new"), 0)
			if c.file {
				p.Sync(p.Find(temp))
			}
			p.Rename(temp, filepath.Join(dir, "file"))
			if c.folder {
				p.Sync(p.Find(dir))
			}
		})
		if !slices.Equal(before, c.before) || !slices.Equal(done, c.done) {
			t.Errorf("%s synced: %q, and done %q", name, before, done)
		}
	}
}

// A file that goes into a folder whose own name is not synced goes with it, though the folder was.
func TestFolderIsLost(t *testing.T) {
	lost := 0
	dir := t.TempDir()
	p, err := tapeOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	inner := filepath.Join(dir, "inner")
	p.New(inner, os.ModeDir|0o700)
	p.New(filepath.Join(inner, "file"), 0o600)
	p.Sync(p.Find(inner))
	p.Say()
	for s := range p.States() {
		at := t.TempDir()
		if err := s.Put(at); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(at, "inner")); err != nil && s.Said == 1 {
			lost++
		}
	}
	if lost == 0 {
		t.Error("a folder without a name is there")
	}
}
