package headless

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"spandrel/model"
)

// maxMessage is how much of a pasted message is read.
const maxMessage = 1 << 20

// explain says what the messages of readers in a text mean, and where in a file the reason is.
func explain(f *flag.FlagSet, c *call) func() (int, error) {
	s := searching(f)
	all := f.Bool("all", false, "also list the problems that a cause explains")
	return func() (int, error) {
		path, text, err := pastedText(c)
		if err != nil {
			return Failed, err
		}
		if path != "" {
			return explainIn(c, path, text, s, *all)
		}
		if err := c.useless("without PATH", "deep", "warnings", "effort", "all", "format"); err != nil {
			return Failed, err
		}
		known, err := meaningsOf(c, nil, "", text)
		if err == nil && !known {
			err = fmt.Errorf("no known reader prints this message; spandrel check PATH says what is wrong with a file")
		}
		if err != nil {
			return Failed, err
		}
		return Done, nil
	}
}

// explainIn says what messages mean, and what is wrong with the file that they are about.
func explainIn(c *call, path, text string, s *search, all bool) (int, error) {
	d, err := c.open(path)
	if err != nil {
		return Failed, err
	}
	g, err := c.diagnose(d, d.Tree, s)
	if err != nil {
		return Failed, err
	}
	c.coloured = !c.json && colours(c.Out)
	known, err := meaningsOf(c, d, path, text)
	one := diagnosed{c, d, g, path}
	if err == nil && known && !c.json {
		err = one.other(text)
	}
	if err == nil {
		err = one.print(all)
	}
	if err != nil {
		return Failed, err
	}
	return verdictOf(g.Findings), d.Unread()
}

// pastedText is the path, if any, and the message, from standard input unless it is an argument.
func pastedText(c *call) (path, text string, err error) {
	words := c.args
	if len(words) > 0 {
		if _, err := os.Stat(words[0]); err == nil || words[0] == "-" || len(words) > 1 && !strings.ContainsAny(words[0], " \n") && namesMissing(c, words[0]) {
			path, words = words[0], words[1:]
		}
	}
	text = strings.Join(words, " ")
	if text == "" && path != "-" && terminal(orNone(c.In)) == nil && c.In != nil {
		b, err := io.ReadAll(io.LimitReader(c.In, maxMessage))
		if err != nil {
			return "", "", err
		}
		text = string(b)
	}
	text = text[:min(len(text), maxMessage)]
	if strings.TrimSpace(text) == "" {
		return "", "", fmt.Errorf("no message: pass it after PATH or on standard input; usage: spandrel explain [PATH] [MESSAGE…]")
	}
	return path, text, nil
}

// namesMissing tells whether a word is the path of a missing file rather than the first word of a message.
func namesMissing(c *call, word string) bool {
	b := &batch{call: c}
	return b.claimed(word) || strings.ContainsRune(word, os.PathSeparator)
}

// orNone is the writer of a stream that may be a terminal.
func orNone(r io.Reader) io.Writer {
	w, _ := r.(io.Writer)
	return w
}

// meaningsOf prints what the messages in a text mean, and keeps the rules that they lead to for problems.
func meaningsOf(c *call, d *model.Document, path, text string) (known bool, err error) {
	var own *model.Format
	if d != nil {
		own = d.Format
	}
	for _, x := range model.Explain(text, own, c.Formats) {
		m := x.Message
		known = true
		for _, id := range m.Rules {
			c.first = append(c.first, x.Of.Rule(id))
		}
		says := strings.TrimSpace(m.Means + " " + m.Do)
		if len(m.Rules) > 0 {
			says += " (" + strings.Join(m.Rules, ", ") + ")"
		}
		err = c.either(explainLine{"explain", true, x.Of.Name, m.By, m.Text, m.Means, m.Do, append([]string{}, m.Rules...)}, "%s says %q: %s", m.By, m.Text, says)
		if err != nil {
			return known, err
		}
	}
	if !known && d != nil {
		err = c.either(explainLine{Kind: "explain", Rules: []string{}}, "%s: no known reader prints this message; this is what check says:", path)
	}
	return known, err
}

// explainLine is the first kind of line of `explain --json`, one per message.
type explainLine struct {
	Kind    string   `json:"kind"`
	Known   bool     `json:"known"`
	Format  string   `json:"format"`
	Reader  string   `json:"reader"`
	Message string   `json:"message"`
	Means   string   `json:"means"`
	Do      string   `json:"do,omitempty"`
	Rules   []string `json:"rules"`
}

// other says that the document has none of the problems that the messages in a text are about.
func (c diagnosed) other(text string) error {
	if slices.ContainsFunc(c.g.Findings, func(f model.Finding) bool { return slices.Contains(c.first, f.Rule) }) {
		return nil
	}
	return linef(c.Out, "%s: %s", c.path, c.g.Tree.Elsewhere(c.ctx, text, len(c.first) > 0, verdictOf(c.g.Findings) == Done))
}

// at is the index of a rule in a list, or its length.
func at(list []*model.Rule, r *model.Rule) int {
	if i := slices.Index(list, r); i >= 0 {
		return i
	}
	return len(list)
}
