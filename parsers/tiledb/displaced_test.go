package tiledb

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
)

// TestDisplaced: an array whose files a copy put into one folder, or whose names it changed to capitals, is an error, and comes back as it was. What is only a
// part of an array is none, and TileDB does not open it.
func TestDisplaced(t *testing.T) {
	for _, x := range []struct {
		name, folder string
		to           func(name string) string
		says         string
	}{
		{"sparse-v22", "", path.Base, "the folders of the array are missing"},
		{"dense-v22", "", path.Base, "the folders of the array are missing"},
		{"sparse-v22", "", strings.ToUpper, "letters of the other case"},
		{"sparse-v4", "", strings.ToUpper, "letters of the other case"},
		{"sparse-v22", "__fragments", path.Base, ""},
		{"sparse-v22", "__fragments", func(name string) string { return strings.TrimPrefix(name, "__fragments/") }, ""},
		{"sparse-v22", "__schema", path.Base, ""},
	} {
		_, dir := written(t, x.name)
		was := contents(t, dir)
		for name := range was {
			if !strings.HasPrefix(name, x.folder) {
				delete(was, name)
			}
		}
		try(t, os.RemoveAll(dir))
		for name, b := range was {
			at := filepath.Join(dir, filepath.FromSlash(x.to(name)))
			try(t, os.MkdirAll(filepath.Dir(at), 0o700))
			try(t, os.WriteFile(at, []byte(b), 0o600))
		}
		d := open(t, dir)
		try(t, d.Deep(t.Context(), nil))
		found, _ := d.Tree.Findings()
		if v := readers[0].Judge(t.Context(), d.Tree, found, ""); v.Does != model.Refuses || v.Says != noArray {
			t.Errorf("%s, %q: %s", x.name, x.says, v.Text(t.Context(), d.Tree))
		}
		if x.says == "" {
			continue
		}
		f, fix := firstFix(t, d)
		if !fix.Safe || f.Grade() != model.Error || !strings.Contains(f.Text(), x.says) {
			t.Errorf("%s: %q offers %q, safe %v", x.name, f.Text(), fix.Label, fix.Safe)
		}
		edits, err := fix.Make(t.Context(), d.Tree)
		try(t, err)
		p, err := d.Plan(t.Context(), fix.Label, edits...)
		try(t, err)
		d.Apply(t.Context(), p, nil)
		_, err = d.Save(t.Context(), model.SaveOptions{NoBackup: true})
		try(t, err)
		if is := contents(t, dir); !maps.Equal(is, was) {
			t.Errorf("%s, %s: %d files, %d were", x.name, x.says, len(is), len(was))
		}
	}
}
