package cause

import (
	"slices"
	"sync"
	"time"

	"spandrel/model"
)

// Worth measures what the parts of the search are worth: `make worth` leaves one out after the other, and compares. A part is a hypothesis about a
// file, a source of values for a number, or the repair that a rule offers. Nil measures nothing.
type Worth struct {
	Without string // the part that is left out; "" for none

	mu    sync.Mutex
	parts map[string]*Part
}

// Part is what one part of the search did.
type Part struct {
	Name   string
	Trials int           // that it made
	Kept   int           // … after which less was wrong, or causes that it told
	Took   time.Duration // of all cores, the trials with it
}

// Parts lists what was done, the parts that took longest first.
func (w *Worth) Parts() (out []Part) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.parts {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b Part) int { return int(b.Took - a.Took) })
	return out
}

// omits tells whether a part is to be left out.
func (w *Worth) omits(part string) bool { return w != nil && w.Without == part }

// note adds to what a part did.
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

// step runs a part of the search, unless it is left out. The trials that are run in it, and that no part made, are its own.
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

// step runs a hypothesis about a file: the trials that it adds are its own.
func (g *glance) step(name string, f func()) {
	trials, told := len(g.trials), len(g.told)
	g.r.step(name, f)
	for _, t := range g.trials[min(trials, len(g.trials)):] {
		t.by = name
	}
	g.r.o.Worth.note(name, Part{Kept: max(0, len(g.told)-told)})
}
