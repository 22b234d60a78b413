package schema

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/storage"
)

// ParseCell returns the bytes of an attribute's cell given as text: a value of its enumeration, a date, numbers, a text.
func (l *Set) ParseCell(ctx context.Context, a *Attribute, text string) ([]byte, error) {
	if a.Values() == 1 {
		if i, ok := l.valueNamed(ctx, a.Enum.Text(), text); ok && !model.IsInt(text) { // a number is an index, even if there are names that look like numbers
			return storage.CodecOf(a.Datatype).Encode(storage.IntOf(a.Datatype, i))
		}
		if filter.IsTime(a.Datatype) {
			if n, ok := storage.ParseTime(a.Datatype, text); ok {
				return storage.CodecOf(a.Datatype).Encode(model.I(n))
			}
		}
	}
	b, err := storage.ParseCell(a.Datatype, a.Values(), text)
	if err == nil {
		err = l.Refuses(ctx, a, b)
	}
	return b, err
}

// valueNamed is the index of a text in an enumeration.
func (l *Set) valueNamed(ctx context.Context, enumeration, text string) (i int64, ok bool) {
	if enumeration == "" {
		return 0, false
	}
	e := l.NewestEnumeration(ctx, enumeration)
	for ; e != nil && i < e.Count(); i++ {
		if e.Text(ctx, l.Home, i) == text {
			return i, true
		}
	}
	return 0, false
}

// Refuses says why readers cannot accept a value of the attribute: a truth value must be 0 or 1, and an index in range of the enumeration.
func (l *Set) Refuses(ctx context.Context, a *Attribute, b []byte) error {
	for _, v := range b {
		if a.Datatype == filter.Bool && v > 1 {
			return fmt.Errorf("a Boolean is 0 or 1, not %d", v)
		}
	}
	if name := a.Enum.Text(); name != "" && a.Values() == 1 && storage.IsNumber(a.Datatype) {
		v, _, err := storage.CodecOf(a.Datatype).Decode(b)
		if e := l.NewestEnumeration(ctx, name); err == nil && e != nil && (v.Int() < 0 || v.Int() >= e.Count()) {
			return fmt.Errorf("%s is not a value of the enumeration %s, which has %d, counted from 0", v, name, e.Count())
		}
	}
	return nil
}
