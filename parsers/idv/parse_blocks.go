package idv

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"spandrel/model"
)

// entries passes the lookup entries of a column to f, in order, until it returns false.
func (s *division) entries(peek peek, c *column, f func(b extent) bool) {
	const step = 1 << 12
	for k := int64(0); k < c.blocks; k += step {
		n := min(step, c.blocks-k)
		b := peek(s.base+c.lookup+16*k, 16*n)
		for i := int64(0); 16*i+16 <= int64(len(b)); i++ {
			if !f(decodeEntry(b[16*i:], c.index, k+i)) {
				return
			}
		}
		if int64(len(b)) < 16*n {
			return // the file ends here, whatever it claims
		}
	}
}

func decodeEntry(b []byte, col int, k int64) extent {
	return extent{off: int64(binary.LittleEndian.Uint64(b)), n: int32(binary.LittleEndian.Uint32(b[8:])),
		dec: int32(binary.LittleEndian.Uint32(b[12:])), col: int32(col), k: int32(k)}
}

// appendEntry writes a lookup entry.
func appendEntry(b []byte, off, n, decoded int64) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(off))
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(n)), uint32(decoded))
}

// findBlocks reads the lookup tables, checks their entries, and adds a region for each run of blocks.
func (s *division) findBlocks(peek peek, g *regionMap) {
	total := int64(0)
	for _, c := range s.cols {
		total += c.blocks
	}
	s.blocks = make([]extent, 0, min(total, maxBlocks, s.size/16+1))
	for _, c := range s.cols {
		s.entries(peek, c, func(b extent) bool {
			if s.checkEntry(c, b) && len(s.blocks) < maxBlocks {
				s.blocks = append(s.blocks, b)
			}
			return true
		})
	}
	if len(s.blocks) == maxBlocks {
		s.report(finding{rule: tooManyBlocks, sev: model.Note, at: s.base + 40, n: 8, found: model.Words("%d blocks", total),
			message: model.Words("only %d blocks are shown", maxBlocks)})
	}
	slices.SortFunc(s.blocks, func(a, b extent) int {
		if a.off != b.off { // the usual case; the rest is slower
			return cmp.Compare(a.off, b.off)
		}
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.col, b.col), cmp.Compare(a.k, b.k))
	})
	s.placeBlocks(g)
}

// checkEntry checks a lookup entry (§5, 051 to 054) and tells whether there is a block to show.
func (s *division) checkEntry(c *column, b extent) bool {
	at := s.base + c.lookup + 16*int64(b.k)
	bad := func(rule *model.Rule, sev model.Severity, off, n int64, found, expected string, set *model.Value) {
		if !c.cut { // reported once, for the table
			// or the other length is wrong
			s.report(finding{rule: rule, sev: sev, at: at + off, n: n, found: found, expected: expected, set: set, ask: b.dec > 0,
				about:   about{extent: &b},
				message: fmt.Sprintf("block %d of column %q", b.k, c.name.s)})
		}
	}
	if b.n < 0 {
		bad(blockLengthNegative, 0, 8, 4, fmt.Sprint(b.n), "0 or more", nil)
		return false
	}
	switch {
	case b.dec < 0:
		bad(decodedLengthWrong, 0, 12, 4, fmt.Sprint(b.dec), "0 or more", nil)
	case b.dec == 0:
		bad(decodedLengthWrong, model.Warning, 12, 4, "0", "1 or more", nil)
	}
	if b.n == 0 && c.readable() && s.rowsOf(c, int64(b.k)) > 0 {
		bad(valuesShort, 0, 8, 4, "a block without bytes", model.Count(s.rowsOf(c, int64(b.k)), "rows"), nil)
	}
	inside := b.off >= headerSize && b.off <= s.bound && int64(b.n) <= s.bound-b.off
	if !inside {
		bad(blockOutside, 0, 0, 8, model.Words("%d, %d bytes", b.off, b.n), fmt.Sprintf("256 to %d", s.bound-int64(b.n)), nil)
	}
	if inside && c.compression == 0 && b.dec != b.n && b.dec >= 0 { // outside, it is not an entry
		sev := model.Error
		if b.dec < b.n {
			sev = model.Warning
		}
		bad(storedLengthDiffers, sev, 12, 4, fmt.Sprint(b.dec), fmt.Sprint(b.n), intOf(int64(b.n)))
	}
	return b.n > 0 && (inside || b.off >= headerSize && b.off < s.size && int64(b.n) <= s.size-b.off)
}

// placeBlocks divides the room between the regions into runs of blocks.
func (s *division) placeBlocks(g *regionMap) {
	var out []*region
	at, left := int64(0), s.blocks
	place := func(end int64) {
		for ; len(left) > 0 && left[0].off < at; left = left[1:] { // starts inside another structure
			s.overlap(left[0], at)
		}
		n := sort.Search(len(left), func(i int) bool { return left[i].off >= end })
		if n > 0 {
			out = append(out, s.run(left[:n], end))
		}
		left = left[n:]
	}
	for _, r := range g.all {
		place(r.off)
		at = r.end()
		out = append(out, r)
	}
	place(s.size)
	g.all = out
}

// run returns the region of a run of blocks, which must end before end, and reports gaps and overlaps.
func (s *division) run(list []extent, end int64) *region {
	r, run := &region{class: classBlocks, name: blocks, run: len(s.runs), off: list[0].off}, blockRun{}
	if r.run > 0 {
		r.name = blocks.Named("blocks%d", r.run+1)
	}
	top := int64(0)
	for i, b := range list {
		if i > 0 && b.off == list[i-1].off && b.n == list[i-1].n {
			s.shared = true
			s.report(s.sharing(b, list[i-1], model.Note))
			continue
		}
		if i > 0 && b.off < top {
			s.shared = true
			s.report(clashing(s, b, list[i-1]))
		} else if i > 0 && b.off > top {
			s.gap(top, b.off)
		}
		if b.end() > end {
			s.overlap(b, end)
		}
		if i == 0 || b.off != list[i-1].off {
			run.starts = append(run.starts, s.base+b.off)
		}
		top = max(top, min(b.end(), end))
	}
	s.runs = append(s.runs, run)
	r.n = top - r.off
	return r
}

// sharing is the problem that a block shares bytes with another.
func (s *division) sharing(b, other extent, grade model.Severity) finding {
	return finding{rule: blockOverlap, sev: grade, at: s.entryAt(b), n: 16, found: model.Words("0x%x, %d bytes", b.off, b.n),
		message: fmt.Sprintf("%s and %s", s.blockName(b), s.blockName(other)), about: about{column: s.cols[b.col], extent: &b, other: &other},
		related: []model.Range{s.rangeOf(b), s.rangeOf(other)}}
}

// clashing is the problem that two blocks share some of their bytes. Compressed ones show by themselves whether they are what they should be; of others
// readers take the wrong values, and do not notice.
func clashing(s *division, b, other extent) finding {
	if s.cols[b.col].compression != 0 && s.cols[other.col].compression != 0 {
		return s.sharing(b, other, model.Warning)
	}
	if len(s.clashes) < maxBlocks {
		s.clashes = append(s.clashes, [2]extent{b, other})
	}
	return s.sharing(b, other, model.Error)
}

// overlap reports a block that overlaps another structure.
func (s *division) overlap(b extent, with int64) {
	if b.end() > s.bound {
		return // it is outside the stream (053)
	}
	s.report(finding{rule: blockOverlap, at: s.entryAt(b), n: 16, found: model.Words("0x%x, %d bytes", b.off, b.n),
		message: fmt.Sprintf("%s overlaps the structure at 0x%x", s.blockName(b), s.base+with), about: about{column: s.cols[b.col], extent: &b},
		related: []model.Range{s.rangeOf(b)}})
}

func (s *division) entryAt(b extent) int64 {
	return s.base + s.cols[b.col].lookup + 16*int64(b.k)
}

func (s *division) rangeOf(b extent) model.Range {
	return model.Range{Space: s.space, Off: s.base + b.off, Len: int64(b.n)}
}

func (s *division) blockName(b extent) string {
	return fmt.Sprintf("block %d of column %q", b.k, s.cols[b.col].name.s)
}

// at returns the blocks that start at an offset of the stream.
func (s *division) at(off int64) []extent {
	i := sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].off >= off })
	j := i + sort.Search(len(s.blocks)-i, func(j int) bool { return s.blocks[i+j].off > off }) // columns may share a block
	return s.blocks[i:j]
}

// alone tells whether n bytes at an offset of the stream are those of one block.
func (s *division) alone(off, n int64) bool {
	others := 0
	for i := 0; s.shared && others < 2 && i < len(s.blocks) && s.blocks[i].off < off+n; i++ {
		if s.blocks[i].end() > off {
			others++
		}
	}
	return others < 2
}
