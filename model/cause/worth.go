package cause

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"time"

	"spandrel/model"
)

// Worth measures what each part of the search contributes: `make worth` leaves out one after the other and compares. A part is a hypothesis about a
// file, a source of candidate values, or the repair that a rule offers. A nil Worth measures nothing.
type Worth struct {
	Without string      // the part that is left out; "" for none
	Judged  *Judgements // outcomes shared with other diagnoses of the document; may be nil

	mu    sync.Mutex
	parts map[string]*Part
}

// Part is what one part of the search did.
type Part struct {
	Name   string
	Trials int           // trials that it made
	Kept   int           // … that improved the document, or causes that it reported
	Took   time.Duration // CPU time, including its trials
}

// Parts lists the parts, those that took longest first.
func (w *Worth) Parts() (out []Part) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.parts {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b Part) int { return int(b.Took - a.Took) })
	return out
}

// omits tells whether a part is left out.
func (w *Worth) omits(part string) bool { return w != nil && w.Without == part }

// note adds to the account of a part.
func (w *Worth) note(part string, add Part) {
	if w == nil || part == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.parts == nil {
		w.parts = map[string]*Part{}
	}
	p := w.parts[part]
	if p == nil {
		p = &Part{Name: part}
		w.parts[part] = p
	}
	p.Trials, p.Kept, p.Took = p.Trials+add.Trials, p.Kept+add.Kept, p.Took+add.Took
}

// step runs a part of the search, unless it is left out. Trials that run inside it without a part of their own count as its own.
func (r *search) step(name string, f func()) {
	if r.o.Worth.omits(name) {
		return
	}
	outer, start := r.in, model.CPUTime()
	r.in = name
	f()
	r.in = outer
	r.o.Worth.note(name, Part{Took: model.CPUTime() - start})
}

// step runs a hypothesis about a file: the trials that it adds count as its own.
func (g *subject) step(name string, f func(*subject)) {
	trials, told := len(g.trials), g.tells()
	g.r.step(name, func() { f(g) })
	for _, t := range g.trials[min(trials, len(g.trials)):] {
		t.by = name
	}
	if now := g.tells(); !slices.Equal(now, told) {
		g.r.o.Worth.note(name, Part{Kept: max(1, len(now)-len(told))})
	}
}

// tells are the sentences about a file so far.
func (g *subject) tells() (out []string) {
	for _, c := range g.told {
		out = append(out, c.Text)
	}
	return out
}

// holds tells whether a condition of the search is true and not left out.
func (r *search) holds(part string, is bool) bool {
	if !is || r.o.Worth.omits(part) {
		return false
	}
	r.o.Worth.note(part, Part{Kept: 1})
	return true
}

// objects is an objection to calling a repair proven, unless the part that makes it is left out.
func (r *search) objects(part, why string) string {
	if r.holds(part, why != "") {
		return why
	}
	return ""
}

// Judgements are the outcomes of trials, shared by diagnoses of one document that each leave out one part: nearly all of their trials are the
// same, and take nearly all of the time.
type Judgements struct {
	mu sync.Mutex
	of map[string]judgement
}

// judgement is the outcome of a trial. For one that was stopped, errors is a lower bound.
type judgement struct {
	res     *verdict
	stopped bool
	errors  int64
}

// answers tells whether judging again with this many bearable errors would have the same outcome.
func (j judgement) answers(bearable int64) bool { return !j.stopped || j.errors > bearable }

// known returns the outcome of a trial that ran before, and remember keeps one for the next diagnosis.
func (w *Worth) known(key string, bearable int64) (judgement, bool) {
	if w == nil || w.Judged == nil || key == "" {
		return judgement{}, false
	}
	w.Judged.mu.Lock()
	defer w.Judged.mu.Unlock()
	j, ok := w.Judged.of[key]
	return j, ok && j.answers(bearable)
}

func (w *Worth) remember(key string, j judgement) {
	if w == nil || w.Judged == nil || key == "" {
		return
	}
	w.Judged.mu.Lock()
	defer w.Judged.mu.Unlock()
	if w.Judged.of == nil {
		w.Judged.of = map[string]judgement{}
	}
	w.Judged.of[key] = j
}

// nameOf identifies everything that the outcome of a trial depends on; "" if outcomes are not shared.
func (r *search) nameOf(t *trial, f *model.Format) string {
	if r.o.Worth == nil || r.o.Worth.Judged == nil {
		return ""
	}
	if r.name == "" {
		r.name = fmt.Sprint(r.deep)
		for _, file := range r.base.snap.Edited() {
			if c, err := r.base.snap.Content(file); err == nil {
				r.name += fmt.Sprintf(" %s %x", file, sha256.Sum256(bytesAt(c, 0, c.Len())))
			}
		}
	}
	to := mark(r, t)
	if to == "" {
		return ""
	}
	return fmt.Sprintf("%s %x %p %d %d %t %s", r.name, to, f, t.kind, t.op, t.field != nil, t.at.File)
}
