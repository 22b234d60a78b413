package idv

import (
	"fmt"
	"math"

	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/inflate"
)

// findDeflated walks deflate streams from the header on. It tells whether it stopped because they decode to too much.
func (s lostColumns) findDeflated() (out []finds, more bool) {
	total, window := 0, int64(1<<16)
	most := int(s.searched())
	for off := int64(headerSize); off < s.stream.size && total < most; {
		in := s.peek(s.stream.base+off, min(s.stream.size-off, window))
		b, how := inflate.Into(s.ctx, nil, in, inflate.Request{Framing: inflate.Raw, Want: int64(most / 2)})
		err, n := how.Err, len(in)-int(how.Spare)
		if how.More {
			return out, true // a block longer than the bytes examined
		}
		if err != nil && window < s.stream.size-off && window < 1<<30 {
			window *= 4 // the block may be longer than the bytes examined
			continue
		}
		if err != nil && len(b) > 0 && len(in) > 2 && int64(len(in)) == s.stream.size-off { // the file ends inside it, or it is not a block
			out = append(out, finds{off: off, n: len(in), b: b, part: true})
		}
		if err != nil || len(b) == 0 || n < 3 {
			return out, false
		}
		total += len(b)
		out = append(out, finds{off: off, n: n, b: b})
		off, window = off+int64(n), max(1<<16, 4*int64(n))
	}
	return out, total >= most
}

// carve finds deflated blocks and guesses their content. The header's numbers of rows and columns are used if the
// blocks are consistent with them.
func (s lostColumns) carve() (*carved, error) {
	c := &carved{}
	c.found, c.capped = s.findDeflated()
	var broken *finds
	if n := len(c.found); n > 0 && c.found[n-1].part {
		broken = &c.found[n-1]
		c.found = c.found[:n-1]
	}
	if len(c.found) == 0 {
		return nil, fmt.Errorf("no deflated block starts after the header")
	}
	own, last, err := s.count(c)
	if err != nil {
		return nil, err
	}
	sound := c.guess(own, last)
	if sound < len(c.found) {
		broken = nil
	}
	c.found, own = c.found[:sound], own[:sound] // no block follows
	if len(c.found) == 0 {
		return nil, fmt.Errorf("the blocks after the header have no known form")
	}
	if c.columns = period(c.found); s.stream.columnCount > 0 && s.stream.columnCount <= int64(len(c.found)) {
		c.columns = int(s.stream.columnCount)
	}
	if c.turns(s.stream.columnCount > 0); c.broken {
		broken, own = nil, own[:len(c.found)]
	}
	c.group(own)
	s.addBroken(c, broken)
	return c, nil
}

// count determines the number of rows per block: as stated by the blocks, by the header for a single group, or by their lengths. own is each block's own number, 0
// if it states none, and last the number stated by the last one that does.
func (s lostColumns) count(c *carved) (own []int64, last int64, err error) {
	own = make([]int64, len(c.found))
	for i, f := range c.found {
		if own[i] = block.SaysCount(f.b); own[i] > 0 {
			c.rpb, last = max(c.rpb, own[i]), own[i]
		}
	}
	if c.rpb == 0 && s.stream.rows > 0 && s.stream.rows <= 1<<20 && int64(len(c.found)) <= s.stream.columnCount {
		c.rpb = s.stream.rows
	}
	if c.rpb == 0 {
		c.rpb = guessRows(c.found)
	}
	if c.rpb == 0 {
		return nil, 0, fmt.Errorf("the blocks do not show how many rows they have")
	}
	return own, last, nil
}

// turns leaves out the blocks from the first group on in which the columns do not take turns: parallel writers store blocks as they are ready, and only the
// lookup tables say which ones belong together. Columns of the same form may have changed places unnoticed.
func (c *carved) turns(counted bool) {
	forms := map[string]bool{}
	for _, f := range c.found[:c.columns] {
		forms[f.class] = true
	}
	for i, f := range c.found {
		if f.class != c.found[i%c.columns].class {
			c.found, c.broken = c.found[:i/c.columns*c.columns], true
			break
		}
	}
	switch {
	case c.broken:
		c.doubt = "the blocks were stored out of order, from some place on visibly so"
	case !counted && c.columns == len(c.found) && c.columns > 1:
		c.doubt = "without the directory, the number of columns is a guess"
	case len(forms) < c.columns && len(c.found) > c.columns:
		c.doubt = "without the directory, the values of columns of the same form differ only by the order of their blocks"
	}
}

// group counts the groups of rows and all rows; the last group may have fewer, as may a truncated one.
func (c *carved) group(own []int64) {
	c.groups = len(c.found) / c.columns
	c.rows = int64(c.groups) * c.rpb
	for _, n := range own[(c.groups-1)*c.columns : c.groups*c.columns] {
		if n > 0 {
			c.rows += n - c.rpb
			break
		}
	}
	c.lastRows = c.rpb
	for _, n := range own[c.groups*c.columns:] {
		if n > 0 {
			c.lastRows = n
			break
		}
	}
}

// guess assigns each block the best type, and returns how many of the first blocks have one.
func (c *carved) guess(own []int64, last int64) (sound int) {
	for i := range c.found {
		n := c.rpb
		if own[i] > 0 {
			n = own[i]
		}
		definition, class := block.Guess(c.found[i].b, n)
		if definition == nil && last > 0 {
			definition, class = block.Guess(c.found[i].b, last)
		}
		if definition == nil {
			definition, class = block.GuessOld(c.found[i].b, n)
		}
		if c.found[i].class = class; definition != nil {
			sound = i + 1
		}
		c.definitions = append(c.definitions, definition)
	}
	return sound
}

// addBroken adds the truncated block at the end of the file: its first values exist, and the column's other blocks give their type.
func (s lostColumns) addBroken(c *carved, b *finds) {
	if b == nil || s.stream.columnCount > int64(len(c.found)) { // a single group cannot be compared with another
		return
	}
	at, group := len(c.found)%c.columns, int64(len(c.found)/c.columns)
	if s.stream.rows > 0 && group*c.rpb >= s.stream.rows {
		return
	}
	if s.stream.rows > 0 {
		c.lastRows = min(c.lastRows, s.stream.rows-group*c.rpb)
	}
	c.found, c.definitions = append(c.found, *b), append(c.definitions, c.definitions[at])
}

// finds is a deflated block that was found by inflating.
type finds struct {
	off   int64
	n     int
	b     []byte
	class string // what distinguishes blocks of different columns
	part  bool   // it is truncated
}

// extent is where the block is.
func (f *finds) extent() extent {
	return extent{off: f.off, n: int32(min(f.n, math.MaxInt32)), dec: int32(min(len(f.b), math.MaxInt32))}
}

// searched is how many decoded bytes are examined.
func (s lostColumns) searched() int64 {
	return min(maxSalvage, max(maxSalvageSmall, salvageRatio*s.stream.size))
}

// As multiples of the size of the file, and for a small file and a large one.
const (
	salvageRatio    = 16
	maxSalvageSmall = 64 << 20
	maxSalvage      = 512 << 20
)

// carved is what the blocks of a stream without a directory seem to be.
type carved struct {
	found           []finds
	definitions     [][]byte // of each block
	columns, groups int
	rpb, rows       int64
	lastRows        int64  // of the truncated group
	capped          bool   // there may be more blocks: the search ended before the file
	broken          bool   // blocks were left out, because the columns do not take turns
	doubt           string // why the blocks of a row may not belong together
}

// period is the number of columns: the shortest period in the guessed types of the blocks. The last ones may be shorter.
func period(found []finds) int {
	for p := 1; p < len(found); p++ {
		same := len(found) >= 2*p
		for i := p; same && i < len(found); i++ {
			same = found[i].class == found[i%p].class
		}
		if same {
			return p
		}
	}
	return len(found)
}

// guessRows is the number of rows per block if none states it: the largest that gives each block a whole width.
func guessRows(found []finds) int64 {
	least := int64(math.MaxInt64)
	for _, f := range found {
		least = min(least, int64(len(f.b)))
	}
	for _, w := range []int64{4, 8, 2, 1} {
		n, ok := least/w, least%w == 0
		for _, f := range found {
			v := int64(len(f.b))
			ok = ok && n > 0 && v%n == 0 && (v/n == 1 || v/n == 2 || v/n == 4 || v/n == 8 || v/n == 10 || v/n == 16)
		}
		if ok {
			return n
		}
	}
	return 0
}
