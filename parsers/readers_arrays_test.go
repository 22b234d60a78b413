package parsers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
)

// What TileDB does about damage depends on when it reads the place. Each of these was done to the array, and TileDB 2.30 did what is said.
func TestReadersOfArrays(t *testing.T) {
	const fragment, lists = "__fragments/__1700000000000_1700000000000_*/", "__fragment_metadata.tdb"
	flip := func(at int) func([]byte) []byte { return func(b []byte) []byte { b[at] ^= 1; return b } }
	cut := func(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:n] } }
	for name, x := range map[string]struct {
		file   string // of the array; a "*" stands for what differs
		change func([]byte) []byte
		does   model.Does
		says   string
	}{
		"a list of offsets":         {fragment + lists, flip(0x63 + 104), model.Fails, "Cannot decompress with GZIP"},
		"a list of sums":            {fragment + lists, flip(0xed8 + 108), model.Ignores, ""},
		"the footer":                {fragment + lists, func(b []byte) []byte { return b[:len(b)-3] }, model.Refuses, "std::bad_alloc"},
		"no metadata of a fragment": {fragment + lists, nil, model.Refuses, "Cannot get file size of …__fragment_metadata.tdb"},
		"no file of an attribute":   {fragment + "a0.tdb", nil, model.Fails, "Cannot get file size of"},
		"cells that are cut":        {fragment + "a0.tdb", cut(10), model.Fails, "Read exceeds file size"},
		"metadata that are cut":     {"__meta/*", cut(10), model.Fails, "Read exceeds file size"},
		"a schema that is cut":      {"__schema/*", cut(10), model.Refuses, "Read exceeds file size"},
		"no schema":                 {"__schema/*", nil, model.Refuses, "Array does not exist"},
		"no commit":                 {"__commits/*", nil, model.Misreads, ""},
		"a file among schemas":      {"__schema/notes.txt", cut(0), model.Refuses, "Provided URI does not contain a fragment name"},
		"a file among metadata":     {"__meta/.DS_Store", cut(0), model.Refuses, "Provided URI does not contain a fragment name"},
		"a file among commits":      {"__commits/notes.txt", cut(0), model.Ignores, ""},
		"bytes after the cells":     {fragment + "a0.tdb", func(b []byte) []byte { return append(b, 1, 2, 3) }, model.Ignores, ""},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "testdata", "tiledb", "good", "dense-v22"))); err != nil {
			t.Fatal(err)
		}
		changeFile(t, filepath.Join(dir, filepath.FromSlash(x.file)), x.change)
		if v := verdict(t, dir, "tiledb", ""); v.Does != x.does || v.Says != x.says {
			t.Errorf("%s: %s, %q", name, v.Does.Word(), v.Says)
		}
	}
}

// Of a dense array the tiles that newer ones lie over are not read.
func TestReadersOfHiddenTiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "testdata", "tiledb", "good", "dense-v22"))); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"__fragments/*", "__commits/*"} {
		was, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		newer := strings.Replace(was[0], "__1700000000000_1700000000000", "__1700000009000_1700000009000", 1)
		if info, _ := os.Stat(was[0]); !info.IsDir() {
			changeFile(t, newer, func([]byte) []byte { return nil })
		} else if err := os.CopyFS(newer, os.DirFS(was[0])); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		time string
		does model.Does
	}{{"1700000000000", model.Ignores}, {"1700000009000", model.Fails}} {
		changeFile(t, filepath.Join(dir, "__fragments", "__"+x.time+"*", "a0.tdb"), func(b []byte) []byte { return b[:10] })
		if v := verdict(t, dir, "tiledb", ""); v.Does != x.does {
			t.Errorf("%s: %s", x.time, v.Does.Word())
		}
	}
}

// changeFile writes a changed file in place of the one that a pattern finds, or a new one; without a change it removes the file.
func changeFile(t *testing.T, pattern string, change func([]byte) []byte) {
	t.Helper()
	file, b := pattern, []byte(nil)
	if found, _ := filepath.Glob(pattern); len(found) == 1 {
		file = found[0]
		var err error
		if b, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if change == nil {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	} else if err := os.WriteFile(file, change(b), 0o600); err != nil {
		t.Fatal(err)
	}
}
