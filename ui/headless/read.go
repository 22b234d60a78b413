package headless

import (
	"cmp"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
)

// line prints one JSON object.
func (c *call) line(v any) error {
	b, err := model.MarshalLine(v)
	if err != nil {
		return err
	}
	_, err = c.Out.Write(append(b, '\n'))
	return err
}

func dump(f *flag.FlagSet, c *call) func() (int, error) {
	o := model.DumpOptions{}
	start := f.String("path", "", "start there")
	f.IntVar(&o.Depth, "depth", -1, "levels below the start")
	elements := f.String("elements", "64", "how many of each array, or all")
	f.BoolVar(&o.All, "all", false, "open every frame and decode every space")
	return func() (int, error) {
		if err := c.need(1, 1, "dump PATH"); err != nil {
			return Failed, err
		}
		o.JSON = c.json
		if o.Elements = -1; *elements != "all" {
			n, err := strconv.ParseInt(*elements, 10, 64)
			if err != nil || n < 0 {
				return Failed, fmt.Errorf("--elements %s: a number, or all", *elements)
			}
			o.Elements = n
		}
		d, err := c.open(c.args[0])
		if err != nil {
			return Failed, err
		}
		defer d.Close()
		s, err := d.Tree.Find(c.ctx, *start)
		if err != nil {
			return Failed, fmt.Errorf("%s: %w", c.args[0], err)
		}
		if err := d.Tree.Dump(c.ctx, c.Out, s, o); err != nil {
			return Failed, err
		}
		return status(d), nil
	}
}

// status is the exit status for a document that was read: whether it has an error.
func status(d *model.Document) int {
	found, _ := d.Tree.Findings()
	for i := range found {
		if found[i].Grade() == model.Error {
			return Found
		}
	}
	return Done
}

// problem is a line of `check --json`.
type problem struct {
	Rule     string       `json:"rule"`
	Severity string       `json:"severity"`
	Path     string       `json:"path"`
	File     string       `json:"file"`
	Space    string       `json:"space"`
	Offset   int64        `json:"offset"`
	Length   int64        `json:"length"`
	Found    string       `json:"found"`
	Expected string       `json:"expected"`
	Message  string       `json:"message"`
	Fixes    []problemFix `json:"fixes"`
}

type problemFix struct {
	Label string `json:"label"`
	Safe  bool   `json:"safe"`
	Loses string `json:"loses,omitempty"`
}

func check(f *flag.FlagSet, c *call) func() (int, error) {
	deep := f.Bool("deep", false, "also the checks that read everything")
	return func() (int, error) {
		if err := c.need(1, -1, "check PATH…"); err != nil {
			return Failed, err
		}
		worst := Done
		var failed []error // what cannot be read keeps nothing else from being checked
		for _, path := range c.args {
			status, err := c.check(path, *deep)
			if worst = max(worst, status); err != nil {
				failed = append(failed, err)
			}
			if c.ctx.Err() != nil {
				break
			}
		}
		return worst, errors.Join(failed...)
	}
}

// check prints the problems of one document.
func (c *call) check(path string, deep bool) (int, error) {
	d, err := c.open(path)
	if err != nil {
		return Failed, err
	}
	defer d.Close()
	if deep {
		if err := c.deep(d); err != nil {
			return Failed, fmt.Errorf("%s: %w", path, err)
		}
	}
	return status(d), c.problems(d, path)
}

// deep runs the format's deep checks, and opens the frames that are still closed: reading a frame checks it. A walk holds one
// frame at a time.
func (c *call) deep(d *model.Document) error {
	if err := d.Deep(c.ctx, c.progress()); err != nil {
		return err
	}
	if err := d.Tree.Walk(c.ctx, d.Tree.Root, maxWalk); err != nil {
		return err
	}
	return d.Tree.CheckSums(c.ctx)
}

// maxWalk is how many elements of one array are opened by a deep check: those of fixed stride need no reading, and formats
// check the others themselves.
const maxWalk = 1 << 20

func (c *call) problems(d *model.Document, path string) error {
	found, omitted := d.Tree.Findings()
	slices.SortStableFunc(found, func(a, b model.Finding) int { // whichever worker found it first
		return cmp.Or(d.Tree.Order(a.Where(), b.Where()), strings.Compare(a.Rule.ID, b.Rule.ID))
	})
	capped := slices.SortedFunc(maps.Keys(omitted), func(a, b *model.Rule) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range capped {
		found = append(found, model.Finding{Rule: model.RuleCap, Message: fmt.Sprintf("%d more findings of %s are not listed", omitted[r], r.ID)})
	}
	for i := range found {
		p := c.describe(d, &found[i])
		if c.json {
			if err := c.line(p); err != nil {
				return err
			}
			continue
		}
		at := fmt.Sprintf("%s:0x%x+%d", path, p.Offset, p.Length)
		if p.Space != "file" {
			at = fmt.Sprintf("%s[%s]:0x%x+%d", path, p.Space, p.Offset, p.Length)
		}
		text := fmt.Sprintf("%s: %s %s: %s", at, p.Severity, p.Rule, p.Message)
		if p.Path != "" {
			text += " (" + p.Path + ")"
		}
		if p.Found != "" && found[i].Rule != model.RuleInternal {
			text += "; found " + p.Found
		}
		if p.Expected != "" {
			text += ", expected " + p.Expected
		}
		for _, f := range p.Fixes {
			text += "; fix: " + f.Label
		}
		if _, err := fmt.Fprintln(c.Out, text); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) describe(d *model.Document, f *model.Finding) problem {
	r := f.Where()
	p := problem{Rule: f.Rule.ID, Severity: f.Grade().String(), Path: f.Path(), File: d.Tree.FileName(r), Space: "file",
		Offset: r.Off, Length: r.Len, Found: f.Found, Expected: f.Expected, Message: f.Text(), Fixes: []problemFix{}}
	if p.File == "" {
		p.File = filepath.Base(d.Path)
	}
	if s := d.Tree.Space(r.Space); s != nil {
		p.Space = s.Name()
	}
	fixes := d.Tree.Fixes(c.ctx, f)
	safe := d.Tree.Safe(f, fixes)
	for i := range fixes {
		p.Fixes = append(p.Fixes, problemFix{fixes[i].Label, &fixes[i] == safe, fixes[i].Loses})
	}
	return p
}

func get(_ *flag.FlagSet, c *call) func() (int, error) {
	return func() (int, error) {
		if err := c.need(2, 2, "get PATH FIELD"); err != nil {
			return Failed, err
		}
		d, err := c.open(c.args[0])
		if err != nil {
			return Failed, err
		}
		defer d.Close()
		s, err := d.Tree.Find(c.ctx, c.args[1])
		if err != nil {
			return Failed, fmt.Errorf("%s: %w", c.args[0], err)
		}
		if s.Shape != model.Leaf {
			return Failed, fmt.Errorf("%s: %s at 0x%x is not a single value", c.args[0], c.args[1], s.Range.Off)
		}
		if s.Range.Len > model.MaxValue {
			return Failed, fmt.Errorf("%s: %s at 0x%x has %d bytes: values of at most %d are printed", c.args[0], c.args[1], s.Range.Off, s.Range.Len, int64(model.MaxValue))
		}
		v, err := d.Tree.Value(c.ctx, s)
		if err != nil {
			return Failed, fmt.Errorf("%s: %s at 0x%x: %w", c.args[0], c.args[1], s.Range.Off, err)
		}
		if c.json {
			return Done, c.line(v.JSON())
		}
		text := v.Text()
		if v.Kind == model.Bytes {
			text = hex.EncodeToString([]byte(text)) // as set takes it
		}
		_, err = fmt.Fprintln(c.Out, text)
		return Done, err
	}
}

func shot(f *flag.FlagSet, c *call) func() (int, error) {
	o := ShotOptions{}
	size := f.String("size", "1600x1000", "WxH in units")
	f.StringVar(&o.Theme, "theme", "light", "light or dark")
	f.StringVar(&o.Select, "select", "", "select this field")
	f.StringVar(&o.Pane, "pane", "", "show this tab: table, problems, coverage, changes, find or graph")
	f.Float64Var(&o.Scale, "scale", 1, "pixels a unit")
	return func() (int, error) {
		if err := c.need(1, 1, "shot PATH -o FILE.png"); err != nil {
			return Failed, err
		}
		if c.out == "" {
			return Failed, fmt.Errorf("shot: say where with -o FILE.png")
		}
		if c.Shot == nil {
			return Failed, fmt.Errorf("shot: this build has no window")
		}
		if _, err := fmt.Sscanf(*size, "%dx%d", &o.Width, &o.Height); err != nil || o.Width < 100 || o.Height < 100 || o.Width > 16384 || o.Height > 16384 {
			return Failed, fmt.Errorf("--size %s: WxH, from 100x100 to 16384x16384", *size)
		}
		if o.Scale < 0.5 || o.Scale > 4 {
			return Failed, fmt.Errorf("--scale %g: 0.5 to 4", o.Scale)
		}
		return Done, c.Shot(c.args[0], o, c.Out)
	}
}

func version(_ *flag.FlagSet, c *call) func() (int, error) {
	return func() (int, error) {
		commit := "unknown"
		if info, ok := debug.ReadBuildInfo(); ok {
			for _, s := range info.Settings {
				if s.Key == "vcs.revision" {
					commit = s.Value
				}
			}
		}
		if c.json {
			return Done, c.line(map[string]string{"version": c.Version, "commit": commit, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
		}
		_, err := fmt.Fprintf(c.Out, "spandrel %s (commit %s) %s %s/%s\n", c.Version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return Done, err
	}
}
