package tiledb

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/storage"
)

// open opens an array of the corpus, with its key.
func open(t testing.TB, path string) *model.Document {
	t.Helper()
	t.Setenv("SPANDREL_TILEDB_KEY", suite.CorpusKey)
	d, err := model.Open(context.Background(), path, formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func readTable(t testing.TB, d *model.Document, name string) model.Table {
	t.Helper()
	for _, x := range d.Tree.Tables(context.Background()) {
		if x.Name == name {
			return x
		}
	}
	t.Fatalf("%s: no table %s", d.Path, name)
	return model.Table{}
}

// tdbColumnOf returns the cells of a column of the rows of a fragment.
func rowsOf(t testing.TB, x model.Table, fragment string) (rows []model.Row) {
	t.Helper()
	for first := int64(0); first < x.Rows; {
		page, err := x.Read(context.Background(), first, 777)
		if err != nil || len(page) == 0 {
			t.Fatalf("row %d of %d: %v", first, x.Rows, err)
		}
		for _, r := range page {
			if fragment == "" || r[len(r)-1].Value.Text() == fragment {
				rows = append(rows, r)
			}
		}
		first += int64(len(page))
	}
	return rows
}

// cellAny is a cell the way the corpus writes cells.
func cellAny(c model.Cell, typ uint8, variable bool) any {
	if c.Trouble != "" {
		return "trouble: " + c.Trouble
	}
	if variable && storage.IsNumber(typ) {
		var b []byte
		for _, v := range c.Items {
			e, _ := storage.CodecOf(typ).Encode(v)
			b = append(b, e...)
		}
		return hex.EncodeToString(b)
	}
	if c.Vector {
		var l []any
		for _, v := range c.Items {
			l = append(l, cellAny(model.Cell{Value: v}, typ, false))
		}
		return l
	}
	if v := c.Value; v.Kind == model.Float {
		if math.IsNaN(v.Float()) {
			return "NaN"
		}
		return v.Float()
	} else if v.Kind == model.Text {
		return strings.ToValidUTF8(v.Text(), "\uFFFD")
	}
	return c.Value.String()
}

// Every cell of every array with decoded cells is in the table of stored cells, in the order of the tiles.
func TestTDBTableCells(t *testing.T) {
	root := suite.Corpus(t, "tiledb")
	paths, _ := filepath.Glob(filepath.Join(root, "expected-cells/*.json"))
	cells := 0
	for _, path := range paths {
		var x struct {
			Array     string
			Fragments []struct {
				Fragment string
				Fields   map[string][][]any
			}
		}
		suite.ReadJSON(t, path, &x)
		d := open(t, filepath.Join(root, x.Array))
		table := readTable(t, d, "stored")
		column, dims := map[string]int{}, []int{}
		a := d.Tree.State.(*doc).array("")
		for i, c := range table.Columns {
			column[c.Name] = i
			if i < len(a.schemas.Current().Dims) {
				dims = append(dims, i)
			}
		}
		for _, want := range x.Fragments {
			rows := rowsOf(t, table, want.Fragment)
			for name, tiles := range want.Fields {
				all := slices.Concat(tiles...)
				fits := func(i int, w any) error { return compareCell(a, table, rows[i], column, dims, name, w) }
				if len(all) > len(rows) { // tiles of a dense array reach over its domain; the cells inside are listed by their place in it
					amongst(t, len(rows), all, fits)
					cells += len(rows)
					continue
				}
				for i, w := range all {
					if err := fits(i, w); err != nil {
						t.Fatalf("%s %s %s row %d: %v", x.Array, want.Fragment, name, i, err)
					}
				}
				if len(all) != len(rows) {
					t.Errorf("%s %s %s: %d rows, not %d", x.Array, want.Fragment, name, len(rows), len(all))
				}
				cells += len(all)
			}
		}
	}
	if cells < 5000 {
		t.Errorf("%d cells compared", cells)
	}
}

func compareCell(a *array, table model.Table, row model.Row, column map[string]int, dims []int, name string, want any) error {
	if name == "__coords" {
		var got []any
		for _, i := range dims {
			got = append(got, cellAny(row[i], 0, false))
		}
		if !suite.SameJSON(got, want) {
			return fmt.Errorf("%v, not %v", got, want)
		}
		return nil
	}
	i, ok := column[name]
	if !ok {
		return fmt.Errorf("no column")
	}
	typ, variable := uint8(filter.Uint64), false
	for _, s := range a.schemas.All() {
		for k := range s.Attrs {
			if s.Attrs[k].Name.Text() == name {
				typ, variable = s.Attrs[k].Datatype, s.Attrs[k].Variable()
			}
		}
	}
	if o, ok := want.(map[string]any); ok {
		null := row[i].Value.Kind == model.None && !row[i].Vector
		if null != (fmt.Sprint(o["valid"]) == "0") {
			return fmt.Errorf("null is %v, not %v", null, o)
		}
		if null {
			return nil
		}
		want = o["value"]
	}
	if got := cellAny(row[i], typ, variable); !suite.SameJSON(got, want) {
		return fmt.Errorf("%v, not %v", got, want)
	}
	return nil
}

// What was handed to the writer is what the table of cells says, bit for bit but for lossy filters.
func TestTDBTableTruth(t *testing.T) {
	root := suite.Corpus(t, "tiledb")
	var truth []struct{ Array, Field, Kind, Hex string }
	suite.ReadJSON(t, filepath.Join(root, "generated-v23/truth.json"), &truth)
	checked := 0
	for _, x := range truth {
		if x.Kind == "offsets" || strings.HasSuffix(x.Array, "lossy") {
			continue // cells are cut at the offsets; libwebp rounds otherwise
		}
		d := open(t, filepath.Join(root, "generated-v23", x.Array))
		table := readTable(t, d, "cells")
		want, err := hex.DecodeString(x.Hex)
		if err != nil {
			t.Fatal(err)
		}
		col := len(table.Columns) - 1
		for i, c := range table.Columns {
			if c.Name == x.Field {
				col = i
			}
		}
		a := d.Tree.State.(*doc).array("")
		var got []byte
		for _, r := range rowsOf(t, table, "") {
			c := r[col]
			if c.Trouble != "" {
				t.Fatalf("%s: %s", x.Array, c.Trouble)
			}
			for _, v := range append(c.Items, c.Value) {
				switch {
				case x.Kind == "validity":
					got = append(got, map[bool]byte{true: 1}[v.Kind != model.None])
				case v.Kind == model.Text || v.Kind == model.Bytes:
					got = append(got, v.Text()...)
				case v.Kind != model.None:
					b, err := storage.CodecOf(a.schemas.Current().Attrs[0].Datatype).Encode(v)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, b...)
				default:
					if !c.Vector && x.Kind == "fixed" { // a null: what lies behind it is not shown
						got = append(got, want[len(got):len(got)+int(c.Range.Len)]...)
					}
				}
			}
		}
		if len(got) < len(want) {
			t.Errorf("%s %s: %d bytes of %d", x.Array, x.Kind, len(got), len(want))
			continue
		}
		got = got[:len(want)]
		if strings.Contains(x.Array, "scale") {
			if most := largest(int64(a.schemas.Current().Attrs[0].Datatype), got, want); most > 0.06 {
				t.Errorf("%s: largest difference %g", x.Array, most)
			}
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s %s differs", x.Array, x.Kind)
		}
		checked++
	}
	if checked < 40 {
		t.Errorf("only %d fields checked", checked)
	}
}

// amongst fails unless each of n rows is a cell of its own among the wanted ones.
func amongst(t *testing.T, n int, want []any, fits func(i int, w any) error) {
	t.Helper()
	used := make([]bool, len(want))
	for i := range n {
		at := -1
		for k, w := range want {
			if !used[k] && fits(i, w) == nil {
				at = k
				break
			}
		}
		if at < 0 {
			t.Fatalf("row %d is no cell of the fragment", i)
		}
		used[at] = true
	}
}

// A value that has nothing more to say of itself says its datatype, without brackets around it.
func TestTDBTypedFields(t *testing.T) {
	if doc := storage.Typed(cellF, filter.Int64).Doc; doc != "INT64" {
		t.Errorf("a cell is %q", doc)
	}
	if doc := storage.Typed(&model.Field{Name: "x", Doc: "a bound"}, 200).Doc; doc != "a bound (datatype 200)" {
		t.Errorf("a bound is %q", doc)
	}
}

// Metadata and members are listed as all files together say them: what is later takes the place of what is earlier, and what was deleted
// is not there.
func TestTablesOfKeys(t *testing.T) {
	text := func(s string) []byte { return append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...) }
	entry := func(key string, value ...byte) []byte {
		b := text(key)
		if value == nil {
			return append(b, 1)
		}
		b = append(b, 0, 6)
		return append(binary.LittleEndian.AppendUint32(b, uint32(len(value))), value...)
	}
	member := func(version, deleted byte, uri string) []byte {
		b := append([]byte{version, 0, 0, 0, 2, 1}, binary.LittleEndian.AppendUint64(nil, uint64(len(uri)))...)
		b = append(append(b, uri...), 0)
		if version > 1 {
			b = append(b, deleted)
		}
		return b
	}
	group := func(version byte, members ...[]byte) []byte {
		return append(append([]byte{version, 0, 0, 0}, binary.LittleEndian.AppendUint64(nil, uint64(len(members)))...), bytes.Join(members, nil)...)
	}
	name := func(at int) string { return fmt.Sprintf("__%d_%d_%032x", at, at, at) }
	dir := t.TempDir()
	files := map[string][]byte{"__meta/" + name(1): append(entry("a", 1, 2), entry("b", 7)...), "__meta/" + name(3): entry("b"), "__meta/" + name(2): append(entry("a", 3), entry("b", 8)...),
		"__group/" + name(1) + "_1": group(1, member(1, 0, "gone")), "__group/" + name(2) + "_1": group(1, member(1, 0, "x"), member(1, 0, "y")),
		"__group/" + name(3) + "_2": group(2, member(2, 0, "in/z"), member(2, 1, "x"))}
	for file, payload := range files {
		files[file] = sampleTile(22, payload)
	}
	writeFiles(t, dir, files)
	d := open(t, dir)
	for table, want := range map[string]string{"metadata": "a UINT8 3 " + name(2) + "\n", "members": "y ARRAY y 1 " + name(2) + "_1\nz ARRAY in/z 1 " + name(3) + "_2\n"} {
		got := ""
		for _, r := range rowsOf(t, readTable(t, d, table), "") {
			var cells []string
			for _, c := range r {
				cells = append(cells, c.String())
			}
			got += strings.Join(cells, " ") + "\n"
		}
		if got != want {
			t.Errorf("%s:\n%swant\n%s", table, got, want)
		}
	}
}

// Tables of keys say where they do not list all: of more files than are read the latest are.
func TestTablesOfKeysSayTheirLimit(t *testing.T) {
	for _, n := range []int{mostFiles, mostFiles + 1} {
		dir, files := t.TempDir(), map[string][]byte{}
		for i := range n {
			b := binary.LittleEndian.AppendUint32(nil, 4)
			b = append(append(b, fmt.Sprintf("%04d", i)...), 0, 6, 1, 0, 0, 0, 9)
			files["__meta/"+fmt.Sprintf("__%d_%d_%032x", i+1, i+1, i+1)] = sampleTile(22, b)
		}
		files["__group/__1_1_00000000000000000000000000000001_2"] = sampleTile(22, append([]byte{2, 0, 0, 0}, make([]byte, 8)...))
		writeFiles(t, dir, files)
		table, cut := readTable(t, open(t, dir), "metadata"), n > mostFiles
		if table.Rows != mostFiles || strings.Contains(table.Doc, "there is more") != cut || strings.Contains(table.Title, "not all") != cut {
			t.Errorf("%d files: %d rows, %q, %q", n, table.Rows, table.Title, table.Doc)
		}
	}
}
