package idv

import (
	"math"
	"slices"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// Blocks whose entries in the tables were written over: writers put the blocks of each group of rows one behind the other, in the order of the
// columns, so that each stands between its neighbours.

// maxUnlisted is among how many bytes a block is looked for.
const maxUnlisted = 4 << 20

// unlisted finds those blocks; nil where no entry is lost, or none of the blocks is found.
func (s losing) unlisted() *remains {
	if len(s.stream.cols) == 0 || int64(len(s.stream.cols)) != s.stream.columnCount || s.stream.rows <= 0 {
		return nil
	}
	first := s.stream.cols[0]
	groups, columns := first.blocks, int64(len(s.stream.cols))
	if groups <= 0 || groups > maxShifted/columns || first.rpb <= 0 || int64(len(s.stream.blocks)) >= groups*columns {
		return nil
	}
	r := s.remains(first.rpb, s.stream.rows)
	r.instead = true
	tables := int64(math.MaxInt64)
	for i, c := range s.stream.cols {
		if c.blocks != groups || c.rpb != first.rpb || c.lookup < headerSize {
			return nil
		}
		tables = min(tables, c.lookup)
		r.of.cols = append(r.of.cols, &column{index: i, name: c.name, codec: c.codec, compression: c.compression, compressionAt: c.compressionAt,
			listed: s.entries(c, i, groups)})
	}
	if !s.between(r, int(groups), tables) {
		return nil
	}
	return r
}

// entries are those of a column that can be; the others have no bytes.
func (s losing) entries(c *column, i int, groups int64) []extent {
	out := make([]extent, groups)
	b := s.peek(s.stream.base+c.lookup, 16*groups)
	for k := range out {
		if out[k] = (extent{col: int32(i), k: int32(k)}); len(b) >= 16*(k+1) {
			if e := decodeEntry(b[16*k:], i, int64(k)); possible(e, s.stream.bound) {
				out[k] = e
			}
		}
	}
	return out
}

// ordered are the entries in the order in which blocks are written, and whether they stand in it. One that does not, and leads to no block of
// its column, was written over in a part.
func (s losing) ordered(r *remains, groups int) (order []*extent, ok bool) {
	s.doubt(r)
	var known []*extent
	for k := range groups {
		for _, c := range r.of.cols {
			e := &c.listed[k]
			order = append(order, e)
			for e.n > 0 && len(known) > 0 && e.off < known[len(known)-1].end() {
				switch last := known[len(known)-1]; {
				case !s.leads(r, last):
					last.n, known = 0, known[:len(known)-1]
				case !s.leads(r, e):
					e.n = 0
				default:
					return nil, false
				}
			}
			if e.n > 0 {
				known = append(known, e)
			}
		}
	}
	return order, true
}

// doubt drops what is left of entries at the ends of what was written over: those that lead to no block, of columns that lack entries and of
// their neighbours.
func (s losing) doubt(r *remains) {
	lacks := make([]bool, len(r.of.cols)+2)
	for i, c := range r.of.cols {
		lacks[i+1] = slices.ContainsFunc(c.listed, func(e extent) bool { return e.n == 0 })
	}
	for i, c := range r.of.cols {
		for k := range c.listed {
			if e := &c.listed[k]; e.n > 0 && (lacks[i] || lacks[i+1] || lacks[i+2]) && !s.leads(r, e) {
				e.n = 0
			}
		}
	}
}

// leads tells whether an entry leads to a block of its column.
func (s losing) leads(r *remains, e *extent) bool {
	c := r.of.cols[e.col]
	b, err := s.held(c, *e)
	return err == nil && c.readable() && block.Fits(c.codec, b, min(r.rpb, r.of.rows-int64(e.k)*r.rpb))
}

// between looks for the blocks without an entry, in the order in which they were written, and tells whether it found any.
func (s losing) between(r *remains, groups int, tables int64) (found bool) {
	order, ok := s.ordered(r, groups)
	if !ok {
		return false
	}
	at := int64(headerSize)
	for i, e := range order {
		if e.n > 0 {
			at = e.end()
			continue
		}
		until, alone := tables, i+1 == len(order)
		for j := i + 1; j < len(order); j++ {
			if order[j].n > 0 {
				until, alone = order[j].off, j == i+1
				break
			}
		}
		if at > 0 && s.stands(r, e, at, until, alone) {
			found, at = true, e.end()
		} else {
			at = 0 // until the next that is known
		}
	}
	return found
}

// stands tells whether a block stands at an offset, and how long it is. Alone it is all that stands there.
func (s losing) stands(r *remains, e *extent, at, until int64, alone bool) bool {
	c := s.stream.cols[e.col]
	rows := min(r.rpb, r.of.rows-int64(e.k)*r.rpb)
	if until <= at || until-at > maxUnlisted || rows <= 0 || !c.codec.Readable() || s.ctx.Err() != nil {
		return false
	}
	sh := shape{codec: c.codec, compression: c.compression, rows: rows, declared: -1, at: model.Range{Space: s.stream.space, Off: s.stream.base + at,
		Len: until - at}}
	if width := c.codec.Kind.Width(); c.compression != 1 && !alone {
		if sh.declared = width * rows; width <= 0 {
			return false
		}
	}
	b, n, ok := s.try(sh)
	if !ok {
		return false
	}
	e.off, e.n, e.dec = at, int32(n), int32(len(b))
	return true
}
