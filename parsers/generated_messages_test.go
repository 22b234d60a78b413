package parsers

import (
	"fmt"
	"strings"

	"spandrel/model"
)

// messages is a section a message that readers print: what it means, what to do about it, and which rules are broken in such files.
func messages(all []*model.Format) string {
	var out strings.Builder
	for _, f := range all {
		list := f.Messages()
		if len(list) > 0 {
			fmt.Fprintf(&out, "\n## %s\n", f.Title)
		}
		for _, m := range list {
			fmt.Fprintf(&out, "\n### %s: `%s`\n\n%s\n", m.By, m.Text, strings.TrimSpace(m.Means+" "+m.Do))
			if m.From != "" || m.To != "" {
				fmt.Fprintf(&out, "Printed by %s.\n", versions(&m))
			}
			out.WriteString("\n")
			for _, id := range m.Rules {
				if r := f.Rule(id); r != nil {
					fmt.Fprintf(&out, "* %s: %s.\n", r.ID, r.Title)
				}
			}
		}
	}
	return out.String()
}

// versions are those of a reader that print a message.
func versions(m *model.Reaction) string {
	switch {
	case m.From == "":
		return "versions up to " + m.To
	case m.To == "":
		return "version " + m.From + " and later"
	}
	return "versions " + m.From + " to " + m.To
}
