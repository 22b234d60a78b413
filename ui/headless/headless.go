// Package headless is the program without a window: its commands, for scripts, tests and servers. Names and output are a
// contract that other programs are written against: a change needs a new field or a new command, never another meaning.
package headless

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"spandrel/model"
)

// Exit statuses. Nothing is ever written on Failed.
const (
	Done   = 0 // and no problem of severity error
	Found  = 1 // done, and there are errors, differences or unfixed errors
	Failed = 2 // could not be done
)

// ShotOptions says what `shot` draws.
type ShotOptions struct {
	Theme, Select, Pane string
	Width, Height       int
	Scale               float64
}

// Env is what commands run with.
type Env struct {
	Formats  []*model.Format
	In       io.Reader
	Out, Err io.Writer
	Version  string
	// Shot draws the window off screen as a PNG; nil in a build without a window.
	Shot func(path string, o ShotOptions, w io.Writer) error
}

// command is one command: its usage, and a function that declares flags and returns what runs after they are read. What edits
// takes -o for the edited file, other commands for what they print.
type command struct {
	name, usage, doc string
	setup            func(f *flag.FlagSet, c *call) func() (int, error)
	edits            bool
}

var commands = []command{
	{"dump", "dump [flags] PATH", "prints the span tree: offset, bytes, name, value", dump, false},
	{"check", "check [flags] PATH…", "prints problems", check, false},
	{"fix", "fix [flags] PATH", "applies every fix that has one possible answer", fix, true},
	{"get", "get PATH FIELD", "prints one value", get, false},
	{"set", "set [flags] PATH FIELD=VALUE…", "edits fields, lays the file out again, saves", set, true},
	{"table", "table [flags] PATH [TABLE]", "lists the tables, or prints one", table, false},
	{"diff", "diff A B", "compares two documents field by field", diff, false},
	{"convert", "convert [flags] PATH ACTION [NAME=VALUE…]", "runs a structural action of the format and saves", convert, true},
	{"shot", "shot PATH -o FILE.png", "draws the window off screen", shot, false},
	{"formats", "formats", "lists the formats", formats, false},
	{"version", "version", "prints version, commit, Go and platform", version, false},
}

// Known tells whether a word is a command, and not a file to open in the window.
func Known(word string) bool {
	for _, c := range commands {
		if c.name == word {
			return true
		}
	}
	return asksHelp(word)
}

func asksHelp(word string) bool { return word == "help" || word == "-h" || word == "--help" }

// call is one run of a command.
type call struct {
	Env
	ctx  context.Context
	args []string // without flags

	out, format     string
	noBackup, quiet bool
	json            bool
}

// Run runs the command that args begin with and returns the exit status.
func Run(env Env, args []string) int {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if len(args) == 0 || !Known(args[0]) {
		usage(env)
		return Failed
	}
	if asksHelp(args[0]) {
		usage(env)
		return Done
	}
	for _, cmd := range commands {
		if cmd.name != args[0] {
			continue
		}
		c := &call{Env: env, ctx: ctx}
		f := flag.NewFlagSet(cmd.name, flag.ContinueOnError)
		f.SetOutput(io.Discard)
		f.StringVar(&c.out, "o", "", "write there instead of replacing PATH")
		f.StringVar(&c.format, "format", "", "skip detection")
		f.BoolVar(&c.noBackup, "no-backup", false, "keep no copy of the old file")
		f.BoolVar(&c.quiet, "quiet", false, "no progress")
		f.BoolVar(&c.json, "json", false, "one JSON object a line")
		run := cmd.setup(f, c)
		if !cmd.edits {
			run = printed(c, run)
		}
		status, err := Failed, c.parse(f, args[1:])
		if err == nil {
			err = model.Contain(func() (err error) { status, err = run(); return err })
		} else {
			err = fmt.Errorf("%w; usage: spandrel %s", err, cmd.usage)
		}
		if err != nil {
			fmt.Fprintf(env.Err, "spandrel: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
			return Failed
		}
		return status
	}
	return Failed
}

func usage(env Env) {
	fmt.Fprintln(env.Err, "usage: spandrel [PATH…]         open the window")
	for _, c := range commands {
		fmt.Fprintf(env.Err, "       spandrel %-42s %s\n", c.usage, c.doc)
	}
	fmt.Fprintln(env.Err, "flags of all commands: -o OUT, --format NAME, --no-backup, --quiet, --json; PATH - is standard input")
}

// parse reads flags wherever they stand among the words; after "--" there are words only.
func (c *call) parse(f *flag.FlagSet, args []string) error {
	var words []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, words = args[:i], args[i+1:]
	}
	defer func() { c.args = append(c.args, words...) }()
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			return err
		}
		args = f.Args()
		for len(args) > 0 && (!strings.HasPrefix(args[0], "-") || args[0] == "-") {
			c.args, args = append(c.args, args[0]), args[1:]
		}
	}
	return nil
}

// need returns the words when there are at least least and at most most of them (most < 0: any number).
func (c *call) need(least, most int, what string) error {
	if len(c.args) < least || most >= 0 && len(c.args) > most {
		return fmt.Errorf("usage: spandrel %s", what)
	}
	return nil
}

// maxStdin is how much is read from standard input.
const maxStdin = 1 << 30

// open opens a file or folder, or standard input for "-".
func (c *call) open(path string) (*model.Document, error) {
	var force *model.Format
	if c.format != "" {
		for _, f := range c.Formats {
			if f.Name == c.format {
				force = f
			}
		}
		if force == nil {
			return nil, fmt.Errorf("no format %q", c.format)
		}
	}
	if path != "-" {
		return model.Open(c.ctx, path, c.Formats, force)
	}
	b, err := io.ReadAll(io.LimitReader(c.In, maxStdin+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxStdin {
		return nil, fmt.Errorf("standard input has more than %d bytes", maxStdin)
	}
	return model.OpenBytes(c.ctx, "stdin", b, c.Formats, force)
}

// withFormat is open for commands that need to know what the file is.
func (c *call) withFormat(path string) (*model.Document, error) {
	d, err := c.open(path)
	if err == nil && d.Format == nil {
		d.Close()
		return nil, fmt.Errorf("%s: %w", path, model.ErrNoFormat)
	}
	return d, err
}

// progress returns a function that shows progress on standard error, or nil when nobody looks.
func (c *call) progress() func(done, total int64, what string) {
	f, ok := c.Err.(*os.File)
	if !ok || c.quiet {
		return nil
	}
	if st, err := f.Stat(); err != nil || st.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	last := int64(-1)
	return func(done, total int64, what string) {
		if total > 0 && done*100/total != last {
			last = done * 100 / total
			fmt.Fprintf(f, "\r%s %d %%\x1b[K", what, last)
			if done >= total {
				fmt.Fprint(f, "\r\x1b[K")
			}
		}
	}
}

func formats(_ *flag.FlagSet, c *call) func() (int, error) {
	return func() (int, error) {
		for _, f := range c.Formats {
			var can []string
			for _, a := range f.Actions {
				can = append(can, a.Name)
			}
			sort.Strings(can)
			if !c.json {
				fmt.Fprintf(c.Out, "%-10s %-36s %s\n", f.Name, f.Title, strings.Join(f.Exts, " "))
				continue
			}
			if err := c.line(map[string]any{"name": f.Name, "title": f.Title, "doc": f.Doc, "extensions": list(f.Exts), "mime": list(f.MIME),
				"folders": f.Dataset != nil && f.Dataset.Detect != nil, "companions": f.Dataset != nil && f.Dataset.Beside, "tables": f.Tables != nil, "deep": f.Deep != nil, "rules": len(f.Rules.All()), "actions": list(can)}); err != nil {
				return Failed, err
			}
		}
		return Done, nil
	}
}

// list makes an empty list print as [] and not as null.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// where names a file and an offset for an error of one line.
func where(d *model.Document, r model.Range) string {
	name := d.Tree.FileName(r)
	if name == "" {
		name = filepath.Base(d.Path)
	}
	return fmt.Sprintf("%s at 0x%x", name, r.Off)
}
