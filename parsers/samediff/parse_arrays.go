package samediff

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
)

// laidOut is the layout of arrays: those that start inside another, with that, and what is between them.
type laidOut struct {
	overlaps map[*blobArray]*blobArray
	between  []between
}

// between is bytes between two arrays.
type between struct {
	at, n int64
	zero  bool
	span  *model.Span
}

// long tells whether the bytes exceed the padding in a region of arrays, whatever they contain.
func (x between) long(region int64) bool {
	return x.at >= region && x.n > (region-x.at)&63
}

// placeBlobs creates the spans of arrays over the bytes up to end, in file order.
func placeBlobs(c *model.Cursor, blobs []*blobArray, end int64) (out laidOut) {
	order := slices.Clone(blobs)
	slices.SortStableFunc(order, func(a, b *blobArray) int { return cmp.Compare(a.at, b.at) })
	used := map[string]int{}
	out.overlaps = map[*blobArray]*blobArray{}
	var last *blobArray
	for _, b := range order {
		switch {
		case b.outside(end):
			b.bad = true
			continue
		case b.len == 0:
			continue
		case b.at < c.Pos():
			b.bad, last.shared = true, true
			out.overlaps[b] = last
			continue
		}
		out.fill(c, b.at)
		name := b.name
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s#%d", name, used[name])
		}
		b.span = placeArray(c, fieldBlob.Named("blob[%s]", name), b.typ, b.len)
		last = b
	}
	out.fill(c, end)
	return out
}

// fill shows the bytes up to an offset as what is between two arrays: padding, if they are zero.
func (l *laidOut) fill(c *model.Cursor, to int64) {
	x := between{at: c.Pos(), n: to - c.Pos()}
	if x.n <= 0 {
		return
	}
	f := flat.FieldOrphan
	if x.zero = model.AllZero(c.Peek(min(x.n, small))); x.zero {
		f = flat.FieldPad
	}
	x.span = c.FieldN(f.Named("%s@0x%x", f.Name, x.at), x.n).Span
	l.between = append(l.between, x)
}

var fieldBlob = &model.Field{Name: "blob", Doc: "the elements of an array", Ref: "3.5", Codec: model.RawBytes}

// placeArray creates the elements of an array, little-endian, over n bytes; for a type without fixed-size elements, or an odd
// length, it shows the bytes.
func placeArray(c *model.Cursor, f *model.Field, typ, n int64) *model.Span {
	t := types[typ]
	if t == nil || n%t.width != 0 {
		return c.FieldN(f, n).Span
	}
	g := *f
	g.Codec = nil
	return c.Elements(&g, t.le, n/t.width).Span
}

var (
	fieldIndex  = &model.Field{Name: "index", Doc: "list of the arrays", Ref: "2.3"}
	fieldIndexB = &model.Field{Name: "index", Doc: "cannot be read", Ref: "2.3", Codec: model.RawBytes}
	fieldBlobs  = &model.Field{Name: "data", Doc: "an index and the arrays", Ref: "2.3"}
	fieldArray  = &model.Field{Name: "array", Doc: "a FlatArray", Ref: "2.4"}
	fieldName   = &model.Field{Name: "name", Ref: "2.4", Codec: manifest.ModifiedUTF8}
)

// arrays reads an ARRAYS section in whichever form it has (section 2.4).
func (k *container) arrays(c *model.Cursor, s *section, n int64, b flat.Buffer) model.Node {
	s.arrays = &arrays{region: -1}
	if n >= 4 && b.IsIndex() {
		s.variant = "fb"
		return model.Node{Span: k.index(c, fieldData, s, b).span}
	}
	short := n < 8 || k.order.Uint64(b) > uint64(n-8)
	switch {
	case short && k.listFits(b):
		return k.arrayList(c, s, n)
	case n < 8:
		node := c.FieldN(fieldData, n)
		c.Wrong(noIndex, node.Span, model.Words("%d bytes", n), "at least 8 bytes")
		return node
	}
	return c.Block(fieldBlobs, n, func(c *model.Cursor) {
		base, size := c.Pos(), k.order.Uint64(b)
		kf := c.Field(k.outer().k)
		if short && s == k.rump && b[8:].Sound(b[8:].Root()) { // it was truncated in its index
			size = uint64(n - 8)
		} else if short || !b[8:8+size].IsIndex() {
			c.Wrong(noIndex, kf, nil, "the length of the index that follows")
			if c.Left() > 0 {
				c.Rest(fieldIndexB)
			}
			return
		}
		s.arrays.region = base + (8+int64(size)+63)&^63
		x := k.index(c, fieldIndex, s, b[8:8+size])
		c.LengthOf(kf, model.Node{Span: x.span})
		if !x.Tangled {
			s.arrays.blobs = stubs(x, b[8:8+size], s.arrays.region)
		}
		k.placeBlobs(c, s.arrays)
	})
}

// index reads the index of the arrays of a section, and looks for repeated names in all of them.
func (k *container) index(c *model.Cursor, f *model.Field, s *section, b flat.Buffer) *placed {
	x := k.doc.flat(c, f, b.Len(), "ArraysSection", scopeOf{dims: true, con: k, section: s})
	if s.arrays.index = x; x.Tangled {
		return x
	}
	k.doc.st.mu.Lock()
	defer k.doc.st.mu.Unlock()
	for e := range indexEntries(b) {
		span, at := x.at(e.at, 4)
		if first, twice := k.named[e.name]; twice {
			c.Wrong(arrayTwice, model.Spot{Span: span, Range: at}, brief(e.name), nil, model.Beside(first))
		}
		k.named[e.name] = at
	}
	return x
}

// indexEntry is an entry of an index of arrays: its table, the name, and the FlatArray, or 0.
type indexEntry struct {
	at    int64
	name  string
	array int64
}

// indexEntries are the entries of an index of arrays.
func indexEntries(b flat.Buffer) iter.Seq[indexEntry] {
	return func(yield func(indexEntry) bool) {
		for _, t := range b.Tables(b.Root(), 0) {
			name, _ := b.Str(t, 0)
			if !yield(indexEntry{t, name, b.Ref(t, 1)}) {
				return
			}
		}
	}
}

// stubs returns the stubs of an index; their ranges count from region.
func stubs(x *placed, b flat.Buffer, region int64) (out []*blobArray) {
	for e := range indexEntries(b) {
		a := e.array
		if a == 0 || b.Ref(a, flat.ArrBuffer) != 0 || b.Ref(a, flat.ArrChunks) != 0 {
			continue
		}
		n, stub := b.Opt(a, flat.ArrAppendedLength, 8)
		if !stub {
			continue
		}
		blob := &blobArray{name: e.name, typ: b.Num(a, flat.ArrType, 1), len: n, stub: x.near(a), entry: e.at}
		off := b.Num(a, flat.ArrAppendedOffset, 8)
		if blob.at = region + off; off < 0 || n < 0 || blob.at < region {
			blob.bad = true
		}
		out = append(out, blob)
	}
	return out
}

// placeBlobs creates the spans of a section's arrays in its blob region and checks their places.
func (k *container) placeBlobs(c *model.Cursor, a *arrays) {
	region := a.region
	end := c.Pos() + c.Left()
	for _, b := range a.blobs {
		switch {
		case b.outside(end):
			c.Wrong(blobOutside, b.stub, model.Words("%s: %d bytes at 0x%x", brief(b.name), b.len, b.at-region),
				model.Words("inside the %d bytes for arrays", max(0, end-region)))
		case (b.at-region)%64 != 0:
			c.Wrong(blobGap, b.stub, fmt.Sprintf("0x%x", b.at-region), "a multiple of 64",
				saying("the array %s does not start at a multiple of 64", b.name))
		}
	}
	laid := placeBlobs(c, a.blobs, end)
	for _, b := range a.blobs {
		if other := laid.overlaps[b]; other != nil {
			c.Wrong(blobOverlap, b.stub, fmt.Sprintf("%s and %s", brief(b.name), brief(other.name)), nil, model.Beside(other.span))
		}
	}
	for _, x := range laid.between {
		if !x.zero || x.long(region) {
			var zero []model.Fix
			if x.n < 64 && !x.long(region) {
				zero = []model.Fix{{Label: "zero the gap", Safe: true, Edits: []model.Edit{model.Replace(x.span.Range, make([]byte, x.n))}}}
			}
			c.Wrong(blobGap, x.span, model.Words("%d bytes", x.n), nil, model.About(zero))
		}
	}
}

// listFits tells whether a count and that many names and arrays fill the payload.
func (k *framing) listFits(b flat.Buffer) bool {
	if len(b) < 4 {
		return false
	}
	at := int64(4)
	for range int64(k.order.Uint32(b)) {
		if at+2 > b.Len() {
			return false
		}
		at += 2 + int64(k.order.Uint16(b[at:]))
		if at+8 > b.Len() {
			return false
		}
		n := k.order.Uint64(b[at:])
		if at += 8; n > uint64(b.Len()-at) || !b[at:at+int64(n)].Sound(b[at:at+int64(n)].Root()) {
			return false
		}
		at += int64(n)
	}
	return at == b.Len()
}

// arrayList reads a count, followed by names with a FlatArray each.
func (k *container) arrayList(c *model.Cursor, s *section, n int64) model.Node {
	s.variant = "list"
	f := k.outer()
	return c.Block(fieldBlobs, n, func(c *model.Cursor) {
		count := c.Field(f.count)
		list := c.List(fieldPairs, func(c *model.Cursor) {
			for range min(count.Int(), manifest.MaxEntries) {
				c.Struct(fieldPair, func(c *model.Cursor) {
					l := c.Field(f.len2)
					name := c.FieldN(fieldName, l.Int())
					c.LengthOf(l, name)
					size := c.Field(f.length)
					x := k.doc.flat(c, fieldArray, size.Int(), "FlatArray", scopeOf{dims: true, con: k, section: s})
					x.owner = name.Text()
					c.LengthOf(size, model.Node{Span: x.span})
				})
			}
		})
		if c.Left() > 0 {
			c.Wrong(model.RuleCap, list.Span, nil, nil, model.Saying("only %d arrays are read", manifest.MaxEntries))
			c.Rest(fieldMore)
			return
		}
		c.CountOf(count, list)
	})
}
