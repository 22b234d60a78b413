package headless

import (
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// asked is the software with which the user will read the documents, and its version, "" for the newest known.
type asked struct {
	*model.Software
	version string
}

// parse parses the value of --for.
func (a *asked) parse(formats []*model.Format, value, kind string) error {
	if value == "" {
		return nil
	}
	if kind != "text" && kind != "json" {
		return fmt.Errorf("--for: the answer can be printed as text or JSON, not as %s", kind)
	}
	name, version, _ := strings.Cut(strings.Replace(value, "=", "@", 1), "@")
	i := slices.Index(readerNames(formats), name)
	if i < 0 {
		return fmt.Errorf("--for: no reader %q; available: %s", name, strings.Join(readerNames(formats), ", "))
	}
	switch r := readersOf(formats)[i]; {
	case version == "" || r.Version(version) != "":
		a.Software, a.version = r, version
		return nil
	case len(r.Versions) == 0:
		return fmt.Errorf("--for: versions of %s are not distinguished; use %s", r.Title, r.Name)
	default:
		return fmt.Errorf("--for: %s %s is unknown; known versions are %s", r.Title, version, strings.Join(r.Versions, ", "))
	}
}

func readersOf(formats []*model.Format) (out []*model.Software) {
	for _, f := range formats {
		out = append(out, f.Readers...)
	}
	return out
}

func readerNames(formats []*model.Format) []string {
	return model.Map(readersOf(formats), func(r *model.Software) string { return r.Name })
}

// readerLine is what a reader does with a document.
type readerLine struct {
	Kind     string   `json:"kind"`
	Document string   `json:"document"`
	Reader   string   `json:"reader"`
	Version  string   `json:"version"` // that was asked for; "" is the newest known
	Does     string   `json:"does"`    // opens, refuses, fails, reads other data, not known
	Says     string   `json:"says"`    // what it prints, with … for what differs; "" where that is not known
	Text     string   `json:"text"`
	Rules    []string `json:"rules"` // of the findings that it follows from
}

// reads prints whether a reader opens the document. The status is Found unless it does.
func (c diagnosed) reads(a asked) (int, error) {
	v := a.Judge(c.ctx, c.g.Tree, c.g.Findings, a.version)
	status := Found
	if v.Does == model.Ignores {
		status = Done
	}
	return status, c.says(&v)
}

// troubled prints what the format's readers do with the document if it has problems: those that do not open it, otherwise the
// format's own. It is what the user has seen, and comes before the cause. As data it is printed only on request, because lines of other kinds are not expected.
func (c diagnosed) troubled() error {
	g := c.g
	if c.json || !slices.ContainsFunc(g.Findings, func(f model.Finding) bool { return weighs(&f) }) {
		return nil
	}
	all := g.Tree.Verdicts(c.ctx, g.Findings, g.Deep)
	some := slices.DeleteFunc(slices.Clone(all), func(v model.Verdict) bool { return v.Does == model.Ignores })
	if len(some) == 0 {
		some = all[:min(len(all), 1)]
	}
	for i := range some {
		if err := c.says(&some[i]); err != nil {
			return err
		}
	}
	return nil
}

// says prints what a reader does with the document.
func (c diagnosed) says(v *model.Verdict) error {
	text := v.Text(c.ctx, c.g.Tree)
	if !c.json {
		return linef(c.Out, "%s: %s", c.path, model.OneLine(text))
	}
	l := readerLine{"reader", c.path, v.Reader.Name, v.Version, v.Does.Word(), v.Says, text, []string{}}
	for _, i := range v.Findings {
		l.Rules = append(l.Rules, c.g.Findings[i].Rule.ID)
	}
	return c.line(l)
}
