package model

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
)

// The fields outside all tables.

// apart compares the fields outside all tables.
func (c *contents) apart() error {
	if c.a.Format == nil || c.a.Format.Apart == nil || c.a.Format != c.b.Format {
		return nil
	}
	x, y := c.a.Format.Apart(c.ctx, c.a), c.b.Format.Apart(c.ctx, c.b)
	for i, j := range paired(x, y, (*Span).Path) {
		if err := c.elements(at(x, i), at(y, j)); err != nil {
			return err
		}
	}
	return nil
}

// elements compares the elements of two lists by name, if all have different ones, and otherwise the two spans.
func (c *contents) elements(x, y *Span) error {
	a, b := c.a.namedIn(c.ctx, x), c.b.namedIn(c.ctx, y)
	if a == nil || b == nil {
		return c.element("", x, y)
	}
	for i, j := range paired(a, b, func(e namedElement) string { return e.name }) {
		path := x.Path() + "[" + strconv.Quote(cmp.Or(at(a, i).name, at(b, j).name)) + "]"
		if err := c.element(path, at(a, i).span, at(b, j).span); err != nil {
			return err
		}
	}
	return nil
}

// element compares two spans. A named one whose fields or types are others is another element as a whole: its values have another meaning.
func (c *contents) element(path string, x, y *Span) error {
	var list []Difference
	whole := false
	err := comparison{c.ctx, c.a, c.b, func(s, t *Span, v, w *Value) error {
		from := cmp.Or(s, t)
		d := Difference{Kind: "field", Path: from.Path(), element: path, Row: -1, RowB: -1, TextA: "missing", TextB: "missing", value: w}
		if v != nil {
			d.A, d.TextA = v.JSON(), v.String()
		}
		if w != nil {
			d.B, d.TextB = w.JSON(), w.String()
		}
		whole = whole || v == nil || w == nil || from.Field.Enum != nil
		if path != "" {
			d.Path = path + strings.TrimPrefix(d.Path, cmp.Or(x, y).Path())
		}
		list = append(list, d)
		return nil
	}}.spans(x, y)
	if err == nil && whole && path != "" {
		d := Difference{Kind: "field", Path: path, element: path, Row: -1, RowB: -1}
		var bad error
		d.TextA, err = c.a.summary(c.ctx, x)
		d.TextB, bad = c.b.summary(c.ctx, y)
		if err = errors.Join(err, bad); x != nil {
			d.A = d.TextA
		}
		if y != nil {
			d.B = d.TextB
		}
		list = []Difference{d}
	}
	for _, d := range list {
		err = errors.Join(err, c.differ(d))
	}
	return err
}
