package idv

import (
	"fmt"
	"math"
	"slices"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/inflate"
)

// Columns that the directory does not name, because it was truncated or erased: the places of their blocks are known from their lookup tables, which
// precede it, or from inflating; their types are guessed.

const (
	maxLost      = 64 << 20 // length of a stream that is searched without a directory
	maxLostBlock = 256 << 20
	maxTables    = 1 << 22 // entries examined to find where the tables begin
)

// lostColumns is a stream whose directory does not name all columns.
type lostColumns struct{ contents }

// left returns what is known about the columns that the directory does not name; nil if it names all, or nothing is known.
func (s contents) left() *remains {
	s.stream.lostMu.Lock()
	defer s.stream.lostMu.Unlock()
	if s.stream.lost == nil {
		found := lostColumns{s}.findLeft()
		if s.ctx.Err() != nil {
			return nil
		}
		if s.stream.lost = &found; found != nil {
			found.finish()
		}
	}
	return *s.stream.lost
}

func (s lostColumns) findLeft() *remains {
	known := s.known()
	if s.stream.size <= headerSize || s.stream.size > maxLost {
		return nil
	}
	if r := s.shifted(); r != nil {
		return r
	}
	if s.stream.columnCount > maxColumns || known >= s.stream.columnCount && (known > 0 || !s.stream.salvage) {
		return nil
	}
	if r := s.tabled(known); r != nil {
		return r
	}
	if known > 0 {
		return nil
	}
	c, err := s.carve()
	if err != nil {
		return nil
	}
	return s.assign(c)
}

// remains are columns still to be found, with their number of rows as far as known.
func (s lostColumns) remains(rpb, rows int64) *remains {
	of := &stream{t: s.t, root: s.stream.root, lost: new(*remains)}
	of.directory = directory{space: s.stream.space, base: s.stream.base, size: s.stream.size, bound: s.stream.size, rows: rows, layout: 6,
		version: versionBase + 6, compatible: versionBase + 6, correction: s.stream.correction}
	return &remains{of: of, rpb: rpb}
}

// add adds a column of which nothing is known but where its blocks are.
func (r *remains) add(index int, listed []extent, compression byte) *column {
	c := &column{index: index, name: text{s: fmt.Sprintf("Column%d", index)}, guessed: true, listed: listed, compression: compression}
	r.of.cols = append(r.of.cols, c)
	return c
}

// finish completes the columns with what is known about all of them.
func (r *remains) finish() {
	r.of.columnCount = int64(len(r.of.cols))
	for i, c := range r.of.cols {
		c.rpb, c.blocks = r.rpb, int64(len(c.listed))
		for k := range c.listed {
			c.listed[k].col, c.listed[k].k = int32(i), int32(k)
		}
	}
}

// known is how many columns the directory names: not those whose name is zero bytes, or at the place of the end of an entry.
func (s lostColumns) known() int64 {
	for i, c := range s.stream.cols {
		if c.lookup == 0 && (s.stream.rows > 0 || c.name.n == 0 && c.codec.NameLen == 0) {
			return int64(i)
		}
	}
	return int64(len(s.stream.cols))
}

// named are the columns that the directory describes, without those known from elsewhere.
func (s lostColumns) named() []*column {
	if left := s.left(); left == nil || left.instead {
		return s.stream.cols
	}
	return s.stream.cols[:s.known()]
}

// tabled finds the lookup tables of lost columns.
func (s lostColumns) tabled(known int64) *remains {
	if known == 0 {
		return s.tablesAlone()
	}
	first := s.stream.cols[0]
	if s.stream.columnCount-known > maxColumns || first.blocks <= 0 || first.rpb <= 0 {
		return nil
	}
	for _, c := range s.stream.cols[:known] {
		if c.blocks != first.blocks || c.lookup != first.lookup+16*first.blocks*int64(c.index) {
			return nil // the tables do not follow each other
		}
	}
	r := s.remains(first.rpb, s.stream.rows)
	for i := known; i < s.stream.columnCount; i++ {
		b := s.peek(s.stream.base+first.lookup+16*first.blocks*i, 16*first.blocks)
		list := entriesIn(b, 0, first.lookup)
		if len(list) < len(b)/16 {
			return nil
		}
		if c := r.add(int(i), list, s.compressionOf(list)); int64(len(list)) == first.blocks {
			s.guess(c, r)
		}
	}
	return r
}

// possible tells whether an entry can be that of a block before the tables.
func possible(e extent, tables int64) bool {
	return e.off >= headerSize && e.n > 0 && e.dec > 0 && e.end() <= tables && int64(e.dec) <= model.DeflateRatio*int64(e.n)
}

// entriesIn decodes the entries of a column at the start of b, up to the first that cannot describe a block before the tables.
func entriesIn(b []byte, col int, tables int64) []extent {
	list := []extent{}
	for ; len(b) >= 16; b = b[16:] {
		e := decodeEntry(b, col, int64(len(list)))
		if !possible(e, tables) {
			break
		}
		list = append(list, e)
	}
	return list
}

// tablesAlone finds the lookup tables without a directory: entries that follow the blocks they refer to.
func (s lostColumns) tablesAlone() *remains {
	b := s.peek(s.stream.base, s.stream.size)
	for at, tried := int64(headerSize)+1, 0; at+16 <= int64(len(b)) && tried < maxTables; at++ {
		if b[at+7] != 0 || b[at+6] != 0 || b[at+5] != 0 || !possible(decodeEntry(b[at:], 0, 0), at) {
			continue
		}
		list, n := entriesAt(b, at)
		if tried += n; list != nil {
			if r := s.divide(list); r != nil {
				return r
			}
		}
	}
	return nil
}

// entriesAt reads possible entries from an offset on; nil if they do not cover all bytes before them.
func entriesAt(b []byte, at int64) (list []extent, tried int) {
	sum, first, last := int64(0), int64(math.MaxInt64), int64(0)
	list = entriesIn(b[at:], 0, at)
	for _, e := range list {
		sum, first, last = sum+int64(e.n), min(first, e.off), max(last, e.end())
	}
	if first != headerSize || last > at || sum > 2*(at-headerSize) || 2*sum < at-headerSize {
		return nil, len(list) + 1
	}
	return list, len(list)
}

// divide divides entries among columns: all have the same number of blocks, and those of one column follow each other in the file.
func (s lostColumns) divide(list []extent) *remains {
	n := len(list)
	for i := 2; i < len(list) && n == len(list); i++ {
		if list[i].off < list[1].off { // before the second group of rows: the first block of the next column
			n = i
		}
	}
	if want := int(s.stream.columnCount); want > 0 && n == len(list) {
		if len(list)%want == 0 {
			n = len(list) / want
		} else if len(list) < want {
			n = 1 // the other tables are truncated
		}
	}
	r := s.remains(0, max(0, s.stream.rows))
	for i := 0; i < len(list); i += n {
		table := list[i:min(i+n, len(list))] // the last one may be truncated
		r.add(i/n, table, s.compressionOf(table))
	}
	if len(r.of.cols) == 0 || !s.sized(r) {
		return nil
	}
	for _, c := range r.of.cols {
		s.guess(c, r)
	}
	return r
}

// sized determines the rows per block: some blocks state it; for others the width follows from the total.
func (s lostColumns) sized(r *remains) bool {
	last := len(r.of.cols[0].listed) - 1
	s.saidRows(r, last)
	for _, c := range r.of.cols {
		if len(c.listed) <= last {
			continue
		}
		all := int64(last)*int64(c.listed[0].dec) + int64(c.listed[last].dec)
		if r.rpb == 0 && r.of.rows > 0 && all%r.of.rows == 0 {
			r.rpb = int64(c.listed[0].dec) / (all / r.of.rows)
		}
	}
	if r.rpb == 0 && last == 0 {
		r.rpb = r.of.rows
	}
	r.of.rows = min(r.of.rows, int64(last+1)*r.rpb)
	return r.rpb > 0 && r.of.rows > 0
}

// saidRows takes how many rows the first blocks of columns, and the last ones, say that they have.
func (s lostColumns) saidRows(r *remains, last int) {
	for _, c := range r.of.cols {
		b, err := s.held(c, c.listed[0])
		if err != nil {
			continue
		}
		n := block.SaysCount(b)
		if n <= 0 {
			continue
		}
		r.rpb = max(r.rpb, n)
		if tail, err := s.held(c, c.listed[min(last, len(c.listed)-1)]); err == nil && last < len(c.listed) && r.of.rows == 0 {
			r.of.rows = int64(last)*n + block.SaysCount(tail)
		}
	}
}

// held reads a block of a column; for a damaged one, what precedes the damage.
func (s lostColumns) held(c *column, e extent) ([]byte, error) {
	in, err := rawBlock(s.contents, e)
	if err != nil || c.compression == 0 {
		return in, err
	}
	b, whole := s.inflated(in, e)
	if !whole {
		err = fmt.Errorf("its block is damaged")
	}
	return b, err
}

// inflated are the bytes of a block inflated, and whether they are as many as its entry says.
func (s lostColumns) inflated(in []byte, e extent) ([]byte, bool) {
	b, how := inflate.Into(s.ctx, nil, in, inflate.Request{Framing: inflate.Raw, Want: int64(e.dec)})
	return b, how.Err == nil && !how.More && how.Spare == 0 && int64(len(b)) == int64(e.dec)
}

// rawBlock are the bytes of a block as they are stored.
func rawBlock(s contents, e extent) ([]byte, error) {
	if e.n <= 0 || e.off < 0 || e.end() > s.stream.size {
		return nil, fmt.Errorf("its block is no longer in the file")
	}
	if e.dec > maxLostBlock {
		return nil, errBudget
	}
	return s.t.Bytes(s.ctx, model.Range{Space: s.stream.space, Off: s.stream.base + e.off, Len: int64(e.n)})
}

// compressionOf is the compression of blocks for which nothing states it: none if all have the same length either way, and the first does not
// inflate.
func (s lostColumns) compressionOf(list []extent) byte {
	if len(list) == 0 {
		return 0
	}
	deflated := slices.ContainsFunc(list, func(e extent) bool { return e.n != e.dec })
	if in, err := rawBlock(s.contents, list[0]); err == nil && !deflated {
		_, deflated = s.inflated(in, list[0])
	}
	if deflated {
		return 1
	}
	return 0
}

// guess assigns a lost column the type that its first block looks like.
func (s lostColumns) guess(c *column, r *remains) {
	for k, e := range c.listed {
		b, err := s.held(c, e)
		if err != nil {
			continue
		}
		n := min(r.rpb, r.of.rows-int64(k)*r.rpb)
		if c.definition, _ = block.Guess(b, n); c.definition == nil {
			c.definition, _ = block.GuessOld(b, n)
		}
		if c.definition != nil {
			c.codec = codecOf(c.definition)
		}
		return
	}
}

// codecOf reads a definition.
func codecOf(definition []byte) (c *block.Codec) {
	r := &reader{peek: func(off, n int64) []byte { return within(definition, off, n) }, end: int64(len(definition)), report: func(finding) {}}
	if !r.try(func() { c = r.codec(entryCut, 0) }) {
		return nil
	}
	return c
}

// assign divides carved blocks among columns; the last group of rows may lack some. The header states the number of rows, or nothing.
func (s lostColumns) assign(c *carved) *remains {
	r := s.remains(c.rpb, c.rows)
	r.capped, r.broken, r.carved, r.doubt = c.capped, c.broken, true, c.doubt
	for i := range c.columns {
		list := []extent{}
		for k := i; k < len(c.found); k += c.columns {
			list = append(list, c.found[k].extent())
		}
		col := r.add(i, list, 1)
		if col.definition = c.definitions[i]; col.definition != nil {
			col.codec = codecOf(col.definition)
		}
	}
	if len(c.found) > c.groups*c.columns {
		r.of.rows = int64(c.groups)*c.rpb + c.lastRows
	}
	if said := s.stream.rows; said > 0 && said < r.of.rows && r.of.rows-said < r.rpb {
		r.of.rows = said
	}
	return r
}
