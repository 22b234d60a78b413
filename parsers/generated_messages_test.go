package parsers

import (
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// messages is a section a message that readers print: what it means, what to do about it, and which rules are broken in such files.
func messages(all []*model.Format) string {
	var out strings.Builder
	for _, f := range all {
		list := merged(f.Messages())
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
					fmt.Fprintf(&out, "* %s: %s. %s\n", r.ID, r.Title, r.Doc)
				}
			}
		}
	}
	return out.String()
}

// merged are messages, each once: with all rules of those that have the same text.
func merged(list []model.Reaction) (out []model.Reaction) {
	for _, m := range list {
		i := slices.IndexFunc(out, func(x model.Reaction) bool { return x.Text == m.Text && x.By == m.By && x.Means == m.Means })
		if i < 0 {
			m.Rules = slices.Clone(m.Rules)
			out = append(out, m)
			continue
		}
		for _, id := range m.Rules {
			if !slices.Contains(out[i].Rules, id) {
				out[i].Rules = append(out[i].Rules, id)
			}
		}
	}
	return out
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
