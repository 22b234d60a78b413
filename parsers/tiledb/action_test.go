package tiledb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// written opens a copy of an array that TileDB 2.30 wrote.
func written(t *testing.T, name string) (*model.Document, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "testdata", "tiledb", "good", name))); err != nil {
		t.Fatal(err)
	}
	return open(t, dir), dir
}

// contents are all files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// payloads are the generic tiles of a fragment's metadata, unfiltered, by the order in which they stand.
func payloads(t *testing.T, b []byte) (out [][]byte) {
	t.Helper()
	end := len(b) - 8 - int(filter.Uint(b[len(b)-8:], 8))
	gzip := []filter.Filter{{Type: filter.Gzip, Compressor: filter.Gzip, Level: 1}}
	for at := 0; at < end; at += int(storage.ListLength(b[at:])) {
		head := storage.HeaderBytes + int(filter.Uint(b[at+30:], 4))
		p, _, err := filter.Coding{Filters: gzip, Tile: filter.TileType{Datatype: filter.Char, CellSize: 1, FormatVersion: 22}}.Unfilter(t.Context(), b[at+head:at+int(storage.ListLength(b[at:]))], 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// A fragment that is written again as it is has the metadata that TileDB gave it, but for where tiles start: other compressors make
// other lengths of the same bytes. SPANDREL_CORPUS adds the arrays of a collection.
func TestStatisticsAreTileDBs(t *testing.T) {
	dirs := []string{}
	for _, name := range []string{"sparse-v22", "dense-v22"} {
		dirs = append(dirs, filepath.Join("..", "..", "testdata", "tiledb", "good", name))
	}
	if root := os.Getenv("SPANDREL_CORPUS"); root != "" {
		more, _ := filepath.Glob(filepath.Join(root, "tiledb", "generated-v23", "*"))
		dirs = append(dirs, more...)
	}
	for _, dir := range dirs {
		d := open(t, dir)
		st, ok := d.Tree.State.(*doc)
		if !ok {
			continue // a file of the collection that is no array
		}
		for _, f := range st.array("").fragList {
			if m := f.load(t.Context()); m != nil && !m.Schema.Crypt && f.live {
				sameMetadata(t, f)
			}
		}
	}
}

// sameMetadata writes a fragment again, and compares its metadata with those that are there.
func sameMetadata(t *testing.T, f *frag) {
	t.Helper()
	n, err := f.forRewriting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	edits, err := n.content(t.Context())
	if e := (*filter.Error)(nil); errors.As(err, &e) && e.Kind == filter.Unsupported {
		return // pictures are not written here
	}
	if err != nil {
		t.Fatal(err)
	}
	file := edits[len(edits)-1].(model.FileEdit)
	got, want := make([]byte, file.Create.Len()), fileBytes(f.a.d.t, file.File, 1<<30)
	file.Create.ReadAt(got, 0)
	x, y := payloads(t, got), payloads(t, want)
	if len(x) != len(y) {
		t.Fatalf("%s: %d generic tiles, TileDB has %d", f.dir, len(x), len(y))
	}
	slots := len(n.Slots)
	for i := range x {
		starts := i > 0 && i <= 2*slots || i > 3*slots && i <= 4*slots
		if starts && len(x[i]) == len(y[i]) {
			continue
		}
		if n.Meta.Dense && (n.Meta.Version > 22 || i == 1+fragment.Maxes*slots+1 || i == len(x)-2) {
			continue // TileDB writes zeros for the greatest text of a dense tile behind the first, and counts as nulls what pads tiles
		}
		if !bytes.Equal(x[i], y[i]) {
			t.Errorf("%s: tile %d is % x, TileDB has % x", f.dir, i, x[i], y[i])
		}
	}
	tail := func(b []byte) []byte { return b[len(b)-8-int(filter.Uint(b[len(b)-8:], 8)):] }
	if len(tail(got)) != len(tail(want)) {
		t.Errorf("%s: a footer of %d bytes, TileDB's has %d", f.dir, len(tail(got)), len(tail(want)))
	}
	if len(edits)-1 != len(f.files) {
		t.Errorf("%s: %d data files, TileDB has %d", f.dir, len(edits)-1, len(f.files))
	}
}

// edited applies edits, and fails unless every file that was there is the same and nothing is wrong afterwards.
func edited(t *testing.T, d *model.Document, edits ...model.Edit) {
	t.Helper()
	ctx := t.Context()
	p, err := d.Plan(ctx, "edit", edits...)
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(ctx, p, nil)
	if err := d.Deep(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if found, _ := d.Tree.Findings(); len(found) > 0 {
		t.Fatalf("afterwards %s: %s, found %s, expected %s", found[0].Path(), found[0].Text(), found[0].Found, found[0].Expected)
	}
}

// lastCells are the rows of the newest fragment as texts.
func lastCells(t *testing.T, d *model.Document) (out []string) {
	t.Helper()
	x := readTable(t, d, "cells")
	rows, err := x.Read(t.Context(), 0, x.Rows)
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for _, row := range rows {
		last = max(last, row[len(row)-1].Value.Text()) // the names begin with their times
	}
	for _, row := range rows {
		if row[len(row)-1].Value.Text() == last {
			var texts []string
			for i, c := range row[:len(row)-1] {
				texts = append(texts, x.Columns[i].Name+"="+c.String())
			}
			out = append(out, strings.Join(texts, " "))
		}
	}
	return out
}

// An edit of a cell adds a fragment with that cell and its commit, and touches nothing else; cells that were not edited keep their values.
func TestCellBecomesFragment(t *testing.T) {
	for _, name := range []string{"sparse-v22", "dense-v22"} {
		d, dir := written(t, name)
		before := contents(t, dir)
		frag := d.Tree.State.(*doc).array("").fragList[0].name
		cell := func(file, cell string, v model.Value) model.Edit {
			return model.Set{Path: "fragments/" + frag + "/" + file + ".tdb/tiles[0]/cells/" + cell, Value: v}
		}
		edited(t, d, cell("a0", "cells[6]", model.I(4711)), cell("a1_var", "cells/6", model.S("a longer word")),
			cell("a2_validity", "cells[6]", model.U(0)))
		rows := lastCells(t, d)
		i := slices.IndexFunc(rows, func(r string) bool { return strings.Contains(r, "n=4711") })
		if i < 0 || !strings.Contains(rows[i], "word=a longer word") || !strings.Contains(rows[i], "part= ") {
			t.Errorf("%s: %v", name, rows)
		}
		if _, err := d.Save(context.Background(), model.SaveOptions{}); err != nil {
			t.Fatal(err)
		}
		after := contents(t, dir)
		added := 0
		for file, b := range after {
			if was, ok := before[file]; ok && was != b {
				t.Errorf("%s: %s was changed", name, file)
			} else if !ok {
				added++
			}
			delete(before, file)
		}
		if len(before) > 0 || added < 8 {
			t.Errorf("%s: %d files are gone, %d are new", name, len(before), added)
		}
	}
}

// Coordinates, offsets and cells that a later fragment replaced are refused with a reason.
func TestCellRefused(t *testing.T) {
	d, _ := written(t, "sparse-v22")
	frag := d.Tree.State.(*doc).array("").fragList[0].name
	path := "fragments/" + frag + "/%s.tdb/tiles[0]/cells/cells[2]"
	for _, file := range []string{"d0", "a1"} {
		if _, err := d.Plan(t.Context(), "edit", model.Set{Path: fmt.Sprintf(path, file), Value: model.I(1)}); err == nil {
			t.Errorf("%s was edited", file)
		}
	}
	edited(t, d, model.Set{Path: fmt.Sprintf(path, "a0"), Value: model.I(1)})
	if _, err := d.Plan(t.Context(), "edit", model.Set{Path: fmt.Sprintf(path, "a0"), Value: model.I(2)}); err == nil ||
		!strings.Contains(err.Error(), "overwritten later") {
		t.Errorf("a cell that was replaced: %v", err)
	}
}

// Actions add what TileDB would add.
func TestCellActions(t *testing.T) {
	for _, name := range []string{"sparse-v22", "dense-v22"} {
		d, _ := written(t, name)
		do := func(action string, at *model.Span, args map[string]string) error {
			t.Helper()
			i := slices.IndexFunc(actions, func(a model.Action) bool { return a.Name == action })
			if !actions[i].On(d.Tree, at) {
				return fmt.Errorf("%s is not offered", action)
			}
			edits, err := actions[i].Plan(t.Context(), d.Tree, at, args)
			if err == nil {
				edited(t, d, edits...)
			}
			return err
		}
		if err := do("add-cell", d.Tree.Root, map[string]string{"cell": "x=99, n=5, word=new"}); err != nil {
			t.Error(err)
		}
		if rows := strings.Join(lastCells(t, d), ";"); !strings.Contains(rows, "x=99 n=5 word=new") {
			t.Errorf("%s: %s", name, rows)
		}
		for _, wrong := range []string{"n=5", "x=100", "x=1,z=2", "x=1,n=text", "x<1"} {
			if do("add-cell", d.Tree.Root, map[string]string{"cell": wrong}) == nil {
				t.Errorf("%s was added", wrong)
			}
		}
		if err := do("set-metadata", d.Tree.Root, map[string]string{"key": "k", "type": "INT32", "value": "1 2"}); err != nil {
			t.Error(err)
		}
		if err := do("delete-metadata", d.Tree.Root, map[string]string{"key": "k"}); err != nil {
			t.Error(err)
		}
		if err := do("delete-cells", d.Tree.Root, map[string]string{"where": "n<-5, n!=5"}); (err == nil) != (name == "sparse-v22") {
			t.Error(name, err)
		}
		if x := readTable(t, d, "cells"); name == "sparse-v22" { // what was deleted is not listed any more
			rows, err := x.Read(t.Context(), 0, x.Rows)
			if err != nil || x.Rows == 0 || x.Rows >= 21 {
				t.Errorf("%d rows, %v", x.Rows, err)
			}
			at := func(name string) int {
				return slices.IndexFunc(x.Columns, func(c model.Column) bool { return c.Name == name })
			}
			for _, r := range rows {
				if r[at("n")].Value.Int() < -5 {
					t.Errorf("the cell at %s is listed", r[at("x")].Value)
				}
			}
		}
		frag := d.Tree.State.(*doc).array("").fragList[0]
		for value, wanted := range map[string]bool{"-6": false, "-5": true} { // what would be deleted then is not written
			n, err := d.Tree.Find(t.Context(), "fragments/"+frag.name+"/a0.tdb/tiles[0]/cells/cells[4]")
			if name != "sparse-v22" {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := do("rewrite-cell", n, map[string]string{"value": value}); (err == nil) != wanted || !wanted && !strings.Contains(err.Error(), "would be deleted") {
				t.Errorf("%s: %v", value, err)
			}
		}
		frag = d.Tree.State.(*doc).array("").fragList[0]
		at, err := d.Tree.Find(t.Context(), "fragments/"+frag.name+"/a1_var.tdb/tiles[0]/cells/cells/3")
		if err != nil {
			t.Fatal(err)
		}
		if err := do("rewrite-cell", at, map[string]string{"value": "rewritten"}); err != nil {
			t.Error(err)
		}
		before := cellTexts(t, d)
		if err := do("consolidate", d.Tree.Root, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n, after := len(d.Tree.State.(*doc).array("").fragList), cellTexts(t, d); n != 1 || !slices.Equal(after, before) {
			t.Errorf("%s: %d fragments with %d cells, before %d", name, n, len(after), len(before))
		}
	}
}

// A cell of a fragment that is too old to be written again is not changed in it, and the reason is said.
func TestRewriteOld(t *testing.T) {
	d, _ := written(t, "dense-v9")
	frag := d.Tree.State.(*doc).array("").fragList[0]
	s, err := d.Tree.Find(t.Context(), "fragments/"+frag.name+"/a0.tdb/tiles[0]/cells/cells[0]")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(actions, func(a model.Action) bool { return a.Name == "rewrite-cell" })
	if !actions[i].On(d.Tree, s) {
		t.Fatal("it does not apply, without a reason")
	}
	if _, err = actions[i].Plan(t.Context(), d.Tree, s, map[string]string{"value": "1"}); err == nil || !strings.Contains(err.Error(), "has version 9") {
		t.Errorf("the reason is %v", err)
	}
}

// Cells of the table take what is typed in the type of their column, and say where they take none; only what was written is listed.
func TestTableSet(t *testing.T) {
	for _, name := range []string{"sparse-v22", "dense-v22"} {
		d, _ := written(t, name)
		x := readTable(t, d, "cells")
		if x.Rows != 20 {
			t.Fatalf("%s: %d rows of 20 that were written", name, x.Rows)
		}
		column := func(name string) int {
			return slices.IndexFunc(x.Columns, func(c model.Column) bool { return c.Name == name })
		}
		edits, err := x.Set(t.Context(), []model.Typed{{Row: 11, Column: column("day"), Text: "2024-02-29"}, {Row: 11, Column: column("word"), Text: ""},
			{Row: 11, Column: column("part"), Missing: true}, {Row: 12, Column: column("n"), Text: "-1"}})
		if err != nil {
			t.Fatal(err)
		}
		edited(t, d, edits...)
		rows := strings.Join(lastCells(t, d), ";")
		if !strings.Contains(rows, "day=19782") || !strings.Contains(rows, "word= part= ") || !strings.Contains(rows, "n=-1") {
			t.Errorf("%s: %s", name, rows)
		}
		day := func() string { // a cell that was written again stays where it was, with what it says now
			x = readTable(t, d, "cells")
			row, err := x.Read(t.Context(), 11, 1)
			if err != nil || x.Rows != 20 {
				t.Fatalf("%s: %d rows afterwards, %v", name, x.Rows, err)
			}
			return row[0][column("day")].Value.String()
		}
		if got := day(); got != "19782" {
			t.Errorf("%s: row 11 says day %s", name, got)
		}
		if edits, err = x.Set(t.Context(), []model.Typed{{Row: 11, Column: column("day"), Text: "2024-03-01"}}); err != nil {
			t.Fatal(err)
		}
		edited(t, d, edits...)
		if got := day(); got != "19783" {
			t.Errorf("%s: written once more, row 11 says day %s", name, got)
		}
		for _, wrong := range []model.Typed{{Row: 1, Column: column("fragment"), Text: "x"}, {Row: 1, Column: column("x"), Text: "1"}, {Row: 1, Column: column("n"), Text: "1e3"},
			{Row: 1, Column: column("n"), Missing: true}, {Row: 99, Column: column("n"), Text: "1"}} {
			if _, err := x.Set(t.Context(), []model.Typed{wrong}); err == nil {
				t.Errorf("%s: %+v was taken", name, wrong)
			}
		}
	}
}
