// Package another compares the bytes of a damaged file with those of another copy: an older save, a backup, a second download. It knows
// no format. It says which ranges differ, where their counterparts are in the copy, and how much of the rest agrees.
package another

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"spandrel/model"
)

// A Range is bytes of a damaged file, and their counterpart in the copy: N bytes at From. One of the two may be empty, if bytes were
// lost or inserted.
type Range struct {
	Off, Len int64
	From, N  int64
}

// Agreement is how many bytes of two files are in equal pieces at corresponding places, and in pieces that differ in a quarter or more.
// Pieces that repeat one byte in either file do not count: they are equal in any files, or were erased.
type Agreement struct{ Same, Other int64 }

const (
	block = 4096
	chunk = 16 * block
	// gap is how many equal bytes separate two ranges.
	gap = 8
	// mostRanges bounds the ranges of a file: two that differ in more places are unrelated.
	mostRanges = 1 << 16
)

// ErrOther means that two files differ in too many places to be copies of each other.
var ErrOther = errors.New("the files differ in too many places")

// Compare returns the ranges of a file that differ from a copy, in order, and how much of the rest agrees. Files of different lengths are
// aligned at their beginnings and at their ends, switching at the place at which the most bytes agree. If hardly any agree, all may have moved.
func Compare(ctx context.Context, file, copied *model.Content) ([]Range, Agreement, error) {
	c := &comparison{ctx: ctx, a: file, b: copied}
	c.aligned()
	if c.agree.Same <= c.agree.Other && (c.err == nil || errors.Is(c.err, ErrOther)) {
		if w := (&comparison{ctx: ctx, a: file, b: copied}); w.moved() && w.err == nil && w.agree.Same > max(c.agree.Same, leastMoved*w.agree.Other) {
			c = w
		}
	}
	if c.err == nil {
		c.err = ctx.Err()
	}
	return c.out, c.agree, c.err
}

// aligned compares from the beginnings and from the ends.
func (c *comparison) aligned() {
	file, copied := c.a, c.b
	short := min(file.Len(), copied.Len())
	da, db := file.Len()-short, copied.Len()-short
	at := short
	if da != db {
		at = c.split(short, da, db)
	}
	c.span(0, 0, at)
	if da != db {
		c.out = append(c.out, Range{at, da, at, db})
	}
	c.span(at+da, at+db, short-at)
}

const (
	probes   = 16       // pieces of the file that are looked for in the copy
	probe    = 32       // bytes of each
	leastHit = 3        // how many must be found at the same distance
	mostSeen = 64 << 20 // bytes of a copy that are searched
	// leastMoved is how many times as many bytes must then agree as differ: another save has moved parts too.
	leastMoved = 16
)

// moved compares with all bytes moved by the distance at which pieces of the file are in the copy: something precedes it, or its first bytes are
// missing, whatever happened to its end. It tells whether there is such a distance.
func (c *comparison) moved() bool {
	if c.b.Len() > mostSeen || c.a.Len() < probe {
		return false
	}
	b, x := make([]byte, c.b.Len()), make([]byte, probe)
	if !c.read(nil, b, 0, 0) {
		return false
	}
	hits, by := map[int64]int{}, int64(0)
	for i := range int64(probes) {
		at := i * (c.a.Len() - probe) / probes
		if !c.read(x, nil, at, 0) {
			return false
		}
		if k := bytes.Index(b, x); k >= 0 && bytes.LastIndex(b, x) == k && !constant(x) {
			if hits[at-int64(k)]++; hits[at-int64(k)] > hits[by] {
				by = at - int64(k)
			}
		}
	}
	if by == 0 || hits[by] < leastHit {
		return false
	}
	at, from := max(0, by), max(0, -by)
	n := min(c.a.Len()-at, c.b.Len()-from)
	c.out = append(c.out, Range{0, at, 0, from})
	c.span(at, from, n)
	if rest := (Range{at + n, c.a.Len() - at - n, from + n, c.b.Len() - from - n}); rest.Len+rest.N > 0 {
		c.out = append(c.out, rest)
	}
	return true
}

type comparison struct {
	ctx   context.Context
	a, b  *model.Content
	out   []Range
	agree Agreement
	first int  // position in out of the first range of the span
	value byte // of the file in its last differing byte: overwritten bytes may match by chance
	wiped bool // all bytes since then are equal to it
	err   error
}

// read reads n bytes of both files.
func (c *comparison) read(x, y []byte, offA, offB int64) bool {
	if c.err == nil {
		c.err = c.ctx.Err()
	}
	for _, r := range []struct {
		of  *model.Content
		b   []byte
		off int64
	}{{c.a, x, offA}, {c.b, y, offB}} {
		if n, err := r.of.ReadAt(r.b, r.off); n < len(r.b) && c.err == nil {
			c.err = fmt.Errorf("only %s could be read: %w", model.Count(int64(n), "bytes"), errors.Join(err, io.ErrUnexpectedEOF))
		}
	}
	return c.err == nil
}

// split returns the places up to which files of different lengths are compared from their beginnings, and from which on from their ends.
func (c *comparison) split(short, da, db int64) int64 {
	at := c.cheapest(0, short, da, db, block)
	from := max(0, at-block)
	at = c.cheapest(from, min(short, at+block)-from, da, db, 1) // exactly
	if c.alike(at, at, short-at) >= c.alike(at+da, at+db, short-at) {
		return short // what seems to agree from the ends are bytes that agree anywhere
	}
	return at
}

// alike is how many of n bytes at offA agree with those at offB.
func (c *comparison) alike(offA, offB, n int64) int64 {
	w := &comparison{ctx: c.ctx, a: c.a, b: c.b}
	w.span(offA, offB, n)
	return w.agree.Same
}

// cheapest returns at which of the places, every unit bytes of a part, the fewest units differ, if those before it are compared from the beginnings.
func (c *comparison) cheapest(from, n, da, db, unit int64) int64 {
	cost, best, at := 0, 0, from // against a split at the beginning of the part
	var x, y, u, v [block]byte
	for off := from; off < from+n; off += block {
		k := min(block, from+n-off)
		if !c.read(x[:k], y[:k], off, off) || !c.read(u[:k], v[:k], off+da, off+db) {
			return from
		}
		for i := int64(0); i < k; i += unit {
			end := min(k, i+unit)
			if !bytes.Equal(x[i:end], y[i:end]) {
				cost++
			}
			if !bytes.Equal(u[i:end], v[i:end]) {
				cost--
			}
			if cost < best {
				best, at = cost, off+end
			}
		}
	}
	return at
}

// span compares n bytes at offA with those at offB.
func (c *comparison) span(offA, offB, n int64) {
	x, y := make([]byte, min(n, chunk)), make([]byte, min(n, chunk))
	c.first, c.wiped = len(c.out), true
	for at := int64(0); at < n && c.err == nil; at += chunk {
		k := min(n-at, chunk)
		if !c.read(x[:k], y[:k], offA+at, offB+at) {
			return
		}
		c.weigh(x[:k], y[:k])
		if bytes.Equal(x[:k], y[:k]) {
			c.wiped = c.wiped && len(c.out) > c.first && filled(x[:k], c.value)
			continue
		}
		for i := range k {
			if x[i] != y[i] {
				c.differ(offA+at+i, offB+at+i, x[i])
			} else if c.wiped {
				c.wiped = x[i] == c.value
			}
		}
	}
}

// differ adds a byte to the last range, or begins another.
func (c *comparison) differ(off, from int64, value byte) {
	last := len(c.out) - 1
	switch {
	case last >= c.first && (off-c.out[last].Off-c.out[last].Len < gap || c.wiped && value == c.value):
		c.out[last].Len = off + 1 - c.out[last].Off
		c.out[last].N = c.out[last].Len
	case last+1 >= mostRanges:
		c.err = ErrOther
	default:
		c.out = append(c.out, Range{off, 1, from, 1})
	}
	c.value, c.wiped = value, true
}

// weighed is the size of a piece.
const weighed = 8

// weigh counts what agrees.
func (c *comparison) weigh(x, y []byte) {
	for ; len(x) > 0; x, y = x[min(weighed, len(x)):], y[min(weighed, len(y)):] {
		a, b := x[:min(weighed, len(x))], y[:min(weighed, len(y))]
		if constant(a) || constant(b) {
			continue
		}
		switch differ := model.Differ(a, b); {
		case differ == 0:
			c.agree.Same += int64(len(a))
		case differ*4 >= len(a):
			c.agree.Other += int64(len(a))
		}
	}
}

// constant tells whether bytes are all the same.
func constant(b []byte) bool { return filled(b, b[0]) }

func filled(b []byte, value byte) bool { return bytes.Count(b, []byte{value}) == len(b) }

// Apply returns a file with ranges of it taken from a copy; they are in order.
func Apply(file, copied *model.Content, ranges []Range) *model.Content {
	for i := len(ranges) - 1; i >= 0; i-- { // from the end, so that offsets stay
		r := ranges[i]
		file = file.Splice(r.Off, r.Len, r.Of(copied))
	}
	return file
}

// Of returns the bytes of the copy that replace the range.
func (r Range) Of(copied *model.Content) model.Source {
	return copied.Splice(r.From+r.N, copied.Len()-r.From-r.N, nil).Splice(0, r.From, nil)
}
