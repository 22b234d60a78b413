package doc

import (
	"errors"
	"slices"

	"spandrel/model"
	"spandrel/ui/show"
)

// Findings is the problems of a document as the panes show them.
type Findings struct {
	d     *Document
	All   []model.Finding
	known struct { // source of the findings, and their number there
		tree  *model.Tree
		found int
	}
	Omitted int
	Sealed  *model.Finding            // first finding that a key from the user would resolve; nil: none
	Shrunk  *model.Tree               // tree of a file that lost bytes
	Worst   map[string]model.Severity // the worst severity at a path or below it
}

// Shrank reports, once, that the file lost bytes while it was open.
func (f *Findings) Shrank(err error) {
	if t := f.d.Tree(); errors.Is(err, model.ErrShrunk) && f.Shrunk != t {
		f.Shrunk = t
		t.Report(model.Finding{Rule: model.RuleUndecoded, Span: t.Root, Message: err.Error() + ": reload it to see the rest"})
		f.Refresh()
	}
}

// Refresh shows new findings. It is called often.
func (f *Findings) Refresh() {
	if !f.read() {
		return
	}
	f.d.all(Pane.Changed)
	f.d.Window.Update()
}

// read reads the findings of the tree and tells whether there are new ones.
func (f *Findings) read() bool {
	found, more := f.d.Tree().Findings()
	omitted := 0
	for _, n := range more {
		omitted += n
	}
	if f.known.tree == f.d.Tree() && f.known.found == len(found) && f.Omitted == omitted {
		return false
	}
	f.known.tree, f.known.found = f.d.Tree(), len(found)
	f.All, f.Omitted, f.Sealed, f.Worst = Once(found), omitted, nil, map[string]model.Severity{}
	for i := range f.All {
		if f.Sealed == nil && f.All[i].Needs != nil {
			f.Sealed = &f.All[i]
		}
		grade := f.All[i].Grade()
		for s := f.owner(f.All[i].Span, f.All[i].Where()); s != nil; s = s.Parent() {
			p := s.Path()
			if w := f.Worst[p]; w != 0 && w <= grade {
				break // so are those above
			}
			f.Worst[p] = grade
		}
	}
	return true
}

// learn adds the details that a diagnosis gives to findings: what the bytes are that they count.
func (f *Findings) learn(diagnosed []model.Finding) {
	type place struct {
		rule *model.Rule
		at   model.Range
	}
	details := map[place]string{}
	for i := range diagnosed {
		details[place{diagnosed[i].Rule, diagnosed[i].Where()}] = diagnosed[i].Detail
	}
	for i := range f.All {
		f.All[i].Detail = details[place{f.All[i].Rule, f.All[i].Where()}]
	}
}

// Once drops repeated findings: cancelled checks start again from the beginning.
func Once(found []model.Finding) []model.Finding {
	type key struct {
		rule *model.Rule
		span *model.Span
		at   model.Range
		text string
	}
	seen := map[key]bool{}
	return slices.DeleteFunc(found, func(f model.Finding) bool {
		k := key{f.Rule, f.Span, f.Range, f.Text() + "\x00" + f.Found}
		again := seen[k]
		seen[k] = true
		return again
	})
}

// Counts returns how many findings there are of each severity.
func (f *Findings) Counts() (n [4]int) { return Grades(f.All) }

// Grades counts findings by their severity.
func Grades(list []model.Finding) (n [4]int) {
	for i := range list {
		n[list[i].Grade()]++
	}
	return n
}

// owner returns the deepest known span, from s on, that contains all of r.
func (f *Findings) owner(s *model.Span, r model.Range) *model.Span {
	if s == nil || r.Len == 0 || r == s.Range {
		return s
	}
	for q := f.d.Tree().At(r.Space, r.Off); q != nil && q != s; q = q.Parent() {
		if q.Range.Contains(r) {
			return q
		}
	}
	return s
}

// NotVerified is shown for a document after an unproven repair, until that is undone or the file is opened again.
const NotVerified = "values not verified"

// StateText summarises the problems; without problems but after an unproven repair, that its values are not verified.
func (d *Document) StateText() string {
	n := d.Found.Counts()
	text := ProblemCounts(n, d.Check.Complete())
	switch {
	case !d.Unverified():
		return text
	case n[model.Error] == 0 && n[model.Warning] == 0:
		return "No errors; " + NotVerified
	}
	return text + "; " + NotVerified
}

// Unverified tells whether an unproven repair led to the current state.
func (d *Document) Unverified() bool {
	return d.Editor.Guessed || d.Preview != nil && d.Preview.Guess && !d.Preview.Old
}

// ProblemCounts puts findings into words. It says that there are none only after a full check.
func ProblemCounts(n [4]int, all bool) string {
	text := ""
	for s, name := range []string{model.Error: "error", model.Warning: "warning", model.Note: "note"} {
		if name == "" || n[s] == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += show.Counted(int64(n[s]), name)
	}
	switch {
	case text == "" && all:
		return "no problems found"
	case text == "":
		return "no problems so far"
	}
	return text
}
