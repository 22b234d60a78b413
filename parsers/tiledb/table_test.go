package tiledb

import (
	"bytes"
	"context"
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
	if variable && isNumber(typ) {
		var b []byte
		for _, v := range c.Items {
			e, _ := codecOf(typ).Encode(v)
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

// Every cell of every array with decoded cells is in the table of cells, in the order of the tiles.
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
		table := readTable(t, d, "cells")
		column, dims := map[string]int{}, []int{}
		a := d.Tree.State.(*doc).array("")
		for i, c := range table.Columns {
			column[c.Name] = i
			if i < len(a.current().dims) {
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
	for _, s := range a.schemas {
		for k := range s.attrs {
			if s.attrs[k].name.Text() == name {
				typ, variable = s.attrs[k].datatype, s.attrs[k].variable()
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
					b, err := codecOf(a.current().attrs[0].datatype).Encode(v)
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
			if most := largest(int64(a.current().attrs[0].datatype), got, want); most > 0.06 {
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
	if doc := typed(cellF, filter.Int64).Doc; doc != "INT64" {
		t.Errorf("a cell is %q", doc)
	}
	if doc := typed(&model.Field{Name: "x", Doc: "a bound"}, 200).Doc; doc != "a bound (datatype 200)" {
		t.Errorf("a bound is %q", doc)
	}
}
