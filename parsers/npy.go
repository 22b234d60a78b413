package parsers

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
	npyMagic   = &model.Field{Name: "magic", Codec: model.BytesOf(6)}
	npyMajor   = &model.Field{Name: "major", Codec: model.U8}
	npyMinor   = &model.Field{Name: "minor", Codec: model.U8}
	npyLen16   = &model.Field{Name: "header_len", Codec: model.U16LE}
	npyLen32   = &model.Field{Name: "header_len", Codec: model.U32LE}
	npyHeader  = &model.Field{Name: "header", Codec: model.ASCII, Doc: "a Python dict: descr, fortran_order, shape"}
	npyData    = &model.Field{Name: "data"}
	npyRawData = &model.Field{Name: "data", Codec: model.RawBytes, Doc: "not decoded: a pickle runs code, and other types have no fixed elements"}
)

// npyHead is the head of an NPY file.
type npyHead struct {
	descr string // '<i8', '<U5', '|O' …
	shape []int64
	data  int64 // where the data starts
	count int64
}

var (
	npyDescr = regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`)
	npyShape = regexp.MustCompile(`'shape'\s*:\s*\(([^)]*)\)`)
)

// npyParse reads the head of an NPY file from its first bytes.
func npyParse(b []byte) (h npyHead, err error) {
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
	d, s := npyDescr.FindStringSubmatch(head), npyShape.FindStringSubmatch(head)
	if d == nil || s == nil {
		return h, fmt.Errorf("the NPY header has no descr or shape")
	}
	h = npyHead{descr: d[1], data: int64(at + n), count: 1}
	for _, dim := range strings.Split(s[1], ",") {
		if dim = strings.TrimSpace(dim); dim == "" {
			continue
		}
		k, err := strconv.ParseInt(dim, 10, 64)
		if err != nil || k < 0 || k > 1<<40 {
			return h, fmt.Errorf("the NPY shape has %q", dim)
		}
		h.shape = append(h.shape, k)
		if h.count *= k; h.count > 1<<50 {
			return h, fmt.Errorf("the NPY shape is too large")
		}
	}
	return h, nil
}

// npyCodec returns the codec of an element, or nil for types that are not decoded.
func npyCodec(descr string) model.Codec {
	if n, err := strconv.Atoi(strings.TrimPrefix(descr, "<U")); err == nil && strings.HasPrefix(descr, "<U") && n > 0 && n < 1<<16 {
		return ucs4(4 * n)
	}
	return map[string]model.Codec{"<i8": model.I64LE, "<i4": model.I32LE, "<i2": model.I16LE, "|i1": model.I8, "<u8": model.U64LE, "<u4": model.U32LE,
		"<u2": model.U16LE, "|u1": model.U8, "<f8": model.F64LE, "<f4": model.F32LE, "<f2": model.F16LE, ">i8": model.I64BE, ">i4": model.I32BE, "|b1": model.Bool8}[descr]
}

// npyText makes an NPY file of one text, as numpy.save does.
func npyText(s string) []byte {
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

// npyFile reads an NPY file to its last byte.
func npyFile(c *model.Cursor) {
	if b := c.Peek(6); string(b) != "\x93NUMPY" {
		c.Rest(&model.Field{Name: "bytes", Codec: model.RawBytes})
		return
	}
	h, err := npyParse(c.Peek(1 << 16))
	c.Field(npyMagic)
	major := c.Field(npyMajor)
	c.Field(npyMinor)
	n := npyLen16
	if major.Uint() >= 2 {
		n = npyLen32
	}
	l := c.Field(n)
	c.LengthOf(l, c.FieldN(npyHeader, l.Int()))
	codec := npyCodec(h.descr)
	switch {
	case err != nil || codec == nil || c.Left() == 0:
		if c.Left() > 0 {
			c.Rest(npyRawData)
		}
	case len(h.shape) == 0:
		c.Field(&model.Field{Name: "data", Codec: codec})
	default:
		c.Elements(npyData, &model.Field{Name: "value", Codec: codec}, min(h.count, c.Left()/int64(codec.Size())))
	}
}

// ucs4 is text of four bytes a character, filled up with NULs.
type ucs4 int

func (u ucs4) Size() int        { return int(u) }
func (u ucs4) Type() string     { return "utf32" }
func (u ucs4) Endian() string   { return "le" }
func (u ucs4) Kind() model.Kind { return model.Text }

func (u ucs4) Decode(b []byte) (model.Value, int, error) {
	if len(b) < int(u) {
		return model.Value{}, 0, fmt.Errorf("too few bytes")
	}
	var s strings.Builder
	for i := 0; i < int(u); i += 4 {
		s.WriteRune(rune(binary.LittleEndian.Uint32(b[i:])))
	}
	return model.S(strings.TrimRight(s.String(), "\x00")), int(u), nil
}

func (u ucs4) Encode(v model.Value) ([]byte, error) {
	b := make([]byte, 0, u)
	for _, r := range v.Text() {
		b = binary.LittleEndian.AppendUint32(b, uint32(r))
	}
	if len(b) > int(u) {
		return nil, fmt.Errorf("%d characters do not fit in %d", len(b)/4, u/4)
	}
	return append(b, make([]byte, int(u)-len(b))...), nil
}
