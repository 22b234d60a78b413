package samediff

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"spandrel/model"
)

// TestGraphActions adds, drops, renames and converts, and finds no error in what comes out.
func TestGraphActions(t *testing.T) {
	for name, b := range map[string][]byte{"g.fb": fb(inline()), "g.sdnb": nbSmall(), "g.sdc": box(headOf(2), recordOf(2, fb(inline())))} {
		d := openModel(t, name, b)
		sound := func(what string) {
			t.Helper()
			d = openModel(t, name, bytesOf(t, d, name))
			if bad := errorsOf(t, d); len(bad) > 0 {
				t.Errorf("%s, %s: %v", name, what, bad)
			}
		}
		actOn(t, d, "add-variable", "", "name", "extra", "kind", "CONSTANT", "type", "DOUBLE", "shape", "[3]", "value", "2.5")
		sound("added")
		if got := fmt.Sprint(elements(t, d, "extra")); got != "[2.5 2.5 2.5]" {
			t.Errorf("%s: %s", name, got)
		}
		actOn(t, d, "convert-type", "", "name", "extra", "type", "FLOAT")
		sound("converted")
		if got := fmt.Sprint(elements(t, d, "extra")); got != "[2.5 2.5 2.5]" {
			t.Errorf("%s converted: %s", name, got)
		}
		actOn(t, d, "add-variable", "", "name", "in", "kind", "PLACEHOLDER", "type", "FLOAT", "shape", "[-1, 2]", "value", "0")
		sound("placeholder")
		actOn(t, d, "drop-variable", "", "name", "extra")
		actOn(t, d, "rename-operation", "", "from", "affine", "to", "linear")
		sound("renamed")
		actOn(t, d, "drop-operation", "", "name", "linear")
		sound("dropped")
		if got := fmt.Sprint(elements(t, d, "w")); got != "[1 -2 0.5 3]" {
			t.Errorf("%s: w = %s", name, got)
		}
	}
}

// TestOperationHash compares with numbers in files of the software.
func TestOperationHash(t *testing.T) {
	for name, want := range map[string]int64{"add": -5176033361941572836, "matmul": -273014250715117663, "conv2d": 7325441780195652299} {
		if got := operationHash(name); got != want {
			t.Errorf("%s: %d, not %d", name, got, want)
		}
	}
}

// TestArraysOutside converts and drops arrays that are not in the graph: in SDNB files, also inside of others, and in ARRAYS sections.
func TestArraysOutside(t *testing.T) {
	for _, c := range []struct{ file string }{{"blobs.sdnb"}, {"stored.sdz"}, {"deflated.sdz"}, {"in-sdnb.sdc"},
		{"arrays.sdc"}, {"list.sdc"}, {"deflated-parts.sdc"}} {
		d := openSample(t, "good", c.file)
		if err := main(d.Tree).st.openAll(context.Background(), d.Tree); err != nil {
			t.Fatal(err)
		}
		list, _ := main(d.Tree).st.arrays(context.Background(), d.Tree)
		tried := 0
		for _, a := range list {
			if a.where == "inline" || types[a.typ] == nil || a.bytes == 0 {
				continue
			}
			was := fmt.Sprint(elements(t, d, a.name))
			act := func(what string, args ...string) *model.Document {
				e := openSample(t, "good", c.file)
				actOn(t, e, what, "", args...)
				e = openModel(t, c.file, bytesOf(t, e, c.file))
				if bad := errorsOf(t, e); len(bad) > 0 {
					t.Errorf("%s: %s of %s: %v", c.file, what, a.name, bad)
				}
				return e
			}
			tried++
			e := act("convert-type", "name", a.name, "type", "DOUBLE")
			if got := fmt.Sprint(elements(t, e, a.name)); got != was {
				t.Errorf("%s: %s is %s, not %s", c.file, a.name, got, was)
			}
			for _, other := range list {
				if other.name != a.name && fmt.Sprint(elements(t, e, other.name)) != fmt.Sprint(elements(t, d, other.name)) {
					t.Errorf("%s: with %s, %s changed", c.file, a.name, other.name)
				}
			}
		}
		if tried == 0 {
			t.Errorf("%s: no array outside the graph", c.file)
		}
	}
}

// TestGraphRefusals refuses what would leave a graph that readers refuse.
func TestGraphRefusals(t *testing.T) {
	d := openModel(t, "g.fb", fb(inline()))
	for action, args := range map[string]map[string]string{
		"drop-variable": {"name": "w"}, "add-variable": {"name": "w", "kind": "CONSTANT", "type": "FLOAT", "shape": "[1]", "value": "0"},
		"convert-type": {"name": "w", "type": "INT8"}, "rename-operation": {"from": "affine", "to": "affine"},
	} {
		for _, a := range actions {
			if a.Name == action {
				if _, err := a.Plan(context.Background(), d.Tree, d.Tree.Root, args); err == nil {
					t.Errorf("%s %v is not refused", action, args)
				}
			}
		}
	}
}

// TestSetCells types into cells of tables.
func TestSetCells(t *testing.T) {
	texts := smallGraph(shapeInfoOf([]int64{2, 2}, 1, -2, 0.5, 3), shapeInfoOf([]int64{2}, 0.25, -1))
	texts[1] = append(texts[1].([]tableSpec), varOf(20, "s", varConstant,
		tableSpec{2: e(dtypeUTF8), 4: tableSpec{0: []int64{1, 2, 1, 1048576, 1, 99},
			1: append([]byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}, "abc"...), 2: e(dtypeUTF8), 3: e(1)}}))
	d := openModel(t, "t.fb", fb(texts))
	set := func(table string, row int64, column int, text string) {
		t.Helper()
		for _, x := range Format.Tables(context.Background(), d.Tree) {
			if x.Name == table {
				edits, err := x.Set(context.Background(), []model.Typed{{Row: row, Column: column, Text: text}})
				if err != nil {
					t.Fatal(table, err)
				}
				apply(t, d, edits...)
			}
		}
		d = openModel(t, "t.fb", bytesOf(t, d, "t.fb"))
		if bad := errorsOf(t, d); len(bad) > 0 {
			t.Errorf("%s: %v", table, bad)
		}
	}
	set("w", 1, 2, "7.5")
	set("s", 1, 1, "a text that is longer than the old one")
	set("variables", 1, 0, "weights")
	set("variables", 0, 3, "[-1, 5]")
	set("nodes", 0, 1, "linear")
	if got := fmt.Sprint(elements(t, d, "weights")); got != "[1 7.5 0.5 3]" {
		t.Error(got)
	}
	for _, x := range Format.Tables(context.Background(), d.Tree) {
		if x.Name == "s" {
			rows, err := x.Read(context.Background(), 0, 2)
			if err != nil || rows[0][1].Value.Text() != "a" || rows[1][1].Value.Text() != "a text that is longer than the old one" {
				t.Error(rows, err)
			}
		}
	}
}

// A type of a variable of a graph that has none is refused with the reason.
func TestSetTypeOfOld(t *testing.T) {
	d := openModel(t, "old.fb", damagedGraphs()["188-narrow.fb"])
	for _, x := range Format.Tables(context.Background(), d.Tree) {
		if x.Name == "variables" {
			if _, err := x.Set(context.Background(), []model.Typed{{Row: 0, Column: 1, Text: "CONSTANT"}}); err == nil || !strings.Contains(err.Error(), "no type") {
				t.Error(err)
			}
			return
		}
	}
	t.Error("no table of variables")
}
