package headless

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spandrel/model"
	"spandrel/model/cause"
)

// Shell completion: first the names of files that may be documents, then what is in the document.

// mostOffered is the largest number of completions.
const mostOffered = 1000

// completion is a command being typed.
type completion struct {
	env Env
	cmd *cobra.Command
}

// complete makes the shell offer the arguments of a command.
func (cmd command) complete(out *cobra.Command, env Env) {
	c := completion{env, out}
	out.ValidArgsFunction = func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		return c.args(cmd.name, args, word)
	}
	offer := func(flag string, list func(args []string, word string) []string, more cobra.ShellCompDirective) {
		if out.Flags().Lookup(flag) != nil {
			out.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
				return begins(list(args, word), word), cobra.ShellCompDirectiveNoFileComp | more
			})
		}
	}
	fixed := func(list ...string) func([]string, string) []string {
		return func([]string, string) []string { return list }
	}
	offer("to", fixed("csv", "jsonl", "parquet", "arrow"), 0)
	offer("theme", fixed("light", "dark"), 0)
	offer("pane", fixed("table", "problems", "coverage", "changes", "find", "graph"), 0)
	offer("elements", fixed("all"), 0)
	offer("number", fixed(slices.Sorted(maps.Keys(types))...), 0)
	offer("format", func([]string, string) (out []string) {
		out = formatNames(env.Formats)
		if cmd.name == "check" {
			out = append(out, kinds...)
		}
		return out
	}, 0)
	offer("for", func([]string, string) []string { return readerNames(env.Formats) }, cobra.ShellCompDirectiveNoSpace)
	offer("rule", func([]string, string) []string { return ruleNames(env.Formats) }, 0)
	offer("path", c.fields, cobra.ShellCompDirectiveNoSpace)
	offer("select", c.fields, cobra.ShellCompDirectiveNoSpace)
	offer("table", c.tables, 0)
	offer("columns", c.columns, cobra.ShellCompDirectiveNoSpace)
	offer("key", c.columns, 0)
	offer("group-by", c.columns, cobra.ShellCompDirectiveNoSpace)
	offer("agg", c.aggregates, cobra.ShellCompDirectiveNoSpace)
	offer("where", c.columns, cobra.ShellCompDirectiveNoSpace)
	offer("prefer", fixed("a", "b"), 0)
	offer("choose", c.repairs, 0)
}

// args are the completions after the words of a command.
func (c completion) args(name string, args []string, word string) ([]string, cobra.ShellCompDirective) {
	const alone = cobra.ShellCompDirectiveNoFileComp
	switch {
	case name == "rules":
		return begins(append(ruleNames(c.env.Formats), formatNames(c.env.Formats)...), word), alone
	case slices.Contains([]string{"formats", "version", "register", "unregister"}, name):
		return nil, alone
	case len(args) == 0, name == "check", name == "catalogue", name == "diff" && len(args) == 1, name == "merge" && len(args) < 3:
		return c.extensions(), cobra.ShellCompDirectiveFilterFileExt
	case name == "get":
		return begins(c.fields(args, word), word), alone | cobra.ShellCompDirectiveNoSpace
	case name == "set":
		return begins(c.assignable(args, word), word), alone | cobra.ShellCompDirectiveNoSpace
	case name == "table" && len(args) == 1:
		return begins(c.tables(args, word), word), alone
	case name == "convert" && len(args) == 1:
		return begins(c.actions(args), word), alone
	case name == "convert":
		return begins(c.parameters(args), word), alone | cobra.ShellCompDirectiveNoSpace
	}
	return nil, alone
}

// begins are the entries of a list that begin with a word.
func begins(list []string, word string) (out []string) {
	for _, s := range list {
		if strings.HasPrefix(s, word) && len(out) < mostOffered {
			out = append(out, s)
		}
	}
	return out
}

// extensions are the extensions of files that may be documents.
func (c completion) extensions() (out []string) {
	for _, f := range c.env.Formats {
		for _, e := range append(slices.Clone(f.Exts), f.Inside...) {
			out = append(out, strings.TrimPrefix(e, "."))
		}
	}
	return out
}

func formatNames(formats []*model.Format) []string {
	return model.Map(formats, func(f *model.Format) string { return f.Name })
}

// ruleNames are the ids of the rules of all formats.
func ruleNames(formats []*model.Format) (out []string) {
	for _, f := range formats {
		for _, r := range f.Rules.All() {
			out = append(out, r.ID)
		}
	}
	return out
}

// in calls f with the document that the first argument names; errors are ignored.
func (c completion) in(args []string, f func(ctx context.Context, d *model.Document)) {
	if len(args) == 0 || args[0] == "-" {
		return
	}
	ctx := c.cmd.Context()
	model.Contain(func() error {
		d, err := model.Open(ctx, args[0], c.env.Formats, nil)
		if err != nil {
			return err
		}
		defer d.Close()
		f(ctx, d)
		return nil
	})
}

// fields are the paths that continue a word: the children of what it names so far.
func (c completion) fields(args []string, word string) (out []string) {
	c.in(args, func(ctx context.Context, d *model.Document) {
		if list, mark, ok := quoting(word); ok {
			quoted := strconv.Quote
			if mark == '\'' {
				quoted = func(name string) string { return "'" + name + "'" }
			}
			for _, name := range d.Tree.NamesIn(ctx, list, mostOffered) {
				out = append(out, list+"["+quoted(name)+"]")
			}
			return
		}
		if out = children(ctx, d, word); !strings.ContainsAny(word, "/[") {
			for _, name := range d.Tree.NamedLists(ctx) {
				out = append(out, name+`["`)
			}
		}
	})
	return out
}

// quoting tells whether a word ends inside the quoted name of an element: of which list, and with which quote.
func quoting(word string) (list string, mark byte, ok bool) {
	i := strings.LastIndexByte(word, '[')
	if i < 0 || i+1 >= len(word) || word[i+1] != '"' && word[i+1] != '\'' || strings.Contains(word[i:], "]") {
		return "", 0, false
	}
	return word[:i], word[i+1], true
}

// children are the paths of the children of what a word names up to its last step.
func children(ctx context.Context, d *model.Document, word string) (out []string) {
	parent, before := d.Tree.Root, ""
	if i := strings.LastIndexAny(word, "/["); i >= 0 {
		s, err := d.Tree.Find(ctx, word[:i])
		if err != nil {
			return nil
		}
		if parent, before = s, word[:i]; word[i] == '/' {
			before += "/"
		}
	}
	if d.Tree.Open(ctx, parent) != nil {
		return nil
	}
	for i := range min(parent.Count(), mostOffered) {
		if k := parent.Child(i); k.Index() >= 0 {
			out = append(out, strings.TrimSuffix(before, "/")+k.Name())
		} else {
			out = append(out, before+k.Name())
		}
	}
	return out
}

// assignable are fields, or with --table cells, that can be set.
func (c completion) assignable(args []string, word string) (out []string) {
	name, _ := c.cmd.Flags().GetString("table")
	if name == "" {
		return c.fields(args, word)
	}
	row, _, ok := strings.Cut(word, "/")
	if !ok {
		return nil
	}
	return model.Map(c.columnsOf(args, name), func(col string) string { return row + "/" + col + "=" })
}

func (c completion) tables(args []string, _ string) (out []string) {
	c.in(args, func(ctx context.Context, d *model.Document) {
		out = model.Map(d.Tree.Tables(ctx), func(t model.Table) string { return t.Name })
	})
	return out
}

func (c completion) columnsOf(args []string, table string) (out []string) {
	c.in(args, func(ctx context.Context, d *model.Document) {
		for _, t := range d.Tree.Tables(ctx) {
			if t.Name != table && table != "" {
				continue
			}
			for _, col := range t.Columns {
				if !slices.Contains(out, col.Name) {
					out = append(out, col.Name)
				}
			}
		}
	})
	return out
}

// columns are those of the named table that a word does not list already.
func (c completion) columns(args []string, word string) (out []string) {
	table, before := "", ""
	if len(args) > 1 && c.cmd.Name() == "table" {
		table = args[1]
	}
	if i := strings.LastIndexByte(word, ','); i >= 0 {
		before = word[:i+1]
	}
	return model.Map(c.columnsOf(args, table), func(name string) string { return before + name })
}

// aggregates are those of the columns of the named table.
func (c completion) aggregates(args []string, word string) (out []string) {
	for _, column := range c.columns(args, word) {
		at := strings.LastIndexByte(column, ',') + 1
		for _, what := range aggregates {
			out = append(out, column[:at]+what+"("+column[at:]+")")
		}
	}
	return append(out, word[:strings.LastIndexByte(word, ',')+1]+"count")
}

// repairs are the ids of the repairs that the document has.
func (c completion) repairs(args []string, _ string) (out []string) {
	c.in(args, func(ctx context.Context, d *model.Document) {
		g, err := cause.Find(ctx, d, cause.Options{Formats: c.env.Formats, Tree: d.Tree})
		if err != nil {
			return
		}
		for _, x := range g.Causes {
			for _, r := range x.Repairs {
				out = append(out, r.ID+"\t"+r.Label)
			}
		}
	})
	return out
}

func (c completion) actions(args []string) (out []string) {
	c.in(args, func(_ context.Context, d *model.Document) {
		if d.Format != nil {
			out = model.Map(d.Format.Actions, func(a model.Action) string { return a.Name })
		}
	})
	return out
}

// parameters are NAME= of an action's parameters, or their possible values.
func (c completion) parameters(args []string) (out []string) {
	c.in(args, func(_ context.Context, d *model.Document) {
		if d.Format == nil {
			return
		}
		for _, a := range d.Format.Actions {
			if a.Name != args[1] {
				continue
			}
			for _, p := range a.Params {
				out = append(out, p.Name+"=")
				for _, v := range p.Choices {
					out = append(out, p.Name+"="+v)
				}
			}
		}
	})
	return out
}
