package parsers

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"spandrel/model"
)

// What is salvaged of a sound document has its rows, and loses nothing. Of a damaged one it is opened and checked: it is not called valid
// where an error is left, and it is never empty.
func TestSalvageSamples(t *testing.T) {
	eachSample(t, func(t *testing.T, s sample) {
		ctx, d := context.Background(), s.open(t)
		if d.Format == nil || d.Format.Salvage == nil {
			return
		}
		saved, err := model.Salvage(ctx, d.Tree)
		made := salvaged(d.Tree)
		switch {
		case err != nil:
			if s.good {
				t.Fatal(err)
			}
			return
		case !s.good:
			if !slices.ContainsFunc(saved.Parts, func(p model.SalvagedPart) bool { return p.Saved > 0 }) && !saved.Whole() {
				t.Errorf("nothing is left: %v", saved.Parts)
			}
			return
		case !saved.Whole() || !saved.Valid():
			t.Fatalf("%v: %s", saved.Parts, saved.Verdict())
		case saved.Parts[0].What == "bytes":
			return
		}
		was, is := rowsOf(d.Tree), rowsOf(made)
		for name, w := range was {
			i := is[name]
			if w, i := lines(w), lines(i); !slices.Equal(w, i) {
				t.Errorf("%s: %d rows %.300v, and %d rows %.300v", name, len(w), w, len(i), i)
			}
		}
	})
}

// lines are the rows of a table in text, in no order: a sparse array has none.
func lines(p printed) (out []string) {
	for _, row := range p.rows {
		columns := make([]int, len(row))
		for i := range columns {
			columns[i] = i
		}
		out = append(out, fmt.Sprint(p.columns, text(row, columns)))
	}
	slices.Sort(out)
	return out
}
