package idv

import (
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
)

// Decoded blocks (§3.2 to §3.7).
var (
	decoded      = &model.Field{Name: "decoded", Doc: "the block inflated", Ref: "§3"}
	values       = &model.Field{Name: "values", Ref: "§3.2"}
	bits         = &model.Field{Name: "bits", Doc: "one bit a value, the lowest first", Ref: "§3.3"}
	bitsElem     = &model.Field{Name: "byte", Codec: model.U8, Show: model.ShowHex, Note: bitsNote, Ref: "§3.3"}
	bits2        = &model.Field{Name: "bits", Doc: "two bits a value: 0 false, 1 true, 2 missing", Ref: "§3.3"}
	bits2Elem    = &model.Field{Name: "word", Codec: model.U32LE, Show: model.ShowHex, Note: bitsNote, Ref: "§3.3"}
	entriesF     = &model.Field{Name: "entries", Codec: model.I32LE, Doc: "number of texts", Ref: "§3.4"}
	bounds       = &model.Field{Name: "bounds", Doc: "where each text ends, in UTF-16 units; the high bit says that it is missing", Ref: "§3.4"}
	bound        = &model.Field{Name: "bound", Codec: model.I32LE, Note: boundNote, Ref: "§3.4"}
	textLength   = &model.Field{Name: "textLength", Codec: model.ULEB31, Doc: "bytes of UTF-8", Ref: "§3.4"}
	textF        = &model.Field{Name: "text", Codec: model.UTF8, Doc: "all texts, one behind the other", Ref: "§3.4"}
	minutes      = &model.Field{Name: "offsetMinutes", Doc: "of each time zone", Ref: "§3.5"}
	minute       = &model.Field{Name: "minutes", Codec: model.I16LE, Ref: "§3.5"}
	ticks        = &model.Field{Name: "ticks", Doc: "local clock, 100 ns since year 1", Ref: "§3.5"}
	tick         = &model.Field{Name: "ticks", Codec: model.I64LE, Note: dateNote, Ref: "§3.5"}
	spanTick     = &model.Field{Name: "ticks", Codec: model.I64LE, Doc: "100 ns", Note: spanNote, Ref: "§3.2"}
	rowIDs       = model.NewRecord(&model.Field{Name: "low", Codec: model.U64LE, Ref: "§3.6"}, &model.Field{Name: "high", Codec: model.U64LE, Ref: "§3.6"})
	numVectors   = &model.Field{Name: "numVectors", Codec: model.I32LE, Ref: "§3.7"}
	sizeField    = &model.Field{Name: "size", Codec: model.I32LE, Doc: "length of every vector; 0: lengths follow", Ref: "§3.7"}
	lengthsField = &model.Field{Name: "lengths", Ref: "§3.7"}
	lengthElem   = &model.Field{Name: "length", Codec: model.I32LE, Ref: "§3.7"}
	countsField  = &model.Field{Name: "counts", Doc: "explicit items of each vector; -1: all", Ref: "§3.7"}
	countElem    = &model.Field{Name: "count", Codec: model.I32LE, Note: countNote, Ref: "§3.7"}
	numIndices   = &model.Field{Name: "numIndices", Codec: model.I32LE, Doc: "explicit items of all sparse vectors", Ref: "§3.7"}
	indicesField = &model.Field{Name: "indices", Ref: "§3.7"}
	indexElem    = &model.Field{Name: "index", Codec: model.I32LE, Ref: "§3.7"}
	items        = &model.Field{Name: "items", Doc: "explicit items of all vectors", Ref: "§3.7"}
	opaque       = &model.Field{Name: "unknown", Codec: model.RawBytes, Doc: "values of a codec that is not known", Ref: "§3.1"}
	leftover     = &model.Field{Name: "leftover", Codec: model.RawBytes, Doc: "bytes behind the values", Ref: "§4.2"}
	dateElem     = &model.Field{Name: "ticks", Codec: model.I64LE, Doc: "100 ns since year 1", Note: dateNote, Ref: "§3.2"}
	numberElems  = map[valueKind]*model.Field{
		kindI1: {Name: "value", Codec: model.I8}, kindI2: {Name: "value", Codec: model.I16LE}, kindI4: {Name: "value", Codec: model.I32LE}, kindI8: {Name: "value", Codec: model.I64LE},
		kindU1: {Name: "value", Codec: model.U8}, kindU2: {Name: "value", Codec: model.U16LE}, kindU4: {Name: "value", Codec: model.U32LE}, kindU8: {Name: "value", Codec: model.U64LE},
		kindR4: {Name: "value", Codec: model.F32LE}, kindR8: {Name: "value", Codec: model.F64LE}, kindTimeSpan: spanTick, kindDateTime: dateElem,
	}
)

// part is a run of bytes of a decoded block: a leaf, numbers of one width, or records.
type part struct {
	field *model.Field
	elem  *model.Field
	rec   *model.Record
	off   int64
	n     int64
	items bool // belongs to the items of vectors
}

// layout divides a decoded block as far as its bytes go: it never fails, and what is left over is the last part.
type layout struct {
	b     []byte
	pos   int64
	parts []part
	items bool
	sh    *shape
}

func (l *layout) left() int64 { return int64(len(l.b)) - l.pos }

func (l *layout) add(p part) {
	if p.n > 0 {
		p.off, p.items = l.pos, l.items
		l.parts = append(l.parts, p)
		l.pos += p.n
	}
}

// numbers adds n numbers, or as many as there are.
func (l *layout) numbers(f, elem *model.Field, n int64) int64 {
	w := int64(elem.Codec.Size())
	n = max(0, min(n, l.left()/w))
	l.add(part{field: f, elem: elem, n: n * w})
	return n
}

// i32 adds a number and returns it; ok is false when it is not there.
func (l *layout) i32(f *model.Field) (v int64, ok bool) {
	if l.left() < 4 {
		return 0, false
	}
	v = int64(int32(binary.LittleEndian.Uint32(l.b[l.pos:])))
	l.add(part{field: f, n: 4})
	return v, true
}

// values adds n values of a codec.
func (l *layout) values(c *codec, n int64) {
	switch k := c.base(); {
	case c != nil && c.kind == kindKey && k != kindUnknown:
		l.numbers(values, l.keyField(c), n)
	case numberElems[k] != nil:
		l.numbers(values, numberElems[k], n)
	case k == kindBool:
		l.numbers(bits, bitsElem, n/8+min(1, n%8))
	case k == kindBool2:
		l.numbers(bits2, bits2Elem, n/16+min(1, n%16))
	case k == kindRowID:
		l.add(part{field: values, rec: rowIDs, n: 16 * max(0, min(n, l.left()/16))})
	case k == kindDateZone:
		l.numbers(minutes, minute, n)
		l.numbers(ticks, tick, n)
	case k == kindText:
		l.text()
	case k == kindVector && !l.items:
		l.vector(c)
	default:
		l.add(part{field: opaque, n: l.left()})
	}
}

// keyField is the field of a column's keys, with what they stand for beside it.
func (l *layout) keyField(c *codec) *model.Field {
	f := numberElems[c.base()]
	if f == nil {
		f = numberElems[kindU4]
	}
	if l.sh == nil || l.sh.meta != nil || l.sh.col == nil {
		return f
	}
	g := *f
	g.Note = l.sh.col.keyNote
	return &g
}

// text adds a block of texts (§3.4), by the number that it says itself.
func (l *layout) text() {
	n, ok := l.i32(entriesF)
	if !ok || n < 0 || n > l.left()/4 {
		return
	}
	l.numbers(bounds, bound, n)
	v, size, err := model.ULEB31.Decode(l.b[l.pos:min(int64(len(l.b)), l.pos+5)])
	if err != nil {
		return
	}
	l.add(part{field: textLength, n: int64(size)})
	l.add(part{field: textF, n: min(v.Int(), l.left())})
}

// vector adds a block of vectors (§3.7).
func (l *layout) vector(c *codec) {
	n, ok := l.i32(numVectors)
	if !ok || n < 0 || n > l.left()/4 {
		return
	}
	size, _ := l.i32(sizeField)
	lengths := l.b[l.pos:]
	if size <= 0 {
		if l.numbers(lengthsField, lengthElem, n) < n {
			return
		}
	}
	counts := l.b[l.pos:]
	if l.numbers(countsField, countElem, n) < n {
		return
	}
	indices, ok := l.i32(numIndices)
	if !ok || indices < 0 || indices > l.left()/4 {
		return
	}
	l.numbers(indicesField, indexElem, indices)
	items := int64(0)
	for i := range n {
		k := int64(int32(binary.LittleEndian.Uint32(counts[4*i:])))
		if k < 0 {
			if k = size; size <= 0 {
				k = int64(int32(binary.LittleEndian.Uint32(lengths[4*i:])))
			}
		}
		items += max(0, k)
	}
	l.items = true
	l.values(c.item, items)
	l.items = false
}

// body lays the spans of a decoded block and reports what is wrong with it.
func (s *stream) body(c *model.Cursor, sh shape, b []byte, how inflate.Outcome) {
	l := &layout{b: b, sh: &sh}
	l.values(sh.codec, sh.rows)
	if l.left() > 0 {
		l.add(part{field: leftover, n: l.left()})
	}
	var laid []*model.Span
	one := func(c *model.Cursor, p part) {
		var n model.Node
		switch {
		case p.rec != nil:
			n = c.Array(p.field, p.rec, p.n/p.rec.Size())
		case p.elem != nil:
			n = c.Elements(p.field, p.elem, p.n/int64(p.elem.Codec.Size()))
		default:
			n = c.FieldN(p.field, p.n)
		}
		if n.Span != nil {
			laid = append(laid, n.Span)
		}
	}
	for i := 0; i < len(l.parts); i++ {
		if !l.parts[i].items {
			one(c, l.parts[i])
			continue
		}
		c.Struct(items, func(c *model.Cursor) {
			for ; i < len(l.parts) && l.parts[i].items; i++ {
				one(c, l.parts[i])
			}
		})
		i--
	}
	innerLinks(c, laid)
	s.inspect(sh, b, how, func(f finding) { s.t.Report(s.blockFinding(c, sh, f, laid)) })
}

// innerLinks states the counts and lengths inside a block.
func innerLinks(c *model.Cursor, laid []*model.Span) {
	by := map[*model.Field]model.Node{}
	for _, s := range laid {
		if by[s.Field].Span == nil {
			by[s.Field] = model.Node{Span: s}
		}
	}
	pair := func(n, of *model.Field, link func(n, of model.Node) *model.Link) {
		if by[n].Span != nil && by[of].Span != nil {
			link(by[n], by[of]).Unchecked()
		}
	}
	pair(entriesF, bounds, c.CountOf)
	pair(textLength, textF, func(n, of model.Node) *model.Link { return c.LengthOf(n, of) })
	pair(numVectors, countsField, c.CountOf)
	pair(numIndices, indicesField, c.CountOf)
}

// blockFinding makes a finding about a place inside a decoded block, or about the block when at is negative.
func (s *stream) blockFinding(c *model.Cursor, sh shape, f finding, laid []*model.Span) model.Finding {
	where := c.Span()
	f.message = s.describe(sh, f.message)
	space := c.Range(0, 0).Space
	var d model.Finding
	if f.at < 0 {
		d = f.diagnose(sh.at.Space, where)
		d.Range = sh.at
	} else {
		d = f.diagnose(space, laidAt(laid, f.at, where))
	}
	if f.mend != nil {
		d.Fixes = append(d.Fixes, model.Fix{Label: f.label, Safe: !f.ask, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
			b, err := whole(t, space)
			if err != nil {
				return nil, err
			}
			ix := newIdvIndex(sh.codec, b, sh.rows)
			if ix.trouble != "" {
				return nil, fmt.Errorf("%s", ix.trouble)
			}
			if b, err = f.mend(ix); err != nil {
				return nil, err
			}
			return (&derivedBlock{s, sh}).replace(t, b)
		}})
	}
	return d
}

// laidAt returns the innermost of the spans of a block that holds an offset, or the block.
func laidAt(laid []*model.Span, at int64, block *model.Span) *model.Span {
	for _, span := range laid {
		if span.Range.Off <= at && at < span.Range.End() {
			block = span
			if n := span.Count(); n > 0 {
				if block = span.Child((at - span.Range.Off) / (span.Range.Len / n)); block.Count() > 0 {
					block = block.Child(0)
				}
			}
		}
	}
	return block
}

// describe says which block a message is about.
func (s *stream) describe(sh shape, message string) string {
	what := fmt.Sprintf("column %q, rows from %d", sh.col.name.s, sh.first)
	if sh.meta != nil {
		what = fmt.Sprintf("%s of column %q", sh.meta.kind.s, sh.col.name.s)
	}
	if message != "" {
		what += ": " + message
	}
	return what
}
