package idv

import (
	"bytes"
	"encoding/binary"
)

// countColumns returns how many column entries are between an offset and the tail, or -1 if they do not end there.
func (s *directory) countColumns(peek peek, toc int64) int64 {
	if toc < headerSize || s.tail <= toc || s.tail > s.size {
		return -1
	}
	try := &directory{base: s.base, size: s.tail, tail: s.tail, columnCount: maxColumns, layout: 6}
	r := try.reader(peek, toc, func(finding) {})
	n, end := int64(0), int64(0)
	try.eachColumn(r, func(c *column) {
		n, end = n+1, c.entry[0]+c.entry[1]
		r.nodes = nil // not kept: there may be very many
	})
	if n > 0 && end == s.tail {
		return n
	}
	return -1
}

// searchTOC looks backwards from the tail for a place from which columnCount sound entries lead exactly to the tail; without a
// count, for the furthest such place from which all codecs are known.
func (s *directory) searchTOC(peek peek, tail int64) (int64, bool) {
	if tail < 0 {
		return 0, false
	}
	best := int64(-1)
	chains(s, peek, max(headerSize, tail-(1<<20)), tail, func(at, n int64) bool {
		if n == s.columnCount || s.columnCount <= 0 {
			best = at
		}
		return n != s.columnCount
	})
	return best, best >= 0
}

// chains passes f, from the tail backwards, the places from which sound entries lead to the tail, and their number, until it returns false.
func chains(s *directory, peek peek, from, tail int64, f func(at, n int64) bool) {
	b := peek(s.base+from, tail-from)
	window := func(off, n int64) []byte { return within(b, off-s.base-from, n) }
	// reach[i] is how many entries lead from i to the tail; 0: none.
	reach, rpb := make([]int32, len(b)+1), map[int]int64{}
	for i := len(b) - 20; i >= 0; i-- {
		if !mayBegin(b[i:]) {
			continue
		}
		one := &directory{base: s.base, size: tail, tail: tail, columnCount: 1, layout: 6}
		bad := false
		r := one.reader(window, from+int64(i), func(f finding) { bad = bad || f.grave() })
		one.readTOC(r)
		if len(one.cols) == 0 || bad || !one.cols[0].plausible(tail+s.lost) || s.columnCount <= 0 && !one.cols[0].codec.Readable() {
			continue
		}
		end := int(r.pos - s.base - from)
		switch {
		case end == len(b):
			reach[i] = 1
		case end < len(b) && reach[end] > 0 && one.cols[0].rpb == rpb[end]:
			reach[i] = reach[end] + 1
		}
		rpb[i] = one.cols[0].rpb
		if reach[i] > 0 && !f(from+int64(i), int64(reach[i])) {
			return
		}
	}
}

// tailNear returns where the last tail signature is, or -1.
func (s contents) tailNear() int64 {
	from := max(headerSize, s.stream.size-searchBack)
	b := s.peek(s.stream.base+from, s.stream.size-from)
	if i := bytes.LastIndex(b, binary.LittleEndian.AppendUint64(nil, tailSignature)); i >= 0 {
		return from + int64(i)
	}
	return -1
}

// tailLeft is tailNear, or where the header says that the tail is if the file ends inside its signature there.
func (s contents) tailLeft() int64 {
	if tail, end := s.stream.tail, s.stream.size; tail >= max(headerSize, end-7) && tail < end &&
		bytes.HasPrefix(binary.LittleEndian.AppendUint64(nil, tailSignature), s.peek(s.stream.base+tail, end-tail)) {
		return tail
	}
	return s.tailNear()
}

// searchBack is how far from the end signatures and directories are searched for.
const searchBack = 16 << 20

// marked tells whether the tail signature stands at an offset.
func (s contents) marked(at int64) bool {
	return at >= headerSize && bytes.Equal(s.peek(s.stream.base+at, 8), binary.LittleEndian.AppendUint64(nil, tailSignature))
}

// mayBegin is a quick test whether a column entry may begin with bytes: a name, followed by the length of a load name.
func mayBegin(b []byte) bool {
	n, k := binary.Uvarint(b[:min(2, len(b))])
	return k > 0 && n > 0 && int(n)+k < len(b) && b[int(n)+k] > 0 && b[int(n)+k] < 64
}
