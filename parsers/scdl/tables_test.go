package scdl

import (
	"context"
	"fmt"
	"testing"

	"spandrel/model"
)

// tableText reads a whole table of a document as text.
func tableText(t *testing.T, d *model.Document, name string) string {
	t.Helper()
	for _, tab := range d.Tree.Tables(context.Background()) {
		if tab.Name != name {
			continue
		}
		rows, err := tab.Read(context.Background(), 0, tab.Rows)
		if err != nil || int64(len(rows)) != tab.Rows {
			t.Fatalf("%s: %d of %d rows, %v", name, len(rows), tab.Rows, err)
		}
		out := ""
		for _, r := range rows {
			for i, c := range r {
				if i > 0 {
					out += " "
				}
				out += c.String()
			}
			out += "; "
		}
		return out
	}
	t.Fatalf("no table %s", name)
	return ""
}

func TestScdlTables(t *testing.T) {
	const matrix = "0 2 [ACTB, IL2] [5, 300]; 1 0 [] []; 2 3 [CD4, GAPDH, TP53] [7, 1, 2]; 3 2 [ACTB, TP53] [9, 4]; "
	for _, c := range []struct {
		f           fileset
		table, want string
	}{
		{good(), "matrix", matrix},
		{chunks(), "matrix", matrix},
		{ragged(3), "matrix", "0 1 [g0_0] [1]; 1 1 [g1_1] [2]; 2 1 [g2_2] [3]; "},
		{legacy(), "matrix", "0 2 [ACTB, IL2] [5, 6]; 1 0 [] []; 2 3 [CD4, GAPDH, TP53] [7, 1, 2]; 3 2 [ACTB, TP53] [9, 4]; "},
		{bothOf(good(), ragged(2)), "first/matrix", matrix},
		{good(), "dense", "5; 0; 0; 300; 0; 0; 0; 0; 0; 0; 0; 7; 1; 0; 2; 9; 0; 0; 0; 4; "},
		{chunks(), "dense", "5; 0; 0; 300; 0; 0; 0; 0; 0; 0; 0; 7; 1; 0; 2; 9; 0; 0; 0; 4; "},
		{good(), "genes", "0 ACTB 0; 0 CD4 0.5; 0 GAPDH 1; 0 IL2 1.5; 0 TP53 2; "},
		{good(), "cells", "0 B 0; 0 B 0.5; 0 T 1; 0 NK 1.5; "},
		{good(), "row_ptr.npy", "0 0; 1 2; 2 2; 3 5; 4 7; "},
	} {
		if got := tableText(t, c.f.open(t), c.table); got != c.want {
			t.Errorf("%s is\n%s\nnot\n%s", c.table, got, c.want)
		}
	}
}

// Genes of the blocks that are meant are shown, also where a stale file would shift them.
func TestScdlStaleBlocks(t *testing.T) {
	f := ragged(11)
	f["var_features/dataframe_0.parquet"] = f["var_features/dataframe_10.parquet"]
	d := f.open(t)
	want := ""
	for i := range 11 {
		want += fmt.Sprintf("%d 1 [g%d_%d] [%d]; ", i, i, i, i+1)
	}
	if got := tableText(t, d, "matrix"); got != want {
		t.Errorf("matrix is %s", got)
	}
	if hits := findings(t, d, "083"); len(hits) > 0 {
		t.Error("columns are judged by the stale block")
	}
}

// Values of an inline header are big-endian; those of a header alone have no archive.
func TestScdlInlineTable(t *testing.T) {
	f := fileset{"header.sch": append(headOf(item{name: "x", length: 2, dtype: 2})[:34], 1, 2, 3, 4)}
	dir := t.TempDir()
	f.write(t, dir)
	if got := tableText(t, open(t, dir+"/header.sch"), "x"); got != "0 258; 1 772; " {
		t.Errorf("inline values %s", got)
	}
}

// A slice of the matrix with its zeros is read by itself, and of a cell whose row pointers are wrong no value is made up.
func TestScdlDense(t *testing.T) {
	table := func(f fileset) model.Table {
		for _, tab := range f.open(t).Tree.Tables(t.Context()) {
			if tab.Name == "dense" {
				return tab
			}
		}
		t.Fatal("no table")
		return model.Table{}
	}
	tab := table(good())
	if tab.Tensor == nil || fmt.Sprint(tab.Tensor.Shape) != "[4 5]" {
		t.Fatalf("%+v", tab.Tensor)
	}
	rows, err := tab.Read(t.Context(), 3, 10)
	if err != nil || len(rows) != 10 || rows[0][0].String() != "300" || rows[0][0].Range.Len == 0 || rows[1][0].Range.Len != 0 || rows[8][0].String() != "7" {
		t.Errorf("%v, %v", rows, err)
	}
	f := good()
	f["row_ptr.npy"] = append([]byte(nil), f["row_ptr.npy"]...)
	w := len(f["row_ptr.npy"]) / 5
	for i := 2 * w; i < 3*w; i++ {
		f["row_ptr.npy"][i] = 0xff
	}
	if rows, err := table(f).Read(t.Context(), 10, 5); err != nil || len(rows) != 5 || rows[1][0].Trouble == "" {
		t.Errorf("%v, %v", rows, err)
	}
}
