package scdl

// SCDL archives (Single-Cell Data Loader, NVIDIA BioNeMo): the header of schema 0.0.9 to 0.1.0 and the folder around it.
// Section numbers refer to the reference sheet of the format.

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"spandrel/model"
)

// Format is the value that the program knows the format by.
var Format = &model.Format{
	Name: "scdl", Title: "SCDL archive", Exts: []string{".sch"}, MIME: []string{"application/x-scdl"},
	Doc:    "Single-cell expression matrices: a header, raw CSR arrays beside it, and feature tables in Parquet.",
	Detect: detect, Parse: parse, Tables: tables, Deep: deep,
	Rules: model.RulesOf(rules), Actions: actions, Review: review,
	// The files of a feature folder are listed in the header, so no backup may lie among them.
	Dataset: &model.Dataset{Detect: detectFolder, Aside: func(name string) string { return strings.ReplaceAll(name, "/", "-") }},
}

var (
	magic      = &model.Field{Name: "magic", Codec: model.TextOf(4, 0), Doc: "SCDL", Ref: "3.1", Rule: scdl002}
	majorField = &model.Field{Name: "version_major", Codec: model.U8, Ref: "3.1"}
	minorField = &model.Field{Name: "version_minor", Codec: model.U8, Ref: "3.1"}
	pointField = &model.Field{Name: "version_point", Codec: model.U8, Ref: "3.1"}
	endian     = &model.Field{Name: "endianness", Codec: model.U8, Doc: "byte order of the header; 1 is network order, the only one", Ref: "3.1"}
	backend    = &model.Field{Name: "backend", Codec: model.U32BE, Ref: "3.1", Enum: model.Enum{1: "MEMMAP_V0", 2: "CHUNKED_MEMMAP_V0"}}
	arrayCount = &model.Field{Name: "array_count", Codec: model.U32BE, Ref: "3.1"}

	arrays     = &model.Field{Name: "arrays", Doc: "array descriptors", Ref: "3.2"}
	arrayField = &model.Field{Name: "array", Ref: "3.2"}
	nameLen    = &model.Field{Name: "name_len", Codec: model.U32BE, Doc: "bytes of the name", Ref: "3.2"}
	nameField  = &model.Field{Name: "name", Codec: model.UTF8, Ref: "3.2, 3.5"}
	length     = &model.Field{Name: "length", Codec: model.U64BE, Doc: "elements; the reference loader takes the file size instead", Ref: "3.2"}
	dtype      = &model.Field{Name: "dtype", Codec: model.U32BE, Enum: dtypes, Ref: "3.4"}
	hasShape   = &model.Field{Name: "has_shape", Codec: model.U8, Ref: "3.2"}
	shapeDims  = &model.Field{Name: "shape_dims", Codec: model.U32BE, Ref: "3.2"}
	shapeField = &model.Field{Name: "shape", Ref: "3.2"}
	dim        = &model.Field{Name: "dimension", Codec: model.U32BE, Ref: "3.2"}

	fiCount    = &model.Field{Name: "fi_count", Codec: model.U32BE, Doc: "feature indices", Ref: "3.3"}
	fIs        = &model.Field{Name: "feature_indices", Ref: "3.3"}
	fi         = &model.Field{Name: "feature_index", Ref: "3.3"}
	filesCount = &model.Field{Name: "files_count", Codec: model.U32BE, Ref: "3.3"}
	files      = &model.Field{Name: "index_files", Ref: "3.3"}
	fileField  = &model.Field{Name: "index_file", Ref: "3.3"}
	pathLen    = &model.Field{Name: "len", Codec: model.U32BE, Ref: "3.3"}
	pathField  = &model.Field{Name: "path", Codec: model.UTF8, Ref: "3.3"}

	chunkedField = &model.Field{Name: "has_chunked_info", Codec: model.U8, Ref: "7.2"}
	chunkSize    = &model.Field{Name: "chunk_size", Codec: model.U32BE, Doc: "rows a chunk", Ref: "7.2"}
	numChunks    = &model.Field{Name: "num_chunks", Codec: model.U32BE, Ref: "7.2"}
	totalRows    = &model.Field{Name: "total_rows", Codec: model.U64BE, Ref: "7.2"}

	inline     = &model.Field{Name: "inline_data", Doc: "array bytes inside the header, as the schema text has them", Ref: "7.1"}
	inlineData = &model.Field{Name: "inline", Codec: model.RawBytes, Ref: "7.1"}
	tail       = &model.Field{Name: "tail", Codec: model.RawBytes, Doc: "unknown bytes behind the header; kept on saving"}
)

var dtypes = model.Enum{1: "UINT8_ARRAY", 2: "UINT16_ARRAY", 3: "UINT32_ARRAY", 4: "UINT64_ARRAY", 5: "FLOAT16_ARRAY",
	6: "FLOAT32_ARRAY", 7: "FLOAT64_ARRAY", 8: "STRING_ARRAY", 9: "FIXED_STRING_ARRAY"}

// widthOf returns the bytes of an element; 0 for dtypes that cannot back a file.
func widthOf(dtype uint64) int64 {
	return map[uint64]int64{1: 1, 2: 2, 3: 4, 4: 8, 5: 2, 6: 4, 7: 8}[dtype]
}

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

// detect says how sure it is that a file is of the format, or why it is not.
func detect(name string, head, tail []byte, size int64) (model.Confidence, string) {
	if c := confidence(name, head, tail, size); c > 0 {
		return c, ""
	}
	return 0, decline(name, head, tail, size)
}

func confidence(name string, head, _ []byte, size int64) model.Confidence {
	if len(head) >= 4 && string(head[:4]) == "SCDL" {
		return 95
	}
	if size >= 20 && len(head) >= 12 && head[4] == 0 && head[5] <= 1 && head[7] == 1 && string(head[8:12]) == "\x00\x00\x00\x01" {
		return 20 // the magic alone may be damaged
	}
	if size < 16 && strings.HasSuffix(name, ".sch") {
		return 10 // too short to say anything else
	}
	return 0
}

// decline says why confidence is 0.
func decline(_ string, head, _ []byte, _ int64) string {
	why := "begins with " + model.Opening(head) + ", not 53 43 44 4C (SCDL)"
	if len(head) >= 12 {
		why += fmt.Sprintf("; byte order and backend at 0x7 are % X, not 01 00 00 00 01", head[7:12])
	}
	return why
}

// reader reads one header. Its methods return false where the header cannot be read on; the reason is reported by then.
type reader struct {
	h     *header
	root  *model.Cursor
	names map[string]bool
	a     *archive // nil for a header alone
}

// readHeader lays spans over a header (section 3) and returns what it says. a is the archive around it, or nil.
func readHeader(c *model.Cursor, a *archive) *header {
	h := &header{}
	r := &reader{h: h, root: c, names: map[string]bool{}, a: a}
	if !r.read(c) {
		c.Resync(func([]byte) int { return -1 }) // the rest is damaged
	}
	if a != nil {
		a.header = h
	}
	for i := range h.oddTypes {
		d := &h.oddTypes[i]
		f := model.Finding{Rule: scdl015, Span: d.dtype.Span, Found: d.dtype.Value.String(), Expected: "1 to 9"}
		if a != nil {
			f.Fixes = a.typeFixes(d)
		}
		c.Report(f)
	}
	return h
}

func (r *reader) read(c *model.Cursor) bool {
	if c.Left() < 16 {
		c.Report(model.Finding{Rule: scdl001, Span: c.Span(), Range: c.Range(0, c.Left()), Found: model.SizeText(uint64(c.Left())), Expected: "at least 16 bytes"})
		return false
	}
	if b := c.Peek(12); string(b[:4]) != "SCDL" {
		m := c.Field(magic)
		d := model.Finding{Rule: scdl002, Span: m.Span, Found: m.Value.String(), Expected: "SCDL"}
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
		c.Report(model.Finding{Rule: scdl005, Span: major.Span, Found: major.Value.String(), Expected: "0"})
	case v == [3]uint64{0, 0, 2} || v == [3]uint64{0, 0, 9}:
		c.Report(model.Finding{Rule: scdl006, Severity: model.Note, Span: major.Span, Range: c.Range(4, 3), Message: "a header of a development version"})
	case v != [3]uint64{0, 1, 0}:
		c.Report(model.Finding{Rule: scdl006, Span: major.Span, Range: c.Range(4, 3), Expected: "0.1.0"})
	}
	if e := c.Field(endian); e.Uint() != 1 {
		d := model.Finding{Rule: scdl003, Span: e.Span, Found: e.Value.String(), Expected: "1"}
		if b := c.Peek(4); string(b[:3]) == "\x00\x00\x00" {
			d.Fixes = []model.Fix{model.SetTo(e.Span, model.U(1))}
		}
		c.Report(d)
		return false
	}
	r.h.backend = c.Field(backend)
	if b := r.h.backend; b.Uint() != 1 {
		d := model.Finding{Rule: scdl004, Span: b.Span, Found: b.Value.String(), Expected: "1"}
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
	n := c.Field(arrayCount)
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
	c.CountOf(n, list).Unchecked()
	if whole {
		return true
	}
	fixes := countFix(c, n, ends)
	if n.Uint() > most {
		c.Report(model.Finding{Rule: scdl008, Span: n.Span, Found: n.Value.String(), Expected: fmt.Sprintf("at most %d", most), Fixes: fixes})
	}
	c.Report(model.Finding{Rule: scdl007, Span: n.Span, Found: fmt.Sprintf("%d descriptors", len(r.h.arrays)), Expected: n.Value.String(), Fixes: fixes})
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
		c.Report(model.Finding{Rule: scdl011, Span: d.name.Span, Range: c.Range(d.nameLen.Range.Off, 4+d.name.Range.Len), Found: "an empty name"})
	}
	if len(name) > maxScdlName {
		short := strings.ToValidUTF8(name[:maxScdlName], "")
		c.Report(model.Finding{Rule: scdl013, Span: d.name.Span, Found: d.nameLen.Value.String(), Expected: "at most 1024 bytes",
			Fixes: []model.Fix{{Label: fmt.Sprintf("shorten the name to %d bytes", len(short)), Edits: []model.Edit{model.SetValue(d.name.Span, model.S(short))}}}})
	}
	if oddName(name) {
		c.Report(model.Finding{Rule: scdl021, Span: d.name.Span, Found: d.name.Value.String()})
	}
	rule := scdl014
	switch {
	case array && r.names["a"+name]:
	case !array && r.names["f"+name]:
		rule = scdl033
	case !array && r.names["a"+name]:
		rule = scdl034
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
		c.Report(model.Finding{Rule: scdl015, Span: d.dtype.Span, Found: d.dtype.Value.String(), Expected: "1 to 9",
			Fixes: []model.Fix{{Label: "set the dtype to STRING_ARRAY, as all writers do", Edits: []model.Edit{model.SetValue(d.dtype.Span, model.U(8))}}}})
	}
	return true
}

// maxScdlName is how many bytes a name may have.
const maxScdlName = 1024

func oddName(s string) bool {
	return strings.ContainsFunc(s, unicode.IsControl) || strings.ContainsRune(s, '\\') || strings.HasPrefix(s, "/") || strings.Contains(s, "..") ||
		len(s) > 1 && s[1] == ':' && unicode.IsLetter(rune(s[0]))
}

// text reads a length and as many bytes of UTF-8.
func (r *reader) text(c *model.Cursor, length, text *model.Field) (n, s model.Node, ok bool) {
	if c.Left() < 4 {
		return n, s, false
	}
	n = c.Field(length)
	if n.Int() > c.Left() {
		c.Report(model.Finding{Rule: scdl010, Span: n.Span, Found: n.Value.String(), Expected: "at most " + model.U(uint64(c.Left())).String()})
		return n, s, false
	}
	s = c.FieldN(text, n.Int())
	c.LengthOf(n, s)
	if !utf8.ValidString(s.Text()) {
		c.Report(model.Finding{Rule: scdl012, Span: s.Span, Found: s.Value.String()})
	}
	return n, s, true
}

// shape reads the optional shape and compares its product with the length.
func (r *reader) shape(c *model.Cursor, d *desc) bool {
	if c.Left() < 1 {
		return false
	}
	has := c.Field(hasShape)
	if has.Uint() == 0 {
		return true
	}
	if has.Uint() > 1 {
		c.Report(model.Finding{Rule: scdl016, Span: has.Span, Found: has.Value.String(), Expected: "0 or 1", Fixes: []model.Fix{model.SetTo(has.Span, model.U(1))}})
	}
	if c.Left() < 4 {
		return false
	}
	n := c.Field(shapeDims)
	if n.Int() > c.Left()/4 {
		c.Report(model.Finding{Rule: scdl019, Span: n.Span, Found: n.Value.String(), Expected: "at most " + model.U(uint64(c.Left()/4)).String()})
		return false
	}
	if n.Uint() == 0 {
		c.Report(model.Finding{Rule: scdl017, Span: n.Span, Found: "0", Fixes: []model.Fix{{Label: "drop the shape", Safe: true,
			Edits: []model.Edit{model.SetValue(has.Span, model.U(0)), model.Replace(n.Range, nil)}}}})
		return true
	}
	b := c.Peek(4 * n.Int())
	product, overflow := uint64(1), false
	at := c.Pos()
	for i := 0; i < len(b); i += 4 {
		dim := uint64(b[i])<<24 | uint64(b[i+1])<<16 | uint64(b[i+2])<<8 | uint64(b[i+3])
		if dim == 0 {
			c.Report(model.Finding{Rule: scdl018, Span: c.Span(), Range: c.Range(at+int64(i), 4), Found: "0"})
		}
		hi, lo := bits.Mul64(product, dim)
		product, overflow = lo, overflow || hi != 0
	}
	shape := c.Elements(shapeField, dim, n.Int())
	c.CountOf(n, shape)
	if product != d.len_.Uint() || overflow {
		f := model.Finding{Rule: scdl020, Span: shape.Span, Found: model.U(product).String(), Expected: d.len_.Value.String()}
		if !overflow {
			f.Fixes = []model.Fix{{Label: "set the length to " + model.U(product).String(), Edits: []model.Edit{model.SetValue(d.len_.Span, model.U(product))}}}
		}
		c.Report(f)
	}
	return true
}
