package model

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A folder is listed without the backups in it, except one that was opened.
func TestBackupsAreNoFiles(t *testing.T) {
	dir := t.TempDir()
	names := []string{"a.json", "a.json.20261130-070844.bak", "b.json.20261130-070844-2.bak", "c.bak"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for opened, want := range map[string][]string{names[0]: {names[0], names[3]}, names[1]: {names[0], names[1], names[3]}} {
		d, err := Open(t.Context(), filepath.Join(dir, opened), []*Format{folderFormat}, folderFormat)
		if err != nil {
			t.Fatal(err)
		}
		list, _, err := d.Tree.Snapshot.List(".")
		var got []string
		for _, e := range list {
			got = append(got, e.Name)
		}
		if d.Close(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", opened, got, err)
		}
	}
}
