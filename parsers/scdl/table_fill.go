package scdl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"spandrel/model"
)

// givenRows are the new rows of a table from a place on, as in model.Table.Fill.
type givenRows struct {
	table *model.Table
	model.GivenRows
}

// mostCompared is how many new rows are compared in memory with those of a table.
const mostCompared = 1 << 22

// wrong says which cell of the new rows is impossible.
func (g givenRows) wrong(i int64, column int, format string, args ...any) error {
	return fmt.Errorf("row %d of the new rows, column %q: %w", i, g.table.Columns[column].Name, fmt.Errorf(format, args...))
}

// text is the given text of a cell, or "": missing and empty are not distinguished.
func (g givenRows) text(i int64, column int) string {
	if c := g.Cell(g.From+i, column); !c.Missing {
		return c.Text
	}
	return ""
}

// match finds the rows that stay and those that are removed, by the given cells. Rows from one on are new: they come after the others.
func (g givenRows) match(ctx context.Context) (gone intervals, fresh int64, err error) {
	if g.From < 0 || g.N < 0 || g.From > g.table.Rows {
		return nil, 0, errors.New("there are no such rows")
	}
	if g.From == g.table.Rows {
		return nil, 0, nil
	}
	if g.N == 0 {
		return intervals{{from: g.From, to: g.table.Rows}}, 0, nil
	}
	if g.table.Rows-g.From > mostCompared || g.N > mostCompared {
		return nil, 0, fmt.Errorf("more than %s rows cannot be compared: remove some by number, with an action (convert PATH)",
			model.Thousands(mostCompared))
	}
	old, columns, err := g.old(ctx)
	if err != nil {
		return nil, 0, err
	}
	at := map[string][]int{} // where the old ones of a key are
	for k, key := range old {
		at[key] = append(at[key], k)
	}
	stay, kept, next := make([]bool, len(old)), map[string]int{}, 0
	fresh = g.N
	for i := range g.N {
		key := g.key(i, columns)
		list := at[key]
		k := sort.SearchInts(list, next)
		switch {
		case k == len(list) && fresh == g.N:
			fresh = i
		case k < len(list) && fresh < g.N:
			return nil, 0, fmt.Errorf("row %d of the new rows is new, but row %d existed: change rows first, then add or remove some",
				fresh, i)
		case k < len(list):
			stay[list[k]], kept[key], next = true, list[k], list[k]+1
		}
	}
	gone, err = g.unkept(old, stay, kept, fresh)
	return gone, fresh, err
}

// unkept are the old rows to be removed, those that match no new row, if that is certain. old has the keys of the rows, stay marks those that stay, kept
// maps their keys to the last such row, and fresh is the first new row.
func (g givenRows) unkept(old []string, stay []bool, kept map[string]int, fresh int64) (gone intervals, err error) {
	for k, key := range old {
		other, alike := kept[key]
		switch {
		case stay[k]:
			continue
		case alike:
			return nil, fmt.Errorf("rows %d and %d are equal in the given columns, and one of them would be removed: give more columns, "+
				"or remove it by number, with an action (convert PATH)",
				g.From+int64(min(k, other)), g.From+int64(max(k, other)))
		case fresh < g.N:
			return nil, fmt.Errorf("row %d would be removed, but row %d of the new rows is new: change rows first, "+
				"then add or remove some", g.From+int64(k), fresh)
		}
		gone = gone.add(g.From+int64(k), g.From+int64(k)+1)
	}
	return gone, nil
}

// key is the given cells of a row, in some columns.
func (g givenRows) key(i int64, columns []int) string {
	var b strings.Builder
	for _, column := range columns {
		b.WriteString(strconv.Quote(g.text(i, column)))
	}
	return b.String()
}

// has tells whether a column is given.
func (g givenRows) has(column int) bool {
	for i := range g.N {
		if g.text(i, column) != "" {
			return true
		}
	}
	return false
}

// old are the keys of the rows to be replaced, and the columns that are given.
func (g givenRows) old(ctx context.Context) (keys []string, columns []int, err error) {
	for column := range g.table.Columns {
		if g.has(column) {
			columns = append(columns, column)
		}
	}
	rows := model.RowReader{Table: g.table}
	for at := g.From; at < g.table.Rows; at++ {
		r, err := rows.At(ctx, at)
		if err != nil {
			return nil, nil, err
		}
		var b strings.Builder
		for _, column := range columns {
			if r[column].Trouble != "" {
				return nil, nil, fmt.Errorf("row %d of %s cannot be read: %s", at, g.table.Name, r[column].Trouble)
			}
			text, missing := r[column].Typed(&g.table.Columns[column])
			if missing {
				text = ""
			}
			b.WriteString(strconv.Quote(text))
		}
		keys = append(keys, b.String())
	}
	return keys, columns, nil
}

// fillMatrix replaces the cells of the matrix from one on. Their rows in the table of cells are empty.
func (a viewer) fillMatrix(ctx context.Context, g givenRows) ([]model.Edit, error) {
	r, err := a.reshape(ctx)
	if err != nil {
		return nil, err
	}
	gone, fresh, err := g.match(ctx)
	if err != nil || len(gone) > 0 {
		return r.dropped(gone, err)
	}
	names := map[string]uint64{}
	for k, name := range a.geneNames(ctx, r.cells-1) {
		if _, twice := names[name]; twice {
			names[name] = ambiguous
		} else {
			names[name] = uint64(k)
		}
	}
	var cells []newCell
	for i := fresh; i < g.N; i++ {
		c, err := r.given(g, i, r.cells+i-fresh, names)
		if err != nil {
			return nil, err
		}
		cells = append(cells, c)
	}
	err = r.add(cells, func(s *sheet) (err error) {
		for i := 0; i < len(cells) && err == nil; i++ {
			err = s.add(s.named(""))
		}
		return err
	})
	return r.edits, err
}

// dropped drops cells, where they can be told.
func (r *reshaping) dropped(cells intervals, err error) ([]model.Edit, error) {
	if err == nil {
		err = r.drop(cells)
	}
	return r.edits, err
}

// The columns of the matrix.
const (
	cellColumn = iota
	countColumn
	genesColumn
	valuesColumn
)

// ambiguous stands for a name that several genes have.
const ambiguous = 1<<64 - 1

// given is a new cell of the matrix, and its number.
func (r *reshaping) given(g givenRows, i, number int64, names map[string]uint64) (c newCell, err error) {
	genes, err := items(g.text(i, genesColumn))
	if err != nil {
		return c, g.wrong(i, genesColumn, "%w", err)
	}
	values, err := items(g.text(i, valuesColumn))
	if err != nil {
		return c, g.wrong(i, valuesColumn, "%w", err)
	}
	if len(genes) != len(values) {
		return c, g.wrong(i, valuesColumn, "%d genes and %d values: each value needs its gene", len(genes), len(values))
	}
	numbers := make([]uint64, len(genes))
	for k, name := range genes {
		if numbers[k], err = geneNumber(names, name); err != nil {
			return c, g.wrong(i, genesColumn, "%w", err)
		}
	}
	sorted, texts, twice := inOrder(numbers, values)
	if twice >= 0 {
		return c, g.wrong(i, genesColumn, "gene %q occurs twice", genes[twice])
	}
	if text := g.text(i, cellColumn); text != "" && text != strconv.FormatInt(number, 10) {
		return c, g.wrong(i, cellColumn, "it becomes cell %d, not %.80s: new cells are appended", number, text)
	}
	if text := g.text(i, countColumn); text != "" && text != strconv.Itoa(len(values)) {
		return c, g.wrong(i, countColumn, "there are %s, not %.80s", model.Count(int64(len(values)), "values"), text)
	}
	if c, err = r.newCell(sorted, texts); err != nil {
		return c, g.wrong(i, valuesColumn, "%w", err)
	}
	return c, nil
}

// inOrder sorts gene numbers together with their values; twice is the index of a repeated one, or −1.
func inOrder(numbers []uint64, values []string) (sorted []uint64, texts []string, twice int) {
	order := model.Indices(len(numbers))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
	twice = -1
	for k, from := range order {
		sorted, texts = append(sorted, numbers[from]), append(texts, values[from])
		if twice < 0 && k > 0 && sorted[k] == sorted[k-1] {
			twice = from
		}
	}
	return sorted, texts, twice
}

// geneNumber is the number of a gene given by its name, or by number if genes have no names.
func geneNumber(names map[string]uint64, name string) (uint64, error) {
	n, known := names[name]
	switch {
	case len(names) == 0:
		n, err := strconv.ParseUint(name, 10, 63)
		if err != nil {
			return 0, fmt.Errorf("%q is not a gene number", name)
		}
		return n, nil
	case !known:
		return 0, fmt.Errorf("there is no gene %q: add it to the table of genes first", name)
	case n == ambiguous:
		return 0, fmt.Errorf("several genes are named %q", name)
	}
	return n, nil
}

// items are the items of a vector given as text: [1, 2] or ["a", "b"].
func items(text string) (out []string, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	rest, opens := strings.CutPrefix(text, "[")
	rest, closes := strings.CutSuffix(rest, "]")
	if !opens || !closes {
		return nil, fmt.Errorf("%.80q is not a list like [1, 2]", text)
	}
	for rest = strings.TrimSpace(rest); rest != ""; {
		item := rest
		if q, err := strconv.QuotedPrefix(rest); err == nil {
			item, _ = strconv.Unquote(q)
			rest = strings.TrimSpace(rest[len(q):])
			if rest != "" && rest[0] != ',' {
				return nil, fmt.Errorf("%.80q is not a list like [1, 2]", text)
			}
			rest = strings.TrimPrefix(rest, ",")
		} else {
			item, rest, _ = strings.Cut(rest, ",")
			item = strings.TrimSpace(item)
		}
		out, rest = append(out, item), strings.TrimSpace(rest)
	}
	return out, nil
}
