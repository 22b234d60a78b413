package model

import (
	"maps"
	"slices"
)

// Tables and columns that both documents added under one name: their values must be the same, too.

// addedTables compares the tables that both documents added.
func (m *merging) addedTables(toA, toB *changed) error {
	for _, path := range slices.Sorted(maps.Keys(toB.others)) {
		d := toB.others[path]
		if _, both := toA.others[path]; d.Kind != "table" || d.TextA != "missing" || !both {
			continue
		}
		if err := m.addedTable(m.find(m.a, path), m.find(m.b, path)); err != nil {
			return err
		}
	}
	return nil
}

func (m *merging) addedTable(a, b *Table) error {
	var first *Difference
	var cells []Typed
	others := false // differences that are not cells
	c := &contents{ctx: m.ctx, o: m.o.ContentOptions, a: m.a, b: m.b, differ: func(d Difference) error {
		if first == nil {
			first = &d
		}
		switch {
		case d.Kind != "cell" || d.Typed == nil:
			others = true
		case m.o.Prefer == 'b' && a.Columns[d.Typed.Column].Fixed == "": // otherwise it follows from other cells
			cells = append(cells, *d.Typed)
		}
		return nil
	}}
	if err := c.tables(a, b); err != nil || first == nil {
		return err
	}
	told := func(t *Table, text string) string { return Count(t.Rows, "rows") + ", " + first.Path + ": " + text }
	if m.conflict(Conflict{Table: a.Name, Row: -1, RowA: -1, Path: a.Name, TextBase: "missing", TextA: told(a, first.TextA), TextB: told(b, first.TextB), needsBoth: others}) {
		m.out.Tables = append(m.out.Tables, MergedTable{Name: a.Name, Cells: cells})
	}
	return nil
}

// matchAdded finds the columns that both documents added, with -1 as their position in the base, and compares what describes their values.
func (x *threeWay) matchAdded() (some bool) {
	p := &pair{contents: &contents{ctx: x.ctx}}
	for j := range x.a.Columns {
		col := &x.a.Columns[j]
		k := x.b.Column(col.Name)
		if k < 0 || x.base.Column(col.Name) >= 0 || col.Layout {
			continue
		}
		some = true
		x.columns = append(x.columns, [3]int{-1, j, k})
		mine, theirs := p.about(col), p.about(&x.b.Columns[k])
		for i := range max(len(mine), len(theirs)) {
			if v, w := at(mine, i), at(theirs, i); v != w {
				x.conflict(Conflict{Table: x.base.Name, Column: col.Name, Row: -1, RowA: -1, Path: x.base.Name + "/" + col.Name, TextBase: "missing",
					TextA: or(v == "", "missing", v), TextB: or(w == "", "missing", w), needsBoth: true})
				break
			}
		}
	}
	return some
}

// rowAt is a row of a document.
type rowAt struct {
	tree  *Tree
	table *Table
	row   int64
}

// samePayload tells whether two rows have the same payload.
func (m *merging) samePayload(a, b rowAt) (bool, error) {
	p := &pair{contents: &contents{ctx: m.ctx, a: a.tree, b: b.tree}, x: a.table, y: b.table}
	return p.payloads(a.row, b.row, 1)
}
