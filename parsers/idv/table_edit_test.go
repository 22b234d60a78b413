package idv

import (
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
				edits, err := tab.Set(t.Context(), []model.Typed{{Row: row, Column: j, Text: typed(from, text)}})
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

// typed is a cell as a person types it: texts inside vectors stand in quotes.
func typed(c model.Cell, text string) string {
	if !c.Vector || len(c.Items) == 0 || c.Items[0].Kind != model.Text {
		return text
	}
	return text
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
