package headless

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spandrel/model"
	"spandrel/model/remote"
)

// A cataloguing makes a table of many datasets, with a row for each.
type cataloguing struct {
	*call
	batch  *batch
	to     string              // csv, jsonl, parquet or arrow; "": lines as they come
	since  time.Time           // unchanged files keep their rows
	old    map[string]*dataset // of the file that is written, by path
	rows   []*dataset
	status int
	saved  time.Time // when the rows were written last
}

// saveEvery bounds how much work is lost if the program is killed.
const saveEvery = time.Minute

func catalogue(f *flag.FlagSet, c *call) func() (int, error) {
	g := &cataloguing{call: c, batch: batched(f, c)}
	g.batch.known, g.batch.judge = g.unchanged, g.look
	f.StringVar(&g.to, "to", "", "csv, jsonl, parquet or arrow; with -o chosen by the file extension")
	since := f.String("changed-since", "", "TIME: only files changed since then, as ms since 1970 or a date like 2026-11-24 or 2026-11-24T12:30:00 (UTC); other rows of OUT stay")
	c.outUsage = "write the catalogue to this file; existing rows are kept if path, size and modification time are unchanged"
	return func() (status int, err error) {
		paths, err := g.batch.begin()
		if err != nil {
			return Failed, err
		}
		if *since != "" {
			ms, err := moment(*since)
			if err != nil {
				return Failed, fmt.Errorf("--changed-since %s: %w", *since, err)
			}
			g.since = time.UnixMilli(ms)
		}
		if err := g.readOld(); err != nil {
			return Failed, err
		}
		return g.catalogue(paths)
	}
}

// readOld determines the output, and reads the existing rows.
func (g *cataloguing) readOld() (err error) {
	if g.json && g.to == "" {
		return nil
	}
	switch inFile := !seekless(g.out); {
	case g.json && g.to != "jsonl":
		return fmt.Errorf("--json prints JSON lines, which conflicts with --to %s: use only one of them", g.to)
	case g.to == "" && inFile:
		if g.to = kindOfSource(g.out, nil); g.to == "" {
			g.to = strings.TrimPrefix(strings.ToLower(filepath.Ext(g.out)), ".")
		}
	}
	if g.to != "" && !slices.Contains([]string{"csv", "jsonl", "parquet", "arrow"}, g.to) {
		return fmt.Errorf("%s: a catalogue is csv, jsonl, parquet or arrow: set it with --to or the file extension", cmp.Or(g.out, "--to "+g.to))
	}
	if g.old = map[string]*dataset{}; !seekless(g.out) {
		g.old, err = catalogued(g.out, g.to)
	}
	return err
}

// catalogue examines the datasets and writes their rows; after an interruption those examined so far, so that the same command continues.
func (g *cataloguing) catalogue(paths []string) (int, error) {
	g.saved = time.Now()
	err := g.batch.each(paths, g.add)
	g.batch.step("")
	switch {
	case g.ctx.Err() != nil:
		return g.interrupted()
	case err != nil:
		return Failed, err
	}
	if g.to == "" {
		return g.status, nil
	}
	return g.status, g.write(g.ctx, g.Out, g.rows)
}

// add adds the row of a document, or one with the error that prevented reading it.
func (g *cataloguing) add(j *job) error {
	if g.ctx.Err() != nil {
		return g.ctx.Err()
	}
	if j.err != nil {
		j.row = failed(j.path, j.err)
	}
	if j.row == nil {
		return nil
	}
	if j.row.state != stateOK && j.row.state != stateWarnings {
		g.status = Found
	}
	switch {
	case g.to != "":
		g.rows = append(g.rows, j.row)
		if time.Since(g.saved) < saveEvery || seekless(g.out) {
			return nil
		}
		defer func() { g.saved = time.Now() }()
		return g.output(func(w io.Writer) error { return g.write(g.ctx, w, g.unfinished()) })
	case g.json:
		return g.line(j.row.line())
	}
	_, err := fmt.Fprintln(g.Out, j.row.text())
	return err
}

// unfinished are the new rows, followed by the old rows of documents not examined yet.
func (g *cataloguing) unfinished() []*dataset {
	left := maps.Clone(g.old)
	for _, d := range g.rows {
		delete(left, d.path)
	}
	return append(slices.Clone(g.rows), model.Map(slices.Sorted(maps.Keys(left)), func(path string) *dataset { return left[path] })...)
}

// interrupted saves what has been done.
func (g *cataloguing) interrupted() (int, error) {
	if g.to == "" || seekless(g.out) {
		return Failed, g.ctx.Err()
	}
	if err := g.write(context.WithoutCancel(g.ctx), g.Out, g.unfinished()); err != nil {
		return Failed, err
	}
	return Failed, linef(g.Err, "spandrel: stopped after %s; run the same command again to continue", model.Count(int64(len(g.rows)), "datasets"))
}

func (g *cataloguing) write(ctx context.Context, w io.Writer, rows []*dataset) error {
	p, err := slice(datasets(rows), "", "")
	if err != nil {
		return err
	}
	one := *g.call
	one.ctx, one.many = ctx, true // progress is that of the datasets
	return exportTo(&one, w, p, g.to)
}

// unchanged reuses the existing row of an intact single-file dataset without opening it. A file that others belong to is opened, to find out which.
func (g *cataloguing) unchanged(j *job) bool {
	old := g.old[j.path]
	if old == nil || old.files != 1 || old.state != stateOK || remote.Is(j.path) {
		return false
	}
	st, err := os.Stat(j.path)
	if err != nil || !st.Mode().IsRegular() {
		return false
	}
	if !st.ModTime().Before(g.since) && !old.same(extent{names: []string{""}, size: st.Size(), changed: st.ModTime()}) {
		return false
	}
	j.row = old
	return true
}

// same tells whether a row describes files in their present state.
func (d *dataset) same(x extent) bool {
	return d.state != stateUnreadable && d.files == int64(len(x.names)) && d.size == x.size && d.modified != "" && d.modified == x.modified()
}

// look makes the row of an open document.
func (g *cataloguing) look(one *call, j *job) (int, error) {
	x, err := extentOf(g.ctx, j.d, j.path)
	if err != nil {
		return Failed, err
	}
	old := g.old[j.path]
	if old != nil && old.same(x) || !x.changed.IsZero() && x.changed.Before(g.since) {
		j.row = old
		return Done, nil
	}
	facts, err := one.diagnose(j.d, j.d.Tree, g.batch.search)
	if err != nil {
		return Failed, err
	}
	d := &dataset{path: j.path, files: int64(len(x.names)), size: x.size, modified: x.modified()}
	if facts.Format != nil {
		d.format = facts.Format.Name
	}
	known := model.FactsOf(g.ctx, facts.Tree)
	d.version, d.shape, d.rows, d.columns = known.Version, known.Shape, known.Rows, known.Columns
	d.judge(facts)
	if !j.d.Remote() {
		if d.fingerprint, err = x.fingerprint(g.ctx, g.batch.search.deep); err != nil {
			return Failed, err
		}
	}
	j.row = d
	return Done, g.ctx.Err()
}
