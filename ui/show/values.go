package show

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"spandrel/model"
)

// ValueOf prints the value of a span in one line: decoded, with its name, and with derived information in [square
// brackets], which is not stored in the file. It reads bytes, so it runs in workers except for single spans.
func ValueOf(ctx context.Context, t *model.Tree, s *model.Span) string {
	switch {
	case !s.Ready():
		return "not read yet"
	case s.Shape == model.Array:
		return note(ctx, t, s, Counted(s.Count(), "item"))
	case s.Shape == model.Struct:
		if s.Parent() == nil { // known by its file
			return note(ctx, t, s, "")
		}
		return note(ctx, t, s, nameIn(ctx, t, s, 2))
	}
	head := s.Range
	if long := int64(256); s.Field.Codec != nil && head.Len > long && s.Field.Codec.Size() < 0 {
		head.Len = long // the row shows no more
		b, err := t.Bytes(ctx, head)
		if err != nil {
			return "unreadable: " + err.Error()
		}
		v, _, err := s.Field.Codec.Decode(b)
		if err != nil { // what is cut may be none, and be one as a whole
			v = model.S(strings.ToValidUTF8(string(b), ""))
		}
		return note(ctx, t, s, strings.TrimSuffix(v.String(), "…")+"…")
	}
	v, err := t.Value(ctx, s)
	if err != nil {
		return "unreadable: " + err.Error()
	}
	return note(ctx, t, s, Value(s.Field, v))
}

// nameIn is the text at the beginning of a structure, in itself or in its first members down to a depth: the name people know it by.
func nameIn(ctx context.Context, t *model.Tree, s *model.Span, depth int) string {
	for i := range min(s.Count(), 4) {
		switch k := s.Child(i); {
		case k == nil || !k.Ready() || k.State != model.OK || k.Range.Space != s.Range.Space:
		case k.Shape == model.Struct && depth > 1:
			if name := nameIn(ctx, t, k, depth-1); name != "" {
				return name
			}
		case k.Shape == model.Leaf && k.Field.Codec != nil && k.Field.Codec.Kind() == model.Text && k.Range.Len > 0:
			return ValueOf(ctx, t, k)
		}
	}
	return ""
}

func note(ctx context.Context, t *model.Tree, s *model.Span, text string) string {
	if s.Field.Note == nil {
		return text
	}
	n := s.Field.Note(ctx, t, s)
	switch {
	case n == "":
	case text == "":
		return "[" + n + "]"
	case len(text) > 10 && strings.HasPrefix(text, "0x"): // what can be read comes first
		return "[" + n + "] " + text
	default:
		return text + " [" + n + "]"
	}
	return text
}

// Value prints a value in the way of its field, with the names of its value or bits.
func Value(f *model.Field, v model.Value) string {
	text := v.String()
	if f.Codec != nil {
		text = v.In(f.Codec.Type())
	}
	if v.Kind == model.Text && text == v.Text() { // text with control characters is quoted already
		text = "\"" + text + "\""
	}
	if f.Show == model.ShowHex && v.IsNumber() {
		text = lettersOf(f, v) + fmt.Sprintf("0x%x", v.Uint())
	} else if shown := shownAs(f.Show, v.Int()); shown != "" {
		text += "  " + shown
	}
	if name, ok := f.Enum[v.Uint()]; ok && v.IsNumber() {
		text += " " + name
	}
	for _, b := range f.Flags {
		if v.Uint()&b.Mask != 0 {
			text += " +" + b.Name
		}
	}
	return text
}

// shownAs is a number as the time or the size that it means: "" if people do not write it so.
func shownAs(show model.Show, n int64) string {
	switch {
	case show == model.ShowTimeMS && n > -62135596800000 && n < 253402300800000:
		return time.UnixMilli(n).UTC().Format("2006-01-02 15:04:05.000") + " UTC"
	case show == model.ShowTicks && n >= 0 && n < 3155378976000000000:
		return time.Unix(n/1e7-62135596800, n%1e7*100).UTC().Format("2006-01-02 15:04:05.0000000")
	case show == model.ShowSize && uint64(n) >= 1024:
		return Size(n)
	}
	return ""
}

// lettersOf reads a number as text, in brackets, if its bytes are nothing else, as in signatures.
func lettersOf(f *model.Field, v model.Value) string {
	b, err := f.Codec.Encode(v)
	if err != nil || len(b) < 4 {
		return ""
	}
	letters := 0
	for i, c := range b {
		switch {
		case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
			letters++
		case c == 0:
			b[i] = '.'
		case c <= ' ' || c > '~':
			return ""
		}
	}
	if 2*letters < len(b) {
		return ""
	}
	return "[" + string(b) + "] "
}

// NameOf is the name of a span for people: its offset is next to it, so that of a gap says what it is instead.
func NameOf(s *model.Span) string {
	if s.State == model.Gap {
		return s.Field.Doc
	}
	return s.Name()
}

// TypeOf names the type of a span as dumps do.
func TypeOf(s *model.Span) string {
	switch {
	case s.State == model.Gap || s.State == model.Bad && s.Shape == model.Leaf:
		return s.State.String()
	case s.Shape == model.Array:
		return "array"
	case s.Shape == model.Struct:
		return "struct"
	}
	t := s.Field.Codec.Type()
	if e := s.Field.Codec.Endian(); e != "" {
		t += " " + e
	}
	return t
}

// Size prints a number of bytes for people.
func Size(n int64) string {
	f, unit := float64(n), 0
	for f >= 1024 && unit < 6 {
		f, unit = f/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %ciB", f, " KMGTPE"[unit])
}

// Counted puts a number before a noun: 1 row, 2 rows.
func Counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// AlsoHex is a decimal number in a finding as its field prints numbers: 0x4d (77) if that is hexadecimal.
func AlsoHex(f *model.Finding, text string) string {
	if s := f.Span; s == nil || s.Shape != model.Leaf || s.Field.Show != model.ShowHex {
		return text
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n < 10 {
		return text
	}
	return fmt.Sprintf("0x%x (%d)", n, n)
}

// Expected is what was expected; for a file that no format recognises, that is the reasons of the formats, which have rows of their own.
func Expected(f *model.Finding) string {
	if f.Rule == model.RuleUnknown {
		return ""
	}
	return AlsoHex(f, f.Expected)
}
