package headless

import (
	"encoding/hex"
	"flag"
	"fmt"
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
	elements := f.String("elements", "64", "elements to show of each array, or all")
	f.BoolVar(&o.All, "all", false, "open every compressed block and decode it")
	f.BoolVar(&o.Nested, "tree", false, "with --json: one value for the whole tree, with what is below a span in its list spans")
	return func() (int, error) {
		if o.JSON, o.Document = c.json, c.args[0]; o.Depth < -1 {
			return Failed, fmt.Errorf("--depth %d: levels below the start, 0 or more", o.Depth)
		}
		n, err := strconv.ParseUint(*elements, 10, 63)
		if o.Elements = int64(n); *elements == "all" {
			o.Elements = -1
		} else if err != nil {
			return Failed, fmt.Errorf("--elements %s: a number, or all", *elements)
		}
		d, err := c.open(c.args[0])
		if err != nil {
			return Failed, err
		}
		s, err := d.Tree.Find(c.ctx, *start)
		if err != nil {
			return Failed, of(c.args[0], err)
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
	return verdictOf(found)
}

// verdictOf is the exit status for some findings.
func verdictOf(found []model.Finding) int {
	if slices.ContainsFunc(found, func(f model.Finding) bool { return f.Grade() == model.Error }) {
		return Found
	}
	return Done
}

// deep runs the format's deep checks, and opens the frames that are still closed, because reading a frame checks it. It keeps one
// frame at a time in memory.
func (c *call) deep(d *model.Document) error {
	if err := d.Deep(c.ctx, c.progress()); err != nil {
		return err
	}
	if err := d.Tree.Walk(c.ctx, d.Tree.Root, maxWalk); err != nil {
		return err
	}
	return d.Tree.CheckSums(c.ctx)
}

// maxWalk is how many elements of one array a deep check opens: fixed-size elements need no reading, and formats
// check the others themselves.
const maxWalk = 1 << 20

func get(_ *flag.FlagSet, c *call) func() (int, error) {
	return func() (int, error) {
		d, err := c.open(c.args[0])
		if err != nil {
			return Failed, err
		}
		for _, path := range c.args[1:] {
			values, err := valuesAt(c, d, path)
			if err != nil {
				return Failed, of(c.args[0], err)
			}
			for _, v := range values {
				if err := c.value(v); err != nil {
					return Failed, err
				}
			}
		}
		return Done, nil
	}
}

// valuesAt are those at a path: of a field, or of some elements of an array or of a table's rows, as in variables["w"][0:3].
func valuesAt(c *call, d *model.Document, path string) ([]model.Value, error) {
	s, err := d.Tree.Find(c.ctx, path)
	if err == nil {
		v, err := valueAt(c, d, path, s)
		return []model.Value{v}, err
	}
	part := elementsAsked().FindStringSubmatch(path)
	if part == nil {
		return nil, err
	}
	if s, missing := d.Tree.Find(c.ctx, part[1]); missing == nil && s.Shape == model.Array {
		return elementsAt(c, d, part, s)
	}
	name := part[1]
	if list, key, ok := strings.Cut(name, `["`); ok && list != "" {
		name = strings.TrimSuffix(key, `"]`)
	}
	t, missing := tableOf(c.ctx, c.args[0], d.Tree, name)
	if missing != nil {
		return nil, err
	}
	p, err := slice(t, part[2], "")
	if err != nil {
		return nil, err
	}
	var out []model.Value
	err = t.Each(c.ctx, p.first, p.end, nil, func(_ int64, r model.Row) error {
		out = append(out, r[len(r)-1].Value)
		return nil
	})
	return out, err
}

var elementsAsked = model.Pattern(`^(.+)\[(\d*:\d*)\]$`)

// elementsAt are the values of some elements of an array.
func elementsAt(c *call, d *model.Document, part []string, s *model.Span) (out []model.Value, err error) {
	if err := d.Tree.Open(c.ctx, s); err != nil {
		return nil, err
	}
	p, err := slice(model.Table{Rows: s.Count()}, part[2], "")
	if err != nil {
		return nil, err
	}
	for i := p.first; i < p.end; i++ {
		k := s.Child(i)
		v, err := valueAt(c, d, k.Path(), k)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// valueAt is the value of a field.
func valueAt(c *call, d *model.Document, path string, s *model.Span) (model.Value, error) {
	if s.Shape != model.Leaf {
		return model.Value{}, fmt.Errorf("%s at 0x%x is not a single value", path, s.Range.Off)
	}
	if s.Range.Len > model.MaxValue {
		return model.Value{}, fmt.Errorf("%s at 0x%x has %d bytes: only values of at most %d are printed", path, s.Range.Off, s.Range.Len, int64(model.MaxValue))
	}
	v, err := d.Tree.Value(c.ctx, s)
	if err != nil {
		err = fmt.Errorf("%s at 0x%x: %w", path, s.Range.Off, err)
	}
	return v, err
}

// value prints a value.
func (c *call) value(v model.Value) error {
	if c.json {
		return c.line(v.JSON())
	}
	text := v.Text()
	if v.Kind == model.Bytes {
		text = hex.EncodeToString([]byte(text)) // as set takes it
	}
	_, err := fmt.Fprintln(c.Out, text)
	return err
}

func shot(f *flag.FlagSet, c *call) func() (int, error) {
	o := ShotOptions{}
	size := f.String("size", "1600x1000", "WxH in units")
	f.StringVar(&o.Theme, "theme", "light", "light or dark")
	f.StringVar(&o.Select, "select", "", "select this field")
	f.StringVar(&o.Pane, "pane", "", "show this tab: table, problems, coverage, changes, find or graph")
	f.Float64Var(&o.Scale, "scale", 1, "pixels per unit")
	return func() (int, error) {
		if c.out == "" {
			return Failed, fmt.Errorf("shot: give the output file with -o FILE.png")
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

// contract is the version of what --json prints, as docs/schema says: it counts up if a field gets another meaning or goes. New fields are no reason.
const contract = 1

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
			return Done, c.line(map[string]any{"kind": "version", "version": c.Version, "contract": contract, "commit": commit, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
		}
		_, err := fmt.Fprintf(c.Out, "spandrel %s (commit %s) %s %s/%s\n", c.Version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return Done, err
	}
}
