package scdl

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"spandrel/model"
)

// header is what the rest of the program needs of a header.
type header struct {
	backend, count, fiCount model.Node
	list                    model.Node // of the array descriptors
	arrays                  []desc
	fis                     []featureIndex
	chunked                 bool
	chunkSize, chunks       uint64
	rows                    uint64
	inline                  []model.Node // array data inside the header
	oddTypes                []desc       // arrays of unknown dtype
	whole                   bool         // everything was read
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
	r := &reader{h: h, root: c, names: map[string]bool{}, a: a, mend: mended{at: -1}}
	if c.Left() <= maxMend {
		r.mend = mend(c.Peek(c.Left()))
	}
	if !r.read(c) {
		c.Resync(func([]byte) int { return -1 }) // the rest is damaged
	}
	if a != nil {
		a.header = h
	}
	for i := range h.oddTypes {
		d := &h.oddTypes[i]
		f := model.Finding{Rule: badType, Span: d.dtype.Span, Found: d.dtype.Value.String(), Expected: "1 to 9"}
		if a != nil {
			f.About = judged{a, d}
		}
		c.Report(f)
	}
	return h
}

func (r *reader) read(c *model.Cursor) bool {
	if c.Left() < 16 {
		c.Report(model.Finding{Rule: tooShort, Span: c.Span(), Range: c.Range(0, c.Left()), Found: model.SizeText(uint64(c.Left())),
			Expected: "at least 16 bytes"})
		return false
	}
	if b := c.Peek(12); string(b[:4]) != "SCDL" {
		m := c.Field(magic)
		d := model.Finding{Rule: badMagic, Span: m.Span, Found: m.Value.String(), Expected: "SCDL"}
		if b[7] == 1 && b[11] <= 2 {
			d.Fixes = []model.Fix{model.SetTo(m.Span, model.S("SCDL"))}
		}
		c.Report(d)
		return false
	}
	c.Field(magic)
	major := c.Field(majorField)
	minor, point := c.Field(minorField), c.Field(pointField)
	v := [3]uint64{major.Uint(), minor.Uint(), point.Uint()}
	switch {
	case major.Uint() > 0:
		c.Report(model.Finding{Rule: laterMajor, Span: major.Span, Found: major.Value.String(), Expected: "0"})
	case v == [3]uint64{0, 0, 2} || v == [3]uint64{0, 0, 9}:
		c.Report(model.Finding{Rule: otherVersion, Severity: model.Note, Span: major.Span, Range: c.Range(4, 3),
			Message: "a header of a development version"})
	case v != [3]uint64{0, 1, 0}:
		c.Report(model.Finding{Rule: otherVersion, Span: major.Span, Range: c.Range(4, 3), Expected: "0.1.0"})
	}
	if e := c.Field(endian); e.Uint() != 1 {
		d := model.Finding{Rule: otherEndian, Span: e.Span, Found: e.Value.String(), Expected: "1"}
		if b := c.Peek(4); string(b[:3]) == "\x00\x00\x00" {
			d.Fixes = []model.Fix{model.SetTo(e.Span, model.U(1))}
		}
		c.Report(d)
		return false
	}
	r.h.backend = c.Field(backend)
	if b := r.h.backend; b.Uint() != 1 {
		d := model.Finding{Rule: otherBackend, Span: b.Span, Found: b.Value.String(), Expected: "1"}
		if b.Uint() == 2 {
			d.Severity, d.Message = model.Warning, "backend 2 is the experimental chunked layout"
		} else {
			layout := uint64(1)
			if r.a != nil && r.a.dirs["chunk_00000"] != nil {
				layout = 2
			}
			d.Fixes = []model.Fix{model.SetTo(b.Span, model.U(layout))}
		}
		c.Report(d)
	}
	return r.arrays(c) && r.rest(c)
}

func (r *reader) arrays(c *model.Cursor) bool {
	n := r.num(c, arrayCount)
	r.h.count = n
	most := uint64(c.Left() / 17)
	ends := []int64{c.Pos()} // of the descriptors
	whole := true
	list := c.List(arrays, func(c *model.Cursor) {
		for i := int64(0); i < n.Int() && whole; i++ {
			if c.Left() < 4 {
				whole = false
				break
			}
			var d desc
			s := c.Struct(arrayField, func(c *model.Cursor) {
				if whole = r.desc(c, &d, true) && r.shape(c, &d); whole {
					r.h.arrays = append(r.h.arrays, d)
				}
			})
			if whole {
				r.h.arrays[len(r.h.arrays)-1].span = s.Span
				ends = append(ends, c.Pos())
			}
		}
	})
	r.h.list = list
	rule := arrayTotal
	if uint64(binary.BigEndian.Uint32(c.PeekAt(n.Range.Off, 4))) > most {
		rule = tooManyArrays
	}
	c.CountOf(n, list).As(rule).When(whole)
	if whole {
		return true
	}
	fixes := countFix(c, n, ends)
	if n.Uint() > most {
		c.Report(model.Finding{Rule: tooManyArrays, Span: n.Span, Found: n.Value.String(), Expected: fmt.Sprintf("at most %d", most),
			Fixes: fixes})
	}
	c.Report(model.Finding{Rule: arrayTotal, Span: n.Span, Found: fmt.Sprintf("%d descriptors", len(r.h.arrays)),
		Expected: n.Value.String(), Fixes: fixes})
	return false
}

// countFix offers the array count behind which a feature-index block ends the header, if there is one. ends is where the
// descriptors end that could be read.
func countFix(c *model.Cursor, n model.Node, ends []int64) []model.Fix {
	for k := len(ends) - 1; k >= 0 && k >= len(ends)-maxCountTries; k-- {
		rest := c.PeekAt(ends[k], 1<<62)
		if end, ok := blockEnd(rest); ok && end == int64(len(rest)) {
			return []model.Fix{model.SetTo(n.Span, model.U(uint64(k)))}
		}
	}
	return nil
}

// maxCountTries is how many array counts are tried.
const maxCountTries = 64

// desc reads what arrays and feature indices have in common: name, length, dtype.
func (r *reader) desc(c *model.Cursor, d *desc, array bool) bool {
	var ok bool
	if d.nameLen, d.name, ok = r.text(c, nameLen, nameField); !ok {
		return false
	}
	name := d.name.Text()
	if strings.TrimSpace(name) == "" {
		c.Report(model.Finding{Rule: noName, Span: d.name.Span, Range: c.Range(d.nameLen.Range.Off, 4+d.name.Range.Len), Found: "an empty name"})
	}
	if len(name) > maxName {
		short := strings.ToValidUTF8(name[:maxName], "")
		c.Report(model.Finding{Rule: longName, Span: d.name.Span, Found: d.nameLen.Value.String(), Expected: "at most 1024 bytes",
			Fixes: []model.Fix{{Label: fmt.Sprintf("shorten the name to %d bytes", len(short)), Edits: []model.Edit{model.SetValue(d.name.Span,
				model.S(short))}}}})
	}
	if oddName(name) {
		c.Report(model.Finding{Rule: strangeName, Span: d.name.Span, Found: d.name.Value.String()})
	}
	rule := repeatedArray
	switch {
	case array && r.names["a"+name]:
	case !array && r.names["f"+name]:
		rule = repeatedIndex
	case !array && r.names["a"+name]:
		rule = sharedName
	default:
		rule = nil
	}
	if rule != nil {
		other := name + "_2"
		for i := 3; r.names["a"+other] || r.names["f"+other]; i++ {
			other = fmt.Sprintf("%s_%d", name, i)
		}
		c.Report(model.Finding{Rule: rule, Span: d.name.Span, Found: name,
			Fixes: []model.Fix{{Label: "rename it to " + other, Edits: []model.Edit{model.SetValue(d.name.Span, model.S(other))}}}})
	}
	if r.names["f"+name] = true; array {
		r.names["a"+name] = true
		delete(r.names, "f"+name)
	}
	if c.Left() < 12 {
		return false
	}
	d.len_, d.dtype = c.Field(length), c.Field(dtype)
	if t := d.dtype.Uint(); array && (t < 1 || t > 9) {
		r.h.oddTypes = append(r.h.oddTypes, *d)
	} else if t < 1 || t > 9 {
		c.Wrong(badType, d.dtype, nil, model.U(8), model.Saying("the element type of a feature folder is unknown: all writers say STRING_ARRAY"))
	}
	return true
}

// maxName is how many bytes a name may have.
const maxName = 1024

func oddName(s string) bool {
	return strings.ContainsFunc(s, unicode.IsControl) || strings.ContainsRune(s, '\\') || strings.HasPrefix(s, "/") || strings.Contains(s,
		"..") ||
		len(s) > 1 && s[1] == ':' && unicode.IsLetter(rune(s[0]))
}

// text reads a length and as many bytes of UTF-8.
func (r *reader) text(c *model.Cursor, length, text *model.Field) (n, s model.Node, ok bool) {
	if c.Left() < 4 {
		return n, s, false
	}
	n = r.num(c, length)
	if n.Int() > c.Left() {
		c.Report(model.Finding{Rule: textLength, Span: n.Span, Found: n.Value.String(),
			Expected: "at most " + model.U(uint64(c.Left())).String()})
		return n, s, false
	}
	s = c.FieldN(text, n.Int())
	c.LengthOf(n, s).As(textLength)
	if !utf8.ValidString(s.Text()) {
		c.Report(model.Finding{Rule: notUTF8, Span: s.Span, Found: s.Value.String()})
	}
	return n, s, true
}

// shape reads the optional shape and compares its product with the length.
func (r *reader) shape(c *model.Cursor, d *desc) bool {
	if c.Left() < 1 {
		return false
	}
	stored := c.Pos()
	has := r.num(c, hasShape)
	if r.mend.at == stored {
		c.Wrong(oddShapeFlag, has.Span, c.PeekAt(stored, 1)[0], has.Value, model.Saying("the mark for a shape is wrong"))
	}
	if has.Uint() == 0 {
		return true
	}
	if has.Uint() > 1 {
		c.Report(model.Finding{Rule: oddShapeFlag, Span: has.Span, Found: has.Value.String(), Expected: "0 or 1",
			Fixes: []model.Fix{model.SetTo(has.Span, model.U(1))}})
	}
	if c.Left() < 4 {
		return false
	}
	n := r.num(c, shapeDims)
	if n.Int() > c.Left()/4 {
		c.Report(model.Finding{Rule: shapeCount, Span: n.Span, Found: n.Value.String(),
			Expected: "at most " + model.U(uint64(c.Left()/4)).String()})
		return false
	}
	if n.Uint() == 0 {
		c.Report(model.Finding{Rule: noDimensions, Span: n.Span, Found: "0", Fixes: []model.Fix{{Label: "drop the shape", Safe: true,
			Edits: []model.Edit{model.SetValue(has.Span, model.U(0)), model.Replace(n.Range, nil)}}}})
		return true
	}
	b := c.Peek(4 * n.Int())
	product, overflow := uint64(1), false
	at := c.Pos()
	for i := 0; i < len(b); i += 4 {
		dim := uint64(b[i])<<24 | uint64(b[i+1])<<16 | uint64(b[i+2])<<8 | uint64(b[i+3])
		if dim == 0 {
			c.Report(model.Finding{Rule: zeroDimension, Span: c.Span(), Range: c.Range(at+int64(i), 4), Found: "0"})
		}
		hi, lo := bits.Mul64(product, dim)
		product, overflow = lo, overflow || hi != 0
	}
	shape := c.Elements(shapeField, dim, n.Int())
	c.CountOf(n, shape).As(shapeCount)
	if product != d.len_.Uint() || overflow {
		f := model.Finding{Rule: shapeProduct, Span: shape.Span, Found: model.U(product).String(), Expected: d.len_.Value.String()}
		if !overflow {
			f.Fixes = []model.Fix{{Label: "set the length to " + model.U(product).String(), Edits: []model.Edit{model.SetValue(d.len_.Span,
				model.U(product))}}}
		}
		c.Report(f)
	}
	return true
}
