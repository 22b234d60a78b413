package ui

import (
	"context"
	"encoding/hex"
	"slices"

	"spandrel/model"
)

// patchText says what a patch changes, in the words of its field where it is one: 13 → 12, and the bytes beside it.
type patchText struct {
	name, was, is string
	bytes         string // "" where was and is are bytes themselves
	why           string
}

// patchWords is how long a run of bytes is read as a value at most.
const patchWords = 64

// describe reads what a patch replaces, and with what. t is the tree that the patch was worked out against, or a later one.
func describe(ctx context.Context, t *model.Tree, before *model.Snapshot, q *model.Patch) patchText {
	path := q.Path
	if path == "" && t.Snapshot == before {
		path = fieldAt(t, q)
	}
	p := patchText{name: path, why: q.Why}
	if p.name == "" {
		p.name = q.File
	}
	was, is := patchSides(before, q)
	p.was, p.is = someHex(was, q.Del), "nothing"
	if q.With != nil {
		p.is = someHex(is, q.With.Len())
	}
	if path == "" || q.Del > patchWords || q.With == nil || q.With.Len() > patchWords {
		return p
	}
	s, err := t.Find(ctx, path)
	if err != nil || s == nil || s.Shape != model.Leaf || s.Field.Codec == nil {
		return p
	}
	if in := q.Off - s.Range.Off; in >= 0 && q.Del == q.With.Len() && in+q.Del <= s.Range.Len && s.Range.Len <= patchWords && q.Del < s.Range.Len {
		if c, err := before.Content(q.File); err == nil { // a part of the field
			was = front(c, s.Range.Off, s.Range.Len)
			is = append(append(slices.Clone(was[:min(in, int64(len(was)))]), is...), was[min(in+q.Del, int64(len(was))):]...)
		}
	}
	p.values(s.Field, was, is)
	return p
}

// fieldAt returns the path of the field that a patch of a file changes bytes of; "" where it is no field, or more than one.
func fieldAt(t *model.Tree, q *model.Patch) string {
	for _, sp := range t.Spaces() {
		if sp.Derived() || sp.File != q.File || q.Del == 0 {
			continue
		}
		if s := t.At(sp.ID, q.Off); s != nil && s.Shape == model.Leaf && s.State != model.Gap && s.State != model.Bad && s.Range.Contains(model.Range{Space: sp.ID, Off: q.Off, Len: q.Del}) {
			return s.Path()
		}
	}
	return ""
}

// values says a change in values of a field, where both sides are some; the bytes stand beside them.
func (p *patchText) values(f *model.Field, was, is []byte) {
	a, b := fieldText(f, was), fieldText(f, is)
	if a != "" && b != "" {
		p.bytes = differentBytes(was, is)
		p.was, p.is = a, b
	}
}

// differentBytes prints those of two runs of bytes that differ: 0d → 0c.
func differentBytes(was, is []byte) string {
	for len(was) > 1 && len(is) > 1 && was[0] == is[0] {
		was, is = was[1:], is[1:]
	}
	for len(was) > 1 && len(is) > 1 && was[len(was)-1] == is[len(is)-1] {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	return someHex(was, int64(len(was))) + " → " + someHex(is, int64(len(is)))
}

// fieldText prints bytes as the value of a field; "" where they are none.
func fieldText(f *model.Field, b []byte) string {
	if n := f.Codec.Size(); n >= 0 && n != len(b) {
		return ""
	}
	v, n, err := f.Codec.Decode(b)
	if err != nil || n != len(b) {
		return ""
	}
	return showValue(f, v)
}

// patchSides returns the first bytes that a patch replaces, and the first of those that come in their place.
func patchSides(before *model.Snapshot, q *model.Patch) (was, is []byte) {
	if c, err := before.Content(q.File); err == nil && q.Del > 0 {
		was = make([]byte, min(q.Del, patchWords))
		n, _ := c.ReadAt(was, q.Off)
		was = was[:n]
	}
	if q.With != nil {
		is = make([]byte, min(q.With.Len(), patchWords))
		n, _ := q.With.ReadAt(is, 0)
		is = is[:n]
	}
	return was, is
}

// front reads the first of n bytes of a content.
func front(c *model.Content, off, n int64) []byte {
	b := make([]byte, min(n, patchWords))
	k, _ := c.ReadAt(b, off)
	return b[:k]
}

// someHex prints the front of n bytes.
func someHex(b []byte, n int64) string {
	switch {
	case n == 0:
		return "nothing"
	case n <= 12:
		return hex.EncodeToString(b)
	}
	return model.Words("%s… %d bytes", hex.EncodeToString(b[:min(12, len(b))]), n)
}
