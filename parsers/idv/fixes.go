package idv

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"spandrel/model"
)

// setField is the fix that writes a number of fixed width at an offset of the stream.
func (s *stream) setField(label string, off int64, codec model.Codec, v int64) []model.Fix {
	b, err := codec.Encode(model.I(v))
	if err != nil {
		return nil
	}
	at := model.Range{Space: s.space, Off: s.base + off, Len: int64(len(b))}
	return []model.Fix{{Label: label, Edits: []model.Edit{model.Replace(at, b)}}}
}

// rowFixes derive the row count from the lookup tables and the last block, columnFixes the column count from the entries that
// can be read. They look at the file only when somebody asks.
func (s *stream) rowFixes() []model.Fix {
	return []model.Fix{{Label: "count the rows of the blocks", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		n, err := s.countRows(t)
		if err != nil {
			return nil, err
		}
		return s.setField("", 40, model.I64LE, n)[0].Edits, nil
	}}}
}

func (s *stream) columnFixes() []model.Fix {
	return []model.Fix{{Label: "count the column entries", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		n := s.countColumns(peeker(t, s.space), s.toc)
		if n <= 0 {
			return nil, fmt.Errorf("no column entries end at the tail")
		}
		return s.setField("", 48, model.I32LE, n)[0].Edits, nil
	}}}
}

// tocFixes look for a column directory that ends at the tail.
func (s *stream) tocFixes() []model.Fix {
	return []model.Fix{{Label: "search the column directory", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		off, ok := s.searchTOC(peeker(t, s.space), s.tailNear(t))
		if !ok {
			return nil, fmt.Errorf("no directory of %d columns ends at the tail", s.columnCount)
		}
		return s.setField("", 24, model.I64LE, off)[0].Edits, nil
	}}}
}

// tailFixes repoint the header to a tail signature, or write one where the directory ends.
func (s *stream) tailFixes(peek func(off, n int64) []byte) (out []model.Fix) {
	from := max(0, s.size-(64<<10))
	if i := bytes.LastIndex(peek(s.base+from, s.size-from), binary.LittleEndian.AppendUint64(nil, tailSignature)); i >= 0 {
		out = s.setField("point to the tail signature", 32, model.I64LE, from+int64(i))
	}
	if s.tail >= headerSize && s.tail <= s.size-8 {
		sig := binary.LittleEndian.AppendUint64(nil, tailSignature)
		out = append(out, model.Fix{Label: "write the tail signature", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
			if s.tocEnd != s.tail {
				return nil, fmt.Errorf("the column directory does not end at 0x%x", s.base+s.tail)
			}
			return []model.Edit{model.Replace(model.Range{Space: s.space, Off: s.base + s.tail, Len: 8}, sig)}, nil
		}})
	}
	return out
}

func peeker(t *model.Tree, space model.SpaceID) func(off, n int64) []byte {
	return func(off, n int64) []byte {
		size, err := t.Size(background, space)
		if err != nil || off < 0 || off >= size {
			return nil
		}
		b, _ := t.Bytes(background, model.Range{Space: space, Off: off, Len: min(n, size-off)})
		return b
	}
}

// searchBack is how far from the end signatures and directories are searched.
const searchBack = 16 << 20

// tailNear returns where the last tail signature is, or -1.
func (s *stream) tailNear(t *model.Tree) int64 {
	from := max(headerSize, s.size-searchBack)
	b := peeker(t, s.space)(s.base+from, s.size-from)
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
		r := one.reader(window, from+int64(i), func(f finding) { bad = bad || rules[f.rule].Severity == model.Error })
		one.readTOC(r)
		if len(one.cols) == 0 || bad || !one.cols[0].plausible(tail) || s.columnCount <= 0 && !one.cols[0].codec.readable() {
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
	return c.name.n > 0 && utf8.ValidString(c.name.s) && c.codec.name.n > 0 && utf8.ValidString(c.codec.name.s) && c.compression <= 2 && c.rpb > 0 &&
		c.lookup >= headerSize && c.lookup < tail && (c.meta == 0 || c.meta >= headerSize && c.meta < tail)
}

// dropEntry takes a metadata entry out of its directory.
func (s *stream) dropEntry(c *column, m *metadata) []model.Fix {
	return []model.Fix{{Label: "drop the entry", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		ch := s.change(t)
		ch.drop[s.base+m.entry[0]] = true
		return ch.edits()
	}}}
}

// countRows finds the row count that the lookup tables and the last block's own count say: a column of texts or vectors, whose
// blocks know how many values they have, or one of fixed width.
func (s *stream) countRows(t *model.Tree) (int64, error) {
	for _, c := range s.cols {
		if !c.readable() || c.rpb <= 0 {
			continue
		}
		n := (s.tableEnd(c) - c.lookup) / 16
		if n <= 0 || n > 1<<31-1 {
			continue
		}
		if last := s.ownRows(t, c, n-1); last > 0 && last <= c.rpb {
			return (n-1)*c.rpb + last, nil
		}
	}
	return 0, fmt.Errorf("no column tells how many rows there are")
}

// ownCount is how many values a decoded block says, or seems, to hold; 0 when that cannot be told.
func ownCount(c *codec, b []byte) int64 {
	switch base := c.base(); {
	case (base == kindText || base == kindVector) && len(b) >= 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	case base == kindDateZone:
		return int64(len(b)) / 10
	case base.width() > 0:
		return int64(len(b)) / base.width()
	}
	return 0
}
