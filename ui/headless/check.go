package headless

import (
	"cmp"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/model/remote"
)

// search is the flags of commands that look for causes.
type search struct {
	deep     bool
	warnings bool
	effort   int
	purse    *cause.Purse // of a batch
}

func searching(f *flag.FlagSet) *search {
	s := &search{}
	f.BoolVar(&s.deep, "deep", false, "also run the checks that read everything, however large the document is")
	f.BoolVar(&s.warnings, "warnings", false, "also search for causes of warnings")
	number(f, &s.effort, "effort", 1, "search effort for causes, as a factor of the default; 0: do not search")
	return s
}

// maxEffort bounds --effort.
const maxEffort = 10_000

// diagnose finds the problems of a document and their causes. t is its tree if it is not needed afterwards, or nil.
func (c *call) diagnose(d *model.Document, t *model.Tree, s *search) (*cause.Diagnosis, error) {
	if s.deep && d.Remote() && !c.quiet && !c.json {
		what := "all"
		if _, size := d.Tree.Stored(c.ctx); size >= 0 {
			what = "up to " + model.SizeText(uint64(size))
		}
		linef(c.Err, "spandrel: a deep check reads %s of %s", what, unsigned(d.Path))
	}
	o := s.options(c)
	o.Tree, o.Purse = t, s.purse
	return cause.Find(c.ctx, d, o)
}

// options says how hard a cause is looked for.
func (s *search) options(c *call) cause.Options {
	o := cause.Options{Formats: c.Formats, Deep: s.deep, Warnings: s.warnings, Progress: c.progress(), Time: time.Duration(min(s.effort, maxEffort)) * cause.DefaultTime}
	if s.effort == 0 {
		o.Time = -1
	}
	return o
}

func check(f *flag.FlagSet, c *call) func() (int, error) {
	b := batched(f, c)
	b.judge = b.report
	f.BoolVar(&b.all, "all", false, "also list the problems that a cause explains")
	f.BoolVar(&c.ledger, "why", false, "show the evidence for and against each cause, in bits")
	forReader := f.String("for", "", "also say whether a READER opens it, or READER@VERSION, such as tiledb@2.20; this alone sets the exit status")
	f.Lookup("format").Usage = "the format of PATH, instead of detecting it; or the output format: " +
		strings.Join(kinds, ", ") + "; or both, separated by a comma"
	return func() (int, error) {
		err := b.divide()
		paths, wrong := b.begin()
		if err = cmp.Or(err, wrong, b.reads.parse(c.Formats, *forReader, b.kind)); err != nil {
			return Failed, err
		}
		c.coloured = b.kind == "text" && colours(c.Out)
		return b.run(paths)
	}
}

// divide takes the kind of output out of --format, and leaves the format of the file there.
func (b *batch) divide() error {
	var formats, asked []string
	for word := range strings.SplitSeq(b.format, ",") {
		if slices.Contains(kinds, word) {
			asked = append(asked, word)
		} else {
			formats = append(formats, word)
		}
	}
	if b.json && !slices.Contains(asked, "json") {
		asked = append(asked, "json")
	}
	if len(asked) > 1 || len(formats) > 1 {
		return fmt.Errorf("--format: one format of files and one of the output, not %s", strings.Join(append(formats, asked...), ", "))
	}
	b.format = strings.Join(formats, "")
	if b.kind = "text"; len(asked) > 0 {
		b.kind = asked[0]
	}
	if b.json = b.kind == "json"; b.collects() {
		return b.useless("with --format "+b.kind, "why")
	}
	return nil
}

// weighs tells whether a finding counts among the problems that causes explain.
func weighs(f *model.Finding) bool { return f.Grade() != model.Note }

// diagnosed is a document and its diagnosis, for printing.
type diagnosed struct {
	*call
	d    *model.Document
	g    *cause.Diagnosis
	path string // as it was given or found
}

// causeOf is cause k as data.
func (c diagnosed) causeOf(k int) causeLine {
	x := c.g.Causes[k]
	explains, of := c.g.Counts(x)
	l := causeLine{problem: c.leading(k), Grade: x.Grade.String(), Text: x.Text, Means: x.Means,
		Evidence: list(x.Evidence), Explains: explains, Of: of, Repairs: []repairLine{}}
	l.Repairs = append(l.Repairs, model.Map(x.Repairs, repaired)...)
	return l
}

// print prints the causes and the problems.
func (c diagnosed) print(all bool) error {
	if err := c.causes(); err != nil {
		return err
	}
	return c.problems(all)
}

// causes prints the causes.
func (c diagnosed) causes() error {
	for k, x := range c.g.Causes {
		l := c.causeOf(k)
		l.Kind, l.Document = "cause", c.path
		if c.ledger {
			l.Why = whyOf(x)
		}
		var err error
		if c.json {
			err = c.line(l)
		} else {
			_, err = fmt.Fprint(c.Out, c.causeText(l, x))
		}
		if err != nil {
			return err
		}
	}
	if c.g.Cut && !c.json && slices.ContainsFunc(c.g.Causes, func(x *cause.Cause) bool { return len(x.Repairs) > 0 }) {
		return linef(c.Out, "%s: note: the search was cut short, so repairs may be numbered differently next time; use the ID with fix --choose", c.path)
	}
	return nil
}

// causeText is a cause for people: a line for itself, its evidence, and each repair.
func (c diagnosed) causeText(l causeLine, x *cause.Cause) string {
	text := fmt.Sprintf("%s: %s cause: %s\n", model.OneLine(c.path), c.tint(l.Grade), model.OneLine(strings.TrimRight(x.Text+" "+x.Means, " ")))
	if said := l.evidence(); said != "" {
		text += "  evidence: " + model.OneLine(said) + "\n"
	}
	if c.ledger {
		text += why(x)
	}
	for _, r := range x.Repairs {
		text += fmt.Sprintf("  repair %d [%s]: %s\n", r.Number, r.ID, model.OneLine(r.Label+remark(r.Loses, r.Safe)))
	}
	return text
}

// evidence is the evidence for a cause, in one line.
func (l causeLine) evidence() string {
	said := cause.Evidence(l.Evidence)
	if 0 < l.Explains && l.Explains < l.Of {
		said += "; " + model.Words("explains %s of %s problems", model.Thousands(int64(l.Explains)), model.Thousands(int64(l.Of)))
	}
	return strings.TrimPrefix(said, "; ")
}

// remark says what a repair loses.
func remark(loses string, safe bool) string {
	switch {
	case loses != "":
		return " (loses " + loses + ")"
	case safe:
		return " (safe)"
	}
	return ""
}

func repaired(r *cause.Repair) repairLine {
	l := repairLine{Number: r.Number, ID: r.ID, Label: r.Label, Safe: r.Safe, Loses: r.Loses, Changes: []changeLine{}}
	for _, x := range r.Changes {
		l.Changes = append(l.Changes, changeLine{x.File, x.Off, x.Del, x.Grown, hex.EncodeToString(x.Was), hex.EncodeToString(x.Is)})
	}
	return l
}

// ofCause returns the finding that represents a cause: the first at its place, otherwise the first that it explains; -1 for none.
func ofCause(g *cause.Diagnosis, k int) int {
	x := g.Causes[k]
	for i := range g.Findings {
		f := &g.Findings[i]
		if x.At.Path != "" && f.Path() == x.At.Path && weighs(f) {
			return i
		}
	}
	for _, i := range x.Explains {
		if weighs(&g.Findings[i]) {
			return i
		}
	}
	return -1
}

// leading is cause k as a finding: the rule that leads to it, and the place of the damage.
func (c diagnosed) leading(k int) problem {
	x := c.g.Causes[k]
	p := problem{Rule: model.RuleUnknown.ID, Severity: model.Error.String(), Space: "file"}
	if i := ofCause(c.g, k); i >= 0 {
		p = c.describe(i, nil)
	}
	p.Path, p.Space, p.File, p.Offset, p.Length = x.At.Path, "file", cmp.Or(x.At.File, filepath.Base(c.d.Path)), x.At.Off, x.At.Len
	p.Message, p.Cause, p.Fixes = x.Text, k+1, []problemFix{}
	for _, r := range x.Repairs {
		p.Fixes = append(p.Fixes, problemFix{r.Label, r.Safe})
	}
	return p
}

// maxAsked is for how many findings of one rule repairs are requested, because these may read the file again.
const maxAsked = 64

// ordered is the order in which findings are printed: as data by place, as text errors first and notes last.
func ordered(g *cause.Diagnosis, asData bool, first []*model.Rule) []int {
	order := model.Indices(len(g.Findings))
	if !asData {
		slices.SortStableFunc(order, func(a, b int) int { return int(g.Findings[a].Grade()) - int(g.Findings[b].Grade()) })
	}
	slices.SortStableFunc(order, func(a, b int) int { return at(first, g.Findings[a].Rule) - at(first, g.Findings[b].Rule) })
	return order
}

// problems prints the findings; as text, those that a cause explains are printed only with --all.
func (c diagnosed) problems(all bool) error {
	g, all := c.g, all || c.json // as data nothing is hidden
	var hidden leftOut
	printed := map[*model.Rule]int{}
	for _, i := range ordered(g, c.json, c.first) {
		f := &g.Findings[i]
		if !all && g.By[i] >= 0 && !slices.Contains(c.first, f.Rule) {
			hidden.add(f.Grade(), 1)
			continue
		}
		if printed[f.Rule]++; !all && c.crowded(f.Rule, printed[f.Rule]) {
			continue
		}
		if err := c.finding(i, printed[f.Rule] <= maxAsked, all); err != nil {
			return err
		}
	}
	if err := c.alike(printed, all); err != nil {
		return err
	}
	for _, r := range slices.SortedFunc(maps.Keys(g.Omitted), func(a, b *model.Rule) int { return strings.Compare(a.ID, b.ID) }) {
		if printed[r] == 0 && !all {
			hidden.add(r.Severity, g.Omitted[r])
			continue
		}
		f := model.Finding{Rule: model.RuleCap, Message: model.Words("%s more findings of %s are not listed", model.Thousands(int64(g.Omitted[r])), r.ID)}
		p := problem{Rule: f.Rule.ID, Severity: f.Grade().String(), File: filepath.Base(c.d.Path), Space: "file", Message: f.Text(), Fixes: []problemFix{}}
		if err := c.problem(p, &f); err != nil {
			return err
		}
	}
	return c.unprinted(hidden)
}

// finding prints finding i, with its repairs if they are to be asked for. Why each format declined a document is said only with all.
func (c diagnosed) finding(i int, repairs, all bool) error {
	f := &c.g.Findings[i]
	var fixes []model.Fix
	if repairs {
		fixes = c.g.Tree.Fixes(c.ctx, f)
	}
	p := c.describe(i, fixes)
	if f.Rule == model.RuleUnknown && !all {
		p.said[1] = ""
	}
	return c.problem(p, f)
}

// problem prints one finding.
func (c diagnosed) problem(p problem, f *model.Finding) error {
	if p.Kind, p.Document = "finding", c.path; c.json {
		return c.line(p)
	}
	_, err := fmt.Fprintln(c.Out, c.sentence(p, f))
	return err
}

// fileOf is the path of a file of a document that was opened as path.
func fileOf(path, file string) string {
	if scheme, rest, is := strings.Cut(path, "://"); is && remote.Is(path) {
		return scheme + "://" + filepath.ToSlash(fileOf(rest, file))
	}
	switch {
	case file == "" || file == filepath.Base(path):
		return path
	case filepath.Ext(path) != "" && filepath.Dir(file) == ".":
		return filepath.Join(filepath.Dir(path), file)
	}
	return filepath.Join(path, file)
}

// sentence is one finding as text.
func (c diagnosed) sentence(p problem, f *model.Finding) string {
	at := fileOf(c.path, p.File)
	if p.Space == "file" {
		at = fmt.Sprintf("%s:0x%x+%d", at, p.Offset, p.Length)
	} else {
		at = fmt.Sprintf("%s[%s]:0x%x+%d", at, p.Space, p.Offset, p.Length)
	}
	if f.Rule == model.RuleInternal {
		p.said[0] = "" // a trace
	}
	if p.Path != "" {
		p.Message += " (" + p.Path + ")"
	}
	text := p.text()
	for _, x := range p.Fixes {
		text += "; fix: " + x.Label
	}
	return fmt.Sprintf("%s: %s %s: %s", model.OneLine(at), c.tint(p.Severity), p.Rule, model.OneLine(text))
}

// describe fills the JSON fields of a finding. If a cause leads with it, the repairs of the cause come first; repairs that a rule offers are
// never called safe, because only the engine proves that.
func (c diagnosed) describe(i int, fixes []model.Fix) problem {
	g := c.g
	f := &g.Findings[i]
	r := f.Where()
	p := problem{Rule: f.Rule.ID, Severity: f.Grade().String(), Path: f.Path(), File: cmp.Or(g.Tree.FileName(r), filepath.Base(c.d.Path)), Space: "file",
		Offset: r.Off, Length: r.Len, Found: f.Found, Expected: f.Expected, Message: f.Text(), Fixes: []problemFix{}, Cause: g.By[i] + 1}
	p.said[0], p.said[1] = f.Said()
	if s := g.Tree.Space(r.Space); s != nil {
		p.Space = s.Name()
	}
	safe := map[string]bool{}
	for k, x := range g.Causes {
		if ofCause(g, k) != i {
			continue
		}
		for _, r := range x.Repairs {
			p.Fixes = append(p.Fixes, problemFix{r.Label, r.Safe})
			safe[r.Label] = true
		}
	}
	for _, x := range fixes {
		if !safe[x.Label] {
			p.Fixes = append(p.Fixes, problemFix{x.Label, false})
		}
	}
	return p
}
