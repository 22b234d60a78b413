package model

import (
	"regexp"
	"slices"
	"strings"
)

// pattern finds the message of a reaction in a line.
func (x *Reaction) pattern() *regexp.Regexp {
	parts := strings.Split(x.Text, "…")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(regexp.QuoteMeta(part), " ", `\s+`)
	}
	return regexp.MustCompile("(?i)" + strings.Join(parts, ".*"))
}

// Messages lists the reactions of all readers of a format that have a message, with By filled in.
func (f *Format) Messages() (out []Reaction) {
	for _, r := range f.Readers {
		for _, x := range r.Reactions {
			if x.Text == "" {
				continue
			}
			if x.By == "" {
				x.By = r.Title
			}
			if x.Means == "" {
				x.Means = sentence(f.Rule(x.Rules[0]).Title)
			}
			out = append(out, x)
		}
	}
	return out
}

// sentence makes one of the title of a rule.
func sentence(title string) string { return strings.ToUpper(title[:1]) + title[1:] + "." }

// MessagesIn returns the messages that lines of a text contain, each once, in the order of the list: the more particular come first in it.
func MessagesIn(text string, list []Reaction) (out []*Reaction) {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	lines = append(lines, strings.Join(strings.Fields(text), " ")) // a terminal may have broken the message
	for i := range list {
		if slices.ContainsFunc(lines, list[i].pattern().MatchString) {
			out = append(out, &list[i])
		}
	}
	return out
}
