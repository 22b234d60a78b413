package idv

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"spandrel/model"
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

func (s *stream) salvageHeader(_ context.Context, t *model.Tree) ([]model.Edit, error) {
	peek := peeker(t, s.space)
	tail := s.tailNear(t)
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
		if len(c.codec.name.s) > 2 && c.codec.name.s[:2] == "Dv" {
			version = versionBase + 5
		}
	}
	rows, err := try.countRows(t)
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
func (s *stream) findDeflated(peek func(off, n int64) []byte) (out []finds) {
	total, window := 0, int64(1<<16)
	for off := int64(headerSize); off < s.size && total < maxSalvage; {
		in := peek(s.base+off, min(s.size-off, window))
		b, how := inflate.Into(context.Background(), nil, in, inflate.Request{Framing: inflate.Raw, Want: maxSalvage / 4})
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

func (s *stream) salvageBlocks(_ context.Context, t *model.Tree) ([]model.Edit, error) {
	found := s.findDeflated(peeker(t, s.space))
	if len(found) == 0 {
		return nil, fmt.Errorf("no deflated block starts behind the header")
	}
	rows, last := int64(0), int64(0) // in a block, and in the last one of each column
	own := make([]int64, len(found))
	for i, f := range found {
		if own[i] = saysCount(f.b); own[i] > 0 {
			rows, last = max(rows, own[i]), own[i]
		}
	}
	if rows == 0 {
		if rows = guessRows(found); rows == 0 {
			return nil, fmt.Errorf("the blocks do not tell how many rows they have")
		}
	}
	codecs := make([][]byte, len(found))
	for i := range found {
		n := rows
		if own[i] > 0 {
			n = own[i]
		}
		if codecs[i], found[i].class = guess(found[i].b, n); codecs[i] == nil && last > 0 {
			codecs[i], found[i].class = guess(found[i].b, last)
		}
		if codecs[i] == nil {
			return nil, fmt.Errorf("the block at 0x%x has no form that is known", s.base+found[i].off)
		}
	}
	columns := period(found)
	groups := len(found) / columns
	total := int64(groups) * rows
	for i := (groups - 1) * columns; i < groups*columns; i++ {
		if own[i] > 0 {
			total += own[i] - rows
			break
		}
	}
	return s.directoryFor(found, codecs, columns, groups, rows, total), nil
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

// saysCount returns the number of values of a block that says it itself: of texts or of vectors; 0 when it is neither.
func saysCount(b []byte) int64 {
	if len(b) < 5 {
		return 0
	}
	n := int64(int32(binary.LittleEndian.Uint32(b)))
	if n <= 0 || n > int64(len(b))/4 {
		return 0
	}
	if codec, _ := guessText(b, n); codec != nil {
		return n
	}
	if codec, _ := guessVector(b, n); codec != nil {
		return n
	}
	return 0
}

func simple(name string) []byte { return append(appendText(nil, name), 0) }

func guessText(b []byte, n int64) ([]byte, string) {
	bad := false
	k := &checker{b: b, report: func(f finding) { bad = bad || rules[f.rule].Severity == model.Error }}
	if !k.text(n) || bad || k.pos != int64(len(b)) {
		return nil, ""
	}
	return simple("TextSpan"), "text"
}

// guessVector takes a block for one of vectors when all that precedes the items agrees.
func guessVector(b []byte, n int64) ([]byte, string) {
	l := &layout{b: b}
	l.vector(&codec{kind: kindVector, item: &codec{}})
	bad := false
	k := &checker{b: b, report: func(f finding) { bad = bad || rules[f.rule].Severity == model.Error }}
	k.vectors(&codec{kind: kindVector, item: &codec{}}, n)
	if bad || len(b) < 12 || k.pos > int64(len(b)) {
		return nil, ""
	}
	size := int64(int32(binary.LittleEndian.Uint32(b[4:])))
	ix := &index{codec: &codec{kind: kindVector, item: &codec{}}, b: b, n: n}
	ix.read(&checker{b: b, report: func(finding) {}}, 0)
	if ix.itemStart == nil {
		return nil, ""
	}
	items := ix.itemStart[n]
	item, class := guessText(b[k.pos:], items)
	if item == nil {
		item, class = guessNumbers(b[k.pos:], items)
	}
	if item == nil {
		return nil, ""
	}
	params := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(bytes.Clone(item), 1), uint32(max(0, size)))
	codec := binary.AppendUvarint(appendText(nil, "VBuffer"), uint64(len(params)))
	return append(codec, params...), fmt.Sprintf("vector of %s, %d", class, size)
}

// guess takes n values for the type that fits their bytes best.
func guess(b []byte, n int64) (codec []byte, class string) {
	if len(b) >= 5 && n >= 0 {
		if codec, class = guessText(b, n); codec != nil {
			return codec, class
		}
		if codec, class = guessVector(b, n); codec != nil && n > 0 && int64(int32(binary.LittleEndian.Uint32(b))) == n {
			return codec, class
		}
	}
	return guessNumbers(b, n)
}

func guessNumbers(b []byte, n int64) (codec []byte, class string) {
	if n <= 0 {
		return nil, ""
	}
	name := ""
	switch size := int64(len(b)); {
	case size == n:
		name = "Byte"
	case size == 2*n:
		name = "Int16"
	case size == 4*n && likeFloats(b, 4):
		name = "Single"
	case size == 4*n:
		name = "Int32"
	case size == 8*n && likeFloats(b, 8):
		name = "Double"
	case size == 8*n:
		name = "Int64"
	case size == 10*n:
		name = "DateTimeOffset"
	case size == 16*n:
		name = "DataViewRowId"
	case size == plainBytes(kindBool, n):
		name = "Boolean"
	default:
		return nil, ""
	}
	if name == "Boolean" {
		return simple(name), name
	}
	return simple(name), fmt.Sprintf("%d bytes", int64(len(b))/n)
}

// likeFloats tells whether numbers look like floats: nearly all are 0 or of a size that people use.
func likeFloats(b []byte, w int) bool {
	good, all := 0, 0
	for ; len(b) >= w && all < 4096; b = b[w:] {
		v := math.Float64frombits(uint64(signed(b, int64(w))))
		if w == 4 {
			v = float64(math.Float32frombits(uint32(signed(b, 4))))
		}
		a := math.Abs(v)
		if all++; v == 0 || math.IsNaN(v) || a > 1e-9 && a < 1e12 {
			good++
		}
	}
	return good*10 >= all*9
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
