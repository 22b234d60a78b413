package scdl

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"spandrel/model"
)

// viewer makes the tables of an archive.
type viewer struct{ *archive }

func tables(ctx context.Context, t *model.Tree) (out []model.Table) {
	state := model.StateOf[*archiveState](t)
	if state == nil {
		return nil
	}
	if state.header != nil {
		out = state.header.inlineTables(t)
	}
	for _, a := range state.archives {
		out = append(out, viewer{a}.tables(ctx)...)
	}
	return out
}

// tables are those of one archive.
func (a viewer) tables(ctx context.Context) (out []model.Table) {
	prefix := ""
	if a.dir != "." {
		prefix = a.dir + "/"
	}
	parts, total := a.parts()
	if len(parts) > 0 {
		out = append(out, a.matrixTable(prefix, parts, total))
		if dense, ok := a.denseTable(ctx, prefix, parts, total); ok {
			out = append(out, dense)
		}
	}
	for _, f := range a.folders {
		name := "cells"
		if f.genes {
			name = "genes"
		}
		if tab, ok := a.blocks(ctx, f); ok {
			tab.Name, tab.Title = prefix+name, name
			out = append(out, tab)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(a.raws)) {
		r := a.raws[file]
		if r.span == nil {
			continue
		}
		tab := numberTable(a.t, prefix+file, r.span.Range, codecOf(r.dtype))
		tab.Layout = len(parts) > 0 // the matrix is made of them
		out = append(out, tab)
	}
	return out
}

// inlineTables shows the arrays inside a header: big-endian, like the rest of it (section 7.1).
func (h *header) inlineTables(t *model.Tree) (out []model.Table) {
	for i, n := range h.inline {
		codec := codecOf(h.arrays[i].dtype.Uint())
		out = append(out, numberTable(t, h.arrays[i].name.Text(), n.Range, model.BigEndian(codec)))
	}
	return out
}

// numberTable is the numbers in a range: one value a row.
func numberTable(t *model.Tree, name string, in model.Range, codec model.Codec) model.Table {
	w := int64(codec.Size())
	count := in.Len / w
	return model.Table{Name: name, Title: name, Rows: count,
		Columns: []model.Column{{Name: "index", Type: "u64", Kind: model.Uint, Numbers: true}, {Name: "value", Type: codec.Type(), Kind: codec.Kind()}},
		Read: func(ctx context.Context, first, n int64) ([]model.Row, error) {
			n = max(0, min(n, count-first))
			at := model.Range{Space: in.Space, Off: in.Off + first*w, Len: n * w}
			b, err := t.Bytes(ctx, at)
			if err != nil {
				return nil, err
			}
			rows := make([]model.Row, n)
			for i := range rows {
				v, _, _ := codec.Decode(b[int64(i)*w:])
				rows[i] = model.Row{{Value: model.I(first + int64(i))}, {Value: v, Range: model.Range{Space: at.Space, Off: at.Off + int64(i)*w,
					Len: w}}}
			}
			return rows, nil
		}}
}

// maxItems is how many values one page of the matrix contains: real cells have some thousands, and a page with more
// ends earlier.
const maxItems = 1 << 22

// part is the main arrays of an archive, or of one of its chunks, with its first row and number of rows.
type part struct {
	matrix
	first, rows int64
}

// parts returns the matrices of an archive that can be read.
func (a *archive) parts() (parts []part, total int64) {
	for _, m := range a.matrices() {
		if unsigned(m.ptr) && unsigned(m.col) && m.data != nil && m.data.span != nil {
			parts = append(parts, part{m, total, m.ptr.count - 1})
			total += m.ptr.count - 1
		}
	}
	return parts, total
}

// matrixTable is the table of cells, one CSR row each, with the names of its genes.
func (a viewer) matrixTable(prefix string, parts []part, total int64) model.Table {
	value := codecOf(parts[0].data.dtype)
	tab := model.Table{Name: prefix + "matrix", Title: "matrix: one cell per row", Rows: total,
		Columns: []model.Column{{Name: "cell", Type: "u64", Kind: model.Uint, Numbers: true, Fixed: "cells are numbered in order"},
			{Name: "count", Doc: "stored values", Type: "u64", Kind: model.Uint, Fixed: "it is computed from the row pointers"},
			{Name: "genes", Type: "utf8[]", Kind: model.Text, Fixed: "the names come from the table of genes; edit the genes of a cell in col_ptr.npy"}, {Name: "values", Type: value.Type() + "[]", Kind: value.Kind()}},
		Read: func(ctx context.Context, first, n int64) (rows []model.Row, err error) {
			items := 0
			for i := first; i < min(first+n, total) && items < maxItems && ctx.Err() == nil; i++ {
				k := sort.Search(len(parts), func(k int) bool { return parts[k].first+parts[k].rows > i })
				row, err := a.matrixRow(ctx, parts[k], i)
				if err != nil {
					return rows, err
				}
				rows = append(rows, row)
				items += len(row[2].Items)
			}
			return rows, ctx.Err()
		}}
	shown := tab
	tab.Judges, tab.Fill = true, func(ctx context.Context, rows model.GivenRows) ([]model.Edit, error) {
		return a.fillMatrix(ctx, givenRows{&shown, rows})
	}
	return tab
}

// matrixRow is a cell of the archive, in the part that has it.
func (a viewer) matrixRow(ctx context.Context, p part, cell int64) (model.Row, error) {
	ptr, col, data := p.ptr, p.col, p.data
	pw, cw, dw := widthOf(ptr.dtype), widthOf(col.dtype), widthOf(data.dtype)
	at := model.Range{Space: ptr.span.Range.Space, Off: (cell - p.first) * pw, Len: 2 * pw}
	b, err := a.t.Bytes(ctx, at)
	if err != nil {
		return nil, err
	}
	ends := numbers(nil, b, pw)
	row := model.Row{{Value: model.I(cell), Range: at}, {}, {Vector: true}, {Vector: true}}
	if trouble := p.trouble(ends); trouble != "" {
		for k := range row[1:] {
			row[k+1] = model.Cell{Trouble: trouble, Range: at}
		}
		return row, nil
	}
	from, n := int64(ends[0]), int64(ends[1]-ends[0])
	row[1] = model.Cell{Value: model.I(n), Range: at}
	row[2].Range = model.Range{Space: col.span.Range.Space, Off: from * cw, Len: n * cw}
	row[3].Range = model.Range{Space: data.span.Range.Space, Off: from * dw, Len: n * dw}
	if n > maxItems {
		row[2].Trouble, row[3].Trouble = "too many values to show", "too many values to show"
		return row, nil
	}
	cols, err := a.t.Bytes(ctx, row[2].Range)
	if err != nil {
		return nil, err
	}
	vals, err := a.t.Bytes(ctx, row[3].Range)
	if err != nil {
		return nil, err
	}
	names, codec := a.geneNames(ctx, cell), codecOf(data.dtype)
	for k, gene := range numbers(nil, cols, cw) {
		name := model.S(fmt.Sprint(gene))
		if gene < uint64(len(names)) {
			name = model.S(names[gene])
		}
		v, _, _ := codec.Decode(vals[int64(k)*dw:])
		row[2].Items, row[3].Items = append(row[2].Items, name), append(row[3].Items, v)
	}
	row[2].Len, row[3].Len = n, n
	return row, nil
}

// trouble is why the values between two row pointers cannot be read; "" if they can.
func (p part) trouble(ends []uint64) string {
	for _, r := range []*rawArray{p.ptr, p.col, p.data} {
		if r.other {
			return model.Words("the length of %s does not match its type, %s", r.file, dtypes[r.dtype])
		}
	}
	if n := min(p.col.count, p.data.count); ends[1] < ends[0] || ends[1] > uint64(n) {
		return model.Words("row pointers %d to %d lead outside %d values", ends[0], ends[1], n)
	}
	return ""
}

// maxNames is for how many blocks gene names are kept in memory.
const maxNames = 16

// geneNames returns the names of the genes in a cell's block: the first text column of its table. They are read once.
func (a viewer) geneNames(ctx context.Context, cell int64) []string {
	f := a.features(true)
	if f == nil || len(f.cum) < 2 {
		return nil
	}
	block := sort.Search(len(f.cum)-1, func(i int) bool { return f.cum[i+1] > cell })
	if block >= len(f.blocks) {
		return nil
	}
	file := f.blocks[block]
	a.mu.Lock()
	names, ok := a.names[file]
	a.mu.Unlock()
	if ok {
		return names
	}
	if names = a.firstTexts(ctx, file); ctx.Err() != nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.names) >= maxNames {
		clear(a.names)
	}
	a.names[file] = names
	return names
}

// firstTexts is the first text column of a table; nil if it has none: then genes have only numbers.
func (a viewer) firstTexts(ctx context.Context, file string) []string {
	rows, err := a.parquet(ctx, file)
	if err != nil {
		return nil
	}
	i := slices.IndexFunc(rows.Columns, func(c model.Column) bool { return c.Kind == model.Text })
	if i < 0 {
		return nil
	}
	names, _ := rows.texts(ctx, rows.Columns[i].Name)
	return names
}

// apart is the content of the text files: metadata and version.
func apart(_ context.Context, t *model.Tree) (out []*model.Span) {
	for i := range t.Root.Count() {
		if s := t.Root.Child(i); strings.HasSuffix(s.Name(), ".json") {
			out = append(out, s)
		}
	}
	return out
}
