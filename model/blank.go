package model

import (
	"bytes"
	"context"
	"fmt"
	"slices"
)

// A disk or network drive that loses a part of a file leaves whole sectors of zeros.

// SectorSize is the smallest unit in which disks, and programs that write blocks, lose data.
const SectorSize = 512

const (
	maxSectored = 16 << 20 // bytes of a file that are examined
	maxSectors  = 64 << 20 // … and of all files of a document
	ownZeros    = 16       // zeros of the file's own next to lost bytes
	maxBlanks   = 8        // places in a file
	holeSize    = 4 << 10  // the smallest unit of a file system's holes
	leastTail   = 64 << 10 // zeros at the end of a file that are no padding
)

// blankSectors reports zeros that fill whole sectors between other bytes, and whole pages to the end of a file, and sectors of text between numbers.
func (t *Tree) blankSectors(ctx context.Context) error {
	left := int64(maxSectors)
	for _, sp := range t.Spaces() {
		if sp.Derived() || sp.Root == nil || sp.Root.Range.Len <= 2*SectorSize || sp.Root.Range.Len > min(maxSectored, left) {
			continue // derived, or too small or too large to examine
		}
		size, err := t.Size(ctx, sp.ID)
		if err != nil || size > min(maxSectored, left) {
			continue
		}
		left -= size
		var found, texts []Range
		// Other checks report unreadable bytes.
		_ = t.see(ctx, Range{Space: sp.ID, Len: size}, func(b []byte) error {
			found, texts = blanks(b, func(off int64) bool { return t.begins(sp.ID, off) }), textSectors(b)
			return nil
		})
		told, _ := t.Findings()
		for _, r := range found {
			r.Space = sp.ID
			if slices.ContainsFunc(told, func(f Finding) bool { return f.Rule == RuleBlank && f.Where().Overlaps(r) }) {
				continue
			}
			t.Report(Finding{Rule: RuleBlank, Span: t.At(sp.ID, r.Off), Range: r, Found: fmt.Sprintf("%s zeros", Thousands(r.Len)),
				Message: fmt.Sprintf("%s bytes at 0x%x are zero and fill whole disk sectors: the data there may be lost", Thousands(r.Len), r.Off)})
		}
		t.textInNumbers(sp.ID, texts)
	}
	return ctx.Err()
}

// ZeroTail reports zeros to the end of a file that fill whole arrays, and the rest of one: a file that was made in its full length, and not written to its end.
// Arrays that are zero as a whole say nothing.
func (p *Probe) ZeroTail(ctx context.Context, t *Tree, arrays ...Numbers) error {
	size, space := t.Root.Range.Len, t.Root.Range.Space
	run := Range{Space: space, Off: size}
	for step := int64(leastTail); run.Off > 0 && run.Len < maxSectors; step = searchStep {
		b, err := t.Bytes(ctx, Range{space, max(0, run.Off-step), min(step, run.Off)})
		if err != nil {
			return ctx.Err() // reported elsewhere
		}
		n := int64(len(b) - len(bytes.TrimRight(b, "\x00")))
		if run = (Range{space, run.Off - n, run.Len + n}); n < int64(len(b)) {
			break
		}
	}
	whole, within := int64(0), false
	for _, a := range arrays {
		if a.Values == nil || a.Values.Range.Space != space {
			continue
		}
		if at := a.Values.Range; at.Off >= run.Off {
			whole += at.Len
		} else if at.End() > run.Off {
			within = true
		}
	}
	if within && whole >= leastTail {
		p.Report(Finding{Rule: RuleBlank, Span: t.At(space, run.Off), Range: run, Found: Words("%s zeros", Thousands(run.Len)),
			Message: Words("the last %s bytes of the file are zero, from the middle of an array on: the data there may never have been written", Thousands(run.Len))})
	}
	return ctx.Err()
}

// textInNumbers reports sectors of text that begin and end in arrays of numbers.
func (t *Tree) textInNumbers(in SpaceID, texts []Range) {
	for _, r := range texts {
		r.Space = in
		if s := t.At(in, r.Off); isNumber(s) && isNumber(t.At(in, r.End()-1)) {
			t.Report(Finding{Rule: RuleTextInNumbers, Span: s, Range: r,
				Message: fmt.Sprintf("%s bytes at 0x%x are text and fill whole disk sectors, where there should be numbers", Thousands(r.Len), r.Off)})
		}
	}
}

// isNumber tells whether a span is an element of an array, of a type whose numbers are not made of text.
func isNumber(s *Span) bool {
	if s == nil || s.Field == nil || s.Field.Codec == nil || s.Parent() == nil || s.Parent().Shape != Array {
		return false
	}
	_, ok := ordinary[s.Field.Codec.Type()]
	return ok
}

// textSectors are the runs of sectors that are text, between others: at most maxBlanks.
func textSectors(b []byte) (out []Range) {
	from := -1
	for at := 0; at < len(b) && len(out) < maxBlanks; at += SectorSize {
		switch text := allText(b[at:min(at+SectorSize, len(b))]); {
		case text && from < 0:
			from = at
		case !text && from >= 0:
			out = append(out, Range{Off: int64(from), Len: int64(at - from)})
			from = -1
		}
	}
	return out
}

// allText tells whether bytes are printable characters of ASCII and line ends.
func allText(b []byte) bool {
	for _, x := range b {
		if (x < ' ' || x > '~') && x != '\n' && x != '\r' && x != '\t' {
			return false
		}
	}
	return true
}

// begins tells whether a structure or an array begins at a place: zeros from there on may be its own.
func (t *Tree) begins(in SpaceID, off int64) bool {
	for s := t.At(in, off); s != nil && s.Range.Space == in; s = s.Parent() {
		if up := s.Parent(); s.Range.Off == off && (up == nil || up.Shape != Array) {
			return true
		}
	}
	return false
}

// blanks are the runs of zeros that fill whole sectors. If zeros begin or end elsewhere too, a run is no accident only if it fills whole pages and no structure
// begins with it or with the first page.
func blanks(b []byte, begins func(off int64) bool) (out []Range) {
	runs := zeroRuns(b)
	unit := int64(SectorSize)
	if slices.ContainsFunc(runs, func(r Range) bool { _, ok := wholeUnits(r, unit, int64(len(b))); return !ok }) {
		unit = holeSize
	}
	for _, r := range runs {
		if at, ok := wholeUnits(r, unit, int64(len(b))); ok && len(out) < maxBlanks && (unit == SectorSize || !begins(r.Off) && !begins(at.Off)) {
			out = append(out, at)
		}
	}
	return out
}

// wholeUnits is the part of a run of zeros that consists of whole units, if hardly more zeros are beside it: at most as many as the data may have of their own.
// At the end of a file of size bytes it has to be long.
func wholeUnits(r Range, unit, size int64) (Range, bool) {
	first, last := (r.Off+unit-1)/unit*unit, r.End()/unit*unit
	if r.End() == size {
		if r.Len < leastTail || unit != holeSize {
			return r, false
		}
		last = size
	}
	ok := first > 0 && first < last && first-r.Off <= ownZeros && r.End()-last <= ownZeros
	return Range{Off: first, Len: last - first}, ok
}

// zeroRuns are the runs of zeros of a sector or more.
func zeroRuns(b []byte) (out []Range) {
	for at := SectorSize / 2; at < len(b); at += SectorSize / 2 { // every run of a sector has such a byte
		if b[at] != 0 {
			continue
		}
		from, to := at, at
		for from > 0 && b[from-1] == 0 {
			from--
		}
		for to < len(b) && b[to] == 0 {
			to++
		}
		if to-from >= SectorSize {
			out = append(out, Range{Off: int64(from), Len: int64(to - from)})
		}
		at = max(at, to/(SectorSize/2)*(SectorSize/2))
	}
	return out
}
