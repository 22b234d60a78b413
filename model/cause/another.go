package cause

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/another"
)

// Restoring a document from another copy: of the bytes that differ, take those that leave fewer errors and introduce none.

// ErrNotAlike means that the copy seems to contain other data.
var ErrNotAlike = errors.New("the copy may be of other data")

// Taken is what was restored from another copy.
type Taken struct {
	Plan          *model.Plan // nil: no bytes of the copy reduce the errors without introducing others
	Format        *model.Format
	ID            string
	Ranges, Files int
	Bytes         int64 // taken from the copy
	Before, After int   // errors and lost sectors
	Left          int   // other ranges that differ, left unchanged
	Unsure        int64 // bytes that are taken which nothing vouches for: values without a checksum, and the copy may be wrong there
}

// pair is a file of the document and its counterpart in the copy.
type pair struct {
	name      string
	was, from *model.Content // was is nil if the file is missing
}

// taking is a search for the ranges to take from a copy.
type taking struct {
	*search
	pairs   []*pair
	runs    runList
	group   grouping
	doubts  *doubts
	touched []bool // by run: whether there is a problem
	tried   map[string]*verdict
	agree   another.Agreement
	rows    [2]rowSet // of the document and of the copy
	unread  bool      // time did not suffice to compare all rows
}

// Take finds the ranges of a copy that restore a document. It reads both completely. An error says why the copy cannot be used.
func Take(ctx context.Context, d *model.Document, o Options, from *model.Snapshot) (*Taken, error) {
	x := &taking{search: &search{ctx: ctx, all: ctx, o: o, deep: true, front: maxTransform}, tried: map[string]*verdict{}}
	x.o.Tree = nil
	err := x.compare(d, from)
	f := d.Format
	if f == nil {
		f = x.formatOf(from)
	}
	if err != nil {
		return nil, orElseUse(x.search, err, from, f)
	}
	if f == nil {
		return nil, errors.New("neither the document nor the copy is in a known format, so there is no telling which bytes are damaged")
	}
	if err := x.start(d.Tree.Snapshot, f); err != nil {
		return nil, err
	}
	if x.base.tree == nil {
		return nil, errors.New("the document cannot be read")
	}
	x.doubts = doubtsOf(x.all, x.base.tree, x.found)
	x.divide()
	out := &Taken{Format: f, Before: x.base.harm(), After: x.base.harm(), Left: len(x.runs)}
	if len(x.runs) == 0 || out.Before == 0 && d.Format != nil {
		return out, nil
	}
	var stop func()
	x.spend, x.ctx, stop = begin(ctx, max(o.Time, DefaultTime)*takeTimes)
	defer stop()
	set, err := x.find()
	if err = cmp.Or(ctx.Err(), err); err != nil || set == nil {
		return out, err
	}
	if err := x.alike(set); err != nil {
		return nil, orElseUse(x.search, err, from, f)
	}
	return out, x.tell(out, set, path.Base(from.Primary))
}

// useIt is what can be done if nothing may be taken from a copy.
const useIt = "the copy itself has no errors: if it is the right one, use it instead"

// orElseUse adds to the reason why nothing is taken from a copy whether it can be used as it is.
func orElseUse(r *search, why error, from *model.Snapshot, f *model.Format) error {
	if !errors.Is(why, ErrNotAlike) {
		return why
	}
	if v := r.checked(r.all, from, f); v.failed || v.harm() > 0 {
		return why
	}
	return fmt.Errorf("%w; %s", why, useIt)
}

// takeTimes is how many times the time of a diagnosis this search may use: every answer is a full check.
const takeTimes = 10

// formatOf is the format that recognises the copy's file, for a document that no format recognises any more.
func (x *taking) formatOf(from *model.Snapshot) *model.Format {
	for _, p := range x.pairs {
		if f, _ := x.recognised(path.Base(p.name), p.from); f != nil {
			return f
		}
	}
	return nil
}

// compare pairs the files of the document with those of the copy, and lists the ranges that differ.
func (x *taking) compare(d *model.Document, from *model.Snapshot) error {
	var err error
	if x.pairs, err = paired(x.all, d, from); err != nil {
		return err
	}
	for _, p := range x.pairs {
		if p.was == nil {
			x.runs = append(x.runs, run{p, another.Range{N: p.from.Len()}})
			continue
		}
		ranges, agree, err := another.Compare(x.all, p.was, p.from)
		switch {
		case errors.Is(err, another.ErrOther):
			return fmt.Errorf("%w: %s differs in too many places", ErrNotAlike, p.name)
		case err != nil:
			return fmt.Errorf("%s: %w", p.name, err)
		}
		x.agree.Same, x.agree.Other = x.agree.Same+agree.Same, x.agree.Other+agree.Other
		for _, r := range ranges {
			x.runs = append(x.runs, run{p, r})
		}
	}
	return nil
}

// paired lists the files of a document with their counterparts: by name if the copy is a folder, otherwise the one file that it is.
func paired(ctx context.Context, d *model.Document, from *model.Snapshot) (out []*pair, err error) {
	snap := d.Tree.Snapshot
	if from.Primary != "" {
		p, err := pairOf(snap, beside(ctx, d, from.Primary), from, from.Primary)
		return []*pair{p}, err
	}
	names, err := from.Files()
	if err != nil {
		return nil, err
	}
	known := map[string]bool{snap.Primary: true}
	for _, s := range d.Tree.Spaces() {
		known[s.File] = true
	}
	all := d.Format != nil && d.Format.Whole()
	for _, theirs := range names {
		name := path.Join(snap.Part, theirs)
		_, missing := snap.Content(name)
		ours := all || known[name] || missing != nil && snap.Folder() // others belong to another document in the same folder
		if !ours || strings.HasSuffix(theirs, ".par") {
			continue
		}
		p, err := pairOf(snap, name, from, theirs)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, errors.New("the copy lacks a file that the document has")
	}
	return out, nil
}

// pairOf is a file of a document with its counterpart in the copy.
func pairOf(snap *model.Snapshot, name string, from *model.Snapshot, theirs string) (*pair, error) {
	is, err := from.Content(theirs)
	if err != nil {
		return nil, err
	}
	was, err := snap.Content(name)
	if err != nil && !model.Missing(err) {
		return nil, err
	}
	return &pair{name: name, was: was, from: is}, nil
}

// beside is the file of a document that a single file is a copy of: the one with the same name, a missing one with that name, or the main file.
func beside(ctx context.Context, d *model.Document, theirs string) string {
	snap := d.Tree.Snapshot
	if path.Base(snap.Primary) == theirs || !snap.Folder() {
		return snap.Primary
	}
	for _, s := range d.Tree.Spaces() {
		if !s.Derived() && path.Base(s.File) == theirs {
			return s.File
		}
	}
	for _, e := range d.Tree.Extents(ctx) {
		if path.Base(e.File) == theirs {
			return e.File
		}
	}
	if snap.Primary != "" && path.Ext(snap.Primary) == path.Ext(theirs) {
		return snap.Primary // an older copy under another name
	}
	return path.Join(snap.Part, theirs)
}

// harm counts errors and lost sectors.
func (v *verdict) harm() int {
	return v.count[model.Error] + v.beyond(&verdict{}, isBlank)
}

func isBlank(f finding) bool { return f.rule == model.RuleBlank.ID }

// freshHarm counts the errors and lost sectors that the other state does not have.
func (v *verdict) freshHarm(base *verdict) int {
	return v.fresh(base, model.Error) + v.beyond(base, isBlank)
}

// freshDoubt counts the warnings that the other state does not have, and what a limit of this program newly leaves unread: a damaged byte of the
// copy may hide errors that way.
func (v *verdict) freshDoubt(base *verdict) int {
	return v.fresh(base, model.Warning) + v.beyond(base, func(f finding) bool { return f.rule == model.RuleCap.ID })
}

// state is the document with a set of runs taken from the copy.
func (x *taking) state(set []bool) *model.Snapshot {
	snap := x.base.snap
	for i := 0; i < len(x.runs); {
		p := x.runs[i].pair
		var list []another.Range
		for ; i < len(x.runs) && x.runs[i].pair == p; i++ {
			if set[i] {
				list = append(list, x.runs[i].Range)
			}
		}
		switch {
		case len(list) == 0:
		case p.was == nil:
			snap = snap.With(p.name, p.from)
		default:
			snap = snap.With(p.name, another.Apply(p.was, p.from, list))
		}
	}
	return snap
}

// try checks the document with a set of runs; each set is checked once.
func (x *taking) try(set []bool) *verdict {
	key := fmt.Sprint(set)
	if v := x.tried[key]; v != nil {
		return v
	}
	v := x.checked(x.ctx, x.state(set), x.base.format)
	v.tree = nil
	x.tried[key] = v
	return v
}

// tell turns a set into the answer.
func (x *taking) tell(out *Taken, set []bool, name string) error {
	to := x.state(set)
	after := judge(x.all, to, x.base.format, nil)
	v := x.try(set)
	p := &model.Plan{From: x.base.snap, To: to}
	var files []string
	for i, r := range x.runs {
		if !set[i] {
			continue
		}
		q := model.Patch{File: r.name, Off: r.Off, Del: r.Len, Why: "from another copy"}
		if r.N > 0 {
			q.With = r.Of(r.from)
		}
		p.Patches = append(p.Patches, q)
		out.Ranges, out.Bytes, out.Left = out.Ranges+1, out.Bytes+r.N, out.Left-1
		if !slices.Contains(files, r.name) {
			files = append(files, r.name)
		}
	}
	out.Plan, out.Files, out.After, out.Unsure = p, len(files), v.harm(), x.unsure(set, after.tree)
	out.ID = identify(to, changes(x.all, x.base.snap, to))
	p.Label = model.Words("Restore %s from another copy", model.Count(int64(out.Ranges), "damaged ranges"))
	if out.Ranges == 1 {
		p.Label = "Restore a damaged range from another copy"
	}
	return x.all.Err()
}

// removes says which sound bytes a set would remove; "" for none. While errors remain, the copy is damaged too, and may be the one
// that lacks bytes even where the document has errors.
func (x *taking) removes(set []bool, broken bool) string {
	near := x.near()
	for i, r := range x.runs {
		if !set[i] || r.Len <= r.N {
			continue
		}
		if broken {
			return fmt.Sprintf("errors are left, and %s at 0x%x of %s would be lost", model.Count(r.Len-r.N, "bytes"), r.Off, r.name)
		}
		if near[i] {
			continue
		}
		if sound := soundIn(x.base.tree, r); sound > 0 {
			return fmt.Sprintf("%s of data at 0x%x of %s would be lost", model.Count(sound, "bytes"), r.Off, r.name)
		}
	}
	return ""
}

// soundIn is how many bytes of a run have a meaning.
func soundIn(t *model.Tree, r run) (n int64) {
	sp := spaceOf(t, r.name)
	if sp == nil {
		return 0
	}
	at := model.Range{Space: sp.ID, Off: r.Off, Len: r.Len}
	t.Cover(at, func(s *model.Span) bool {
		if s.State != model.Gap && !s.Field.Unused {
			n += min(s.Range.End(), at.End()) - max(s.Range.Off, at.Off)
		}
		return true
	})
	return n
}

// objection says what a set of runs would destroy; "" for nothing.
func (x *taking) objection(set []bool, after *verdict) string {
	return cmp.Or(x.removes(set, x.try(set).harm() > 0), x.loses(x.state(set), after), x.mixes(set, after.tree))
}

// loses says what can be read before but not after; "" for nothing.
func (x *taking) loses(to *model.Snapshot, after *verdict) string {
	if after.tree == nil {
		return "the document cannot be read"
	}
	g := guarded{search: x.search, t: &trial{res: after, snap: to}, to: to, after: after}
	for _, guard := range []func(guarded) string{guarded.unopened, guarded.less, guarded.fuse} {
		if why := guard(g); why != "" {
			return why
		}
	}
	return ""
}

// leastAlike is how many bytes must agree at least.
const leastAlike = 16

// alike rejects a copy of other data: outside lost ranges most bytes must agree.
func (x *taking) alike(set []bool) error {
	missing := true
	for i, r := range x.runs {
		if set[i] && r.was != nil {
			missing, x.agree.Other = false, x.agree.Other+max(0, r.Len-r.N)
		}
	}
	if missing {
		return nil // no existing byte is overwritten
	}
	switch a := x.agree; {
	case a.Same < leastAlike:
		return fmt.Errorf("%w: only %s of the document match it", ErrNotAlike, model.Count(a.Same, "bytes"))
	case a.Other > a.Same:
		return fmt.Errorf("%w: %d %% of the bytes that can be compared differ", ErrNotAlike, 100*a.Other/(a.Same+a.Other))
	}
	return nil
}
