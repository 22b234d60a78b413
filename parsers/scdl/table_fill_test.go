package scdl

import (
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// filled gives a table of a document other rows from one on, as columns and texts: "genes=[...] values=[...]".
func filled(t *testing.T, d *model.Document, name string, from int64, rows ...string) error {
	t.Helper()
	for _, tab := range d.Tree.Tables(t.Context()) {
		if tab.Name != name {
			continue
		}
		edits, err := tab.Fill(t.Context(), model.GivenRows{From: from, N: int64(len(rows)), Cell: func(row int64, column int) model.Typed {
			for _, part := range strings.Split(rows[row-from], "; ") {
				if text, ok := strings.CutPrefix(part, tab.Columns[column].Name+"="); ok {
					return model.Typed{Row: row, Column: column, Text: text}
				}
			}
			return model.Typed{Row: row, Column: column, Missing: true}
		}})
		if err != nil {
			return err
		}
		p, err := d.Plan(t.Context(), "fill", edits...)
		if err == nil {
			d.Apply(t.Context(), p, nil)
		}
		return err
	}
	t.Fatalf("no table %s", name)
	return nil
}

const (
	fourCells = "0 2 [ACTB, IL2] [5, 300]|1 0 [] []|2 3 [CD4, GAPDH, TP53] [7, 1, 2]|3 2 [ACTB, TP53] [9, 4]"
	known     = "0 B 0|0 B 0.5|0 T 1|0 NK 1.5"
)

// Rows come and go in each of the tables; what else is known of the others stays theirs.
func TestFill(t *testing.T) {
	for _, c := range []struct {
		table              string
		from               int64
		rows               []string
		matrix, obs, genes string
	}{
		{"matrix", 4, []string{`genes=["TP53", "CD4"]; values=[8, 65535]`, `cell=5; count=0`}, fourCells + "|4 2 [CD4, TP53] [65535, 8]|5 0 [] []", known + "|0  0|0  0", ""},
		{"matrix", 1, []string{"cell=2", "cell=3"}, "0 2 [ACTB, IL2] [5, 300]|1 3 [CD4, GAPDH, TP53] [7, 1, 2]|2 2 [ACTB, TP53] [9, 4]", "0 B 0|0 T 1|0 NK 1.5", ""},
		{"matrix", 0, []string{`cell=1; genes=[]`, `cell=3; genes=["ACTB", "TP53"]`}, "0 0 [] []|1 2 [ACTB, TP53] [9, 4]", "0 B 0.5|0 NK 1.5", ""},
		{"matrix", 2, nil, "0 2 [ACTB, IL2] [5, 300]|1 0 [] []", "0 B 0|0 B 0.5", ""},
		{"matrix", 3, []string{`cell=3; genes=["ACTB", "TP53"]; values=[9, 4]`, `cell=4; genes=["IL2"]; values=[1]`}, fourCells + "|4 1 [IL2] [1]", known + "|0  0", ""},
		{"cells", 4, []string{"cell_type=ŻZ; score=2.5", "block=0; score=3"}, fourCells + "|4 0 [] []|5 0 [] []", known + "|0 ŻZ 2.5|0  3", ""},
		{"cells", 0, []string{"cell_type=B; score=0.5", "cell_type=NK; score=1.5"}, "0 0 [] []|1 2 [ACTB, TP53] [9, 4]", "0 B 0.5|0 NK 1.5", ""},
		{"genes", 5, []string{"feature_name=new; score=9", "feature_name=newer"}, fourCells, known, "0 ACTB 0|0 CD4 0.5|0 GAPDH 1|0 IL2 1.5|0 TP53 2|0 new 9|0 newer 0"},
		{"genes", 1, []string{"feature_name=GAPDH", "feature_name=TP53"}, "0 1 [ACTB] [5]|1 0 [] []|2 2 [GAPDH, TP53] [1, 2]|3 2 [ACTB, TP53] [9, 4]", known,
			"0 ACTB 0|0 GAPDH 1|0 TP53 2"},
	} {
		d := good().open(t)
		if err := filled(t, d, c.table, c.from, c.rows...); err != nil {
			t.Errorf("%s %v: %v", c.table, c.rows, err)
			continue
		}
		again := sound(t, d, c.table+" "+strings.Join(c.rows, ", "))
		for name, want := range map[string]string{"matrix": c.matrix, "cells": c.obs, "genes": c.genes} {
			if got := strings.Join(rowsOf(t, again, name), "|"); got != want && want != "" {
				t.Errorf("%s %v: %s\n%s\n%s", c.table, c.rows, name, got, want)
			}
		}
	}
}

// Cells that go from several places take their neighbours with them, and the others keep theirs under their new numbers.
func TestFillNeighbors(t *testing.T) {
	for _, c := range []struct {
		from int64
		rows []string
	}{{1, []string{"cell=2"}}, {4, []string{"cell=4", "cell=5"}}, {0, []string{"cell=0", "cell=2", "cell=3"}}} {
		d, single := neighbors().open(t), neighbors().open(t)
		if err := filled(t, d, "matrix", c.from, c.rows...); err != nil {
			t.Fatal(err)
		}
		switch c.from { // the same by actions
		case 1:
			act(t, single, "drop-cells", "", "from", "3", "to", "3")
			act(t, single, "drop-cells", "", "from", "1", "to", "1")
		case 0:
			act(t, single, "drop-cells", "", "from", "1", "to", "1")
		default:
			act(t, single, "add-cell", "")
			act(t, single, "add-cell", "")
		}
		again, want := sound(t, d, "filled"), sound(t, single, "acted")
		for _, file := range []string{"neighbor_indptr.npy", "neighbor_indices.npy", "neighbor_values.npy", "row_ptr.npy", "col_ptr.npy", "data.npy", "header.sch"} {
			if a, b := bytesOf(t, again, file), bytesOf(t, want, file); string(a) != string(b) {
				t.Errorf("from %d, %s: % x, want % x", c.from, file, a, b)
			}
		}
	}
}

// In several blocks rows are added to the last one, and genes go from all of them, with their values.
func TestFillBlocks(t *testing.T) {
	d := ragged(4).open(t)
	if err := filled(t, d, "matrix", 1, "cell=3"); err != nil {
		t.Fatal(err)
	}
	if err := filled(t, d, "genes", 10, "var_feature_id=late; block=3"); err != nil {
		t.Fatal(err)
	}
	if err := filled(t, d, "matrix", 2, `genes=["late"]; values=[9]`); err != nil {
		t.Fatal(err)
	}
	again := sound(t, d, "blocks")
	if got := strings.Join(rowsOf(t, again, "matrix"), "|"); got != "0 1 [g0_0] [1]|1 1 [g3_3] [4]|2 1 [late] [9]" {
		t.Errorf("matrix %s", got)
	}
	for _, c := range []struct {
		table string
		from  int64
		row   string
		want  string
	}{
		{"genes", 11, "var_feature_id=x; block=0", `row 0 of the new rows, column "block": new rows belong to the last block, 3`},
		{"genes", 0, "var_feature_id=late", "no gene of block 0 would be left"},
		{"genes", 1, "var_feature_id=late; block=3", "no gene of block 1 would be left"},
	} {
		if err := filled(t, again, c.table, c.from, c.row); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, not %s", c.row, err, c.want)
		}
	}
	d = ragged(4).open(t)
	if err := filled(t, d, "genes", 1, "var_feature_id=g1_1", "var_feature_id=g2_0", "var_feature_id=g2_2", "var_feature_id=g3_0", "var_feature_id=g3_1",
		"var_feature_id=g3_2"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rowsOf(t, sound(t, d, "blocks"), "matrix"), "|"); got != "0 1 [g0_0] [1]|1 1 [g1_1] [2]|2 1 [g2_2] [3]|3 0 [] []" {
		t.Errorf("matrix %s", got)
	}
}

// What the archive cannot hold is refused with its row and column; what would lose or mix up cells, with both rows.
func TestFillRefused(t *testing.T) {
	for _, c := range []struct {
		table string
		from  int64
		rows  []string
		want  string
	}{
		{"matrix", 4, []string{`genes=["IL2"]; values=[1]`, `genes=["IL9"]; values=[1]`}, `row 1 of the new rows, column "genes": there is no gene "IL9"`},
		{"matrix", 4, []string{`genes=["IL2", "IL2"]; values=[1, 2]`}, `row 0 of the new rows, column "genes": gene "IL2" occurs twice`},
		{"matrix", 4, []string{`genes="IL2"]; values=[1]`}, `row 0 of the new rows, column "genes": "\"IL2\"]" is not a list like [1, 2]`},
		{"matrix", 4, []string{`genes=["IL2"]; values=[1, 2]`}, `row 0 of the new rows, column "values": 1 genes and 2 values`},
		{"matrix", 4, []string{`genes=["IL2"]; values=[70000]`}, `row 0 of the new rows, column "values"`},
		{"matrix", 4, []string{`genes=["IL2"]; values=7`}, `row 0 of the new rows, column "values": "7" is not a list`},
		{"matrix", 4, []string{`cell=7`}, `row 0 of the new rows, column "cell": it becomes cell 4`},
		{"matrix", 4, []string{`count=1`}, `row 0 of the new rows, column "count"`},
		{"matrix", 0, []string{"values=[]", "values=[9, 4]"}, ""},
		{"matrix", 3, []string{`cell=3; values=[9, 5]`}, "row 3 would be removed, but row 0 of the new rows is new"},
		{"matrix", 0, nil, "no cell would be left"},
		{"matrix", 0, []string{"cell=1"}, "no value would be left"},
		{"cells", 4, []string{"cell_type=x; score=y"}, "row 0 of the new rows, column score"},
		{"cells", 4, []string{"cell_type=x; block=1"}, `row 0 of the new rows, column "block"`},
		{"cells", 0, []string{"cell_type=B", "cell_type=T", "cell_type=NK"}, "rows 0 and 1 are equal in the given columns"},
		{"cells", 0, []string{"cell_type=X", "cell_type=Y", "cell_type=Z"}, "row 0 would be removed, but row 0 of the new rows is new"},
		{"cells", 2, []string{"cell_type=X", "cell_type=NK", "cell_type=Z"}, "row 0 of the new rows is new, but row 1 existed"},
		{"genes", 0, nil, "none of the genes would be left"},
		{"genes", 3, []string{"feature_name=TP53", "feature_name=IL2"}, "is new"},
	} {
		d := good().open(t)
		err := filled(t, d, c.table, c.from, c.rows...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s from %d %v: %v, not %s", c.table, c.from, c.rows, err, c.want)
		}
	}
	cut := good()
	cut["data.npy"] = cut["data.npy"][:12]
	if err := filled(t, cut.open(t), "matrix", 4, "cell=4"); err == nil || !strings.Contains(err.Error(), "repair the archive first") {
		t.Errorf("a damaged archive: %v", err)
	}
}

// Where row pointers are too narrow for more values, all become wider, and the header says so.
func TestFillNarrow(t *testing.T) {
	d := good().open(t)
	ptr := func(d *model.Document) *rawArray {
		return model.StateOf[*archiveState](d.Tree).archives[0].raws["row_ptr.npy"]
	}
	was := ptr(d).dtype
	rows := slices.Repeat([]string{`genes=["ACTB", "CD4", "GAPDH", "IL2", "TP53"]; values=[1, 1, 1, 1, 1]`}, 60)
	if err := filled(t, d, "matrix", 4, rows...); err != nil {
		t.Fatal(err)
	}
	again := sound(t, d, "wider pointers")
	if is := ptr(again).dtype; was != 1 || is != 2 {
		t.Errorf("the type of the pointers was %d and is %d", was, is)
	}
	got := rowsOf(t, again, "matrix")
	if strings.Join(got[:4], "|") != fourCells || got[63] != "63 5 [ACTB, CD4, GAPDH, IL2, TP53] [1, 1, 1, 1, 1]" {
		t.Errorf("%q", got)
	}
}

// An archive with nothing but the values of its cells grows and shrinks too.
func TestFillBare(t *testing.T) {
	f := good()
	for name := range f {
		if strings.HasPrefix(name, "obs_features/dataframe") {
			delete(f, name)
		}
	}
	f["obs_features/cumulative_sum_index.npy"] = npyfile.Ints([]int64{-1})
	f["obs_features/labels.json"] = []byte("[]")
	d := f.open(t)
	if err := filled(t, d, "matrix", 1, "cell=2", "cell=3"); err != nil {
		t.Fatal(err)
	}
	if err := filled(t, d, "matrix", 3, `genes=["IL2"]; values=[6]`); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rowsOf(t, d, "matrix"), "|"); got != "0 2 [ACTB, IL2] [5, 300]|1 3 [CD4, GAPDH, TP53] [7, 1, 2]|2 2 [ACTB, TP53] [9, 4]|3 1 [IL2] [6]" {
		t.Error(got)
	}
}
