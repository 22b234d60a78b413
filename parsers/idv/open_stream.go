package idv

import (
	"encoding/binary"

	"spandrel/model"
)

// parseStream reads the stream that fills the cursor's frame from its position on.
func parseStream(c *model.Cursor, st *state, label string) {
	s := &stream{t: c.Tree(), st: st, root: c.Span()}
	s.directory = directory{space: c.Range(0, 0).Space, base: c.Pos(), size: c.Left(), label: label, corrects: true}
	peek := c.PeekAt
	var regions regionMap
	header := s.header(peek)
	regions.add(&region{class: classHeader, off: 0, n: min(headerSize, s.size), name: headerField, nodes: header})
	switch {
	case s.salvage && s.size > headerSize:
		adopt(c.Context(), s)
	case !s.salvage && s.size > headerSize:
		replace(c.Context(), s)
	}
	if !s.salvage && s.size >= headerSize {
		checkHeader(&s.directory, peek)
	}
	if !s.salvage || s.columnCount > 0 {
		s.columns(peek, &regions)
		checkColumns(&s.directory)
		s.metadata(peek, &regions)
		checkMetadata(&s.directory)
		surplusOrLength(&s.directory)
	}
	if !s.salvage && s.size >= headerSize {
		checkVersions(&s.directory)
	}
	regions.settle(&s.division)
	s.findBlocks(peek, &regions)
	s.checkOrder(&regions)
	s.layRegions(c, &regions)
	checkHidden(s, peek)
	checkMisplaced(s, peek)
	for _, f := range s.findings {
		s.t.Report(s.diagnose(f, s.spanAt(&regions, f.at)))
	}
	for rule, n := range s.perRule {
		for range n - model.MaxPerRule {
			s.t.Report(model.Wrong(rule, s.root, nil, nil))
		}
	}
	s.findings = nil
	st.add(s)
}

// prefixedStream reads a stream behind its length (§9.1).
func prefixedStream(c *model.Cursor, st *state, label string) {
	n := c.Field(prefix)
	size, own := c.Left(), int64(0)
	if b := c.Peek(40); len(b) == 40 { // length stated by the stream: bytes may follow it
		own = int64(binary.LittleEndian.Uint64(b[32:]))
		ends := func(at int64) bool {
			b := c.PeekAt(c.Pos()+at, 8)
			return len(b) == 8 && binary.LittleEndian.Uint64(b) == tailSignature
		}
		if own >= headerSize && own <= size-8 && n.Int() == own+8 && (ends(own) || !ends(size-8)) { // or bytes were inserted
			size = own + 8
		}
	}
	if n.Int() != size {
		var more []model.Detail
		raw := func(n int64) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }
		foreign := label == "" && model.Differences(raw(n.Int()), raw(size)) > 1 // they may precede a file that is the stream alone
		if own != size-8 || foreign {                                            // or bytes of the stream are missing or inserted
			more = append(more, model.Doubtful)
		}
		c.Wrong(prefixWrong, n, nil, model.I(size), more...)
	}
	s := c.Block(streamField, size, func(c *model.Cursor) { parseStream(c, st, label) })
	c.LengthOf(n, s).As(prefixWrong).When(n.Int() == size)
}
