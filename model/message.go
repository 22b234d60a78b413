package model

import (
	"regexp"
	"slices"
	"strings"
)

// Message is something that a reader of the format says when it refuses a file. People come with it, and not with the byte that it is about.
type Message struct {
	Reader string // the program or library
	// Text is its words as they are printed, without what differs from file to file: "…" stands for that. Case does not matter.
	Text  string
	Rules []string // ids of the rules that are broken when it is said
	Means string   // one sentence
}

// Leads tells whether the message is said of files that break a rule.
func (m *Message) Leads(r *Rule) bool { return slices.Contains(m.Rules, r.ID) }

// pattern finds the message in a line.
func (m *Message) pattern() *regexp.Regexp {
	parts := strings.Split(m.Text, "…")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(regexp.QuoteMeta(part), " ", `\s+`)
	}
	return regexp.MustCompile("(?i)" + strings.Join(parts, ".*"))
}

// MessagesIn returns the messages that lines of a text contain, each once, in the order of the list: the more particular come first in it.
func MessagesIn(text string, list []Message) (out []*Message) {
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
