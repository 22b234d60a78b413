package headless

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"spandrel/model"
)

// Import is what the rows of a file change of a table. Cells change, or rows come and go.
type Import struct {
	Cells []model.Typed // those that change
	Rows  []model.Edit  // after which rows have come or gone
	Says  string        // how much changes
	Lines []string      // the first cells that change
}

// PlanImport reads what the rows of a file (CSV, JSON lines, Parquet or Arrow) change of a table: the rows in the same places; with the name of a
// column as key, those that have the same value there; with add, none, and they go behind the last one. Both at once are two edits, and refused.
// Nothing is edited.
func PlanImport(ctx context.Context, t *model.Table, from, key string, add bool) (*Import, error) {
	if key != "" && add {
		return nil, errors.New("--key and --append cannot be combined: import in two steps")
	}
	l := &load{call: &call{ctx: ctx}, table: t, from: from, key: slices.IndexFunc(t.Columns, func(c model.Column) bool { return c.Name == key }), add: add}
	if key != "" && l.key < 0 {
		return nil, fmt.Errorf("table %s has no column %q", t.Name, key)
	}
	if err := l.read(); err != nil {
		return nil, err
	}
	if err := l.complete(); err != nil {
		return nil, err
	}
	x := &Import{Cells: l.changed, Says: l.summary("change")}
	for i := range l.was {
		x.Lines = append(x.Lines, l.was[i].text(&t.Columns[l.was[i].column]))
	}
	if !l.grows() {
		return x, nil
	}
	var err error
	x.Rows, err = l.fill()
	return x, err
}
