package idv

import (
	"fmt"
	"math"

	"spandrel/model"
)

// readMetadata reads the metadata directory of a column (§2.4).
func (s *directory) readMetadata(peek peek, c *column, regions *regionMap) {
	if c.meta < headerSize || c.meta > s.bound || c.meta >= s.size {
		return
	}
	start := len(s.findings)
	r, whole := readMetaEntries(s, peek, c)
	if s.corrects {
		if m := correctMetadata(s, peek, c, r, s.findings[start:]); m != nil {
			s.findings, c.entries = s.findings[:start], nil
			s.report(m.finding)
			r, whole = readMetaEntries(s, m.peek(peek), c)
		}
	}
	c.metaEnd = r.pos - s.base
	regions.add(&region{class: classMeta, off: c.meta, n: c.metaEnd - c.meta, name: meta.Named("mtoc[%d]", c.index), nodes: r.nodes, col: c,
		order: len(c.entries), whole: whole})
	for k, m := range c.entries {
		if old := regions.same[regionKey{classMetaBlock, m.off, m.n}]; old != nil {
			m.region = old
		} else if m.off >= headerSize && m.off < s.size && m.n > 0 {
			regions.add(&region{class: classMetaBlock, off: m.off, n: m.n, name: metaBlock.Named("mblock[%d][%d]", c.index, k), col: c, meta: m,
				order: k})
		}
	}
}

// readMetaEntries reads the entries, and tells whether they are complete.
func readMetaEntries(s *directory, peek peek, c *column) (r *reader, whole bool) {
	r = s.reader(peek, c.meta, s.report)
	r.try(func() {
		at := r.pos
		n := r.uleb(metaCount, metadataCut, numberMalformed)
		if n < 1 || n > math.MaxInt32-1 {
			s.report(finding{rule: metadataCount, at: at, n: r.pos - at, found: fmt.Sprint(n), expected: "1 to 2147483646",
				about: about{column: c}})
			return
		}
		r.group(metaEntries, true, func() {
			for range n {
				s.nextMetaEntry(r, c)
			}
		})
		whole = true
	})
	return r, whole
}

// nextMetaEntry reads an entry of a column; if it cannot, it reports that and ends the directory.
func (s *directory) nextMetaEntry(r *reader, c *column) {
	m, at, before := &metadata{}, r.pos, len(s.findings)
	if c.unread = len(c.entries) >= maxMetadata; c.unread {
		r.stop(finding{rule: metadataCut, sev: model.Note, at: at, message: model.Words("only the first %d entries are shown", maxMetadata)})
	}
	if !r.try(func() { r.group(metaEntry, false, func() { s.readMetaEntry(r, c, m) }) }) {
		if len(s.findings) == before || s.findings[len(s.findings)-1].rule != metadataCut {
			s.report(finding{rule: metadataCut, at: at, n: r.pos - at})
		}
		panic(stop{})
	}
	m.entry = [2]int64{at - s.base, r.pos - at}
	c.entries = append(c.entries, m)
}

// metaTrial reads what may be entries of metadata.
type metaTrial struct {
	*reader
	of *directory
}

// tryMetadata reads from an offset up to an end.
func (s *directory) tryMetadata(peek peek, at, end int64) metaTrial {
	d := &directory{base: s.base, size: end, bound: s.bound}
	return metaTrial{d.trial(peek, at), d}
}

// count is how many entries follow, according to the number before them; 0 if that exceeds most.
func (t metaTrial) count(most uint64) (n uint64) {
	if !t.try(func() { n = t.uleb(metaCount, metadataCut, numberMalformed) }) || n > most {
		return 0
	}
	return n
}

// read reads an entry of a column; ok is false where it is none.
func (t metaTrial) read(c *column) (m *metadata, ok bool) {
	m = &metadata{}
	return m, t.try(func() { t.of.readMetaEntry(t.reader, c, m) })
}

// next reads an entry of any column; nil if it is invalid, or has no readable kind or value.
func (t metaTrial) next() *metadata {
	if m, ok := t.read(nil); ok && m.kind.n > 0 && m.readable() {
		return m
	}
	return nil
}

func (s *directory) readMetaEntry(r *reader, c *column, m *metadata) {
	m.kind = r.text(metaKind, metadataCut, nil)
	m.codec = r.codec(metadataCut, 0)
	at := r.pos
	m.compressionAt = at
	m.compression = byte(r.fixed(compression, metadataCut).Uint())
	if m.compression > 1 {
		s.report(finding{rule: metadataCompression, at: at, n: 1, found: fmt.Sprint(m.compression), expected: "0 or 1",
			about: about{column: c, meta: m}})
	}
	m.offAt = r.pos
	m.off = r.fixed(metaBlockOff, metadataCut).Int()
	m.lenAt = r.pos
	m.n = model.U(r.uleb(metaBlockLen, metadataCut, numberMalformed)).Int()
	m.said = m.n
	if m.off < headerSize || m.off > s.bound {
		s.report(finding{rule: metadataBlockOutside, at: m.offAt, n: 8, found: fmt.Sprint(m.off), expected: fmt.Sprintf("256 to %d", s.bound),
			about: about{column: c, meta: m}})
		m.n = min(m.n, max(0, s.size-m.off))
	} else if m.n < 1 || m.n > s.bound-m.off {
		s.report(finding{rule: metadataBlockLength, at: m.lenAt, n: r.pos - m.lenAt, found: fmt.Sprint(m.n),
			expected: fmt.Sprintf("1 to %d", s.bound-m.off), about: about{column: c, meta: m}})
		m.n = min(m.n, s.bound-m.off)
	}
}

// slotNames reads the slot names of version 1.1.1.3 (§2.5), and returns how many there are.
func (s *directory) slotNames(peek peek, c *column, regions *regionMap) (n int) {
	if c.slots[0] < headerSize || c.slots[0] >= s.size || c.slots[1] < 0 || c.slots[1] > s.size-c.slots[0] {
		return 0
	}
	r := s.reader(peek, c.slots[0], s.report)
	r.end = r.pos + c.slots[1]
	r.try(func() {
		for range min(max(0, c.slots[2]), maxMetadata) {
			r.group(slot, false, func() {
				r.fixed(slotIndex, metadataCut)
				r.text(name, metadataCut, nil)
			})
			n++
		}
	})
	regions.add(&region{class: classMeta, off: c.slots[0], n: r.pos - s.base - c.slots[0], name: slots.Named("slotNames[%d]", c.index),
		nodes: r.nodes, list: true})
	return n
}
