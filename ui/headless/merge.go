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
	cells, added, dropped := merged.Counts()
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
	return linef(m.Err, "changes of %s applied to %s: %s", from, into, merged.Text())
}

// save makes the changes to a document, and writes it.
func (m *merging) save(c *call, d *model.Document, merged *model.Merged) error {
	p, err := merged.Plan(c.ctx, d)
	if err != nil {
		return of(c.args[0], err)
	}
	ch := change{call: c, d: d}
	if p.Empty() {
		return ch.store()
	}
	return ch.whole(p, m.force)
}
