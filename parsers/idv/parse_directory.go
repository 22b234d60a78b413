package idv

import (
	"fmt"
	"math"
	"slices"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// Limits of what is read before somebody asks.
const (
	maxColumns  = 1 << 16
	maxMetadata = 1 << 16
	maxBlocks   = 1 << 22
)

// directories reads the column directory and the metadata directories, and says where their regions are.
func (s *stream) directories(peek func(off, n int64) []byte, regions *regionMap) {
	if s.columnCount > 0 && s.toc >= headerSize && s.toc < s.size {
		s.layout = s.entryLayout(peek)
		r := s.reader(peek, s.toc, s.report)
		s.readTOC(r)
		s.tocEnd = r.pos - s.base
		regions.add(&region{class: classTOC, off: s.toc, n: s.tocEnd - s.toc, name: toc, nodes: r.nodes, list: true})
	}
	if s.tail >= headerSize && s.tail <= s.size-8 {
		node := treeNode{field: signatureF, off: s.base + s.tail, n: 8}
		regions.add(&region{class: classTail, off: s.tail, n: 8, name: tailField, nodes: []treeNode{node}})
		if n := s.size - s.tail - 8; n > 0 {
			regions.add(&region{class: classTrailing, off: s.tail + 8, n: n, name: trailing})
		}
	}
	s.checkColumns()
	total := 0
	for _, c := range s.cols {
		if c.slots[0] > 0 {
			s.slotNames(peek, c, regions)
		}
		if c.meta != 0 && total < maxMetadata {
			s.readMetadata(peek, c, regions)
			total += len(c.entries)
		}
	}
	s.findStarts()
	for _, c := range s.cols {
		if c.cut {
			c.blocks = max(0, s.tableEnd(c)-c.lookup) / 16
		}
	}
	s.codecFindings()
}

func (s *stream) reader(peek func(off, n int64) []byte, off int64, report func(finding)) *reader {
	return &reader{peek: peek, pos: s.base + off, end: s.base + s.size, report: report}
}

// entryLayout finds out which form the column entries have. Versions 1.1.1.1 to 1.1.1.3 had others (§2.2), but readers never
// look at the version, so a file may be labelled so and not be: the form whose entries end at the tail wins, and of those that
// end elsewhere the old one where its entries are plausible.
func (s *stream) entryLayout(peek func(off, n int64) []byte) int {
	old := 6
	switch s.version {
	case versionBase + 1, versionBase + 2:
		old = 1
	case versionBase + 3:
		old = 3
	default:
		return 6
	}
	for _, layout := range []int{6, old} {
		try := &stream{base: s.base, size: s.size, tail: s.tail, columnCount: s.columnCount, layout: layout}
		r := try.reader(peek, s.toc, func(finding) {})
		if try.readTOC(r); r.pos == s.base+s.tail {
			return layout
		}
		if layout == old && len(try.cols) == int(s.columnCount) && !slices.ContainsFunc(try.cols, func(c *column) bool { return !c.plausible(s.size) }) {
			return old
		}
	}
	return 6
}

// readTOC reads column entries (§2.2) until their count, or damage, ends them.
func (s *stream) readTOC(r *reader) {
	for i := int64(0); i < s.columnCount; i++ {
		start := r.pos
		if i >= maxColumns {
			s.report(finding{rule: entryCut, sev: model.Note, at: start, n: 0, message: fmt.Sprintf("only the first %d columns are shown", maxColumns)})
			return
		}
		c := &column{index: int(i)}
		ok := s.tail != start-s.base || r.pos < r.end-8
		if ok {
			ok = r.try(func() { r.group(entry, false, func() { s.readEntry(r, c) }) })
		}
		if !ok {
			s.report(finding{rule: entryCut, at: start, n: max(r.pos-start, 0), found: fmt.Sprintf("%d entries", i), expected: fmt.Sprintf("%d entries", s.columnCount),
				about: about{count: i}})
			return
		}
		c.entry = [2]int64{start - s.base, r.pos - start}
		s.cols = append(s.cols, c)
	}
}

func (s *stream) readEntry(r *reader, c *column) {
	c.name = r.text(name, entryCut, nil)
	c.codec = r.codec(entryCut, 0)
	c.compressionAt = r.pos
	c.compression = byte(r.fixed(compression, entryCut).Uint())
	c.rpbAt = r.pos
	c.rpbStored = r.uleb(rowsPerBlock, entryCut, numberMalformed)
	c.rpb = int64(int32(c.rpbStored))
	c.lookupAt = r.pos
	c.lookup = r.fixed(lookupOffset, entryCut).Int()
	switch s.layout {
	case 3:
		if c.slots[0] = r.fixed(slotsOffset, entryCut).Int(); c.slots[0] > 0 {
			c.slots[1] = r.fixed(slotsSize, entryCut).Int()
			c.slots[2] = r.fixed(slotsCount, entryCut).Int()
		}
	case 6:
		c.metaAt = r.pos
		c.meta = r.fixed(metaOffset, entryCut).Int()
	}
}

// checkColumns checks the column entries against each other and finds the size of the lookup tables.
func (s *stream) checkColumns() {
	names, taken := map[string]*column{}, map[string]bool{}
	var sound *column // the first that says how many rows a block has
	for _, c := range s.cols {
		taken[c.name.s] = true
		if sound == nil && c.rpb > 0 {
			sound = c
		}
	}
	for i, c := range s.cols {
		if old := names[c.name.s]; old != nil && c.name.n > 0 {
			s.report(finding{rule: nameTwice, at: old.name.at, n: old.name.n, found: c.name.s, related: []model.Range{{Space: s.space, Off: c.name.at, Len: c.name.n}},
				set: str(fmt.Sprintf("%s_%d", old.name.s, old.index)), ask: true})
		}
		names[c.name.s] = c
		if c.name.n == 0 {
			s.report(finding{rule: nameMissing, at: c.name.length, n: 1, about: about{column: c}})
		}
		s.checkCodec(c.codec)
		if c.compression > 1 {
			s.report(finding{rule: compressionUnknown, at: c.compressionAt, n: 1, found: fmt.Sprint(c.compression), expected: "0 or 1", about: about{column: c}})
		}
		if first := s.cols[0]; i > 0 && c.compression <= 1 && first.compression <= 1 && c.compression != first.compression {
			s.report(finding{rule: compressionMixed, at: c.compressionAt, n: 1, found: fmt.Sprint(c.compression), expected: fmt.Sprint(first.compression)})
		}
		if first := s.cols[0]; c.rpb != first.rpb {
			s.report(finding{rule: blockRowsDiffer, at: c.rpbAt, n: c.lookupAt - c.rpbAt, found: fmt.Sprint(c.rpb), expected: fmt.Sprint(first.rpb)})
		}
		if c.rpb <= 0 && (s.rows != 0 || c.rpb < 0) {
			s.report(finding{rule: blockRowsZero, at: c.rpbAt, n: c.lookupAt - c.rpbAt, found: fmt.Sprint(c.rpb), expected: "1 or more", about: about{column: sound}})
		}
		if c.rpbStored > math.MaxInt32 {
			f := finding{rule: blockRowsWrap, at: c.rpbAt, n: c.lookupAt - c.rpbAt, found: fmt.Sprint(c.rpbStored), expected: "at most 2147483647"}
			if n := model.U(uint64(uint32(c.rpbStored))); c.rpb > 0 {
				f.set = &n
			}
			s.report(f)
		}
		s.checkLookup(c)
		if bad := c.meta < 0 || c.meta > 0 && c.meta < headerSize || c.meta > s.bound; bad {
			s.report(finding{rule: metadataOutside, at: c.metaAt, n: 8, found: fmt.Sprint(c.meta), expected: fmt.Sprintf("0, or 256 to %d", s.bound),
				about: about{column: c}})
		}
	}
}

// checkCodec reports load names of a column that newer readers refuse or replace.
func (s *stream) checkCodec(c *block.Codec) {
	old := c.Name == "UInt128" || c.Name == "RowId"
	if c.Kind == block.Unknown && c.NameLen > 0 || old {
		s.report(finding{rule: codecUnknown, at: c.NameAt, n: c.NameLen, found: c.Name, set: alias(c.Name), ask: true})
	}
	s.checkLoadNames(c)
}

// today are today's names of legacy codecs whose blocks are laid out as they were (§3.1). That of Key has other parameters, and
// that of DvBool has no missing values.
var today = map[string]string{"DvTimeSpan": "TimeSpan", "DvDateTime": "DateTime", "DvDateTimeZone": "DateTimeOffset"}

// checkLoadNames reports legacy load names, and those that newer readers refuse inside others.
func (s *stream) checkLoadNames(c *block.Codec) {
	for k := c; k != nil; k = k.Item {
		switch {
		case k != c && (k.Name == "UInt128" || k.Name == "RowId"):
			s.report(finding{rule: itemUnknown, at: k.NameAt, n: k.NameLen, found: k.Name, expected: "DataViewRowId", set: alias(k.Name), ask: true})
		case k.Name == "Key" || len(k.Name) > 2 && k.Name[:2] == "Dv":
			f := finding{rule: legacyName, at: k.NameAt, n: k.NameLen, found: k.Name, ask: true}
			if now := today[k.Name]; now != "" {
				f.set = str(now)
			}
			s.report(f)
		}
	}
}

// checkLookup finds how many blocks a column has and whether its lookup table is inside the stream (§2.3).
func (s *stream) checkLookup(c *column) {
	if s.rows <= 0 || c.rpb <= 0 {
		if s.rows == 0 && c.lookup < headerSize {
			s.report(finding{rule: lookupUnset, at: c.lookupAt, n: 8, found: fmt.Sprint(c.lookup), set: intOf(headerSize)})
		}
		return
	}
	c.blocks = (s.rows-1)/c.rpb + 1
	if c.blocks > math.MaxInt32 && c.index == 0 {
		s.report(finding{rule: tooManyBlocks, at: s.base + 40, n: 8, found: fmt.Sprintf("%d blocks", c.blocks), expected: "at most 2147483647"})
	}
	if c.lookup < headerSize || c.lookup > s.bound || c.blocks > (s.bound-c.lookup)/16 {
		s.report(finding{rule: lookupOutside, at: c.lookupAt, n: 8, found: fmt.Sprintf("%d, %d blocks", c.lookup, c.blocks), expected: fmt.Sprintf("256 to %d", s.bound-16*min(c.blocks, s.bound/16)), about: about{column: c}})
		c.cut, c.blocks = true, 0
	}
}

// findStarts lists where directories, lookup tables and metadata blocks start, in order.
func (s *stream) findStarts() {
	s.starts = []int64{s.toc}
	for _, c := range s.cols {
		s.starts = append(s.starts, c.lookup, c.meta)
		for _, m := range c.entries {
			s.starts = append(s.starts, m.off)
		}
	}
	slices.Sort(s.starts)
}

// tableEnd returns where the lookup table of a column ends at the latest: where the next structure begins, or at once where the
// table is no place for one.
func (s *stream) tableEnd(c *column) int64 {
	if c.lookup < headerSize || c.lookup >= s.bound || c.lookup >= s.toc && c.lookup < s.tocEnd {
		return c.lookup
	}
	if next, _ := slices.BinarySearch(s.starts, c.lookup+1); next < len(s.starts) {
		return min(s.bound, s.starts[next])
	}
	return s.bound
}

// readMetadata reads the metadata directory of a column (§2.4).
func (s *stream) readMetadata(peek func(off, n int64) []byte, c *column, regions *regionMap) {
	if c.meta < headerSize || c.meta > s.bound || c.meta >= s.size {
		return
	}
	start := len(s.findings)
	r := s.reader(peek, c.meta, s.report)
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
				m, at, before := &metadata{}, r.pos, len(s.findings)
				if len(c.entries) >= maxMetadata {
					r.stop(finding{rule: metadataCut, sev: model.Note, at: at, message: fmt.Sprintf("only the first %d entries are shown", maxMetadata)})
				}
				if !r.try(func() { r.group(metaEntry, false, func() { s.readMetaEntry(r, m) }) }) {
					if len(s.findings) == before || s.findings[len(s.findings)-1].rule != metadataCut {
						s.report(finding{rule: metadataCut, at: at, n: r.pos - at})
					}
					panic(stop{})
				}
				m.entry = [2]int64{at - s.base, r.pos - at}
				c.entries = append(c.entries, m)
			}
		})
	})
	if c.metaEnd = r.pos - s.base; !regions.add(&region{class: classMeta, off: c.meta, n: c.metaEnd - c.meta,
		name: meta.Named("mtoc[%d]", c.index), nodes: r.nodes, col: c, order: len(c.entries)}) {
		s.findings = s.findings[:start] // shared with another column, which has reported it all
		s.report(finding{rule: directoriesOverlap, sev: model.Note, at: c.metaAt, n: 8, found: fmt.Sprint(c.meta), message: "two columns share a metadata directory"})
		for _, m := range c.entries {
			m.region = regions.same[regionKey{classMetaBlock, m.off, m.n}]
		}
		return
	}
	s.checkMetadata(c)
	for k, m := range c.entries {
		if m.off >= headerSize && m.off < s.size && m.n > 0 {
			regions.add(&region{class: classMetaBlock, off: m.off, n: m.n, name: metaBlock.Named("mblock[%d][%d]", c.index, k), col: c, meta: m, order: k})
		}
	}
}

func (s *stream) readMetaEntry(r *reader, m *metadata) {
	m.kind = r.text(metaKind, metadataCut, nil)
	m.codec = r.codec(metadataCut, 0)
	at := r.pos
	m.compressionAt = at
	m.compression = byte(r.fixed(compression, metadataCut).Uint())
	if m.compression > 1 {
		s.report(finding{rule: metadataCompression, at: at, n: 1, found: fmt.Sprint(m.compression), expected: "0 or 1"})
	}
	m.offAt = r.pos
	m.off = r.fixed(metaBlockOff, metadataCut).Int()
	m.lenAt = r.pos
	m.n = model.U(r.uleb(metaBlockLen, metadataCut, numberMalformed)).Int()
	if m.off < headerSize || m.off > s.bound {
		s.report(finding{rule: metadataBlockOutside, at: m.offAt, n: 8, found: fmt.Sprint(m.off), expected: fmt.Sprintf("256 to %d", s.bound)})
		m.n = min(m.n, max(0, s.size-m.off))
	} else if m.n < 1 || m.n > s.bound-m.off {
		s.report(finding{rule: metadataBlockLength, at: m.lenAt, n: r.pos - m.lenAt, found: fmt.Sprint(m.n), expected: fmt.Sprintf("1 to %d", s.bound-m.off)})
		m.n = min(m.n, s.bound-m.off)
	}
}

// slotNames reads the slot names of version 1.1.1.3 (§2.5).
func (s *stream) slotNames(peek func(off, n int64) []byte, c *column, regions *regionMap) {
	if c.slots[0] < headerSize || c.slots[0] >= s.size || c.slots[1] < 0 || c.slots[1] > s.size-c.slots[0] {
		return
	}
	r := s.reader(peek, c.slots[0], s.report)
	r.end = r.pos + c.slots[1]
	r.try(func() {
		for range min(max(0, c.slots[2]), maxMetadata) {
			r.group(slot, false, func() {
				r.fixed(slotIndex, metadataCut)
				r.text(name, metadataCut, nil)
			})
		}
	})
	regions.add(&region{class: classMeta, off: c.slots[0], n: r.pos - s.base - c.slots[0], name: slots.Named("slotNames[%d]", c.index), nodes: r.nodes, list: true})
}
