package cause

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"spandrel/model"
)

// A trial becomes a repair of the document: all the changes it makes, and a name for them.

// withPrevious says that a repair contains another one, without which it means nothing.
const withPrevious = ", together with the repair of the previous cause"

// offer makes the repair of a trial. If the trial started from the state after an earlier repair, its own changes are made to the original document; if
// they do not help there, the repair includes the earlier one, says so, and is not safe.
func (r *search) offer(t *trial, safe bool) *Repair {
	x := &Repair{Label: t.label, Safe: safe, Loses: t.loses, Aligns: t.op == shiftRest || t.begins, Format: cmp.Or(t.format, r.base.format)}
	to, err := r.reach(t)
	if err != nil {
		x.Safe = false
		return x
	}
	from := r.base.snap
	if r.after {
		from = r.first.snap
		if alone, ok := r.alone(to); ok {
			to = alone
		} else {
			x.Safe = false
			x.Label += withPrevious
		}
	}
	x.from, x.To, x.Changes = from, to, changes(r.all, from, to)
	x.Unpacks = t.op == unpackFile || t.prefix
	x.Guess = t.op == shiftRest && (t.unsure || slices.ContainsFunc(x.Changes, func(c Change) bool { return c.Grown > c.Del }))
	x.ID = identify(to, x.Changes)
	return x
}

// alone returns the original document with only the changes that a repair makes to the state it was found in, and whether
// that removes errors and introduces none.
func (r *search) alone(to *model.Snapshot) (*model.Snapshot, bool) {
	out := r.first.snap
	for _, c := range changes(r.all, r.base.snap, to) {
		was, err := r.first.snap.Content(c.File)
		is, gone := to.Content(c.File)
		switch {
		case gone != nil:
			out = out.With(c.File, nil)
			continue
		case err != nil:
			out = out.With(c.File, is)
			continue
		}
		base, err := r.base.snap.Content(c.File)
		if err != nil || base.Len() != was.Len() || differing(r.all, base, was, c.Off, c.Off+c.Del) >= 0 {
			return nil, false // it overwrites what the earlier repair wrote
		}
		now, err := out.Content(c.File)
		if err != nil {
			return nil, false
		}
		at := c.Off + now.Len() - was.Len() // after changes of other lengths, which come in the order of their offsets
		out = out.With(c.File, now.Splice(at, c.Del, is.Splice(c.Off+c.Grown, is.Len()-c.Off-c.Grown, nil).Splice(0, c.Off, nil)))
	}
	v := r.checked(r.ctx, out, r.first.format)
	return out, !v.failed && v.count[model.Error] < r.first.count[model.Error] && v.fresh(r.first, model.Error) == 0
}

// ErrChanged means that a repair is refused: it belongs to another state of the document, or would write something it did not show.
var ErrChanged = errors.New("the document has changed since this repair was found; check it again")

// Plan is the repair as a step of the document's history. It is refused unless it changes exactly what Changes lists.
func (x *Repair) Plan(ctx context.Context, from *model.Snapshot) (*model.Plan, error) {
	p := &model.Plan{Label: x.Label, From: from, To: x.To}
	if x.To == nil {
		return p, nil
	}
	if from != x.from && identify(x.To, changes(ctx, from, x.To)) != x.ID { // Changes describe x.from, which is immutable
		return nil, errors.Join(ctx.Err(), ErrChanged)
	}
	for _, c := range x.Changes {
		q := model.Patch{File: c.File, Off: c.Off, Del: c.Del, Why: "repaired"}
		if to, err := x.To.Content(c.File); err == nil {
			head := to.Splice(c.Off+c.Grown, to.Len()-c.Off-c.Grown, nil)
			q.With = head.Splice(0, c.Off, nil)
		} else {
			q.Why = "deleted"
		}
		p.Patches = append(p.Patches, q)
	}
	return p, nil
}

// identify names what a repair changes: the first digits of a hash of where it writes, how many bytes it removes, and what it writes there. The name of
// the main file is left out: a copy of it under another name has the same repairs.
func identify(to *model.Snapshot, list []Change) string {
	sum := sha256.New()
	b := make([]byte, 1<<16)
	for _, c := range list {
		name := c.File
		if name == to.Primary {
			name = ""
		}
		fmt.Fprintf(sum, "%q %d %d %d;", name, c.Off, c.Del, c.Grown)
		is, err := to.Content(c.File)
		if err != nil {
			continue
		}
		for at, left := c.Off, c.Grown; left > 0; {
			n, _ := is.ReadAt(b[:min(left, int64(len(b)))], at)
			if n == 0 {
				break
			}
			sum.Write(b[:n])
			at, left = at+int64(n), left-int64(n)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:4])
}

// changed lists the files that differ between two states of a document, the second derived from the first.
func changed(from, to *model.Snapshot) (out []string) {
	for _, name := range to.Edited() {
		a, _ := from.Content(name)
		if b, _ := to.Content(name); a != b { // nil if it is missing
			out = append(out, name)
		}
	}
	return out
}

// both returns the contents of a file in two states; false if it is missing in one.
func both(from, to *model.Snapshot, name string) (was, is *model.Content, ok bool) {
	was, err := from.Content(name)
	is, gone := to.Content(name)
	return was, is, err == nil && gone == nil
}

// maxChanges is how many changed runs of a file are listed one by one; the last one covers the rest.
const maxChanges = 64

// changes lists all differences between two states: of files of equal length as runs, of others as one piece.
func changes(ctx context.Context, from, to *model.Snapshot) (out []Change) {
	names := changed(from, to)
	slices.Sort(names)
	for _, name := range names {
		a, aerr := from.Content(name)
		b, berr := to.Content(name)
		switch {
		case aerr != nil:
			out = append(out, Change{File: name, Is: some(b, 0, b.Len()), Grown: b.Len()})
		case berr != nil:
			out = append(out, Change{File: name, Was: some(a, 0, a.Len()), Del: a.Len()})
		case a.Len() != b.Len():
			at := max(0, firstDifference(ctx, a, b, 0))
			end := commonEnd(a, b, min(a.Len(), b.Len())-at)
			out = append(out, Change{name, at, some(a, at, a.Len()-end-at), some(b, at, b.Len()-end-at), a.Len() - end - at, b.Len() - end - at})
		default:
			out = append(out, runs(ctx, name, a, b)...)
		}
	}
	return out
}

// runs lists where two contents of equal length differ.
func runs(ctx context.Context, name string, a, b *model.Content) (out []Change) {
	for at := firstDifference(ctx, a, b, 0); at >= 0; {
		n := int64(1)
		x, y := some(a, at, 64), some(b, at, 64)
		for k := 1; k < len(x); k++ {
			if x[k] != y[k] {
				n = int64(k) + 1
			}
		}
		if len(out) == maxChanges-1 {
			n = a.Len() - commonEnd(a, b, a.Len()-at) - at
		}
		out = append(out, Change{name, at, x[:min(n, int64(len(x)))], y[:min(n, int64(len(y)))], n, n})
		at = firstDifference(ctx, a, b, at+n)
	}
	return out
}

// blanks joins changes if the damaged file has a single value in them and everywhere between them: that was one event.
func blanks(was *model.Snapshot, list []Change) (out []Change) {
	for _, c := range list {
		last := len(out) - 1
		if last < 0 || c.File != out[last].File || c.Del != c.Grown || out[last].Del != out[last].Grown || !uniform(c.Was) || !uniform(out[last].Was) {
			out = append(out, c)
			continue
		}
		all := c.Off + c.Del - out[last].Off
		if f, err := was.Content(c.File); err != nil || all > maxRegular || !uniform(bytesAt(f, out[last].Off, all)) {
			out = append(out, c)
			continue
		}
		out[last].Del, out[last].Grown = all, all
	}
	return out
}

// some returns the first bytes of a run, as many as a Change shows.
func some(c *model.Content, off, n int64) []byte { return bytesAt(c, off, min(n, 64)) }

// firstDifference returns the first offset, from at on, at which two contents differ, or -1. Storage that they share is not read.
func firstDifference(ctx context.Context, a, b *model.Content, at int64) int64 {
	for _, r := range b.Diff(a) {
		end := r.Off + r.New
		if r.New != r.Old {
			end = min(a.Len(), b.Len()) // what follows has moved
		}
		if x := differing(ctx, a, b, max(at, r.Off), end); x >= 0 {
			return x
		}
		if r.New != r.Old {
			break
		}
	}
	if short := min(a.Len(), b.Len()); short < max(a.Len(), b.Len()) {
		return max(at, short)
	}
	return -1
}

// differing returns the first offset of a range at which two contents differ, or -1. What could not be compared is no proof that they are the same, and
// counts as different.
func differing(ctx context.Context, a, b *model.Content, at, end int64) int64 {
	x, y := make([]byte, max(0, min(end-at, 1<<16))), make([]byte, max(0, min(end-at, 1<<16)))
	for ; at < end; at += int64(len(x)) {
		n := min(end-at, int64(len(x)))
		inA, _ := a.ReadAt(x[:n], at)
		inB, _ := b.ReadAt(y[:n], at)
		if ctx.Err() != nil || int64(min(inA, inB)) < n {
			return at
		}
		if bytes.Equal(x[:n], y[:n]) {
			continue
		}
		for k := range n {
			if x[k] != y[k] {
				return at + k
			}
		}
	}
	return -1
}

// commonEnd returns how many bytes at their ends two contents have in common, at most most. Storage that they share is not read.
func commonEnd(a, b *model.Content, most int64) (n int64) {
	n = min(most, b.Len())
	if list := b.Diff(a); len(list) > 0 {
		last := list[len(list)-1]
		n = min(n, b.Len()-last.Off-last.New)
	}
	x, y := make([]byte, 1<<12), make([]byte, 1<<12)
	for n < most {
		k := min(most-n, 1<<12)
		a.ReadAt(x[:k], a.Len()-n-k)
		b.ReadAt(y[:k], b.Len()-n-k)
		for i := k - 1; i >= 0; i-- {
			if x[i] != y[i] {
				return n + k - 1 - i
			}
		}
		n += k
	}
	return n
}
