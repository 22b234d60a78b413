package tiledb

import (
	"context"
	"strings"

	"spandrel/model"
)

// mostGrids is for how many attributes the cells are also offered as an array.
const mostGrids = 100

// gridsOf are the numbers of a dense array of two or more dimensions as arrays, one per attribute, indexed by coordinates. cells is the
// table of all attributes.
func gridsOf(ctx context.Context, a *array, cells model.Table, at uint64) (out []model.Table) {
	if s := a.schemas.Current(); s == nil || !s.Dense() || len(s.Dims) < 2 {
		return nil
	}
	x, err := a.viewAt(ctx, at)
	b, ok := x.(*boxTable)
	if err != nil || !ok || len(b.sizes) == 0 {
		return nil
	}
	var shape, origin []int64
	for i, v := range b.coordinates(make([]uint64, len(b.sizes))) {
		shape, origin = append(shape, int64(b.sizes[i])), append(origin, v.Int())
	}
	for i, c := range cells.Columns {
		if i < len(shape) || c.Name == "fragment" && i == len(cells.Columns)-1 || !ofNumbers(c) || len(out) == mostGrids {
			continue
		}
		g := cells.Grid("cells."+c.Name, i, shape, origin)
		g.Doc = "The cells of one attribute, as an array: the indices are coordinates."
		g.At = func(ctx context.Context, ms int64) model.Table {
			then := cells.At(ctx, ms)
			if t, ok := model.TableNamed(gridsOf(ctx, a, then, timeOf(ms)), g.Name); ok {
				return t
			}
			return then // it had no such array
		}
		out = append(out, g)
	}
	return out
}

// ofNumbers tells whether each cell of a column is one number.
func ofNumbers(c model.Column) bool {
	number := c.Kind == model.Int || c.Kind == model.Uint || c.Kind == model.Float || c.Kind == model.Bool
	return number && !strings.HasSuffix(c.Type, "[]")
}
