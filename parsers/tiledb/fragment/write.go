package fragment

import (
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model/parallel"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Writer writes the metadata of a fragment (5.1): generic tiles, then the footer.
type Writer struct {
	*Draft
	Key      []byte
	Size     [3][]uint64   // bytes of the files of each slot
	Starts   [3][][]uint64 // offsets of the tiles in them
	VarSizes [][]uint64    // unfiltered bytes of variable tiles
	stats    [][]Statistics
	out      []byte
	err      error // the first error: it is returned with the file
}

func NewWriter(n *Draft, key []byte) *Writer {
	w := &Writer{Draft: n, Key: key, stats: make([][]Statistics, len(n.Slots)), VarSizes: make([][]uint64, len(n.Slots))}
	for part := range w.Size {
		w.Size[part] = make([]uint64, len(n.Slots))
		w.Starts[part] = make([][]uint64, len(n.Slots))
	}
	return w
}

// generic appends a generic tile and returns where it starts.
func (w *Writer) generic(ctx context.Context, payload []byte) uint64 {
	at := uint64(len(w.out))
	if w.err == nil {
		var b []byte
		b, w.err = storage.WriteTile(ctx, w.Meta.Version, payload, w.Key)
		w.out = append(w.out, b...)
	}
	return at
}

// numbers is a list of one number per tile; zeros if the field has no such file.
func (w *Writer) numbers(list []uint64) []byte {
	b := le.AppendUint64(nil, uint64(len(w.Tiles)))
	for k := range w.Tiles {
		v := uint64(0)
		if k < len(list) {
			v = list[k]
		}
		b = le.AppendUint64(b, v)
	}
	return b
}

// Metadata makes the whole file.
func (w *Writer) Metadata(ctx context.Context) ([]byte, error) {
	var offsets [Lists][]uint64
	var bounds []uint64
	tree := w.generic(ctx, w.tree())
	for list := range Lists {
		for slot := range w.Slots {
			offsets[list] = append(offsets[list], w.generic(ctx, w.list(list, slot)))
		}
		if list == Maxes && w.Meta.Version >= 23 && !w.Meta.Dense {
			bounds = w.bounds(ctx)
		}
	}
	totals := w.generic(ctx, w.totals())
	foot := w.footer(tree, offsets, totals, w.conditions(ctx))
	if w.Meta.Version >= 23 {
		foot = sections(foot, bounds)
	}
	return le.AppendUint64(append(w.out, foot...), uint64(len(foot))), w.err
}

// conditions writes the names of the deletions already applied to the fragment's cells, and returns the place: 0 before version 15.
func (w *Writer) conditions(ctx context.Context) uint64 {
	if w.Meta.Version < 15 {
		return 0
	}
	b := le.AppendUint64(nil, uint64(len(w.Done)))
	for _, name := range w.Done {
		b = append(le.AppendUint64(b, uint64(len(name))), name...)
	}
	return w.generic(ctx, b)
}

// list is the payload of one of the lists of a field.
func (w *Writer) list(list, slot int) []byte {
	s := &w.Slots[slot]
	switch list {
	case TileOffsets:
		return w.numbers(w.Starts[Fixed][slot])
	case VarOffsets:
		return w.numbers(w.Starts[Var][slot])
	case VarSizes:
		return w.numbers(w.VarSizes[slot])
	case ValidityOffsets:
		return w.numbers(w.Starts[Validity][slot])
	case Mins, Maxes:
		return w.limits(list, slot)
	case Sums:
		if s.Coords && storage.IsNumber(s.Datatype) {
			return w.numbers(nil)
		}
		return w.repeated(slot, s.HasSum() && w.Stored(slot), func(x Statistics) uint64 { return x.Sum })
	}
	return w.repeated(slot, s.Nullable, func(x Statistics) uint64 { return x.Nulls })
}

// repeated encodes a list with one number per tile of a field; an empty list unless has is set.
func (w *Writer) repeated(slot int, has bool, of func(x Statistics) uint64) []byte {
	if !has {
		return make([]byte, 8)
	}
	var list []uint64
	for _, x := range w.stats[slot] {
		list = append(list, of(x))
	}
	return w.numbers(list)
}

// bounds appends the coordinates of the first cells of the tiles, dimension by dimension, then of the last ones, and returns where.
func (w *Writer) bounds(ctx context.Context) (places []uint64) {
	for _, last := range []int{0, 1} {
		for slot := range w.Slots {
			s := &w.Slots[slot]
			if s.Dim == nil {
				continue
			}
			var list values
			for k := range w.Tiles {
				t := &w.Tiles[k].Fields[slot]
				list.add(s, t.At(s, last*(t.Cells(s)-1)))
			}
			places = append(places, w.generic(ctx, list.payload()))
		}
	}
	return places
}

// values is a list of values of a field: their starts if they vary in size, and their bytes.
type values struct{ fixed, variable []byte }

func (l *values) add(s *Slot, v []byte) {
	if s.Variable() {
		l.fixed, l.variable = le.AppendUint64(l.fixed, uint64(len(l.variable))), append(l.variable, v...)
	} else {
		l.fixed = append(l.fixed, v...)
	}
}

// payload is the length of the two parts, and the parts.
func (l *values) payload() []byte {
	b := le.AppendUint64(le.AppendUint64(nil, uint64(len(l.fixed))), uint64(len(l.variable)))
	return append(append(b, l.fixed...), l.variable...)
}

// limits is the payload of the minima or maxima of a field's tiles.
func (w *Writer) limits(list, slot int) []byte {
	s := &w.Slots[slot]
	var out values
	switch {
	case s.Coords:
		out.fixed = make([]byte, len(w.Tiles)*filter.SizeOf(s.Datatype)*len(w.Meta.Schema.Dims))
	case !s.HasLimits() || !w.Stored(slot):
	default:
		for k := range w.Tiles {
			x := &w.stats[slot][k]
			v := x.Min
			if list == Maxes {
				v = x.Max
			}
			if !x.Some && !s.Variable() { // all cells are null
				v = make([]byte, s.Cell())
			}
			out.add(s, v)
		}
	}
	return out.payload()
}

// totals is the payload of the statistics over all tiles.
func (w *Writer) totals() (b []byte) {
	for slot := range w.Slots {
		s := &w.Slots[slot]
		var x Statistics
		for _, y := range w.stats[slot] {
			x.join(s, y)
		}
		if s.Coords {
			x.Min = make([]byte, filter.SizeOf(s.Datatype))
			x.Max = x.Min
		}
		for _, v := range [][]byte{x.Min, x.Max} {
			b = append(le.AppendUint64(b, uint64(len(v))), v...)
		}
		b = le.AppendUint64(le.AppendUint64(b, x.Sum), x.Nulls)
	}
	return b
}

// tree is the payload of the R-tree: the root level first, each box over as many of the next level as the fanout says.
func (w *Writer) tree() []byte {
	b := le.AppendUint32(nil, w.Fanout)
	if w.Meta.Dense {
		return le.AppendUint32(b, 0)
	}
	var levels [][]Box
	level := make([]Box, len(w.Tiles))
	for k := range w.Tiles {
		level[k] = w.Tiles[k].Box
	}
	for levels = append(levels, level); len(level) > 1; levels = append(levels, level) {
		var above []Box
		for i := 0; i < len(level); i += int(w.Fanout) {
			var over Box
			for _, box := range level[i:min(i+int(w.Fanout), len(level))] {
				over = over.With(box)
			}
			above = append(above, over)
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

// filtered is the parts of a tile of a field as they are stored.
type filtered struct {
	parts [3][]byte
	has   [3]bool
	err   error
}

// Field filters the tiles of a field on all cores, and returns the contents of its files: nil for those that it does not have.
func (w *Writer) Field(ctx context.Context, slot int) (out [3][]byte, err error) {
	s, tiles := &w.Slots[slot], make([]filtered, len(w.Tiles))
	w.stats[slot] = make([]Statistics, len(w.Tiles))
	parallel.Each(len(tiles), func(k int) {
		if tiles[k].err = ctx.Err(); tiles[k].err == nil {
			tiles[k].err = w.filter(ctx, &tiles[k], slot, k)
			w.stats[slot][k] = w.Tiles[k].Fields[slot].Measure(s, w.Tiles[k].Inside)
		}
	})
	for k := range tiles {
		if err = tiles[k].err; err != nil {
			return out, err
		}
		w.place(&out, &tiles[k], slot, k)
	}
	for part, b := range out {
		w.Size[part][slot] = uint64(len(b))
	}
	return out, nil
}

// place appends the parts of tile k of a field to its files.
func (w *Writer) place(out *[3][]byte, t *filtered, slot, k int) {
	if w.Slots[slot].Variable() {
		w.VarSizes[slot] = append(w.VarSizes[slot], uint64(len(w.Tiles[k].Fields[slot].Data)))
	}
	for part, b := range t.parts {
		if !t.has[part] {
			continue
		}
		w.Starts[part][slot] = append(w.Starts[part][slot], uint64(len(out[part])))
		if t.parts[part] = nil; out[part] == nil {
			out[part] = b // tiles may be large
		} else {
			out[part] = append(out[part], b...)
		}
	}
}

// filter filters tile k of a field.
func (w *Writer) filter(ctx context.Context, to *filtered, slot, k int) error {
	s, t := &w.Slots[slot], &w.Tiles[k].Fields[slot]
	add := func(part int, data []byte) (err error) {
		how := w.Coding(slot, part)
		to.has[part] = true
		if part == Var && how.StringMode() && len(t.Starts) > 0 {
			to.parts[part], err = how.FilterStrings(ctx, data, t.Starts)
		} else {
			to.parts[part], err = how.Filter(ctx, data)
		}
		return err
	}
	if s.Nullable {
		if err := add(Validity, t.Valid); err != nil {
			return err
		}
	}
	if !s.Variable() {
		return add(Fixed, t.Data)
	}
	var offsets []byte
	if !w.Coding(slot, Var).StringMode() {
		for _, at := range t.Starts {
			offsets = binary.LittleEndian.AppendUint64(offsets, uint64(at))
		}
	}
	if err := add(Fixed, offsets); err != nil {
		return err
	}
	return add(Var, t.Data)
}

// Coding is how the tiles of a field's file are filtered.
func (w *Writer) Coding(slot, part int) filter.Coding {
	how := w.Meta.Coding(&w.Slots[slot], part)
	how.Key = w.Key
	return how
}

// Place finds the boxes of the tiles, and measures them.
func (w *Writer) Place() error {
	s := w.Meta.Schema
	if s.Dense() {
		for i := range s.Dims {
			w.Meta.Domain = append(w.Meta.Domain, schema.Interval{Low: s.Dims[i].Low, High: s.Dims[i].High})
		}
		if g, ok := w.Meta.Grid(); !ok || g.Total != uint64(len(w.Tiles)) {
			return fmt.Errorf("only the footer says where the cells of %d tiles are", len(w.Tiles))
		}
	}
	for k := range w.Tiles {
		t := &w.Tiles[k]
		w.FindBox(t, int64(k))
		for slot, s := range w.Files() {
			if c := t.Fields[slot].Cells(s); c != w.cells(t) {
				return fmt.Errorf("%s has %d cells in tile %d, another field %d", s.Name, c, k, w.cells(t))
			}
			w.stats[slot] = append(w.stats[slot], t.Fields[slot].Measure(s, t.Inside))
		}
	}
	return nil
}

var le = binary.LittleEndian
