package npy

import (
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// The values of an array may be those of another type than its header says. numpy reads them without an error, as nonsense.

const (
	mostSampled  = 1 << 14 // bytes of the values that are looked at
	leastSampled = 32      // numbers
)

// retype reports values that are nonsense in the type of the header and make sense in a wider or narrower one: an error if the size of the file says the same.
// Otherwise they must be nonsense beyond doubt: nearly all of them, or both too large and too small.
func retype(c *model.Cursor, a *npyfile.Array) {
	codec := model.Dtypes[a.Head.Descr]
	if a.Err != nil || a.Ends > 0 || a.Descr.Span == nil {
		return
	}
	b := c.PeekAt(c.Base()+a.Head.Data, min(a.Bytes, mostSampled))
	if widened(a, b) != nil {
		a.Retyped = halfWide
		c.Wrong(otherType, a.Descr, nil, nil, model.Saying("the header says %s, of 4 bytes for each character, but the values are %s, of 2", a.Head.Descr, halfWide))
		return
	}
	if codec == nil || codec.Size() < 4 {
		return
	}
	var odd model.Oddness
	odd.Count(b, codec)
	doubtless := min(odd.Huge, odd.Tiny)*16 >= odd.All || (odd.Huge+odd.Tiny)*8 >= 7*odd.All
	if odd.All < leastSampled || odd.Few() {
		return
	}
	for _, name := range others(a, b) {
		switch size := a.Count * int64(model.Dtypes[name].Size()); {
		case size == a.Bytes:
			c.Wrong(otherType, a.Descr, nil, model.S(name), model.Doubtful,
				model.Saying("the header says %s, but the values are those of %s, and the file has the size that the shape then needs", a.Head.Descr, name))
			a.Retyped = name
			return
		case doubtless && a.Bytes == a.Count*a.Item:
			c.Wrong(otherType, a.Descr, nil, model.S(name), model.Doubtful, model.Graded(model.Warning),
				model.Saying("the header says %s, but the values are those of %s, although the file does not have the size that the shape then needs", a.Head.Descr, name))
			return
		}
	}
}

// narrower is the type of the same kind and byte order with which the shape fits the bytes; "" for none.
func narrower(a *npyfile.Array) string {
	if model.Dtypes[a.Head.Descr] == nil {
		return ""
	}
	for name, codec := range model.Dtypes {
		if name[:2] == a.Head.Descr[:2] && int64(codec.Size())*a.Count == a.Bytes {
			return name
		}
	}
	return ""
}

// others are the types of other sizes as which values make sense, those of the same kind and byte order first. There are none if the values make sense in
// the other byte order.
func others(a *npyfile.Array, b []byte) []string {
	is := a.Head.Descr
	if sensible(b, model.Dtypes[turnedOrder.Replace(is)]) {
		return nil
	}
	likeness := func(name string) (n int) {
		if name[0] != is[0] {
			n = 1
		}
		if name[1] != is[1] {
			n += 2
		}
		return n
	}
	names := slices.DeleteFunc(slices.Collect(maps.Keys(model.Dtypes)), func(name string) bool {
		codec := model.Dtypes[name]
		return codec.Size() < 4 || int64(codec.Size()) == a.Item || !sensible(b, codec)
	})
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(likeness(x)-likeness(y), strings.Compare(x, y)) })
	return names
}

// sensible tells whether few of some numbers are odd.
func sensible(b []byte, codec model.Codec) bool {
	var odd model.Oddness
	odd.Count(b, codec)
	return odd.Few()
}

// fitType offers the other types of numbers with which the shape fits the bytes, if the values make sense as one, before other shapes with which it does.
func fitType(ctx context.Context, t *model.Tree, x *model.Finding) (out []model.Fix) {
	f := model.StateOf[*file](t)
	if f == nil || f.array == nil {
		return nil
	}
	a := f.array
	if a.Retyped == halfWide {
		return widen(ctx, t, a)
	}
	if model.Dtypes[a.Head.Descr] == nil || a.Descr.Span == nil || a.Item < 4 {
		return fitShape(ctx, t, x)
	}
	b, err := t.Bytes(ctx, model.Range{Space: t.Root.Range.Space, Off: a.Head.Data, Len: min(a.Bytes, mostSampled)})
	if err != nil {
		return nil
	}
	for _, name := range others(a, b) {
		if int64(model.Dtypes[name].Size())*a.Count == a.Bytes && x.Want.Text() != name {
			fix := model.SetTo(a.Descr.Span, model.S(name))
			fix.Safe = false
			out = append(out, fix)
		}
	}
	if x.Rule == otherType {
		return out // another shape leaves the values what they are
	}
	return append(out, fitShape(ctx, t, x)...)
}

const (
	halfWide   = "strings in UTF-16" // as C++ on Windows and Java have them
	mostWidens = 64 << 20            // bytes
)

// widened are the strings at the beginning of b, in the 4 bytes of numpy for each character, if the array has half of the bytes that it needs and these are
// UTF-16; otherwise nil. No string of numpy looks like that: one with two characters is no valid character there.
func widened(a *npyfile.Array, b []byte) (out []byte) {
	kind := strings.TrimLeft(a.Head.Descr, "<>=")
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(a.Head.Descr, ">") {
		order = binary.BigEndian
	}
	if !strings.HasPrefix(kind, "U") || a.Count == 0 || a.Item == 0 || 2*a.Bytes != a.Count*a.Item || int64(len(b)) < a.Item/2 {
		return nil
	}
	longer := false
	for one := range slices.Chunk(b[:int64(len(b))/(a.Item/2)*(a.Item/2)], int(a.Item/2)) {
		text, ok := wideText(one, order)
		if !ok {
			return nil
		}
		at := len(out)
		out = append(out, make([]byte, a.Item)...)
		for i, r := range text {
			order.PutUint32(out[at+4*i:], uint32(r))
		}
		longer = longer || len(text) > 1
	}
	if !longer {
		return nil
	}
	return out
}

// wideText is a string in UTF-16 before the zeros at its end; ok is false if not all of it is printable.
func wideText(b []byte, order binary.ByteOrder) (text []rune, ok bool) {
	var units []uint16
	for ; len(b) > 0; b = b[2:] {
		units = append(units, order.Uint16(b))
	}
	for len(units) > 0 && units[len(units)-1] == 0 {
		units = units[:len(units)-1]
	}
	text = utf16.Decode(units)
	return text, !slices.ContainsFunc(text, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

// widen offers to write strings in UTF-16 as numpy does.
func widen(ctx context.Context, t *model.Tree, a *npyfile.Array) []model.Fix {
	at := model.Range{Space: t.Root.Range.Space, Off: a.Head.Data, Len: a.Bytes}
	if at.Len > mostWidens {
		return nil
	}
	b, err := t.Bytes(ctx, at)
	if err != nil {
		return nil
	}
	is := widened(a, b)
	if is == nil {
		return nil
	}
	return []model.Fix{{Label: "write each character in 4 bytes", Once: true, Safe: true,
		Says:  "The strings have 2 bytes for each character, UTF-16, as C++ on Windows has them. numpy reads 4.",
		Edits: []model.Edit{model.Splice{Range: at, With: model.Memory(is), Loose: true}}}}
}
