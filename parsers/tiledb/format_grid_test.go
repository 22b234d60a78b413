package tiledb

import (
	"fmt"
	"slices"
	"testing"

	"spandrel/model"
)

// The grids of a dense array have at their indices what TileDB was given to write there, 0 to 19 and quarters of that, and these indices are the
// coordinates of the table of cells.
func TestGridsAreCells(t *testing.T) {
	d, _ := written(t, "grid-v22")
	tables := d.Tree.Tables(t.Context())
	k := slices.IndexFunc(tables, func(x model.Table) bool { return x.Name == "cells" })
	cells, err := tables[k].Read(t.Context(), 0, tables[k].Rows)
	try(t, err)
	for name, unit := range map[string]float64{"cells.a": 1, "cells.b": 0.25} {
		i := slices.IndexFunc(tables, func(x model.Table) bool { return x.Name == name })
		if i < 0 || tables[i].Tensor == nil || !slices.Equal(tables[i].Tensor.Shape, []int64{5, 4}) {
			t.Fatalf("%s is no grid", name)
		}
		x := tables[i].Tensor
		values, err := tables[i].Read(t.Context(), 0, tables[i].Rows)
		try(t, err)
		if len(values) != len(cells) || len(cells) != 20 {
			t.Fatalf("%s: %d values of %d cells", name, len(values), len(cells))
		}
		for n, row := range cells {
			if at := []int64{x.Origin[0] + int64(n)/4, x.Origin[1] + int64(n)%4}; row[0].Value.Int() != at[0] || row[1].Value.Int() != at[1] {
				t.Errorf("%s: value %d is of %s, %s, not %v", name, n, row[0].String(), row[1].String(), at)
			}
			if got := values[n][0].String(); got != fmt.Sprint(float64(n)*unit) {
				t.Errorf("%s: value %d is %v", name, n, got)
			}
		}
	}
}
