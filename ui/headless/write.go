package headless

import (
	"cmp"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/model/protected"
)

func set(f *flag.FlagSet, c *call) func() (int, error) {
	dry := f.Bool("dry-run", false, "print the byte changes and write nothing")
	table := f.String("table", "", "the arguments are ROW/COLUMN=VALUE of this table")
	from := f.String("from", "", "FILE of edits, one JSON object per line: {\"path\":…,\"value\":…}, or {\"table\":…,\"row\":…,\"column\":…,\"value\":…}; - is standard input")
	force := forceFlag(f)
	return func() (int, error) {
		if len(c.args) == 1 && *from == "" {
			return Failed, c.misused()
		}
		if len(c.args) == 1 && *table != "" {
			return Failed, errors.New("--table is for cells in the arguments; each line of --from names its own table")
		}
		d, err := c.withFormat(c.args[0])
		if err != nil {
			return Failed, err
		}
		edits, err := askedEdits(c, d, *table)
		if err == nil && *from != "" {
			var more []model.Edit
			more, err = editsFrom(c, d, *from)
			edits = append(edits, more...)
		}
		if err != nil {
			return Failed, of(c.args[0], err)
		}
		p, err := d.Plan(c.ctx, "set", edits...)
		if err != nil {
			return Failed, of(c.args[0], err)
		}
		return Done, change{call: c, d: d, dry: *dry}.whole(p, *force)
	}
}

// askedEdits makes the edits in the arguments: of fields, or of cells of a table.
func askedEdits(c *call, d *model.Document, table string) (edits []model.Edit, err error) {
	if table != "" {
		return cellEdits(c, d, table)
	}
	for _, a := range c.args[1:] {
		s, field, text, err := assignment(c, d, a)
		if err != nil {
			return nil, err
		}
		v, err := s.Field.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", where(d, s.Range), field, err)
		}
		edits = append(edits, model.SetValue(s, v))
	}
	return edits, nil
}

// cellEdits makes the edits of ROW/COLUMN=VALUE; rows count from 0, and a column is its name or its index.
func cellEdits(c *call, d *model.Document, name string) ([]model.Edit, error) {
	t, err := tableOf(c.ctx, c.args[0], d.Tree, name)
	if err != nil {
		return nil, err
	}
	var typed []model.Typed
	for _, a := range c.args[1:] {
		row, rest, ok := strings.Cut(a, "/")
		n, err := strconv.ParseInt(row, 10, 64)
		if !ok || err != nil || n < 0 || n >= t.Rows {
			return nil, fmt.Errorf("%q is not ROW/COLUMN=VALUE with a row from 0 to %d", a, t.Rows-1)
		}
		col, text := columnOf(t, rest)
		if col < 0 {
			name, _, _ = strings.Cut(rest, "=")
			return nil, fmt.Errorf("%s: %s has no column %q; it has %s", c.args[0], t.Name, name, columnNames(t))
		}
		typed = append(typed, model.Typed{Row: n, Column: col, Text: text})
	}
	return t.Edits(c.ctx, d.Tree, typed)
}

// columnOf parses COLUMN=VALUE. Both may contain more equal signs: COLUMN is the longest prefix that is a column's name, or an index.
func columnOf(t model.Table, a string) (col int, text string) {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i] != '=' {
			continue
		}
		if j := t.Column(a[:i]); j >= 0 {
			return j, a[i+1:]
		}
	}
	number, text, _ := strings.Cut(a, "=")
	if n, err := strconv.Atoi(number); err == nil && n >= 0 && n < len(t.Columns) {
		return n, text
	}
	return -1, ""
}

// assignment parses FIELD=VALUE. Both may contain more equal signs: FIELD is the shortest prefix that is a field.
func assignment(c *call, d *model.Document, a string) (s *model.Span, field, text string, err error) {
	for i := range len(a) {
		if a[i] != '=' {
			continue
		}
		found, missing := d.Tree.Find(c.ctx, a[:i])
		if missing == nil {
			return found, a[:i], a[i+1:], nil
		}
		if err == nil {
			err = missing
		}
	}
	if err == nil {
		err = fmt.Errorf("%q is not FIELD=VALUE", a)
	}
	return nil, "", "", err
}

// change is a run of a command that changes a document. A dry run prints the changed bytes and writes nothing.
type change struct {
	*call
	d   *model.Document
	dry bool
	// told means that the command itself reports what it changes, so that a dry run prints no bytes.
	told bool
	// removes means that the user asks for less to be read after it.
	removes bool
}

func forceFlag(f *flag.FlagSet) *bool {
	return f.Bool("force", false, "save even if a valid document becomes invalid, or if a new checksum hides damage")
}

// whole shows or makes a planned change and writes the document. One without errors must remain without, unless --force is given: a dry run only warns.
// Damage must not get a new checksum that hides it.
func (c change) whole(p *model.Plan, force bool) error {
	was, before := c.d.Tree, []string(nil)
	if !force {
		var err error
		if before, err = c.errors(); err != nil {
			return err
		}
	}
	if c.dry && !c.told {
		if err := c.patches(p); err != nil {
			return err
		}
	}
	c.d.Apply(c.ctx, p, nil)
	if !force {
		if err := c.accept(p, was, before); err != nil {
			return err
		}
	}
	for _, w := range p.Warnings {
		c.tell(answer{Kind: "warning", Message: w})
	}
	if c.dry {
		return c.d.Unread()
	}
	if err := c.store(); err != nil {
		return err
	}
	for _, n := range p.Notes {
		c.tell(answer{Kind: "note", Message: n})
	}
	return nil
}

// accept compares the errors before and after a change, and says what is new or no longer found; it returns an error if the change must not be saved.
func (c change) accept(p *model.Plan, was *model.Tree, before []string) error {
	after, err := c.errors()
	if err != nil {
		return err
	}
	hidden, err := model.Resummed(c.ctx, p, was, c.d.Tree)
	if err == nil && hidden == "" && len(before) > 0 && !c.removes {
		hidden, err = model.ReadsLess(c.ctx, was, c.d.Tree)
	}
	switch {
	case err != nil:
		return err
	case hidden != "":
		if !c.dry {
			return fmt.Errorf("%s: %s; fix it first, or --force saves it anyway", c.args[0], hidden)
		}
		c.tell(answer{Kind: "warning", Message: hidden})
	case len(before) == 0 && len(after) > 0 && !c.dry:
		why := strings.Join(append([]string{first(after)}, p.Warnings...), "; ")
		return fmt.Errorf("%s: the document would become invalid: %s; --force saves it anyway", c.args[0], why)
	case len(before) == 0 && len(after) > 0:
		c.tell(answer{Kind: "warning", Message: "the document would become invalid: " + first(after)})
	case len(before) > len(after):
		gone := slices.DeleteFunc(before, func(text string) bool { return slices.Contains(after, text) })
		if len(gone) > 0 {
			c.tell(answer{Kind: "warning", Message: "no longer found: " + first(gone) + ". Unless the change was meant to remove this, it only hides it"})
		}
	}
	return nil
}

// first is the first of some problems, with the number of others.
func first(problems []string) string {
	if more := len(problems) - 1; more > 0 {
		return problems[0] + model.Words(", and for %d more problems", more)
	}
	return problems[0]
}

// errors describes each error of the document.
func (c change) errors() (out []string, err error) {
	g, err := cause.Find(c.ctx, c.d, cause.Options{Formats: c.Formats, Time: -1, Tree: c.d.Tree})
	if err = cmp.Or(c.d.Unread(), err); err != nil {
		return nil, err
	}
	for i := range g.Findings {
		if f := &g.Findings[i]; f.Grade() == model.Error {
			out = append(out, f.Text())
		}
	}
	return out, nil
}

// store writes the document to -o, or back to its place.
func (c change) store() error {
	if err := c.d.Unread(); err != nil {
		return fmt.Errorf("%s: nothing was saved: %w", c.args[0], err)
	}
	if st, err := os.Stat(c.out); c.out == "-" || err == nil && !st.Mode().IsRegular() && !st.IsDir() {
		return c.output(func(w io.Writer) error { return cmp.Or(c.d.WriteTo(c.ctx, w), c.d.Unread()) })
	}
	switch {
	case c.out != "":
		if err := inFolder(c.out); err != nil {
			return err
		}
	case passes(c.args[0]):
		return fmt.Errorf("%s: a stream cannot be replaced: give the output file with -o", c.args[0])
	}
	saved, stale, err := protected.Save(c.ctx, c.d, model.SaveOptions{Out: c.out, NoBackup: c.noBackup, Upload: c.upload, Progress: c.progressOf("saving")})
	if stale != "" {
		c.aside("warning", stale)
	}
	if why := c.d.Unread(); err != nil && c.out != "" && why != nil {
		return why
	}
	if err != nil {
		return err
	}
	return c.tellSaved(saved)
}

// tellSaved says of each file how it was written; of many that were removed, only how many.
func (c change) tellSaved(saved []model.Saved) error {
	removed := 0
	for _, s := range saved {
		if s.Deleted {
			removed++
		}
		if s.Deleted && removed > mostRemoved && !c.json {
			continue
		}
		if err := c.tell(c.saved(s)); err != nil {
			return err
		}
	}
	if more := removed - mostRemoved; more > 0 && !c.json && !c.quiet {
		linef(c.Err, "%s", model.Words("%d more files removed", more))
	}
	return nil
}

// mostRemoved is how many removed files are printed for people.
const mostRemoved = 5

// saved says how a file was written.
func (c change) saved(s model.Saved) answer {
	a := answer{Kind: "saved", File: s.Path, How: "written", Message: "rewritten", Backup: s.Backup}
	switch {
	case s.Deleted:
		a.How, a.Message = "removed", "removed"
	case s.InPlace:
		a.How, a.Message = "in place", "changed in place"
	case c.upload:
		a.How, a.Message = "uploaded", "uploaded"
	case s.New:
		a.Message = "written"
	}
	if s.Backup != "" {
		a.Message += ", backup " + s.Backup
	}
	return a
}

// patches prints the byte changes of a plan.
func (c change) patches(p *model.Plan) error {
	for _, q := range p.Patches {
		was, is, n := "", "", int64(0)
		content, err := p.From.Content(q.File)
		if err == nil {
			was = some(content.ReadAt, q.Off, q.Del)
		}
		if q.With != nil {
			n = q.With.Len()
			is = some(q.With.ReadAt, 0, n)
		}
		data := map[string]any{"kind": "patch", "document": c.args[0], "file": q.File, "offset": q.Off, "length": q.Del, "new_length": n, "path": q.Path, "was": was, "is": is, "why": q.Why}
		path, text := cmp.Or(q.Path, fieldAt(c.d.Tree, q), "bytes"), none(is)
		if err != nil && is == "" {
			text = "an empty file"
		}
		if err := c.either(data, "%s 0x%08x %s: %s -> %s (%s)", q.File, q.Off, path, none(was), text, q.Why); err != nil {
			return err
		}
	}
	return nil
}

// fieldAt is the path of the field that a patch changes; "" if it changes several.
func fieldAt(t *model.Tree, q model.Patch) string {
	for _, s := range t.Spaces() {
		if s.File != q.File || s.Derived() {
			continue
		}
		if x := t.At(s.ID, q.Off); x != nil && q.Off+q.Del <= x.Range.End() {
			return x.Path()
		}
	}
	return ""
}

func some(read func([]byte, int64) (int, error), off, n int64) string {
	b := make([]byte, min(n, 32))
	k, _ := read(b, off)
	if n > 32 {
		return model.Words("%s… %d bytes", hex.EncodeToString(b[:k]), n)
	}
	return hex.EncodeToString(b[:k])
}

func none(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// apply applies one fix.
func (c change) apply(f *model.Fix) error {
	edits, err := f.Make(c.ctx, c.d.Tree)
	if err != nil {
		return err
	}
	p, err := c.d.Plan(c.ctx, f.Label, edits...)
	if err != nil {
		return err
	}
	if p.Empty() {
		return model.ErrNothing
	}
	if c.dry {
		if err := c.patches(p); err != nil {
			return err
		}
	}
	c.d.Apply(c.ctx, p, nil)
	return nil
}
