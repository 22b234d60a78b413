package parsers

import (
	"fmt"
	"math"
	"sort"

	"spandrel/model"
)

// sdType is a DType that arrays can have (section 3.5): its element in either byte order.
type sdType struct {
	name   string
	width  int64
	le, be *model.Field
	float  bool
	bit    int64 // its option bit in shapeInfo (section 3.6.1)
}

const (
	sdBool = 1
	sdUTF8 = 50

	sdUnsignedBit = 8388608
)

var sdTypes = map[int64]*sdType{
	1:  sdTypeOf("BOOL", model.U8, model.U8, 524288),
	3:  sdTypeOf("HALF", model.F16LE, model.F16BE, 4096),
	5:  sdTypeOf("FLOAT", model.F32LE, model.F32BE, 8192),
	6:  sdTypeOf("DOUBLE", model.F64LE, model.F64BE, 16384),
	7:  sdTypeOf("INT8", model.I8, model.I8, 32768),
	8:  sdTypeOf("INT16", model.I16LE, model.I16BE, 65536),
	9:  sdTypeOf("INT32", model.I32LE, model.I32BE, 131072),
	10: sdTypeOf("INT64", model.I64LE, model.I64BE, 262144),
	11: sdTypeOf("UINT8", model.U8, model.U8, 32768|sdUnsignedBit),
	12: sdTypeOf("UINT16", model.U16LE, model.U16BE, 65536|sdUnsignedBit),
	13: sdTypeOf("UINT32", model.U32LE, model.U32BE, 131072|sdUnsignedBit),
	14: sdTypeOf("UINT64", model.U64LE, model.U64BE, 262144|sdUnsignedBit),
	17: sdTypeOf("BFLOAT16", model.BF16LE, model.BF16BE, 2048),
}

func sdTypeOf(name string, le, be model.Codec, bit int64) *sdType {
	return &sdType{name, int64(le.Size()), &model.Field{Name: "value", Doc: name, Codec: le}, &model.Field{Name: "value", Doc: name, Codec: be},
		le.Kind() == model.Float, bit}
}

// sdTypeName names any DType.
func sdTypeName(t int64) string {
	if n, ok := sdEnums["DType"][uint64(t)]; ok {
		return n
	}
	return fmt.Sprint(t)
}

// sdBlob is an array outside the buffer that describes it.
type sdBlob struct {
	name string
	typ  int64
	at   int64 // where it starts in the space of its frame
	len  int64
	bad  bool // it is not placed: outside, or on top of another
	// entry is where the index names it, in its buffer.
	entry int64
	span  *model.Span
}

// sdPlaceBlobs lays blobs over the bytes up to end, in the order of the file. Between them lies padding; overlap is called for a
// blob that starts inside another, gap for bytes between two.
func sdPlaceBlobs(c *model.Cursor, blobs []*sdBlob, end int64, overlap func(b, other *sdBlob), gap func(at, n int64, zero bool, span *model.Span)) {
	order := append([]*sdBlob(nil), blobs...)
	sort.SliceStable(order, func(i, j int) bool { return order[i].at < order[j].at })
	used := map[string]int{}
	space := func(to int64) {
		if to <= c.Pos() {
			return
		}
		at, n := c.Pos(), to-c.Pos()
		zero := sdZero(c.Peek(min(n, sdSmall)))
		f := sdFieldPad
		if !zero {
			f = sdFieldOrphan
		}
		s := c.FieldN(f.Named("%s@0x%x", f.Name, at), n)
		gap(at, n, zero, s.Span)
	}
	var last *sdBlob
	for _, b := range order {
		switch {
		case b.bad || b.at > end || b.len > end-b.at:
			b.bad = true
			continue
		case b.len == 0:
			continue
		case b.at < c.Pos():
			b.bad = true
			overlap(b, last)
			continue
		}
		space(b.at)
		name := b.name
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s#%d", name, used[name])
		}
		b.span = sdPlaceArray(c, sdFieldBlob.Named("blob[%s]", name), b.typ, b.len)
		last = b
	}
	space(end)
}

var sdFieldBlob = &model.Field{Name: "blob", Doc: "the elements of an array", Ref: "3.5", Codec: model.RawBytes}

// sdPlaceArray lays the elements of an array, little-endian, over n bytes; of a type without fixed elements, or a length that is none of its
// multiples, it shows the bytes.
func sdPlaceArray(c *model.Cursor, f *model.Field, typ, n int64) *model.Span {
	t := sdTypes[typ]
	if t == nil || n%t.width != 0 {
		return c.FieldN(f, n).Span
	}
	g := *f
	g.Codec = nil
	return c.Elements(&g, t.le, n/t.width).Span
}

// sdArrays is an ARRAYS section (section 2.3).
type sdArrays struct {
	index  *sdPlaced
	blobs  []*sdBlob // one for each entry that is a stub
	region int64     // where offsets of stubs count from; -1 when no arrays lie behind the index
}

var (
	sdFieldIndex  = &model.Field{Name: "index", Doc: "which arrays there are", Ref: "2.3"}
	sdFieldIndexB = &model.Field{Name: "index", Doc: "cannot be read", Ref: "2.3", Codec: model.RawBytes}
	sdFieldBlobs  = &model.Field{Name: "data", Doc: "an index and the arrays", Ref: "2.3"}
	sdFieldArray  = &model.Field{Name: "array", Doc: "a FlatArray", Ref: "2.4"}
	sdFieldName   = &model.Field{Name: "name", Ref: "2.4", Codec: sdModifiedUTF8}
)

// isIndex is the root test of an ArraysSection.
func (b sdBuf) isIndex() bool {
	r := b.root()
	if !b.sound(r) {
		return false
	}
	if b.slot(r, 0) == 0 {
		return true
	}
	at, n, ok := b.vec(r, 0, 4)
	for k := range min(n, 64) {
		if !b.sound(b.follow(at + 4*k)) {
			return false
		}
	}
	return ok
}

// arrays reads an ARRAYS section in the form that it has (section 2.4).
func (k *sdContainer) arrays(c *model.Cursor, s *sdSection, n int64, b sdBuf) model.Node {
	s.arrays = &sdArrays{region: -1}
	if n >= 4 && b.isIndex() {
		s.variant = "fb"
		s.arrays.index = k.doc.flat(c, sdFieldData, n, "ArraysSection", sdContext{dims: true, con: k, section: s})
		return model.Node{Span: s.arrays.index.span}
	}
	size := uint64(math.MaxUint64)
	if n >= 8 {
		size = k.order.Uint64(b)
	}
	if (n < 8 || size > uint64(n-8)) && k.listFits(b) {
		return k.arrayList(c, s, n)
	}
	if n < 8 {
		node := c.FieldN(sdFieldData, n)
		c.Report(model.Finding{Rule: sdf(41), Span: node.Span, Message: "no room for the length of an index"})
		return node
	}
	return c.Block(sdFieldBlobs, n, func(c *model.Cursor) {
		base := c.Pos()
		kf := c.Field(k.outer().k)
		if size > uint64(n-8) || !b[8:8+size].isIndex() {
			c.Report(model.Finding{Rule: sdf(41), Span: kf.Span, Found: kf.Value.String(), Message: "no index of that length follows"})
			if c.Left() > 0 {
				c.Rest(sdFieldIndexB)
			}
			return
		}
		s.arrays.region = base + (8+int64(size)+63)&^63
		x := k.doc.flat(c, sdFieldIndex, int64(size), "ArraysSection", sdContext{dims: true, con: k, section: s})
		c.LengthOf(kf, model.Node{Span: x.span})
		s.arrays.index = x
		if !x.tangled {
			s.arrays.blobs = sdStubs(x, b[8:8+size], s.arrays.region)
		}
		k.placeBlobs(c, s.arrays)
	})
}

// sdStubs returns the stubs of an index; their ranges count from region.
func sdStubs(x *sdPlaced, b sdBuf, region int64) (out []*sdBlob) {
	b.tables(b.root(), 0, func(_, t int64) {
		a := b.ref(t, 1)
		if a == 0 || b.ref(a, sdArrBuffer) != 0 || b.ref(a, sdArrChunks) != 0 {
			return
		}
		n, stub := b.opt(a, sdArrAppendedLength, 8)
		if !stub {
			return
		}
		name, _ := b.str(t, 0)
		blob := &sdBlob{name: name, typ: b.num(a, sdArrType, 1), len: n, span: x.near(a), entry: t}
		off := b.num(a, sdArrAppendedOffset, 8)
		if blob.at = region + off; off < 0 || n < 0 || blob.at < region {
			blob.bad = true
		}
		out = append(out, blob)
	})
	return out
}

// placeBlobs lays the arrays of a section over its blob region and checks how they lie.
func (k *sdContainer) placeBlobs(c *model.Cursor, a *sdArrays) {
	stubs := map[*sdBlob]*model.Span{}
	for _, b := range a.blobs {
		stubs[b] = b.span
	}
	region := a.region
	end := c.Pos() + c.Left()
	for _, b := range a.blobs {
		if b.bad || b.at > end || b.len > end-b.at {
			b.bad = true
			c.Report(model.Finding{Rule: sdf(43), Span: stubs[b], Found: fmt.Sprintf("0x%x+%d", b.at-region, b.len),
				Expected: fmt.Sprintf("inside %d bytes", max(0, end-region)), Message: b.name + ": the array lies outside the blob region"})
		} else if (b.at-region)%64 != 0 {
			c.Report(model.Finding{Rule: sdf(45), Span: stubs[b], Found: fmt.Sprintf("0x%x", b.at-region), Message: b.name + ": the array is not aligned to 64 bytes"})
		}
	}
	sdPlaceBlobs(c, a.blobs, end, func(b, other *sdBlob) {
		c.Report(model.Finding{Rule: sdf(44), Span: stubs[b], Found: b.name, Related: []model.Range{other.span.Range},
			Message: b.name + " and " + other.name + " share bytes"})
	}, func(at, n int64, zero bool, s *model.Span) {
		next := (at - region + 63) &^ 63
		if !zero || at >= region && at+n-region > next {
			d := model.Finding{Rule: sdf(45), Span: s, Message: "bytes between arrays that are not alignment"}
			if !zero {
				d.Fixes = []model.Fix{{Label: "zero the gap", Safe: true, Edits: []model.Edit{model.Replace(s.Range, make([]byte, min(n, sdSmall)))}}}
				if n > sdSmall || at >= region && at+n-region > next {
					d.Fixes = nil // too long for padding, whatever it holds
				}
			}
			c.Report(d)
		}
	})
}

// listFits tells whether a count and that many names and arrays fill the payload.
func (k *sdContainer) listFits(b sdBuf) bool {
	if len(b) < 4 {
		return false
	}
	at := int64(4)
	for range int64(k.order.Uint32(b)) {
		if at+2 > b.len() {
			return false
		}
		at += 2 + int64(k.order.Uint16(b[at:]))
		if at+8 > b.len() {
			return false
		}
		n := k.order.Uint64(b[at:])
		if at += 8; n > uint64(b.len()-at) || !b[at:at+int64(n)].sound(b[at:at+int64(n)].root()) {
			return false
		}
		at += int64(n)
	}
	return at == b.len()
}

// arrayList reads a count, and names with a FlatArray each.
func (k *sdContainer) arrayList(c *model.Cursor, s *sdSection, n int64) model.Node {
	s.variant = "list"
	f := k.outer()
	return c.Block(sdFieldBlobs, n, func(c *model.Cursor) {
		count := c.Field(f.count)
		list := c.List(sdFieldPairs, func(c *model.Cursor) {
			for range min(count.Int(), sdMaxEntries) {
				c.Struct(sdFieldPair, func(c *model.Cursor) {
					l := c.Field(f.len2)
					name := c.FieldN(sdFieldName, l.Int())
					c.LengthOf(l, name)
					size := c.Field(f.length)
					x := k.doc.flat(c, sdFieldArray, size.Int(), "FlatArray", sdContext{dims: true, con: k, section: s})
					x.owner = name.Text()
					c.LengthOf(size, model.Node{Span: x.span})
				})
			}
		})
		if c.Left() > 0 {
			c.Report(model.Finding{Rule: model.RuleCap, Span: list.Span, Message: fmt.Sprintf("%d arrays are read, the others are not", sdMaxEntries)})
			c.Rest(sdFieldMore)
			return
		}
		c.CountOf(count, list)
	})
}
