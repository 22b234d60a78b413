package cause

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"spandrel/model"
)

// search is one diagnosis under way.
type search struct {
	ctx     context.Context
	o       Options
	deep    bool
	until   time.Time // nothing new is begun after it
	base    *verdict  // the document as it is
	plain   *verdict  // … as far as a first look goes
	found   []model.Finding
	list    []*suspect
	byField map[string][]*suspect
	wants   map[[2]int64][]want
	edge    map[model.SpaceID][]int64
	counts  []model.Quantity
	extents map[string]model.Extent // by file
	summed  map[[2]int64]bool       // fields that hold checksums
	hits    []*trial                // trials that made it better
	done    int                     // trials that were run
}

// want is what somebody says a field should be.
type want struct {
	value model.Value
	why   string
}

// trial is one hypothesis: what it changes, in words too, and what is left then.
type trial struct {
	patches  []patch
	snap     *model.Snapshot // when patches do not say it all
	format   *model.Format
	at       Place
	kind     kind
	text     string
	means    string
	label    string
	loses    string
	evidence []string
	field    *suspect
	raw      []byte // of the field
	whole    bool   // about a file as a whole
	sum      bool   // it writes a checksum anew: the bytes under it may be what is wrong
	repair   bool   // made by a repair of a rule
	safe     bool   // and the rule calls it the only answer
	lossy    bool   // it gives something up
	unsure   bool   // something else may have come to the same
	drops    bool   // it takes bytes off an end of a file
	edits    []model.Edit
	res      *verdict
}

// reach is the snapshot that a trial leads to.
func (r *search) reach(t *trial) (*model.Snapshot, error) {
	if t.snap != nil {
		return t.snap, nil
	}
	return apply(r.base.snap, t.patches)
}

func keysOf[M ~map[K]V, K comparable, V any](m M) iter.Seq[K] { return maps.Keys(m) }

// run runs trials on all cores, in their order, until time is over, and keeps those after which less is wrong. It returns false
// when not all were run.
func (r *search) run(trials []*trial) bool {
	var (
		next, done atomic.Int64
		wg         sync.WaitGroup
	)
	for range min(runtime.GOMAXPROCS(0), len(trials)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for r.ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(trials) {
					return
				}
				r.judge(trials[i])
				done.Add(1)
			}
		}()
	}
	wg.Wait()
	for _, t := range trials {
		if t.res != nil && !t.res.failed && r.better(t) {
			t.lossy = t.sum || t.loses != "" || r.sacrifices(t)
			r.hits = append(r.hits, t)
		}
	}
	r.done += int(done.Load())
	return int(done.Load()) >= len(trials) && r.ctx.Err() == nil
}

// better tells whether less is wrong after a trial. What changes a file as a whole must not come to that by reading less.
func (r *search) better(t *trial) bool {
	switch {
	case r.base.format == nil:
		return true
	case t.res.order(r.base) >= 0:
		return false
	}
	return !t.whole || t.res.nodes >= r.base.nodes-2 && t.res.gap <= r.base.gap // what lay around it was a span or two
}

// judge runs one trial. It stops after the first look when that is worse than what there is, or the same.
func (r *search) judge(t *trial) {
	snap, err := r.reach(t)
	if err != nil {
		return
	}
	f := t.format
	if f == nil {
		f = r.base.format
	}
	most := -1
	if r.plain != nil && !t.whole {
		most = r.plain.count[model.Error]
	}
	v := judge(r.ctx, snap, f, false, most)
	if v.failed {
		return
	}
	if r.plain != nil && !t.whole && (v.count[model.Error] > most || v.count[model.Error] > 0 && v.gap >= r.plain.gap && v.sameProblems(r.plain)) {
		return
	}
	if r.deep {
		if err := model.Contain(func() error { return check(r.ctx, v.tree, nil) }); err != nil {
			return
		}
		v.note()
	}
	v.tree = nil // there are many trials
	if r.ctx.Err() == nil {
		t.res = v
	}
}

// start parses and checks the document as it is.
func (r *search) start(snap *model.Snapshot, f *model.Format) error {
	r.base = judge(r.ctx, snap, f, false, -1)
	if r.base.tree == nil {
		return r.ctx.Err()
	}
	plain := *r.base
	plain.keys, plain.tree = maps.Clone(plain.keys), nil
	r.plain = &plain
	if r.deep {
		if err := check(r.ctx, r.base.tree, r.o.Progress); err != nil {
			return err
		}
		r.base.note()
	}
	r.found, _ = r.base.tree.Findings()
	return r.ctx.Err()
}

// prepare lists suspects and what is known of them.
func (r *search) prepare() {
	t := r.base.tree
	r.edge, r.wants, r.byField = map[model.SpaceID][]int64{}, map[[2]int64][]want{}, map[string][]*suspect{}
	r.list = suspects(r.ctx, t, r.found)
	for _, s := range r.list {
		r.byField[s.span.Field.Name] = append(r.byField[s.span.Field.Name], s)
	}
	if f := t.Format; f.Quantities != nil {
		model.Contain(func() error { r.counts = f.Quantities(r.ctx, t); return nil })
	}
	r.wantLinks(t)
	r.wantFindings(t)
	r.wantQuantities()
}

func (r *search) want(s *model.Span, v model.Value, why string) {
	if s == nil || v.Kind == model.None {
		return
	}
	at := [2]int64{int64(s.Range.Space), s.Range.Off}
	for _, w := range r.wants[at] {
		if w.value.Equal(v) {
			return
		}
	}
	if len(r.wants[at]) < 16 {
		r.wants[at] = append(r.wants[at], want{v, why})
	}
}

// wantLinks takes both directions of links: what a field should be, and of a copy what the original should.
func (r *search) wantLinks(t *model.Tree) {
	links := t.Links()
	r.summed = map[[2]int64]bool{}
	for _, l := range links {
		if l.Kind == model.ChecksumLink {
			r.summed[[2]int64{int64(l.Field.Range.Space), l.Field.Range.Off}] = true
		}
	}
	for _, l := range links[:min(len(links), 20_000)] {
		if l.Kind == model.ChecksumLink || len(l.Targets) == 0 {
			continue
		}
		got, err := t.Value(r.ctx, l.Field)
		if err != nil {
			continue
		}
		if v, ok, err := l.Want(r.ctx, t); err == nil && ok && !v.Equal(got) {
			r.want(l.Field, v, fmt.Sprintf("the %s %s", l.Kind, l.Targets[0].Path()))
			if l.Kind == model.SameLink {
				r.want(l.Targets[0], got, "the same as "+l.Field.Path())
			}
		}
	}
}

// wantFindings takes what findings want, and the repairs that write one value.
func (r *search) wantFindings(t *model.Tree) {
	for i := range r.found[:min(len(r.found), 500)] {
		f := &r.found[i]
		if f.Span != nil && f.Want.Kind != model.None {
			r.want(f.Span, f.Want, "what the rest of the file says")
		}
		if f.Span != nil && f.Span.Shape == model.Leaf && f.Span.Field.Codec != nil && f.Expected != "" && len(f.Expected) < 64 {
			if v, err := f.Span.Field.Parse(f.Expected); err == nil && v.IsNumber() {
				r.want(f.Span, v, "what is expected there")
			}
		}
		for _, x := range t.Fixes(r.ctx, f) {
			for _, e := range x.Edits {
				if e, ok := e.(model.Set); ok {
					if s, err := t.Find(r.ctx, e.Path); err == nil {
						r.want(s, e.Value, "what the rest of the file says")
					}
				}
			}
		}
	}
}

// wantQuantities takes, for each witness of a quantity that is written in a field, what the other witnesses say.
func (r *search) wantQuantities() {
	for i := range r.counts {
		q := &r.counts[i]
		for j := range q.Witnesses {
			w := &q.Witnesses[j]
			for k := range q.Witnesses {
				o := &q.Witnesses[k]
				if w.Field == nil || w.Agrees(o) {
					continue
				}
				v, ok := o.Value, true
				if w.Stored != nil {
					v, ok = w.Stored(o.Value)
				}
				if ok {
					r.want(w.Field, v, fmt.Sprintf("%s: %s %s", o.Text, o.Value, q.Name))
				}
			}
		}
	}
}

// witnesses returns who says of a field that it holds a value, and who says something else, weak ones and itself left out.
func (r *search) witnesses(s *suspect, v model.Value) (with, against []string) {
	for i := range r.counts {
		q := &r.counts[i]
		for j := range q.Witnesses {
			w := &q.Witnesses[j]
			if w.Field == nil || w.Field.Range.Off != s.off || w.Field.Range.Space != s.space {
				continue
			}
			for k := range q.Witnesses {
				o := &q.Witnesses[k]
				if k == j || o.Weak {
					continue
				}
				stored, ok := o.Value, true
				if w.Stored != nil {
					stored, ok = w.Stored(o.Value)
				}
				if ok && stored.Equal(v) {
					with = append(with, o.Text)
				} else {
					against = append(against, o.Text)
				}
			}
		}
	}
	return with, against
}

// fieldTrial is the hypothesis that a field had other bytes.
func (r *search) fieldTrial(s *suspect, c candidate) *trial {
	t := &trial{kind: c.kind, field: s, raw: c.raw, patches: []patch{{s.file, s.off, int64(len(c.raw)), c.raw}},
		at: Place{s.file, s.off, int64(len(s.raw)), s.path, s.span}}
	t.sum = r.summed[[2]int64{int64(s.space), s.off}] && !closeTo(s.raw, c.raw)
	f := s.span.Field
	was, is := show(f, s.raw), show(f, c.raw)
	t.label = fmt.Sprintf("set %s to %s", s.span.Name(), is)
	t.text = fmt.Sprintf("%s is wrong: it says %s, and everything else fits %s.", s.path, was, is)
	if c.why != "" {
		t.evidence = append(t.evidence, c.why)
	}
	return t
}

// stages are how many suspects are tried before the others: a value that stands alone among them ends the search.
var stages = []int{16, 48, 128, 512, maxSuspects}

// fields tries one field after the other: first what is known of them, then the likeliest with everything in reach. It stops when a
// value that is known makes everything whole; then the rest of that field is tried. It returns the suspects of which everything was
// tried.
func (r *search) fields() (whole map[*suspect]bool, cut bool) {
	whole = map[*suspect]bool{}
	from := 0
	for _, to := range stages {
		if from > 0 && r.late() {
			return whole, true
		}
		var trials []*trial
		for _, s := range r.list[from:min(to, len(r.list))] {
			for _, c := range r.known(s) {
				trials = append(trials, r.fieldTrial(s, c))
			}
		}
		if from == 0 {
			trials = append(trials, r.swaps()...)
		}
		if from = min(to, len(r.list)); !r.run(trials) {
			return whole, true
		}
		if top := r.healed(); top != nil {
			if top.field != nil && top.kind < derived && !r.every(top.field) {
				return whole, true
			}
			whole[top.field] = true
			return whole, false
		}
	}
	most := maxBrute
	if r.base.count[model.Error] == 0 {
		most = 4 // not worth more for warnings
	}
	for _, s := range r.list[:min(len(r.list), most)] {
		if r.late() || !r.every(s) {
			return whole, true
		}
		whole[s] = true
		if top := r.healed(); top != nil && len(whole) >= 4 {
			return whole, false
		}
	}
	return whole, false
}

// healed returns the best trial when it takes errors away, brings none, gives nothing up, and is alone with that; or nil.
func (r *search) healed() *trial {
	if r.base.count[model.Error] == 0 || len(r.hits) == 0 {
		return nil
	}
	all := sorted(r.hits)
	top := all[0]
	if top.lossy || top.repair || top.res.count[model.Error] >= r.base.count[model.Error] || top.res.fresh(r.base, model.Error) > 0 {
		return nil
	}
	for _, t := range all[1:] {
		if top.res.clean() {
			break
		}
		if t.field != top.field && t.res.count[model.Error] == top.res.count[model.Error] {
			return nil
		}
	}
	return top
}

// sacrifices tells whether a trial comes to fewer errors by reading less: a number goes down, and there are fewer structures then and
// bytes that none explains; or it becomes nothing.
func (r *search) sacrifices(t *trial) bool {
	if r.base.format == nil || t.field == nil {
		return false
	}
	is, _, err := t.field.span.Field.Codec.Decode(t.raw)
	if err != nil || !is.IsNumber() || !t.field.value.IsNumber() || is.Uint() >= t.field.value.Uint() {
		return false
	}
	return is.Uint() == 0 && t.kind < legal && t.res.gap > 0 || t.res.gap > r.base.gap || t.res.gap > 0 && t.res.nodes <= r.base.nodes
}

// late tells whether time is over for anything new.
func (r *search) late() bool { return r.ctx.Err() != nil || time.Now().After(r.until) }

// every tries all values in reach of a field.
func (r *search) every(s *suspect) bool {
	var trials []*trial
	for _, c := range r.all(s) {
		trials = append(trials, r.fieldTrial(s, c))
	}
	return r.run(trials)
}

// swaps tries each two numbers of one frame with each other's bytes.
func (r *search) swaps() (out []*trial) {
	for i, a := range r.list[:min(len(r.list), 64)] {
		for _, b := range r.list[i+1 : min(len(r.list), 64)] {
			if a.span.Parent() != b.span.Parent() || len(a.raw) != len(b.raw) || bytes.Equal(a.raw, b.raw) {
				continue
			}
			out = append(out, &trial{kind: near, at: Place{a.file, a.off, int64(len(a.raw)), a.path, a.span},
				patches: []patch{{a.file, a.off, int64(len(a.raw)), b.raw}, {b.file, b.off, int64(len(b.raw)), a.raw}},
				text:    fmt.Sprintf("%s and %s have each other's value.", a.path, b.span.Name()),
				label:   fmt.Sprintf("swap %s and %s", a.span.Name(), b.span.Name())})
		}
	}
	return out
}

// sorted puts trials in order, the best first: what changes less before what changes more, where both leave as many errors.
func sorted(hits []*trial) []*trial {
	out := slices.Clone(hits)
	slices.SortStableFunc(out, func(a, b *trial) int {
		return cmp.Or(b2i(a.res.failed)-b2i(b.res.failed), a.res.count[model.Error]-b.res.count[model.Error], b2i(a.lossy)-b2i(b.lossy),
			a.size()-b.size(), a.res.order(b.res), int(b.kind)-int(a.kind))
	})
	return out
}

// size is how much a trial changes: a field or two, many, or the shape of a file.
func (t *trial) size() int {
	switch {
	case t.repair:
		return 3
	case t.whole && t.loses == "":
		return b2i(t.drops)
	case t.whole || t.snap != nil:
		return 2
	case len(t.patches) > 2:
		return 1
	}
	return 0
}
