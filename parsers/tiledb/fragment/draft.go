package fragment

import (
	"iter"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/storage"
)

// Draft is the content of a fragment to be written.
type Draft struct {
	Meta   *Metadata
	Slots  []Slot
	Tiles  []Tile
	Done   []string // delete commits applied to the cells
	Fanout uint32
}

// Tile is the cells of a tile.
type Tile struct {
	Fields []Cells          // by slot; empty for slots that are not stored
	Box    Box              // the smallest box that contains the cells
	Inside func(i int) bool // which cells of a dense tile are data; nil: all
}

// Stored tells whether a slot has files: __coords never has, and dense fragments have no coordinates.
func (n *Draft) Stored(slot int) bool { return n.stored(n.Slots[slot]) }

func (n *Draft) stored(s Slot) bool { return !s.Coords && (s.Dim == nil || !n.Meta.Dense) }

// Files yields the slots that have files.
func (n *Draft) Files() iter.Seq2[int, *Slot] {
	return func(yield func(int, *Slot) bool) {
		for slot := range n.Slots {
			if n.Stored(slot) && !yield(slot, &n.Slots[slot]) {
				return
			}
		}
	}
}

// FindBox determines the box of a tile: of the coordinates of its cells, or for a dense tile its intersection with the fragment's box.
func (n *Draft) FindBox(t *Tile, k int64) {
	if n.Meta.Dense {
		t.Inside, t.Box = n.Meta.Inside(k), n.Meta.Box()
		return
	}
	for slot := range n.Slots {
		s, f := &n.Slots[slot], &t.Fields[slot]
		if s.Dim == nil {
			continue
		}
		t.Box = append(t.Box, f.Ends(s))
	}
}

// Ends are the least and the greatest coordinate of a dimension.
func (t *Cells) Ends(s *Slot) (r [2]model.Value) {
	if !s.Variable() {
		if x := t.numbers(s, nil); x.Some {
			return [2]model.Value{s.Dim.Coordinate(x.Min), s.Dim.Coordinate(x.Max)}
		}
	}
	for c := range t.Cells(s) {
		v := s.Dim.Coordinate(t.At(s, c))
		if c == 0 || storage.Compare(v, r[0]) < 0 {
			r[0] = v
		}
		if c == 0 || storage.Compare(v, r[1]) > 0 {
			r[1] = v
		}
	}
	return r
}

// Cells is how many cells the fragment has.
func (n *Draft) Cells() (total int) {
	for k := range n.Tiles {
		total += n.cells(&n.Tiles[k])
	}
	return total
}

// cells is the number of cells in a tile.
func (n *Draft) cells(t *Tile) int {
	slot := slices.IndexFunc(n.Slots, n.stored)
	if slot < 0 {
		return 0
	}
	return t.Fields[slot].Cells(&n.Slots[slot])
}
