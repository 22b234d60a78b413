package parsers

import (
	"context"
	"fmt"
	"testing"

	"spandrel/model"
)

// fewRows is how many rows of a table are read.
const fewRows = 256

// rowsBy counts the first rows of the tables that a document is opened for, of those whose first cell can be read.
func rowsBy(ctx context.Context, t *model.Tree) map[string]int {
	out := map[string]int{}
	for _, x := range t.Tables(ctx) {
		if x.Aside || x.Groups {
			continue
		}
		rows, _ := x.Read(ctx, 0, min(x.Rows, fewRows))
		for _, r := range rows {
			if len(r) > 0 && r[0].Value.Kind != model.None {
				out[x.Name]++
			}
		}
	}
	return out
}

// named is true where a table that was not there before has n rows: a repair of a name gives a table its other name.
func named(before, after map[string]int, n int) bool {
	for name, rows := range after {
		if _, was := before[name]; !was && rows >= n {
			return true
		}
	}
	return false
}

// retyped are the rules whose repairs read an array of an SCDL archive as as many values as its header says: that there were more came from the type,
// or from a header that was read as values.
var retyped = map[string]bool{"SCDL-047": true, "SCDL-048": true}

// TestLossIsSaid makes every repair of every sample: where a table has fewer rows after one, or is gone, the repair says that it loses something, and
// nothing makes it by itself.
func TestLossIsSaid(t *testing.T) {
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			ctx, seen := t.Context(), map[string]bool{}
			for _, s := range samples(t, f) {
				if s.good {
					continue
				}
				d, err := model.Open(ctx, s.path, All(), nil)
				if err != nil {
					t.Fatal(err)
				}
				if d.Format != f {
					d.Close()
					continue
				}
				if err := d.Deep(ctx, nil); err != nil {
					t.Fatal(err)
				}
				before := rowsBy(ctx, d.Tree)
				found, _ := d.Tree.Findings()
				for i := range found {
					for _, x := range d.Tree.Fixes(ctx, &found[i]) {
						name := fmt.Sprintf("%s of %s: %s", found[i].Rule.ID, s.name, x.Label)
						edits, err := x.Make(ctx, d.Tree)
						if err != nil || x.Loses != "" || seen[name] || retyped[found[i].Rule.ID] && x.Safe {
							continue
						}
						seen[name] = true
						p, err := d.PlanOn(ctx, d.Tree, x.Label, edits...)
						if err != nil {
							continue
						}
						after := rowsBy(ctx, model.Parse(ctx, p.To, f))
						for table, n := range before {
							if after[table] < n && !named(before, after, n) {
								t.Errorf("%s: %s has %d rows, and %d after it (safe: %v)", name, table, n, after[table], x.Safe)
							}
						}
					}
				}
				d.Close()
			}
		})
	}
}
