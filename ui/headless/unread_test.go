//go:build unix

package headless_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A part of a dataset that cannot be read is not one that is not there: nothing is changed, copied or saved from the rest of it.
func TestUnreadIsNotMissing(t *testing.T) {
	for _, c := range []struct{ sample, part, command string }{
		{"scdl/good/archive", "var_features", "convert --no-backup --force --path feature_indices[0] PATH rename name=genes"},
		{"scdl/good/archive", "obs_features", "convert --no-backup PATH byte-order"},
		{"scdl/good/archive", "row_ptr.npy", "convert --no-backup --force PATH byte-order"},
		{"scdl/good/archive", "var_features", "salvage -o OUT PATH"},
		{"scdl/good/archive", "obs_features", "convert -o OUT --force --path feature_indices[0] PATH rename name=genes"},
		{"tiledb/good/dense-v22", "__fragments", "salvage -o OUT PATH"},
		{"tiledb/good/dense-v22", "__commits", "set --no-backup --force PATH " + "schemas/SCHEMA/schema/attributes[0]/name=longer"},
		{"tiledb/good/dense-v22", "__schema", "fix --no-backup PATH"},
		{"taridx/good/three-shards", "train_0001.tar", "convert --no-backup --force --path rows[0] PATH/train.taridx rename-sample name=other"},
		{"taridx/bad/022-n-rows", "train_0000.tar", "fix --no-backup PATH/train.taridx"},
	} {
		dir := filepath.Join(t.TempDir(), "d")
		if err := os.CopyFS(dir, os.DirFS("../../testdata/"+c.sample)); err != nil {
			t.Fatal(err)
		}
		out, before := filepath.Join(filepath.Dir(dir), "out"), sums(t, dir)
		schema, _ := filepath.Glob(dir + "/__schema/*")
		command := strings.NewReplacer("PATH", dir, "OUT", out, "SCHEMA", filepath.Base(strings.Join(schema, ""))).Replace(c.command)
		back := unreadable(t, dir, filepath.Join(dir, c.part))
		status, _, said := run(nil, strings.Fields(command)...)
		back()
		if status != 2 || !strings.Contains(said, "permission denied") {
			t.Errorf("%s without %s: status %d, %s", c.command, c.part, status, said)
		}
		if sums(t, dir) != before {
			t.Errorf("%s without %s: files changed", c.command, c.part)
		}
		if _, err := os.Lstat(out); err == nil {
			t.Errorf("%s without %s: something was written", c.command, c.part)
		}
	}
}

// What is printed of a dataset of which a part cannot be read may be wrong: every command that prints says so, and that it failed. Of what
// they print nothing is kept where -o names a file.
func TestUnreadIsSaid(t *testing.T) {
	parts := map[string]string{"scdl/good/archive": "row_ptr.npy", "tiledb/good/dense-v22": "__fragments", "taridx/good/three-shards": "train_0001.tar"}
	fields := map[string]string{"scdl": "header/magic", "tiledb": "schemas", "taridx": "header/n_rows"}
	for sample, part := range parts {
		format, _, _ := strings.Cut(sample, "/")
		for _, command := range []string{"dump --all PATH", "dump --json --path " + fields[format] + " PATH", "get PATH " + fields[format], "get PATH nothing/of/it", "table PATH", "table PATH TABLE",
			"table --as-is PATH TABLE", "find PATH a", "find --field PATH magic", "diff PATH OTHER", "diff OTHER PATH", "check PATH", "check --json PATH", "check --format junit PATH PATH", "check ABOVE",
			"report PATH", "convert PATH"} {
			dir := filepath.Join(t.TempDir(), "d")
			other := filepath.Join(t.TempDir(), "other")
			for _, to := range []string{dir, other} {
				if err := os.CopyFS(to, os.DirFS("../../testdata/"+sample)); err != nil {
					t.Fatal(err)
				}
			}
			path, table := dir, map[string]string{"scdl": "matrix", "tiledb": "cells", "taridx": "shards"}[format]
			if format == "taridx" {
				path, other = filepath.Join(path, "train.taridx"), filepath.Join(other, "train.taridx")
			}
			out := filepath.Join(filepath.Dir(dir), "out")
			words := strings.Fields(strings.NewReplacer("PATH", path, "OTHER", other, "ABOVE", filepath.Dir(dir), "TABLE", table).Replace(command))
			for _, words := range [][]string{words, append(words, "-o", out)} {
				back := unreadable(t, dir, filepath.Join(dir, part))
				status, _, said := run(nil, words...)
				back()
				if status != 2 || !strings.Contains(said, "permission denied") || strings.Count(said, "\n") != 1 {
					t.Errorf("%s of %s without %s: status %d, %q", command, sample, part, status, said)
				}
			}
			if _, err := os.Lstat(out); err == nil {
				t.Errorf("%s of %s without %s: something was written", command, sample, part)
			}
		}
	}
}

// Rows that point into a shard that cannot be read are not said to be wrong.
func TestUnreadShard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	if err := os.CopyFS(dir, os.DirFS("../../testdata/taridx/good/three-shards")); err != nil {
		t.Fatal(err)
	}
	back := unreadable(t, dir, filepath.Join(dir, "train_0001.tar"))
	_, out, _ := run(nil, "check", "--all", filepath.Join(dir, "train.taridx"))
	back()
	if strings.Contains(out, "TIX-041") || !strings.Contains(out, "cannot be read") {
		t.Error(out)
	}
}

// sums is the names and the bytes of the files of a folder.
func sums(t *testing.T, dir string) (all string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		all += fmt.Sprintf("%s %x\n", name, b)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// unreadable takes from a file or a folder in dir that it may be read, until what it returns is called. Root may read everything, so that someone
// else owns the folder and asks.
func unreadable(t *testing.T, dir, path string) (back func()) {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	root, other := os.Geteuid() == 0, 65534
	if root {
		must(os.Chmod(filepath.Dir(dir), 0o777))
		must(os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o755))
		must(filepath.WalkDir(dir, func(name string, _ fs.DirEntry, _ error) error { return os.Chown(name, other, other) }))
	}
	must(os.Chmod(path, 0))
	if root {
		must(syscall.Seteuid(other))
	}
	return func() {
		if root {
			must(syscall.Seteuid(0))
		}
		must(os.Chmod(path, st.Mode().Perm()))
	}
}
