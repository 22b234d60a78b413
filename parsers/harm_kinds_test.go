package parsers

import (
	"bytes"
	"math/rand/v2"
	"path"

	"spandrel/model"
)

// The ways in which harm_test.go damages files. Unlike those of damage_whole_test.go most leave nothing that tells what was there: a
// repair can then only be wrong.

// hurt damages the bytes of a file, and returns nil where it cannot be damaged so. Places are where spans of the document begin or end.
type hurt func(r *rand.Rand, b []byte, places []int64) []byte

type way struct {
	name string
	do   hurt
}

// underSum is damage of what a CRC-32 is of: enough of it that another byte can be set so that the checksum agrees.
const underSum = "under a CRC-32"

var hurts = []way{
	{"cut anywhere", func(r *rand.Rand, b []byte, _ []int64) []byte { return b[:r.IntN(len(b))] }},
	{"cut at a structure", func(r *rand.Rand, b []byte, places []int64) []byte { return b[:place(r, places, len(b))] }},
	{"cut, and a byte", func(r *rand.Rand, b []byte, _ []int64) []byte {
		return twice(setByte, setByte)(r, b[:1+r.IntN(len(b))], nil)
	}},
	{"a hole", func(r *rand.Rand, b []byte, _ []int64) []byte { return overrun(r, b, 16, 8192, zeroes) }},
	{"a hole of pages", func(r *rand.Rand, b []byte, _ []int64) []byte {
		at := r.IntN(len(b)) / 4096 * 4096
		clear(b[at:min(len(b), at+4096*(1+r.IntN(4)))])
		return b
	}},
	{"a hole to the end", func(r *rand.Rand, b []byte, _ []int64) []byte { clear(b[r.IntN(len(b)):]); return b }},
	{"a run of noise", func(r *rand.Rand, b []byte, _ []int64) []byte { return overrun(r, b, 4, 4096, noise) }},
	{"a run of one byte", func(r *rand.Rand, b []byte, _ []int64) []byte { return overrun(r, b, 4, 4096, constant) }},
	{"a run of text", func(r *rand.Rand, b []byte, _ []int64) []byte { return overrun(r, b, 4, 4096, prose) }},
	{"a short run", func(r *rand.Rand, b []byte, _ []int64) []byte { return overrun(r, b, 2, 9, noise) }},
	{"a run from elsewhere", func(r *rand.Rand, b []byte, _ []int64) []byte {
		n := min(len(b), 4+r.IntN(600))
		copy(b[r.IntN(len(b)-n+1):], bytes.Clone(b[r.IntN(len(b)-n+1):][:n]))
		return b
	}},
	{"one bit", flipBit},
	{"one byte", setByte},
	{"two bits", twice(flipBit, flipBit)},
	{"two bytes", twice(setByte, setByte)},
	{"three bytes", twice(setByte, setByte, setByte)},
	{"two bytes of structure", twice(structural, structural)},
	{"a field and a byte", twice(structural, setByte)},
	{"two runs", twice(shortRun, shortRun)},
	{"a field and a run", twice(structural, shortRun)},
}

func place(r *rand.Rand, places []int64, n int) int {
	if len(places) == 0 {
		return r.IntN(n)
	}
	return int(min(int64(n-1), places[r.IntN(len(places))]))
}

func flipBit(r *rand.Rand, b []byte, _ []int64) []byte {
	b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	return b
}

func setByte(r *rand.Rand, b []byte, _ []int64) []byte {
	b[r.IntN(len(b))] = [...]byte{0, 0xff, byte(r.Uint32())}[r.IntN(3)]
	return b
}

// structural changes a byte beside where a span begins.
func structural(r *rand.Rand, b []byte, places []int64) []byte {
	at := min(len(b)-1, place(r, places, len(b))+r.IntN(4))
	b[at] = [...]byte{0, 0xff, byte(r.Uint32()), b[at] ^ 1<<r.IntN(8), b[at] + 1}[r.IntN(5)]
	return b
}

func shortRun(r *rand.Rand, b []byte, _ []int64) []byte {
	return overrun(r, b, 4, 65, [...]func(*rand.Rand, []byte){zeroes, noise, constant, prose}[r.IntN(4)])
}

func twice(all ...hurt) hurt {
	return func(r *rand.Rand, b []byte, places []int64) []byte {
		for _, h := range all {
			b = h(r, b, places)
		}
		return b
	}
}

// overrun writes over a run of least to most bytes, or of what there is.
func overrun(r *rand.Rand, b []byte, least, most int, with func(*rand.Rand, []byte)) []byte {
	n := min(len(b), least+r.IntN(most-least))
	at := r.IntN(len(b) - n + 1)
	with(r, b[at:at+n])
	return b
}

func zeroes(_ *rand.Rand, b []byte) { clear(b) }

func constant(r *rand.Rand, b []byte) {
	with := [...]byte{0xff, 0xcc, ' ', byte(r.Uint32())}[r.IntN(4)]
	for i := range b {
		b[i] = with
	}
}

func noise(r *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
}

func prose(r *rand.Rand, b []byte) {
	const words = "the quick brown fox jumps over the lazy dog, 2026-08-08 12:00:00 INFO saved {\"a\": 1}\n"
	for i, at := 0, r.IntN(len(words)); i < len(b); i++ {
		b[i] = words[(at+i)%len(words)]
	}
}

// places are where the spans of a file begin and end, up to some depth and number.
func places(d *model.Document, file string) (out []int64) {
	var walk func(s *model.Span, depth int)
	walk = func(s *model.Span, depth int) {
		if sp := d.Tree.Space(s.Range.Space); depth > 8 || len(out) > 4000 || sp == nil || sp.Derived() {
			return
		}
		if d.Tree.FileName(s.Range) == file && s.Range.Len > 0 {
			out = append(out, s.Range.Off, s.Range.End())
		}
		for i := range min(s.Count(), 64) {
			walk(s.Child(i), depth+1)
		}
	}
	walk(d.Tree.Root, 0)
	return out
}

// under returns where bytes of a file lie that a CRC-32 is of, and where that begins and ends.
func under(d *model.Document) (file string, from, to int64) {
	for _, l := range d.Tree.Links() {
		if l.Kind != model.ChecksumLink || l.Sum != model.CRC32 {
			continue
		}
		for _, s := range l.Targets {
			sp := d.Tree.Space(s.Range.Space)
			for sp != nil && sp.Derived() {
				s = &model.Span{Range: sp.Origin}
				sp = d.Tree.Space(s.Range.Space)
			}
			if sp != nil && !sp.Derived() && s.Range.Len > to-from {
				file, from, to = d.Tree.FileName(s.Range), s.Range.Off, s.Range.End()
			}
		}
	}
	return path.Clean(file), from, to
}
