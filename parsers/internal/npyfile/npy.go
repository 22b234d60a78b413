package npyfile

// NPY 1.0 to 3.0 (numpy.lib.format): the small index and version files of SCDL archives.

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

var (
	magic      = &model.Field{Name: "magic", Codec: model.BytesOf(6)}
	majorField = &model.Field{Name: "major", Codec: model.U8}
	minor      = &model.Field{Name: "minor", Codec: model.U8}
	len16      = &model.Field{Name: "header_len", Codec: model.U16LE}
	len32      = &model.Field{Name: "header_len", Codec: model.U32LE}
	header     = &model.Field{Name: "header", Codec: model.ASCII, Doc: "a Python dict: descr, fortran_order, shape"}
	data       = &model.Field{Name: "data"}
	rawData    = &model.Field{Name: "data", Codec: model.RawBytes, Doc: "not decoded: a pickle runs code, and other types have no fixed elements"}
)

// Head is the head of an NPY file.
type Head struct {
	Descr string // '<i8', '<U5', '|O' …
	Shape []int64
	Data  int64 // where the data starts
	Count int64
}

var (
	descr = regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`)
	shape = regexp.MustCompile(`'shape'\s*:\s*\(([^)]*)\)`)
)

// Parse reads the head of an NPY file from its first bytes.
func Parse(b []byte) (h Head, err error) {
	if len(b) < 10 || string(b[:6]) != "\x93NUMPY" {
		return h, fmt.Errorf("no NPY magic")
	}
	n, at := int(binary.LittleEndian.Uint16(b[8:])), 10
	if b[6] >= 2 {
		if len(b) < 12 {
			return h, fmt.Errorf("the NPY header is cut short")
		}
		n, at = int(binary.LittleEndian.Uint32(b[8:])), 12
	}
	if n > len(b)-at {
		return h, fmt.Errorf("the NPY header is cut short")
	}
	head := string(b[at : at+n])
	d, s := descr.FindStringSubmatch(head), shape.FindStringSubmatch(head)
	if d == nil || s == nil {
		return h, fmt.Errorf("the NPY header has no descr or shape")
	}
	h = Head{Descr: d[1], Data: int64(at + n), Count: 1}
	for _, dim := range strings.Split(s[1], ",") {
		if dim = strings.TrimSpace(dim); dim == "" {
			continue
		}
		k, err := strconv.ParseInt(dim, 10, 64)
		if err != nil || k < 0 || k > 1<<40 {
			return h, fmt.Errorf("the NPY shape has %q", dim)
		}
		h.Shape = append(h.Shape, k)
		if h.Count *= k; h.Count > 1<<50 {
			return h, fmt.Errorf("the NPY shape is too large")
		}
	}
	return h, nil
}

// CodecOf returns the codec of an element, or nil for types that are not decoded.
func CodecOf(descr string) model.Codec {
	if n, err := strconv.Atoi(strings.TrimPrefix(descr, "<U")); err == nil && strings.HasPrefix(descr, "<U") && n > 0 && n < 1<<16 {
		return Ucs4(4 * n)
	}
	return map[string]model.Codec{"<i8": model.I64LE, "<i4": model.I32LE, "<i2": model.I16LE, "|i1": model.I8, "<u8": model.U64LE, "<u4": model.U32LE,
		"<u2": model.U16LE, "|u1": model.U8, "<f8": model.F64LE, "<f4": model.F32LE, "<f2": model.F16LE, ">i8": model.I64BE, ">i4": model.I32BE, "|b1": model.Bool8}[descr]
}

// Text makes an NPY file of one text, as numpy.save does.
func Text(s string) []byte {
	head := fmt.Sprintf("{'descr': '<U%d', 'fortran_order': False, 'shape': (), }", utf8.RuneCountInString(s))
	const room = 128 - 10
	b := append([]byte("\x93NUMPY\x01\x00"), room, 0)
	b = append(b, head...)
	b = append(append(b, strings.Repeat(" ", room-1-len(head))...), '\n')
	for _, r := range s {
		b = binary.LittleEndian.AppendUint32(b, uint32(r))
	}
	return b
}

// Field reads an NPY file to its last byte.
func Field(c *model.Cursor) {
	if b := c.Peek(6); string(b) != "\x93NUMPY" {
		c.Rest(&model.Field{Name: "bytes", Codec: model.RawBytes})
		return
	}
	h, err := Parse(c.Peek(1 << 16))
	c.Field(magic)
	major := c.Field(majorField)
	c.Field(minor)
	n := len16
	if major.Uint() >= 2 {
		n = len32
	}
	l := c.Field(n)
	c.LengthOf(l, c.FieldN(header, l.Int()))
	codec := CodecOf(h.Descr)
	switch {
	case err != nil || codec == nil || c.Left() == 0:
		if c.Left() > 0 {
			c.Rest(rawData)
		}
	case len(h.Shape) == 0:
		c.Field(&model.Field{Name: "data", Codec: codec})
	default:
		c.Elements(data, &model.Field{Name: "value", Codec: codec}, min(h.Count, c.Left()/int64(codec.Size())))
	}
}

// ucs4 is text of four bytes a character, filled up with NULs.
type Ucs4 int

func (u Ucs4) Size() int        { return int(u) }
func (u Ucs4) Type() string     { return "utf32" }
func (u Ucs4) Endian() string   { return "le" }
func (u Ucs4) Kind() model.Kind { return model.Text }

func (u Ucs4) Decode(b []byte) (model.Value, int, error) {
	if len(b) < int(u) {
		return model.Value{}, 0, fmt.Errorf("too few bytes")
	}
	var s strings.Builder
	for i := 0; i < int(u); i += 4 {
		s.WriteRune(rune(binary.LittleEndian.Uint32(b[i:])))
	}
	return model.S(strings.TrimRight(s.String(), "\x00")), int(u), nil
}

func (u Ucs4) Encode(v model.Value) ([]byte, error) {
	b := make([]byte, 0, u)
	for _, r := range v.Text() {
		b = binary.LittleEndian.AppendUint32(b, uint32(r))
	}
	if len(b) > int(u) {
		return nil, fmt.Errorf("%d characters do not fit in %d", len(b)/4, u/4)
	}
	return append(b, make([]byte, int(u)-len(b))...), nil
}
