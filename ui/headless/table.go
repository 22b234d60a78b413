package headless

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
)

func table(f *flag.FlagSet, c *call) func() (int, error) {
	rows := f.String("rows", "", "A:B, the rows from A up to but not including B")
	columns := f.String("columns", "", "a,b: these columns only")
	to := f.String("to", "csv", "csv, jsonl, parquet or arrow")
	labels := f.Bool("labels", false, "csv and jsonl: names in place of the values that have one, as keys, enumerations and dates do")
	at := f.String("at", "", "TIME: the table as it was at a time, as ms since 1970 or a date as 2026-11-24 or 2026-11-24T12:30:00; of documents with a history, as TileDB arrays")
	where := f.String("where", "", "CONDITION: the rows that meet it, as in \"size > 600 and ext = 'jpg'\"; =, !=, <, <=, >, >=, ~ (has)")
	by := f.String("group-by", "", "a,b: one row for each of the values that these columns have together")
	agg := f.String("agg", "", "what groups add up to: count,sum(a),mean(a),min(a),max(a); without --group-by of all rows")
	asIs := f.Bool("as-is", false, "the rows of a damaged file as they stand, also where a proven repair shows more of them")
	c.outUsage = "write there what is printed, or with --from the document instead of replacing PATH"
	var in loading
	f.StringVar(&in.from, "from", "", "FILE: take the rows of this table from a file (csv, jsonl, parquet or arrow, by its name or --to) and save")
	f.BoolVar(&in.add, "append", false, "with --from: the rows go behind the last one; with --key those whose key the table has not")
	f.StringVar(&in.key, "key", "", "with --from: COLUMN, whose value tells which row is which")
	f.BoolVar(&in.dry, "dry-run", false, "with --from: print what would change and write nothing")
	f.BoolVar(&in.force, "force", false, "with --from: save also what makes a sound document a broken one")
	return func() (int, error) {
		if err := c.need(1, 2, "table PATH [TABLE]"); err != nil {
			return Failed, err
		}
		if in.from != "" {
			return c.take(in, f)
		}
		if c.json && len(c.args) == 2 {
			if *to != "csv" && *to != "jsonl" {
				return Failed, fmt.Errorf("--json prints rows as JSON lines, and --to %s asks for others: leave out one of the two", *to)
			}
			*to = "jsonl"
		}
		return printed(c, func() (int, error) {
			return c.print(printing{*rows, *columns, *to, *at, *where, *by, *agg, *labels, *asIs})
		})()
	}
}

// printing is what a table is printed by.
type printing struct {
	rows, columns, to, at string
	where, by, agg        string
	labels, asIs          bool
}

// take gives a table the rows of a file.
func (c *call) take(in loading, f *flag.FlagSet) (int, error) {
	if err := c.need(2, 2, "table PATH TABLE --from FILE"); err != nil {
		return Failed, err
	}
	var useless []string
	f.Visit(func(x *flag.Flag) {
		if slices.Contains([]string{"rows", "columns", "labels", "at", "as-is", "where", "group-by", "agg"}, x.Name) {
			useless = append(useless, "--"+x.Name)
		}
		if x.Name == "to" {
			in.kind = x.Value.String()
		}
	})
	if len(useless) > 0 {
		return Failed, fmt.Errorf("%s is not for --from: all rows of the file are taken", useless[0])
	}
	d, err := c.withFormat(c.args[0])
	if err != nil {
		return Failed, err
	}
	t, err := tableOf(c.ctx, c.args[0], d.Tree, c.args[1])
	if err != nil {
		return Failed, err
	}
	return c.load(d, &t, in)
}

// print lists the tables, or prints one.
func (c *call) print(o printing) (int, error) {
	d, err := c.open(c.args[0])
	if err != nil {
		return Failed, err
	}
	shown, err := c.shown(d, o.asIs)
	if err != nil {
		return Failed, err
	}
	for flag, value := range map[string]string{"at": o.at, "where": o.where, "group-by": o.by, "agg": o.agg, "columns": o.columns, "rows": o.rows} {
		if len(c.args) == 1 && value != "" {
			return Failed, fmt.Errorf("--%s is of one table: name it; there is %s", flag, namesOf(shown.Tables(c.ctx)))
		}
	}
	if len(c.args) == 1 {
		return Done, c.tables(shown.Tables(c.ctx))
	}
	t, err := tableOf(c.ctx, c.args[0], shown, c.args[1])
	if err != nil {
		return Failed, err
	}
	if t, err = asOf(c.ctx, t, o.at); err != nil {
		return Failed, err
	}
	part, err := slice(t, o.rows, o.columns)
	if err != nil {
		return Failed, err
	}
	if o.where != "" {
		if err := c.where(part, o.where); err != nil {
			return Failed, err
		}
	}
	if o.by != "" || o.agg != "" {
		if o.columns != "" {
			return Failed, errors.New("--columns is not for groups, whose columns --group-by and --agg name")
		}
		if err := c.grouped(part, o.by, cmp.Or(o.agg, "count")); err != nil {
			return Failed, err
		}
	}
	if part.labels = o.labels; o.labels && o.to != "csv" && o.to != "jsonl" {
		return Failed, fmt.Errorf("--labels is for csv and jsonl: the columns of %s have a type", o.to)
	}
	return Done, c.export(c.Out, part, o.to)
}

// asOf is a table as it was at a time that was given as text, or as it is where none was.
func asOf(ctx context.Context, t model.Table, text string) (model.Table, error) {
	if text == "" {
		return t, nil
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05.999999999", time.DateOnly} {
		if err == nil {
			break
		}
		var when time.Time
		if when, err = time.Parse(layout, text); err == nil {
			ms = when.UnixMilli()
		}
	}
	switch {
	case err != nil || ms < 0:
		return t, fmt.Errorf("--at %s: a time is ms since 1970, or a date as 2026-11-24 or 2026-11-24T12:30:00 (UTC)", text)
	case t.At == nil:
		return t, fmt.Errorf("--at %s: the table %s has no history", text, t.Name)
	}
	return t.At(ctx, ms), nil
}

// namesOf lists tables, for who named none of them.
func namesOf(tables []model.Table) string {
	var names []string
	for _, t := range tables[:min(len(tables), 20)] {
		names = append(names, t.Name)
	}
	if len(tables) > len(names) {
		names = append(names, fmt.Sprintf("and %d more", len(tables)-len(names)))
	}
	return none(strings.Join(names, ", "))
}

// shown is the tree whose tables are printed: of a damaged document, as it is after a repair that is proven, where that shows more and it is
// not wanted as it is.
func (c *call) shown(d *model.Document, asIs bool) (*model.Tree, error) {
	if asIs && d.Format == nil {
		return nil, of(c.args[0], model.ErrNoFormat)
	}
	found, _ := d.Tree.Findings()
	if asIs || d.Format != nil && !slices.ContainsFunc(found, func(f model.Finding) bool { return f.Grade() == model.Error }) {
		return d.Tree, nil
	}
	g, err := cause.Find(c.ctx, d, cause.Options{Formats: c.Formats, Tree: d.Tree, Progress: c.progress()})
	if err != nil {
		return nil, err
	}
	t, x := g.Shown(c.ctx)
	switch {
	case x != nil:
		linef(c.Err, "%s: %s\n  the rows are those of the file after repair 1: %s; the file itself is not changed (--as-is prints it unchanged)", c.args[0], g.Causes[0].Text, x.Label)
		return t, nil
	case d.Format == nil:
		return nil, of(c.args[0], model.ErrNoFormat)
	}
	return d.Tree, nil
}

// tables lists names, rows and columns.
func (c *call) tables(tables []model.Table) error {
	for _, t := range tables {
		var names, types []string
		for _, col := range t.Columns {
			names, types = append(names, col.Name), append(types, col.Type)
		}
		if c.json {
			if err := c.line(map[string]any{"kind": "table", "document": c.args[0], "name": t.Name, "title": t.Title, "rows": t.Rows, "columns": list(names), "types": list(types)}); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprintf(c.Out, "%s\t%d rows\t%s\n", model.OneLine(t.Name), t.Rows, model.OneLine(strings.Join(names, ", "))); err != nil {
			return err
		}
	}
	return nil
}

// part is rows and columns of a table.
type part struct {
	model.Table
	first, end int64
	pick       []int // indices of columns
	labels     bool  // names in place of the values that have one
}

func slice(t model.Table, rows, columns string) (*part, error) {
	p := &part{Table: t, end: t.Rows}
	if rows != "" {
		a, b, ok := strings.Cut(rows, ":")
		var err error
		if a != "" {
			p.first, err = strconv.ParseInt(a, 10, 64)
		}
		if err == nil && b != "" {
			p.end, err = strconv.ParseInt(b, 10, 64)
		}
		if err != nil || !ok || p.first < 0 || p.end < p.first {
			return nil, fmt.Errorf("--rows %s: A:B, the rows from A up to but not including B, counted from 0; 5:6 is row 5, 5: all from there on", rows)
		}
		p.first, p.end = min(p.first, t.Rows), min(p.end, t.Rows)
	}
	var err error
	p.pick, err = picked(t, columns)
	return p, err
}

// picked are the columns of a list of names, in its order: all of a name, as tables may have several. A name may hold commas.
func picked(t model.Table, list string) (pick []int, err error) {
	for i := 0; list == "" && i < len(t.Columns); i++ {
		pick = append(pick, i)
	}
	for list != "" {
		name := ""
		for _, col := range t.Columns {
			if rest, ok := strings.CutPrefix(list, col.Name); ok && (rest == "" || rest[0] == ',') && len(col.Name) > len(name) {
				name = col.Name
			}
		}
		if name == "" {
			name, _, _ = strings.Cut(list, ",")
			return nil, fmt.Errorf("--columns: %s has no column %q; it has %s", t.Name, name, columnNames(t))
		}
		for i, col := range t.Columns {
			if col.Name == name {
				pick = append(pick, i)
			}
		}
		list = strings.TrimPrefix(list[len(name):], ",")
	}
	return pick, nil
}

// columnNames lists columns, for who named none of them.
func columnNames(t model.Table) string {
	var names []string
	for _, col := range t.Columns[:min(len(t.Columns), 20)] {
		names = append(names, col.Name)
	}
	if more := len(t.Columns) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return none(strings.Join(names, ", "))
}

// Rows are read in pages of at most pageRows rows and about maxPage values.
const (
	pageRows = 4096
	maxPage  = 1 << 18
)

// sink takes the rows of an export.
type sink interface {
	Row(r model.Row) error
	Close() error
}

// export writes rows in a format to w.
func (c *call) export(w io.Writer, p *part, to string) error {
	buf := bufio.NewWriterSize(w, 256<<10)
	var s sink
	var err error
	switch to {
	case "csv":
		s, err = newCSV(buf, p), p.fits(c.out)
	case "jsonl":
		if s, err = newJSONLines(buf, p); err == nil {
			err = p.fits(c.out)
		}
	case "parquet", "arrow":
		if to == "parquet" {
			err = c.exportParquet(buf, p)
		} else {
			err = c.exportArrow(buf, p, seekless(c.out))
		}
		if err != nil {
			return err
		}
		return buf.Flush()
	default:
		err = fmt.Errorf("--to %s: csv, jsonl, parquet or arrow", to)
	}
	if err != nil {
		return err
	}
	progress := c.progress()
	page := p.Page(64) // grows while rows are small
	for at := p.first; at < p.end; {
		rows, err := p.Read(c.ctx, at, min(page, p.end-at))
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return fmt.Errorf("%s: row %d of %d cannot be read", p.Name, at, p.Rows)
		}
		values := 0
		for _, r := range rows {
			if p.labels {
				name(r)
			}
			if err := s.Row(r); err != nil {
				return fmt.Errorf("%s, row %d: %w", p.Name, at, err)
			}
			at++
			for i := range r {
				values += 1 + len(r[i].Items)
			}
		}
		switch {
		case values > maxPage && page > 1:
			page /= 2
		case values < maxPage/4 && page < pageRows:
			page *= 2
		}
		if progress != nil {
			progress(at-p.first, p.end-p.first, "writing rows")
		}
	}
	if err := s.Close(); err != nil {
		return err
	}
	return buf.Flush()
}

// seekless tells whether what is written goes to a reader that takes it as it comes: a pipe, a terminal, a device.
func seekless(out string) bool {
	st, err := os.Stat(out)
	return out == "" || out == "-" || err == nil && !st.Mode().IsRegular()
}

// fits tells of an export for which the disk has no room, however short the values are: each takes a byte at least, with what stands behind it. A
// file of a few bytes may say that it has any number of rows.
func (p *part) fits(out string) error {
	if seekless(out) {
		return nil
	}
	rows, columns := p.end-p.first, int64(max(1, len(p.pick)))
	if room, known := model.Room(filepath.Dir(out)); known && rows > room/columns {
		return fmt.Errorf("%s: %s of %s do not fit into the %s bytes that are left on the disk of %s: choose fewer rows", p.Name,
			model.Count(rows, "rows"), model.Count(columns, "columns"), model.Thousands(room), out)
	}
	return nil
}

// name puts names in place of the values that have one.
func name(r model.Row) {
	for i := range r {
		if !r[i].Vector && r[i].Label != "" {
			r[i].Value = model.S(r[i].Label)
		}
	}
}

// jsonLines writes one object a row, keys in the order of the columns.
type jsonLines struct {
	w    *bufio.Writer
	p    *part
	keys [][]byte
}

func newJSONLines(w *bufio.Writer, p *part) (*jsonLines, error) {
	j := &jsonLines{w: w, p: p}
	for _, i := range p.pick {
		key, err := model.MarshalLine(p.Columns[i].Name)
		if err != nil {
			return nil, err
		}
		j.keys = append(j.keys, append(key, ':'))
	}
	return j, nil
}

func (j *jsonLines) Row(r model.Row) error {
	j.w.WriteByte('{')
	for k, i := range j.p.pick {
		if k > 0 {
			j.w.WriteByte(',')
		}
		v, err := model.MarshalLine(r[i].JSON())
		if err != nil {
			return err
		}
		j.w.Write(j.keys[k])
		j.w.Write(v)
	}
	_, err := j.w.WriteString("}\n")
	return err
}

func (j *jsonLines) Close() error { return nil }

// csvRows writes RFC 4180 with a header; vectors are JSON arrays, missing values empty.
type csvRows struct {
	w   *csv.Writer
	p   *part
	row []string
}

func newCSV(w io.Writer, p *part) *csvRows {
	c := &csvRows{csv.NewWriter(w), p, make([]string, len(p.pick))}
	for k, i := range p.pick {
		c.row[k] = p.Columns[i].Name
	}
	c.w.Write(c.row)
	return c
}

func (c *csvRows) Row(r model.Row) error {
	for k, i := range c.p.pick {
		c.row[k] = ""
		switch cell := r[i]; {
		case cell.Trouble != "":
		case cell.Vector:
			b, err := json.Marshal(cell.JSON())
			if err != nil {
				return err
			}
			c.row[k] = string(b)
		case cell.Value.Kind == model.Bytes:
			c.row[k] = fmt.Sprint(cell.JSON())
		case cell.Value.Kind != model.None:
			c.row[k] = cell.Value.Text()
		}
	}
	return c.w.Write(c.row)
}

func (c *csvRows) Close() error {
	c.w.Flush()
	return c.w.Error()
}

// Export writes a table to a file, for the window: csv, jsonl, parquet or arrow. The file appears when it is complete.
func Export(ctx context.Context, path string, t model.Table, to string) error {
	p, err := slice(t, "", "")
	if err != nil {
		return err
	}
	c := &call{ctx: ctx, out: path, quiet: true}
	return c.output(func(w io.Writer) error { return c.export(w, p, to) })
}
