package headless

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"spandrel/model"
)

// Rows that meet a condition, and groups of rows with what they add up to. Conditions are those of the window's filter.

// mostChosen is how many rows a condition chooses at most, and mostGroups how many groups there are.
const (
	mostChosen = 1 << 26
	mostGroups = 1 << 20
)

// scan hands the rows of a part to f.
func (c *call) scan(p *part, f func(row int64, r model.Row) error) error {
	progress := c.progress()
	for at := p.first; at < p.end; {
		rows, err := p.Read(c.ctx, at, min(p.Page(pageRows), p.end-at))
		if err == nil && len(rows) == 0 {
			err = fmt.Errorf("row %d of %s cannot be read", at, p.Name)
		}
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := f(at, r); err != nil {
				return err
			}
			at++
		}
		if progress != nil {
			progress(at-p.first, p.end-p.first, "reading rows")
		}
	}
	return nil
}

// where leaves the rows of a part that meet a condition.
func (c *call) where(p *part, condition string) error {
	all, err := model.Conditions(&p.Table, condition)
	if err != nil {
		return fmt.Errorf("--where %s: %w", condition, err)
	}
	if slices.ContainsFunc(all, func(f model.Filter) bool { return f.Op == "" }) {
		return fmt.Errorf("--where %s: write a column, =, !=, <, <=, >, >= or ~, and a value; several with and between them", condition)
	}
	var chosen []int64
	if err := c.scan(p, func(row int64, r model.Row) error {
		if slices.ContainsFunc(all, func(f model.Filter) bool { return !f.Meets(&p.Table, r) }) {
			return nil
		}
		if chosen = append(chosen, row); len(chosen) > mostChosen {
			return errors.New("too many rows meet the condition: make it narrower, or choose --rows")
		}
		return nil
	}); err != nil {
		return err
	}
	read := p.Read
	p.Table = rowsAs(p.Table, int64(len(chosen)), func(ctx context.Context, first, n int64) (out []model.Row, err error) {
		for i := first; i < first+n; {
			k := i + 1 // rows that stand together are read together
			for k < first+n && chosen[k] == chosen[k-1]+1 {
				k++
			}
			rows, err := read(ctx, chosen[i], k-i)
			if err != nil || int64(len(rows)) < k-i {
				return append(out, rows...), err
			}
			out, i = append(out, rows...), k
		}
		return out, nil
	})
	p.first, p.end = 0, p.Rows
	return nil
}

// rowsAs is a table with other rows, which are read as cells.
func rowsAs(t model.Table, n int64, read func(ctx context.Context, first, n int64) ([]model.Row, error)) model.Table {
	t.Rows, t.Columns = n, slices.Clone(t.Columns)
	t.Read = func(ctx context.Context, first, count int64) ([]model.Row, error) {
		return read(ctx, first, max(0, min(count, n-first)))
	}
	for i := range t.Columns {
		t.Columns[i].Batch = nil
	}
	return t
}

// sumOf is what is added up of a column.
type sumOf struct {
	what   string // count, sum, mean, min or max
	column int    // -1: of count, rows
	name   string
}

// group is rows that say the same in the columns that they are grouped by.
type group struct {
	key   model.Row
	rows  int64
	sums  []float64
	whole []int64 // sums of whole numbers
	exact []bool  // whole is the sum: no number was a fraction, and none was too large
	n     []int64 // values that were not missing
	least []model.Value
	most  []model.Value
}

// sums reads count,sum(size),mean(size).
func sums(t *model.Table, text string) (out []sumOf, err error) {
	for _, part := range strings.Split(text, ",") {
		what, rest, found := strings.Cut(strings.TrimSpace(part), "(")
		x := sumOf{what: what, column: -1, name: strings.TrimSpace(part)}
		column, closed := strings.CutSuffix(rest, ")")
		if found && closed {
			x.column = slices.IndexFunc(t.Columns, func(c model.Column) bool { return c.Name == column })
		}
		switch {
		case !slices.Contains([]string{"count", "sum", "mean", "min", "max"}, what) || found != closed:
			return nil, fmt.Errorf("--agg %s: count, sum(COLUMN), mean(COLUMN), min(COLUMN) or max(COLUMN), with commas between them", part)
		case found && x.column < 0:
			return nil, fmt.Errorf("--agg %s: %s has no column %q; it has %s", part, t.Name, column, columnNames(*t))
		case !found && what != "count":
			return nil, fmt.Errorf("--agg %s: of which column? %s(COLUMN)", part, what)
		}
		out = append(out, x)
	}
	return out, nil
}

// grouped makes a part the table of its groups: the columns that rows are grouped by, and what they add up to, in the order in which groups begin.
func (c *call) grouped(p *part, by, agg string) error {
	list, err := sums(&p.Table, agg)
	if err != nil {
		return err
	}
	var keys []int
	if by != "" {
		if keys, err = picked(p.Table, by); err != nil {
			return fmt.Errorf("--group-by %s: %w", by, err)
		}
	}
	at := map[string]*group{}
	var order []*group
	if by == "" { // all rows are one
		order = append(order, newGroup(nil, len(list)))
		at[""] = order[0]
	}
	if err := c.scan(p, func(_ int64, r model.Row) error {
		name, key := "", make(model.Row, 0, len(keys))
		for _, k := range keys {
			name += fmt.Sprintf("%d:%s,", r[k].Value.Kind, r[k].String())
			key = append(key, model.Cell{Value: r[k].Value, Label: r[k].Label, Vector: r[k].Vector, Items: r[k].Items, Len: r[k].Len})
		}
		g := at[name]
		if g == nil {
			if g = newGroup(key, len(list)); len(order) == mostGroups {
				return fmt.Errorf("--group-by %s makes more than %d groups", by, mostGroups)
			}
			at[name], order = g, append(order, g)
		}
		g.add(list, r)
		return nil
	}); err != nil {
		return err
	}
	p.Table = groupTable(p.Table, keys, list, order)
	p.first, p.end, p.pick = 0, p.Rows, nil
	for i := range p.Columns {
		p.pick = append(p.pick, i)
	}
	return nil
}

func newGroup(key model.Row, n int) *group {
	g := &group{key: key, sums: make([]float64, n), whole: make([]int64, n), exact: make([]bool, n), n: make([]int64, n), least: make([]model.Value, n),
		most: make([]model.Value, n)}
	for i := range g.exact {
		g.exact[i] = true
	}
	return g
}

// add takes a row.
func (g *group) add(list []sumOf, r model.Row) {
	g.rows++
	for i, x := range list {
		if x.column < 0 || r[x.column].Vector || r[x.column].Trouble != "" || r[x.column].Value.Kind == model.None {
			continue
		}
		v := r[x.column].Value
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
		g.exact[i] = g.exact[i] && v.Kind != model.Float && !(v.Kind == model.Uint && v.Uint() > math.MaxInt64) && (sum >= g.whole[i]) == (v.Int() >= 0)
		g.whole[i] = sum
	}
}

func less(a, b model.Value) bool {
	if a.IsNumber() && b.IsNumber() {
		return a.Float() < b.Float()
	}
	return a.Text() < b.Text()
}

// value is what a group adds up to.
func (g *group) value(i int, x sumOf) model.Value {
	switch {
	case x.what == "count" && x.column < 0:
		return model.U(uint64(g.rows))
	case x.what == "count":
		return model.U(uint64(g.n[i]))
	case g.n[i] == 0:
		return model.Value{}
	case x.what == "min":
		return g.least[i]
	case x.what == "max":
		return g.most[i]
	case x.what == "sum" && g.exact[i]:
		return model.I(g.whole[i])
	case x.what == "sum":
		return model.F(g.sums[i])
	}
	return model.F(g.sums[i] / float64(g.n[i]))
}

// groupTable is the groups as a table.
func groupTable(t model.Table, keys []int, list []sumOf, order []*group) model.Table {
	out := model.Table{Name: t.Name, Title: t.Title, Rows: int64(len(order))}
	for _, k := range keys {
		col := t.Columns[k]
		out.Columns = append(out.Columns, model.Column{Name: col.Name, Type: col.Type, Kind: col.Kind, Names: col.Names, NamesFrom: col.NamesFrom, Clock: col.Clock})
	}
	for i, x := range list {
		col := model.Column{Name: x.name, Type: "f64", Kind: model.Float}
		switch {
		case x.what == "count":
			col.Type, col.Kind = "u64", model.Uint
		case x.what == "min" || x.what == "max":
			from := t.Columns[x.column]
			col.Type, col.Kind, col.Names, col.NamesFrom, col.Clock = from.Type, from.Kind, from.Names, from.NamesFrom, from.Clock
		case x.what == "sum" && !slices.ContainsFunc(order, func(g *group) bool { return !g.exact[i] }):
			col.Type, col.Kind = "i64", model.Int
		}
		out.Columns = append(out.Columns, col)
	}
	out.Read = model.RowsOf(out.Rows, func(_ context.Context, k int64) (model.Row, error) {
		row := slices.Clone(order[k].key)
		for i, x := range list {
			row = append(row, model.Cell{Value: order[k].value(i, x)})
		}
		return row, nil
	})
	return out
}
