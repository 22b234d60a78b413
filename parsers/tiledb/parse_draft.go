package tiledb

import (
	"spandrel/model"
)

// draft is what a fragment to be written holds.
type draft struct {
	meta   *fragmentMeta
	slots  []fileSlot
	tiles  []newTile
	done   []string // delete commits that the cells have gone through
	fanout uint32
}

// newTile is the cells of a tile.
type newTile struct {
	fields []tileField      // by slot; those of slots that are not stored are empty
	box    [][2]model.Value // the least box that holds the cells
	inside func(i int) bool // which cells of a dense tile are data; nil: all
}

// stored tells whether a slot has files: __coords never has, and dense fragments have no coordinates.
func (n *draft) stored(slot int) bool {
	s := &n.slots[slot]
	return !s.coords && (s.dim == nil || !n.meta.dense)
}

// findBox finds the box of a tile: the coordinates of its cells, or of a dense tile what of the fragment's box lies in it.
func (n *draft) findBox(t *newTile, k int64) {
	dims := n.meta.schema.dims
	if n.meta.dense {
		g, _ := n.meta.grid()
		at := make([]model.Value, len(dims))
		t.inside = func(i int) bool { g.at(uint64(k), uint64(i), at); return n.meta.covers(at) }
		for i := range n.meta.domain {
			low, high := n.meta.domain[i].ends()
			t.box = append(t.box, [2]model.Value{low, high})
		}
		return
	}
	for i := range dims {
		for slot := range n.slots {
			s := &n.slots[slot]
			if s.dim != &dims[i] {
				continue
			}
			f := &t.fields[slot]
			var r [2]model.Value
			for c := range f.cells(s) {
				v := dims[i].coordinate(f.at(s, c))
				if c == 0 || compare(v, r[0]) < 0 {
					r[0] = v
				}
				if c == 0 || compare(v, r[1]) > 0 {
					r[1] = v
				}
			}
			t.box = append(t.box, r)
		}
	}
}

// cells is how many cells the fragment has.
func (n *draft) cells() (total int) {
	for k := range n.tiles {
		for slot := range n.slots {
			if n.stored(slot) {
				total += n.tiles[k].fields[slot].cells(&n.slots[slot])
				break
			}
		}
	}
	return total
}
