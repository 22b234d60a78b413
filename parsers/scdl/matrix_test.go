package scdl

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"spandrel/model"
)

// rowsOf prints a table of a document, a row a line.
func rowsOf(t *testing.T, d *model.Document, name string) (out []string) {
	t.Helper()
	for _, tab := range d.Tree.Tables(t.Context()) {
		if tab.Name != name {
			continue
		}
		rows, err := tab.Read(t.Context(), 0, tab.Rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			var cells []string
			for _, c := range r {
				cells = append(cells, c.String())
			}
			out = append(out, strings.Join(cells, " "))
		}
	}
	return out
}

// sound saves a document, opens it again and checks all of it.
func sound(t *testing.T, d *model.Document, what string) *model.Document {
	t.Helper()
	if _, err := d.Save(t.Context(), model.SaveOptions{NoBackup: true}); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	again := open(t, d.Path)
	findings(t, again, "")
	for _, x := range allOf(again) {
		if x.Grade() != model.Note {
			t.Errorf("%s: %s %s: %s; found %s, expected %s", what, x.Rule.ID, x.Path(), x.Text(), x.Found, x.Expected)
		}
	}
	return again
}

// Cells and genes come and go with all that is known of them: every other cell keeps its values, names and neighbours.
func TestReshape(t *testing.T) {
	for _, c := range []struct {
		action      string
		args        []string
		matrix, obs string
	}{
		{"drop-cells", []string{"from", "1", "to", "2"}, "0 2 [ACTB, IL2] [5, 300]|1 2 [ACTB, TP53] [9, 4]", "0 B 0|0 NK 1.5"},
		{"drop-cells", []string{"from", "3", "to", "3"}, "0 2 [ACTB, IL2] [5, 300]|1 0 [] []|2 3 [CD4, GAPDH, TP53] [7, 1, 2]",
			"0 B 0|0 B 0.5|0 T 1"},
		{"add-cell", []string{"genes", "1, 4", "values", "8,65535", "name", "new"},
			"0 2 [ACTB, IL2] [5, 300]|1 0 [] []|2 3 [CD4, GAPDH, TP53] [7, 1, 2]|3 2 [ACTB, TP53] [9, 4]|4 2 [CD4, TP53] [8, 65535]",
			"0 B 0|0 B 0.5|0 T 1|0 NK 1.5|0 new 0"},
		{"add-cell", nil, "0 2 [ACTB, IL2] [5, 300]|1 0 [] []|2 3 [CD4, GAPDH, TP53] [7, 1, 2]|3 2 [ACTB, TP53] [9, 4]|4 0 [] []",
			"0 B 0|0 B 0.5|0 T 1|0 NK 1.5|0  0"},
		{"drop-genes", []string{"from", "1", "to", "3"}, "0 1 [ACTB] [5]|1 0 [] []|2 1 [TP53] [2]|3 2 [ACTB, TP53] [9, 4]",
			"0 B 0|0 B 0.5|0 T 1|0 NK 1.5"},
		{"add-gene", []string{"name", "new"}, "0 2 [ACTB, IL2] [5, 300]|1 0 [] []|2 3 [CD4, GAPDH, TP53] [7, 1, 2]|3 2 [ACTB, TP53] [9, 4]",
			"0 B 0|0 B 0.5|0 T 1|0 NK 1.5"},
	} {
		what := fmt.Sprint(c.action, c.args)
		d := good().open(t)
		act(t, d, c.action, "", c.args...)
		again := sound(t, d, what)
		if got := strings.Join(rowsOf(t, again, "matrix"), "|"); got != c.matrix {
			t.Errorf("%s: matrix\n%s\n%s", what, got, c.matrix)
		}
		if got := strings.Join(rowsOf(t, again, "cells"), "|"); got != c.obs {
			t.Errorf("%s: cells\n%s\n%s", what, got, c.obs)
		}
	}
}

// Blocks and neighbours follow when cells come and go: what is found of the archive stays what it was.
func TestReshapeBlocks(t *testing.T) {
	d := ragged(4).open(t)
	act(t, d, "drop-cells", "", "from", "1", "to", "2")
	again := sound(t, d, "a block of cells")
	if got := strings.Join(rowsOf(t, again, "matrix"), "|"); got != "0 1 [g0_0] [1]|1 1 [g3_3] [4]" {
		t.Errorf("matrix %s", got)
	}
	d = ragged(3).open(t)
	act(t, d, "add-gene", "", "block", "2", "name", "new")
	act(t, d, "add-cell", "", "genes", "3", "values", "9", "name", "late")
	again = sound(t, d, "a gene and its cell")
	if got := strings.Join(rowsOf(t, again, "matrix"), "|"); got != "0 1 [g0_0] [1]|1 1 [g1_1] [2]|2 1 [g2_2] [3]|3 1 [new] [9]" {
		t.Errorf("matrix %s", got)
	}
	d = neighbors().open(t)
	act(t, d, "drop-cells", "", "from", "1", "to", "1")
	again = sound(t, d, "neighbours")
	for file, want := range map[string][]byte{"neighbor_indptr.npy": le(8, 0, 0, 1, 2), "neighbor_indices.npy": le(4, 0, 1),
		"neighbor_values.npy": le(4, 0x40000000, 0x3f000000)} {
		if got := bytesOf(t, again, file); !bytes.Equal(got, want) {
			t.Errorf("%s: % x, want % x", file, got, want)
		}
	}
	d = neighbors().open(t)
	act(t, d, "add-cell", "")
	sound(t, d, "a cell without neighbours")
}

// What would leave a damaged archive, or is none of the archive's, is refused with a reason.
func TestReshapeRefused(t *testing.T) {
	cut := good()
	cut["data.npy"] = cut["data.npy"][:12]
	for _, c := range []struct {
		f      fileset
		action string
		args   map[string]string
	}{
		{good(), "drop-cells", map[string]string{"from": "0", "to": "3"}}, {good(), "drop-cells", map[string]string{"from": "3", "to": "9"}},
		{good(), "drop-cells", map[string]string{"from": "2", "to": "1"}}, {cut, "drop-cells", map[string]string{"from": "1", "to": "1"}},
		{chunks(), "drop-cells", map[string]string{"from": "1", "to": "1"}}, {good(), "add-cell", map[string]string{"genes": "5", "values": "1"}},
		{good(), "add-cell", map[string]string{"genes": "2,1", "values": "1,1"}}, {good(), "add-cell", map[string]string{"genes": "1"}},
		{good(), "add-cell", map[string]string{"genes": "1", "values": "70000"}},
		{good(), "drop-genes", map[string]string{"from": "0", "to": "4", "block": "0"}},
		{good(), "drop-genes", map[string]string{"from": "0", "to": "1", "block": "1"}}, {good(), "add-gene", map[string]string{"block": "-1"}},
	} {
		d := c.f.open(t)
		for _, a := range actions {
			if a.Name != c.action {
				continue
			}
			if _, err := a.Plan(t.Context(), d.Tree, d.Tree.Root, c.args); err == nil {
				t.Errorf("%s %v was made", c.action, c.args)
			}
		}
	}
}

// Cells of the tables of genes and cells take values of the type of their column; the other cells stay as they are.
func TestSetFeatures(t *testing.T) {
	d := ragged(3).open(t)
	for _, tab := range d.Tree.Tables(t.Context()) {
		if tab.Name != "genes" {
			continue
		}
		edits, err := tab.Set(t.Context(), []model.Typed{{Row: 1, Column: 1, Text: "(null)"}, {Row: 5, Column: 2, Text: "-0.125"},
			{Row: 3, Column: 1, Text: "żółw"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tab.Set(t.Context(), []model.Typed{{Row: 1, Column: 2, Text: "many"}}); err == nil {
			t.Error("a text was taken for a number")
		}
		p, err := d.Plan(t.Context(), "set", edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(t.Context(), p, nil)
	}
	again := sound(t, d, "features")
	want := "0 g0_0 0|1 (null) 0|1 g1_1 0.5|2 żółw 0|2 g2_1 0.5|2 g2_2 -0.125"
	if got := strings.Join(rowsOf(t, again, "genes"), "|"); got != want {
		t.Errorf("genes\n%s\n%s", got, want)
	}
}
