package model

import (
	"io"
	"sort"
)

// Content is the bytes of one file in one state: an immutable list of pieces of Sources. An edit makes a new Content that
// shares the unchanged pieces, so an undo entry is a pointer and filling a gigabyte copies nothing.
type Content struct {
	pieces []piece
	ends   []int64 // ends[i] is where piece i ends
}

// piece is n bytes of src from at.
type piece struct {
	src Source
	at  int64
	n   int64
}

// NewContent is all of a source.
func NewContent(src Source) *Content { return join([]piece{{src, 0, src.Len()}}) }

// BytesContent is a Content of b without a copy; no one may change b afterwards.
func BytesContent(b []byte) *Content { return NewContent(Memory(b)) }

func join(ps []piece) *Content {
	c := &Content{}
	var end int64
	for _, p := range ps {
		if p.n > 0 {
			end += p.n
			c.pieces, c.ends = append(c.pieces, p), append(c.ends, end)
		}
	}
	return c
}

// Len returns the number of bytes.
func (c *Content) Len() int64 {
	if len(c.ends) == 0 {
		return 0
	}
	return c.ends[len(c.ends)-1]
}

// find returns the piece that contains off and the offset at which it starts.
func (c *Content) find(off int64) (i int, start int64) {
	i = sort.Search(len(c.ends), func(i int) bool { return c.ends[i] > off })
	if i > 0 {
		start = c.ends[i-1]
	}
	return i, start
}

// ReadAt copies bytes across pieces; it follows io.ReaderAt.
func (c *Content) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 || off >= c.Len() {
		return 0, io.EOF
	}
	for i, start := c.find(off); n < len(p) && i < len(c.pieces); i++ {
		pc := c.pieces[i]
		skip := off + int64(n) - start
		want := min(int64(len(p)-n), pc.n-skip)
		m, err := pc.src.ReadAt(p[n:n+int(want)], pc.at+skip)
		if n += m; int64(m) < want {
			if err == nil || err == io.EOF {
				err = ErrShrunk
			}
			return n, err
		}
		start = c.ends[i]
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// view returns n bytes at off, without a copy if they are in one piece. The caller has checked the range and runs under
// Guard.
func (c *Content) view(off, n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	i, start := c.find(off)
	if i < len(c.pieces) {
		if v, ok := c.pieces[i].src.(viewer); ok && off+n <= c.ends[i] {
			return v.View(c.pieces[i].at+off-start, n), nil
		}
	}
	b := make([]byte, n)
	_, err := c.ReadAt(b, off)
	return b, err
}

// Splice replaces del bytes at off by those of ins (nil for none) and returns the new content; c stays unchanged.
func (c *Content) Splice(off, del int64, ins Source) *Content {
	out := c.part(nil, 0, off)
	if ins != nil {
		out = append(out, piece{ins, 0, ins.Len()})
	}
	return join(c.part(out, off+del, c.Len()))
}

// part appends the pieces of [from, to) to out.
func (c *Content) part(out []piece, from, to int64) []piece {
	for i, start := c.find(from); i < len(c.pieces) && start < to; i++ {
		p, lo, hi := c.pieces[i], max(from, start), min(to, c.ends[i])
		out = append(out, piece{p.src, p.at + lo - start, hi - lo})
		start = c.ends[i]
	}
	return out
}

// scanAhead is how far ahead of a scan pages are requested; it is a multiple of every system's page size.
const scanAhead = 8 << 20

// willNeed requests the pages of mapped files that a scan will read after off, once for every scanAhead bytes.
func (c *Content) willNeed(off, step int64) {
	if off/scanAhead == (off-step)/scanAhead && off >= step {
		return
	}
	i, start := c.find(off)
	if i == len(c.pieces) {
		return
	}
	if f, ok := c.pieces[i].src.(*File); ok && f.data != nil && !f.copied {
		from := (c.pieces[i].at + off - start) &^ (1<<16 - 1)
		adviseWillNeed(f.data[from:min(from+2*scanAhead, int64(len(f.data)))])
	}
}
