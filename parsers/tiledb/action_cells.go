package tiledb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// An edit of a cell becomes what TileDB would make of it: a new fragment with the changed cells, later than all others. What is there
// stays, so that history is kept and no reader sees half of it. Where a later fragment does not replace a cell (arrays that keep
// duplicates), the fragment itself is written again.

// cellPlace is a cell of a fragment.
type cellPlace struct {
	f    *frag
	tile int64
	cell int64
}

// cellEdit is what is asked for a cell of a field.
type cellEdit struct {
	cellPlace
	slot  int       // -1 for an attribute that the fragment does not have
	added *fileSlot // the attribute, where a new fragment has it
	off   int64     // in the cell, of fixed cells
	with  []byte    // replaces as many bytes of a fixed cell, or all of a variable one; nil: the value stays
	whole bool      // with is all of the cell
	valid *byte     // nil: valid where there is a value
}

// field is the field of the cell.
func (x *cellEdit) field() *fileSlot {
	if x.slot < 0 {
		return x.added
	}
	return &x.f.slots[x.slot]
}

// cellsOf takes the edits of cells out of a list, and returns what is left of it.
func cellsOf(ctx context.Context, t *model.Tree, d *doc, edits []model.Edit) (cells []cellEdit, rest []model.Edit, err error) {
	for _, e := range edits {
		set, ok := e.(model.Set)
		if !ok {
			rest = append(rest, e)
			continue
		}
		s, err := t.Find(ctx, set.Path)
		if err != nil {
			return nil, nil, err
		}
		x, err := d.cellEdit(ctx, s, set.Value)
		switch {
		case err != nil:
			return nil, nil, err
		case x == nil:
			rest = append(rest, e)
		default:
			cells = append(cells, *x)
		}
	}
	return cells, rest, nil
}

// cellEdit is an edit of a span as an edit of a cell; nil when the span is none.
func (d *doc) cellEdit(ctx context.Context, s *model.Span, v model.Value) (*cellEdit, error) {
	name := d.t.FileName(s.Range)
	kind, dir := d.kindOf(name)
	if sp := d.t.Space(s.Range.Space); kind != kindData || sp == nil || !sp.Derived() {
		return nil, nil
	}
	f, slot, part := d.array(dir).fileOf(name)
	if f == nil || f.meta == nil || slot < 0 {
		return nil, nil
	}
	tile := s
	for tile != nil && tile.Field != dataTileF && tile.Field.Name != dataTileF.Name {
		tile = tile.Parent()
	}
	if tile == nil || tile.Index() < 0 {
		return nil, nil
	}
	x := &cellEdit{cellPlace: cellPlace{f: f, tile: tile.Index()}, slot: slot}
	sl := &f.slots[slot]
	if sl.dim != nil || sl.coords {
		return nil, fmt.Errorf("coordinates of a cell cannot be changed: delete the cell, and add one where it should be")
	}
	if sl.attr == nil {
		return nil, fmt.Errorf("%s is TileDB's own: it says when cells were written or deleted", sl.name)
	}
	b, err := s.Field.Codec.Encode(v)
	if err != nil {
		return nil, err
	}
	switch size := sl.cell(); {
	case part == fileValid:
		if len(b) != 1 || b[0] > 1 {
			return nil, fmt.Errorf("a cell is null (0) or not (1)")
		}
		x.cell, x.valid = s.Range.Off, &b[0]
	case part == fileFixed && sl.variable():
		return nil, fmt.Errorf("where a cell starts follows from the lengths of the cells before it: edit the values")
	case part == fileFixed:
		x.cell, x.off, x.with = s.Range.Off/size, s.Range.Off%size, b
		if err := f.a.refuses(ctx, sl.attr, b); err != nil {
			return nil, fmt.Errorf("%s: %w", sl.name, err)
		}
	default:
		if x.cell, err = strconv.ParseInt(s.Name(), 10, 64); err != nil {
			return nil, nil
		}
		if len(b)%filter.SizeOf(sl.datatype) != 0 {
			return nil, fmt.Errorf("cells of %s are whole values of %d bytes", sl.name, filter.SizeOf(sl.datatype))
		}
		x.with, x.whole = b, true
	}
	return x, nil
}

// fileOf finds the fragment, the field and the part that a data file belongs to.
func (a *array) fileOf(name string) (f *frag, slot, part int) {
	for _, f := range a.fragList {
		for base, s := range f.files {
			if s != nil && a.d.t.FileName(s.Range) == name && f.meta != nil {
				slot, part = slotOf(f.slots, base)
				return f, slot, part
			}
		}
	}
	return nil, -1, 0
}

// apply changes a cell's bytes and whether it is null.
func (x *cellEdit) apply(s *fileSlot, v cellValue) (cellValue, error) {
	switch {
	case x.whole:
		v.data = x.with
	case x.with != nil:
		if x.off+int64(len(x.with)) > int64(len(v.data)) {
			return v, fmt.Errorf("%s: the value is longer than the cell", s.name)
		}
		v.data = bytes.Clone(v.data)
		copy(v.data[x.off:], x.with)
	}
	if v.valid = 1; x.valid != nil {
		v.valid = *x.valid
	}
	return v, nil
}

// value reads a cell of a field.
func (f *frag) value(ctx context.Context, slot int, p cellPlace) (v cellValue, err error) {
	s, v := &f.slots[slot], cellValue{valid: 1}
	t := f.a.d.t
	if s.nullable {
		r, err := f.space(ctx, placeOf{slot: slot, part: fileValid, tile: p.tile})
		if err != nil {
			return v, err
		}
		b, err := f.cut(ctx, r, p.cell, 1)
		if err != nil {
			return v, err
		}
		v.valid = b[0]
	}
	if !s.variable() {
		r, err := f.space(ctx, placeOf{slot: slot, part: fileFixed, tile: p.tile})
		if err != nil {
			return v, err
		}
		b, err := f.cut(ctx, r, p.cell*s.cell(), s.cell())
		v.data = bytes.Clone(b)
		return v, err
	}
	starts, err := f.starts(ctx, slot, p.tile)
	if err != nil || p.cell+1 >= int64(len(starts)) {
		return v, cmp.Or(err, fmt.Errorf("%s has no cell %d in tile %d", s.name, p.cell, p.tile))
	}
	if n := starts[p.cell+1] - starts[p.cell]; n > 0 {
		r, err := f.space(ctx, placeOf{slot: slot, part: fileVar, tile: p.tile})
		if err != nil {
			return v, err
		}
		b, err := t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off + starts[p.cell], Len: n})
		v.data = bytes.Clone(b)
		return v, err
	}
	v.data = []byte{}
	return v, nil
}

// fillValue is what a cell of an attribute says that was never written.
func fillValue(ctx context.Context, a *array, at *attr) cellValue {
	v := cellValue{valid: 1}
	if v.data = fillOf(at.datatype, at.values()); at.fill.Span != nil {
		if b, err := a.schemas.home.Bytes(ctx, at.fill.Range); err == nil && len(b) > 0 {
			v.data = bytes.Clone(b)
		}
	}
	if at.nullable() {
		v.valid = byte(at.fillOK.Uint())
	}
	return v
}

// coordinates are those of a cell.
func (f *frag) coordinates(ctx context.Context, p cellPlace) ([]model.Value, error) {
	dims := f.meta.schema.dims
	out := make([]model.Value, len(dims))
	if f.meta.dense {
		g, ok := f.meta.grid()
		if !ok {
			return nil, fmt.Errorf("fragment %s: its box makes no tiles", f.name)
		}
		g.at(uint64(p.tile), uint64(p.cell), out)
		return out, nil
	}
	for slot := range f.slots {
		s := &f.slots[slot]
		for i := range dims {
			if s.dim != &dims[i] {
				continue
			}
			v, err := f.value(ctx, slot, p)
			if err != nil {
				return nil, err
			}
			out[i] = dims[i].coordinate(v.data)
		}
	}
	return out, nil
}

// rewriteCells turns edits of cells into fragments.
func rewriteCells(ctx context.Context, d *doc, cells []cellEdit) (out []model.Edit, warnings []string, err error) {
	byArray := map[*array][]cellEdit{}
	for _, x := range cells {
		byArray[x.f.a] = append(byArray[x.f.a], x)
	}
	for _, a := range slices.SortedFunc(maps.Keys(byArray), func(a, b *array) int { return cmp.Compare(a.dir, b.dir) }) {
		list := byArray[a]
		s := a.schemas.current()
		if s == nil {
			return nil, nil, fmt.Errorf("the array has no schema")
		}
		if !d.whole() {
			return nil, nil, fmt.Errorf("open the folder of the array: a changed cell becomes a new fragment in it")
		}
		var edits []model.Edit
		switch {
		case s.dense():
			edits, err = denseCells(ctx, a, list)
		case s.dups.Uint() != 0 && slices.ContainsFunc(list, func(x cellEdit) bool { return x.f.rewritable() != "" }):
			err = errors.New(keptApart)
		case s.dups.Uint() != 0:
			edits, err = sameFragments(ctx, a, list)
			warnings = append(warnings, "the array keeps cells of equal coordinates apart, so that the fragment itself is written again")
		default:
			edits, err = sparseCells(ctx, a, list)
		}
		if err != nil {
			return nil, nil, err
		}
		if newest := newestVersion(a); newest < writesFrom {
			warnings = append(warnings, fmt.Sprintf("the new fragment is of version %d, for TileDB 2.8 and later: the array was of version %d",
				writesFrom, newest))
		}
		out = append(out, edits...)
	}
	return out, warnings, nil
}

// unwritable says why the array takes no new fragment; "" when it does.
func (a *array) unwritable() string {
	s := a.schemas.current()
	switch {
	case s == nil || !s.evolves() || len(s.dims) == 0:
		return "the array has no schema that new cells can be written by"
	case s.layout < 5:
		return fmt.Sprintf("arrays of version %d keep all coordinates in one file: this program only reads them; TileDB can consolidate and write them anew", s.layout)
	case s.crypt && a.d.key() == nil:
		return "the array is encrypted: give its key"
	}
	return ""
}

// readOnly says why no cell that is there can be changed; "" when some can.
func readOnly(a *array) string {
	if why := a.unwritable(); why != "" {
		return why
	}
	if s := a.schemas.current(); s.dups.Uint() != 0 && !slices.ContainsFunc(a.fragList, func(f *frag) bool { return f.rewritable() == "" }) {
		return keptApart
	}
	return ""
}

// keptApart is why a cell cannot be edited that only its own fragment can hold.
const keptApart = "the array keeps cells of equal coordinates apart, so that a cell changes only in its own fragment, and that is of a version that is " +
	"not written here: let TileDB consolidate the array first"

// rewritable says why a fragment cannot be written again, by its version; "" when it can.
func (f *frag) rewritable() string {
	if v := f.stamp.version; v < writesFrom || v > againTo {
		return fmt.Sprintf("fragment %s is of version %d; those of version %d to %d can be written again: let TileDB consolidate the array first, "+
			"or change the cell in a new fragment", f.name, v, writesFrom, againTo)
	}
	return ""
}

// newestVersion is the newest version of the array's schemas and fragments.
func newestVersion(a *array) (v uint32) {
	if s := a.schemas.current(); s != nil {
		v = s.layout
	}
	for _, f := range a.fragList {
		v = max(v, f.stamp.version)
	}
	return v
}
