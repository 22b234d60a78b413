package idv

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"spandrel/model"
)

// Where the numbers of the header stand (§1.1).
const (
	directoryAt = 24
	tailAt      = 32
	rowsAt      = 40
	columnsAt   = 48
)

// setField is the edit that writes a number of fixed width at an offset of the stream.
func (s *stream) setField(off int64, codec model.Codec, v int64) []model.Edit {
	b, err := codec.Encode(model.I(v))
	if err != nil {
		return nil
	}
	return []model.Edit{model.Replace(model.Range{Space: s.space, Off: s.base + off, Len: int64(len(b))}, b)}
}

func peeker(ctx context.Context, t *model.Tree, space model.SpaceID) func(off, n int64) []byte {
	return func(off, n int64) []byte {
		size, err := t.Size(ctx, space)
		if err != nil || off < 0 || off >= size {
			return nil
		}
		b, _ := t.Bytes(ctx, model.Range{Space: space, Off: off, Len: min(n, size-off)})
		return b
	}
}

// searchBack is how far from the end signatures and directories are searched.
const searchBack = 16 << 20

// tailNear returns where the last tail signature is, or -1.
func (s *stream) tailNear(ctx context.Context, t *model.Tree) int64 {
	from := max(headerSize, s.size-searchBack)
	b := peeker(ctx, t, s.space)(s.base+from, s.size-from)
	if i := bytes.LastIndex(b, binary.LittleEndian.AppendUint64(nil, tailSignature)); i >= 0 {
		return from + int64(i)
	}
	return -1
}

// countColumns returns how many column entries lie between an offset and the tail, or -1 when they do not end there.
func (s *stream) countColumns(peek func(off, n int64) []byte, toc int64) int64 {
	if toc < headerSize || s.tail <= toc || s.tail > s.size {
		return -1
	}
	try := &stream{base: s.base, size: s.tail, tail: s.tail, columnCount: maxColumns, layout: 6}
	r := try.reader(peek, toc, func(finding) {})
	try.readTOC(r)
	if n := len(try.cols); n > 0 && try.cols[n-1].entry[0]+try.cols[n-1].entry[1] == s.tail {
		return int64(n)
	}
	return -1
}

// searchTOC looks backwards from the tail for a place from which columnCount sound entries lead to the tail exactly; without a
// count, for the furthest such place from which all codecs are known.
func (s *stream) searchTOC(peek func(off, n int64) []byte, tail int64) (int64, bool) {
	if tail < 0 {
		return 0, false
	}
	from := max(headerSize, tail-(1<<20))
	b := peek(s.base+from, tail-from)
	window := func(off, n int64) []byte {
		off -= s.base + from
		if off < 0 || off >= int64(len(b)) {
			return nil
		}
		return b[off:min(off+n, int64(len(b)))]
	}
	// reach[i] is how many entries lead from i to the tail; 0: none.
	reach, rpb := make([]int32, len(b)+1), map[int]int64{}
	best := int64(-1)
	for i := len(b) - 20; i >= 0; i-- {
		one := &stream{base: s.base, size: tail, tail: tail, columnCount: 1, layout: 6}
		bad := false
		r := one.reader(window, from+int64(i), func(f finding) { bad = bad || f.rule.Severity == model.Error })
		one.readTOC(r)
		if len(one.cols) == 0 || bad || !one.cols[0].plausible(tail) || s.columnCount <= 0 && !one.cols[0].codec.Readable() {
			continue
		}
		end := int(r.pos - s.base - from)
		switch {
		case end == len(b):
			reach[i] = 1
		case end < len(b) && reach[end] > 0 && one.cols[0].rpb == rpb[end]:
			reach[i] = reach[end] + 1
		}
		rpb[i] = one.cols[0].rpb
		if n := int64(reach[i]); n > 0 && (n == s.columnCount || s.columnCount <= 0) {
			best = from + int64(i)
			if n == s.columnCount {
				break
			}
		}
	}
	return best, best >= 0
}

// plausible tells whether an entry looks like one of a sound directory.
func (c *column) plausible(tail int64) bool {
	return c.name.n > 0 && utf8.ValidString(c.name.s) && c.codec.NameLen > 0 && utf8.ValidString(c.codec.Name) && c.compression <= 2 && c.rpb > 0 &&
		c.lookup >= headerSize && c.lookup < tail && (c.meta == 0 || c.meta >= headerSize && c.meta < tail)
}

// countRows finds the row count that the lookup tables and the last block's own count say.
func (s *stream) countRows(ctx context.Context, t *model.Tree) (int64, error) {
	for _, c := range s.cols {
		if n, err := s.columnRows(ctx, t, c); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("no column tells how many rows there are")
}
