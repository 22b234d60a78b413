package scdl

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"spandrel/model"
)

// header is what the rest of the program needs of a header.
type header struct {
	backend, count, fiCount model.Node
	list                    model.Node // of the array descriptors
	arrays                  []desc
	fis                     []featureIndex
	chunked                 bool
	chunkSize, chunks, rows model.Node   // of an archive in chunks: rows in each, how many, rows of all
	inline                  []model.Node // array data inside the header
	oddTypes                []desc       // arrays of unknown dtype
	whole                   bool         // everything was read
	end                     int64        // where it ends
	needs                   int64        // where it ends at the earliest, if it is cut
	broken                  featureIndex // the one in which reading ended
}

// desc is an array descriptor, and the common part of a feature index.
type desc struct {
	span                       *model.Span
	nameLen, name, len_, dtype model.Node
}

type featureIndex struct {
	desc
	files, list model.Node
	paths       []model.Node
}

// reader reads one header. Its methods return false where the header cannot be read on; the reason is reported by then.
type reader struct {
	h     *header
	root  *model.Cursor
	names map[string]bool
	a     *archive // nil for a header alone
	mend  mended   // the field that is wrong, if there is one alone
	left  int      // how many arrays, folders and paths are read yet
}

// mostListed is how many arrays, feature folders and paths of a header are read, together: archives have some twenty.
const mostListed = 200_000

// more counts one of them, and tells whether it is to be read.
func (r *reader) more() bool {
	r.left--
	return r.left >= 0
}

// capped says so where there were too many: what lies behind them is not looked at.
func (r *reader) capped(c *model.Cursor, n model.Node) bool {
	if r.left < 0 {
		c.Wrong(model.RuleCap, n.Span, nil, nil, model.Saying("the header lists more than %s arrays, folders and paths: the rest is not read", model.Thousands(mostListed)))
	}
	return r.left < 0
}

// num reads a length or a count: what it should be, where it is the one that is wrong. What it is then laid over is linked to it, and
// the link says that it is wrong.
func (r *reader) num(c *model.Cursor, f *model.Field) model.Node {
	at := c.Pos()
	n := c.Field(f)
	if r.mend.at == at {
		n.Value = model.U(r.mend.value)
	}
	return n
}

// readHeader lays spans over a header (section 3) and returns what it says. a is the archive around it, or nil.
func readHeader(c *model.Cursor, a *archive) *header {
	h := &header{}
	r := &reader{h: h, root: c, names: map[string]bool{}, a: a, mend: mended{at: -1}, left: mostListed}
	b := bytes.Clone(c.Peek(min(c.Left(), maxMend+1)))
	r.mend = mend(b)
	if !r.read(c) {
		c.Resync(func([]byte) int { return -1 }) // the rest is damaged
	}
	if r.mend.at >= 0 {
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

// symptoms reports what readers, which take the header as it stands, stumble over. All of it comes from the field that is mended.
func (r *reader) symptoms(c *model.Cursor, seen []symptom) {
	for _, s := range seen {
		many := s.rule == arrayTotal && uint64(binary.BigEndian.Uint32(c.PeekAt(s.at, 4))) > uint64(c.Size()-16)/17
		if s.at == r.mend.at && !many { // reported with the value that it should have; of a huge count, as one that has no room
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

// version reads the version of the header. Only a version that was never released is worth a word.
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

// backend reads how the archive is laid out.
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

// list reads as many items as are counted, as far as they are there; whole tells that all are.
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

// desc reads what arrays and feature indices have in common: name, length, dtype.
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

// unique checks that no array or feature index has a name before, and notes it.
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
		free := name + "_2"
		for i := 3; r.names["a"+free] || r.names["f"+free]; i++ {
			free = fmt.Sprintf("%s_%d", name, i)
		}
		c.Wrong(rule, d.name.Span, name, nil, model.About(free))
	}
	if array {
		r.names["a"+name] = true
	} else {
		r.names["f"+name] = true
	}
}

// shape reads the optional shape and compares its product with the length.
func (r *reader) shape(c *model.Cursor, d *desc) bool {
	if c.Left() < 1 {
		return false
	}
	stored := c.Pos()
	has := r.num(c, hasShape)
	if r.mend.at == stored {
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

// dimensions reads the dimensions of a shape.
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
	product, overflow := uint64(1), false
	at := c.Pos()
	for i := 0; i < len(b); i += 4 {
		dim := uint64(binary.BigEndian.Uint32(b[i:]))
		if dim == 0 {
			c.Wrong(zeroDimension, c.Range(at+int64(i), 4), 0, nil)
		}
		hi, lo := bits.Mul64(product, dim)
		product, overflow = lo, overflow || hi != 0
	}
	shape := c.Elements(shapeField, dim, n.Int())
	c.CountOf(n, shape).As(shapeCount)
	if product != d.len_.Uint() || overflow {
		var about []model.Detail
		if !overflow {
			about = append(about, model.About(product))
		}
		c.Wrong(shapeProduct, shape.Span, product, d.len_, about...)
	}
	return true
}
