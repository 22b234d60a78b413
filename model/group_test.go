package model

import (
	"context"
	"math"
	"testing"
)

// What cannot be read has a group of its own, and what is no number is left out of sums, wherever it stands.
func TestGroups(t *testing.T) {
	table := Table{Name: "x", Columns: Columns("kind utf8, size f64")}
	g := NewGroups(&table, []int{0}, []Aggregate{{What: "count", Column: -1, Name: "count"}, {What: "min", Column: 1, Name: "min"}, {What: "mean", Column: 1, Name: "mean"}})
	for _, r := range []Row{{{Value: S("a")}, {Value: F(math.NaN())}}, {{Value: S("a")}, {Value: F(3)}}, {{Value: S("a")}, {Value: F(1)}}, {{Trouble: "torn"}, {Value: F(7)}}, {{Value: S("a")}}, {}} {
		if err := g.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	out := g.Table()
	rows, err := out.Read(context.Background(), 0, 9)
	if err != nil || len(rows) != 3 {
		t.Fatal(rows, err)
	}
	if r := rows[0]; r[1].Value.Uint() != 4 || r[2].Value.Float() != 1 || r[3].Value.Float() != 2 {
		t.Errorf("of a: %v", r)
	}
	if rows[1][0].Trouble != "torn" || rows[2][0].Trouble == "" {
		t.Errorf("what cannot be read: %v, %v", rows[1], rows[2])
	}
}
