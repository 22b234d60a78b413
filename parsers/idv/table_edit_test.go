package idv

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"spandrel/model"
)

// TestSetCells types a value into cells of every type of the sample, and has the strict reader find it.
func TestSetCells(t *testing.T) {
	for _, deflated := range []bool{false, true} {
		b := sample(deflated).encode()
		d := open(t, "x.idv", b)
		tab := d.Tree.Tables(t.Context())[0]
		tried := 0
		for j, col := range tab.Columns {
			rows, err := tab.Read(t.Context(), 0, tab.Rows)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range []int64{0, tab.Rows - 1} {
				// What stands in another row can be typed into this one.
				from := rows[(row+1)%tab.Rows][j]
				text := from.String()
				if !from.Vector && from.Label != "" && col.Kind != model.Text {
					text = from.Value.String()
				}
				if from.Trouble != "" || from.Value.Kind == model.None && !from.Vector {
					continue
				}
				d := open(t, "x.idv", b)
				tab := d.Tree.Tables(t.Context())[0]
				edits, err := tab.Set(t.Context(), []model.Typed{{Row: row, Column: j, Text: text}})
				if err != nil {
					t.Errorf("column %s: %q: %v", col.Name, text, err)
					continue
				}
				do(t, d, edits, nil)
				again, err := d.Tree.Tables(t.Context())[0].Read(t.Context(), 0, tab.Rows)
				if err != nil {
					t.Fatal(err)
				}
				for i := range again {
					want := rows[i][j]
					if int64(i) == row {
						want = from
					}
					if again[i][j].String() != want.String() {
						t.Errorf("column %s, row %d is %s, want %s", col.Name, i, again[i][j], want)
					}
				}
				tried++
			}
		}
		if tried < len(tab.Columns) {
			t.Errorf("%d cells of %d columns were tried", tried, len(tab.Columns))
		}
	}
}

// A float can become the other zero, at its field and in the table.
func TestZeros(t *testing.T) {
	f := one(typeSpec{load: "Single"}, make([]byte, 8), 2)
	d := open(t, "x.idv", f.encode())
	do(t, d, []model.Edit{model.Set{Path: "blocks[0]/decoded/values[0]", Value: model.F(math.Copysign(0, -1))}}, nil)
	edits, err := d.Tree.Tables(t.Context())[0].Set(t.Context(), []model.Typed{{Row: 1, Text: "-0"}})
	do(t, d, edits, err)
	rows, err := d.Tree.Tables(t.Context())[0].Read(t.Context(), 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		if !math.Signbit(r[0].Value.Float()) {
			t.Errorf("row %d is %s", i, r[0])
		}
	}
}

// A header that says fewer rows than there are is noticed, and can be put right.
func TestFewerRows(t *testing.T) {
	f := one(typeSpec{load: "Int32"}, le(8, 7), 2)
	f.rows, f.rpb = 2, 1
	f.cols[0].raw = [][]byte{le(4, 7), le(4, 8)}
	b := f.encode()
	b[40] = 1
	d := open(t, "x.idv", b)
	if _, all := rulesOf(t, d); !all["IDV-058"] {
		t.Fatalf("%v", all)
	}
}

// A block of no bytes cannot hold rows.
func TestNoBytes(t *testing.T) {
	b := one(typeSpec{load: "Int32"}, le(8, 7), 2).encode()
	clear(b[256+8+8 : 256+8+16]) // both lengths of the lookup entry
	d := open(t, "x.idv", b)
	if errors, _ := rulesOf(t, d); len(errors) == 0 {
		t.Error("no error is found")
	}
}

// TestSalvageDoubtful checks that no values are saved from a block that inflates to more than its length: some are not those that were saved.
func TestSalvageDoubtful(t *testing.T) {
	d := open(t, "x.idv", bad()["104-more.idv"])
	if got, err := Format.Salvage(t.Context(), d.Tree); err == nil {
		t.Errorf("saved %v", got.Parts)
	}
}

func TestSalvage(t *testing.T) {
	f := sample(true)
	whole := f.encode()
	for name, b := range map[string][]byte{
		"whole.idv":    whole,
		"tail.idv":     whole[:len(whole)-8],
		"header.idv":   append(make([]byte, 256), whole[256:]...),
		"rows.idv":     append(append(slices.Clone(whole[:40]), 99), whole[41:]...),
		"near-end.idv": whole[:len(whole)-40],
	} {
		d := open(t, name, b)
		got, err := Format.Salvage(t.Context(), d.Tree)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		src := got.Files[name]
		out := make([]byte, src.Len())
		src.ReadAt(out, 0)
		p, err := readStrict(out)
		if err != nil {
			t.Errorf("%s: %v, %v", name, err, got.Parts)
			continue
		}
		if errors, _ := rulesOf(t, open(t, name, out)); len(errors) > 0 {
			t.Errorf("%s: what was salvaged has errors: %v", name, errors)
		}
		if len(p.cols) == 0 || p.rows == 0 {
			t.Errorf("%s: %d columns, %d rows: %v", name, len(p.cols), p.rows, got.Parts)
		}
		if (name == "whole.idv" || name == "tail.idv" || name == "rows.idv") && (len(p.cols) != len(f.cols) || p.rows != 8) {
			t.Errorf("%s: %v", name, got.Parts)
		}
	}
}

// A block whose bytes are those of another too is stored elsewhere when a cell of it is edited: the other keeps what it holds.
func TestSharedBlock(t *testing.T) {
	b, err := os.ReadFile("../../testdata/idv/bad/055-overlap.idv")
	if err != nil {
		t.Fatal(err)
	}
	for row := range int64(4) {
		d := open(t, "x.idv", b)
		was, err := d.Tree.Tables(t.Context())[0].Read(t.Context(), 0, 4)
		if err != nil {
			t.Fatal(err)
		}
		edits, err := d.Tree.Tables(t.Context())[0].Set(t.Context(), []model.Typed{{Row: row, Text: "77"}})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := d.Plan(t.Context(), "cell", edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(t.Context(), plan, nil)
		is, err := d.Tree.Tables(t.Context())[0].Read(t.Context(), 0, 4)
		if err != nil {
			t.Fatal(err)
		}
		was[row][0].Value = model.I(77)
		for i := range was {
			for j := range was[i] {
				if is[i][j].String() != was[i][j].String() {
					t.Errorf("row %d of column %d is %s, want %s", i, j, is[i][j], was[i][j])
				}
			}
		}
	}
}

// Of a tidy stream that gets a value which would stay where it is beside one that would not, nothing is left behind.
func TestCellsTogetherLeaveNothing(t *testing.T) {
	b := sample(false).encode()
	d := open(t, "x.idv", b)
	tab := d.Tree.Tables(t.Context())[0]
	column := func(kind model.Kind) int {
		return slices.IndexFunc(tab.Columns, func(c model.Column) bool { return c.Kind == kind })
	}
	cells := []model.Typed{{Row: 1, Column: column(model.Text), Text: "a longer text than it was"}, {Row: 1, Column: column(model.Float), Text: "0.125"}}
	edits, err := tab.Set(t.Context(), cells)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := d.Plan(t.Context(), "cells", edits...); err != nil || len(p.Notes) > 0 {
		t.Fatalf("%q, %v", p.Notes, err)
	}
	do(t, d, edits, nil)
	for _, s := range stateOf(d.Tree).all() {
		if !s.tidy() {
			t.Error("bytes are left that nothing refers to")
		}
	}
	rows, err := d.Tree.Tables(t.Context())[0].Read(t.Context(), 1, 1)
	for _, c := range cells {
		if err != nil || rows[0][c.Column].String() != c.Text {
			t.Errorf("%s is %s, want %s, %v", tab.Columns[c.Column].Name, rows[0][c.Column], c.Text, err)
		}
	}
}

// Every cell as it is typed is the same in another row: a sparse vector keeps its positions and its length.
func TestTypedCells(t *testing.T) {
	b := sample(false).encode()
	tab := open(t, "x.idv", b).Tree.Tables(t.Context())[0]
	rows, err := tab.Read(t.Context(), 0, tab.Rows)
	if err != nil {
		t.Fatal(err)
	}
	sparse := 0
	for j := range tab.Columns {
		for i, row := range rows {
			from, to := row[j], (int64(i)+1)%tab.Rows
			if from.Trouble != "" {
				continue
			}
			if from.Index != nil {
				sparse++
			}
			d := open(t, "x.idv", b)
			text, missing := from.Typed(&tab.Columns[j])
			edits, err := tab.Set(t.Context(), []model.Typed{{Row: to, Column: j, Text: text, Missing: missing}})
			if err != nil {
				if !missing { // not every type has missing values
					t.Errorf("column %s: %q: %v", tab.Columns[j].Name, text, err)
				}
				continue
			}
			do(t, d, edits, nil)
			again, err := d.Tree.Tables(t.Context())[0].Read(t.Context(), to, 1)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(again[0][j].JSON()), fmt.Sprint(from.JSON()); got != want {
				t.Errorf("column %s: %q is %s, want %s", tab.Columns[j].Name, text, got, want)
			}
		}
	}
	if sparse == 0 {
		t.Error("no sparse vector was tried")
	}
}

// The stored items of a sparse vector, typed as all items of a dense one, are another value.
func TestSparseIsNotDense(t *testing.T) {
	d := open(t, "x.idv", sample(false).encode())
	tab := d.Tree.Tables(t.Context())[0]
	rows, err := tab.Read(t.Context(), 0, tab.Rows)
	if err != nil {
		t.Fatal(err)
	}
	for j, col := range tab.Columns {
		for i, row := range rows {
			if c := row[j]; c.Index != nil && int64(len(c.Index)) < c.Len {
				c.Index = nil
				text, _ := c.Typed(&col)
				edits, err := tab.Edits(t.Context(), d.Tree, []model.Typed{{Row: int64(i), Column: j, Text: text}})
				if err == nil && len(edits) == 0 {
					t.Errorf("row %d of column %s: %s changes nothing", i, col.Name, text)
				}
			}
		}
	}
}
