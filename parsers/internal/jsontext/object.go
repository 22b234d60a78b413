package jsontext

import (
	"context"
	"errors"
	"slices"

	"spandrel/model"
)

var (
	opening = &model.Field{Name: "open", Codec: model.ASCII, Fixed: "the bracket encloses the entries"}
	closing = &model.Field{Name: "close", Codec: model.ASCII, Fixed: "the bracket encloses the entries"}
	blanks  = &model.Field{Name: "blanks", Codec: model.ASCII, Doc: "pad the text"}
)

// Object reads the frame, a text whose value is an object, as its opening bracket, a list of its members, the closing bracket, and
// spaces that pad it to a multiple of pad bytes. A member extends from its name to the next one; member creates its tokens, whose
// places count from base. If the text is not valid JSON, it returns the error and the number of valid bytes, and the rest is not read; another
// kind of value is not read at all.
func Object(c *model.Cursor, entries, entry *model.Field, pad int64, member func(c *model.Cursor, base int64, tokens []Token)) (list *model.Span, end int64, err error) {
	tokens, end, err := Tokens(c.Peek(c.Left()))
	if len(tokens) == 0 || tokens[0].Kind != Open || tokens[0].Text != "{" { // a text may say the same
		if err == nil {
			err = errors.New("another value")
		}
		return nil, end, err
	}
	to, inner := end, tokens[1:]
	if err == nil {
		to, inner = tokens[len(tokens)-1].Start, inner[:len(inner)-1]
	}
	first := to
	if len(inner) > 0 {
		first = inner[0].Start
	}
	base, open := c.Pos(), c.FieldN(opening, first)
	all := c.ListN(entries, to-first, func(c *model.Cursor) {
		for len(inner) > 0 {
			n, next := len(inner), to
			if i := slices.IndexFunc(inner[1:], func(t Token) bool { return t.Kind == Key && t.Depth <= 1 }); i >= 0 {
				n, next = i+1, inner[i+1].Start
			}
			c.Block(entry, base+next-c.Pos(), func(c *model.Cursor) { member(c, base, inner[:n]) })
			inner = inner[n:]
		}
	})
	if err == nil {
		shut := c.FieldN(closing, end-to)
		c.PadOf(c.FieldN(blanks, c.Left()), pad, ' ', open, all, shut)
	}
	return all.Span, end, err
}

// Without deletes a member of a list made by Object, with its comma.
func Without(ctx context.Context, t *model.Tree, list, entry *model.Span) ([]model.Edit, error) {
	at := entry.Range
	last := list.Count() - 1
	if list.Child(last).Range != at || last == 0 {
		return []model.Edit{model.Replace(at, nil)}, nil
	}
	before := list.Child(last - 1) // ends with the comma, which goes too, and blanks, which stay
	text, err := t.Bytes(ctx, before.Range)
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == ',' {
			comma := model.Range{Space: at.Space, Off: before.Range.Off + int64(i), Len: 1}
			return []model.Edit{model.Replace(comma, nil), model.Replace(at, nil)}, nil
		}
	}
	return nil, errors.Join(err, errors.New("there is no comma before it"))
}
