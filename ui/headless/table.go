package headless

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/model/cause"
)

func table(f *flag.FlagSet, c *call) func() (int, error) {
	rows := f.String("rows", "", "A:B: rows A up to but not including B")
	columns := f.String("columns", "", "a,b: these columns only")
	to := f.String("to", "csv", "csv, jsonl, parquet or arrow")
	labels := f.Bool("labels", false, "csv and jsonl: names instead of values, for keys, enumerations and dates; with --from, numbers may be such names")
	at := f.String("at", "", "TIME: the table at this time, as ms since 1970 or a date like 2026-11-24 or 2026-11-24T12:30:00; for documents with a history, such as TileDB arrays")
	index := f.String("slice", "", "for an array: the elements of an index such as '[2, :, 0:10]', as rows and columns")
	where := f.String("where", "", "CONDITION: only matching rows, as in \"size > 600 and ext = 'jpg'\"; =, !=, <, <=, >, >=, ~ (contains)")
	by := f.String("group-by", "", "a,b: one row for each combination of values in these columns")
	agg := f.String("agg", "", "aggregates: count,sum(a),mean(a),min(a),max(a); without --group-by over all rows")
	asIs := f.Bool("as-is", false, "the rows of a damaged file unchanged, even if a proven repair shows more of them")
	c.outUsage = "write the output to this file; with --from, write the document there instead of replacing PATH"
	var in loading
	f.StringVar(&in.from, "from", "", "FILE: import the rows of this table from a file (csv, jsonl, parquet or arrow, by its extension or --to), or from the same table of another document, and save")
	f.BoolVar(&in.add, "append", false, "with --from: append the rows; with --key, only those with a new key")
	f.StringVar(&in.key, "key", "", "with --from: COLUMN that identifies rows")
	f.BoolVar(&in.dry, "dry-run", false, "with --from: print what would change and write nothing")
	f.BoolVar(&in.force, "force", false, "with --from: save even if a valid document becomes invalid, or if a new checksum hides damage")
	return func() (int, error) {
		if in.from != "" {
			if c.given("to") {
				in.kind = *to
			}
			in.labels = *labels
			return takeRows(c, in)
		}
		if c.json && len(c.args) == 2 {
			if *to != "csv" && *to != "jsonl" {
				return Failed, fmt.Errorf("--json prints JSON lines, which conflicts with --to %s: use only one of them", *to)
			}
			*to = "jsonl"
		}
		return printed(c, func() (int, error) {
			return printTable(c, printing{*rows, *columns, *to, *at, *index, *where, *by, *agg, *labels, *asIs})
		})()
	}
}

// printing is how a table is printed.
type printing struct {
	rows, columns, to, at string
	index, where, by, agg string
	labels, asIs          bool
}

// takeRows imports the rows of a file into a table.
func takeRows(c *call, in loading) (int, error) {
	if len(c.args) < 2 {
		return Failed, c.misused()
	}
	d, err := c.withFormat(c.args[0])
	if err != nil {
		return Failed, err
	}
	t, err := tableOf(c.ctx, c.args[0], d.Tree, c.args[1])
	if err != nil {
		return Failed, err
	}
	return loadRows(c, d, &t, in)
}

// printTable lists the tables, or prints one.
func printTable(c *call, o printing) (int, error) {
	d, err := c.open(c.args[0])
	if err != nil {
		return Failed, err
	}
	shown, err := shownTree(c, d, o.asIs)
	if err != nil {
		return Failed, err
	}
	if len(c.args) == 1 {
		tables := shown.Tables(c.ctx)
		if err := c.useless("without TABLE; available: "+tableNames(tables), "rows", "columns", "to", "labels", "at", "slice", "where", "group-by", "agg"); err != nil {
			return Failed, err
		}
		return Done, printTables(c, shown, tables, shown == d.Tree)
	}
	t, err := tableOf(c.ctx, c.args[0], shown, c.args[1])
	if err != nil {
		return Failed, err
	}
	part, err := partOf(c, t, o)
	if err != nil {
		return Failed, err
	}
	return Done, exportTo(c, c.Out, part, o.to)
}

// partOf is the part of a table that is printed.
func partOf(c *call, t model.Table, o printing) (*part, error) {
	groups := o.by != "" || o.agg != ""
	if o.labels && o.to != "csv" && o.to != "jsonl" {
		return nil, fmt.Errorf("--labels works only with csv and jsonl: the columns of %s are typed", o.to)
	}
	t, err := asOf(c.ctx, t, o.at)
	if err == nil && o.index != "" {
		t, err = t.Slice(o.index)
	}
	if err != nil {
		return nil, err
	}
	part, err := slice(t, o.rows, o.columns)
	if err == nil && o.where != "" {
		err = filterRows(c, part, o.where)
	}
	if err == nil && groups {
		err = groupRows(c, part, o.by, cmp.Or(o.agg, "count"))
	}
	if err == nil {
		part.labels = o.labels
	}
	return part, err
}

// asOf is a table at a time given as text, or the present table if none is given.
func asOf(ctx context.Context, t model.Table, text string) (model.Table, error) {
	if text == "" {
		return t, nil
	}
	ms, err := moment(text)
	if err == nil && t.At == nil {
		err = fmt.Errorf("the table %s has no history", t.Name)
	}
	if err != nil {
		return t, fmt.Errorf("--at %s: %w", text, err)
	}
	return t.At(ctx, ms), nil
}

// moment parses a time, in ms since 1970.
func moment(text string) (ms int64, err error) {
	ms, err = strconv.ParseInt(text, 10, 64)
	when, ok := dateOf(text)
	if ok {
		ms = when.UnixMilli()
	}
	if err != nil && !ok || ms < 0 {
		return 0, errors.New("a time is ms since 1970, or a date like 2026-11-24 or 2026-11-24T12:30:00 (UTC)")
	}
	return ms, nil
}

// tableNames lists the tables for an error about an unknown one.
func tableNames(tables []model.Table) string {
	return namesIn(tables, func(t model.Table) string { return t.Name })
}

// shownTree is the tree whose tables are printed: for a damaged document, the one after a proven repair, if that shows more and --as-is is not
// given.
func shownTree(c *call, d *model.Document, asIs bool) (*model.Tree, error) {
	if asIs && d.Format == nil {
		return nil, of(c.args[0], model.ErrNoFormat)
	}
	found, _ := d.Tree.Findings()
	if asIs || d.Format != nil && !slices.ContainsFunc(found, func(f model.Finding) bool { return f.Grade() == model.Error }) {
		return d.Tree, nil
	}
	if t, say := c.kept.shown(d); t != nil {
		return t, say(c)
	}
	g, err := cause.Find(c.ctx, d, cause.Options{Formats: c.Formats, Tree: d.Tree, Progress: c.progress()})
	if err != nil {
		return nil, err
	}
	t, x := g.Shown(c.ctx)
	switch {
	case x != nil:
		path := c.args[0]
		say := func(c *call) error {
			shown := "the rows are shown after repair 1: " + x.Label + "; the file itself is not changed (--as-is prints its own rows)"
			if c.json {
				return c.aside("note", g.Causes[0].Text+" "+strings.ToUpper(shown[:1])+shown[1:])
			}
			return linef(c.Err, "%s: %s\n  %s", path, g.Causes[0].Text, shown)
		}
		c.kept.show(d, t, say)
		return t, say(c)
	case d.Format == nil:
		return nil, of(c.args[0], model.ErrNoFormat)
	}
	return d.Tree, nil
}

// printTables lists names, rows and columns. asSaved means that the document is not repaired: then it also says where in its files arrays are stored.
func printTables(c *call, shown *model.Tree, tables []model.Table, asSaved bool) error {
	for _, t := range tables {
		var names, types []string
		for _, col := range t.Columns {
			names, types = append(names, col.Name), append(types, col.Type)
		}
		data := map[string]any{"kind": "table", "document": c.args[0], "name": t.Name, "title": t.Title, "rows": t.Rows, "columns": list(names), "types": list(types)}
		describeArray(data, &t)
		if data["dtype"] != nil && asSaved && !passes(c.args[0]) {
			if s := shown.Space(t.Elements.Space); s != nil && !s.Derived() && t.Elements.Len > 0 {
				data["file"], data["offset"], data["length"] = fileOf(c.args[0], s.File), t.Elements.Off, t.Elements.Len
			}
		}
		if err := c.either(data, "%s\t%d rows\t%s", t.Name, t.Rows, strings.Join(names, ", ")); err != nil {
			return err
		}
	}
	return nil
}

// describeArray adds what numpy needs to know of a table that is an array.
func describeArray(data map[string]any, t *model.Table) {
	if t.Tensor != nil && !t.Truncated() {
		data["shape"], data["order"] = t.Tensor.Shape, order(t.Tensor.ColumnMajor)
		if t.Tensor.Dtype != "" {
			data["dtype"] = t.Tensor.Dtype
		}
	}
	if t.Numpy != nil {
		data["dtype"], data["shape"], data["order"] = t.Numpy.Dtype, append([]int64{}, t.Numpy.Shape...), order(t.Numpy.Fortran)
	}
}

// order is the order of the elements of an array, as numpy calls it.
func order(columnMajor bool) string {
	if columnMajor {
		return "F"
	}
	return "C"
}
