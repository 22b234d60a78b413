package headless

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"spandrel/model"
)

// maxTold is how many changes of cells a preview prints; the rest are counted.
const maxTold = 1000

// loading is an import as requested.
type loading struct {
	from, key, kind string
	add, dry, force bool
	labels          bool
}

// loadRows imports the rows of a file into a table and saves the document.
func loadRows(c *call, d *model.Document, t *model.Table, o loading) (int, error) {
	l := &load{call: c, d: d, table: t, from: o.from, kind: o.kind, key: -1, add: o.add, labels: o.labels}
	if o.key != "" {
		if l.key = t.Column(o.key); l.key < 0 {
			return Failed, fmt.Errorf("--key %s: table %s has no such column; available: %s", o.key, t.Name, columnNames(*t))
		}
	}
	if passes(l.from) {
		spool, err := c.spooled(l.from)
		if err != nil {
			return Failed, err
		}
		defer os.Remove(spool)
		l.spool = spool
	}
	if err := l.read(); err != nil {
		return Failed, err
	}
	if o.dry {
		if err := l.show(); err != nil {
			return Failed, err
		}
	}
	ch := change{call: c, d: d, dry: o.dry, told: true}
	if err := l.save(ch, o.force); err != nil {
		return Failed, of(c.args[0], err)
	}
	return Done, l.told(o.dry)
}

// grows tells whether rows are added or removed.
func (l *load) grows() bool {
	return l.added.n > 0 || l.cut < l.table.Rows && l.key < 0 && !l.add && l.rows != l.table.Rows
}

// complete is an error unless the file has the columns that new rows need.
func (l *load) complete() error {
	if !l.grows() {
		return nil
	}
	if l.table.Fill == nil {
		return fmt.Errorf("%s has %s, but table %s has %d: the number of rows cannot change", l.from, model.Count(l.rows, "rows"), l.table.Name, l.table.Rows)
	}
	if l.table.Judges {
		return nil // it knows what it needs
	}
	for i, col := range l.table.Columns {
		if col.Fixed != "" && !slices.Contains(l.columns, i) {
			continue
		}
		if col.IsVector() && !slices.Contains(l.columns, i) && l.added.n > 0 {
			return fmt.Errorf("%s has no column %q, which new rows need%s", l.from, col.Name, l.instead())
		}
	}
	return nil
}

// instead says why a file whose rows were to change those of the table replaces rows.
func (l *load) instead() string {
	if l.add || l.key >= 0 {
		return ""
	}
	return fmt.Sprintf(". It has %s, and the table has %s, so it replaces whole rows. To change only some rows, match them by a key column",
		model.Count(l.rows, "rows"), model.Thousands(l.table.Rows))
}

// save changes the cells, then adds and removes rows, and writes the document.
func (l *load) save(ch change, force bool) error {
	if l.cells > 0 {
		edits, err := l.table.Edits(l.ctx, l.d.Tree, l.changed, l.runs...)
		if err != nil {
			return err
		}
		p, err := l.d.Plan(l.ctx, "import", edits...)
		if err != nil {
			return err
		}
		if !l.grows() {
			return ch.whole(p, force)
		}
		l.d.Apply(l.ctx, p, nil)
		if err := l.again(); err != nil {
			return err
		}
	}
	if !l.grows() {
		return nil
	}
	edits, err := l.fill()
	if err != nil {
		return err
	}
	p, err := l.d.Plan(l.ctx, "import", edits...)
	if err != nil {
		return err
	}
	ch.removes = l.rows < l.table.Rows && l.key < 0 && !l.add // the file has fewer rows, and is to replace all
	return ch.whole(p, force)
}

// fill makes the edits that add and remove rows.
func (l *load) fill() ([]model.Edit, error) {
	edits, err := l.table.Fill(l.ctx, l.added.given(l.table, l.cut))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.from, err)
	}
	return edits, nil
}

// again finds the same table in the present document.
func (l *load) again() error {
	tables := l.d.Tree.Tables(l.ctx)
	i := model.TableIndex(tables, l.table.Name)
	if i < 0 || tables[i].Fill == nil || len(tables[i].Columns) != len(l.table.Columns) {
		return errors.New("the changes would replace the table: import in two steps, with --key and then with --append")
	}
	l.table = &tables[i]
	return nil
}

// show prints what changes.
func (l *load) show() error {
	for _, w := range l.was {
		col := &l.table.Columns[w.column]
		data := map[string]any{"kind": "change", "document": l.args[0], "table": l.table.Name, "row": w.row, "column": col.Name, "was": w.old.JSON(), "is": w.is.JSON()}
		if err := l.either(data, "%s", w.text(col)); err != nil {
			return err
		}
	}
	if more := l.cells - int64(len(l.was)); more > 0 && !l.json {
		return linef(l.Out, "%d more cells change", more)
	}
	return nil
}

// text is a change of a cell for people.
func (w *was) text(col *model.Column) string {
	return fmt.Sprintf("row %d, %s: %s -> %s", w.row, col.Name, none(w.old.String()), none(w.is.String()))
}

// told says how much changed.
func (l *load) told(dry bool) error {
	if l.json {
		rows, dropped := l.counts()
		return l.line(map[string]any{"kind": "loaded", "document": l.args[0], "table": l.table.Name, "cells": l.cells, "rows": rows,
			"dropped": dropped, "added": l.added.n, "dry_run": dry})
	}
	if l.quiet {
		return nil
	}
	verb := "changed"
	if dry {
		verb = "would change"
	}
	return linef(l.Err, "%s, table %s: %s", l.args[0], l.table.Name, l.summary(verb))
}

// summary says how much changes.
func (l *load) summary(verb string) string {
	rows, dropped := l.counts()
	cells, added := l.cells, l.added.n
	last := "the last " + model.Count(dropped, "rows")
	if dropped == l.table.Rows {
		last = "all " + model.Count(dropped, "rows")
	}
	var parts []string
	if cells > 0 || dropped+added == 0 {
		parts = append(parts, fmt.Sprintf("%s of %s %s", model.Count(cells, "cells"), model.Count(rows, "rows"), verb))
	}
	switch {
	case dropped > 0 && added > 0:
		parts = append(parts, fmt.Sprintf("%s replaced by %s", last, model.Thousands(added)))
	case dropped > 0:
		parts = append(parts, last+" removed")
	case added > 0:
		parts = append(parts, model.Count(added, "rows")+" added")
	}
	return strings.Join(parts, ", ")
}

// counts is how many rows have changed cells, and how many rows are removed.
func (l *load) counts() (rows, dropped int64) {
	if l.grows() {
		dropped = l.table.Rows - l.cut
	}
	return l.touched, dropped
}

// tableOf is the table of a name.
func tableOf(ctx context.Context, path string, t *model.Tree, name string) (model.Table, error) {
	tables := t.Tables(ctx)
	if i := model.TableIndex(tables, name); i >= 0 {
		return tables[i], nil
	}
	return model.Table{}, fmt.Errorf("%s: no table %q; available: %s", path, name, tableNames(tables))
}
