package headless

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"spandrel/model"
)

// github prints workflow commands, which GitHub shows as annotations of a run. It shows only the first ten errors and the first ten
// warnings of a step, so the causes of all documents come first, and findings that a cause explains are left out.
func (b *batch) github(verdicts []*verdict) error {
	var all strings.Builder
	for _, v := range verdicts {
		if v.err != nil {
			annotate(&all, "error", v.path, "not checked", said(v.err))
		}
		for _, x := range v.causes {
			annotate(&all, x.Severity, fileOf(v.path, x.File), x.Grade+" cause", x.lines()...)
		}
	}
	for _, v := range verdicts {
		for _, p := range v.problems {
			if p.Cause == 0 {
				annotate(&all, p.Severity, fileOf(v.path, p.File), p.Rule, p.text()+" ("+p.place()+")")
			}
		}
	}
	_, err := io.WriteString(b.Out, all.String())
	return err
}

// lines are a cause, its evidence and its repairs.
func (l causeLine) lines() []string {
	text := []string{l.Text + " " + l.Means}
	if said := l.evidence(); said != "" {
		text = append(text, "evidence: "+said)
	}
	return append(text, model.Map(l.Repairs, func(r repairLine) string { return fmt.Sprintf("repair %d [%s]: %s", r.Number, r.ID, r.Label) })...)
}

// place is the place of a finding, in words.
func (p *problem) place() string {
	at := fmt.Sprintf("at 0x%x", p.Offset)
	if p.Space != "file" {
		at += " of " + p.Space
	}
	return strings.TrimSpace(p.Path + " " + at)
}

var (
	githubLevels = map[string]string{model.Error.String(): "error", model.Warning.String(): "warning", model.Note.String(): "notice"}
	githubData   = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubValue  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotate adds one workflow command with the given lines as its message. The name of the file keeps its control characters, escaped, so
// that it names the file; the lines show them.
func annotate(all *strings.Builder, severity, file, title string, lines ...string) {
	for i, line := range lines {
		lines[i] = model.OneLine(line)
	}
	fmt.Fprintf(all, "::%s file=%s,title=%s::%s\n", githubLevels[severity],
		githubValue.Replace(filepath.ToSlash(file)), githubValue.Replace(model.OneLine(title)), githubData.Replace(strings.Join(lines, "\n")))
}
