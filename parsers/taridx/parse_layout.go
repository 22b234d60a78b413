package taridx

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"spandrel/parsers/internal/tarfile"
)

// layout is the places of the parts after the header. The header states it; if the header contradicts itself or the bytes, the layout with
// the most witnesses is used: the offsets, the counts, the size of the file, what looks like names and what like rows.
type layout struct {
	stems, rows int64 // where the collision stems start, and the rows
	n           int64 // rows
	votes       float64
	sure        bool // all witnesses agree, or no other layout comes near
}

// locator rates the layouts of one file.
type locator struct {
	stated
	size int64
	peek func(off, n int64) []byte
	text []byte // what may be names: from the header on
}

// eager is the longest text block that is parsed at once, mostNames the largest number of names in one: twice as many as rows can distinguish.
// Other blocks are read when someone looks.
const (
	eager     = 4 << 20
	mostNames = 1 << 17
)

// locate returns the layout of a file.
func locate(h []byte, size int64, peek func(off, n int64) []byte) layout {
	l := &locator{stated: parseStated(h), size: size, peek: peek}
	said := layout{stems: int64(l.offStems), rows: int64(l.offRows), sure: true}
	sane := l.inOrder(size)
	if sane {
		said.n = (size - said.rows) / rowSize
		if l.offRows > headerSize+eager {
			return said // too long to compare layouts
		}
	}
	l.text = peek(headerSize, min(eager, size-headerSize))
	if sane && l.agrees(said) {
		return said
	}
	var best layout
	second := 0.0
	for _, rows := range l.rowStarts() {
		for _, stems := range l.stemStarts(rows) {
			c := layout{stems: stems, rows: rows, n: l.count(rows)}
			if c.votes = l.weigh(c); c.votes > best.votes {
				best, second = c, best.votes
			} else if c.stems != best.stems || c.rows != best.rows {
				second = max(second, c.votes)
			}
		}
	}
	best.sure = best.votes >= second+1
	return best
}

// names is the number of names between two offsets, according to their counts in the header.
func (l *locator) names(from, to int64, said uint64) uint64 {
	return countNames(l.text[from-headerSize:to-headerSize], said)
}

// countNames is the number of names in a text block. An empty block has none, or one empty name if the header says so.
func countNames(b []byte, said uint64) uint64 {
	n := uint64(bytes.Count(b, []byte{'\n'}))
	if len(b) == 0 && said != 1 || len(b) > 0 && b[len(b)-1] == '\n' {
		return n
	}
	return n + 1
}

// agrees tells whether everything in the header fits the bytes.
func (l *locator) agrees(c layout) bool {
	return l.names(headerSize, c.stems, l.exts) == l.exts && l.names(c.stems, c.rows, l.stems) == l.stems &&
		uint64(l.size-c.rows) == l.rows*rowSize && l.rows < 1<<58
}

// legible is how many bytes of b could be names.
func legible(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r < ' ' && r != '\n' || r == 0x7f || r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}

// rowStarts lists possible starts of the rows: where the header says, where its other fields lead, and wherever rows seem to start
// after what can be read as names.
func (l *locator) rowStarts() []int64 {
	starts := []int64{headerSize}
	add := func(at uint64) {
		if at >= headerSize && at <= uint64(l.size) && at <= uint64(headerSize+len(l.text)) {
			starts = append(starts, int64(at))
		}
	}
	add(l.offRows)
	if l.rows <= uint64(l.size/rowSize) {
		add(uint64(l.size) - l.rows*rowSize)
	}
	add(l.offStems)
	last := headerSize + int64(legible(l.text[:min(len(l.text), 64<<10)]))
	for at := int64(headerSize); at <= last; at++ {
		if n := l.rowsAmong(at, (l.size-at)/rowSize, 3, 1<<16, 1<<32); n > 0.9 {
			add(uint64(at))
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// stemStarts lists possible starts of the collision stems if the rows start at an offset.
func (l *locator) stemStarts(rows int64) []int64 {
	starts := []int64{rows}
	add := func(at int64) {
		if at >= headerSize && at <= rows {
			starts = append(starts, at)
		}
	}
	add(int64(min(l.offStems, uint64(l.size))))
	b := l.text[:rows-headerSize]
	at := int64(0) // where the last extension begins, if the header counts them right
	for range int64(l.exts) - 1 {
		n := bytes.IndexByte(b[at:], '\n')
		if n < 0 {
			return starts
		}
		at += int64(n) + 1
	}
	hashes := l.collided(rows)
	end := int64(len(b))
	if n := bytes.IndexByte(b[at:], '\n'); n >= 0 {
		end = at + int64(n)
	}
	for k := at; k <= end && len(hashes) > 0 && end-at <= 1<<12; k++ { // stems follow the extensions without a mark between
		if hashes[xxhash.Sum64(b[k:end])] {
			add(headerSize + k)
		}
	}
	return starts
}

// collided are the hashes of rows with a collision number.
func (l *locator) collided(rows int64) map[uint64]bool {
	out := map[uint64]bool{}
	for b := l.peek(rows, min((l.size-rows)/rowSize, 1<<15)*rowSize); len(b) >= rowSize; b = b[rowSize:] {
		if r := decode(b); r.crash > 0 {
			out[r.hash] = true
		}
	}
	return out
}

// likely tells whether a writer could have written these bytes as a row.
func likely(r entryRow, exts, stems uint64) bool {
	return r.off%tarfile.Block == 0 && r.off < 1<<48 && r.size < 1<<48 && r.hash != 0 && uint64(r.ext) < exts && uint64(r.crash) <= stems
}

// rowsAmong is the share of n rows from an offset on that look like rows: of the first few and of others up to the last.
func (l *locator) rowsAmong(at, n, most int64, exts, stems uint64) float64 {
	if n <= 0 {
		return 0
	}
	good, tried := 0, 0
	for k := range min(n, most) {
		i := k
		if n > most {
			i = k * n / most
		}
		tried++
		if b := l.peek(at+i*rowSize, rowSize); len(b) == rowSize && likely(decode(b), exts, stems) {
			good++
		}
	}
	return float64(good) / float64(tried)
}

// count is how many rows there are from an offset on. What follows the rows that the header counts is taken for more rows only if it
// looks like rows.
func (l *locator) count(rows int64) int64 {
	room := (l.size - rows) / rowSize
	if l.rows >= uint64(room) {
		return room
	}
	said := int64(l.rows)
	if l.rowsAmong(rows+said*rowSize, room-said, 64, 1<<16, 1<<32) > 0.6 {
		return room
	}
	return said
}

// weigh counts the witnesses for a layout.
func (l *locator) weigh(c layout) (votes float64) {
	vote := func(ok bool, weight float64) {
		if ok {
			votes += weight
		}
	}
	exts, stems := l.names(headerSize, c.stems, l.exts), l.names(c.stems, c.rows, l.stems)
	vote(uint64(c.rows) == l.offRows, 1)
	vote(uint64(c.stems) == l.offStems, 1)
	vote(exts == l.exts && exts > 0, 1)
	vote(stems == l.stems, 1)
	vote(uint64(c.n) == l.rows && c.n > 0, 1)
	vote((l.size-c.rows)%rowSize == 0, 0.5)
	vote(legible(l.text[:c.rows-headerSize]) == int(c.rows-headerSize), 1)
	vote(c.n == 0 && c.rows == l.size && exts == 0, 1) // an index of nothing
	return votes + 3*l.rowsAmong(c.rows, c.n, 64, exts, stems)
}
