package cause

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/evidence"
)

// maxRepairs is how many repairs of rules are tried.
const maxRepairs = 48

// ruleRepairs tries the repairs of rules: each one by itself, and all non-overlapping ones of one rule together.
func ruleRepairs(r *search) {
	o := offers{search: r, seen: map[string]bool{}}
	for _, f := range graded(r.found, model.Warning) {
		if r.late() {
			break // some repairs are found by trying
		}
		if o.full(f.Rule) || r.o.Worth.omits(offeredBy(f.Rule)) {
			continue
		}
		for k, x := range fixesOf(r, f) {
			o.add(f, &x, k == 0)
		}
	}
	r.run(append(o.single, o.batches.trials()...))
}

// saidRepairs tries the repairs with which a rule says what happened. They cost little: hypotheses about whole files then stop sooner.
func saidRepairs(r *search) {
	o := offers{search: r, seen: map[string]bool{}}
	for _, f := range graded(r.found, model.Error) {
		if r.late() || o.full(f.Rule) || r.o.Worth.omits(offeredBy(f.Rule)) {
			continue
		}
		for _, x := range fixesOf(r, f) {
			if x.Says != "" && x.Once {
				o.add(f, &x, false)
			}
		}
	}
	r.run(o.single)
}

// offers gathers the trials of what rules offer.
type offers struct {
	*search
	seen    map[string]bool // by rule and label
	single  []*trial
	batches batches
}

// full tells whether no further repair of a rule is taken.
func (o *offers) full(rule *model.Rule) bool {
	return len(o.single) >= maxRepairs && len(o.batches) >= maxBatches && o.batches.of(rule) == nil
}

// add adds a repair that the rule of a finding offers. Those of one number are tried together, and otherwise field by field.
func (o *offers) add(f *model.Finding, x *model.Fix, first bool) {
	field, p := singlePatch(o.search, x)
	if p != nil {
		o.batches.add(o.search, f, x, *p, first)
	}
	number := p != nil && field.Field.Codec.Kind() != model.Text
	name := f.Rule.ID + x.Label
	if number || o.seen[name] || len(o.single) >= maxRepairs {
		return
	}
	o.seen[name] = true
	if t := repairTrial(o.search, f, x); t != nil {
		if p != nil && field != f.Span { // the finding is about what follows from this text
			was, _ := o.base.tree.Bytes(o.ctx, field.Range)
			is, should := show(field.Field, was), show(field.Field, p.with)
			t.text = fmt.Sprintf("%s is %s, should be %s.", o.base.tree.Said(o.ctx, field), is, should)
			t.maybe = fmt.Sprintf("%s is %s; %s would fit.", o.base.tree.Said(o.ctx, field), is, should)
		}
		o.single = append(o.single, t)
	}
}

// offeredBy names the repairs of a rule as a part of the search.
func offeredBy(rule *model.Rule) string { return "rule " + rule.ID }

// fixesOf are the repairs that the rule of a finding offers.
func fixesOf(r *search, f *model.Finding) []model.Fix {
	if out, known := r.fixes[f]; known {
		return out
	}
	start := model.CPUTime()
	out := r.base.tree.Fixes(r.ctx, f)
	r.fixes[f] = out
	r.o.Worth.note(offeredBy(f.Rule), Part{Took: model.CPUTime() - start})
	return out
}

// maxBatches is for how many rules repairs are combined.
const maxBatches = 32

// batches are repairs of one value each, grouped by the rules that offer them, in the order of the findings.
type batches []batch

type batch struct {
	rule *model.Rule
	*trial
}

func (b batches) of(rule *model.Rule) *trial {
	for i := range b {
		if b[i].rule == rule {
			return b[i].trial
		}
	}
	return nil
}

// add adds a repair to those of its rule, if it is the first for its finding and overlaps none of them.
func (b *batches) add(r *search, f *model.Finding, x *model.Fix, p patch, first bool) {
	t := b.of(f.Rule)
	if t == nil {
		t = &trial{kind: derived, safe: true, at: placeOf(r.base.tree, f), label: x.Label, text: sentence(f.Rule.Title), by: offeredBy(f.Rule)}
		*b = append(*b, batch{f.Rule, t})
	}
	if first && !overlaps(t.patches, p) {
		t.patches, t.safe = append(t.patches, p), t.safe && x.Safe
		t.sum = t.sum || f.Span != nil && r.clues.summed[spotOf(f.Span)]
	}
}

// trials are all repairs of every rule that has several, and those of all rules together.
func (b batches) trials() (out []*trial) {
	all := &trial{kind: derived, safe: true, label: "make all repairs that have only one possible answer"}
	for _, x := range b {
		for _, p := range x.patches {
			if !overlaps(all.patches, p) {
				all.patches, all.safe, all.sum = append(all.patches, p), all.safe && x.safe, all.sum || x.sum
			}
		}
		if n := len(x.patches); n > 1 {
			x.text = model.Words("In %d places: %s.", n, x.rule.Title)
			x.label += fmt.Sprintf(", and %d more like it", n-1)
			out = append(out, x.trial)
		}
	}
	if len(b) > 1 && len(all.patches) > 1 {
		all.at = b[0].at
		all.text = fmt.Sprintf("%s and %s disagree with the rest of the file.", cmp.Or(all.at.Path, "A value"), model.Count(int64(len(all.patches)-1), "more values"))
		out = append(out, all)
	}
	return out
}

func placeOf(t *model.Tree, f *model.Finding) Place {
	at := f.Where()
	return Place{t.FileName(at), at.Off, at.Len, f.Path(), f.Span}
}

func overlaps(ps []patch, p patch) bool {
	if len(ps) > 20_000 {
		return true
	}
	for i := len(ps) - 1; i >= 0; i-- {
		if q := ps[i]; q.file == p.file && q.off < p.off+p.del && p.off < q.off+q.del {
			return true
		}
	}
	return false
}

// singlePatch returns the field and the patch of a repair that writes one value into one field of a file, or nil. Fields are tried alone:
// nothing that depends on them is updated.
func singlePatch(r *search, x *model.Fix) (*model.Span, *patch) {
	if x.Build != nil || len(x.Edits) != 1 || x.Loses != "" {
		return nil, nil
	}
	s, _, b := assigned(r.ctx, r.base.tree, x.Edits[0])
	if s == nil {
		return nil, nil
	}
	sp := r.base.tree.Space(s.Range.Space)
	if int64(len(b)) != s.Range.Len || sp == nil || sp.Derived() {
		return nil, nil
	}
	return s, &patch{sp.File, s.Range.Off, s.Range.Len, b}
}

// miscounted tells whether one small change of a number would count the bytes that a trial removes at the end of a file: then they may be the
// last of the file's own.
func miscounted(r *search, t *trial) bool {
	was, is, ok := both(r.base.snap, t.snap, t.at.File)
	if r.base.format == nil || !ok || firstDifference(r.ctx, was, is, 0) < is.Len() {
		return false
	}
	for _, f := range graded(r.found, model.Warning) {
		if t.res.fewer(key(f), r.base) && slices.ContainsFunc(fixesOf(r, f), func(x model.Fix) bool { return smallChange(r, &x) }) {
			return true
		}
	}
	return false
}

// smallChange tells whether a repair changes one number by little.
func smallChange(r *search, x *model.Fix) bool {
	_, p := singlePatch(r, x)
	if p == nil {
		return false
	}
	c, err := r.base.snap.Content(p.file)
	if err != nil {
		return false
	}
	return evidence.Number(bytesAt(c, p.off, p.del), p.with) < evidence.Anything
}

// sentence is the text of a finding, ended so that another sentence can follow.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".?!") {
		return s
	}
	if word, _, _ := strings.Cut(s, " "); !strings.ContainsAny(word, "/[_.") {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return s + "."
}

// assigned returns the field to which an edit gives another value, the value, unless it cannot be read, and its bytes: a value that is set, or bytes
// over exactly a field.
func assigned(ctx context.Context, t *model.Tree, e model.Edit) (s *model.Span, v model.Value, b []byte) {
	var err error
	switch e := e.(type) {
	case model.Set:
		if s, err = t.Find(ctx, e.Path); err != nil || s.Shape != model.Leaf || s.Field.Codec == nil {
			return nil, v, nil
		}
		b, err = s.Field.Codec.Encode(e.Value)
	case model.Splice:
		if e.Range.Len == 0 || e.Range.Len > 8 || e.With.Len() != e.Range.Len {
			return nil, v, nil
		}
		if s, err = t.AtOpen(ctx, e.Range.Space, e.Range.Off); err != nil || s.Range != e.Range || s.Shape != model.Leaf || s.Field.Codec == nil {
			return nil, v, nil
		}
		b = make([]byte, e.Range.Len)
		_, err = e.With.ReadAt(b, 0)
	default:
		return nil, v, nil
	}
	if err != nil && err != io.EOF {
		return nil, v, nil
	}
	if is, _, err := s.Field.Codec.Decode(b); err == nil {
		v = is
	}
	return s, v, b
}

// prepended is how many bytes a plan inserts at the front of a file, if it does nothing else; otherwise 0.
func prepended(r *search, p *model.Plan) (n int64, file string) {
	if len(p.Patches) != 1 || p.Patches[0].Off > 0 || p.Patches[0].Del > 0 || p.Patches[0].With == nil {
		return 0, ""
	}
	file = p.Patches[0].File
	if c, err := r.base.snap.Content(file); err != nil || c.Len() == 0 {
		return 0, "" // all of the file is new
	}
	return p.Patches[0].With.Len(), file
}

// repairTrial is the trial of a repair that a rule offers; nil if it cannot be planned or changes nothing.
func repairTrial(r *search, f *model.Finding, x *model.Fix) *trial {
	t := &trial{kind: derived, by: offeredBy(f.Rule), rule: f.Rule, op: makeRepair, fix: x, safe: x.Safe, spare: f.Spare != "" && x.Loses == "", at: placeOf(r.base.tree, f), text: sentence(f.Text()), label: x.Label, loses: x.Loses}
	if t.solved = x.Safe && x.Witnessed && !x.Copies; t.solved {
		t.under = max(t.at.Len, 16)
	}
	t.beside = f.Grade() != model.Error && r.base.count[model.Error] > 0
	err := model.Contain(func() error {
		p, err := planOf(r, x)
		if err != nil {
			return err
		}
		t.snap = p.To
		if n, file := prepended(r, p); n > 0 {
			t.text, t.begins = behead(n, lower(theFile(r.base.snap, file))), true
		}
		cut, gone := overwrittenBy(r, p)
		t.spare = t.spare || onlyMoves(x, cut, gone)
		t.shifts = sameShift(r.all, r.base.snap, p.To)
		t.safe = t.safe && (gone <= maxRewrite || x.Once || x.Impossible || t.shifts)
		if cut > 0 && t.loses == "" && !(x.Copies && cut <= maxRewrite) && !x.Once { // a second copy remains
			t.loses = model.Count(cut, "bytes")
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return t
}

// onlyMoves tells whether a repair only moves files.
func onlyMoves(x *model.Fix, cut, gone int64) bool { return x.Copies && x.Once && cut+gone == 0 }

// planOf is the plan of a repair; one without changes is an error.
func planOf(r *search, x *model.Fix) (*model.Plan, error) {
	edits, err := x.Make(r.ctx, r.base.tree)
	if err != nil {
		return nil, err
	}
	d := &model.Document{Format: r.base.format}
	p, err := d.PlanOn(r.ctx, r.base.tree, x.Label, edits...)
	if err == nil && p.Empty() {
		err = model.ErrNothing
	}
	return p, err
}

// overwrittenBy is by how many bytes files become shorter, and how many non-zero bytes change; renamed files and padding do not count.
func overwrittenBy(r *search, p *model.Plan) (cut, gone int64) {
	for _, q := range p.Patches {
		if renamedIn(r, q.File, p.To) {
			continue
		}
		is := int64(0)
		if q.With != nil {
			is = q.With.Len()
		}
		if was, err := r.base.snap.Content(q.File); err == nil && is == 0 && q.Del <= maxOrphaned &&
			allOf(bytesAt(was, q.Off, q.Del), 0) && prescribed(r, Place{File: q.File, Off: q.Off, Len: q.Del}) {
			continue
		}
		cut, gone = cut+max(0, q.Del-is), gone+bytesWritten(r, q)
	}
	return cut, gone
}
