package tiledb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
)

// Editing a cell does what TileDB would do: it writes a new fragment with the changed cells, later than all others. Existing files
// stay, so that history is kept and no reader sees a partial change. If a later fragment does not replace a cell (in arrays that keep
// duplicates), the fragment itself is rewritten.

// cellEdit is a requested edit of a field's cell.
type cellEdit struct {
	cellPlace
	slot  int            // -1: the fragment lacks the attribute
	added *fragment.Slot // the attribute, for a new fragment
	off   int64          // offset in a fixed-size cell
	with  []byte         // replaces as many bytes of a fixed-size cell, or all of a variable one; nil: unchanged
	whole bool           // with is the whole cell
	valid *byte          // nil: valid if there is a value
}

// field is the field of the cell.
func (x *cellEdit) field() *fragment.Slot {
	if x.slot < 0 {
		return x.added
	}
	return &x.f.slots[x.slot]
}

// cellsOf removes the edits of cells from a list, and returns the others.
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

// cellEdit is an edit of a span as an edit of a cell; nil if the span is not one.
func (d *doc) cellEdit(ctx context.Context, s *model.Span, v model.Value) (*cellEdit, error) {
	f, slot, part := d.fileOf(s)
	if f == nil || slot < 0 {
		return nil, nil
	}
	tile := s
	for tile != nil && tile.Field.Name != dataTileF.Name {
		tile = tile.Parent()
	}
	if tile == nil || tile.Index() < 0 {
		return nil, nil
	}
	switch sl := &f.slots[slot]; {
	case sl.Dim != nil || sl.Coords:
		return nil, fmt.Errorf("the coordinates of a cell cannot be changed: delete the cell and add it at the new place")
	case sl.Attr == nil:
		return nil, fmt.Errorf("%s belongs to TileDB: it records when cells were written or deleted", sl.Name)
	}
	b, err := s.Field.Codec.Encode(v)
	if err != nil {
		return nil, err
	}
	x := &cellEdit{cellPlace: cellPlace{f: f, tile: tile.Index()}, slot: slot}
	if known, err := x.set(ctx, s, part, b); err != nil || !known {
		return nil, err
	}
	return x, nil
}

// set stores the new bytes of a span in a part of the field; known is false if the span is not a cell.
func (x *cellEdit) set(ctx context.Context, s *model.Span, part int, b []byte) (known bool, err error) {
	sl := &x.f.slots[x.slot]
	switch size := sl.Cell(); {
	case part == fragment.Validity:
		if len(b) != 1 || b[0] > 1 {
			return false, fmt.Errorf("a cell is null (0) or not (1)")
		}
		x.cell, x.valid = s.Range.Off, &b[0]
	case part == fragment.Fixed && sl.Variable():
		return false, fmt.Errorf("the start of a cell is determined by the lengths of the cells before it: edit the values")
	case part == fragment.Fixed:
		x.cell, x.off, x.with = s.Range.Off/size, s.Range.Off%size, b
		if err := x.f.a.schemas.Refuses(ctx, sl.Attr, b); err != nil {
			return false, fmt.Errorf("%s: %w", sl.Name, err)
		}
	default:
		if x.cell, err = strconv.ParseInt(s.Name(), 10, 64); err != nil {
			return false, nil
		}
		if len(b)%filter.SizeOf(sl.Datatype) != 0 {
			return false, fmt.Errorf("cells of %s must be whole values of %d bytes", sl.Name, filter.SizeOf(sl.Datatype))
		}
		x.with, x.whole = b, true
	}
	return true, nil
}

// fileOf returns the fragment, slot and part that unfiltered bytes belong to; nil for other bytes.
func (d *doc) fileOf(s *model.Span) (f *frag, slot, part int) {
	name, sp := d.t.FileName(s.Range), d.t.Space(s.Range.Space)
	kind, _ := d.kindOf(name)
	base := strings.TrimSuffix(path.Base(name), ".tdb")
	if f = d.fragOf(path.Dir(name)); kind != kindData || sp == nil || !sp.Derived() || f == nil || f.meta == nil || f.files[base] == nil {
		return nil, -1, 0
	}
	slot, part = fragment.SlotOf(f.slots, base)
	return f, slot, part
}

// apply changes a cell's bytes and whether it is null.
func (x *cellEdit) apply(s *fragment.Slot, v fragment.Value) (fragment.Value, error) {
	switch {
	case x.whole:
		v.Data = x.with
	case x.with != nil:
		if x.off+int64(len(x.with)) > int64(len(v.Data)) {
			return v, fmt.Errorf("%s: the value is longer than the cell", s.Name)
		}
		v.Data = bytes.Clone(v.Data)
		copy(v.Data[x.off:], x.with)
	}
	if v.Valid = 1; x.valid != nil {
		v.Valid = *x.valid
	}
	return v, nil
}

// rewriteCells turns edits of cells into fragments.
func rewriteCells(ctx context.Context, d *doc, cells []cellEdit) (out []model.Edit, warnings []string, err error) {
	byArray := map[*array][]cellEdit{}
	for _, x := range cells {
		byArray[x.f.a] = append(byArray[x.f.a], x)
	}
	for _, a := range slices.SortedFunc(maps.Keys(byArray), func(a, b *array) int { return cmp.Compare(a.dir, b.dir) }) {
		list := byArray[a]
		s := a.schemas.Current()
		if s == nil {
			return nil, nil, fmt.Errorf("the array has no schema")
		}
		if !d.whole() {
			return nil, nil, fmt.Errorf("open the folder of the array: a changed cell becomes a new fragment in it")
		}
		edits, err := rewrittenCells(ctx, a, list)
		if err != nil {
			return nil, nil, err
		}
		if !s.Dense() && s.Dups.Uint() != 0 {
			warnings = append(warnings, "the array allows duplicate coordinates, so the fragment itself is rewritten")
		}
		if newest := newestVersion(a); newest < writesFrom {
			warnings = append(warnings, fmt.Sprintf("the new fragment has version %d, for TileDB 2.8 and later; the array had version %d",
				writesFrom, newest))
		}
		out = append(out, edits...)
	}
	return out, warnings, nil
}

// rewrittenCells turns edits of the cells of an array into a fragment.
func rewrittenCells(ctx context.Context, a *array, list []cellEdit) ([]model.Edit, error) {
	switch s := a.schemas.Current(); {
	case s.Dense():
		changed, err := changedCells(ctx, list)
		if err != nil {
			return nil, err
		}
		return a.adding().dense(ctx, changed)
	case s.Dups.Uint() != 0 && slices.ContainsFunc(list, func(x cellEdit) bool { return x.f.rewritable() != "" }):
		return nil, errors.New(keptApart)
	case s.Dups.Uint() != 0:
		return sameFragments(ctx, list)
	}
	return sparseCells(ctx, a, list)
}

// unwritable says why the array takes no new fragment; "" if it does.
func (a *array) unwritable() string {
	s := a.schemas.Current()
	switch {
	case s == nil || !s.Evolves() || len(s.Dims) == 0:
		return "the array has no schema for writing new cells"
	case s.Layout < 5:
		return fmt.Sprintf("arrays of version %d store all coordinates in one file and are read-only here; TileDB can consolidate and rewrite them", s.Layout)
	case s.Crypt && a.d.key() == nil:
		return "the array is encrypted: give its key"
	}
	return ""
}

// keptApart says why a cell cannot be edited because only its own fragment can contain it.
const keptApart = "the array allows duplicate coordinates, so a cell can only change in its own fragment, whose version cannot be " +
	"written here: consolidate the array with TileDB first"

// rewritable says why a fragment cannot be rewritten, because of its version; "" if it can.
func (f *frag) rewritable() string {
	if v := f.stamp.version; v < writesFrom || v > againTo {
		return fmt.Sprintf("fragment %s has version %d, but only versions %d to %d can be rewritten: consolidate the array with TileDB first, "+
			"or change the cell in a new fragment", f.name, v, writesFrom, againTo)
	}
	return ""
}

// newestVersion is the newest version of the array's schemas and fragments.
func newestVersion(a *array) (v uint32) {
	if s := a.schemas.Current(); s != nil {
		v = s.Layout
	}
	for _, f := range a.fragList {
		v = max(v, f.stamp.version)
	}
	return v
}
