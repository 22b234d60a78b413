package cause

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"spandrel/model"
	"spandrel/model/parallel"
)

// search is a diagnosis in progress.
type search struct {
	ctx      context.Context // ends when time is up
	all      context.Context // ends when no one is waiting
	o        Options
	deep     bool
	odd      bool  // warnings are explained too: asked for, or about bytes that a repeated piece explains
	front    int64 // bytes of a file that are read for hypotheses about the whole file
	bytes    int64 // size of all files, as far as counted
	spend    *budget
	base     *verdict // the document, fully checked, with its tree
	plain    *verdict // … after a first look
	opened   []string // frames that the check left open
	found    []model.Finding
	fixes    map[*model.Finding][]model.Fix // that rules offer, once asked
	clues    *clues
	extents  map[string]model.Extent // by file
	streams  []stream                // damaged compressed bytes, once someone asks
	sums     []storedLink            // checksums of bytes as stored, once someone asks
	subjects []*subject              // files with problems that no hypothesis about a whole file explains
	lost     []Place                 // bytes that are known not to be the file's own
	spoiled  map[string]bool         // files that lost bytes in a transfer as text
	hits     []*trial                // trials that improved the document
	marked   map[string]int          // index of a hit by the bytes that it leads to
	before   int                     // causes found earlier
	after    bool                    // … there is one
	first    *verdict                // the original document, if so
	guess    *search                 // that found the first cause that is not proven, if there is one: base contains its repair
	strict   bool                    // trials that leave errors are no longer of use
	healing  *atomic.Bool            // a lossless trial that leaves no errors is known
	back     *trial                  // renames files that a cause reports as missing
	lists    *model.Listings         // of the folders, which trials read again and again
	in       string                  // the current part of the search, see Worth
	name     string                  // key of the document's judgements
}

// reach is the snapshot that a trial leads to.
func (r *search) reach(t *trial) (*model.Snapshot, error) {
	if t.snap != nil {
		return t.snap, nil
	}
	return apply(r.base.snap, t.patches)
}

// run judges trials and keeps those that improve the document. It returns false if not all were judged.
func (r *search) run(trials []*trial) bool {
	for _, t := range trials {
		t.by = cmp.Or(t.by, r.in)
		r.o.Worth.note(t.by, Part{Trials: 1})
	}
	done := r.judges(trials)
	for _, t := range trials {
		if t.res != nil && r.improves(t) {
			keep(r, t)
		}
	}
	return done >= len(trials) && r.ctx.Err() == nil
}

// improves tells whether a trial improves the document, and notes what it loses and what speaks against it.
func (r *search) improves(t *trial) bool {
	if !r.better(t) || r.holds("respelled", t.respelled()) || r.holds("a sum of spoiled bytes", t.sum && sumOfSpoiled(r, t.at.Span)) {
		return false
	}
	if t.by == turnedNumbers && t.res.count[model.Error] > 0 {
		return false // numbers that are out of reach only hide what is wrong
	}
	joinTrial(r, t)
	t.unsure = t.unsure || r.holds("miscounted", t.op == trimFile && miscounted(r, t))
	if t.lossy = t.sum || t.loses != "" || r.sacrifices(t); r.holds("a guess loses", t.lossy && t.field != nil && t.kind < derived && !t.sum) {
		return false // nothing supports a number with which less is read
	}
	if n := t.orphaned(r.base); t.lossy && t.loses == "" && n > 0 {
		t.loses = model.Words("the meaning of %s bytes", model.Thousands(n))
	}
	return true
}

// judges judges trials in order, on all cores, until time is over, and returns how many were judged.
func (r *search) judges(trials []*trial) int {
	var (
		next, done atomic.Int64
		running    parallel.Group
	)
	lanes := abreast(r.bytes, r.base.nodes)
	if lanes == 1 {
		r.base.tree.MakeRoom(model.DecodedBudget()) // its decoded blocks would compete with those of the trial
	}
	for range min(lanes, len(trials)) {
		running.Go(func() {
			for r.ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(trials) {
					return
				}
				start := time.Now()
				r.judge(trials[i])
				if done.Add(1); trials[i].by != r.in { // otherwise it is part of the step's own time
					r.o.Worth.note(trials[i].by, Part{Took: time.Since(start)})
				}
			}
		})
	}
	running.Wait()
	return int(done.Load())
}

// keep adds a trial to the hits. Of two that lead to the same bytes it keeps the more specific one.
func keep(r *search, t *trial) {
	if r.holds("blind", t.whole() && t.op != unpackFile && r.blind(t)) {
		return
	}
	r.o.Worth.note(cmp.Or(t.by, r.in), Part{Kept: 1})
	sum := mark(r, t)
	if i, ok := r.marked[sum]; ok && sum != "" {
		if t.specific() > r.hits[i].specific() {
			r.hits[i] = t
		}
		return
	}
	r.marked[sum] = len(r.hits)
	r.hits = append(r.hits, t)
}

// forget drops all trials.
func forget(r *search) {
	r.hits, r.marked, r.strict = nil, map[string]int{}, false
	r.healing.Store(false)
}

// better tells whether less is wrong after a trial. One that changes a whole file must not achieve that by reading less.
func (r *search) better(t *trial) bool {
	switch {
	case r.holds("better: takes most away", t.op == trimFile && !t.res.clean() && takesMost(r, t)):
		return false // less than half of the file is left, and it is not whole
	case r.base.format == nil:
		return !r.holds("better: most of it stays unread", t.op == trimFile && !t.begins && 2*(t.res.unread()+t.res.wrong) > t.res.size) // a header found by chance
	case t.op == unpackFile, t.strays, r.unheads(t):
		return true // what it was before, or what it removes, was not of its kind
	case r.holds("better: repairs a warning only", t.beside && t.res.count[model.Error] >= r.base.count[model.Error]):
		return false // the errors have another cause, after whose repair it may be right
	case t.res.order(r.base) >= 0:
		return false
	case r.holds("better: a swap reads less", t.op == swapValues && t.kind < derived && t.res.nodes*10 < r.base.nodes*9):
		return false // it reads less
	case r.holds("better: a swap is of two problems", t.op == swapValues && (r.base.problems()-t.res.problems() < 2 || t.kind < derived && r.base.problems() < 2*t.res.problems())):
		return false // one problem is not two wrong numbers, nor may most problems remain
	case r.holds("better: only takes away", t.op == trimFile && t.res.count[model.Error] > 0 && t.res.count[model.Error] >= r.base.count[model.Error]):
		return false // it only removes what is not understood
	}
	if solves(t, r.base) {
		return true
	}
	if r.holds("better: fails in other ways", t.whole() && t.op != trimFile && errorsIn(r, t)*4 > r.base.count[model.Error]) {
		return false // entirely different content has other errors
	}
	return !r.holds("better: a whole reads less", t.whole() && (t.res.nodes < r.base.nodes-2 || t.res.gap > r.base.gap)) // surplus bytes are a span or two
}

// errorsIn counts the errors that remain after a trial; if it changes one file of a folder, without those that are in others as before, unless it is the main
// file, which says what the others should be.
func errorsIn(r *search, t *trial) int {
	n := t.res.count[model.Error]
	to, err := r.reach(t)
	if err != nil || n == 0 || !to.Folder() || len(changed(r.base.snap, to)) != 1 || t.at.File == to.Primary {
		return n
	}
	for _, f := range graded(r.found, model.Error) {
		if file := placeOf(r.base.tree, f).File; file != "" && file != t.at.File && !t.res.fewer(key(f), r.base) {
			n--
		}
	}
	return n
}

// solves tells whether nothing is wrong after a trial that changes a whole file or, of two files that have each other's length, with those: something
// else may be wrong with the document.
func solves(t *trial, base *verdict) bool {
	crossed := t.crossed && 2*t.res.count[model.Error] <= base.count[model.Error] && t.res.fresh(base, model.Error) == 0 && t.res.gap <= base.gap
	exact := t.exact && t.res.count[model.Error] <= base.count[model.Error] && t.res.problems() < base.problems() && t.res.gap <= base.gap
	return crossed || exact || t.whole() && t.res.clean() && (t.op != trimFile || t.begins || t.kind == derived)
}

// takesMost tells whether a file is less than half as long after a trial.
func takesMost(r *search, t *trial) bool {
	was, is, ok := both(r.base.snap, t.snap, t.at.File)
	return ok && 2*is.Len() < was.Len()
}

// blind tells whether most of the file has no meaning after a trial: finding no problem in unread bytes proves nothing.
func (r *search) blind(t *trial) bool {
	return 2*t.res.unread() > t.res.size && (r.base.format == nil || t.res.unread() > r.base.unread())
}

// start parses and checks the document.
func (r *search) start(snap *model.Snapshot, f *model.Format) error {
	r.clues, r.healing, r.fixes = &clues{}, new(atomic.Bool), map[*model.Finding][]model.Fix{}
	if r.o.Tree != nil && f != nil {
		r.base = &verdict{snap: snap, format: f, tree: r.o.Tree, keys: map[finding]int{}}
		r.base.note()
		r.o.Tree = nil
	} else {
		r.base = judge(r.ctx, snap, f, nil)
	}
	if r.base.tree == nil {
		return r.ctx.Err()
	}
	plain := *r.base
	plain.keys, plain.tree = maps.Clone(plain.keys), nil
	r.plain = &plain
	if r.checks(snap) {
		if err := r.check(r.ctx, r.base.tree, r.o.Progress); err != nil {
			return err
		}
		r.base.note()
		for _, s := range r.base.opened {
			if !slices.Contains(plain.opened, s) {
				r.opened = append(r.opened, s.Path())
			}
		}
	}
	r.found, _ = r.base.tree.Findings()
	return r.ctx.Err()
}

// checks tells whether something is checked that parsing does not.
func (r *search) checks(snap *model.Snapshot) bool { return r.deep || snap.Remote }

// check checks a tree as far as the document is checked.
func (r *search) check(ctx context.Context, t *model.Tree, progress func(done, total int64, what string)) error {
	if r.deep {
		return check(ctx, t, progress)
	}
	return t.CheckSizes(ctx)
}

// checked parses a snapshot and checks it as far as the document was checked.
func (r *search) checked(ctx context.Context, snap *model.Snapshot, f *model.Format) *verdict {
	v := judge(ctx, snap, f, nil)
	if v.failed || !r.checks(snap) {
		return v
	}
	err := r.check(ctx, v.tree, nil)
	if v.failed = err != nil || ctx.Err() != nil; !v.failed {
		v.note()
	}
	return v
}

// stages are how many suspects are tried before the others: if exactly one value fits among them, the search ends.
var stages = []int{16, 48, 128, 512, maxSuspects}

// fields tries one field after the other: first the candidate values that something suggests, then all values within reach of the likeliest fields. It
// tells whether time ran out. With stated, only values that the document itself suggests are tried.
func (r *search) fields(stated bool) (cut bool) {
	if ended, cut := r.known(stated); ended || stated {
		return cut
	}
	most := maxBrute
	switch {
	case r.base.count[model.Error] == 0:
		most = 4 // warnings are not worth more
	case r.after:
		most = 12 // most of the time was for the first cause
	}
	for i, s := range r.clues.list[:min(len(r.clues.list), most)] {
		if r.late() || !r.every(s) {
			return true
		}
		if i >= 3 && r.healed() != nil {
			return false
		}
	}
	return false
}

// known tries the candidate values of fields, and tells whether the search ends with them: if one makes everything whole, all values of that field
// are tried then. Only the likeliest fields are tried after a repair that makes everything whole, where it ends, and for a second cause.
func (r *search) known(stated bool) (ended, cut bool) {
	list, upTo, swaps, from := r.clues.list, stages, append(r.clues.swaps(), r.clues.turned()...), 0
	few := (r.after || r.healing.Load()) && len(list) >= stages[1]
	if few {
		upTo = stages[:2]
	}
	for _, to := range upTo {
		if from > 0 && r.late() {
			return true, true
		}
		to = min(to, len(list))
		said, guessed := parted(append(r.clues.trials(list[from:to], r.clues.known), swaps...))
		if !r.run(said) || !stated && !r.run(guessed) {
			return true, true
		}
		if top := r.healed(); top != nil {
			return true, top.field != nil && top.kind < derived && !r.every(top.field)
		}
		from, swaps = to, nil
	}
	return few && !r.after, false
}

// parted divides trials into those with a value that the document itself suggests, and guesses.
func parted(list []*trial) (said, guessed []*trial) {
	for _, t := range list {
		if t.kind == derived {
			said = append(said, t)
		} else {
			guessed = append(guessed, t)
		}
	}
	return said, guessed
}

// bares tells whether something else lacks the bytes that a trial removes at the end of a file.
func (r *search) bares(t *trial) bool {
	return t.op == trimFile && !t.begins && r.base.format != nil && t.res.fresh(r.base, model.Warning) > 0
}

// healed returns the best trial if it removes errors, introduces none, loses nothing, and is the only one to do so; otherwise nil.
func (r *search) healed() *trial {
	if len(r.hits) == 0 {
		return nil
	}
	all := sorted(r.hits)
	top := all[0]
	sure := top.whole() && !top.lossy && !top.unsure
	switch {
	case r.base.count[model.Error] == 0 && (!sure || top.kind < derived && top.res.problems() > 0):
		return nil
	case r.base.count[model.Error] == 0:
	case top.batch() || r.holds("healed: bares", r.bares(top)) || r.holds("healed: unsure end", top.op == trimFile && top.res.fits && top.unsure):
		return nil // a number there may be the only damage
	case sure && top.op == shiftRest && top.solved: // what is wrong besides was out of place until now
	case sure && top.res.clean() && !(top.op == shiftRest && top.res.fresh(r.base, model.Warning) > 0): // the remaining warnings are the file's own
	case r.holds("healed: a guess brings something", top.kind < derived && (top.res.gap > r.base.gap || top.res.fresh(r.base, model.Warning) > 0)):
		return nil // another guess may explain those bytes too, without new problems
	case top.lossy || top.op == makeRepair && !(top.backed() && top.res.clean()):
		return nil
	case top.res.count[model.Error] >= r.base.count[model.Error] || top.res.fresh(r.base, model.Error) > 0:
		return nil
	case !top.res.clean() && slices.ContainsFunc(all[1:], func(t *trial) bool { return r.holds("healed: as much is whole", t.repairsAsMuch(top)) }):
		return nil
	}
	return top
}

// repairsAsMuch tells whether a lossless trial leaves as many errors as another one, by a change elsewhere.
func (t *trial) repairsAsMuch(as *trial) bool {
	return t.field != as.field && !t.lossy && t.op != trimFile && t.res.count[model.Error] == as.res.count[model.Error]
}

// late tells whether there is no time to start anything new for this cause. Each cause may take half of the work that is left: a file with several
// problems takes all that it gets.
func (r *search) late() bool {
	return r.ctx.Err() != nil || r.spend.over(1-math.Pow(2, -float64(r.before+1)))
}

// every tries all values within reach of a field.
func (r *search) every(s *suspect) bool {
	return r.run(r.clues.trials([]*suspect{s}, r.clues.all))
}
