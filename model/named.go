package model

import (
	"cmp"
	"context"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Paths may name an element of a list in quotes instead of by index: toc["Age"]/compression. The list may be one of
// the tree, one for which the format has another name, or a table: samples["s0001"] is the element that contains the row of that key.

// mostNamed is how many elements or rows are searched for a name.
const mostNamed = 1 << 20

// named splits a path at the first quoted name in brackets: what precedes it, the name, and what follows.
func named(path string) (list, name, rest string, ok bool) {
	for i := 0; i+1 < len(path); i++ {
		if path[i] != '[' || path[i+1] != '"' && path[i+1] != '\'' {
			continue
		}
		if path[i+1] == '"' {
			quoted, err := strconv.QuotedPrefix(path[i+1:])
			if err != nil {
				return "", "", "", false
			}
			name, err = strconv.Unquote(quoted)
			rest, ok = strings.CutPrefix(path[i+1+len(quoted):], "]")
			return path[:i], name, rest, ok && err == nil
		}
		name, rest, ok = strings.Cut(path[i+2:], "']")
		return path[:i], name, rest, ok
	}
	return "", "", "", false
}

// findNamed returns the span at a path that names an element.
func (t *Tree) findNamed(ctx context.Context, path string) *Span {
	list, name, rest, ok := named(path)
	if !ok {
		return nil
	}
	var element *Span
	if s := t.find(ctx, t.Root, t.listed(list)); s != nil && t.Open(ctx, s) == nil {
		element = t.called(ctx, s, name)
	}
	if element == nil {
		element = t.rowNamed(ctx, list, name)
	}
	if element == nil {
		return nil
	}
	rest = strings.TrimPrefix(rest, "/")
	if s := t.find(ctx, element, rest); s != nil || rest == "" {
		return s
	}
	return t.findNamed(ctx, element.Path()+"/"+rest)
}

// listed is the path of a list for which the format has another name, or the given path.
func (t *Tree) listed(list string) string {
	if t.Format == nil {
		return list
	}
	return cmp.Or(t.Format.Lists[list], list)
}

// called is the element of a list with a name: its own, or that in its name field.
func (t *Tree) called(ctx context.Context, s *Span, name string) *Span {
	for i := range min(s.Count(), mostNamed) {
		k := s.Child(i)
		if k == nil || ctx.Err() != nil {
			return nil
		}
		if k.Index() < 0 && k.Name() == name || k.Index() >= 0 && t.nameOf(ctx, k) == name {
			return k
		}
	}
	return nil
}

// nameOf is the name of an element of a list: its value, or its field "name" or "key"; "" for none.
func (t *Tree) nameOf(ctx context.Context, s *Span) string {
	if t.Open(ctx, s) != nil {
		return ""
	}
	s = cmp.Or(s.Get("name"), s.Get("key"), s)
	if s.Shape != Leaf && t.Open(ctx, s) == nil { // a length and its text
		for i := range min(s.Count(), 4) {
			if k := s.Child(i); k.Shape == Leaf && k.Field.Codec != nil && k.Field.Codec.Kind() == Text {
				s = k
				break
			}
		}
	}
	if s.Shape != Leaf || s.Range.Len > MaxValue {
		return ""
	}
	v, err := t.Value(ctx, s)
	if err != nil || v.Kind != Text {
		return ""
	}
	return v.Text()
}

// mostSaid is the length of the longest name of an element in a sentence.
const mostSaid = 80

// Said is the path of a span for a sentence: open elements of lists are called by their names, unless the span is part of the name.
func (t *Tree) Said(ctx context.Context, s *Span) string { return t.said(ctx, s, s.Range) }

// said is Said for what a range is in.
func (t *Tree) said(ctx context.Context, s *Span, at Range) string {
	if s.parent == nil {
		return ""
	}
	path := t.said(ctx, s.parent, at)
	if s.Index() < 0 {
		return strings.TrimPrefix(path+"/"+s.Name(), "/")
	}
	if s.Shape != Struct {
		return path + s.Name()
	}
	by := cmp.Or(s.Get("name"), s.Get("key"))
	if by == nil || by.Range.Overlaps(at) {
		return path + s.Name()
	}
	name := t.nameOf(ctx, s)
	if name == "" || len(name) > mostSaid || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return path + s.Name()
	}
	return fmt.Sprintf("%s[%q]", path, name)
}

// namedElement is an element of a list, and its name.
type namedElement struct {
	name string
	span *Span
}

// namedIn are the elements of a list with their names; nil unless all have different ones.
func (t *Tree) namedIn(ctx context.Context, list *Span) []namedElement {
	if list == nil || list.Shape != Array || t.Open(ctx, list) != nil || list.Count() > mostNamed {
		return nil
	}
	out, seen := []namedElement{}, map[string]bool{}
	for i := range list.Count() {
		k := list.Child(i)
		name := t.nameOf(ctx, k)
		if name == "" || seen[name] {
			return nil
		}
		out, seen[name] = append(out, namedElement{name, k}), true
	}
	return out
}

// mostSummary is the bytes of a summary of an element that are text; a checksum stands for the rest.
const mostSummary = 200

// summary is what an element contains beside its name; "missing" for no element.
func (t *Tree) summary(ctx context.Context, s *Span) (string, error) {
	if s == nil {
		return "missing", nil
	}
	out, err := "", t.Open(ctx, s)
	for i := int64(0); i < s.Count() && err == nil && len(out) < mostSummary; i++ {
		var more string
		switch k := s.Child(i); {
		case k.Name() == "name" || k.Name() == "key":
			out = ""
			continue
		case k.Shape != Leaf:
			more, err = t.summary(ctx, k)
		default:
			var v Value
			v, err = t.Value(ctx, k)
			more = k.Name() + " " + k.Field.Text(v)
		}
		out += or(out == "", "", ", ") + more
	}
	if len(out) < mostSummary || err != nil {
		return out, err
	}
	sum := crc32.NewIEEE()
	err = t.Stream(ctx, s.Range, searchStep, func(_ int64, b []byte) error { sum.Write(b); return nil })
	return fmt.Sprintf("%s… (%s with CRC-32 %08x)", strings.ToValidUTF8(out[:mostSummary], ""), Count(s.Range.Len, "bytes"), sum.Sum32()), err
}

// rowNamed is the element of the tree that contains the row whose first key, or first text column, is a name.
func (t *Tree) rowNamed(ctx context.Context, table, name string) *Span {
	tables := t.Tables(ctx)
	i := TableIndex(tables, table)
	if i < 0 || tables[i].Read == nil {
		return nil
	}
	x := &tables[i]
	key, read := x.naming(), RowReader{Table: x}
	for row := int64(0); key >= 0 && row < min(x.Rows, mostNamed); row++ {
		r, err := read.At(ctx, row)
		if err != nil {
			return nil
		}
		if r[key].Value.Text() == name {
			return t.elementOf(ctx, r)
		}
	}
	return nil
}

// naming is the column by which paths name the rows of a table: its first key, or first text column; -1 for none.
func (t *Table) naming() int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Kind == Text && (len(t.Key) == 0 || slices.Contains(t.Key, c.Name)) })
}

// elementOf is the element of a list that contains the cells of a row.
func (t *Tree) elementOf(ctx context.Context, r Row) *Span {
	for i := range r {
		if r[i].Range.Len == 0 {
			continue
		}
		s, err := t.AtOpen(ctx, r[i].Range.Space, r[i].Range.Off)
		if err != nil || s == nil {
			continue
		}
		for at := s; at != nil && at.parent != nil; at = at.parent {
			if at.Index() >= 0 {
				return at
			}
		}
		return s
	}
	return nil
}

// NamesIn lists the names of the elements of a list, or of the rows of a table, as used in paths; at most n of them.
func (t *Tree) NamesIn(ctx context.Context, list string, n int) (out []string) {
	if s := t.find(ctx, t.Root, t.listed(list)); s != nil && t.Open(ctx, s) == nil {
		for i := range min(s.Count(), int64(n)) {
			if name := t.nameOf(ctx, s.Child(i)); s.Child(i).Index() >= 0 && name != "" {
				out = append(out, name)
			}
		}
	}
	if len(out) == 0 {
		out = t.rowNames(ctx, list, n)
	}
	return out
}

// rowNames lists the names of the first n rows of a table.
func (t *Tree) rowNames(ctx context.Context, table string, n int) (out []string) {
	tables := t.Tables(ctx)
	i := TableIndex(tables, table)
	if i < 0 || tables[i].Read == nil || tables[i].naming() < 0 {
		return nil
	}
	x, key := &tables[i], tables[i].naming()
	x.Each(ctx, 0, min(x.Rows, int64(n)), nil, func(_ int64, r Row) error {
		out = append(out, r[key].Value.Text())
		return nil
	})
	return out
}

// NamedLists are the lists whose elements paths name: those for which the format has another name, and the tables whose rows have names.
func (t *Tree) NamedLists(ctx context.Context) (out []string) {
	if t.Format != nil {
		out = slices.Sorted(maps.Keys(t.Format.Lists))
	}
	for _, x := range t.Tables(ctx) {
		if x.Read != nil && x.naming() >= 0 {
			out = append(out, x.Name)
		}
	}
	return out
}
