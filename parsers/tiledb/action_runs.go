package tiledb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// Runs of numbers of a dense array are written as columns: a tile of a new fragment gets the numbers of the fragments below it line by line, and
// those of the runs over them.

// laid is new numbers of an attribute for rows of the box that are in one tile and one line of it.
type laid struct {
	row  int64
	data []byte
}

// laidTile is what changes in a space tile: its box, and the numbers by attribute, in the order of rows.
type laidTile struct {
	box  fragment.Box
	laid map[int][]laid
}

// setRuns makes the edits for typed cells and runs: of columns if all of it is plain numbers of a dense array, and cell by cell if not.
func setRuns(ctx context.Context, t *model.Table, x readAs, cells []model.Typed, runs []model.Run) ([]model.Edit, error) {
	if b, ok := x.(*boxTable); ok && len(cells) == 0 && b.lays(runs) {
		edits, err := b.setRuns(ctx, runs)
		if e := (*filter.Error)(nil); !errors.As(err, &e) || e.Filter != filter.PositiveDelta {
			return edits, err
		}
	}
	return setCells(ctx, x, t.AsTyped(cells, runs))
}

// lays tells whether the values of runs can be written as they are.
func (b *boxTable) lays(runs []model.Run) bool {
	n, err := b.a.adding().draft()
	return err == nil && b.a.d.whole() && !slices.ContainsFunc(runs, func(r model.Run) bool {
		s := slotNamed(n.Slots, &b.cols[r.Column])
		return s == nil || r.Null != nil || !laysIn(s)
	})
}

// slotNamed is the field of a column in a new fragment; nil if it is no attribute.
func slotNamed(slots []fragment.Slot, c *column) *fragment.Slot {
	for i := range slots {
		if c.attr != nil && slots[i].Attr != nil && slots[i].Name == c.name {
			return &slots[i]
		}
	}
	return nil
}

// laysIn tells whether the cells of a field are plain numbers: no truth values or indices of enumerations, which not all numbers are.
func laysIn(s *fragment.Slot) bool {
	return s.Attr != nil && s.Num == 1 && !s.Nullable && storage.IsNumber(s.Datatype) && s.Datatype != filter.Bool && s.Attr.Enum.Text() == "" && !scaled(s)
}

// setRuns writes a fragment for each space tile in which numbers change.
func (b *boxTable) setRuns(ctx context.Context, runs []model.Run) (out []model.Edit, err error) {
	slices.SortFunc(runs, func(x, y model.Run) int { return cmp.Compare(x.First, y.First) })
	add := b.a.adding()
	for _, t := range b.split(runs) {
		files, err := add.box(ctx, t.box, unchanged, func(ctx context.Context, s *fragment.Slot, box fragment.Box, fill []byte) ([]byte, error) {
			return b.numbers(ctx, s, box, fill, t.laid[s.At])
		})
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// split divides runs into pieces of one line of one space tile each, and groups them by tile.
func (b *boxTable) split(runs []model.Run) (out []*laidTile) {
	tiles, last := map[string]*laidTile{}, len(b.dims)-1
	for _, r := range runs {
		s := slotNamed((&fragment.Metadata{Footer: &fragment.Footer{Schema: b.view.schema}}).Slots(), &b.cols[r.Column])
		w := int64(filter.SizeOf(s.Datatype))
		for i, n := int64(0), int64(0); i < r.Rows; i += n {
			x := b.at(r.First + i)
			extent := max(fragment.TileExtent(&b.dims[last]), 1)
			left := min(b.sizes[last]-x[last], extent-(b.low[last]+x[last]-b.dims[last].Low.Uint())%extent)
			n = int64(min(uint64(r.Rows-i), left))
			key := ""
			for d := range b.dims {
				key += fmt.Sprintf("%d ", (b.low[d]+x[d]-b.dims[d].Low.Uint())/max(fragment.TileExtent(&b.dims[d]), 1))
			}
			t := tiles[key]
			if t == nil {
				t = &laidTile{laid: map[int][]laid{}}
				tiles[key], out = t, append(out, t)
			}
			t.box = t.box.With(fragment.Point(b.coordinates(x)))
			x[last] += uint64(n) - 1
			t.box = t.box.With(fragment.Point(b.coordinates(x)))
			t.laid[s.At] = append(t.laid[s.At], laid{r.First + i, r.Data[i*w : (i+n)*w]})
		}
	}
	return out
}

// numbers is a tile of a field: the cells of a box in it as readers see them, with numbers laid over them, and fill values around.
func (b *boxTable) numbers(ctx context.Context, s *fragment.Slot, box fragment.Box, fill []byte, over []laid) ([]byte, error) {
	column := slices.IndexFunc(b.cols, func(c column) bool { return c.attr != nil && c.name == s.Name })
	g, ok := gridOf(b.view.schema, box)
	if !ok || column < 0 || !laysIn(s) || b.cols[column].typ != s.Datatype || len(fill) != filter.SizeOf(s.Datatype) {
		return nil, nil
	}
	cells, lines, last, w := uint64(1), uint64(1), len(b.dims)-1, int64(len(fill))
	var sizes []uint64
	for d, e := range g.Extent {
		cells *= e
		if n := box[d][1].Uint() - box[d][0].Uint() + 1; d < last {
			lines, sizes = lines*n, append(sizes, n)
		}
	}
	out, x := bytes.Repeat(fill, int(cells)), make([]uint64, len(b.dims))
	n := int64(box[last][1].Uint() - box[last][0].Uint() + 1)
	for k := range lines {
		fragment.Split(k, sizes, false, x[:last])
		for d := range x[:last] {
			x[d] += box[d][0].Uint() - b.low[d]
		}
		x[last] = box[last][0].Uint() - b.low[last]
		line, err := b.line(ctx, column, int64(b.row(x)), n, over)
		if err != nil {
			return nil, err
		}
		_, cell := g.Find(b.coordinates(x))
		g.Lay(out, line, int64(cell), w)
	}
	return out, ctx.Err()
}

// present is numbers as they are now: a columnOf.
func (b *boxTable) present(ctx context.Context, s *fragment.Slot, box fragment.Box, fill []byte) ([]byte, error) {
	return b.numbers(ctx, s, box, fill, nil)
}

// line is n numbers of a column from a row on, with others laid over them.
func (b *boxTable) line(ctx context.Context, column int, row, n int64, over []laid) ([]byte, error) {
	w := int64(filter.SizeOf(b.cols[column].typ))
	from, _ := slices.BinarySearchFunc(over, row, func(x laid, row int64) int { return cmp.Compare(x.row, row) })
	if over = over[from:]; len(over) > 0 && over[0].row == row && int64(len(over[0].data)) == n*w {
		return over[0].data, nil
	}
	old := newColumnBatch(b.cellTable, column, n)
	if err := b.runs(ctx, row, n, old.take); err != nil {
		return nil, err
	}
	if int64(len(old.Data)) != n*w {
		return nil, errAsCells
	}
	for _, x := range over {
		if x.row >= row+n {
			break
		}
		copy(old.Data[(x.row-row)*w:], x.data)
	}
	return old.Data, nil
}

// columnOf gives the cells of a field in a box as plain numbers, cell after cell of its tile; nil if they must be taken one by one.
type columnOf func(ctx context.Context, s *fragment.Slot, box fragment.Box, fill []byte) ([]byte, error)

// single is for changes that are given cell by cell.
func single(context.Context, *fragment.Slot, fragment.Box, []byte) ([]byte, error) { return nil, nil }
