package headless

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// Rows that meet a condition, and groups of rows with aggregates. Conditions are those of the window's filter.

// mostChosen is how many rows a condition can select.
const mostChosen = 1 << 26

// filterRows keeps the rows of a part that meet a condition.
func filterRows(c *call, p *part, condition string) error {
	all, err := model.Conditions(&p.Table, condition)
	if err != nil {
		return fmt.Errorf("--where %s: %w", condition, err)
	}
	if slices.ContainsFunc(all, func(f model.Filter) bool { return f.Op == "" }) {
		return fmt.Errorf("--where %s: write a column, =, !=, <, <=, >, >= or ~, and a value; join several with and", condition)
	}
	var chosen []int64
	if err := p.Each(c.ctx, p.first, p.end, c.progressOf("reading rows"), func(row int64, r model.Row) error {
		if !all.Meet(&p.Table, r) {
			return nil
		}
		if chosen = append(chosen, row); len(chosen) > mostChosen {
			return errors.New("too many rows match the condition: make it narrower, or use --rows")
		}
		return nil
	}); err != nil {
		return err
	}
	p.Table = p.Only(chosen)
	p.first, p.end = 0, p.Rows
	return nil
}

// aggregates are the functions of --agg.
var aggregates = []string{"count", "sum", "mean", "min", "max"}

// sums parses count,sum(size),mean(size).
func sums(t *model.Table, text string) (out []model.Aggregate, err error) {
	for _, part := range strings.Split(text, ",") {
		what, rest, found := strings.Cut(strings.TrimSpace(part), "(")
		x := model.Aggregate{What: what, Column: -1, Name: strings.TrimSpace(part)}
		column, closed := strings.CutSuffix(rest, ")")
		if found && closed {
			x.Column = t.Column(column)
		}
		switch {
		case !slices.Contains(aggregates, what) || found != closed:
			return nil, fmt.Errorf("--agg %s: use count, sum(COLUMN), mean(COLUMN), min(COLUMN) or max(COLUMN), separated by commas", part)
		case found && x.Column < 0:
			return nil, fmt.Errorf("--agg %s: %s has no column %q; it has %s", part, t.Name, column, columnNames(*t))
		case !found && what != "count":
			return nil, fmt.Errorf("--agg %s: of which column? %s(COLUMN)", part, what)
		case found && what != "count" && !aggregated(&t.Columns[x.Column], what):
			return nil, fmt.Errorf("--agg %s: %s is a column of %s, which has no %s", part, column, t.Columns[x.Column].Type, what)
		}
		out = append(out, x)
	}
	return out, nil
}

// aggregated tells whether a column has an aggregate other than a count: vectors have none, and only numbers a sum and a mean.
func aggregated(c *model.Column, what string) bool {
	ordered := what == "min" || what == "max"
	return !c.IsVector() && (ordered || c.Kind != model.Text && c.Kind != model.Bytes)
}

// groupRows turns a part into the table of its groups: the grouping columns, and the aggregates, in order of first appearance.
func groupRows(c *call, p *part, by, agg string) error {
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
	groups := model.NewGroups(&p.Table, keys, list)
	err = p.Each(c.ctx, p.first, p.end, c.progressOf("reading rows"), func(_ int64, r model.Row) error { return groups.Add(r) })
	if err != nil {
		return err
	}
	p.Table = groups.Table()
	p.first, p.end, p.pick = 0, p.Rows, model.Indices(len(p.Columns))
	return nil
}
