package parsers

import (
	"fmt"
	"math"
	"slices"

	"spandrel/model"
)

// Limits of what is read before somebody asks.
const (
	idvMaxColumns  = 1 << 16
	idvMaxMetadata = 1 << 16
	idvMaxBlocks   = 1 << 22
)

// directories reads the column directory and the metadata directories, and says where their regions are.
func (s *idvStream) directories(peek func(off, n int64) []byte, regions *idvRegions) {
	if s.columnCount > 0 && s.toc >= idvHeaderSize && s.toc < s.size {
		s.layout = s.entryLayout(peek)
		r := s.reader(peek, s.toc, s.report)
		s.readTOC(r)
		s.tocEnd = r.pos - s.base
		regions.add(&idvRegion{class: idvClassTOC, off: s.toc, n: s.tocEnd - s.toc, name: idvTOC, nodes: r.nodes, list: true})
	}
	if s.tail >= idvHeaderSize && s.tail <= s.size-8 {
		node := idvNode{field: idvSignatureF, off: s.base + s.tail, n: 8}
		regions.add(&idvRegion{class: idvClassTail, off: s.tail, n: 8, name: idvTail, nodes: []idvNode{node}})
		if n := s.size - s.tail - 8; n > 0 {
			regions.add(&idvRegion{class: idvClassTrailing, off: s.tail + 8, n: n, name: idvTrailing})
		}
	}
	s.checkColumns()
	total := 0
	for _, c := range s.cols {
		if c.slots[0] > 0 {
			s.slotNames(peek, c, regions)
		}
		if c.meta != 0 && total < idvMaxMetadata {
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
	s.codecFixes()
}

func (s *idvStream) reader(peek func(off, n int64) []byte, off int64, report func(idvFinding)) *idvReader {
	return &idvReader{peek: peek, pos: s.base + off, end: s.base + s.size, report: report}
}

// entryLayout finds out which form the column entries have. Versions 1.1.1.1 to 1.1.1.3 had others (§2.2), but readers never
// look at the version, so a file may be labelled so and not be: the form whose entries end at the tail wins, and of those that
// end elsewhere the old one where its entries are plausible.
func (s *idvStream) entryLayout(peek func(off, n int64) []byte) int {
	old := 6
	switch s.version {
	case idvVersion + 1, idvVersion + 2:
		old = 1
	case idvVersion + 3:
		old = 3
	default:
		return 6
	}
	for _, layout := range []int{6, old} {
		try := &idvStream{base: s.base, size: s.size, tail: s.tail, columnCount: s.columnCount, layout: layout}
		r := try.reader(peek, s.toc, func(idvFinding) {})
		if try.readTOC(r); r.pos == s.base+s.tail {
			return layout
		}
		if layout == old && len(try.cols) == int(s.columnCount) && !slices.ContainsFunc(try.cols, func(c *idvColumn) bool { return !c.plausible(s.size) }) {
			return old
		}
	}
	return 6
}

// readTOC reads column entries (§2.2) until their count, or damage, ends them.
func (s *idvStream) readTOC(r *idvReader) {
	for i := int64(0); i < s.columnCount; i++ {
		start := r.pos
		if i >= idvMaxColumns {
			s.report(idvFinding{rule: 20, sev: model.Note, at: start, n: 0, message: fmt.Sprintf("only the first %d columns are shown", idvMaxColumns)})
			return
		}
		c := &idvColumn{index: int(i)}
		ok := s.tail != start-s.base || r.pos < r.end-8
		if ok {
			ok = r.try(func() { r.group(idvEntry, false, func() { s.readEntry(r, c) }) })
		}
		if !ok {
			s.report(idvFinding{rule: 20, at: start, n: max(r.pos-start, 0), found: fmt.Sprintf("%d entries", i), expected: fmt.Sprintf("%d entries", s.columnCount),
				fixes: s.setField(fmt.Sprintf("set columnCount to %d", i), 48, model.I32LE, i)})
			return
		}
		c.entry = [2]int64{start - s.base, r.pos - start}
		s.cols = append(s.cols, c)
	}
}

func (s *idvStream) readEntry(r *idvReader, c *idvColumn) {
	c.name = r.text(idvName, 20, 0)
	c.codec = r.codec(20, 0)
	c.compressionAt = r.pos
	c.compression = byte(r.fixed(idvCompression, 20).Uint())
	c.rpbAt = r.pos
	c.rpbStored = r.uleb(idvRowsPerBlock, 20, 22)
	c.rpb = int64(int32(c.rpbStored))
	c.lookupAt = r.pos
	c.lookup = r.fixed(idvLookupOffset, 20).Int()
	switch s.layout {
	case 3:
		if c.slots[0] = r.fixed(idvSlotsOffset, 20).Int(); c.slots[0] > 0 {
			c.slots[1] = r.fixed(idvSlotsSize, 20).Int()
			c.slots[2] = r.fixed(idvSlotsCount, 20).Int()
		}
	case 6:
		c.metaAt = r.pos
		c.meta = r.fixed(idvMetaOffset, 20).Int()
	}
}

// checkColumns checks the column entries against each other and finds the size of the lookup tables.
func (s *idvStream) checkColumns() {
	names, taken := map[string]*idvColumn{}, map[string]bool{}
	var sound *idvColumn // the first that says how many rows a block has
	for _, c := range s.cols {
		taken[c.name.s] = true
		if sound == nil && c.rpb > 0 {
			sound = c
		}
	}
	for i, c := range s.cols {
		if old := names[c.name.s]; old != nil && c.name.n > 0 {
			s.report(idvFinding{rule: 26, at: old.name.at, n: old.name.n, found: c.name.s, related: []model.Range{{Space: s.space, Off: c.name.at, Len: c.name.n}},
				set: idvStr(fmt.Sprintf("%s_%d", old.name.s, old.index)), ask: true})
		}
		names[c.name.s] = c
		if c.name.n == 0 {
			s.report(idvFinding{rule: 25, at: c.name.length, n: 1, fixes: s.nameFixes(c, taken)})
		}
		s.checkCodec(c.codec)
		if c.compression > 1 {
			s.report(idvFinding{rule: 36, at: c.compressionAt, n: 1, found: fmt.Sprint(c.compression), expected: "0 or 1", fixes: s.zlibFixes(c)})
		}
		if first := s.cols[0]; i > 0 && c.compression <= 1 && first.compression <= 1 && c.compression != first.compression {
			s.report(idvFinding{rule: 103, at: c.compressionAt, n: 1, found: fmt.Sprint(c.compression), expected: fmt.Sprint(first.compression)})
		} else if c.rpb != first.rpb {
			s.report(idvFinding{rule: 38, at: c.rpbAt, n: c.lookupAt - c.rpbAt, found: fmt.Sprint(c.rpb), expected: fmt.Sprint(first.rpb), fixes: s.sameRowsFixes()})
		}
		if c.rpb <= 0 && (s.rows != 0 || c.rpb < 0) {
			s.report(idvFinding{rule: 37, at: c.rpbAt, n: c.lookupAt - c.rpbAt, found: fmt.Sprint(c.rpb), expected: "1 or more", fixes: s.blockRowsFixes(sound)})
		}
		if c.rpbStored > math.MaxInt32 {
			f := idvFinding{rule: 39, at: c.rpbAt, n: c.lookupAt - c.rpbAt, found: fmt.Sprint(c.rpbStored), expected: "at most 2147483647"}
			if n := model.U(uint64(uint32(c.rpbStored))); c.rpb > 0 {
				f.set = &n
			}
			s.report(f)
		}
		s.checkLookup(c)
		if bad := c.meta < 0 || c.meta > 0 && c.meta < idvHeaderSize || c.meta > s.bound; bad {
			s.report(idvFinding{rule: 42, at: c.metaAt, n: 8, found: fmt.Sprint(c.meta), expected: fmt.Sprintf("0, or 256 to %d", s.bound),
				fixes: s.setField("drop the metadata of the column", c.metaAt-s.base, model.I64LE, 0)})
		}
	}
}

// checkCodec reports load names of a column that newer readers refuse or replace.
func (s *idvStream) checkCodec(c *idvCodec) {
	old := c.name.s == "UInt128" || c.name.s == "RowId"
	if c.kind == idvUnknown && c.name.n > 0 || old {
		s.report(idvFinding{rule: 30, at: c.name.at, n: c.name.n, found: c.name.s, set: idvAlias(c.name), ask: true})
	}
	s.checkLoadNames(c)
}

// idvToday are today's names of legacy codecs whose blocks are laid out as they were (§3.1). That of Key has other parameters, and
// that of DvBool has no missing values.
var idvToday = map[string]string{"DvTimeSpan": "TimeSpan", "DvDateTime": "DateTime", "DvDateTimeZone": "DateTimeOffset"}

// checkLoadNames reports legacy load names, and those that newer readers refuse inside others.
func (s *idvStream) checkLoadNames(c *idvCodec) {
	for k := c; k != nil; k = k.item {
		switch {
		case k != c && (k.name.s == "UInt128" || k.name.s == "RowId"):
			s.report(idvFinding{rule: 31, at: k.name.at, n: k.name.n, found: k.name.s, expected: "DataViewRowId", set: idvAlias(k.name), ask: true})
		case k.name.s == "Key" || len(k.name.s) > 2 && k.name.s[:2] == "Dv":
			f := idvFinding{rule: 43, at: k.name.at, n: k.name.n, found: k.name.s, ask: true}
			if now := idvToday[k.name.s]; now != "" {
				f.set = idvStr(now)
			}
			s.report(f)
		}
	}
}

// checkLookup finds how many blocks a column has and whether its lookup table is inside the stream (§2.3).
func (s *idvStream) checkLookup(c *idvColumn) {
	if s.rows <= 0 || c.rpb <= 0 {
		if s.rows == 0 && c.lookup < idvHeaderSize {
			s.report(idvFinding{rule: 41, at: c.lookupAt, n: 8, found: fmt.Sprint(c.lookup), set: idvInt(idvHeaderSize)})
		}
		return
	}
	c.blocks = (s.rows-1)/c.rpb + 1
	if c.blocks > math.MaxInt32 && c.index == 0 {
		s.report(idvFinding{rule: 50, at: s.base + 40, n: 8, found: fmt.Sprintf("%d blocks", c.blocks), expected: "at most 2147483647"})
	}
	if c.lookup < idvHeaderSize || c.lookup > s.bound || c.blocks > (s.bound-c.lookup)/16 {
		s.report(idvFinding{rule: 40, at: c.lookupAt, n: 8, found: fmt.Sprintf("%d, %d blocks", c.lookup, c.blocks), expected: fmt.Sprintf("256 to %d", s.bound-16*min(c.blocks, s.bound/16)), fixes: s.lookupFixes(c)})
		c.cut, c.blocks = true, 0
	}
}

// findStarts lists where directories, lookup tables and metadata blocks start, in order.
func (s *idvStream) findStarts() {
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
func (s *idvStream) tableEnd(c *idvColumn) int64 {
	if c.lookup < idvHeaderSize || c.lookup >= s.bound || c.lookup >= s.toc && c.lookup < s.tocEnd {
		return c.lookup
	}
	if next, _ := slices.BinarySearch(s.starts, c.lookup+1); next < len(s.starts) {
		return min(s.bound, s.starts[next])
	}
	return s.bound
}

// readMetadata reads the metadata directory of a column (§2.4).
func (s *idvStream) readMetadata(peek func(off, n int64) []byte, c *idvColumn, regions *idvRegions) {
	if c.meta < idvHeaderSize || c.meta > s.bound || c.meta >= s.size {
		return
	}
	start := len(s.findings)
	r := s.reader(peek, c.meta, s.report)
	r.try(func() {
		at := r.pos
		n := r.uleb(idvMetaCount, 81, 22)
		if n < 1 || n > math.MaxInt32-1 {
			s.report(idvFinding{rule: 80, at: at, n: r.pos - at, found: fmt.Sprint(n), expected: "1 to 2147483646",
				fixes: s.setField("drop the metadata of the column", c.metaAt-s.base, model.I64LE, 0)})
			return
		}
		r.group(idvMetaEntries, true, func() {
			for range n {
				m, at, before := &idvMetadata{}, r.pos, len(s.findings)
				if len(c.entries) >= idvMaxMetadata {
					r.stop(idvFinding{rule: 81, sev: model.Note, at: at, message: fmt.Sprintf("only the first %d entries are shown", idvMaxMetadata)})
				}
				if !r.try(func() { r.group(idvMetaEntry, false, func() { s.readMetaEntry(r, m) }) }) {
					if len(s.findings) == before || s.findings[len(s.findings)-1].rule != 81 {
						s.report(idvFinding{rule: 81, at: at, n: r.pos - at})
					}
					panic(idvStop{})
				}
				m.entry = [2]int64{at - s.base, r.pos - at}
				c.entries = append(c.entries, m)
			}
		})
	})
	if c.metaEnd = r.pos - s.base; !regions.add(&idvRegion{class: idvClassMeta, off: c.meta, n: c.metaEnd - c.meta,
		name: idvMeta.Named("mtoc[%d]", c.index), nodes: r.nodes, col: c, order: len(c.entries)}) {
		s.findings = s.findings[:start] // shared with another column, which has reported it all
		s.report(idvFinding{rule: 101, sev: model.Note, at: c.metaAt, n: 8, found: fmt.Sprint(c.meta), message: "two columns share a metadata directory"})
		for _, m := range c.entries {
			m.region = regions.same[idvRegionKey{idvClassMetaBlock, m.off, m.n}]
		}
		return
	}
	s.checkMetadata(c)
	for k, m := range c.entries {
		if m.off >= idvHeaderSize && m.off < s.size && m.n > 0 {
			regions.add(&idvRegion{class: idvClassMetaBlock, off: m.off, n: m.n, name: idvMetaBlock.Named("mblock[%d][%d]", c.index, k), col: c, meta: m, order: k})
		}
	}
}

func (s *idvStream) readMetaEntry(r *idvReader, m *idvMetadata) {
	m.kind = r.text(idvMetaKind, 81, 0)
	m.codec = r.codec(81, 0)
	at := r.pos
	m.compressionAt = at
	m.compression = byte(r.fixed(idvCompression, 81).Uint())
	if m.compression > 1 {
		s.report(idvFinding{rule: 85, at: at, n: 1, found: fmt.Sprint(m.compression), expected: "0 or 1"})
	}
	m.offAt = r.pos
	m.off = r.fixed(idvMetaBlockOff, 81).Int()
	m.lenAt = r.pos
	m.n = model.U(r.uleb(idvMetaBlockLen, 81, 22)).Int()
	if m.off < idvHeaderSize || m.off > s.bound {
		s.report(idvFinding{rule: 86, at: m.offAt, n: 8, found: fmt.Sprint(m.off), expected: fmt.Sprintf("256 to %d", s.bound)})
		m.n = min(m.n, max(0, s.size-m.off))
	} else if m.n < 1 || m.n > s.bound-m.off {
		s.report(idvFinding{rule: 87, at: m.lenAt, n: r.pos - m.lenAt, found: fmt.Sprint(m.n), expected: fmt.Sprintf("1 to %d", s.bound-m.off)})
		m.n = min(m.n, s.bound-m.off)
	}
}

// slotNames reads the slot names of version 1.1.1.3 (§2.5).
func (s *idvStream) slotNames(peek func(off, n int64) []byte, c *idvColumn, regions *idvRegions) {
	if c.slots[0] < idvHeaderSize || c.slots[0] >= s.size || c.slots[1] < 0 || c.slots[1] > s.size-c.slots[0] {
		return
	}
	r := s.reader(peek, c.slots[0], s.report)
	r.end = r.pos + c.slots[1]
	r.try(func() {
		for range min(max(0, c.slots[2]), idvMaxMetadata) {
			r.group(idvSlot, false, func() {
				r.fixed(idvSlotIndex, 81)
				r.text(idvName, 81, 0)
			})
		}
	})
	regions.add(&idvRegion{class: idvClassMeta, off: c.slots[0], n: r.pos - s.base - c.slots[0], name: idvSlots.Named("slotNames[%d]", c.index), nodes: r.nodes, list: true})
}
