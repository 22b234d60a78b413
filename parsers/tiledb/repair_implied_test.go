package tiledb

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"spandrel/model"
)

// TestImplied takes the schema of arrays away, and what is left of it: the cells come out all the same, under other names.
func TestImplied(t *testing.T) {
	for _, name := range []string{"dense-v22", "sparse-v22", "sparse-v23"} {
		for _, left := range []int64{-1, 0, 100} {
			t.Run(fmt.Sprint(name, left), func(t *testing.T) {
				d, err := model.Open(context.Background(), filepath.Join("..", "..", "testdata", "tiledb", "good", name), []*model.Format{Format}, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				snap := d.Tree.Snapshot
				for _, n := range d.Tree.State.(*doc).array("").schemas.Order {
					n = "__schema/" + n
					c, err := snap.Content(n)
					if err != nil {
						t.Fatal(err)
					}
					if left < 0 {
						snap = snap.With(n, nil)
					} else {
						snap = snap.With(n, c.Splice(left, max(0, c.Len()-left), nil))
					}
				}
				want := printedCells(t, d.Tree)
				damaged := model.Parse(context.Background(), snap, Format)
				sameCells(t, want, printedCells(t, damaged))
				saved, err := Format.Salvage(context.Background(), damaged)
				if err != nil {
					t.Fatal(err)
				}
				for name, src := range saved.Files {
					b := make([]byte, src.Len())
					src.ReadAt(b, 0)
					snap = snap.With(name, model.BytesContent(b))
				}
				sameCells(t, want, printedCells(t, model.Parse(context.Background(), snap, Format)))
			})
		}
	}
}

// printedCells prints the cells of an array, but for the fragments that they are in.
func printedCells(t *testing.T, tree *model.Tree) (out []string) {
	for _, table := range tree.Tables(context.Background()) {
		if table.Name != "cells" {
			continue
		}
		rows, err := table.Read(context.Background(), 0, table.Rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			text := ""
			for _, c := range r[:len(r)-1] {
				c.Label = "" // what the type makes of a number
				text += c.String() + "\t"
			}
			out = append(out, text)
		}
	}
	return out
}

func sameCells(t *testing.T, want, got []string) {
	t.Helper()
	if len(want) == 0 || len(got) != len(want) {
		t.Fatalf("%d rows of %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("row %d: %s, not %s", i, got[i], want[i])
		}
	}
}
