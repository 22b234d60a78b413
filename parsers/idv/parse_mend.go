package idv

import (
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// A column entry says with lengths inside it where it ends. When one of them is wrong, this entry and all behind it are read from other places than
// theirs, and what seem to be their numbers are none. Where the entries behind can be told from the end mark backwards, and one byte of the lengths
// makes the entry end where they begin, the directory is read with it.

const (
	maxMended = 64 << 10 // bytes of a directory that is mended
	maxTested = 48       // bytes of an entry that are tried with every value
)

// mended is the wrong byte of a length in a directory, and what it must be.
type mended struct {
	pos  int64 // in the space
	with byte
	leaf treeNode // the number that it is in
	finding
}

// peek returns the bytes of a space with the one that is wrong put right.
func (m *mended) peek(of peek) peek {
	return func(off, n int64) []byte {
		b := of(off, n)
		if m.pos >= off && m.pos < off+int64(len(b)) {
			b = slices.Clone(b)
			b[m.pos-off] = m.with
		}
		return b
	}
}

// mend finds the one byte with which a directory that does not end at the end mark does; plain is what reading it as it is found.
func (s *directory) mend(peek peek, plain []finding) *mended {
	if s.layout != 6 || s.columnCount <= 0 || s.columnCount > maxMended/20 || s.tail <= s.toc || s.tail-s.toc > maxMended || s.tail > s.size-8 {
		return nil
	}
	begins := map[int64][]int64{0: {s.tail}} // where so many sound entries lead to the end mark from
	s.chains(peek, s.toc, s.tail, func(at, n int64) bool {
		begins[n] = append(begins[n], at)
		return true
	})
	at := s.toc
	for i := range s.columnCount {
		for _, end := range begins[s.columnCount-i-1] {
			if end <= at {
				continue
			}
			if found := s.mendEntry(peek, at, end); len(found) == 1 {
				found[0].says(peek, plain)
				return &found[0]
			} else if len(found) > 1 {
				return nil
			}
		}
		c, r, ok := s.entryAt(peek, at, s.tail)
		if !ok || !c.plausible(s.tail) {
			return nil
		}
		at = r.pos - s.base
	}
	return nil
}

// entryAt reads one entry, and tells whether nothing is wrong with it.
func (s *directory) entryAt(peek peek, at, end int64) (*column, *reader, bool) {
	one := &directory{base: s.base, size: end, tail: end, columnCount: 1, layout: 6, version: s.version}
	ok := true
	r := one.reader(peek, at, func(f finding) { ok = ok && f.grade() != model.Error })
	if one.readTOC(r); len(one.cols) == 0 {
		return nil, r, false
	}
	return one.cols[0], r, ok
}

// mendEntry lists the bytes of lengths with which an entry ends where the next one begins.
func (s *directory) mendEntry(peek peek, at, end int64) (out []mended) {
	_, r, _ := s.entryAt(peek, at, s.tail)
	var lengths []int64
	eachLeaf(r.nodes, func(n treeNode) {
		for k := range n.n {
			if n.field == length || n.field == paramLength || n.field == rowsPerBlock {
				lengths = append(lengths, n.off+k)
			}
		}
	})
	from, window := s.base+at, peek(s.base+at, end-at)
	for _, pos := range lengths[:min(len(lengths), maxTested)] {
		for x := range 256 {
			if pos-from >= int64(len(window)) || window[pos-from] == byte(x) {
				continue
			}
			try := mended{pos: pos, with: byte(x)}
			c, r, ok := s.entryAt(try.peek(func(off, n int64) []byte { return within(window, off-from, n) }), at, end)
			if !ok || r.pos != s.base+end || !c.plausible(s.tail) || c.codec.Kind == block.Unknown {
				continue
			}
			eachLeaf(r.nodes, func(n treeNode) {
				if n.off <= pos && pos < n.off+n.n {
					try.leaf = n
				}
			})
			out = append(out, try)
		}
	}
	return out
}

// within returns up to n bytes of b from an offset on.
func within(b []byte, off, n int64) []byte {
	if off < 0 || off >= int64(len(b)) {
		return nil
	}
	return b[off:min(off+n, int64(len(b)))]
}

// eachLeaf hands all leaves of nodes to f.
func eachLeaf(nodes []treeNode, f func(treeNode)) {
	for _, n := range nodes {
		if eachLeaf(n.kids, f); !n.group {
			f(n)
		}
	}
}

// says makes the finding: what is wrong with the length where it is believed, if that is said of it.
func (m *mended) says(of peek, plain []finding) {
	f := &m.finding
	f.rule, f.at, f.n = textLengthWrong, m.leaf.off, m.leaf.n
	switch m.leaf.field {
	case paramLength:
		f.rule = parametersLength
	case rowsPerBlock:
		f.rule = numberMalformed
	}
	if i := slices.IndexFunc(plain, func(p finding) bool { return p.at == f.at && p.grade() == model.Error }); i >= 0 {
		f.rule = plain[i].rule
	}
	is, _, err := m.leaf.field.Codec.Decode(of(f.at, f.n))
	if f.found = is.String(); err != nil {
		f.found = fmt.Sprintf("% x", of(f.at, f.n))
	}
	want, _, _ := m.leaf.field.Codec.Decode(m.peek(of)(f.at, f.n))
	f.set, f.message = &want, fmt.Sprintf("with %s the description of the columns goes on to the end mark", want)
	f.expected = want.String()
}
