package scdl

import (
	"bytes"
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
	h         *header
	root      *model.Cursor
	names     map[string]bool
	a         *archive   // nil for a header without an archive
	corrected correction // the wrong field, if exactly one is wrong
	left      int        // how many more arrays, folders and paths may be read
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

// num reads a length or a count. If it is the field that is wrong, the node gets the right value, so that parsing can continue; the error is reported by the
// link between the field and what it measures.
func (r *reader) num(c *model.Cursor, f *model.Field) model.Node {
	at := c.Pos()
	n := c.Field(f)
	if r.corrected.at == at {
		n.Value = model.U(r.corrected.value)
	}
	return n
}

// readHeader lays spans over a header (section 3) and returns its content. a is the archive around it, or nil.
func readHeader(c *model.Cursor, a *archive) *header {
	h := &header{}
	r := &reader{h: h, root: c, names: map[string]bool{}, a: a, corrected: correction{at: -1}, left: mostListed}
	b := bytes.Clone(c.Peek(min(c.Left(), maxTried+1)))
	r.corrected = correct(b)
	if !r.read(c) {
		c.Resync(func([]byte) int { return -1 }) // the rest is damaged and cannot be parsed
	}
	if r.corrected.at >= 0 {
		r.symptoms(c, symptoms(b))
	} else {
		h.needs = cutTo(b)
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

// symptoms reports what fails in readers, which use the header unchanged. All of it is caused by the one wrong field.
func (r *reader) symptoms(c *model.Cursor, seen []symptom) {
	for _, s := range seen {
		many := s.rule == arrayTotal && uint64(binary.BigEndian.Uint32(c.PeekAt(s.at, 4))) > uint64(c.Size()-16)/17
		if s.at == r.corrected.at && !many { // reported with the right value; a huge count is reported as one without room for its items
			continue
		}
		c.Wrong(s.rule, c.Range(s.at, s.n), s.found, s.want, model.Saying("with the current header, %s", s.rule.Title))
	}
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
			if whole = c.Left() >= 4 && r.more(); whole {
				c.Struct(item, func(c *model.Cursor) { whole = read(c) })
			}
		}
	})
	return l, whole
}

func (r *reader) arrays(c *model.Cursor) bool {
	n := r.num(c, arrayCount)
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
	rule := arrayTotal
	if uint64(binary.BigEndian.Uint32(c.PeekAt(n.Range.Off, 4))) > most {
		rule = tooManyArrays
	}
	c.CountOf(n, list).As(rule).When(whole)
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
	if c.Left() < 12 {
		return false
	}
	d.len_, d.dtype = c.Field(length), c.Field(dtype)
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
	if c.Left() < 1 {
		return false
	}
	stored := c.Pos()
	has := r.num(c, hasShape)
	if r.corrected.at == stored {
		c.Wrong(oddShapeFlag, has.Span, c.PeekAt(stored, 1)[0], has.Value, model.Saying("the flag for a shape is wrong"))
	}
	if has.Uint() == 0 {
		return true
	}
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
	n := r.num(c, shapeDims)
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
