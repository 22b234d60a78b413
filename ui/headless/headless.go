// Package headless is the program without a window: its commands, for scripts, tests and servers. Names and output are a
// contract for other programs: a change needs a new field or a new command, never another meaning.
package headless

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"spandrel/model"
	"spandrel/model/remote"
)

// Exit statuses. Nothing is ever written on Failed.
const (
	Done   = 0 // and no problem of severity error
	Found  = 1 // done, and there are errors, differences or unfixed errors
	Failed = 2 // could not be done
)

// ShotOptions says what a screenshot shows.
type ShotOptions struct {
	Theme         string  // light or dark
	Select        string  // path of the field that is selected
	Pane          string  // the tab at the bottom that is shown, by its title in lower case; "" is as in the window
	Width, Height int     // in units; 0: 1600x1000
	Scale         float64 // pixels a unit; 0: 1
}

// Env is the environment of commands.
type Env struct {
	Formats  []*model.Format
	In       io.Reader
	Out, Err io.Writer
	Version  string
	// Icon is the icon of the window, as a PNG; nil in a build without one.
	Icon []byte
	// Shot draws the window off screen as a PNG; nil in a build without a window.
	Shot func(path string, o ShotOptions, w io.Writer) error

	kept *shelf // documents that stay open between commands; nil: none do
}

// command is one command: its usage, and a function that declares flags and returns what runs after they are parsed. A command that edits
// takes -o for the edited file, others for their output.
type command struct {
	name, usage, doc string
	setup            func(f *flag.FlagSet, c *call) func() (int, error)
	edits            bool
	example          string // one or two calls of it
}

var commands = []command{
	{"dump", "dump [flags] PATH", "prints the span tree: offset, bytes, name, value", dump, false, "spandrel dump train.taridx\nspandrel dump --json --path header train.taridx"},
	{"check", "check [flags] [PATH…]", "reports problems and their causes; for a folder, in all of its files", check, false,
		"spandrel check --deep model.sdz\nspandrel check --json *.idv\nspandrel check --deep --format junit -o report.xml data"},
	{"catalogue", "catalogue [flags] [PATH…] -o OUT.parquet", "lists every dataset in folders as a table with one row each: its format, content and condition", catalogue, false,
		"spandrel catalogue data -o data.parquet\nspandrel catalogue --shard 2/8 --changed-since 2026-11-24 /mnt/data -o share2.parquet"},
	{"explain", "explain [flags] [PATH] [MESSAGE…]", "explains an error message of a reader, and finds its reason in the file; reads a stack trace from standard input", explain, false,
		"spandrel explain train.npy cannot reshape array of size 50032 into shape\nspandrel explain model.safetensors < trace.txt"},
	{"fix", "fix [flags] PATH", "applies repairs that are proven and lossless", fix, true, "spandrel fix --dry-run train.idv\nspandrel fix -o repaired.idv train.idv"},
	{"salvage", "salvage [--dry-run] PATH -o OUT", "saves the readable data as a new, checked document", salvage, true,
		"spandrel salvage --dry-run cut.taridx\nspandrel salvage cut.taridx -o saved.taridx"},
	{"protect", "protect [flags] PATH", "writes protection data beside a file or folder, which check uses to find damage and fix to repair it", protect, false,
		"spandrel protect model.sdz\nspandrel protect --percent 10 archive"},
	{"get", "get PATH FIELD…", "prints values, one per line", get, false, "spandrel get train.taridx header/n_rows header/flags\nspandrel get train.idv 'columns[\"Age\"]/compression'\nspandrel get model.fb 'variables[\"w\"][0:3]'"},
	{"set", "set [flags] PATH [FIELD=VALUE…]", "edits fields, updates the layout and saves", set, true, "spandrel set --table rows train.idv 0/Age=12\nspandrel set train.taridx --from edits.jsonl"},
	{"table", "table [flags] PATH [TABLE]", "lists the tables, prints one, or imports rows from a file", table, true,
		"spandrel table train.idv\nspandrel table --rows 0:10 --to csv train.idv rows\nspandrel table train.idv rows --from new.parquet --key Id --dry-run"},
	{"diff", "diff [flags] A B", "compares the content of two documents; with --layout also how it is stored", diff, false, "spandrel diff old.idv new.idv\nspandrel diff --key Id --stat old.idv new.idv"},
	{"merge", "merge [flags] BASE A B -o OUT", "merges the changes that A and B made to BASE; reports conflicts", merge, true,
		"spandrel merge base.idv mine.idv theirs.idv -o merged.idv\nspandrel merge --key Id --prefer a --dry-run base.idv mine.idv theirs.idv"},
	{"convert", "convert [flags] PATH [ACTION [NAME=VALUE…]]", "runs a structural action of the format and saves", convert, true, "spandrel convert train.idv\nspandrel convert --path 'columns[\"Years\"]' train.idv rename-column name=Age"},
	{"find", "find [flags] PATH WHAT", "finds text, bytes, numbers, expressions or fields", find, false, "spandrel find train.taridx img0001\nspandrel find --number u32le train.idv 1350\nspandrel find --bytes model.fb '08 00 ?? 00'"},
	{"report", "report [flags] PATH -o OUT.html", "writes an HTML report of causes and findings, with the bytes around them", pageOf, false, "spandrel report train.idv -o train.html"},
	{"slice", "slice PATH -o OUT", "writes the smallest document with the same findings, without its content, for a bug report", slim, true, "spandrel slice cut.taridx -o small.taridx"},
	{"rules", "rules [FORMAT|ID]", "explains the rules: what they mean, why they matter and what breaks them", rules, false, "spandrel rules taridx\nspandrel rules TIX-022"},
	{"recover", "recover [--finish|--undo] PATH", "finishes or undoes an interrupted save", recoverSave, false, "spandrel recover archive\nspandrel recover --undo archive"},
	{"shot", "shot PATH -o FILE.png", "takes a screenshot of the window, without a display", shot, false, "spandrel shot train.idv -o train.png --theme dark"},
	{"register", "register", "offers the program for its file types on the desktop, for this user; default programs do not change", register, false, "spandrel register"},
	{"unregister", "unregister", "undoes register", unregister, false, "spandrel unregister"},
	{"formats", "formats", "lists the formats", formats, false, "spandrel formats --json"},
	{"serve", "serve --stdio", "processes requests from standard input, and keeps documents open between them", serve, false, "spandrel serve --stdio"},
	{"version", "version", "prints version, commit, Go and platform", version, false, "spandrel version"},
}

// Known tells whether a word is a command, rather than a file to open in the window.
func Known(word string) bool {
	if slices.ContainsFunc(commands, func(c command) bool { return c.name == word }) {
		return true
	}
	return slices.Contains([]string{"help", "man", "-h", "--help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}, word)
}

// Meant returns the command that an unknown word may be a misspelling of.
func Meant(word string) string {
	root := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, c := range commands {
		root.AddCommand(&cobra.Command{Use: c.usage, Run: func(*cobra.Command, []string) {}})
	}
	if near := root.SuggestionsFor(word); len(near) > 0 {
		return ": did you mean " + strings.Join(near, " or ") + "?"
	}
	return "; spandrel --help lists them"
}

// words is how many arguments a command takes, according to its usage; most < 0: any number.
func (cmd command) words() (least, most int) {
	for _, w := range strings.Fields(cmd.usage)[1:] {
		switch optional := strings.HasPrefix(w, "["); {
		case w == "-o":
			return least, most
		case w == "[flags]", strings.HasPrefix(strings.TrimPrefix(w, "["), "--"):
			continue
		case !optional:
			least++
		}
		if most++; strings.Contains(w, "…") {
			return least, -1
		}
	}
	return least, most
}

// takes are the common flags that commands accept, if not those of usual: one that would have no effect is rejected.
var takes = map[string]string{"register": "none", "unregister": "none", "serve": "none", "recover": "json", "protect": "format json", "shot": "output", "report": "output format",
	"rules": "output json", "formats": "output json", "version": "output json", "check": usual + " jobs", "catalogue": usual + " jobs", "salvage": usual + " jobs",
	"fix": saving + " jobs", "set": saving, "table": saving + " jobs", "convert": saving}

const (
	usual  = "output format json"
	saving = usual + " no-backup upload"
)

// call is one run of a command.
type call struct {
	Env
	ctx   context.Context
	usage string          // of the command
	args  []string        // without flags
	lists *model.Listings // of the folders of a batch

	out, format     string
	jobs            int
	outUsage        string // of -o, where it differs from other commands'
	noBackup, quiet bool
	upload          bool // into the store that the document is in
	json            bool
	many, single    bool          // documents of a batch, whose progress is the only one shown
	ledger          bool          // causes are printed with what speaks for them and against them, in bits
	coloured        bool          // what is printed is for a person at a terminal
	first           []*model.Rule // whose findings are printed first, also when a cause explains them

	opened []*model.Document
	given  func(flag string) bool // tells whether a flag is in the call
	peer   peer
}

// peer lets a command run another.
type peer struct {
	known func(word string) bool
	run   func(ctx context.Context, env Env, args []string) int
}

// Run runs the command that args begin with and returns the exit status.
func Run(env Env, args []string) int {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	thrifty()
	return RunIn(ctx, env, args)
}

// joined is what errors.Join makes.
type joined interface {
	error
	Unwrap() []error
}

// said is an error in words, in one line: which system call failed for a file means nothing to the user.
func said(err error) string {
	if errors.Is(err, context.Canceled) {
		return "stopped"
	}
	text, several, failed := err.Error(), joined(nil), (*fs.PathError)(nil)
	switch {
	case errors.As(err, &several) && several.Error() == errors.Join(several.Unwrap()...).Error():
		before, after, _ := strings.Cut(text, several.Error())
		return model.OneLine(before) + strings.Join(model.Map(several.Unwrap(), said), "; ") + model.OneLine(after)
	case errors.As(err, &failed):
		text = strings.Replace(text, failed.Error(), failed.Path+": "+failed.Err.Error(), 1)
	}
	return model.OneLine(text)
}

// failure is an error about a document.
type failure struct {
	error
	document string // as given, without the signature of an address: errors get into logs
}

func (f failure) Unwrap() error { return f.error }

// unsigned is a path, or an address without its signature.
func unsigned(path string) string {
	if remote.Is(path) {
		return remote.Shown(path)
	}
	return path
}

// of is an error about a document, prefixed with its path unless it begins with it.
func of(path string, err error) error {
	path = unsigned(path)
	failed := (*fs.PathError)(nil)
	named := errors.As(err, &failed) && failed.Path == path && err.Error() == failed.Error()
	if rest, ok := strings.CutPrefix(err.Error(), path); ok && (strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, string(filepath.Separator))) {
		named = true
	}
	if !named {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return failure{err, path}
}

// torn tells whether an error means that bytes did not exist: another program may have removed them.
func torn(err error) bool {
	return errors.Is(err, model.ErrShrunk) || errors.Is(err, io.ErrUnexpectedEOF)
}

// RunIn is Run with a context that can end it.
func RunIn(ctx context.Context, env Env, args []string) int {
	status := Done
	root := tree(ctx, env, &status, args)
	if len(args) == 0 || !Known(args[0]) {
		root.SetOut(env.Err)
		root.Help()
		return Failed
	}
	root.InitDefaultCompletionCmd(args...)
	for _, c := range root.Commands() {
		if c.Name() == "completion" { // which prints its help, and succeeds, for any shell that it does not know
			c.Run = func(c *cobra.Command, _ []string) { c.Help() }
		}
	}
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		fail(env, args, err)
		return Failed
	}
	return status
}

// tree is all commands, with their flags and help, or only the one that the call names: making all takes a tenth of the start-up time. The
// one that runs sets status.
func tree(ctx context.Context, env Env, status *int, args []string) *cobra.Command {
	root := &cobra.Command{Use: "spandrel [PATH…]", Short: "opens files in a window, or works on them without one", Long: about, SilenceErrors: true, SilenceUsage: true}
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "explains a command and its flags", RunE: func(_ *cobra.Command, args []string) error {
		about, _, err := root.Find(args)
		if err != nil {
			return err
		}
		return about.Help()
	}})
	list := commands
	if i := slices.IndexFunc(list, func(c command) bool { return len(args) > 0 && c.name == args[0] }); i >= 0 {
		list = list[i : i+1]
	}
	for _, cmd := range list {
		made := cmd.made(ctx, env, status)
		made.Hidden = env.Shot == nil && slices.Contains([]string{"shot", "register", "unregister"}, cmd.name) // which this build cannot do
		if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
			// Only when the shell asks: the library keeps completions, and what they hold, until the program ends.
			cmd.complete(made, env)
		}
		root.AddCommand(made)
	}
	root.AddCommand(manual(root, env.Version))
	return root
}

const about = `Spandrel opens the binary data files of machine-learning tools: what every byte means, what is in it, why a file
will not load, and how to repair it. PATH is a file, a folder or an address such as
s3://BUCKET/KEY; - is standard input.

Exit status: 0 success; 1 done, but there are errors, differences, losses or no matches;
2 failed: nothing was written, and one line on standard error says why.`

// perform runs a command whose words and flags have been parsed.
func perform(c *call, run func() error) error {
	defer func() {
		for _, d := range c.opened {
			c.kept.release(d)
		}
	}()
	if c.jobs > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(min(c.jobs, runtime.NumCPU())))
	}
	requests, bytes, sent := remote.Spent()
	err := model.Contain(run)
	c.traffic(requests, bytes, sent)
	if torn(err) {
		err = cmp.Or(c.unread(), err)
	}
	return err
}

// about is the error of a command, which is about the document that its first argument names if it takes only that one.
func (cmd command) about(args []string, err error) error {
	f := failure{}
	if err == nil || errors.As(err, &f) || len(args) == 0 || !slices.Contains(strings.Fields(cmd.usage), "PATH") {
		return err
	}
	return failure{err, unsigned(args[0])}
}

// made is the command in the form that the library wants.
func (cmd command) made(ctx context.Context, env Env, status *int) *cobra.Command {
	c := &call{Env: env, ctx: ctx, usage: cmd.usage, peer: peer{Known, RunIn}}
	f := flag.NewFlagSet(cmd.name, flag.ContinueOnError)
	takes := func(flag string) bool { return slices.Contains(strings.Fields(cmp.Or(takes[cmd.name], usual)), flag) }
	if takes("format") {
		f.StringVar(&c.format, "format", "", "the format of PATH, instead of detecting it")
	}
	if takes("upload") {
		f.BoolVar(&c.upload, "upload", false, "write to the remote store of PATH, unless the object has changed there")
	}
	if takes("no-backup") {
		f.BoolVar(&c.noBackup, "no-backup", false, "do not keep a backup of the old file")
	}
	f.BoolVar(&c.quiet, "quiet", false, "do not show progress")
	if takes("jobs") {
		number(f, &c.jobs, "jobs", 0, "number of cores to use; 0: all")
	}
	if takes("json") {
		f.BoolVar(&c.json, "json", false, "one JSON object per line")
	}
	run := cmd.setup(f, c)
	if !cmd.edits {
		run = printed(c, run)
	}
	out := &cobra.Command{Use: cmd.usage, Short: cmd.doc, Example: cmd.example, RunE: func(_ *cobra.Command, args []string) error {
		if least, most := cmd.words(); len(args) < least || most >= 0 && len(args) > most {
			return c.misused()
		}
		c.args = remote.Paths(args)
		if err := c.consistent(cmd.name); err != nil {
			return err
		}
		return cmd.about(args, perform(c, func() (err error) { *status, err = run(); return err }))
	}}
	c.given = out.Flags().Changed
	out.Flags().AddGoFlagSet(f)
	if takes("output") {
		usage := "write the output to this file"
		if cmd.edits {
			usage = "write to this file instead of replacing PATH"
		}
		out.Flags().StringVarP(&c.out, "output", "o", "", cmp.Or(c.outUsage, usage))
		out.Flags().StringVar(&c.out, "o", "", usage)
		out.Flags().MarkHidden("o") // --o, as it always was
	}
	out.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fmt.Errorf("%w; usage: spandrel %s", err, cmd.usage) })
	return out
}
