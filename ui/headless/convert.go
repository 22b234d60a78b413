package headless

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

func convert(f *flag.FlagSet, c *call) func() (int, error) {
	at := f.String("path", "", "the field to act on")
	dry := f.Bool("dry-run", false, "print the byte changes and write nothing")
	force := forceFlag(f)
	return func() (int, error) {
		d, err := c.withFormat(c.args[0])
		if err != nil {
			return Failed, err
		}
		if len(c.args) == 1 {
			if err := c.useless("without an action", "dry-run", "force", "no-backup", "upload"); err != nil {
				return Failed, err
			}
			return printed(c, func() (int, error) { return Done, listActions(c, d, *at) })()
		}
		return Done, change{call: c, d: d, dry: *dry}.act(*at, *force)
	}
}

// act runs the action in the arguments on a field, and saves.
func (c change) act(at string, force bool) error {
	s, err := c.d.Tree.Find(c.ctx, at)
	if err == nil {
		err = c.d.Tree.Open(c.ctx, s) // what it contains may be a stream of its own
	}
	if err != nil {
		return of(c.args[0], err)
	}
	a, args, err := actionOf(c.d.Format, c.args[1], c.args[2:])
	if err != nil {
		return err
	}
	if !a.Fits(c.d.Tree, s) {
		return fmt.Errorf("%s: %s does not apply to %s%s", c.args[0], a.Name, place(at), actionHint(c.d, a))
	}
	var p *model.Plan
	edits, err := a.Plan(c.ctx, c.d.Tree, s, args)
	if err == nil {
		p, err = c.d.Plan(c.ctx, a.Label, edits...)
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", c.args[0], a.Name, err)
	}
	c.removes = a.Removes
	return c.whole(p, force)
}

// actionOf is the action with a name, and its parameters from NAME=VALUE; the others have their defaults.
func actionOf(f *model.Format, action string, words []string) (*model.Action, map[string]string, error) {
	i := slices.IndexFunc(f.Actions, func(a model.Action) bool { return a.Name == action })
	if i < 0 {
		return nil, nil, fmt.Errorf("%s has no action %q; available: %s", f.Name, action, namesIn(f.Actions, func(a model.Action) string { return a.Name }))
	}
	a, args := &f.Actions[i], map[string]string{}
	for _, p := range a.Params {
		args[p.Name] = p.Default
	}
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			return nil, nil, fmt.Errorf("%q is not NAME=VALUE", w)
		}
		if _, ok := args[name]; !ok {
			return nil, nil, fmt.Errorf("%s has no parameter %q; available: %s", a.Name, name, namesIn(a.Params, func(p model.Param) string { return p.Name }))
		}
		args[name] = value
	}
	return a, args, nil
}

// namesIn lists names for an error about an unknown one, shortened.
func namesIn[T any](list []T, name func(T) string) string {
	const most = 20
	names := model.Map(list[:min(len(list), most)], name)
	if more := len(list) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return cmp.Or(strings.Join(names, ", "), "nothing")
}

func place(at string) string {
	if at == "" {
		return "the whole document"
	}
	return fmt.Sprintf("%q", at)
}

// actionHint names a field to which an action applies, or says what the action is for.
func actionHint(d *model.Document, a *model.Action) string {
	if at := actionTarget(d, a); at != "" {
		return fmt.Sprintf(": choose the field with --path, as in --path '%s'", at)
	}
	return ". " + a.String()
}

// actionTarget is the path of the first field near the root to which an action applies; "" if it applies to the document, or to nothing.
func actionTarget(d *model.Document, a *model.Action) string {
	if a.Fits(d.Tree, d.Tree.Root) {
		return ""
	}
	const most = 4096 // fields that are looked at
	for queue, seen := []*model.Span{d.Tree.Root}, 0; len(queue) > 0 && seen < most; queue = queue[1:] {
		for i := range min(queue[0].Count(), 64) {
			k := queue[0].Child(i)
			switch seen++; {
			case k == nil:
			case a.Fits(d.Tree, k):
				return k.Path()
			case k.Ready():
				queue = append(queue, k)
			}
		}
	}
	return ""
}

// listActions lists the structural actions of a document with their parameters: those that apply to a field, or to any field if none is given.
func listActions(c *call, d *model.Document, at string) error {
	s, err := d.Tree.Find(c.ctx, at)
	if err != nil {
		return err
	}
	for i := range d.Format.Actions {
		a := &d.Format.Actions[i]
		here := a.Fits(d.Tree, s)
		if at != "" && !here {
			continue
		}
		target := ""
		if !here {
			target = actionTarget(d, a)
		}
		if err := printAction(c, a, here, target); err != nil {
			return err
		}
	}
	return nil
}

// printAction prints an action with its parameters: whether it applies here, or otherwise an example of a field.
func printAction(c *call, a *model.Action, here bool, target string) error {
	if c.json {
		params := []map[string]any{}
		for _, p := range a.Params {
			params = append(params, map[string]any{"name": p.Name, "label": p.Label, "default": p.Default, "choices": list(p.Choices)})
		}
		return c.line(map[string]any{"kind": "action", "action": a.Name, "label": a.Label, "doc": a.Doc, "params": params, "here": here, "path": target})
	}
	linef(c.Out, "%-20s %s", a.Name, a)
	if target != "" {
		linef(c.Out, "    --path '%s'  the field to act on, for example", target)
	}
	for _, p := range a.Params {
		choices := ""
		if len(p.Choices) > 0 {
			choices = " (" + strings.Join(p.Choices, ", ") + ")"
		}
		linef(c.Out, "    %s=%s%s  %s", p.Name, p.Default, choices, p.Label)
	}
	return nil
}
