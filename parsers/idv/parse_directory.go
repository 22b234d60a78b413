package idv

import (
	"fmt"
	"maps"
	"slices"

	"spandrel/model"
)

// Limits of what is read eagerly.
const (
	maxColumns  = 1 << 16
	maxMetadata = 1 << 15
	maxBlocks   = 1 << 22
)

// columns reads the column directory, and determines its region and those at the end.
func (s *directory) columns(peek peek, regions *regionMap) {
	if s.columnCount > 0 && s.toc >= headerSize && s.toc < s.size {
		s.layout = s.entryLayout(peek)
		r := readDirectory(s, peek)
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
	for _, c := range s.cols {
		s.findTable(c)
	}
}

// metadata reads the metadata directories, and determines their regions: then the ends of block tables are known.
func (s *directory) metadata(peek peek, regions *regionMap) {
	s.allMetadata(peek, regions)
	s.starts = startsOf(s.toc, s.cols)
	for _, c := range s.cols {
		if c.cut {
			c.blocks = max(0, s.tableEnd(c)-c.lookup) / 16
		}
	}
}

// allMetadata reads the metadata of all columns, each directory once.
func (s *directory) allMetadata(peek peek, regions *regionMap) {
	total, read, slots := 0, map[int64]*column{}, map[[3]int64]bool{}
	for i, c := range s.cols {
		if c.meta == 0 && c.slots[0] <= 0 {
			continue
		}
		if total >= maxMetadata {
			s.metadataEnd(i, total)
			return
		}
		if c.slots[0] > 0 && !slots[c.slots] {
			slots[c.slots] = true
			total += s.slotNames(peek, c, regions)
		}
		switch of := read[c.meta]; {
		case c.meta == 0:
			continue
		case of != nil:
			c.share(of)
			s.report(finding{rule: directoriesOverlap, at: c.metaAt, n: 8, found: fmt.Sprint(c.meta), message: "two columns share a metadata directory"})
		default:
			if s.readMetadata(peek, c, regions); c.metaEnd > 0 {
				read[c.meta] = c
			}
		}
		total += len(c.entries)
	}
}

// metadataEnd reports that only the first total metadata entries are shown: none are read from column i on.
func (s *directory) metadataEnd(i, total int) {
	c := s.cols[i]
	s.report(finding{rule: metadataCut, sev: model.Note, at: s.base + c.entry[0], n: c.entry[1],
		message: model.Words("only the first %d metadata entries are shown", total)})
	for _, c := range s.cols[i:] {
		c.unread = c.meta != 0
	}
}

// share makes a column use the metadata of another.
func (c *column) share(of *column) {
	c.entries, c.metaEnd, c.metaOf, c.unread = of.entries, of.metaEnd, of, of.unread
}

// readDirectory reads the column directory, correcting the one length that prevents it from ending at the tail.
func readDirectory(s *directory, peek peek) *reader {
	before, counted := len(s.findings), maps.Clone(s.perRule)
	r := s.reader(peek, s.toc, s.report)
	s.readTOC(r)
	plain := s.findings[before:]
	if r.pos == s.base+s.tail && int64(len(s.cols)) == s.columnCount && !slices.ContainsFunc(plain, func(f finding) bool { return f.grave() }) {
		return r
	}
	if !s.corrects {
		return r
	}
	m := correctColumns(s, peek, plain)
	if m == nil {
		return r
	}
	s.correction, s.findings, s.perRule, s.cols = m, s.findings[:before], counted, nil
	s.report(m.finding)
	r = s.reader(m.peek(peek), s.toc, s.report)
	s.readTOC(r)
	return r
}

func (s *directory) reader(peek peek, off int64, report func(finding)) *reader {
	return &reader{peek: peek, pos: s.base + off, end: s.base + s.size, report: report}
}

// trial reads bytes that may be anything: the first problem ends it.
func (s *directory) trial(peek peek, off int64) *reader {
	end := func(f finding) {
		if f.rule.Severity != model.Note {
			panic(stop{})
		}
	}
	r := s.reader(peek, off, end)
	r.trial = true
	return r
}

// entryLayout determines the form of the column entries. Versions 1.1.1.1 to 1.1.1.3 had others (§2.2), but readers ignore
// the version, so a file may be labelled incorrectly: the form whose entries end at the tail wins, otherwise
// the old one if its entries are plausible.
func (s *directory) entryLayout(peek peek) int {
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
		try := &directory{base: s.base, size: s.size, tail: s.tail, columnCount: s.columnCount, layout: layout}
		r := try.reader(peek, s.toc, func(finding) {})
		if try.readTOC(r); r.pos == s.base+s.tail {
			return layout
		}
		if layout == old && len(try.cols) == int(s.columnCount) && !slices.ContainsFunc(try.cols,
			func(c *column) bool { return !c.plausible(s.size) }) {
			return old
		}
	}
	return 6
}

// readTOC reads the column entries.
func (s *directory) readTOC(r *reader) {
	s.eachColumn(r, func(c *column) { s.cols = append(s.cols, c) })
}

// eachColumn reads column entries (§2.2) until their count, or damage, ends them.
func (s *directory) eachColumn(r *reader, f func(c *column)) {
	for i := int64(0); i < s.columnCount; i++ {
		start := r.pos
		if i >= maxColumns {
			s.report(finding{rule: entryCut, sev: model.Note, at: start, n: 0, message: model.Words("only the first %d columns are shown",
				maxColumns)})
			return
		}
		c := &column{index: int(i)}
		ok := s.tail != start-s.base || r.pos < r.end-8
		if ok {
			ok = r.try(func() { r.group(entry, false, func() { s.readEntry(r, c) }) })
		}
		if !ok {
			s.report(finding{rule: entryCut, at: start, n: max(r.pos-start, 0), found: model.Words("%d entries", i),
				expected: model.Words("%d entries", s.columnCount),
				about:    about{count: i}})
			return
		}
		c.entry = [2]int64{start - s.base, r.pos - start}
		f(c)
	}
}

func (s *directory) readEntry(r *reader, c *column) {
	r.of = c
	c.name = r.text(name, entryCut, nil)
	c.codec = r.codec(entryCut, 0)
	for k := c.codec; k != nil; k = k.Item {
		k.Legacy = s.version <= versionBase+5
	}
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

// findTable determines the number of blocks of a column, and whether its lookup table is inside the stream (§2.3).
func (s *directory) findTable(c *column) {
	if s.rows <= 0 || c.rpb <= 0 {
		return
	}
	c.blocks = (s.rows-1)/c.rpb + 1
	if c.lookup < headerSize || c.lookup > s.bound || c.blocks > (s.bound-c.lookup)/16 {
		c.cut, c.blocks = true, 0
	}
}

// startsOf lists where directories, lookup tables and metadata blocks start, in order.
func startsOf(toc int64, cols []*column) []int64 {
	starts := []int64{toc}
	for _, c := range cols {
		starts = append(starts, c.lookup, c.meta)
		for _, m := range c.entries {
			starts = append(starts, m.off)
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// tableEnd returns the latest end of a column's lookup table: where the next structure begins, or its start if the
// table cannot be there.
func (s *directory) tableEnd(c *column) int64 {
	if c.lookup < headerSize || c.lookup >= s.bound || c.lookup >= s.toc && c.lookup < s.tocEnd {
		return c.lookup
	}
	if next, _ := slices.BinarySearch(s.starts, c.lookup+1); next < len(s.starts) {
		return min(s.bound, s.starts[next])
	}
	return s.bound
}

// rowsOf is the number of rows in block k.
func (s *directory) rowsOf(c *column, k int64) int64 {
	return max(0, min(c.rpb, s.rows-k*c.rpb))
}

// report keeps a finding until the spans exist. Those that the tree would drop are only counted.
func (s *directory) report(f finding) {
	if s.perRule == nil {
		s.perRule = map[*model.Rule]int{}
	}
	if s.perRule[f.rule]++; s.perRule[f.rule] <= model.MaxPerRule {
		s.findings = append(s.findings, f)
	}
}
