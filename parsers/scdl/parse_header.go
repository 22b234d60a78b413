package scdl

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"spandrel/model"
)

// header is the parsed content of a header.
type header struct {
	backend, count, fiCount model.Node
	list                    model.Node // of the array descriptors
	arrays                  []desc
	fis                     []featureIndex
	chunked                 bool
	chunkSize, chunks, rows model.Node   // of the chunked layout: rows per chunk, number of chunks, total rows
	inline                  []model.Node // array data inside the header
	oddTypes                []desc       // arrays of unknown dtype
	whole                   bool         // everything was parsed
	end                     int64        // offset of its end
	needs                   int64        // minimum offset of its end if it is truncated
	broken                  featureIndex // the entry in which parsing stopped
	odd                     bool         // something that was read in full is not as writers make it: a field before it may be wrong
}

// desc is an array descriptor, or the common part of a feature index.
type desc struct {
	span                       *model.Span
	nameLen, name, len_, dtype model.Node
}

type featureIndex struct {
	desc
	files, list model.Node
	paths       []model.Node
}

// reader reads a header. Its methods return false if parsing cannot continue; the reason has been reported by then.
type reader struct {
	h     *header
	names map[string]bool
	a     *archive // nil for a header without an archive
	left  int      // how many more arrays, folders and paths may be read
}

// mostListed is the maximum number of arrays, feature folders and paths read from a header, in total: archives have about twenty.
const mostListed = 200_000

// more counts an array, folder or path, and tells whether it may be read.
func (r *reader) more() bool {
	r.left--
	return r.left >= 0
}

// capped tells whether the limit was reached, and reports that: the entries after it are not read.
func (r *reader) capped(c *model.Cursor, n model.Node) bool {
	if r.left < 0 {
		c.Wrong(model.RuleCap, n.Span, nil, nil, model.Saying("the header lists more than %s arrays, folders and paths: the rest is not read", model.Thousands(mostListed)))
	}
	return r.left < 0
}

// room tells whether n bytes are left, or notes that the header is truncated: unless something before is wrong, because then they are read from the
// wrong place.
func (r *reader) room(c *model.Cursor, n int64) bool {
	if c.Left() >= n {
		return true
	}
	if !r.h.odd && n <= mostAbsent {
		r.h.needs = c.Pos() + n
	}
	return false
}

// mostAbsent is how many bytes a truncated header may lack of what its end lists.
const mostAbsent = 1 << 16

// readHeader lays spans over a header (section 3) and returns its content. a is the archive around it, or nil.
func readHeader(c *model.Cursor, a *archive) *header {
	h := &header{}
	r := &reader{h: h, names: map[string]bool{}, a: a, left: mostListed}
	if !r.read(c) {
		c.Resync(func([]byte) int { return -1 }) // the rest is damaged and cannot be parsed
	}
	if a != nil {
		a.header = h
	}
	for i := range h.oddTypes {
		d := &h.oddTypes[i]
		var about []model.Detail
		if a != nil {
			about = append(about, model.About(judged{a, d}))
		}
		c.Wrong(badType, d.dtype, nil, "1 to 9", about...)
	}
	return h
}

func (r *reader) read(c *model.Cursor) bool {
	if c.Left() < 16 {
		c.Wrong(tooShort, c.Range(0, c.Left()), model.SizeText(uint64(c.Left())), "at least 16 bytes")
		return false
	}
	if b := c.Peek(12); string(b[:4]) != "SCDL" {
		var want any = "SCDL"
		if b[7] == 1 && b[11] <= 2 {
			want = model.S("SCDL")
		}
		c.Wrong(badMagic, c.Field(magic), nil, want)
		return false
	}
	c.Field(magic)
	r.version(c)
	if e := c.Field(endian); e.Uint() != 1 {
		var want any = 1
		if b := c.Peek(4); string(b[:3]) == "\x00\x00\x00" {
			want = model.U(1)
		}
		c.Wrong(otherEndian, e, nil, want)
		return false
	}
	r.backend(c)
	return r.arrays(c) && (r.left < 0 || r.rest(c)) || r.left < 0
}

// version reads the version of the header. Every version but the released 0.1.0 is reported, development versions as a note.
func (r *reader) version(c *model.Cursor) {
	major := c.Field(majorField)
	minor, point := c.Field(minorField), c.Field(pointField)
	v := [3]uint64{major.Uint(), minor.Uint(), point.Uint()}
	at := model.Spot{Span: major.Span, Range: c.Range(4, 3)}
	switch {
	case major.Uint() > 0:
		c.Wrong(laterMajor, major, nil, 0)
	case v == [3]uint64{0, 0, 2} || v == [3]uint64{0, 0, 9}:
		c.Wrong(otherVersion, at, nil, nil, model.Graded(model.Note), model.Saying("a header of a development version"))
	case v != [3]uint64{0, 1, 0}:
		c.Wrong(otherVersion, at, nil, "0.1.0")
	}
}

// backend reads the layout of the archive.
func (r *reader) backend(c *model.Cursor) {
	r.h.backend = c.Field(backend)
	switch b := r.h.backend; b.Uint() {
	case 1:
	case 2:
		c.Wrong(otherBackend, b, nil, "1, the plain layout", model.Graded(model.Warning), model.Saying("backend 2 is the experimental chunked layout"))
	default:
		layout := uint64(1)
		if r.a != nil && r.a.dirs[firstChunk] != nil {
			layout = 2
		}
		c.Wrong(otherBackend, b, nil, model.U(layout))
	}
}

// list reads up to n items, as far as there are bytes; whole tells whether all of them were read.
func (r *reader) list(c *model.Cursor, n model.Node, list, item *model.Field, read func(*model.Cursor) bool) (l model.Node, whole bool) {
	whole = true
	l = c.List(list, func(c *model.Cursor) {
		for i := int64(0); i < n.Int() && whole; i++ {
			if whole = c.Left() > 0 && r.room(c, 4) && r.more(); whole { // at the end of an item the count may be wrong instead
				c.Struct(item, func(c *model.Cursor) { whole = read(c) })
			}
		}
	})
	return l, whole
}

func (r *reader) arrays(c *model.Cursor) bool {
	n := c.Field(arrayCount)
	r.h.count = n
	most := uint64(c.Left() / 17)
	list, whole := r.list(c, n, arrays, arrayField, func(c *model.Cursor) bool {
		d := desc{span: c.Span()}
		if !r.desc(c, &d, true) || !r.shape(c, &d) {
			return false
		}
		r.h.arrays = append(r.h.arrays, d)
		return true
	})
	r.h.list = list
	c.CountOf(n, list).As(arrayTotal).When(whole)
	if whole || r.capped(c, n) {
		return true
	}
	if n.Uint() > most {
		c.Wrong(tooManyArrays, n, nil, fmt.Sprintf("at most %d", most))
	}
	c.Wrong(arrayTotal, n.Span, fmt.Sprintf("%d descriptors", len(r.h.arrays)), n)
	return false
}

// desc reads the common part of arrays and feature indices: name, length, dtype.
func (r *reader) desc(c *model.Cursor, d *desc, array bool) bool {
	var ok bool
	if d.nameLen, d.name, ok = r.text(c, nameLen, nameField); !ok {
		return false
	}
	name := d.name.Text()
	if strings.TrimSpace(name) == "" {
		c.Wrong(noName, model.Spot{Span: d.name.Span, Range: c.Range(d.nameLen.Range.Off, 4+d.name.Range.Len)}, "an empty name", nil)
	}
	if len(name) > maxName {
		c.Wrong(longName, d.name.Span, d.nameLen, "at most 1024 bytes")
	}
	if oddName(name) {
		c.Wrong(strangeName, d.name, nil, nil)
	}
	r.unique(c, d, name, array)
	if !r.room(c, 12) {
		return false
	}
	d.len_, d.dtype = c.Field(length), c.Field(dtype)
	r.h.odd = r.h.odd || d.dtype.Uint() < 1 || d.dtype.Uint() > 9
	switch t := d.dtype.Uint(); {
	case array && (t < 1 || t > 9):
		r.h.oddTypes = append(r.h.oddTypes, *d)
	case !array && (t < 1 || t > 9):
		c.Wrong(badType, d.dtype, nil, model.U(texts), model.Saying("the element type of a feature folder is unknown: all writers use STRING_ARRAY"))
	case !array && t != texts:
		c.Wrong(badType, d.dtype, nil, model.U(texts), model.Graded(model.Warning), model.Saying("the element type of a feature folder is not the one that all writers use"))
	}
	return true
}

// unique checks that no earlier array or feature index has this name, and records it.
func (r *reader) unique(c *model.Cursor, d *desc, name string, array bool) {
	var rule *model.Rule
	switch {
	case array && r.names["a"+name]:
		rule = repeatedArray
	case !array && r.names["f"+name]:
		rule = repeatedIndex
	case !array && r.names["a"+name]:
		rule = sharedName
	}
	if rule != nil {
		c.Wrong(rule, d.name.Span, name, nil)
	}
	if array {
		r.names["a"+name] = true
	} else {
		r.names["f"+name] = true
	}
}

// shape reads the optional shape, whose product must equal the length.
func (r *reader) shape(c *model.Cursor, d *desc) bool {
	if !r.room(c, 1) {
		return false
	}
	has := c.Field(hasShape)
	if has.Uint() == 0 {
		return true
	}
	r.h.odd = true // no writer makes a shape, so what follows may be another part of the header
	if has.Uint() > 1 {
		c.Wrong(oddShapeFlag, has, nil, "0 or 1")
	}
	return r.dimensions(c, d)
}

// dimensions reads the dimensions of a shape and compares their product with the length.
func (r *reader) dimensions(c *model.Cursor, d *desc) bool {
	if c.Left() < 4 {
		return false
	}
	n := c.Field(shapeDims)
	if n.Int() > c.Left()/4 {
		c.Wrong(shapeCount, n, nil, fmt.Sprintf("at most %d", c.Left()/4))
		return false
	}
	if n.Uint() == 0 {
		c.Wrong(noDimensions, n, nil, nil)
		return true
	}
	b := c.Peek(4 * n.Int())
	product, fits := uint64(1), true
	at := c.Pos()
	for i := 0; i < len(b); i += 4 {
		dim := uint64(binary.BigEndian.Uint32(b[i:]))
		if dim == 0 {
			c.Wrong(zeroDimension, c.Range(at+int64(i), 4), 0, nil)
		}
		n, ok := model.Times(product, dim, math.MaxUint64)
		product, fits = n, fits && ok
	}
	shape := c.Elements(shapeField, dim, n.Int())
	c.CountOf(n, shape).As(shapeCount)
	if product != d.len_.Uint() || !fits {
		c.Wrong(shapeProduct, shape.Span, product, d.len_)
	}
	return true
}
