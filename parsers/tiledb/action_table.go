package tiledb

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// setCells turns what was typed into cells into fragments.
func setCells(ctx context.Context, x readAs, typed []model.Typed) ([]model.Edit, error) {
	var cells []cellEdit
	cols := x.table().cols
	for _, t := range typed {
		if t.Column < 0 || t.Column >= len(cols) {
			return nil, fmt.Errorf("%s", fixedFragment)
		}
		p, err := x.place(ctx, t.Row)
		if err != nil {
			return nil, err
		}
		col := cols[t.Column]
		e := cellEdit{cellPlace: p}
		s, slot := col.slotIn(p.f)
		if e.slot, e.added = slot, s; s == nil || s.Attr == nil {
			return nil, fmt.Errorf("row %d, %s: %s", t.Row, col.name, fixedText(p.f, e.slot, col))
		}
		no, yes := byte(0), byte(1)
		switch e.valid = &yes; {
		case t.Missing && !s.Nullable:
			return nil, fmt.Errorf("row %d: cells of %s cannot be null", t.Row, s.Name)
		case t.Missing:
			e.valid = &no
		default:
			if e.with, err = p.f.typed(ctx, s, t.Text); err != nil {
				return nil, fmt.Errorf("row %d, %s: %w", t.Row, s.Name, err)
			}
			e.whole = true
		}
		cells = append(cells, e)
	}
	edits, _, err := rewriteCells(ctx, x.table().a.d, cells)
	return edits, err
}

// slotIn is the field of the column in a fragment, or the one that a new fragment would have of it, with slot -1; nil where there is none.
func (col column) slotIn(f *frag) (s *fragment.Slot, slot int) {
	if slot, _ = col.in(f); slot >= 0 {
		return &f.slots[slot], slot
	}
	if col.attr != nil {
		return &fragment.Slot{Name: col.name, Datatype: col.typ, Num: col.num, Nullable: col.attr.Nullable(), Attr: col.attr}, -1
	}
	return nil, -1
}

const olderFragment = "the fragment is older than the attribute: add the cell again"

// fixed says why cells of a column cannot be edited; "" when they can. slot is the column's field in the fragment, -1 for none.
func fixedText(f *frag, slot int, col column) string {
	switch {
	case col.dim >= 0:
		return coordF.Fixed
	case slot < 0:
		return olderFragment
	case f.slots[slot].Attr == nil:
		return ownF.Fixed
	}
	return ""
}

// typed are the bytes of a cell that is given as text: a value of its enumeration, a date, numbers, a text.
func (f *frag) typed(ctx context.Context, s *fragment.Slot, text string) ([]byte, error) {
	if i, ok := f.a.valueNamed(ctx, s.Attr.Enum.Text(), text); ok && s.Num == 1 {
		return storage.CodecOf(s.Datatype).Encode(intOf(s.Datatype, i))
	}
	if filter.IsTime(s.Datatype) && s.Num == 1 {
		if n, ok := storage.ParseTime(s.Datatype, text); ok {
			return storage.CodecOf(s.Datatype).Encode(model.I(n))
		}
	}
	b, err := cellBytes(s.Datatype, s.Num, text)
	if err == nil {
		err = f.a.refuses(ctx, s.Attr, b)
	}
	return b, err
}

// valueNamed is which value of an enumeration a text is.
func (a *array) valueNamed(ctx context.Context, enumeration, text string) (i int64, ok bool) {
	if enumeration == "" {
		return 0, false
	}
	e := a.schemas.NewestEnumeration(ctx, enumeration)
	for i := int64(0); e != nil && i < e.Count(); i++ {
		if e.Text(a.d.t, ctx, i) == text {
			return i, true
		}
	}
	return 0, false
}

// refuses says why readers cannot take a value as one of the attribute: a truth value is 0 or 1, and an index one of the enumeration.
func (a *array) refuses(ctx context.Context, x *schema.Attribute, b []byte) error {
	for _, v := range b {
		if x.Datatype == filter.Bool && v > 1 {
			return fmt.Errorf("a truth value is 0 or 1, not %d", v)
		}
	}
	if name := x.Enum.Text(); name != "" && x.Values() == 1 && storage.IsNumber(x.Datatype) {
		v, _, err := storage.CodecOf(x.Datatype).Decode(b)
		if e := a.schemas.NewestEnumeration(ctx, name); err == nil && e != nil && (v.Int() < 0 || v.Int() >= e.Count()) {
			return fmt.Errorf("%s is none of the values of the enumeration %s: it has %d, counted from 0", v, name, e.Count())
		}
	}
	return nil
}

func intOf(t uint8, n int64) model.Value {
	if filter.IsSigned(t) {
		return model.I(n)
	}
	return model.U(uint64(n))
}
