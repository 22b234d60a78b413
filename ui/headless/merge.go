package headless

import (
	"errors"
	"flag"
	"fmt"

	"spandrel/model"
)

// merging is a run of merge.
type merging struct {
	*call
	key, prefer string
	dry, force  bool
	swapped     bool // A's changes are made to B
}

func merge(f *flag.FlagSet, c *call) func() (int, error) {
	m := &merging{call: c}
	f.StringVar(&m.key, "key", "", "COLUMN that identifies rows, in tables that have it")
	f.StringVar(&m.prefer, "prefer", "", "a|b: whose change wins if both changed the same thing")
	f.BoolVar(&m.dry, "dry-run", false, "print what would be merged and write nothing")
	f.BoolVar(&m.force, "force", false, "merge damaged documents, and save even if a valid document becomes invalid or a new checksum hides damage")
	c.outUsage = "write the merged document to this file or folder"
	return func() (int, error) {
		switch {
		case m.prefer != "" && m.prefer != "a" && m.prefer != "b":
			return Failed, fmt.Errorf("--prefer %s: a or b", m.prefer)
		case c.out == "" && !m.dry:
			return Failed, errors.New("give the output file with -o")
		}
		return m.run()
	}
}

func (m *merging) run() (int, error) {
	docs, done, err := openAll(m.call)
	defer done()
	if err != nil {
		return Failed, err
	}
	for i, d := range docs {
		if d.Format == nil || d.Format != docs[0].Format {
			return Failed, fmt.Errorf("%s does not have the format of %s: only documents of the same format can be merged", m.args[i], m.args[0])
		}
	}
	if err := checkKey(m.call, m.key, docs...); err != nil {
		return Failed, err
	}
	if err := m.sound(docs); err != nil && !m.force {
		return Failed, err
	}
	merged, to, err := m.plan(docs)
	if err != nil {
		return Failed, err
	}
	if len(merged.Conflicts) > 0 {
		return Found, m.conflicts(merged.Conflicts)
	}
	if err := m.told(merged); err != nil || m.dry {
		return Done, err
	}
	one := *m.call
	one.args = []string{m.args[to]}
	return Done, m.save(&one, docs[to], merged)
}

// sound returns an error if a document has errors: what cannot be read of it would count as dropped.
func (m *merging) sound(docs []*model.Document) error {
	for i, d := range docs {
		found, err := change{call: m.call, d: d}.errors()
		if err != nil {
			return of(m.args[i], err)
		}
		if len(found) > 0 {
			return fmt.Errorf("%s: what is damaged would count as a change: %s; fix it first, or --force merges it anyway", m.args[i], first(found))
		}
	}
	return nil
}

// plan finds what to change in which document: in A, or in B if that has another layout, such as an additional column.
func (m *merging) plan(docs []*model.Document) (*model.Merged, int, error) {
	o := model.MergeOptions{ContentOptions: model.ContentOptions{Key: m.key}}
	if m.prefer != "" {
		o.Prefer = m.prefer[0]
	}
	merged, err := model.MergeContent(m.ctx, docs[0].Tree, docs[1].Tree, docs[2].Tree, o)
	if err != nil || !merged.Apart() {
		return merged, 1, err
	}
	if o.Prefer != 0 {
		o.Prefer = 'a' + 'b' - o.Prefer
	}
	other, err := model.MergeContent(m.ctx, docs[0].Tree, docs[2].Tree, docs[1].Tree, o)
	if err != nil || other.Apart() {
		return merged, 1, err
	}
	m.swapped = true
	return other, 2, nil
}

// conflicts prints what both changed.
func (m *merging) conflicts(list []model.Conflict) error {
	for _, x := range list {
		if m.swapped {
			x.TextA, x.TextB = x.TextB, x.TextA
		}
		data := map[string]any{"kind": "conflict", "document": m.args[1], "path": x.Path, "base": x.TextBase, "a": x.TextA, "b": x.TextB}
		if x.Table != "" {
			data["table"] = x.Table
		}
		if x.Column != "" {
			data["column"] = x.Column
		}
		if x.Row >= 0 {
			data["row"] = x.Row
		}
		if err := m.either(data, "%s: %s; A: %s, B: %s", x.Path, x.TextBase, x.TextA, x.TextB); err != nil {
			return err
		}
	}
	if m.json {
		return nil
	}
	return linef(m.Err, "spandrel: %s: nothing was written", model.Count(int64(len(list)), "conflicts"))
}

// told says what was merged.
func (m *merging) told(merged *model.Merged) error {
	var cells, added, dropped int64
	for _, t := range merged.Tables {
		cells, added, dropped = cells+int64(len(t.Cells)), added+t.Added, dropped+t.Dropped
	}
	into, from := "A", "B"
	if m.swapped {
		into, from = from, into
	}
	if m.json {
		return m.line(map[string]any{"kind": "merged", "into": into, "cells": cells, "added": added, "dropped": dropped, "fields": len(merged.Fields), "dry_run": m.dry})
	}
	if m.quiet {
		return nil
	}
	text := ""
	for _, n := range []struct {
		n         int64
		what, how string
	}{{cells, "cells", ""}, {added, "rows", " added"}, {dropped, "rows", " dropped"}, {int64(len(merged.Fields)), "fields", ""}} {
		if n.n > 0 {
			text += ", " + model.Count(n.n, n.what) + n.how
		}
	}
	if text == "" {
		text = ", nothing"
	}
	return linef(m.Err, "changes of %s applied to %s: %s", from, into, text[2:])
}

// save makes the changes to a document, cells and fields first, and writes it.
func (m *merging) save(c *call, d *model.Document, merged *model.Merged) error {
	edits, err := mergedCells(c, d, merged)
	if err != nil {
		return err
	}
	ch := change{call: c, d: d}
	plans := []func() (*model.Plan, error){}
	if len(edits) > 0 {
		plans = append(plans, func() (*model.Plan, error) { return d.Plan(c.ctx, "merge", edits...) })
	}
	for i := range merged.Tables {
		if t := &merged.Tables[i]; t.Fills {
			plans = append(plans, func() (*model.Plan, error) { return mergedRows(c, d, t) })
		}
	}
	for i, make := range plans {
		p, err := make()
		if err != nil {
			return of(c.args[0], err)
		}
		if i == len(plans)-1 {
			return ch.whole(p, m.force)
		}
		d.Apply(c.ctx, p, nil)
	}
	return ch.store()
}

// mergedCells makes the edits of fields and cells.
func mergedCells(c *call, d *model.Document, merged *model.Merged) (edits []model.Edit, err error) {
	for _, f := range merged.Fields {
		s, err := d.Tree.Find(c.ctx, f.Path)
		if err != nil {
			return nil, err
		}
		v, err := s.Field.Parse(f.Text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		edits = append(edits, model.SetValue(s, v))
	}
	for _, x := range merged.Tables {
		if len(x.Cells) == 0 {
			continue
		}
		t, err := tableOf(c.ctx, c.args[0], d.Tree, x.Name)
		if err != nil {
			return nil, err
		}
		more, err := t.Edits(c.ctx, d.Tree, x.Cells)
		if err != nil {
			return nil, fmt.Errorf("%s, table %s: %w", c.args[0], x.Name, err)
		}
		edits = append(edits, more...)
	}
	return edits, nil
}

// mergedRows plans the rows to add and remove in a table whose cells have been merged.
func mergedRows(c *call, d *model.Document, x *model.MergedTable) (*model.Plan, error) {
	t, err := tableOf(c.ctx, c.args[0], d.Tree, x.Name)
	if err != nil {
		return nil, err
	}
	if t.Fill == nil {
		return nil, fmt.Errorf("table %s cannot change its number of rows, but B has %d more and %d fewer", x.Name, x.Added, x.Dropped)
	}
	rows := model.RowReader{Table: &t}
	var failed error
	edits, err := t.Fill(c.ctx, model.GivenRows{From: x.From, N: int64(len(x.Rows)), Cell: func(row int64, column int) model.Typed {
		r := x.Rows[row-x.From]
		if r.A < 0 {
			out := r.Cells[column]
			out.Row, out.Column = row, column
			return out
		}
		cells, err := rows.At(c.ctx, r.A)
		if err != nil || column >= len(cells) {
			failed = errors.Join(failed, err)
			return model.Typed{Row: row, Column: column, Missing: true}
		}
		return typedCell(&t.Columns[column], row, column, cells[column])
	}})
	if err = errors.Join(failed, err); err != nil {
		return nil, fmt.Errorf("table %s: %w", x.Name, err)
	}
	return d.Plan(c.ctx, "merge", edits...)
}
