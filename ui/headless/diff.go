package headless

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spandrel/model"
)

// difference is a line of `diff --json`.
type difference struct {
	Kind   string `json:"kind"`
	Path   string `json:"path"`
	A      any    `json:"a"` // null where it is missing
	B      any    `json:"b"`
	Table  string `json:"table,omitempty"`
	Column string `json:"column,omitempty"`
	Row    *int64 `json:"row,omitempty"`   // in A
	RowB   *int64 `json:"row_b,omitempty"` // in B
}

// maxDiff is how many differences are printed; the rest are counted.
const maxDiff = 10_000

// diffing is a run of diff.
type diffing struct {
	*call
	key    string
	layout bool
	stat   bool
	limit  int

	n      int
	counts map[string]map[string]int // by table and kind
}

func diff(f *flag.FlagSet, c *call) func() (int, error) {
	d := &diffing{call: c, counts: map[string]map[string]int{}}
	f.BoolVar(&d.layout, "layout", false, "compare field by field, including how the content is stored: offsets, compression, order")
	f.BoolVar(&d.stat, "stat", false, "only count the differences of each table")
	f.StringVar(&d.key, "key", "", "COLUMN that identifies rows, in tables that have it")
	number(f, &d.limit, "limit", maxDiff, "print at most this many differences, and count the rest")
	return func() (int, error) {
		return d.run()
	}
}

func (d *diffing) run() (int, error) {
	docs, done, err := openAll(d.call)
	defer done()
	if err != nil {
		return Failed, err
	}
	if err := checkKey(d.call, d.key, docs...); err != nil {
		return Failed, err
	}
	a, b, compared := docs[0], docs[1], false
	if !d.layout {
		compared, err = model.CompareContent(d.ctx, a.Tree, b.Tree, model.ContentOptions{Key: d.key}, d.tell)
	}
	if err == nil && !compared {
		err = model.Compare(d.ctx, a.Tree, b.Tree, d.field)
	}
	if err != nil {
		return Failed, err
	}
	warnPartly(d.call, a)
	warnPartly(d.call, b)
	if err := d.sum(); err != nil {
		return Failed, err
	}
	if d.n > 0 {
		return Found, nil
	}
	return Done, nil
}

// checkKey rejects a key that is a column of no table.
func checkKey(c *call, key string, docs ...*model.Document) error {
	if key == "" {
		return nil
	}
	for _, d := range docs {
		for _, t := range d.Tree.Tables(c.ctx) {
			if t.Column(key) >= 0 {
				return nil
			}
		}
	}
	return fmt.Errorf("--key %s: no table has a column of that name", key)
}

// tell prints a difference between contents.
func (d *diffing) tell(x model.Difference) error {
	if d.counts[x.Table] == nil {
		d.counts[x.Table] = map[string]int{}
	}
	kind := x.Kind
	switch {
	case x.Kind == "row" && x.Row < 0:
		kind = "rows added"
	case x.Kind == "row":
		kind = "rows dropped"
	}
	d.counts[x.Table][kind]++
	l := difference{Kind: x.Kind, Path: x.Path, A: x.A, B: x.B, Table: x.Table, Column: x.Column}
	if x.Row >= 0 {
		l.Row = &x.Row
	}
	if x.RowB >= 0 {
		l.RowB = &x.RowB
	}
	return d.print(l, x.TextA, x.TextB)
}

// field prints a difference between fields.
func (d *diffing) field(path string, x, y *model.Value) error {
	l := difference{Kind: "field", Path: path}
	if x != nil {
		l.A = x.JSON()
	}
	if y != nil {
		l.B = y.JSON()
	}
	return d.print(l, shown(x), shown(y))
}

func (d *diffing) print(l difference, a, b string) error {
	switch d.n++; {
	case d.stat || d.n > d.limit:
		return nil
	case d.json:
		return d.line(l)
	case a == b:
		b += " (the same value, encoded differently)"
	}
	return linef(d.Out, "%s: %s -> %s", l.Path, a, b)
}

// sum prints the number of differences by kind.
func (d *diffing) sum() error {
	if more := d.n - d.limit; more > 0 && !d.stat {
		if err := d.aside("note", model.Count(int64(more), "more differences")+" not listed"); err != nil {
			return err
		}
	}
	if !d.stat {
		return nil
	}
	for _, table := range slices.Sorted(maps.Keys(d.counts)) {
		kinds := d.counts[table]
		data := map[string]any{"kind": "stat", "table": table, "cells": kinds["cell"], "dropped": kinds["rows dropped"],
			"added": kinds["rows added"], "columns": kinds["column"], "payloads": kinds["payload"], "fields": kinds["field"], "tables": kinds["table"]}
		text := ""
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			what, how, _ := strings.Cut(kind, " ") // rows added
			text += strings.TrimRight(", "+model.Count(int64(kinds[kind]), strings.TrimSuffix(what, "s")+"s")+" "+how, " ")
		}
		if err := d.either(data, "%s: %s", cmp.Or(table, "beside the tables"), text[2:]); err != nil {
			return err
		}
	}
	return nil
}

// warnPartly says what could not be decoded completely in a document, and so is only compared in part.
func warnPartly(c *call, d *model.Document) {
	for _, s := range d.Tree.Spaces() {
		if err := s.Fault(); err != nil {
			c.aside("warning", fmt.Sprintf("%s, %s: %v. The rest is not compared.", d.Path, s.Name(), err))
			return
		}
	}
}

func shown(v *model.Value) string {
	if v == nil {
		return "missing"
	}
	return v.String()
}
