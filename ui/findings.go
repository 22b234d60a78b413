package ui

import (
	"errors"
	"slices"

	"spandrel/model"
)

// findings is what is wrong with a document, as the panes show it.
type findings struct {
	d     *Document
	all   []model.Finding
	known struct { // where they are from, and how many were there
		tree  *model.Tree
		found int
	}
	omitted int
	sealed  *model.Finding            // the first finding that a secret of the user would settle; nil: there is none
	shrunk  *model.Tree               // whose file was found to have lost bytes
	worst   map[string]model.Severity // the worst severity at a path or below it
}

// shrank makes it a finding that the file lost bytes while it was open, once.
func (f *findings) shrank(err error) {
	if t := f.d.Tree(); errors.Is(err, model.ErrShrunk) && f.shrunk != t {
		f.shrunk = t
		t.Report(model.Finding{Rule: model.RuleUndecoded, Span: t.Root, Message: err.Error() + ": reload it to see what is left"})
		f.refresh()
	}
}

// refresh shows findings that came since. It is called often.
func (f *findings) refresh() {
	if !f.read() {
		return
	}
	f.d.each(pane.changed)
	f.d.wb.update()
}

// read reads the findings of the tree and tells whether there are more than it knew of.
func (f *findings) read() bool {
	found, more := f.d.Tree().Findings()
	omitted := 0
	for _, n := range more {
		omitted += n
	}
	if f.known.tree == f.d.Tree() && f.known.found == len(found) && f.omitted == omitted {
		return false
	}
	f.known.tree, f.known.found = f.d.Tree(), len(found)
	f.all, f.omitted, f.sealed, f.worst = once(found), omitted, nil, map[string]model.Severity{}
	for i := range f.all {
		if f.sealed == nil && f.all[i].Needs != nil {
			f.sealed = &f.all[i]
		}
		grade := f.all[i].Grade()
		for s := f.owner(f.all[i].Span, f.all[i].Where()); s != nil; s = s.Parent() {
			p := s.Path()
			if w := f.worst[p]; w != 0 && w <= grade {
				break // so are those above
			}
			f.worst[p] = grade
		}
	}
	return true
}

// once drops the findings that were reported more than once: checks that were cancelled begin anew.
func once(found []model.Finding) []model.Finding {
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

// counts returns how many findings there are of each severity.
func (f *findings) counts() (n [4]int) { return gradesOf(f.all) }

func gradesOf(list []model.Finding) (n [4]int) {
	for i := range list {
		n[list[i].Grade()]++
	}
	return n
}

// owner returns the deepest span at s or below it that is known to hold all of r.
func (f *findings) owner(s *model.Span, r model.Range) *model.Span {
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

// notVerified is what is said of a document in which a repair was made that is not proven, until that is undone or the file is opened again.
const notVerified = "values not verified"

// stateText says what is wrong with a document; where nothing is, but a repair was made that is not proven, that no more than that is known.
func (d *Document) stateText() string {
	n := d.found.counts()
	text := problemCounts(n, d.check.complete())
	switch {
	case !d.unverified():
		return text
	case n[model.Error] == 0 && n[model.Warning] == 0:
		return "No errors; " + notVerified
	}
	return text + "; " + notVerified
}

// unverified tells whether a repair that was not proven led to what is shown.
func (d *Document) unverified() bool {
	return d.editor.guessed || d.trial != nil && d.trial.guess && !d.trial.old
}

// problemCounts puts findings into words. That there are none is said when everything was checked.
func problemCounts(n [4]int, all bool) string {
	text := ""
	for s, name := range []string{model.Error: "error", model.Warning: "warning", model.Note: "note"} {
		if name == "" || n[s] == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += counted(int64(n[s]), name)
	}
	switch {
	case text == "" && all:
		return "no problems found"
	case text == "":
		return "no problems so far"
	}
	return text
}
