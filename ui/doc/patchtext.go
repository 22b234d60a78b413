package doc

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/ui/paint"
	"spandrel/ui/show"
)

// PatchText describes a patch in words, and in values if it is inside a field: 13 → 12, and the bytes beside it.
type PatchText struct {
	Name, Was, Is string
	Bytes         string // "" where was and is are bytes themselves
	Why           string
}

// PatchWords is the longest run of bytes that is read as a value.
const PatchWords = 64

// Describe describes what a patch replaces, and by what. t is the tree that the patch was computed for, or a later one.
func Describe(ctx context.Context, t *model.Tree, before *model.Snapshot, q *model.Patch) PatchText {
	path := q.Path
	if path == "" && t.Snapshot == before {
		path = fieldAt(t, q)
	}
	p := PatchText{Name: cmp.Or(path, q.File), Why: q.Why}
	was, is := patchSides(before, q)
	p.Was, p.Is = SomeHex(was, q.Del), "nothing"
	if q.With != nil {
		p.Is = SomeHex(is, q.With.Len())
	}
	if path == "" || q.Del > PatchWords || q.With == nil || q.With.Len() > PatchWords {
		return p
	}
	s, err := t.Find(ctx, path)
	if err != nil || s == nil || s.Shape != model.Leaf || s.Field.Codec == nil {
		return p
	}
	if in := q.Off - s.Range.Off; in >= 0 && q.Del == q.With.Len() && in+q.Del <= s.Range.Len && s.Range.Len <= PatchWords && q.Del < s.Range.Len {
		if c, err := before.Content(q.File); err == nil { // a part of the field
			was = Front(c, s.Range.Off, s.Range.Len)
			is = append(append(slices.Clone(was[:min(in, int64(len(was)))]), is...), was[min(in+q.Del, int64(len(was))):]...)
		}
	}
	p.Values(s.Field, was, is)
	return p
}

// Effect describes a change: the values of a field if it changes just one, otherwise how many bytes it changes, adds and removes, and which tables change their number of rows.
func (x *Preview) Effect(ctx context.Context) string {
	patches := x.Plan.Patches
	if len(patches) == 1 {
		if q := Describe(ctx, x.Before, x.Plan.From, &patches[0]); q.Bytes != "" {
			return q.Name + " from " + q.Was + " to " + q.Is
		}
	}
	var changed, added, removed int64
	files := map[string]bool{}
	for _, q := range patches {
		var with int64
		if q.With != nil {
			with = q.With.Len()
		}
		changed += min(q.Del, with)
		added += max(0, with-q.Del)
		removed += max(0, q.Del-with)
		files[q.File] = true
	}
	var parts []string
	for _, p := range []struct {
		does string
		n    int64
	}{{"changes ", changed}, {"adds ", added}, {"removes ", removed}} {
		if p.n > 0 {
			parts = append(parts, p.does+model.Count(p.n, "bytes"))
		}
	}
	in := "in " + model.Count(int64(len(files)), "files")
	if len(files) == 1 {
		in = "in " + patches[0].File
	}
	return strings.Join(append([]string{strings.Join(parts, ", ") + " " + in}, x.rowsChanged(ctx)...), "; ")
}

// rowsChanged lists the tables whose number of rows differs between the two sides.
func (x *Preview) rowsChanged(ctx context.Context) (out []string) {
	after := x.After.Tables(ctx)
	for _, was := range x.Before.Tables(ctx) {
		if is, ok := model.TableNamed(after, was.Name); ok && is.Rows != was.Rows && len(out) < 3 {
			out = append(out, fmt.Sprintf("%s: %s instead of %s", was.Name, model.Count(is.Rows, "rows"), model.Thousands(was.Rows)))
		}
	}
	return out
}

// setLabel describes setting a field: rows[2]/size: 20 → 13; without the old value if it is unknown.
func setLabel(t *model.Tree, s *model.Span, v model.Value) string {
	if b, ok := t.Cached(s.Range); ok && s.Field.Codec != nil {
		if was, _, err := s.Field.Codec.Decode(b); err == nil {
			return s.Path() + ": " + paint.Shorten(show.Value(s.Field, was), 40) + " → " + paint.Shorten(show.Value(s.Field, v), 40)
		}
	}
	return "set " + s.Path()
}

// fieldAt returns the path of the field that a patch of a file is inside; "" if it is in none, or several.
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

// Values describes a change as values of a field, if both sides are values; the bytes follow.
func (p *PatchText) Values(f *model.Field, was, is []byte) {
	a, b := fieldText(f, was), fieldText(f, is)
	if a != "" && b != "" {
		p.Bytes = differentBytes(was, is)
		p.Was, p.Is = a, b
	}
}

// differentBytes prints the differing bytes of two runs: 0d → 0c.
func differentBytes(was, is []byte) string {
	for len(was) > 1 && len(is) > 1 && was[0] == is[0] {
		was, is = was[1:], is[1:]
	}
	for len(was) > 1 && len(is) > 1 && was[len(was)-1] == is[len(is)-1] {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	return SomeHex(was, int64(len(was))) + " → " + SomeHex(is, int64(len(is)))
}

// fieldText prints bytes as the value of a field; "" if they are not one.
func fieldText(f *model.Field, b []byte) string {
	if n := f.Codec.Size(); n >= 0 && n != len(b) {
		return ""
	}
	v, n, err := f.Codec.Decode(b)
	if err != nil || n != len(b) {
		return ""
	}
	return show.Value(f, v)
}

// patchSides returns the first bytes that a patch replaces, and the first of their replacement.
func patchSides(before *model.Snapshot, q *model.Patch) (was, is []byte) {
	if c, err := before.Content(q.File); err == nil {
		was = Front(c, q.Off, q.Del)
	}
	if q.With != nil {
		is = Front(q.With, 0, q.With.Len())
	}
	return was, is
}

// Front reads the first of n bytes.
func Front(c io.ReaderAt, off, n int64) []byte {
	b := make([]byte, min(n, PatchWords))
	k, _ := c.ReadAt(b, off)
	return b[:k]
}

// SomeHex prints the first of n bytes.
func SomeHex(b []byte, n int64) string {
	switch {
	case n == 0:
		return "nothing"
	case n <= 12:
		return hex.EncodeToString(b)
	}
	return model.Words("%s… %d bytes", hex.EncodeToString(b[:min(12, len(b))]), n)
}
