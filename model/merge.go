package model

import (
	"context"
	"errors"
	"maps"
	"slices"
)

// MergeOptions say how three documents are merged.
type MergeOptions struct {
	ContentOptions
	// Prefer is the document whose change wins if both changed the same: 'a', 'b', or 0 for neither, which is a conflict.
	Prefer byte
	// Only is the path of the only conflict that Prefer settles; "": of all.
	Only string
}

// Conflict is a place that both documents changed differently.
type Conflict struct {
	Table, Column string
	Row, RowA     int64 // row of the base and of A; -1: not there
	Path          string
	TextBase      string
	TextA, TextB  string
	needsBoth     bool // B changed the layout, which can only be taken from B as a whole
}

// Merged is what must change in A to include the changes that B made to the base.
type Merged struct {
	Tables    []MergedTable
	Fields    []MergedField // beside the tables
	Conflicts []Conflict
}

// MergedTable is the changes to a table of A.
type MergedTable struct {
	Name    string
	Cells   []Typed // that change; rows are those of A
	From    int64   // rows from here on are those of Rows, where Fills
	Fills   bool
	Rows    []MergedRow
	Added   int64 // added rows
	Dropped int64 // removed rows
}

// MergedRow is a row of A, or one that B added, with cells for the columns of A.
type MergedRow struct {
	A     int64 // -1: of B
	Cells []Typed
}

// MergedField is a field with a new value.
type MergedField struct {
	Path string
	Text string
}

// MergeContent finds what B changed relative to the base, and how to apply it to A.
func MergeContent(ctx context.Context, base, a, b *Tree, o MergeOptions) (*Merged, error) {
	o.bits = true
	m := &merging{ctx: ctx, o: o, base: base, a: a, b: b, out: &Merged{}, tables: map[*Tree]map[string]*Table{}}
	toA, err := m.changes(a)
	if err != nil {
		return nil, err
	}
	toB, err := m.changes(b)
	if err != nil {
		return nil, err
	}
	m.fields(toA, toB)
	m.beside(toA, toB)
	m.dropped(toA, toB)
	tables := contentTables(ctx, base)
	for i := range tables {
		if err := m.table(&tables[i], toB); err != nil {
			return nil, err
		}
	}
	return m.out, m.addedTables(toA, toB)
}

// merging is a run of MergeContent.
type merging struct {
	ctx        context.Context
	o          MergeOptions
	base, a, b *Tree
	out        *Merged
	tables     map[*Tree]map[string]*Table // by name, once they are asked for
}

// changed is what a document changed relative to the base.
type changed struct {
	values map[string]int64 // changed rows, cells and payloads of each table, and changed cells of each column, by path
	fields map[string]Difference
	within map[string]Difference // a difference of each named element, by its path
	others map[string]Difference // tables, columns and payloads
}

func (m *merging) changes(to *Tree) (*changed, error) {
	c := &changed{map[string]int64{}, map[string]Difference{}, map[string]Difference{}, map[string]Difference{}}
	ok, err := CompareContent(m.ctx, m.base, to, m.o.ContentOptions, func(d Difference) error {
		switch d.Kind {
		case "cell":
			c.values[d.Table+"/"+d.Column]++
			c.values[d.Table]++
		case "row":
			c.values[d.Table]++
		case "field":
			c.fields[d.Path] = d
			if d.element != "" {
				c.within[d.element] = d
			}
		case "payload":
			c.values[d.Table]++
			fallthrough
		default:
			c.others[d.Path] = d
		}
		return nil
	})
	if err == nil && !ok {
		err = errors.New("documents can be merged only if they have the same format and all of their content is in tables")
	}
	return c, err
}

// conflict notes what both changed; take tells whether B's change is applied.
func (m *merging) conflict(x Conflict) (take bool) {
	settled := m.o.Prefer != 0 && (m.o.Only == "" || m.o.Only == x.Path)
	if !settled || x.needsBoth && m.o.Prefer == 'b' {
		m.out.Conflicts = append(m.out.Conflicts, x)
	}
	return settled && m.o.Prefer == 'b' && !x.needsBoth
}

// fields merges the fields outside all tables.
func (m *merging) fields(toA, toB *changed) {
	for _, path := range slices.Sorted(maps.Keys(toB.fields)) {
		d := toB.fields[path]
		mine, both := toA.fields[path]
		if in, ok := toA.within[d.element]; ok && !both && (in.value == nil || d.value == nil) {
			mine, both = in, true
		}
		_, gone := m.a.Find(m.ctx, path)
		switch {
		case both && mine.Path == path && mine.TextB == d.TextB:
			continue
		case both || d.value == nil || gone != nil:
			here := or(gone != nil, "missing", or(both, mine.TextB, d.TextA))
			take := m.conflict(Conflict{Row: -1, RowA: -1, Path: path, TextBase: d.TextA, TextA: here, TextB: d.TextB, needsBoth: d.value == nil || gone != nil || both && mine.value == nil})
			if !take {
				continue
			}
		}
		m.out.Fields = append(m.out.Fields, MergedField{path, d.value.plain()})
	}
}

// beside reports changes that are neither fields nor rows nor cells.
func (m *merging) beside(toA, toB *changed) {
	for _, path := range slices.Sorted(maps.Keys(toB.others)) {
		d := toB.others[path]
		mine, both := toA.others[path]
		if both && mine.TextB == d.TextB && d.Kind != "payload" {
			continue
		}
		here := or(both, mine.TextB, d.TextA)
		if n := toA.values[path]; n > 0 && d.TextB == "missing" {
			here = Count(n, "changes")
		}
		m.conflict(Conflict{Table: d.Table, Column: d.Column, Row: -1, RowA: -1, Path: path, TextBase: d.TextA, TextA: here, TextB: d.TextB, needsBoth: true})
	}
}

// dropped reports tables and columns that A dropped, renamed or gave another shape while B changed their values.
func (m *merging) dropped(toA, toB *changed) {
	for _, path := range slices.Sorted(maps.Keys(toA.others)) {
		d, n := toA.others[path], toB.values[path]
		shaped := d.Path == d.Table+"/"+d.Column+shapePath
		if shaped {
			n = toB.values[d.Table]
		}
		if _, both := toB.others[path]; (shaped || d.TextB == "missing") && n > 0 && !both {
			m.conflict(Conflict{Table: d.Table, Column: d.Column, Row: -1, RowA: -1, Path: path, TextBase: d.TextA, TextA: d.TextB, TextB: Count(n, "changes"), needsBoth: true})
		}
	}
}

func or(is bool, x, y string) string {
	if is {
		return x
	}
	return y
}

// plain is a value as someone would type it.
func (v *Value) plain() string {
	if v.Kind == Text {
		return v.Text()
	}
	return v.String()
}

// Settleable tells whether the change of B can be taken into A.
func (c *Conflict) Settleable() bool { return !c.needsBoth }

// Apart tells whether B has changes that need a new layout: then A's changes may be applied to B instead.
func (m *Merged) Apart() bool {
	return slices.ContainsFunc(m.Conflicts, func(c Conflict) bool { return c.needsBoth })
}

// find is a table of a document; nil if it has none of that name.
func (m *merging) find(tree *Tree, name string) *Table {
	if m.tables[tree] == nil {
		m.tables[tree] = map[string]*Table{}
		for _, t := range slices.Backward(contentTables(m.ctx, tree)) {
			m.tables[tree][t.Name] = &t // the first of a name
		}
	}
	return m.tables[tree][name]
}

// table merges the rows and cells of a table.
func (m *merging) table(t *Table, toB *changed) error {
	x := &threeWay{merging: m, base: t, a: m.find(m.a, t.Name), b: m.find(m.b, t.Name), out: MergedTable{Name: t.Name}}
	if x.a == nil || x.b == nil || x.a.Tensor.reindexed(x.b.Tensor) {
		return nil // which is a conflict already, if the other changed it
	}
	x.match()
	if fresh := x.matchAdded(); toB.values[t.Name] == 0 && !fresh {
		return nil
	}
	if err := x.pairs(); err != nil {
		return err
	}
	if err := x.merge(); err != nil {
		return err
	}
	if x.out.Fills && x.a.Fill == nil { // the table keeps its number of rows
		m.conflict(Conflict{Table: t.Name, Row: -1, RowA: -1, Path: t.Name, TextBase: Count(t.Rows, "rows"), TextA: Count(x.a.Rows, "rows"), TextB: Count(x.b.Rows, "rows"), needsBoth: true})
		return nil
	}
	if len(x.out.Cells) > 0 || x.out.Fills {
		m.out.Tables = append(m.out.Tables, x.out)
	}
	return nil
}
