package headless

import (
	"flag"
	"fmt"
	"strings"

	"spandrel/model"
)

// rules prints what the rules mean: those of a format, one by its id, or all.
func rules(_ *flag.FlagSet, c *call) func() (int, error) {
	return func() (int, error) {
		what := ""
		if len(c.args) > 0 {
			what = strings.ToLower(c.args[0])
		}
		n := 0
		for _, f := range c.Formats {
			shown, err := rulesOf(c, f.Name, f.Rules.All(), f.Messages(), what)
			if n += shown; err != nil {
				return Failed, err
			}
		}
		shown, err := rulesOf(c, "model", model.EngineRules, nil, what)
		if n += shown; err == nil && n == 0 {
			err = fmt.Errorf("%s is neither a format nor a rule", c.args[0])
		}
		return Done, err
	}
}

// rulesOf prints the requested rules of a format, and returns how many.
func rulesOf(c *call, format string, list []*model.Rule, messages []model.Reaction, what string) (n int, err error) {
	for _, r := range list {
		if what != "" && what != format && what != strings.ToLower(r.ID) {
			continue
		}
		n++
		if err := printRule(c, format, r, messages); err != nil {
			return n, err
		}
	}
	return n, nil
}

func printRule(c *call, format string, r *model.Rule, messages []model.Reaction) error {
	said := []map[string]string{}
	for i := range messages {
		if m := &messages[i]; m.Leads(r) {
			said = append(said, map[string]string{"reader": m.By, "message": m.Text})
		}
	}
	if c.json {
		return c.line(map[string]any{"kind": "rule", "rule": r.ID, "format": format, "severity": r.Severity.String(), "title": r.Title, "doc": r.Doc, "ref": r.Ref, "messages": said})
	}
	fmt.Fprintf(c.Out, "%s  %s: %s\n", r.ID, r.Severity, r.Title)
	if r.Doc != "" {
		fmt.Fprintf(c.Out, "    %s\n", r.Doc)
	}
	for _, m := range said {
		fmt.Fprintf(c.Out, "    %s says: %s\n", m["reader"], m["message"])
	}
	return nil
}
