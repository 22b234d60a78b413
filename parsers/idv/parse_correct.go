package idv

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"

	"spandrel/parsers/idv/block"
)

// Lengths inside a column entry determine where it ends. If one of them is wrong, this entry and all after it are read from the wrong
// places, and their numbers are meaningless. If the entries after it can be found backwards from the tail, and changing one byte of the lengths
// makes the entry end where they begin, the directory is read that way.

const (
	maxCorrected = 64 << 10 // bytes of a directory that is corrected
	maxTested    = 24       // bytes of an entry that are tried with every value
)

// maxSpent is how many bytes of directories all trials for a file may read; less if very many files are tried.
var maxSpent int64 = 32 << 20

// corrector reads pieces of a directory with other lengths.
type corrector struct {
	*directory
	peek peek
}

// spend tells whether another trial may read so many bytes.
func (s corrector) spend(n int64) bool {
	s.tried += n
	return s.tried <= maxSpent
}

// correctColumns finds the one byte with which all entries of a directory are sound and end at the tail; plain is the directory as found.
func correctColumns(d *directory, peek peek, plain []finding) *correction {
	s := corrector{d, peek}
	if s.layout != 6 || s.columnCount <= 0 || s.columnCount > maxCorrected/20 || s.tail <= s.toc || s.tail-s.toc > maxCorrected || s.tail > s.size-8 {
		return nil
	}
	begins := map[int64][]int64{0: {s.tail}} // start of that many valid entries that lead to the end mark
	chains(d, peek, s.toc, s.tail, func(at, n int64) bool {
		begins[n] = append(begins[n], at)
		return true
	})
	at := s.toc
	for i := range s.columnCount {
		c, r, ok := s.entryAt(peek, at, s.tail)
		ends, next := begins[s.columnCount-i-1], r.pos-s.base
		ok = ok && c.plausible(s.tail)
		if ok && slices.Contains(ends, next) {
			at = next
			continue
		}
		if found := s.correctUpTo(at, ends); len(found) == 1 {
			found[0].says(peek, plain)
			return &found[0]
		} else if len(found) > 1 {
			return nil
		}
		if at = next; !ok {
			return nil
		}
	}
	return nil
}

// correctUpTo is correctEntry for the first of several ends for which it succeeds.
func (s corrector) correctUpTo(at int64, ends []int64) []correction {
	for _, end := range ends {
		if end <= at {
			continue
		}
		if found := s.correctEntry(at, end); len(found) > 0 {
			return found
		}
	}
	return nil
}

// entryAt reads one entry, and tells whether it is sound.
func (s corrector) entryAt(peek peek, at, end int64) (*column, *reader, bool) {
	one := &directory{base: s.base, size: end, tail: end, columnCount: 1, layout: 6, version: s.version}
	ok := true
	r := one.reader(peek, at, func(f finding) { ok = ok && !f.grave() })
	if one.readTOC(r); len(one.cols) == 0 {
		return nil, r, false
	}
	return one.cols[0], r, ok
}

// correctEntry lists the length bytes with which an entry ends where the next one begins.
func (s corrector) correctEntry(at, end int64) (out []correction) {
	_, r, _ := s.entryAt(s.peek, at, s.tail)
	from, window := s.base+at, s.peek(s.base+at, end-at)
	for try := range otherBytes(lengthsIn(r.nodes), window, from) {
		if !s.spend(end - at) {
			return nil
		}
		c, r, ok := s.entryAt(try.peek(func(off, n int64) []byte { return within(window, off-from, n) }), at, end)
		if !ok || r.pos != s.base+end || !c.plausible(s.tail) || c.codec.Kind == block.Unknown {
			continue
		}
		try.in(r.nodes)
		out = append(out, try)
	}
	return out
}

// otherBytes are copies of a window at an offset, with each other value at each of some places.
func otherBytes(places []int64, window []byte, from int64) iter.Seq[correction] {
	return func(yield func(correction) bool) {
		for _, pos := range places {
			for x := range 256 {
				if pos-from >= int64(len(window)) || window[pos-from] == byte(x) {
					continue
				}
				if !yield(correction{pos: pos, with: []byte{byte(x)}}) {
					return
				}
			}
		}
	}
}

// lengthsIn are the bytes of nodes that say how long something is, the first ones.
func lengthsIn(nodes []treeNode) (out []int64) {
	eachLeaf(nodes, func(n treeNode) {
		for k := range n.n {
			if n.field == length || n.field == paramLength || n.field == rowsPerBlock || n.field == metaBlockLen {
				out = append(out, n.off+k)
			}
		}
	})
	return out[:min(len(out), maxTested)]
}

// in finds the number that holds the bytes.
func (m *correction) in(nodes []treeNode) {
	eachLeaf(nodes, func(n treeNode) {
		if n.off <= m.pos && m.pos < n.off+n.n {
			m.leaf = n
		}
	})
}

// eachLeaf passes all leaves of nodes to f.
func eachLeaf(nodes []treeNode, f func(treeNode)) {
	for _, n := range nodes {
		if !n.group {
			f(n)
		}
	}
}

// says makes the finding: what is wrong with the length, if that is known.
func (m *correction) says(of peek, plain []finding) {
	f := &m.finding
	f.rule, f.at, f.n = textLengthWrong, m.leaf.off, m.leaf.n
	what := "the column directory continues to the end mark"
	switch m.leaf.field {
	case paramLength:
		f.rule = parametersLength
	case rowsPerBlock:
		f.rule = numberMalformed
	case metaBlockLen:
		f.rule = metadataBlockLength
	}
	if m.meta {
		what = "the metadata ends where another structure begins"
	}
	if i := slices.IndexFunc(plain, func(p finding) bool { return p.at == f.at && p.grave() }); i >= 0 {
		f.rule = plain[i].rule
	}
	is, _, err := m.leaf.field.Codec.Decode(of(f.at, f.n))
	if f.found = is.String(); err != nil {
		f.found = fmt.Sprintf("% x", of(f.at, f.n))
	}
	want, _, _ := m.leaf.field.Codec.Decode(m.peek(of)(f.at, f.n))
	f.set, f.message = &want, fmt.Sprintf("with %s %s", want, what)
	f.expected = want.String()
}

// correctMetadata finds the one length with which the metadata directory of a column ends where something else begins; plain is the directory as
// found.
func correctMetadata(d *directory, peek peek, c *column, plain *reader, found []finding) *correction {
	s := corrector{d, peek}
	end := s.metadataEnd(c)
	if end <= c.meta || end-c.meta > maxCorrected || !slices.ContainsFunc(found, func(f finding) bool { return f.grave() }) {
		return nil
	}
	from, window := s.base+c.meta, peek(s.base+c.meta, end-c.meta)
	var out []correction
	try := func(m correction) {
		if !s.spend(end - c.meta) {
			return
		}
		r := s.soundMetadata(m.peek(func(off, n int64) []byte { return within(window, off-from, n) }), c, end)
		if r != nil && r.pos == s.base+end {
			m.meta = true
			m.in(r.nodes)
			out = append(out, m)
		}
	}
	for m := range otherBytes(lengthsIn(plain.nodes), window, from) {
		try(m)
	}
	if len(out) != 1 && plain.pos != s.base+end { // no length fits, or every one: then use the one that fills the gap
		out = nil
		s.fillings(c, plain.nodes, end, try)
	}
	if len(out) != 1 || !s.spend(0) { // there may be others
		return nil
	}
	out[0].says(peek, found)
	return &out[0]
}

// fillings tries, as the length of each value, the room up to the next one, or up to the directory.
func (s corrector) fillings(c *column, nodes []treeNode, end int64, try func(correction)) {
	var lengths []treeNode
	eachLeaf(nodes, func(n treeNode) {
		if n.field == metaBlockLen {
			lengths = append(lengths, n)
		}
	})
	for _, n := range lengths[:min(len(lengths), maxTested)] {
		b := s.peek(n.off-8, 8) // the stated offset of the value
		if len(b) < 8 {
			return
		}
		at := int64(binary.LittleEndian.Uint64(b))
		for width := int64(1); width <= 4; width++ {
			next := c.meta
			if m, ok := s.tryMetadata(s.peek, n.off+width-s.base, end).read(c); ok && n.off+width < s.base+end {
				next = m.off
			}
			if with := binary.AppendUvarint(nil, uint64(max(0, next-at))); next > at && int64(len(with)) == width {
				try(correction{pos: n.off, with: with})
			}
		}
	}
}

// metadataEnd is where the metadata directory of a column usually ends: where the metadata of the next column begin, or the
// directory of the columns.
func (s corrector) metadataEnd(c *column) int64 {
	end, next := int64(0), (*column)(nil)
	if s.toc > c.meta {
		end = s.toc
	}
	for _, o := range s.cols {
		if o.meta > c.meta && (end == 0 || o.meta < end) {
			end, next = o.meta, o
		}
	}
	if next == nil {
		return end
	}
	try := s.tryMetadata(s.peek, next.meta, s.size)
	for range min(try.count(math.MaxUint64), maxTested) {
		m, ok := try.read(next)
		if !ok {
			break
		}
		if m.off > c.meta {
			end = min(end, m.off)
		}
	}
	return end
}

// soundMetadata reads the metadata directory of a column up to the end of the bytes; nil if it is not sound.
func (s corrector) soundMetadata(peek peek, c *column, end int64) *reader {
	try := s.tryMetadata(peek, c.meta, end)
	n := try.count(maxCorrected)
	for range n {
		m := try.next()
		if m == nil || strings.ContainsFunc(m.kind.s, unicode.IsControl) || len(try.of.findings) > 0 || m.off+m.n > c.meta {
			return nil
		}
	}
	if n == 0 {
		return nil
	}
	return try.reader
}
