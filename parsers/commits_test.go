package parsers

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model/cause"
)

// TestAllCommits: if all commits are missing, one repair writes all of them, because TileDB would read a part of the array with one of them.
func TestAllCommits(t *testing.T) {
	dir, fragments := t.TempDir(), "__fragments/__1700000000000_1700000000000_4a8d4d6137a3435c3081b5f8a55ede42_22"
	sample := os.DirFS("../testdata/tiledb/good/sparse-v22")
	again, err := fs.Sub(sample, fragments)
	if err != nil {
		t.Fatal(err)
	}
	for to, from := range map[string]fs.FS{"": sample, strings.ReplaceAll(fragments, "1700000000000", "1700000000001"): again} {
		if err := os.CopyFS(filepath.Join(dir, to), from); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "__commits")); err != nil {
		t.Fatal(err)
	}
	g := causesAt(t, dir)
	if len(g.Causes) != 1 || g.Causes[0].Grade != cause.Proven || len(g.Causes[0].Repairs) == 0 || g.Causes[0].Repairs[0].Label != "write the empty commit files of 2 fragments" {
		t.Fatalf("%+v", g.Causes)
	}
}

// TestCommitBesideDamage: the commit of the only fragment is lost, which is likely and comes first, though a tile is damaged beyond repair too.
func TestCommitBesideDamage(t *testing.T) {
	dir, name := t.TempDir(), "__1700000000000_1700000000000_4a8d4d6137a3435c3081b5f8a55ede42_22"
	if err := os.CopyFS(dir, os.DirFS("../testdata/tiledb/good/sparse-v22")); err != nil {
		t.Fatal(err)
	}
	tiles := filepath.Join(dir, "__fragments", name, "a3.tdb")
	b, err := os.ReadFile(tiles)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 24 {
		b[50+i] ^= byte(37*i + 90)
	}
	if err := errors.Join(os.WriteFile(tiles, b, 0o600), os.Remove(filepath.Join(dir, "__commits", name+".wrt"))); err != nil {
		t.Fatal(err)
	}
	g := causesAt(t, dir)
	if len(g.Causes) != 2 || g.Causes[0].Grade != cause.Likely || !strings.Contains(g.Causes[0].Text, "commits") || g.Causes[1].Grade != cause.Likely {
		for _, c := range g.Causes {
			t.Errorf("%s: %s", c.Grade, c.Text)
		}
	}
}
