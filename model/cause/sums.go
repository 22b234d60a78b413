package cause

import (
	"fmt"
	"math/bits"

	"spandrel/model"
	"spandrel/model/correct"
)

// maxSummed is how many bytes under a checksum are searched for the wrong one.
const maxSummed = 16 << 20

// wrongSums takes every checksum that does not match as a code that locates the error: in the sum, if the stored one is close to the
// computed one; otherwise in a byte. Writing the computed sum is a choice, never a repair.
func wrongSums(r *search) {
	t := r.base.tree
	var trials []*trial
	open := 0 // checksums that no small change corrects
	for _, l := range t.Links() {
		if l.Kind != model.ChecksumLink || l.Sum != model.CRC32 || len(l.Targets) == 0 || r.ctx.Err() != nil {
			continue
		}
		want, ok, err := l.Want(r.ctx, t)
		s := suspectOf(r.ctx, t, l.Field)
		if err != nil || !ok || s == nil || !s.value.IsNumber() || want.Equal(s.value) {
			continue
		}
		b, err := l.Field.Field.Codec.Encode(want)
		if err != nil || len(s.raw) != len(b) {
			continue
		}
		own := r.clues.trial(s, candidate{raw: b, kind: derived})
		trials = append(trials, own)
		if closeTo(s.raw, b) {
			own.text = fmt.Sprintf("The checksum %s is %s, but that of its bytes is %s. The difference is too small to be chance.", s.said, hex32(s.value), hex32(want))
			own.evidence = append(own.evidence, "the two checksums differ in few bits, as after damage")
			continue
		}
		own.sum = true
		own.text = fmt.Sprintf("The content of %s was changed without its checksum, or it is damaged.", l.Targets[0].Path())
		own.label = "accept the content as it is, damaged or not: update the checksum"
		more := wrongUnder(r, l, uint32(s.value.Uint()), uint32(want.Uint()))
		open += b2i(len(more) == 0)
		trials = append(trials, more...)
	}
	r.run(amongOthers(trials, open))
}

// amongOthers makes answers less certain that were found where so many other searches found none: each of those might have had one by chance.
func amongOthers(trials []*trial, open int) []*trial {
	for _, t := range trials {
		t.chance *= float64(1 + open)
		t.solved = t.solved && t.chance < maxChance
	}
	return trials
}

// unrestorable makes the cause about content that is certainly wrong, and of which nothing says what it was.
func unrestorable(r *search) []*Cause {
	if told := unreadableStreams(r); len(told) > 0 {
		return told
	}
	return unmatchedSums(r)
}

// unmatchedSums makes the cause about checksums that do not match, if nothing else is wrong and no change was found with which they do. It is no
// more than possible, because nothing says what happened.
func unmatchedSums(r *search) []*Cause {
	c := &Cause{Means: "If the content was not changed on purpose, its original bytes are not in this file: download or copy it again" + orSave + "."}
	var said []string
	for i, f := range graded(r.found, model.Error) {
		if f.Sum == nil || f.Sum.Weak {
			return nil
		}
		if said, c.Explains = append(said, f.Text()), append(c.Explains, i); len(said) == 1 {
			c.At = placeOf(r.base.tree, f)
		}
	}
	if len(said) == 0 {
		return nil
	}
	c.Text = "The content is damaged, or was changed without its checksum: " + model.Few(said, mostSaid) + "."
	return []*Cause{c}
}

// mostSaid is how many checksums that do not match are named.
const mostSaid = 3

func hex32(v model.Value) string { return fmt.Sprintf("0x%08x", v.Uint()) }

// wrongUnder solves for the one wrong byte under a checksum, or for a few neighbouring wrong bits, unless an answer as short is to be
// expected by chance.
func wrongUnder(r *search, l *model.Link, stored, computed uint32) (out []*trial) {
	t := r.base.tree
	n := int64(0)
	var summed []model.FileRange
	for _, s := range l.Targets {
		at, ok := t.Verbatim(s.Range)
		if !ok {
			return nil
		}
		summed, n = append(summed, at), n+at.Len
	}
	if n > maxSummed {
		return nil
	}
	found, chance := corrections(r, n, stored, computed)
	for _, c := range found {
		if x := changeUnder(r, l, summed, c, n); x != nil {
			x.solved, x.chance, x.under = len(found) == 1, chance, n
			out = append(out, x)
		}
	}
	return out
}

// corrections are the changes of one byte among n that make a checksum match or, if there are none, the one of a few neighbouring bits; and how many
// answers as short are to be expected if the damage is something else.
func corrections(r *search, n int64, stored, computed uint32) (found []correct.Change, chance float64) {
	found, err := correct.IEEE.Byte(r.ctx, n, stored, computed)
	chance = 255 * float64(n) / (1 << 32)
	switch {
	case err != nil || len(found) > 8:
		return nil, 0
	case len(found) == 1 && bits.OnesCount8(found[0].Xor[0]) == 1:
		return found, 8 * float64(n) / (1 << 32) // single bits are tried first
	case len(found) > 0:
		return found, chance
	}
	c, luck, err := correct.IEEE.Burst(r.ctx, n, stored, computed)
	if err != nil || luck > 1e-2 || len(c.Xor) == 0 { // one in a hundred other damages has an answer by chance
		return nil, 0
	}
	return []correct.Change{c}, chance + luck
}

// changeUnder is the trial of a change to the n bytes under a checksum, in these ranges, that makes it match; nil if the change extends over two
// of them.
func changeUnder(r *search, l *model.Link, summed []model.FileRange, c correct.Change, n int64) *trial {
	t, at, size := r.base.tree, c.At, int64(len(c.Xor))
	for i, run := range summed {
		if at >= run.Len {
			at -= run.Len
			continue
		}
		off := run.Off + at
		sp := spaceOf(t, run.File)
		if sp == nil || at+size > run.Len {
			return nil
		}
		b, err := t.Bytes(r.ctx, model.Range{Space: sp.ID, Off: off, Len: size})
		if err != nil {
			return nil
		}
		s := l.Targets[i]
		is := correct.Change{Xor: c.Xor}.Apply(b)
		path, span, file := s.Path(), s, run.File
		if leaf, err := t.AtOpen(r.ctx, sp.ID, off); err == nil && leaf != nil {
			path, span = leaf.Path(), leaf
		}
		x := &trial{kind: derived, patches: []patch{{file, off, size, is}}, at: Place{file, off, size, path, span}}
		if size == 1 {
			x.text = fmt.Sprintf("One byte at 0x%x is wrong: it is 0x%02x, should be 0x%02x; then the checksum of %s matches.", off, b[0], is[0], s.Path())
			x.label = fmt.Sprintf("set the byte at 0x%x to 0x%02x", off, is[0])
			x.evidence = []string{fmt.Sprintf("the only single-byte change of %s that makes the checksum match", model.Thousands(n))}
			return x
		}
		x.text = model.Words("%d bytes at 0x%x are wrong: they are % x, should be % x; then the checksum of %s matches.", size, off, b, is, s.Path())
		x.label = model.Words("set the %d bytes at 0x%x to % x", size, off, is)
		x.evidence = []string{model.Words("the shortest run of changed bits in %s bytes that makes the checksum match", model.Thousands(n))}
		return x
	}
	return nil
}
