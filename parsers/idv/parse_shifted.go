package idv

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"spandrel/parsers/idv/block"
)

// A stream that lost bytes inside, or has surplus ones: the directory at its end is whole, and all offsets in it are off by the same amount, as
// are those of the blocks after the place.

const (
	maxShift   = 1 << 16 // maximum number of missing or inserted bytes, if the header does not give it
	maxShifted = 1 << 14 // blocks that are tried at two places
)

// shifted is a directory whose offsets are too large by a number of bytes.
type shifted struct {
	in    lostColumns
	cols  []*column
	by    int64
	rows  int64
	found [][]extent // original places of the blocks of each column
}

// shifted reads the directory that ends with the stream; nil if it is where it should be, or invalid.
func (s lostColumns) shifted() *remains {
	mark := s.stream.size - 8
	if s.stream.tocEnd == mark || !s.marked(mark) {
		return nil
	}
	x := &shifted{in: s}
	whole := bytes.Equal(s.peek(s.stream.base, 8), binary.LittleEndian.AppendUint64(nil, headSignature))
	lost, known := x.stated(whole)
	if !known {
		lost = maxShift
	}
	toc, columns, version := int64(0), int64(0), uint64(versionBase+6)
	if whole {
		columns, version = s.stream.columnCount, s.stream.version
	}
	if toc, x.cols = s.lastDirectory(mark, columns, version, lost); len(x.cols) == 0 || !x.measure(whole, toc) || x.by == 0 {
		return nil
	}
	return x.remains()
}

// stated is by how much the offsets are too large according to the header, if that is whole.
func (x *shifted) stated(whole bool) (by int64, ok bool) {
	by = x.in.stream.tail - (x.in.stream.size - 8)
	return by, whole && x.in.stream.tail > headerSize && x.in.stream.tail < math.MaxInt64/2
}

// lastDirectory reads the directory of so many columns that ends at a place; for 0 or fewer, the longest. Its offsets may be too large by the
// number of lost bytes.
func (s lostColumns) lastDirectory(mark, columns int64, version uint64, lost int64) (toc int64, cols []*column) {
	dir := &directory{base: s.stream.base, size: mark, tail: mark, columnCount: columns, layout: 6, version: version, lost: lost}
	toc, ok := dir.searchTOC(s.peek, mark)
	if dir.columnCount = maxColumns; ok {
		dir.readTOC(dir.reader(s.peek, toc, func(finding) {}))
	}
	return toc, dir.cols
}

// measure determines by how much the offsets are too large, and reads the lookup tables.
func (x *shifted) measure(whole bool, toc int64) bool {
	var by []int64
	if d, ok := x.stated(whole); ok {
		by = append(by, d)
	}
	for d := int64(1); d <= maxShift && len(by) == 0; d++ {
		if x.begins(d) || x.begins(-d) {
			if by = append(by, d); !x.begins(d) {
				by[0] = -d
			}
		}
	}
	if len(by) == 0 || !x.begins(by[0]) {
		return false
	}
	x.by = by[0]
	if x.rows = x.in.stream.rows; !whole || x.rows <= 0 {
		x.rows = 0
	}
	return x.tables(toc)
}

// begins tells whether the tables are at their stated places less d: their first blocks are possible, and one of them follows the header.
func (x *shifted) begins(d int64) bool {
	first := false
	for _, c := range x.cols[:min(len(x.cols), 64)] {
		if c.lookup-d < 0 || c.lookup-d+16 > x.in.stream.size {
			return false
		}
		b := x.in.peek(x.in.stream.base+c.lookup-d, 16)
		if len(b) < 16 {
			return false
		}
		e := decodeEntry(b, 0, 0)
		if !possible(e, c.lookup) {
			return false
		}
		first = first || e.off == headerSize
	}
	return first
}

// tables reads the entries of all columns: as many as there are groups of rows, or as follow each other up to the next table.
func (x *shifted) tables(toc int64) bool {
	ends := toc + x.by
	for _, c := range x.cols {
		if c.meta > 0 {
			ends = min(ends, c.meta)
		}
	}
	for i, c := range x.cols {
		b := x.in.peek(x.in.stream.base+c.lookup-x.by, max(0, min(x.tableEnd(c, ends)-c.lookup, 16*maxShifted)))
		x.found = append(x.found, entriesIn(b, i, c.lookup))
	}
	return x.rows > 0 || x.guessRows()
}

// tableEnd is the latest end of a column's table: where the next one begins, or all tables end, or after as many entries as there are blocks.
func (x *shifted) tableEnd(c *column, end int64) int64 {
	for _, o := range x.cols {
		if o.lookup > c.lookup {
			end = min(end, o.lookup)
		}
	}
	if x.rows > 0 && c.rpb > 0 {
		end = min(end, c.lookup+16*((x.rows-1)/c.rpb+1))
	}
	return end
}

// guessRows takes as many rows as the blocks that were found have.
func (x *shifted) guessRows() bool {
	for i, c := range x.cols { // in a fixed-width column the last block gives its length
		if n := int64(len(x.found[i])); n > 0 && c.rpb > 0 && c.codec.Kind.Width() > 0 && c.codec.Readable() {
			x.rows = max(x.rows, min((n-1)*c.rpb+int64(x.found[i][n-1].dec)/c.codec.Kind.Width(), n*c.rpb))
		}
	}
	for i, c := range x.cols {
		if x.rows == 0 {
			x.rows = int64(len(x.found[i])) * c.rpb
		}
	}
	return x.rows > 0
}

// remains puts each block where it can be read: at its stated place, if that is before the damage, or displaced.
func (x *shifted) remains() *remains {
	r := x.in.remains(x.cols[0].rpb, x.rows)
	r.instead, r.by = true, x.by
	if r.rpb <= 0 || slices.ContainsFunc(x.cols, func(c *column) bool { return c.rpb != r.rpb }) {
		return nil
	}
	x.settle()
	for i, c := range x.cols {
		c.listed = x.found[i]
	}
	r.of.cols = x.cols
	return r
}

// settle determines which blocks have moved. If a block can be read at both places, or at neither, the others decide:
// up to some block none has moved, and from there on all have.
func (x *shifted) settle() {
	from, to := int64(headerSize), int64(math.MaxInt64)
	var doubts []*extent
	for i, c := range x.cols {
		for k := range x.found[i] {
			e := &x.found[i][k]
			there, moved := x.by != headerSize && x.sound(c, *e, 0), x.sound(c, *e, x.by) // the header before everything is missing
			switch {
			case there == moved:
				doubts = append(doubts, e)
			case there:
				from = max(from, e.end())
			default:
				to = min(to, e.off)
				e.off -= x.by
			}
		}
	}
	for _, e := range doubts {
		switch {
		case e.off >= to || x.by == headerSize || x.begun():
			e.off -= x.by
		case e.end() > from && x.cols[e.col].compression == 0:
			e.n = 0 // its place is unknown
		}
	}
}

// begun tells whether the header is displaced too: then the bytes were inserted, or are missing, before everything.
func (x *shifted) begun() bool {
	at := x.in.stream.base - x.by
	return at >= 0 && bytes.Equal(x.in.peek(at, 8), binary.LittleEndian.AppendUint64(nil, headSignature))
}

// sound tells whether a block can be read at an offset before its stated place.
func (x *shifted) sound(c *column, e extent, by int64) bool {
	if x.in.ctx.Err() != nil || e.off-by < headerSize && x.by != headerSize || e.off-by < 0 {
		return false
	}
	e.off -= by
	in, err := x.in.held(c, e)
	return err == nil && (!c.codec.Readable() || block.Fits(c.codec, in, min(c.rpb, x.rows-int64(e.k)*c.rpb)))
}

// definition is the definition of a column's type as written.
func (s contents) definition(c *column) []byte {
	if c.guessed {
		return c.definition
	}
	from, peek := c.name.at+c.name.n, s.peek
	if s.stream.correction != nil {
		peek = s.stream.correction.peek(peek)
	}
	return peek(from, c.compressionAt-from)
}
