// Package npyfile reads NPY files, versions 1.0 to 3.0 (numpy.lib.format): a magic, a textual Python dict with the type,
// the order and the shape of an array, and its elements. SCDL stores small arrays as NPY, and the format NPY consists of nothing else.
package npyfile

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

var (
	magic      = &model.Field{Name: "magic", Codec: model.BytesOf(6), Fixed: "the magic number identifies an NPY file"}
	majorField = &model.Field{Name: "major", Codec: model.U8}
	minor      = &model.Field{Name: "minor", Codec: model.U8}
	len16      = &model.Field{Name: "header_len", Codec: model.U16LE, Doc: "bytes of the header"}
	len32      = &model.Field{Name: "header_len", Codec: model.U32LE, Doc: "bytes of the header"}
	header     = &model.Field{Name: "header", Doc: "a Python dict: descr, fortran_order, shape"}
	headerText = &model.Field{Name: "header", Codec: model.ASCII, Doc: header.Doc}
	rawHeader  = &model.Field{Name: "text", Codec: model.UTF8, Unused: true}
	syntax     = &model.Field{Name: "syntax", Codec: model.UTF8, Fixed: "brackets, names and commas are needed between the values"}
	blanks     = &model.Field{Name: "blanks", Codec: model.ASCII, Doc: "padding of the header, ending in a line feed"}
	parts      = map[string]*model.Field{
		"descr":         {Name: "descr", Codec: literal{model.Text}, Doc: "byte order, kind and bytes of an element: <f4"},
		"fortran_order": {Name: "fortran_order", Codec: literal{model.Bool}, Doc: "True: the first index changes fastest"},
		"field":         {Name: "field", Codec: literal{model.Text}, Doc: "the name of a field of each element"},
		"type":          {Name: "type", Codec: literal{model.Text}, Doc: "byte order, kind and bytes of a field: <f4"},
	}
	dim     = &model.Field{Name: "dim", Codec: literal{model.Int}, Doc: "a dimension of the shape"}
	data    = &model.Field{Name: "data", Doc: "the elements", Values: true}
	unread  = &model.Field{Name: "data", Codec: model.RawBytes, Unused: true, Doc: "not decoded: the header that describes it cannot be read"}
	rawData = &model.Field{Name: "data", Codec: model.RawBytes, Doc: "not decoded: types like this one have no fixed elements"}
)

// Array is a parsed NPY file.
type Array struct {
	Head
	Err    error // why the head cannot be read
	Length model.Node
	Header *model.Span
	Dims   []model.Node
	Descr  model.Node
	Data   *model.Span // the elements; nil where there are none or they are not decoded
	Pickle *model.Span // the instructions that make the elements, where they are Python objects
	Bytes  int64       // bytes after the header
	Width  int64       // of an element; 0 where it is not known
	Ends   int64       // bytes of the header up to its line feed, if header_len says otherwise and is wrong; otherwise 0
	Whole  int64       // bytes of the file according to that end and the shape
	// Retyped is another type with which the file has its length, and whose values make sense; "" for none.
	Retyped string
}

// CodecOf returns the codec of an element, or nil for unsupported types.
func CodecOf(descr string) model.Codec {
	if n, err := strconv.Atoi(strings.TrimPrefix(descr, "<U")); err == nil && strings.HasPrefix(descr, "<U") && n > 0 && n < 1<<16 {
		return Ucs4{4 * n, binary.LittleEndian}
	}
	return model.Dtypes[descr]
}

// Text makes an NPY file of one string, as numpy.save does.
func Text(s string) []byte { return whole("()", []string{s}) }

// Texts makes an NPY file of a one-dimensional array of strings.
func Texts(list []string) []byte { return whole(fmt.Sprintf("(%d,)", len(list)), list) }

// whole is a file of strings, all filled up with zeros to the length of the longest.
func whole(shape string, list []string) []byte {
	longest := 1 // numpy has no strings of no characters
	for _, s := range list {
		longest = max(longest, utf8.RuneCountInString(s))
	}
	b := start(fmt.Sprintf("<U%d", longest), shape)
	for _, s := range list {
		end := len(b) + 4*longest
		for _, r := range s {
			b = binary.LittleEndian.AppendUint32(b, uint32(r))
		}
		b = append(b, make([]byte, end-len(b))...)
	}
	return b
}

// Ints makes an NPY file of a one-dimensional array of int64.
func Ints(list []int64) []byte {
	b := start("<i8", fmt.Sprintf("(%d,)", len(list)))
	for _, n := range list {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// start is the first 128 bytes of a file, up to the values.
func start(descr, shape string) []byte {
	const room = 128 - 10
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	b := append([]byte(Magic+"\x01\x00"), room, 0)
	return append(append(b, head...), strings.Repeat(" ", room-1-len(head))+"\n"...)
}

// Field reads a whole NPY file, with its header as one text.
func Field(c *model.Cursor) { read(c, false) }

// Read reads a whole NPY file including the parts of its header, and returns what it is. Only links report problems; everything else is
// left to the format.
func Read(c *model.Cursor) *Array { return read(c, true) }

func read(c *model.Cursor, apart bool) *Array {
	a := &Array{}
	if b := c.Peek(12); len(b) < 10 || string(b[:6]) != Magic {
		a.Head, a.Err = Parse(b)
		c.Rest(&model.Field{Name: "bytes", Codec: model.RawBytes, Unused: true})
		return a
	}
	h, _ := Parse(c.Peek(12)) // how much to read: of a store no more is worth it
	a.Head, a.Err = Parse(c.Peek(min(1<<16, max(12, h.Data))))
	c.Field(magic)
	major := c.Field(majorField)
	c.Field(minor)
	n := len16
	if major.Uint() >= 2 {
		n = len32
	}
	var head model.Node
	a.Length = c.Field(n)
	if apart {
		head = c.Block(header, min(a.Length.Int(), c.Left()), a.header)
	} else {
		head = c.FieldN(headerText, min(a.Length.Int(), c.Left()))
	}
	c.LengthOf(a.Length, head).When(head.Range.Len == a.Length.Int())
	a.Header, a.Bytes = head.Span, c.Left()
	if size := c.Size(); a.Err != nil || a.Bytes != a.Count*a.Item {
		a.Ends, a.Whole = textEnd(c.PeekAt(c.Base(), min(size, text+MaxHeader)), size)
	}
	a.elements(c, apart)
	return a
}

// header creates leaves for the dict: its values, the syntax between them, and the padding.
func (a *Array) header(c *model.Cursor) {
	if a.Err != nil {
		c.Rest(rawHeader)
		return
	}
	base, pieces, last := c.Pos(), 0, int64(0)
	named := map[string]int{}
	between := func(to int64) {
		if to > c.Pos() {
			pieces++
			c.FieldN(syntax.Named("syntax %d", pieces), to-c.Pos())
		}
	}
	for _, t := range a.tokens {
		if last = t.end; t.is == "" {
			continue
		}
		between(base + t.start)
		f := parts[t.is]
		if f == nil {
			f = dim.Named("%s", t.is)
		}
		if t.is == "field" || t.is == "type" {
			named[t.is]++
			f = f.Named("%s %d", t.is, named[t.is])
		}
		switch n := c.FieldN(f, t.end-t.start); {
		case t.is == "descr":
			a.Descr = n
		case strings.HasPrefix(t.is, "dim"):
			a.Dims = append(a.Dims, n)
		}
	}
	between(base + last)
	if c.Left() > 0 {
		c.Rest(blanks)
	}
}

// elements reads the data according to the head.
func (a *Array) elements(c *model.Cursor, apart bool) {
	if a.Parts != nil {
		a.Width = a.Item
	}
	switch {
	case a.Bytes == 0:
		return
	case a.Err == nil && apart && Objects(a.Type) && a.Ends == 0:
		a.Pickle = pickle(c)
		return
	case a.Err != nil:
		c.Rest(unread)
		return
	case a.Width == 0 || a.Ends > 0: // values would be displaced
		c.Rest(rawData)
		return
	case len(a.Shape) == 0 && !apart && a.Bytes >= a.Width && len(a.Parts) == 1:
		c.Field(&model.Field{Name: "data", Codec: a.Parts[0].Codec, Values: true})
		return
	}
	there := min(a.Count, a.Bytes/a.Width)
	var n model.Node
	if fields := a.Fields(); a.IsRecord() {
		n = c.Array(data, model.NewRecord(fields...), there)
	} else {
		n = c.Elements(data, &model.Field{Name: "value", Codec: fields[0].Codec}, there)
	}
	if a.Data = n.Span; len(a.Shape) == 1 && len(a.Dims) == 1 && apart {
		c.CountOf(a.Dims[0], n).When(a.Bytes == a.Count*a.Width)
	}
}
