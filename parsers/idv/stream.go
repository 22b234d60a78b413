package idv

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"spandrel/model"
)

// background is for reads of bytes that are there already.
var background = context.Background()

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
	blocks              []block // sorted by offset
	runs                []blockRun
	starts              []int64 // of the directories, lookup tables and metadata blocks, sorted
	salvage             bool    // the header is all zero
	// layout tells which form the column entries have, by version: 6 the present one, 3 and 1 the unreleased ones (§2.2).
	layout int

	st       *state
	tocSpan  *model.Span
	findings []finding
	perRule  [130]int
	leaves   map[int64]*model.Span // by where they start, while spans are laid
	root     *model.Span
}

// column is a column entry.
type column struct {
	index       int
	entry       [2]int64 // offset and length
	name        text
	codec       *codec
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
	codec         *codec
	compression   byte
	off, n        int64
	entry         [2]int64
	offAt         int64
	lenAt         int64
	compressionAt int64
	region        *region // of its block
}

// readable tells whether the rows of a column can be read.
func (c *column) readable() bool { return c.codec.readable() && c.compression <= 1 }
func (m *metadata) readable() bool {
	return m.codec.readable() && m.compression <= 1
}

// rowsOf is the number of rows in block k.
func (s *stream) rowsOf(c *column, k int64) int64 {
	return max(0, min(c.rpb, s.rows-k*c.rpb))
}

// report keeps a finding until the spans are there. Those that the tree would not keep are only counted.
func (s *stream) report(f finding) {
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
		s.t.Report(f.diagnose(s.space, s.spanAt(f.at)))
	}
	for rule, n := range s.perRule {
		for range n - model.MaxPerRule {
			s.t.Report(model.Finding{Rule: rules[rule], Span: s.root})
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
		s.report(finding{rule: 1, at: s.base, n: s.size, found: fmt.Sprintf("%d bytes", s.size)})
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
		s.report(finding{rule: 2, at: s.base, n: headerSize, found: "256 zero bytes", message: "a save was not finished: the header is written last", fixes: s.salvageFixes(peek)})
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
		s.report(finding{rule: 2, at: at(0), n: 8, found: fmt.Sprintf("%x", b[:8]), expected: "434d4c0044564200", set: &sig})
	}
	version := func(rule int, off int64, v uint64, want string, set *model.Value) {
		s.report(finding{rule: rule, at: at(off), n: 8, found: versionText(v), expected: want, set: set})
	}
	if s.compatible > s.version {
		v := model.U(s.version)
		version(3, 16, s.compatible, "at most "+versionText(s.version), &v)
	}
	if s.version < versionBase+2 {
		version(4, 8, s.version, "1.1.1.2 or later", nil)
	}
	if s.compatible < versionBase+4 {
		version(5, 16, s.compatible, "1.1.1.4 to 1.1.1.6", nil)
	}
	if s.compatible > versionBase+6 {
		version(6, 16, s.compatible, "1.1.1.4 to 1.1.1.6", nil)
	}
	if s.version < versionBase+1 || s.version > versionBase+6 {
		version(7, 8, s.version, "1.1.1.1 to 1.1.1.6", nil)
	}
	if s.rows < 0 {
		s.report(finding{rule: 8, at: at(40), n: 8, found: fmt.Sprint(s.rows), expected: "0 or more", fixes: s.rowFixes()})
	}
	if s.columnCount < 0 {
		s.report(finding{rule: 9, at: at(48), n: 4, found: fmt.Sprint(s.columnCount), expected: "0 or more", fixes: s.columnFixes()})
	}
	if s.rows > 0 && strings.HasSuffix(strings.ReplaceAll(s.label, `\`, "/"), "Loader/Schema.idv") {
		s.report(finding{rule: 111, at: at(40), n: 8, found: fmt.Sprint(s.rows), expected: "0"})
	}
	if s.columnCount == 0 && s.rows > 0 {
		s.report(finding{rule: 17, at: at(48), n: 4, found: fmt.Sprintf("%d rows", s.rows)})
	}
	if !zero(b[52:]) {
		s.report(finding{rule: 16, at: at(52), n: 204})
	}
}

// checkTail checks where the directory and the tail are said to be.
func (s *stream) checkTail(peek func(off, n int64) []byte) {
	at := func(off int64) int64 { return s.base + off }
	toc := func(rule int, sev model.Severity, want string) {
		s.report(finding{rule: rule, sev: sev, at: at(24), n: 8, found: fmt.Sprint(s.toc), expected: want, fixes: s.tocFixes()})
	}
	switch {
	case s.columnCount <= 0:
	case s.toc < headerSize:
		toc(10, 0, "256 or more")
		if s.toc < 0 {
			toc(11, 0, fmt.Sprintf("256 to %d", s.size))
		}
	case s.toc >= s.size:
		toc(11, 0, fmt.Sprintf("256 to %d", s.size))
	case s.toc >= s.tail && s.tail >= headerSize:
		toc(11, model.Warning, fmt.Sprintf("below the tail at %d", s.tail))
	}
	fixes := func() []model.Fix { return s.tailFixes(peek) }
	switch {
	case s.tail < headerSize:
		s.report(finding{rule: 12, at: at(32), n: 8, found: fmt.Sprint(s.tail), expected: "256 or more", fixes: fixes()})
	case s.tail > s.size-8:
		s.report(finding{rule: 13, at: at(32), n: 8, found: fmt.Sprint(s.tail), expected: fmt.Sprintf("at most %d", s.size-8), fixes: fixes()})
	default:
		if b := peek(at(s.tail), 8); len(b) == 8 && binary.LittleEndian.Uint64(b) != tailSignature {
			s.report(finding{rule: 14, at: at(s.tail), n: 8, found: fmt.Sprintf("%x", b), expected: "00425644004c4d43", fixes: fixes()})
		} else if s.tail+8 < s.size {
			s.report(finding{rule: 15, at: at(s.tail + 8), n: s.size - s.tail - 8, found: fmt.Sprintf("%d bytes", s.size-s.tail-8), fixes: []model.Fix{{
				Label: "cut the bytes behind the tail", Edits: []model.Edit{model.Replace(model.Range{Space: s.space, Off: at(s.tail + 8), Len: s.size - s.tail - 8}, nil)}}}})
		}
	}
}
