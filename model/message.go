package model

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
)

// pattern matches the message of a reaction in a line.
func (x *Reaction) pattern() *regexp.Regexp {
	parts := strings.Split(x.Text, "…")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(regexp.QuoteMeta(part), " ", `\s+`)
	}
	return regexp.MustCompile("(?i)" + strings.Join(parts, ".*"))
}

// Messages lists the reactions of all readers of a format that have a message, with By filled in. Those with the same message are merged, with
// all their rules.
func (f *Format) Messages() (out []Reaction) {
	for _, r := range f.Readers {
		for _, x := range r.Reactions {
			if x.Text == "" {
				continue
			}
			x.By = cmp.Or(x.By, r.Title)
			if x.Means == "" {
				x.Means = sentence(f.Rule(x.Rules[0]).Title)
			}
			i := slices.IndexFunc(out, func(y Reaction) bool { return y.Text == x.Text && y.By == x.By && y.Means == x.Means })
			if i < 0 {
				x.Rules = slices.Clone(x.Rules)
				out = append(out, x)
				continue
			}
			known := func(id string) bool { return slices.Contains(out[i].Rules, id) }
			out[i].Rules = append(out[i].Rules, slices.DeleteFunc(slices.Clone(x.Rules), known)...)
		}
	}
	return out
}

// sentence makes a sentence of the title of a rule.
func sentence(title string) string { return strings.ToUpper(title[:1]) + title[1:] + "." }

// MessagesIn returns the messages that occur in the lines of a text, each once, in the order of the list. One that is part of another is left out.
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
	all := slices.Clone(out)
	return slices.DeleteFunc(out, func(x *Reaction) bool {
		return slices.ContainsFunc(all, func(y *Reaction) bool {
			return len(x.Text) < len(y.Text) && strings.Contains(strings.ToLower(y.Text), strings.ToLower(x.Text))
		})
	})
}

// Explained is a message of a reader, and the format of that reader.
type Explained struct {
	Of      *Format
	Message *Reaction
}

// Explain returns what messages in a text mean. Those of a document's own format come first and, if there are any, exclude others, because
// readers of several formats print the same. own is nil without a document.
func Explain(text string, own *Format, all []*Format) (out []Explained) {
	if own != nil {
		if out = Explain(text, nil, []*Format{own}); len(out) > 0 {
			return out
		}
	}
	for _, f := range all {
		for _, m := range MessagesIn(text, f.Messages()) {
			out = append(out, Explained{f, m})
		}
	}
	return out
}

// Elsewhere says that the file of the tree has none of the problems that messages in a text lead to, or that the messages are not about files at all. sound
// tells whether it has no other errors: then it may still be one that a reader does not open.
func (t *Tree) Elsewhere(ctx context.Context, text string, aboutFiles, sound bool) string {
	refused := slices.ContainsFunc(t.readers(), func(r *Software) bool {
		says := r.beyond(ctx, t, r.Version(""))
		return says != "" && strings.Contains(strings.ToLower(text), strings.ToLower(says))
	})
	switch {
	case refused:
		return "This file causes that message, though nothing in it is damaged."
	case !sound:
		return "This file does not have that problem, but it has others."
	case aboutFiles:
		return "This file does not cause that problem: the message is about another file, or another version of it."
	}
	return "No errors were found in this file."
}
