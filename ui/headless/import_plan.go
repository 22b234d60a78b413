package headless

import (
	"context"
	"errors"
	"fmt"

	"spandrel/model"
)

// Import is the changes that the rows of a file make to a table. Cells change, or rows are added or removed.
type Import struct {
	Cells []model.Typed // those that change
	Runs  []model.Run   // more of them
	Count int64         // how many change
	Rows  []model.Edit  // edits that add or remove rows
	Says  string        // how much changes
	Lines []string      // the first cells that change
	Fewer int64         // how many rows the table loses
}

// PlanImport determines what the rows of a file (CSV, JSON lines, Parquet or Arrow) change in a table: they replace all of its rows; with a
// key column, those with the same value there; with add, none, and they are appended. Both at once are two edits, and an error.
// Nothing is edited.
func PlanImport(ctx context.Context, t *model.Table, from, key string, add bool) (*Import, error) {
	if key != "" && add {
		return nil, errors.New("--key and --append cannot be combined: import in two steps")
	}
	l := &load{call: &call{ctx: ctx}, table: t, from: from, key: t.Column(key), add: add}
	if key != "" && l.key < 0 {
		return nil, fmt.Errorf("table %s has no column %q", t.Name, key)
	}
	if err := l.read(); err != nil {
		return nil, err
	}
	_, dropped := l.counts()
	x := &Import{Cells: l.changed, Runs: l.runs, Count: l.cells, Says: l.summary("change"), Fewer: max(0, dropped-l.added.n)}
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
