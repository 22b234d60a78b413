package fragment

import (
	"bytes"

	"spandrel/model"
)

// Laid is a field of a dense tile that is put together from lines along the last dimension. Cells that no line has are fill values.
type Laid struct {
	grid   *Grid
	slot   *Slot
	step   int // between the cells of a line
	fixed  Cells
	values [][]byte // of variable cells
}

// NewLaid is the field of the only tile of a grid, with fill values only.
func NewLaid(g *Grid, s *Slot, fill Value) *Laid {
	x := &Laid{grid: g, slot: s, step: 1}
	cells := 1
	for d, e := range g.Extent {
		if cells *= int(e); g.Cells && d < len(g.Extent)-1 {
			x.step = cells // the first dimension is the fastest
		}
	}
	if s.Variable() {
		x.values = make([][]byte, cells)
		for i := range x.values {
			x.values[i] = fill.Data
		}
	} else {
		x.fixed.Data = bytes.Repeat(fill.Data, cells)
	}
	if s.Nullable {
		x.fixed.Valid = bytes.Repeat([]byte{fill.Valid}, cells)
	}
	return x
}

// Lay puts a line of cells in its place, from coordinates on.
func (x *Laid) Lay(at []model.Value, line Cells) {
	_, first := x.grid.Find(at)
	cell := int(first)
	if x.slot.Nullable {
		lay(x.fixed.Valid, line.Valid, cell, x.step, 1)
	}
	if !x.slot.Variable() {
		lay(x.fixed.Data, line.Data, cell, x.step, int(x.slot.Cell()))
		return
	}
	for i := range line.Cells(x.slot) {
		x.values[cell+i*x.step] = line.At(x.slot, i)
	}
}

// lay puts cells of w bytes into a tile, at a distance.
func lay(tile, line []byte, cell, step, w int) {
	if step == 1 {
		copy(tile[cell*w:], line)
		return
	}
	for ; len(line) > 0; line, cell = line[w:], cell+step {
		copy(tile[cell*w:(cell+1)*w], line)
	}
}

// Cells are those of the tile.
func (x *Laid) Cells() *Cells {
	out := &x.fixed
	for _, v := range x.values {
		out.Starts = append(out.Starts, int64(len(out.Data)))
		out.Data = append(out.Data, v...)
	}
	return out
}
