package tiledb

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/parsers/tiledb/storage"
	"spandrel/ui/headless"
)

// The key of an encrypted array reaches nothing that commands print or write: findings, dumps, slices, tables.
func TestTDBKeyIsWrittenNowhere(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs whole commands")
	}
	key := []byte("Ks8dP2qLx0Zr5vNw7bTy4mHc1jFg9aUe")
	b, err := storage.WriteTile(t.Context(), 23, sampleOf(23).payload(), key)
	if err != nil {
		t.Fatal(err)
	}
	files := sampleArray(23, false)
	for name := range files {
		if strings.HasPrefix(name, "__schema/") {
			files[name] = b
		}
	}
	t.Cleanup(func() { storage.Secret.Give("") })
	wrong := strings.ToLower(string(key))
	for _, given := range []string{string(key), hex.EncodeToString(key), wrong, string(key[1:])} { // the last is none
		right := given == string(key) || given == hex.EncodeToString(key)
		t.Setenv("SPANDREL_TILEDB_KEY", given)
		dir, out := writeFiles(t, t.TempDir(), files), t.TempDir()
		var said bytes.Buffer
		read := false
		commands := []string{"check --effort 0 --all --json PATH", "dump --json --all PATH", "slice PATH -o OUT", "table PATH", "report --effort 0 PATH -o OUT", "check --effort 0 --format sarif PATH", "find --field PATH name",
			"set --no-backup --force PATH nothing=1", "set --dry-run PATH schemas/" + sampleName + "/schema/attributes[0]/name=other", "diff PATH PATH", "fix --effort 0 --dry-run PATH", "salvage --effort 0 PATH -o OUT",
			"convert PATH", "table PATH cells --to csv -o OUT", "get PATH nothing", "recover PATH"}
		if given != string(key) {
			commands = []string{commands[0], commands[1], "get PATH nothing", "set --no-backup --force PATH nothing=1"} // all errors that name a key
		}
		for i, command := range commands {
			args := strings.Fields(strings.ReplaceAll(command, "OUT", filepath.Join(out, string(rune('a'+i)))))
			for k := range args {
				args[k] = strings.ReplaceAll(args[k], "PATH", dir)
			}
			before := said.Len()
			headless.Run(headless.Env{Formats: []*model.Format{Format}, In: strings.NewReader(""), Out: &said, Err: &said, Version: "test"}, args)
			read = read || i == 1 && strings.Contains(said.String()[before:], "attributes")
		}
		if right != read {
			t.Errorf("the array was read: %v", read)
		}
		d, err := model.Open(t.Context(), dir, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Plan(t.Context(), "edit", model.FileEdit{File: "__meta/other", Create: model.Memory([]byte("other"))})
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(t.Context(), p, nil)
		if err := d.Record(out); err != nil {
			t.Error(err)
		}
		d.Close()
		filepath.WalkDir(out, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				b, _ := os.ReadFile(path)
				said.WriteString("\n" + path + "\n")
				said.Write(b)
			}
			return nil
		})
		for _, form := range []string{given, given[8:], hex.EncodeToString([]byte(given)), base64.StdEncoding.EncodeToString([]byte(given))} {
			if at := strings.Index(said.String(), form); at >= 0 {
				t.Errorf("%q is written: …%q", form, said.String()[max(0, at-80):at])
			}
		}
	}
}

// Bytes that do not decrypt with a wrong key are not called damaged: nothing is known of them.
func TestTDBWrongKeyIsNoDamage(t *testing.T) {
	b, err := storage.WriteTile(t.Context(), 23, sampleOf(23).payload(), []byte("Ks8dP2qLx0Zr5vNw7bTy4mHc1jFg9aUe"))
	if err != nil {
		t.Fatal(err)
	}
	files := sampleArray(23, false)
	for name := range files {
		if strings.HasPrefix(name, "__schema/") {
			files[name] = b
		}
	}
	for _, key := range []string{"", "another key that has 32 letters."} {
		t.Setenv("SPANDREL_TILEDB_KEY", key)
		d, err := model.Open(t.Context(), writeFiles(t, t.TempDir(), files), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cause.Find(t.Context(), d, cause.Options{Time: time.Minute})
		if err != nil || len(g.Causes) > 0 || !slices.ContainsFunc(g.Findings, func(f model.Finding) bool { return f.Needs != nil }) {
			t.Errorf("with the key %q: %d causes, %d findings, %v", key, len(g.Causes), len(g.Findings), err)
		}
		d.Close()
	}
}
