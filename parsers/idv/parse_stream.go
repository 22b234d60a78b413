package idv

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// stream is one IDV stream of a document: what its directories say.
type stream struct {
	t     *model.Tree
	space model.SpaceID
	base  int64 // where the stream starts in the space; all offsets below are counted from it
	size  int64 // bytes of the stream that exist
	label string

	version, compatible uint64
	toc, tail, rows     int64
	columnCount         int64
	tocEnd              int64 // where the last column entry ends
	bound               int64 // the tail where it is plausible, the size otherwise
	cols                []*column
	blocks              []extent // sorted by offset
	runs                []blockRun
	starts              []int64 // of the directories, lookup tables and metadata blocks, sorted
	salvage             bool    // the header is all zero
	gaps                int64   // bytes that nothing refers to
	// layout tells which form the column entries have, by version: 6 the present one, 3 and 1 the unreleased ones (§2.2).
	layout int

	st       *state
	tocSpan  *model.Span
	findings []finding
	perRule  map[*model.Rule]int
	leaves   map[int64]*model.Span // by where they start, while spans are laid
	root     *model.Span
}

// column is a column entry.
type column struct {
	index       int
	entry       [2]int64 // offset and length
	name        text
	codec       *block.Codec
	compression byte
	rpb         int64  // as readers take it
	rpbStored   uint64 // as stored
	lookup      int64
	meta        int64 // offset of the metadata directory, or 0
	metaEnd     int64
	slots       [3]int64 // of version 1.1.1.3: offset, size, count
	entries     []*metadata
	blocks      int64 // in the lookup table
	cut         bool  // the table reaches out of the stream: where it really ends, if it is one, is not known
	// Where the fields are in the stream.
	compressionAt, rpbAt, lookupAt, metaAt int64

	table    *model.Span // the lookup table
	metaSpan *model.Span // the metadata directory
	once     sync.Once
	labels   []string // key values
	slotsN   []string // slot names
}

// metadata is an entry of a metadata directory.
type metadata struct {
	kind          text
	codec         *block.Codec
	compression   byte
	off, n        int64
	entry         [2]int64
	offAt         int64
	lenAt         int64
	compressionAt int64
	region        *region // of its block
}

// readable tells whether the rows of a column can be read.
func (c *column) readable() bool { return c.codec.Readable() && c.compression <= 1 }
func (m *metadata) readable() bool {
	return m.codec.Readable() && m.compression <= 1
}

// rowsOf is the number of rows in block k.
func (s *stream) rowsOf(c *column, k int64) int64 {
	return max(0, min(c.rpb, s.rows-k*c.rpb))
}

// report keeps a finding until the spans are there. Those that the tree would not keep are only counted.
func (s *stream) report(f finding) {
	if s.perRule == nil {
		s.perRule = map[*model.Rule]int{}
	}
	if s.perRule[f.rule]++; s.perRule[f.rule] <= model.MaxPerRule {
		s.findings = append(s.findings, f)
	}
}

// streamParse reads the stream that fills the cursor's frame from its position on.
func streamParse(c *model.Cursor, st *state, label string) *stream {
	s := &stream{t: c.Tree(), st: st, space: c.Range(0, 0).Space, base: c.Pos(), size: c.Left(), label: label, leaves: map[int64]*model.Span{}, root: c.Span()}
	peek := func(off, n int64) []byte { return c.PeekAt(off, n) }
	var regions regionMap
	header := s.header(peek)
	regions.add(&region{class: classHeader, off: 0, n: min(headerSize, s.size), name: headerField, nodes: header})
	if !s.salvage {
		s.directories(peek, &regions)
	}
	regions.settle(s)
	s.findBlocks(peek, &regions)
	s.layRegions(c, &regions)
	for _, f := range s.findings {
		s.t.Report(f.diagnose(s, s.spanAt(f.at)))
	}
	for rule, n := range s.perRule {
		for range n - model.MaxPerRule {
			s.t.Report(model.Wrong(rule, s.root, nil, nil))
		}
	}
	s.findings, s.leaves = nil, nil
	st.add(s)
	return s
}

// spanAt returns the leaf that starts at an offset of the space: a field of a directory or of a lookup table.
func (s *stream) spanAt(at int64) *model.Span {
	if k := s.leaves[at]; k != nil {
		return k
	}
	for _, c := range s.cols {
		if t := c.table; t != nil && t.Range.Off <= at && at < t.Range.End() {
			rec := t.Child((at - t.Range.Off) / 16)
			for i := range rec.Count() {
				if k := rec.Child(i); k.Range.Off == at {
					return k
				}
			}
		}
	}
	return s.root
}

// header reads the 256 bytes (§1) and checks them.
func (s *stream) header(peek func(off, n int64) []byte) (nodes []treeNode) {
	b := peek(s.base, headerSize)
	at := s.base
	for _, f := range headerFields {
		n := int64(f.Codec.Size())
		if at+n > s.base+int64(len(b)) {
			break
		}
		nodes = append(nodes, treeNode{field: f, off: at, n: n})
		at += n
	}
	if len(b) < headerSize {
		s.report(finding{rule: tooShort, at: s.base, n: s.size, found: fmt.Sprintf("%d bytes", s.size)})
		b = append(append([]byte(nil), b...), make([]byte, headerSize-len(b))...)
	}
	u64 := func(off int) uint64 { return binary.LittleEndian.Uint64(b[off:]) }
	s.version, s.compatible = u64(8), u64(16)
	s.toc, s.tail, s.rows = int64(u64(24)), int64(u64(32)), int64(u64(40))
	s.columnCount = int64(int32(binary.LittleEndian.Uint32(b[48:])))
	s.bound = s.tail
	if s.tail < headerSize || s.tail > s.size {
		s.bound = s.size
	}
	if s.size < headerSize {
		s.salvage = s.size < 52
		return nodes
	}
	if zero(b) {
		s.salvage = true
		s.report(finding{rule: noSignature, at: s.base, n: headerSize, found: "256 zero bytes", message: "a save was not finished: the header is written last"})
		return nodes
	}
	s.checkHeader(u64(0), b)
	s.checkTail(peek)
	return nodes
}

func zero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

func (s *stream) checkHeader(signature uint64, b []byte) {
	at := func(off int64) int64 { return s.base + off }
	if signature != headSignature {
		sig := model.U(headSignature)
		s.report(finding{rule: noSignature, at: at(0), n: 8, found: fmt.Sprintf("%x", b[:8]), expected: "434d4c0044564200", set: &sig})
	}
	version := func(rule *model.Rule, off int64, v uint64, want string, set *model.Value) {
		s.report(finding{rule: rule, at: at(off), n: 8, found: versionText(v), expected: want, set: set})
	}
	if s.compatible > s.version {
		v := model.U(s.version)
		version(newerThanItself, 16, s.compatible, "at most "+versionText(s.version), &v)
	}
	if s.version < versionBase+2 {
		version(versionTooOld, 8, s.version, "1.1.1.2 or later", nil)
	}
	if s.compatible < versionBase+4 {
		version(readerTooOld, 16, s.compatible, "1.1.1.4 to 1.1.1.6", nil)
	}
	if s.compatible > versionBase+6 {
		version(readerTooNew, 16, s.compatible, "1.1.1.4 to 1.1.1.6", nil)
	}
	if s.version < versionBase+1 || s.version > versionBase+6 {
		version(versionUnknown, 8, s.version, "1.1.1.1 to 1.1.1.6", nil)
	}
	if s.rows < 0 {
		s.report(finding{rule: rowsNegative, at: at(40), n: 8, found: fmt.Sprint(s.rows), expected: "0 or more"})
	}
	if s.columnCount < 0 {
		s.report(finding{rule: columnsNegative, at: at(48), n: 4, found: fmt.Sprint(s.columnCount), expected: "0 or more"})
	}
	if s.rows > 0 && strings.HasSuffix(strings.ReplaceAll(s.label, `\`, "/"), "Loader/Schema.idv") {
		s.report(finding{rule: schemaRows, at: at(40), n: 8, found: fmt.Sprint(s.rows), expected: "0"})
	}
	if s.columnCount == 0 && s.rows > 0 {
		s.report(finding{rule: rowsOnly, at: at(48), n: 4, found: fmt.Sprintf("%d rows", s.rows)})
	}
	if !zero(b[52:]) {
		s.report(finding{rule: deadSpace, at: at(52), n: 204})
	}
}

// checkTail checks where the directory and the tail are said to be.
func (s *stream) checkTail(peek func(off, n int64) []byte) {
	at := func(off int64) int64 { return s.base + off }
	toc := func(rule *model.Rule, sev model.Severity, want string) {
		s.report(finding{rule: rule, sev: sev, at: at(24), n: 8, found: fmt.Sprint(s.toc), expected: want})
	}
	switch {
	case s.columnCount <= 0:
	case s.toc < headerSize:
		toc(directoryInHeader, 0, "256 or more")
		if s.toc < 0 {
			toc(directoryOutside, 0, fmt.Sprintf("256 to %d", s.size))
		}
	case s.toc >= s.size:
		toc(directoryOutside, 0, fmt.Sprintf("256 to %d", s.size))
	case s.toc >= s.tail && s.tail >= headerSize:
		toc(directoryOutside, model.Warning, fmt.Sprintf("below the tail at %d", s.tail))
	}
	switch {
	case s.tail < headerSize:
		s.report(finding{rule: tailInHeader, at: at(32), n: 8, found: fmt.Sprint(s.tail), expected: "256 or more"})
	case s.tail > s.size-8:
		s.report(finding{rule: cutShort, at: at(32), n: 8, found: fmt.Sprint(s.tail), expected: fmt.Sprintf("at most %d", s.size-8)})
	default:
		if b := peek(at(s.tail), 8); len(b) == 8 && binary.LittleEndian.Uint64(b) != tailSignature {
			s.report(finding{rule: noTail, at: at(s.tail), n: 8, found: fmt.Sprintf("%x", b), expected: "00425644004c4d43"})
		} else if s.tail+8 < s.size {
			s.report(finding{rule: behindTail, at: at(s.tail + 8), n: s.size - s.tail - 8, found: fmt.Sprintf("%d bytes", s.size-s.tail-8)})
		}
	}
}
