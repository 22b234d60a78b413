package parsers

import (
	"fmt"
	"strings"

	"spandrel/model"
)

// pages are the places on the page of each format that say what is checked and which structural edits there are.
func pages() (out []passage) {
	for _, f := range All() {
		file := "docs/formats/" + f.Name + ".md"
		out = append(out, passage{file, "<!-- each rule -->\n", "<!-- end of rules -->", of(f, ruleTable)})
		if len(f.Actions) > 0 {
			out = append(out, passage{file, "<!-- each action -->\n", "<!-- end of actions -->", of(f, actionTable)})
		}
	}
	return out
}

func of(f *model.Format, write func(*model.Format) string) func([]*model.Format) string {
	return func([]*model.Format) string { return write(f) }
}

// ruleTable is a table of what is checked: the rules of the format itself, without those that hold for every file.
func ruleTable(f *model.Format) string {
	var out strings.Builder
	out.WriteString("\n| Rule | | What is wrong |\n|---|---|---|\n")
	for _, r := range f.Rules.All() {
		fmt.Fprintf(&out, "| %s | %s | %s |\n", r.ID, r.Severity, cell(r.Title))
	}
	return out.String() + "\n"
}

func actionTable(f *model.Format) string {
	var out strings.Builder
	out.WriteString("\n| Action | What it does |\n|---|---|\n")
	for i := range f.Actions {
		a := &f.Actions[i]
		fmt.Fprintf(&out, "| `%s` | %s |\n", a.Name, cell(a.String()))
	}
	return out.String() + "\n"
}

// cell is a text in a table of Markdown.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(s) }
