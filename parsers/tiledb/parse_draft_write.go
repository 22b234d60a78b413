package tiledb

import (
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// metaWriter writes the metadata of a fragment (5.1): generic tiles, then the footer.
type metaWriter struct {
	*draft
	key      []byte
	size     [3][]uint64   // bytes of the files of each slot
	starts   [3][][]uint64 // of the tiles in them
	varSizes [][]uint64    // unfiltered bytes of variable tiles
	stats    [][]statistics
	out      []byte
}

func newMetaWriter(n *draft, key []byte) *metaWriter {
	w := &metaWriter{draft: n, key: key, stats: make([][]statistics, len(n.slots)), varSizes: make([][]uint64, len(n.slots))}
	for part := range w.size {
		w.size[part] = make([]uint64, len(n.slots))
		w.starts[part] = make([][]uint64, len(n.slots))
	}
	return w
}

// generic appends a generic tile and returns where it starts.
func (w *metaWriter) generic(ctx context.Context, payload []byte) (uint64, error) {
	at := uint64(len(w.out))
	b, err := writeTile(ctx, w.meta.version, payload, w.key)
	w.out = append(w.out, b...)
	return at, err
}

// numbers is a list of one number for each tile; zeros where the field has no such file.
func (w *metaWriter) numbers(list []uint64) []byte {
	b := le.AppendUint64(nil, uint64(len(w.tiles)))
	for k := range w.tiles {
		v := uint64(0)
		if k < len(list) {
			v = list[k]
		}
		b = le.AppendUint64(b, v)
	}
	return b
}

// metadata makes the whole file.
func (w *metaWriter) metadata(ctx context.Context) (_ []byte, err error) {
	var offsets [lists][]uint64
	var bounds []uint64
	tree, err := w.generic(ctx, w.tree())
	if err != nil {
		return nil, err
	}
	for list := range lists {
		for slot := range w.slots {
			at, err := w.generic(ctx, w.list(list, slot))
			if err != nil {
				return nil, err
			}
			offsets[list] = append(offsets[list], at)
		}
		if list == lMax && w.meta.version >= 23 && !w.meta.dense {
			if bounds, err = w.bounds(ctx); err != nil {
				return nil, err
			}
		}
	}
	totals, err := w.generic(ctx, w.totals())
	if err != nil {
		return nil, err
	}
	done := uint64(0)
	if w.meta.version >= 15 {
		b := le.AppendUint64(nil, uint64(len(w.done)))
		for _, name := range w.done {
			b = append(le.AppendUint64(b, uint64(len(name))), name...)
		}
		if done, err = w.generic(ctx, b); err != nil {
			return nil, err
		}
	}
	foot := w.footer(tree, offsets, totals, done)
	if w.meta.version >= 23 {
		foot = sections(foot, bounds)
	}
	return le.AppendUint64(append(w.out, foot...), uint64(len(foot))), nil
}

// list is the payload of one of the lists of a field.
func (w *metaWriter) list(list, slot int) []byte {
	s := &w.slots[slot]
	switch list {
	case lTiles:
		return w.numbers(w.starts[fileFixed][slot])
	case lVar:
		return w.numbers(w.starts[fileVar][slot])
	case lVarSizes:
		return w.numbers(w.varSizes[slot])
	case lValidity:
		return w.numbers(w.starts[fileValid][slot])
	case lMin, lMax:
		return w.limits(list, slot)
	case lSum:
		if s.coords && isNumber(s.datatype) {
			return w.numbers(nil)
		}
		if !s.hasSum() || !w.stored(slot) {
			return w.none()
		}
		b := le.AppendUint64(nil, uint64(len(w.tiles)))
		for k := range w.tiles {
			b = append(b, w.stats[slot][k].sum[:]...)
		}
		return b
	}
	if !s.nullable {
		return w.none()
	}
	b := le.AppendUint64(nil, uint64(len(w.tiles)))
	for k := range w.tiles {
		b = le.AppendUint64(b, w.stats[slot][k].nulls)
	}
	return b
}

// bounds appends the coordinates of the first cells of the tiles, dimension by dimension, then of the last ones, and returns where.
func (w *metaWriter) bounds(ctx context.Context) (places []uint64, err error) {
	for _, last := range []bool{false, true} {
		for slot := range w.slots {
			s := &w.slots[slot]
			if s.dim == nil {
				continue
			}
			var fixed, variable []byte
			for k := range w.tiles {
				t, i := &w.tiles[k].fields[slot], 0
				if last {
					i = t.cells(s) - 1
				}
				v := t.at(s, i)
				if s.variable() {
					fixed, variable = le.AppendUint64(fixed, uint64(len(variable))), append(variable, v...)
				} else {
					fixed = append(fixed, v...)
				}
			}
			at, err := w.generic(ctx, fixedVar(fixed, variable))
			if err != nil {
				return nil, err
			}
			places = append(places, at)
		}
	}
	return places, nil
}

// fixedVar is the payload of a list of values: how long its two parts are, and the parts.
func fixedVar(fixed, variable []byte) []byte {
	b := le.AppendUint64(le.AppendUint64(nil, uint64(len(fixed))), uint64(len(variable)))
	return append(append(b, fixed...), variable...)
}

// sections appends the sections that follow a footer since version 23: of sparse fragments where the bounds are.
func sections(foot []byte, bounds []uint64) []byte {
	if bounds == nil {
		return le.AppendUint32(foot, 0)
	}
	foot = le.AppendUint32(foot, 1)
	foot = le.AppendUint32(le.AppendUint64(foot, 0), uint32(8*len(bounds)))
	for _, at := range bounds {
		foot = le.AppendUint64(foot, at)
	}
	return foot
}

func (w *metaWriter) none() []byte { return make([]byte, 8) }

// limits is the payload of the least or the greatest values of the tiles of a field.
func (w *metaWriter) limits(list, slot int) []byte {
	s := &w.slots[slot]
	var fixed, variable []byte
	switch {
	case s.coords:
		fixed = make([]byte, len(w.tiles)*filter.SizeOf(s.datatype)*len(w.meta.schema.dims))
	case !s.hasLimits() || !w.stored(slot):
	default:
		for k := range w.tiles {
			x := &w.stats[slot][k]
			v := x.min
			if list == lMax {
				v = x.max
			}
			switch {
			case s.variable():
				fixed, variable = le.AppendUint64(fixed, uint64(len(variable))), append(variable, v...)
			case !x.some: // all cells are null
				fixed = append(fixed, make([]byte, s.cell())...)
			default:
				fixed = append(fixed, v...)
			}
		}
	}
	return fixedVar(fixed, variable)
}

// totals is the payload of the statistics over all tiles.
func (w *metaWriter) totals() (b []byte) {
	for slot := range w.slots {
		s := &w.slots[slot]
		var x statistics
		for _, y := range w.stats[slot] {
			x.join(s, y)
		}
		if s.coords {
			x.min = make([]byte, filter.SizeOf(s.datatype))
			x.max = x.min
		}
		for _, v := range [][]byte{x.min, x.max} {
			b = append(le.AppendUint64(b, uint64(len(v))), v...)
		}
		b = le.AppendUint64(append(b, x.sum[:]...), x.nulls)
	}
	return b
}

// tree is the payload of the R-tree: the root level first, each box over as many of the next level as the fanout says.
func (w *metaWriter) tree() []byte {
	b := le.AppendUint32(nil, w.fanout)
	if w.meta.dense {
		return le.AppendUint32(b, 0)
	}
	var levels [][][][2]model.Value
	level := make([][][2]model.Value, len(w.tiles))
	for k := range w.tiles {
		level[k] = w.tiles[k].box
	}
	for levels = append(levels, level); len(level) > 1; levels = append(levels, level) {
		var above [][][2]model.Value
		for i := 0; i < len(level); i += int(w.fanout) {
			above = append(above, around(level[i:min(i+int(w.fanout), len(level))]))
		}
		level = above
	}
	b = le.AppendUint32(b, uint32(len(levels)))
	for i := len(levels) - 1; i >= 0; i-- {
		b = le.AppendUint64(b, uint64(len(levels[i])))
		for _, box := range levels[i] {
			b = w.box(b, box)
		}
	}
	return b
}

// around is the least box that holds others.
func around(boxes [][][2]model.Value) (out [][2]model.Value) {
	for _, box := range boxes {
		if out == nil {
			out = append(out, box...)
			continue
		}
		for i := range box {
			if compare(box[i][0], out[i][0]) < 0 {
				out[i][0] = box[i][0]
			}
			if compare(box[i][1], out[i][1]) > 0 {
				out[i][1] = box[i][1]
			}
		}
	}
	return out
}

// box appends a box: the range of every dimension. Its values are of the dimensions' types.
func (w *metaWriter) box(b []byte, box [][2]model.Value) []byte {
	for i := range box {
		b, _ = w.meta.schema.dims[i].appendRange(b, box[i][0], box[i][1])
	}
	return b
}

// footer is the footer without its length (5.1.2).
func (w *metaWriter) footer(tree uint64, offsets [lists][]uint64, totals, done uint64) []byte {
	b := le.AppendUint32(nil, w.meta.version)
	b = append(le.AppendUint64(b, uint64(len(w.meta.schemaName))), w.meta.schemaName...)
	var boxes [][][2]model.Value
	for k := range w.tiles {
		boxes = append(boxes, w.tiles[k].box)
	}
	if w.meta.dense {
		b = append(b, 1, 0)
	} else {
		b = append(b, 0, 0)
	}
	b = w.box(b, around(boxes))
	tiles := uint64(len(w.tiles))
	if w.meta.dense {
		tiles = 0
	}
	b = le.AppendUint64(le.AppendUint64(b, tiles), uint64(w.lastCells()))
	flag := func(from uint32, on bool) {
		if w.meta.version >= from {
			v := byte(0)
			if on {
				v = 1
			}
			b = append(b, v)
		}
	}
	flag(14, w.meta.times)
	flag(15, w.meta.deletes)
	all := func(list []uint64) {
		for _, v := range list {
			b = le.AppendUint64(b, v)
		}
	}
	for part := range w.size {
		all(w.size[part])
	}
	b = le.AppendUint64(b, tree)
	for _, list := range offsets {
		all(list)
	}
	b = le.AppendUint64(b, totals)
	if w.meta.version >= 16 {
		b = le.AppendUint64(b, done)
	}
	return b
}

// lastCells is how many cells the last tile has.
func (w *metaWriter) lastCells() int {
	t := &w.tiles[len(w.tiles)-1]
	for slot := range w.slots {
		if w.stored(slot) {
			return t.fields[slot].cells(&w.slots[slot])
		}
	}
	return 0
}

// tile filters tile k of a field and appends it to its files.
func (w *metaWriter) tile(ctx context.Context, out *[3][]byte, slot, k int) error {
	s, t := &w.slots[slot], &w.tiles[k].fields[slot]
	add := func(part int, data []byte) error {
		filters, tile := w.meta.pipeline(&w.slots[slot], part)
		w.starts[part][slot] = append(w.starts[part][slot], uint64(len(out[part])))
		var b []byte
		var err error
		switch {
		case part == fileVar && stringMode(filters, tile) && len(t.starts) > 0:
			b, err = filter.FilterStrings(ctx, filters, tile, w.key, data, t.starts)
		default:
			b, err = filter.FilterTile(ctx, filters, tile, w.key, data)
		}
		if out[part] == nil {
			out[part] = b // tiles may be large
		} else {
			out[part] = append(out[part], b...)
		}
		return err
	}
	w.stats[slot] = append(w.stats[slot], t.measure(s, w.tiles[k].inside))
	if s.nullable {
		if err := add(fileValid, t.valid); err != nil {
			return err
		}
	}
	if !s.variable() {
		return add(fileFixed, t.data)
	}
	w.varSizes[slot] = append(w.varSizes[slot], uint64(len(t.data)))
	var offsets []byte
	if filters, tile := w.meta.pipeline(&w.slots[slot], fileVar); !stringMode(filters, tile) {
		for _, at := range t.starts {
			offsets = binary.LittleEndian.AppendUint64(offsets, uint64(at))
		}
	}
	if err := add(fileFixed, offsets); err != nil {
		return err
	}
	return add(fileVar, t.data)
}

// place finds the boxes of the tiles, and measures them.
func (w *metaWriter) place() error {
	s := w.meta.schema
	if s.dense() {
		for i := range s.dims {
			w.meta.domain = append(w.meta.domain, interval{low: s.dims[i].low, high: s.dims[i].high})
		}
		if g, ok := w.meta.grid(); !ok || g.total != uint64(len(w.tiles)) {
			return fmt.Errorf("the footer alone says where the cells of %d tiles lie", len(w.tiles))
		}
	}
	for k := range w.tiles {
		cells := -1
		w.findBox(&w.tiles[k], int64(k))
		for slot := range w.slots {
			if !w.stored(slot) {
				continue
			}
			c := w.tiles[k].fields[slot].cells(&w.slots[slot])
			if cells >= 0 && c != cells {
				return fmt.Errorf("%s has %d cells in tile %d, another field %d", w.slots[slot].name, c, k, cells)
			}
			cells = c
			w.stats[slot] = append(w.stats[slot], w.tiles[k].fields[slot].measure(&w.slots[slot], w.tiles[k].inside))
		}
	}
	return nil
}

var le = binary.LittleEndian
