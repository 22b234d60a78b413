package parsers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/flate"

	"spandrel/model"
)

// A writer leaves 256 zero bytes for the header and fills them in last, so a save that was cut short leaves blocks and mostly
// no directory (§1.1). Where the directory is there, only the header is missing; where the blocks are deflated, their ends
// can be found, and a directory with guessed types can be made.

// salvageFixes offer to rebuild what an unfinished save did not write.
func (s *idvStream) salvageFixes(peek func(off, n int64) []byte) []model.Fix {
	from := max(idvHeaderSize, s.size-(64<<10))
	if bytes.Contains(peek(s.base+from, s.size-from), binary.LittleEndian.AppendUint64(nil, idvTailSignature)) {
		return []model.Fix{{Label: "write the header for the directory that is there", Build: s.salvageHeader}}
	}
	if s.size <= idvHeaderSize {
		return nil
	}
	return []model.Fix{{Label: "build a directory of the blocks, with types as they seem", Build: s.salvageBlocks}}
}

// header bytes of a stream with its directory and tail in place.
func idvHeaderBytes(version uint64, toc, tail, rows int64, columns int) []byte {
	b := make([]byte, 0, idvHeaderSize)
	for _, v := range []uint64{idvSignature, version, version, uint64(toc), uint64(tail), uint64(rows)} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(columns))
	return b[:idvHeaderSize]
}

func (s *idvStream) salvageHeader(t *model.Tree) ([]model.Edit, error) {
	peek := idvPeek(t, s.space)
	tail := s.tailNear(t)
	toc, ok := s.searchTOC(peek, tail)
	if !ok {
		return nil, fmt.Errorf("no column directory ends at a tail signature")
	}
	try := &idvStream{base: s.base, size: tail, space: s.space, tail: tail, toc: toc, bound: tail, layout: 6}
	try.columnCount = try.countColumns(peek, toc)
	try.readTOC(try.reader(peek, toc, func(idvFinding) {}))
	try.findStarts()
	version := uint64(idvVersion + 6)
	for _, c := range try.cols {
		if len(c.codec.name.s) > 2 && c.codec.name.s[:2] == "Dv" {
			version = idvVersion + 5
		}
	}
	rows, err := try.countRows(t)
	if err != nil {
		rows = 0
	}
	head := idvHeaderBytes(version, toc, tail, rows, len(try.cols))
	return []model.Edit{model.Replace(model.Range{Space: s.space, Off: s.base, Len: idvHeaderSize}, head)}, nil
}

// idvFound is a deflated block that was found by inflating.
type idvFound struct {
	off   int64
	n     int
	b     []byte
	class string // what tells blocks of one column from those of another
}

// idvMaxSalvage is how many decoded bytes are looked at.
const idvMaxSalvage = 1 << 30

// findDeflated walks deflate streams from the header on.
func (s *idvStream) findDeflated(peek func(off, n int64) []byte) (out []idvFound) {
	total, window := 0, int64(1<<16)
	for off := int64(idvHeaderSize); off < s.size && total < idvMaxSalvage; {
		in := peek(s.base+off, min(s.size-off, window))
		src := bytes.NewReader(in)
		b, err := io.ReadAll(io.LimitReader(flate.NewReader(src), idvMaxSalvage/4))
		n := len(in) - src.Len()
		if err != nil && window < s.size-off && window < 1<<30 {
			window *= 4 // the block may be longer than what was looked at
			continue
		}
		if err != nil || len(b) == 0 || n < 3 {
			return out
		}
		total += len(b)
		out = append(out, idvFound{off: off, n: n, b: b})
		off, window = off+int64(n), max(1<<16, 4*int64(n))
	}
	return out
}

func (s *idvStream) salvageBlocks(t *model.Tree) ([]model.Edit, error) {
	found := s.findDeflated(idvPeek(t, s.space))
	if len(found) == 0 {
		return nil, fmt.Errorf("no deflated block starts behind the header")
	}
	rows, last := int64(0), int64(0) // in a block, and in the last one of each column
	own := make([]int64, len(found))
	for i, f := range found {
		if own[i] = idvSaysCount(f.b); own[i] > 0 {
			rows, last = max(rows, own[i]), own[i]
		}
	}
	if rows == 0 {
		if rows = idvGuessRows(found); rows == 0 {
			return nil, fmt.Errorf("the blocks do not tell how many rows they have")
		}
	}
	codecs := make([][]byte, len(found))
	for i := range found {
		n := rows
		if own[i] > 0 {
			n = own[i]
		}
		if codecs[i], found[i].class = idvGuess(found[i].b, n); codecs[i] == nil && last > 0 {
			codecs[i], found[i].class = idvGuess(found[i].b, last)
		}
		if codecs[i] == nil {
			return nil, fmt.Errorf("the block at 0x%x has no form that is known", s.base+found[i].off)
		}
	}
	columns := idvPeriod(found)
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
func (s *idvStream) directoryFor(found []idvFound, codecs [][]byte, columns, groups int, rpb, rows int64) []model.Edit {
	var out, toc []byte
	put64, put32 := binary.LittleEndian.AppendUint64, binary.LittleEndian.AppendUint32
	for c := range columns {
		lookup := s.size + int64(len(out))
		for k := range groups {
			f := found[k*columns+c]
			out = put32(put32(put64(out, uint64(f.off)), uint32(f.n)), uint32(len(f.b)))
		}
		toc = append(idvAppendText(toc, fmt.Sprintf("Column%d", c)), codecs[c]...)
		toc = binary.AppendUvarint(append(toc, 1), uint64(rpb))
		toc = put64(put64(toc, uint64(lookup)), 0)
	}
	at := s.size + int64(len(out))
	out = append(out, toc...)
	tail := s.size + int64(len(out))
	out = put64(out, idvTailSignature)
	return []model.Edit{
		{Range: model.Range{Space: s.space, Off: s.base + s.size}, With: model.Memory(out), Into: s.root.Path()},
		model.Replace(model.Range{Space: s.space, Off: s.base, Len: idvHeaderSize}, idvHeaderBytes(idvVersion+6, at, tail, rows, columns)),
	}
}

// idvPeriod is the number of columns: the shortest period in what the blocks seem to be. The last ones may be shorter.
func idvPeriod(found []idvFound) int {
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

// idvSaysCount returns the number of values of a block that says it itself: of texts or of vectors; 0 when it is neither.
func idvSaysCount(b []byte) int64 {
	if len(b) < 5 {
		return 0
	}
	n := int64(int32(binary.LittleEndian.Uint32(b)))
	if n <= 0 || n > int64(len(b))/4 {
		return 0
	}
	if codec, _ := idvGuessText(b, n); codec != nil {
		return n
	}
	if codec, _ := idvGuessVector(b, n); codec != nil {
		return n
	}
	return 0
}

func idvSimple(name string) []byte { return append(idvAppendText(nil, name), 0) }

func idvGuessText(b []byte, n int64) ([]byte, string) {
	bad := false
	k := &idvChecker{b: b, report: func(f idvFinding) { bad = bad || idvRules[f.rule].Severity == model.Error }}
	if !k.text(n) || bad || k.pos != int64(len(b)) {
		return nil, ""
	}
	return idvSimple("TextSpan"), "text"
}

// idvGuessVector takes a block for one of vectors when all that precedes the items agrees.
func idvGuessVector(b []byte, n int64) ([]byte, string) {
	l := &idvLayout{b: b}
	l.vector(&idvCodec{kind: idvVector, item: &idvCodec{}})
	bad := false
	k := &idvChecker{b: b, report: func(f idvFinding) { bad = bad || idvRules[f.rule].Severity == model.Error }}
	k.vectors(&idvCodec{kind: idvVector, item: &idvCodec{}}, n)
	if bad || len(b) < 12 || k.pos > int64(len(b)) {
		return nil, ""
	}
	size := int64(int32(binary.LittleEndian.Uint32(b[4:])))
	ix := &idvIndex{codec: &idvCodec{kind: idvVector, item: &idvCodec{}}, b: b, n: n}
	ix.read(&idvChecker{b: b, report: func(idvFinding) {}}, 0)
	if ix.itemStart == nil {
		return nil, ""
	}
	items := ix.itemStart[n]
	item, class := idvGuessText(b[k.pos:], items)
	if item == nil {
		item, class = idvGuessNumbers(b[k.pos:], items)
	}
	if item == nil {
		return nil, ""
	}
	params := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(bytes.Clone(item), 1), uint32(max(0, size)))
	codec := binary.AppendUvarint(idvAppendText(nil, "VBuffer"), uint64(len(params)))
	return append(codec, params...), fmt.Sprintf("vector of %s, %d", class, size)
}

// idvGuess takes n values for the type that fits their bytes best.
func idvGuess(b []byte, n int64) (codec []byte, class string) {
	if len(b) >= 5 && n >= 0 {
		if codec, class = idvGuessText(b, n); codec != nil {
			return codec, class
		}
		if codec, class = idvGuessVector(b, n); codec != nil && n > 0 && int64(int32(binary.LittleEndian.Uint32(b))) == n {
			return codec, class
		}
	}
	return idvGuessNumbers(b, n)
}

func idvGuessNumbers(b []byte, n int64) (codec []byte, class string) {
	if n <= 0 {
		return nil, ""
	}
	name := ""
	switch size := int64(len(b)); {
	case size == n:
		name = "Byte"
	case size == 2*n:
		name = "Int16"
	case size == 4*n && idvLikeFloats(b, 4):
		name = "Single"
	case size == 4*n:
		name = "Int32"
	case size == 8*n && idvLikeFloats(b, 8):
		name = "Double"
	case size == 8*n:
		name = "Int64"
	case size == 10*n:
		name = "DateTimeOffset"
	case size == 16*n:
		name = "DataViewRowId"
	case size == idvBytes(idvBool, n):
		name = "Boolean"
	default:
		return nil, ""
	}
	if name == "Boolean" {
		return idvSimple(name), name
	}
	return idvSimple(name), fmt.Sprintf("%d bytes", int64(len(b))/n)
}

// idvLikeFloats tells whether numbers look like floats: nearly all are 0 or of a size that people use.
func idvLikeFloats(b []byte, w int) bool {
	good, all := 0, 0
	for ; len(b) >= w && all < 4096; b = b[w:] {
		v := math.Float64frombits(uint64(idvSigned(b, int64(w))))
		if w == 4 {
			v = float64(math.Float32frombits(uint32(idvSigned(b, 4))))
		}
		a := math.Abs(v)
		if all++; v == 0 || math.IsNaN(v) || a > 1e-9 && a < 1e12 {
			good++
		}
	}
	return good*10 >= all*9
}

// idvGuessRows is the row count of blocks of which none says its own: the largest that gives each a whole width.
func idvGuessRows(found []idvFound) int64 {
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
