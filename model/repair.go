package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// doubtful tells whether bytes may have been damaged: their checksum does not match, or they come from bytes that are doubtful
// or could not be decoded completely.
func (t *Tree) doubtful(r Range) bool {
	t.mu.Lock()
	wrong := slices.ContainsFunc(t.suspect, func(s Range) bool { return s.Overlaps(r) || s.Contains(r) })
	t.mu.Unlock()
	s := t.Space(r.Space)
	if wrong || s == nil || !s.Derived() {
		return wrong
	}
	if s.mu.TryLock() { // while it is being decoded nothing is known yet, and the window does not wait for it
		wrong = s.fault != nil
		s.mu.Unlock()
	}
	return wrong || t.doubtful(s.Origin)
}

// ErrNothing is why a fix with an empty plan was not applied.
var ErrNothing = errors.New("there is nothing to change")

// Repair applies fixes one after the other, because one may change what another would do: the safe fix of every
// finding, or with the ID of a rule the first one offered for it. Errors come first. Warnings and notes are left
// alone in a file with remaining errors, because they may be symptoms. Fixes that failed are tried again after
// others succeeded.
type Repair struct {
	Rule   string
	Made   int
	now    string
	left   map[string]int // for applied fixes: how many equal ones were offered
	same   int            // of the one that Next returned
	failed map[string]error
	again  bool // a fix was made since one failed
}

// Next returns the next fix of a tree to apply, or nil if there is none.
func (r *Repair) Next(ctx context.Context, t *Tree) *Fix {
	found, _ := t.Findings()
	if f := r.first(ctx, t, found, func(d *Finding) bool { return d.Grade() == Error }); f != nil {
		return f
	}
	wrong := map[string]bool{} // by file
	for i := range found {
		if found[i].Grade() == Error && r.Rule == "" {
			wrong[t.FileName(found[i].Where())] = true
		}
	}
	if f := r.first(ctx, t, found, func(d *Finding) bool { return !wrong[t.FileName(d.Where())] }); f != nil {
		return f
	}
	if r.again && len(r.failed) > 0 {
		r.again = false
		clear(r.failed)
		return r.Next(ctx, t)
	}
	return nil
}

// first returns the first fix to apply among findings that satisfy a condition. A fix is repeated as long as
// the number of findings of its kind decreases.
func (r *Repair) first(ctx context.Context, t *Tree, found []Finding, holds func(*Finding) bool) *Fix {
	count := map[string]int{}
	fixes := make([]*Fix, len(found))
	keys := make([]string, len(found))
	for i := range found {
		d := &found[i]
		switch {
		case !holds(d):
		case r.Rule == "":
			fixes[i] = t.Safe(d, t.Fixes(ctx, d))
		case d.Rule.ID == r.Rule:
			fixes[i] = t.first(ctx, d)
		}
		if fixes[i] != nil {
			keys[i] = fmt.Sprintf("%s %s: %s", d.Rule.ID, d.Path(), fixes[i].Label)
			count[keys[i]]++
		}
	}
	for i, key := range keys {
		if left, made := r.left[key]; key != "" && r.failed[key] == nil && (!made || count[key] < left) {
			r.now, r.same = key, count[key]
			return fixes[i]
		}
	}
	return nil
}

// Done reports the outcome of the fix that Next returned.
func (r *Repair) Done(err error) {
	if r.left == nil {
		r.left, r.failed = map[string]int{}, map[string]error{}
	}
	if err != nil {
		r.failed[r.now] = err
		return
	}
	r.Made++
	r.left[r.now], r.again = r.same, true
}

// Failed returns the fixes that could not be applied, each with the reason.
func (r *Repair) Failed() error {
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(r.failed)) {
		errs = append(errs, fmt.Errorf("%s: %w", key, r.failed[key]))
	}
	return errors.Join(errs...)
}

// first is the fix that is offered first, or nil.
func (t *Tree) first(ctx context.Context, f *Finding) *Fix {
	if fixes := t.Fixes(ctx, f); len(fixes) > 0 {
		return &fixes[0]
	}
	return nil
}

// Fitted is the length that a dimension of an array needs for the shape to fit the content.
type Fitted struct {
	Dim  int
	N    int64
	Step int64 // what one more of it adds to the content
}

// Fitting returns, for each dimension of an array, the length that makes the shape fit the content if only that dimension is wrong: have is the size
// of the content and unit that of an element, both in bytes or both in bits.
func Fitting(dims []Node, unit, have int64) (out []Fitted) {
	for i := range dims {
		rest := unit
		for k, n := range dims {
			switch {
			case k == i:
			case n.Int() > 0 && rest > 0 && rest <= have/n.Int():
				rest *= n.Int()
			default:
				rest = 0
			}
		}
		if rest > 0 && have%rest == 0 {
			out = append(out, Fitted{i, have / rest, rest})
		}
	}
	return out
}

// FitShape offers what Fitting returns. cut means that content may be missing, which a shorter dimension would give up.
func FitShape(dims []Node, unit, have int64, cut bool) (out []Fix) {
	for _, x := range Fitting(dims, unit, have) {
		d := dims[x.Dim]
		fix := Fix{Label: fmt.Sprintf("set dimension %d to %d", x.Dim, x.N), Edits: []Edit{SetValue(d.Span, I(x.N))}}
		if cut && x.N < d.Int() {
			fix.Loses = fmt.Sprintf("the missing elements: the array keeps %d of %d along dimension %d", x.N, d.Int(), x.Dim)
		}
		out = append(out, fix)
	}
	return out
}
