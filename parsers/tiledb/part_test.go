package tiledb

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
)

// TestTDBParts opens every file and every folder of arrays alone, in its place: each is shown with what it depends on, and
// nothing is wrong with it.
func TestTDBParts(t *testing.T) {
	for _, name := range []string{"sparse-v23", "dense-v9", "sparse-v4"} {
		root := filepath.Join("../../testdata/tiledb/good", name)
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || path == root {
				return err
			}
			d := open(t, path)
			if d.Format == nil || d.Format.Name != "tiledb" {
				t.Errorf("%s is not known", path)
				return nil
			}
			if err := d.Deep(context.Background(), nil); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			if found := damageIn(d.Tree); len(found) > 0 {
				t.Errorf("%s: %s %s", path, found[0].Rule.ID, found[0].Text())
			}
			tables := map[string]int64{}
			for _, x := range d.Tree.Tables(context.Background()) {
				tables[x.Name] = x.Rows
			}
			fragment := filepath.Base(path)
			if !e.IsDir() {
				fragment = filepath.Base(filepath.Dir(path))
			}
			if !fragmentName().MatchString(fragment) {
				return nil
			}
			if rows, ok := tables["cells"]; rows == 0 && (ok || e.IsDir()) || !ok && e.IsDir() || tables["attributes"] == 0 {
				t.Errorf("%s: tables %v", path, tables)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A file belongs to the array whose folder holds it, in the folders of new arrays as beside the schema of old ones.
func TestTDBKindOf(t *testing.T) {
	const id = "__1_1_0123456789abcdef0123456789abcdef"
	for _, in := range []string{"", "member/inner", "__labels/l0"} {
		for name, want := range map[string]fileKind{
			schema.OldSchema: kindSchema, "__schema/" + id: kindSchema, "__schema/__enumerations/__0123456789abcdef0123456789abcdef_0": kindEnumeration,
			"__fragments/" + id + "_23/a0.tdb": kindData, id + "_9/a0.tdb": kindData, id + "/__coords.tdb": kindData,
			"__fragments/" + id + "_23/__fragment_metadata.tdb": kindFragment, id + "_9/__fragment_metadata.tdb": kindFragment,
			"__commits/" + id + "_23.wrt": kindEmpty, id + "_9.ok": kindEmpty, "__lock.tdb": kindEmpty,
			"__commits/" + id + "_23.con": kindLines, "__commits/" + id + "_23.vac": kindVacuum, id + "_9.vac": kindVacuum,
			"__meta/" + id: kindMetadata, "__meta/" + id + ".vac": kindVacuum, "__fragment_meta/" + id + "_23.meta": kindConMeta, id + "_9.meta": kindConMeta,
			"__group/" + id + "_2": kindGroup, "__commits/" + id + "_23.del": kindDelete,
		} {
			name = strings.TrimPrefix(in+"/"+name, "/")
			if kind, dir := kindOf(name); kind != want || dir != in {
				t.Errorf("%s: %d of %q", name, kind, dir)
			}
		}
	}
}

// A commit marker that was opened alone says when its fragment is not there.
func TestTDBMarkerAlone(t *testing.T) {
	files := sampleArray(23, true)
	const gone = "__commits/__1700000000009_1700000000009_0123456789abcdef0123456789abcdef_23.wrt"
	files[gone] = nil
	dir := writeFiles(t, t.TempDir(), files)
	for name, b := range files {
		if strings.HasSuffix(name, ".wrt") && len(b) == 0 {
			if rules := rulesOf(t, open(t, filepath.Join(dir, name))); rules[rule.Uncommitted.ID] != (name == gone) {
				t.Errorf("%s: %v", name, rules)
			}
		}
	}
}

// TestTDBPartCells compares the cells of a fragment that was opened alone, and of each of its files, with those of the array.
func TestTDBPartCells(t *testing.T) {
	const root = "../../testdata/tiledb/good/dense-v9"
	whole := readTable(t, open(t, root), "cells")
	frags, _ := filepath.Glob(root + "/__*_*")
	for _, path := range frags {
		if st, err := os.Stat(path); err != nil || !st.IsDir() {
			continue
		}
		want := rowsOf(t, whole, filepath.Base(path))
		files, _ := filepath.Glob(path + "/a*.tdb")
		for _, part := range append(files, path) {
			x := readTable(t, open(t, part), "cells")
			got := rowsOf(t, x, filepath.Base(path))
			if len(got) != len(want) || len(want) == 0 {
				t.Fatalf("%s: %d rows, want %d", part, len(got), len(want))
			}
			for j, c := range x.Columns {
				k := slices.IndexFunc(whole.Columns, func(w model.Column) bool { return w.Name == c.Name })
				for i := range got {
					if g, w := got[i][j], want[i][k]; g.Value.String() != w.Value.String() || g.Trouble != "" {
						t.Errorf("%s row %d %s: %v %s, want %v", part, i, c.Name, g.Value, g.Trouble, w.Value)
					}
				}
			}
		}
	}
}

// TestTDBStray opens parts that were copied away from their array, under names that say nothing: what can be told by the
// content is, and what cannot be is said.
func TestTDBStray(t *testing.T) {
	array := sampleArray(23, true)
	files := map[string][]byte{}
	kinds := map[string]string{}
	for name, b := range array {
		at := ""
		switch {
		case len(b) == 0:
			continue
		case strings.HasSuffix(name, metaFileF.Name):
			at, kinds["metadata.bin"] = "metadata.bin", "footer"
		case strings.HasSuffix(name, "a0.tdb"):
			at, kinds["cells.bin"] = "cells.bin", "tiles"
		case strings.HasPrefix(name, "__schema/"):
			at, kinds["schema.bin"] = "schema.bin", "payload"
		}
		files["loose/"+at] = b
	}
	delete(files, "loose/")
	kinds["list.bin"], kinds["vacuum.bin"] = "lines", "lines"
	files["loose/list.bin"] = []byte("__commits/__1_1_0123456789abcdef0123456789abcdef_23.wrt\n")
	files["loose/vacuum.bin"] = []byte("/__fragments/__1_1_0123456789abcdef0123456789abcdef_23\n")
	dir := writeFiles(t, t.TempDir(), files)
	if len(kinds) != 5 {
		t.Fatalf("kinds %v", kinds)
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		d := open(t, filepath.Join(dir, "loose", name))
		if d.Format == nil || d.Tree.Root.Get(kinds[name]) == nil {
			t.Errorf("%s is not known by its content", name)
		}
	}
	stray := map[string][]byte{}
	for name, b := range array {
		if strings.Contains(name, "__fragments/") {
			stray["fragment/"+filepath.Base(name)] = b
		}
	}
	d := open(t, filepath.Join(writeFiles(t, t.TempDir(), stray), "fragment"))
	if err := d.Deep(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	if len(found) != 1 || found[0].Rule != rule.SchemaMissing {
		t.Errorf("a fragment without its array: %v", found)
	}
}
