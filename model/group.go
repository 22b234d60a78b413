package model

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// mostGroups is the default limit on the number of groups.
const mostGroups = 1 << 20

// Aggregate is a value computed from a column over the rows of a group.
type Aggregate struct {
	What   string // count, sum, mean, min or max
	Column int    // -1: of count, rows
	Name   string // of the column of the groups
}

// Groups are rows grouped by the values of some columns, with aggregates, in order of first appearance.
type Groups struct {
	of    *Table
	keys  []int // the columns that rows are grouped by; none: all rows are one group
	list  []Aggregate
	at    map[string]*group
	order []*group
	Most  int // how many groups there may be
}

// NewGroups groups rows of a table by columns.
func NewGroups(of *Table, keys []int, list []Aggregate) *Groups {
	g := &Groups{of: of, keys: keys, list: list, at: map[string]*group{}, Most: mostGroups}
	if len(keys) == 0 {
		g.order = append(g.order, newGroup(nil, len(list)))
		g.at[""] = g.order[0]
	}
	return g
}

// Add adds a row.
func (g *Groups) Add(r Row) error {
	name, key := "", make(Row, 0, len(g.keys))
	for _, k := range g.keys {
		c := Cell{Trouble: "the row is truncated"}
		if k < len(r) {
			c = Cell{Value: r[k].Value, Label: r[k].Label, Vector: r[k].Vector, Items: r[k].Items, Len: r[k].Len, Trouble: r[k].Trouble}
		}
		name += fmt.Sprintf("%d:%s,%s,", c.Value.Kind, c.String(), c.Trouble)
		key = append(key, c)
	}
	x := g.at[name]
	if x == nil {
		if x = newGroup(key, len(g.list)); len(g.order) == g.Most {
			return fmt.Errorf("there are more than %s groups", Thousands(int64(g.Most)))
		}
		g.at[name], g.order = x, append(g.order, x)
	}
	x.add(g.list, r)
	return nil
}

// group is the rows with the same values in the grouping columns.
type group struct {
	key   Row
	rows  int64
	sums  []float64
	whole []int64 // sums of whole numbers
	exact []bool  // whole is the sum: no number was a fraction, and none was too large
	n     []int64 // values that were not missing
	least []Value
	most  []Value
}

func newGroup(key Row, n int) *group {
	g := &group{key: key, sums: make([]float64, n), whole: make([]int64, n), exact: make([]bool, n), n: make([]int64, n), least: make([]Value, n),
		most: make([]Value, n)}
	for i := range g.exact {
		g.exact[i] = true
	}
	return g
}

// add adds a row.
func (g *group) add(list []Aggregate, r Row) {
	g.rows++
	for i, x := range list {
		v, ok := addend(r, x.Column)
		if !ok {
			continue
		}
		g.n[i]++
		if g.n[i] == 1 || less(v, g.least[i]) {
			g.least[i] = v
		}
		if g.n[i] == 1 || less(g.most[i], v) {
			g.most[i] = v
		}
		if !v.IsNumber() {
			g.exact[i] = false
			continue
		}
		g.sums[i] += v.Float()
		sum := g.whole[i] + v.Int()
		g.exact[i] = g.exact[i] && v.Kind != Float && !(v.Kind == Uint && v.Uint() > math.MaxInt64) && (sum >= g.whole[i]) == (v.Int() >= 0)
		g.whole[i] = sum
	}
}

// addend is what a row contributes to an aggregate of a column; ok is false if it has no single value there. NaN counts as missing,
// because it is neither less nor greater than other numbers.
func addend(r Row, column int) (v Value, ok bool) {
	if column < 0 || column >= len(r) || r[column].Vector || r[column].Trouble != "" {
		return v, false
	}
	v = r[column].Value
	return v, v.Kind != None && !(v.Kind == Float && math.IsNaN(v.Float()))
}

func less(a, b Value) bool {
	if a.IsNumber() && b.IsNumber() {
		return a.Compare(b) < 0
	}
	return a.Text() < b.Text()
}

// value is the value of an aggregate.
func (g *group) value(i int, x Aggregate) Value {
	switch {
	case x.What == "count" && x.Column < 0:
		return U(uint64(g.rows))
	case x.What == "count":
		return U(uint64(g.n[i]))
	case g.n[i] == 0:
		return Value{}
	case x.What == "min":
		return g.least[i]
	case x.What == "max":
		return g.most[i]
	case x.What == "sum" && g.exact[i]:
		return I(g.whole[i])
	case x.What == "sum":
		return F(g.sums[i])
	}
	return F(g.sums[i] / float64(g.n[i]))
}

// Table is the groups as a table: the grouping columns, and the aggregates.
func (g *Groups) Table() Table {
	t, order := g.of, g.order
	out := Table{Name: t.Name, Title: t.Title, Rows: int64(len(order))}
	for _, k := range g.keys {
		col := t.Columns[k]
		out.Columns = append(out.Columns, Column{Name: col.Name, Type: col.Type, Kind: col.Kind, Names: col.Names, NamesFrom: col.NamesFrom, Clock: col.Clock})
	}
	for i, x := range g.list {
		col := Column{Name: x.Name, Type: "f64", Kind: Float}
		switch {
		case x.What == "count":
			col.Type, col.Kind = "u64", Uint
		case x.What == "min" || x.What == "max":
			from := t.Columns[x.Column]
			col.Type, col.Kind, col.Names, col.NamesFrom, col.Clock = from.Type, from.Kind, from.Names, from.NamesFrom, from.Clock
		case x.What == "sum" && !slices.ContainsFunc(order, func(g *group) bool { return !g.exact[i] }):
			col.Type, col.Kind = "i64", Int
		}
		out.Columns = append(out.Columns, col)
	}
	out.Read = RowsOf(out.Rows, func(_ context.Context, k int64) (Row, error) {
		row := slices.Clone(order[k].key)
		for i, x := range g.list {
			row = append(row, Cell{Value: order[k].value(i, x)})
		}
		return row, nil
	})
	return out
}
