package cause

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync/atomic"

	"spandrel/model"
	"spandrel/model/evidence"
)

// maxWalk is how many elements of one array a check opens: fixed-size elements need no reading, and formats check the others
// themselves.
const maxWalk = 1 << 20

// check runs everything that finds problems in a tree: the format's deep checks, every closed frame, every checksum.
func check(ctx context.Context, t *model.Tree, progress func(done, total int64, what string)) error {
	return model.Contain(func() error {
		if err := (&model.Document{Format: t.Format}).DeepOn(ctx, t, progress); err != nil {
			return err
		}
		if err := t.Walk(ctx, t.Root, maxWalk); err != nil {
			return err
		}
		return t.CheckSums(ctx)
	})
}

// operation is what a trial does to the document.
type operation uint8

const (
	setValues   operation = iota // gives fields other values, or corrects bits of a stream
	swapValues                   // exchanges the values of two numbers
	makeRepair                   // makes a repair that a rule offers
	rewriteFile                  // converts a whole file, or renames files; so do the following
	unpackFile                   // unpacks a file that was not of its kind before; the packing's checksum says that it is complete
	trimFile                     // removes bytes at an end of a file
	rotateFile                   // moves what precedes the beginning of a file to its end
	shiftRest                    // removes or inserts bytes, which moves what follows
	swapPieces                   // exchanges two pieces of a file
)

// whole tells whether a trial is about a whole file.
func (t *trial) whole() bool { return t.op >= rewriteFile }

// copies tells whether everything that a trial writes is also stored elsewhere in the document.
func (t *trial) copies() bool { return t.fix != nil && t.fix.Copies }

// backed tells whether what a repair writes or removes is stored elsewhere too, or a checksum matches what it writes.
func (t *trial) backed() bool { return t.copies() || t.solved || t.spare }

// trial is one hypothesis: what it changes, in bytes and in words, and the state after it.
type trial struct {
	op      operation
	at      Place
	patches []patch
	snap    *model.Snapshot // if patches cannot express it
	format  *model.Format   // of the result, if the document has none
	field   *suspect        // the field that gets another value, and its new bytes; nil if it is not one field
	raw     []byte
	rule    *model.Rule // of makeRepair: the rule that offers the repair
	fix     *model.Fix

	event    *evidence.Event // what it undoes, if its changes do not show that
	text     string          // what happened
	maybe    string          // the text if other changes fit as well; "" for the same
	means    string
	label    string // what the repair does
	loses    string // what can no longer be read afterwards
	evidence []string

	by      string // the part of the search that made it
	kind    kind
	sum     bool    // rewrites a checksum: the bytes under it may be what is wrong
	safe    bool    // the rule calls it the only answer
	shifts  bool    // all that it changes are numbers that are wrong by the same amount
	spare   bool    // removes only what is stored elsewhere too
	beside  bool    // repairs a warning, and errors disappear with it
	begins  bool    // makes a file begin as files of its format do
	crossed bool    // exchanges two files that have each other's length
	unsure  bool    // something else may have had the same effect
	prefix  bool    // unpacks the beginning of what was packed
	exact   bool    // removes surplus bytes that show what they are, and just as many as the file is too long by
	strays  bool    // it only removes files that are no part of any document
	solved  bool    // the only change of its size that makes a stored checksum match
	chance  float64 // expected number of such answers by chance, among all that were tried
	under   int64   // how many bytes the checksum covers that narrows down the place

	res   *verdict // the state after it; nil before it is judged, and if it could not be read or is worse
	lossy bool     // loses data
}

// heals tells whether no error is left after a trial.
func (t *trial) heals() bool { return t.res.clean() }

// value is the value that a trial gives a field; false if it gives none, or one that cannot be read.
func (t *trial) value() (model.Value, bool) {
	if t.field == nil {
		return model.Value{}, false
	}
	v, _, err := t.field.span.Field.Codec.Decode(t.raw)
	return v, err == nil
}

// numbers are the number in a field before and after a trial; false if it has none.
func (t *trial) numbers() (was, is uint64, ok bool) {
	v, ok := t.value()
	if !ok || !v.IsNumber() || !t.field.value.IsNumber() {
		return 0, 0, false
	}
	return t.field.value.Uint(), v.Uint(), true
}

// respelled tells whether a trial only writes the same number in other bytes: it does not say that any value is wrong.
func (t *trial) respelled() bool {
	v, ok := t.value()
	return ok && t.field.value.IsNumber() && v.Equal(t.field.value)
}

// specific orders trials that lead to the same bytes by how specific they are.
func (t *trial) specific() int {
	return -64*b2i(t.lossy) - 4*b2i(t.op == trimFile) - 2*b2i(t.batch()) - 4*b2i(t.beside) + 8*int(t.kind) + 4*b2i(t.field != nil) + 2*b2i(t.fix != nil && t.fix.Witnessed || t.op == swapValues || t.op == swapPieces) + b2i(t.safe)
}

// verdict is what is wrong with one state of a document.
type verdict struct {
	snap   *model.Snapshot
	format *model.Format
	tree   *model.Tree
	keys   map[finding]int  // how often it has each finding
	count  [4]int           // findings by severity
	gap    int64            // unexplained bytes
	wrong  int64            // bytes of the main file's leaves with problems
	holes  map[string]int64 // unexplained bytes by file
	size   int64            // of the main file
	bare   []Place          // the first unexplained runs
	nodes  int64            // known spans, without opening any
	failed bool             // could not be read in time
	fits   bool             // the file that was trimmed or shifted has exactly the length that it states
	checks checks           // failed checks with their strengths
	packed map[Place]bool   // decoded compressed bytes, and whether they were intact

	agreed agreements    // what it has right
	opened []*model.Span // frames that are open

	refused map[model.Range]bool // fields with problems, while the tree is surveyed
}

// finding identifies a finding across parses.
type finding struct {
	grade model.Severity
	rule  string
	path  string
}

func key(f *model.Finding) finding { return finding{f.Grade(), f.Rule.ID, f.Path()} }

// judge parses a snapshot; watch, which may be nil, hears of every finding, now and later.
func judge(ctx context.Context, snap *model.Snapshot, f *model.Format, watch func(model.Severity, int)) *verdict {
	v := &verdict{snap: snap, format: f, keys: map[finding]int{}}
	if f == nil {
		v.failed = true
		return v
	}
	err := model.Contain(func() error {
		v.tree = model.ParseWatched(ctx, snap, f, watch)
		v.note()
		return nil
	})
	v.failed = err != nil || ctx.Err() != nil || v.keys[finding{model.Error, model.RuleInternal.ID, ""}] > 0
	return v
}

// note counts the findings of the tree.
func (v *verdict) note() {
	found, omitted := v.tree.Findings()
	clear(v.keys)
	v.count, v.checks, v.agreed, v.refused, v.wrong = [4]int{}, checks{}, agreements{}, map[model.Range]bool{}, 0
	for i := range found {
		if found[i].Rule == model.RuleInterrupted || found[i].Rule == model.RuleJournal {
			continue // it is about files beside these, and no other bytes of these end it
		}
		if s := found[i].Span; s != nil && found[i].Grade() != model.Note {
			if s.Shape == model.Leaf && !v.refused[s.Range] && s.Range.Space == v.tree.Root.Range.Space {
				v.wrong += s.Range.Len
			}
			v.refused[s.Range] = true
		}
		v.keys[key(&found[i])]++
		v.checks.add(&found[i], found[i].Text(), 1)
		if grade := found[i].Grade(); found[i].Newer {
			v.count[model.Note]++
		} else {
			v.count[grade]++
		}
	}
	for r, n := range omitted {
		v.count[r.Severity] += n
		v.checks.add(&model.Finding{Rule: r}, r.Title, n)
		v.keys[finding{r.Severity, r.ID, unlisted}] += n
	}
	v.gap, v.nodes, v.holes, v.bare, v.opened = 0, 0, map[string]int64{}, nil, nil
	v.survey(v.tree.Root, 0)
	v.linked()
	v.refused = nil
	v.size = v.tree.Root.Range.Len
	v.unpacked(found)
}

// maxBare is how many unexplained runs of a state are kept.
const maxBare = 512

// survey counts the known spans below a span, as far as they are open, and the unexplained bytes.
func (v *verdict) survey(s *model.Span, depth int) {
	v.nodes++
	if s.State == model.Gap || s.Field.Unused || s.State == model.Bad && s.Shape == model.Leaf {
		v.gap += s.Range.Len
		v.holes[v.tree.FileName(s.Range)] += s.Range.Len
		if sp := v.tree.Space(s.Range.Space); len(v.bare) < maxBare && sp != nil && !sp.Derived() {
			v.bare = append(v.bare, Place{File: sp.File, Off: s.Range.Off, Len: s.Range.Len})
		}
		v.nodes--
		return
	}
	if s.Shape == model.Leaf {
		v.agree(s)
	}
	if v.tree.Opened(s) && len(v.opened) < maxOpened {
		v.opened = append(v.opened, s)
	}
	if n := s.Count(); depth > 8 || s.Shape == model.Leaf || !s.Ready() {
		return
	} else if s.Shape == model.Array && n > 64 && !s.Listed() {
		v.nodes += n
		return
	}
	for i := range min(s.Count(), 4096) {
		v.survey(s.Child(i), depth+1)
	}
}

// order compares two states: negative if v is better.
func (v *verdict) order(w *verdict) int {
	return cmp.Or(v.count[model.Error]-w.count[model.Error], v.count[model.Warning]-w.count[model.Warning], cmp.Compare(v.gap, w.gap), v.count[model.Note]-w.count[model.Note])
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// unlisted is the path of the findings of a rule beyond those that are listed.
const unlisted = "+"

// fresh counts the findings of a severity that the other state does not have.
func (v *verdict) fresh(base *verdict, s model.Severity) int {
	return v.beyond(base, func(f finding) bool { return f.grade == s })
}

// beyond counts the findings of a kind that the other state does not have.
func (v *verdict) beyond(other *verdict, is func(finding) bool) (n int) {
	for f, m := range v.keys {
		if is(f) {
			n += max(0, m-other.keys[f])
		}
	}
	return n
}

// fewer tells whether a state has a finding less often than another one.
func (v *verdict) fewer(k finding, than *verdict) bool { return v.keys[k] < than.keys[k] }

// clean tells whether a state was read and has no errors.
func (v *verdict) clean() bool { return v != nil && !v.failed && v.count[model.Error] == 0 }

// problems is the number of errors and warnings.
func (v *verdict) problems() int { return v.count[model.Error] + v.count[model.Warning] }

// sameProblems tells whether two states have the same findings.
func (v *verdict) sameProblems(w *verdict) bool { return maps.Equal(v.keys, w.keys) }

// patch replaces bytes in a file of a snapshot.
type patch struct {
	file string
	off  int64
	del  int64
	with []byte
}

// apply returns the snapshot with patches made; those of one file do not overlap.
func apply(snap *model.Snapshot, ps []patch) (*model.Snapshot, error) {
	sorted := slices.Clone(ps)
	slices.SortStableFunc(sorted, func(a, b patch) int { return cmp.Compare(b.off, a.off) }) // from the back, so that offsets stay
	for _, p := range sorted {
		c, err := snap.Content(p.file)
		if err != nil {
			return nil, err
		}
		if p.off < 0 || p.del < 0 || p.off+p.del > c.Len() {
			return nil, fmt.Errorf("%s: 0x%x+%d is outside the file", p.file, p.off, p.del)
		}
		snap = snap.With(p.file, c.Splice(p.off, p.del, model.Memory(p.with)))
	}
	return snap, nil
}

// bytesAt returns up to n bytes of a content from an offset on.
func bytesAt(c *model.Content, off, n int64) []byte {
	b := make([]byte, max(0, min(n, c.Len()-off)))
	k, _ := c.ReadAt(b, off)
	return b[:k]
}

// judge runs one trial.
func (r *search) judge(t *trial) {
	snap, err := r.reach(t)
	if err != nil {
		return
	}
	f := cmp.Or(t.format, r.base.format)
	name, limit := r.nameOf(t, f), bearable(r, t)
	j, known := r.o.Worth.known(name, limit)
	if !known {
		if j = r.judgement(t, snap, f); r.ctx.Err() == nil {
			r.o.Worth.remember(name, j)
		}
	}
	if j.res == nil || known && j.errors > limit {
		return
	}
	t.res = j.res
	if t.op == trimFile && t.begins && t.res.fits {
		t.unsure = false // its beginning and its end are both where they should be
	}
	if t.res.clean() && !t.batch() && !t.sum && t.loses == "" && !r.sacrifices(t) {
		r.healing.Store(true)
	}
}

// judgement is the outcome of a trial. It stops after a first look that is worse than the document or, for a guess, the same, though reading
// everything might support another value. It stops as soon as there are more errors than are bearable.
func (r *search) judgement(t *trial, snap *model.Snapshot, f *model.Format) (j judgement) {
	ctx, stop := context.WithCancel(r.ctx)
	defer stop()
	var errors atomic.Int64
	var stopped atomic.Bool
	v := judge(ctx, snap.Listed(r.lists), f, func(s model.Severity, n int) {
		if s == model.Error && errors.Add(int64(n)) > bearable(r, t) {
			stopped.Store(true)
			stop()
		}
	})
	v.snap, j.stopped, j.errors = snap, stopped.Load(), errors.Load()
	if v.failed {
		return j
	}
	if r.plain != nil && !t.whole() && (v.count[model.Error] > r.plain.count[model.Error] || t.kind < derived && v.count[model.Error] > 0 && v.gap >= r.plain.gap && v.sameProblems(r.plain)) {
		return j
	}
	if r.checks(snap) {
		if err := r.check(ctx, v.tree, nil); err != nil || ctx.Err() != nil {
			return j
		}
		r.reopen(ctx, v.tree)
		v.note()
	}
	v.fits = t.op == trimFile && exact(r.all, v.tree) || t.op == shiftRest && sized(r.all, v.tree, t.at.File)
	v.tree, v.opened = nil, nil // there are many trials
	j.res, j.errors = v, errors.Load()
	return j
}

// exact tells whether the main file of a tree has no errors and exactly the length that it states.
func exact(ctx context.Context, t *model.Tree) bool {
	found, _ := t.Findings()
	if slices.ContainsFunc(found, func(f model.Finding) bool { return f.Grade() == model.Error }) {
		return false
	}
	return slices.ContainsFunc(t.Extents(ctx), func(e model.Extent) bool {
		return e.File == t.Snapshot.Primary && !e.Least && e.Size == t.Root.Range.Len
	})
}

// bearable is how many errors a trial may leave: no more than there are, and none once a lossless repair of all errors is known.
func bearable(r *search, t *trial) int64 {
	switch {
	case r.base.format == nil, t.begins && (t.op == shiftRest || t.op == trimFile): // its magic says so
		return math.MaxInt64
	case r.healing.Load() && (t.kind < derived || r.strict):
		return 0
	}
	return int64(r.base.count[model.Error])
}
