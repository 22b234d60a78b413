package headless

import (
	"fmt"
	"path/filepath"
	"strings"

	"spandrel/model"
)

// github prints workflow commands, which GitHub shows as annotations of a run. It shows only the first ten errors and the first ten
// warnings of a step, so the causes of all documents come first, and findings that a cause explains are left out.
func (b *batch) github(verdicts []*verdict) error {
	for _, v := range verdicts {
		if v.err != nil {
			if err := b.annotate("error", v.path, "not checked", said(v.err)); err != nil {
				return err
			}
		}
		for _, x := range v.causes {
			text := []string{x.Text + " " + x.Means, "evidence: " + x.evidence()}
			for _, r := range x.Repairs {
				text = append(text, fmt.Sprintf("repair %d [%s]: %s", r.Number, r.ID, r.Label))
			}
			if err := b.annotate(x.Severity, fileOf(v.path, x.File), x.Grade+" cause", text...); err != nil {
				return err
			}
		}
	}
	for _, v := range verdicts {
		for _, p := range v.problems {
			if p.Cause > 0 {
				continue
			}
			at := fmt.Sprintf("at 0x%x", p.Offset)
			if p.Space != "file" {
				at += " of " + p.Space
			}
			if p.Path != "" {
				at = p.Path + " " + at
			}
			if err := b.annotate(p.Severity, fileOf(v.path, p.File), p.Rule, p.text()+" ("+at+")"); err != nil {
				return err
			}
		}
	}
	return nil
}

var (
	githubLevels = map[string]string{model.Error.String(): "error", model.Warning.String(): "warning", model.Note.String(): "notice"}
	githubData   = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubValue  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotate prints one workflow command whose message has the given lines. The name of the file keeps its control characters, escaped, so
// that it names the file; the lines show them.
func (b *batch) annotate(severity, file, title string, lines ...string) error {
	for i, line := range lines {
		lines[i] = model.OneLine(line)
	}
	_, err := fmt.Fprintf(b.Out, "::%s file=%s,title=%s::%s\n", githubLevels[severity],
		githubValue.Replace(filepath.ToSlash(file)), githubValue.Replace(model.OneLine(title)), githubData.Replace(strings.Join(lines, "\n")))
	return err
}
