package idv

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/inflate"
)

// A writer leaves 256 zero bytes for the header and fills them in last, so a save that was cut short leaves blocks and mostly
// no directory (§1.1). Where the directory is there, only the header is missing; where the blocks are deflated, their ends
// can be found, and a directory with guessed types can be made.

// salvageFixes offer to rebuild what an unfinished save did not write.
func (s *stream) salvageFixes(peek func(off, n int64) []byte) []model.Fix {
	from := max(headerSize, s.size-(64<<10))
	if bytes.Contains(peek(s.base+from, s.size-from), binary.LittleEndian.AppendUint64(nil, tailSignature)) {
		return []model.Fix{{Label: "write the header for the directory that is there", Build: s.salvageHeader}}
	}
	if s.size <= headerSize {
		return nil
	}
	return []model.Fix{{Label: "build a directory of the blocks, with types as they seem", Build: s.salvageBlocks}}
}

// header bytes of a stream with its directory and tail in place.
func headerBytes(version uint64, toc, tail, rows int64, columns int) []byte {
	b := make([]byte, 0, headerSize)
	for _, v := range []uint64{headSignature, version, version, uint64(toc), uint64(tail), uint64(rows)} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(columns))
	return b[:headerSize]
}

func (s *stream) salvageHeader(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
	peek := peeker(ctx, t, s.space)
	tail := s.tailNear(ctx, t)
	toc, ok := s.searchTOC(peek, tail)
	if !ok {
		return nil, fmt.Errorf("no column directory ends at a tail signature")
	}
	try := &stream{base: s.base, size: tail, space: s.space, tail: tail, toc: toc, bound: tail, layout: 6}
	try.columnCount = try.countColumns(peek, toc)
	try.readTOC(try.reader(peek, toc, func(finding) {}))
	try.findStarts()
	version := uint64(versionBase + 6)
	for _, c := range try.cols {
		if len(c.codec.Name) > 2 && c.codec.Name[:2] == "Dv" {
			version = versionBase + 5
		}
	}
	rows, err := try.countRows(ctx, t)
	if err != nil {
		rows = 0
	}
	head := headerBytes(version, toc, tail, rows, len(try.cols))
	return []model.Edit{model.Replace(model.Range{Space: s.space, Off: s.base, Len: headerSize}, head)}, nil
}

// finds is a deflated block that was found by inflating.
type finds struct {
	off   int64
	n     int
	b     []byte
	class string // what tells blocks of one column from those of another
}

// maxSalvage is how many decoded bytes are looked at.
const maxSalvage = 1 << 30

// findDeflated walks deflate streams from the header on.
func (s *stream) findDeflated(ctx context.Context, peek func(off, n int64) []byte) (out []finds) {
	total, window := 0, int64(1<<16)
	for off := int64(headerSize); off < s.size && total < maxSalvage; {
		in := peek(s.base+off, min(s.size-off, window))
		b, how := inflate.Into(ctx, nil, in, inflate.Request{Framing: inflate.Raw, Want: maxSalvage / 4})
		err, n := how.Err, len(in)-int(how.Spare)
		if err != nil && window < s.size-off && window < 1<<30 {
			window *= 4 // the block may be longer than what was looked at
			continue
		}
		if err != nil || len(b) == 0 || n < 3 {
			return out
		}
		total += len(b)
		out = append(out, finds{off: off, n: n, b: b})
		off, window = off+int64(n), max(1<<16, 4*int64(n))
	}
	return out
}

// carved is what the blocks of a stream without a directory seem to be.
type carved struct {
	found           []finds
	definitions     [][]byte // of each block
	columns, groups int
	rpb, rows       int64
}

// carveBlocks finds deflated blocks and guesses what they hold. What the header still says of rows and columns is believed where the
// blocks allow it.
func (s *stream) carveBlocks(ctx context.Context, t *model.Tree) (*carved, error) {
	c := &carved{found: s.findDeflated(ctx, peeker(ctx, t, s.space))}
	if len(c.found) == 0 {
		return nil, fmt.Errorf("no deflated block starts behind the header")
	}
	last := int64(0) // rows of the last block that says how many
	own := make([]int64, len(c.found))
	for i, f := range c.found {
		if own[i] = block.SaysCount(f.b); own[i] > 0 {
			c.rpb, last = max(c.rpb, own[i]), own[i]
		}
	}
	if c.rpb == 0 && s.rows > 0 && s.rows <= 1<<20 && int64(len(c.found)) <= s.columnCount {
		c.rpb = s.rows
	}
	if c.rpb == 0 {
		if c.rpb = guessRows(c.found); c.rpb == 0 {
			return nil, fmt.Errorf("the blocks do not tell how many rows they have")
		}
	}
	for i := range c.found {
		n := c.rpb
		if own[i] > 0 {
			n = own[i]
		}
		definition, class := block.Guess(c.found[i].b, n)
		if definition == nil && last > 0 {
			definition, class = block.Guess(c.found[i].b, last)
		}
		if definition == nil { // from here on these are no blocks
			c.found, own = c.found[:i], own[:i]
			break
		}
		c.found[i].class = class
		c.definitions = append(c.definitions, definition)
	}
	if len(c.found) == 0 {
		return nil, fmt.Errorf("the blocks behind the header have no form that is known")
	}
	if c.columns = period(c.found); s.columnCount > 0 && s.columnCount <= int64(len(c.found)) {
		c.columns = int(s.columnCount)
	}
	c.groups = len(c.found) / c.columns
	c.rows = int64(c.groups) * c.rpb
	for i := (c.groups - 1) * c.columns; i < c.groups*c.columns; i++ {
		if own[i] > 0 {
			c.rows += own[i] - c.rpb
			break
		}
	}
	return c, nil
}

func (s *stream) salvageBlocks(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
	c, err := s.carveBlocks(ctx, t)
	if err != nil {
		return nil, err
	}
	return s.directoryFor(c.found, c.definitions, c.columns, c.groups, c.rpb, c.rows), nil
}

// directoryFor writes lookup tables, a directory and a tail behind the stream, and the header.
func (s *stream) directoryFor(found []finds, codecs [][]byte, columns, groups int, rpb, rows int64) []model.Edit {
	var out, toc []byte
	put64, put32 := binary.LittleEndian.AppendUint64, binary.LittleEndian.AppendUint32
	for c := range columns {
		lookup := s.size + int64(len(out))
		for k := range groups {
			f := found[k*columns+c]
			out = put32(put32(put64(out, uint64(f.off)), uint32(f.n)), uint32(len(f.b)))
		}
		toc = append(appendText(toc, fmt.Sprintf("Column%d", c)), codecs[c]...)
		toc = binary.AppendUvarint(append(toc, 1), uint64(rpb))
		toc = put64(put64(toc, uint64(lookup)), 0)
	}
	at := s.size + int64(len(out))
	out = append(out, toc...)
	tail := s.size + int64(len(out))
	out = put64(out, tailSignature)
	return []model.Edit{
		model.Splice{Range: model.Range{Space: s.space, Off: s.base + s.size}, With: model.Memory(out), Into: s.root.Path()},
		model.Replace(model.Range{Space: s.space, Off: s.base, Len: headerSize}, headerBytes(versionBase+6, at, tail, rows, columns)),
	}
}

// period is the number of columns: the shortest period in what the blocks seem to be. The last ones may be shorter.
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

// guessRows is the row count of blocks of which none says its own: the largest that gives each a whole width.
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
