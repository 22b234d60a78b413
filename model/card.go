package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// CardLine is a line that describes a document to people.
type CardLine struct{ Label, Text string }

// SumsLabel is the label of the line about checksums. A format that knows of others than the fields of the tree writes the line itself.
const SumsLabel = "checksums"

// Card describes a document as a whole: kind and version, facts that the format knows, shape, value types, files, and
// checksums. It reads headers and lists of tables, and no rows.
func Card(ctx context.Context, t *Tree) []CardLine {
	if t.Format == nil {
		return append([]CardLine{{Label: "kind", Text: "no known format"}}, fileLines(ctx, t)...)
	}
	out := []CardLine{{Label: "kind", Text: t.Format.Title}}
	if s, text := version(ctx, t); s != nil {
		out = append(out, CardLine{"version", text})
	}
	if t.Format.Card != nil {
		out = append(out, t.Format.Card(ctx, t)...)
	}
	tables := t.Tables(ctx)
	if len(tables) > 0 {
		out = append(out, CardLine{Label: "shape", Text: ShapeOf(tables)})
		if types := typesOf(ctx, tables); types != "" {
			out = append(out, CardLine{Label: "types", Text: types})
		}
	}
	if out = append(out, fileLines(ctx, t)...); !slices.ContainsFunc(out, func(l CardLine) bool { return l.Label == SumsLabel }) {
		out = append(out, CardLine{Label: SumsLabel, Text: sumsOf(t)})
	}
	return out
}

// Facts are what programs ask about a document as a whole.
type Facts struct {
	Version       string // version of the format; "" if no field states it
	Shape         string // as in Card; "" without tables
	Rows, Columns int64  // of the table that it is opened for; -1 without tables
}

// FactsOf reads headers and lists of tables, and no rows.
func FactsOf(ctx context.Context, t *Tree) Facts {
	f := Facts{Rows: -1, Columns: -1}
	if t.Format == nil {
		return f
	}
	_, f.Version = version(ctx, t)
	if tables := t.Tables(ctx); len(tables) > 0 {
		main := &tables[MainTable(tables)]
		f.Shape, f.Rows, f.Columns = ShapeOf(tables), main.Rows, int64(len(main.Columns))
	}
	return f
}

// version finds the field with the version of the format, and how people write it: by its name, if it has one.
func version(ctx context.Context, t *Tree) (*Span, string) {
	for _, path := range []string{"header/version", "version"} {
		s, err := t.Find(ctx, path)
		if err != nil || s == nil || s.Shape != Leaf {
			continue
		}
		if s.Field.Note != nil {
			if text := s.Field.Note(ctx, t, s); text != "" {
				return s, text
			}
		}
		if v, err := t.Value(ctx, s); err == nil {
			return s, v.String()
		}
	}
	return nil, ""
}

// Kind is the title of the format with its version, such as "NumPy array 1".
func (t *Tree) Kind(ctx context.Context) string {
	if t.Format == nil {
		return "no known format"
	}
	if s, text := version(ctx, t); s != nil {
		return t.Format.Title + " " + text
	}
	return t.Format.Title
}

// ShapeOf is the size of the table that a document is opened for, or of its arrays, and the number of their shards.
func ShapeOf(tables []Table) string {
	main, noun := &tables[MainTable(tables)], "rows"
	if name := main.Name; strings.HasSuffix(name, "s") && len(tables) > 1 {
		noun = name
	}
	rowsOf := func(name string) int64 {
		if i := TableIndex(tables, name); i >= 0 {
			return tables[i].Rows
		}
		return 0
	}
	text := fmt.Sprintf("%s × %s", Count(main.Rows, noun), Count(int64(len(main.Columns)), "columns"))
	switch {
	case main.Tensor != nil:
		text = "[" + ShapeText(main.Tensor.Shape) + "], " + Count(main.Rows, "values")
	case main.Name == "arrays" || main.Name == "tensors" || main.Name == "members": // a list of them
		text = Count(main.Rows, main.Name)
		if n, all := valuesOf(tables); all {
			text += ", " + Count(n, "values")
		}
	case main.Name == "matrix" && rowsOf("genes") > 0:
		text = fmt.Sprintf("%s × %s", Count(main.Rows, "cells"), Count(rowsOf("genes"), "genes"))
	case strings.HasSuffix(main.Name, inCollection):
		text = collectionShape(tables)
	case main.Name == "variables":
		if text = Count(main.Rows, noun); rowsOf("nodes") > 0 {
			text = Count(rowsOf("nodes"), "operations") + ", " + text
		}
	}
	if n := rowsOf("shards"); n > 0 {
		text += " in " + Count(n, "shards")
	}
	return text
}

// inCollection ends the name of the matrix of one of several archives.
const inCollection = "/matrix"

func collectionShape(tables []Table) string {
	archives, cells := int64(0), int64(0)
	for i := range tables {
		if strings.HasSuffix(tables[i].Name, inCollection) {
			archives, cells = archives+1, cells+tables[i].Rows
		}
	}
	return Count(cells, "cells") + " in " + Count(archives, "archives")
}

// valuesOf is the total number of values in the arrays of a list. all is false if some are not tables of their own.
func valuesOf(tables []Table) (n int64, all bool) {
	arrays := int64(0)
	for i := range tables {
		if tables[i].Tensor != nil {
			arrays, n = arrays+1, n+tables[i].Rows
		}
	}
	return n, arrays == tables[MainTable(tables)].Rows
}

// mostTypes is how many types are named.
const mostTypes = 6

// mostCounted is how many tensors of a list are read to count types.
const mostCounted = 10_000

// typesOf counts the value types in a document, the most frequent first: as its list of tensors names them, such as Q4_K or F8_E4M3; of its arrays;
// or of the columns of its main table.
func typesOf(ctx context.Context, tables []Table) string {
	var types []string
	main := &tables[MainTable(tables)]
	if k := slices.IndexFunc(main.Columns, func(c Column) bool { return c.Name == "dtype" || c.Name == "type" }); k >= 0 && main.Name == "tensors" {
		rows, _ := main.Read(ctx, 0, min(main.Rows, mostCounted)) // unreadable parts are left out: problems are reported elsewhere
		for _, row := range rows {
			types = append(types, row[k].Value.String())
		}
	}
	for i := range tables {
		if x := tables[i].Tensor; x != nil && main.Name != "tensors" {
			types = append(types, tables[i].Columns[x.Column].Type)
		}
	}
	if len(types) == 0 && main.Name != "tensors" {
		for _, c := range main.Columns {
			types = append(types, c.Type)
		}
	}
	text := countedNames(types)
	if main.Name == "tensors" && main.Rows > mostCounted {
		text += " in the first " + Thousands(mostCounted)
	}
	return text
}

// countedNames lists each name once with its frequency, the most frequent first.
func countedNames(all []string) string {
	count, names := map[string]int{}, []string(nil)
	for _, n := range all {
		if count[n]++; count[n] == 1 {
			names = append(names, n)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return count[b] - count[a] })
	var out []string
	for _, n := range names[:min(len(names), mostTypes)] {
		if count[n] > 1 {
			n = Thousands(int64(count[n])) + " × " + n
		}
		out = append(out, n)
	}
	if len(names) > mostTypes {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

// mostSized is the number of files up to which their sizes are determined.
const mostSized = 2000

// Stored returns the number of files of a document and their total size; the size is -1 if there are too many files, of which the number is a lower
// bound.
func (t *Tree) Stored(ctx context.Context) (count, size int64) {
	if t.Root.Range.Space == NoSpace && t.Snapshot.folder != nil { // some of its files may not have been opened
		switch count, size, err := sizeOf(ctx, t.Snapshot); {
		case err == nil:
			return count, size
		case errors.Is(err, ErrTooMany):
			return mostSized, -1
		}
	}
	files := map[string]bool{}
	for _, s := range t.Spaces() {
		if s.Derived() || files[s.File] {
			continue
		}
		if files[s.File] = true; len(files) > mostSized {
			continue
		}
		n, err := t.Size(ctx, s.ID)
		if err != nil {
			continue
		}
		size += n
	}
	if len(files) > mostSized {
		size = -1
	}
	return int64(len(files)), size
}

// sizeOf is the number of files in a folder and their total size; an error if there are too many.
func sizeOf(ctx context.Context, s *Snapshot) (count, size int64, err error) {
	err = s.walk(".", func(e Entry) error {
		if e.Regular {
			count, size = count+1, size+e.Size
		}
		if count > mostSized {
			return ErrTooMany
		}
		return ctx.Err()
	})
	return count, size, err
}

// fileLines say how many files a document has, and their total size.
func fileLines(ctx context.Context, t *Tree) []CardLine {
	files, size := t.Stored(ctx)
	text := Count(size, "bytes")
	if size >= 1024 {
		_, unit, _ := strings.Cut(SizeText(uint64(size)), " ")
		text += " " + unit
	}
	if files != 1 {
		text = Count(files, "files") + ", " + text
	}
	if size < 0 {
		text = "at least " + Count(files, "files")
	}
	return []CardLine{{Label: "size", Text: text}}
}

// sumsOf names the checksums that have been read so far, and how many there are of each.
func sumsOf(t *Tree) string {
	count, names := map[string]int64{}, []string(nil)
	for _, l := range t.Links() {
		if l.Kind != ChecksumLink || l.Sum == nil {
			continue
		}
		if count[l.Sum.Name]++; count[l.Sum.Name] == 1 {
			names = append(names, l.Sum.Name)
		}
	}
	var out []string
	for _, n := range names {
		if count[n] > 1 {
			n = Thousands(count[n]) + " × " + n
		}
		out = append(out, n)
	}
	if out == nil {
		return "none found: changed values would go unnoticed"
	}
	return strings.Join(out, ", ")
}
