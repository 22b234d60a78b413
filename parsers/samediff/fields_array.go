package samediff

import (
	"encoding/binary"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// arr is a FlatArray (section 3.6).
type arr struct {
	at        int64
	typ       int64
	byteOrder int64
	hasOrder  bool
	shape     []int64 // as stored
	shapeAt   int64
	width     int64 // of the numbers in shape
	dialect   string
	dims      []int64
	strides   []int64
	extras    int64
	order     byte // c or f
	count     int64
	countOK   bool // the product of dims does not overflow, and none is negative
	inline    bool
	buffer    [2]int64 // where the bytes are, and how many
	chunks    [][2]int64
	total     int64 // bytes that are in the buffer, inline or in chunks
	stub      bool
	offset    int64 // offset in a stub
	length    int64
	external  bool
	files     []string
}

// array reads the FlatArray at an offset and determines its dialect.
func (p *placed) array(b flat.Buffer, at int64) *arr {
	a := &arr{at: at, order: 'c', width: p.ShapeWidth()}
	a.typ = b.Num(at, flat.ArrType, 1)
	a.byteOrder, a.hasOrder = b.Opt(at, flat.ArrOrder, 1)
	a.shapeAt = b.Ref(at, flat.ArrShape)
	a.shape, _ = b.Longs(at, flat.ArrShape, a.width, maxDims)
	_, n, _ := b.Vec(at, flat.ArrShape, a.width)
	if from, size, ok := b.Vec(at, flat.ArrBuffer, 1); ok {
		a.inline, a.buffer, a.total = true, [2]int64{from, size}, size
	}
	if p.Late() || p.Gen == "" {
		for _, t := range b.Tables(at, flat.ArrChunks) {
			if from, size, ok := b.Vec(t, 1, 1); ok {
				a.chunks = append(a.chunks, [2]int64{from, size})
				a.total += size
			}
		}
		a.length, a.stub = b.Opt(at, flat.ArrAppendedLength, 8)
		a.stub = a.stub && !a.inline && len(a.chunks) == 0
		a.offset = b.Num(at, flat.ArrAppendedOffset, 8)
		a.external = b.Num(at, flat.ArrExternal, 1) != 0
		a.files, _ = b.Strs(at, flat.ArrFiles)
	}
	a.decide(b, p.dims, n)
	return a
}

// pieces are the places of the bytes in the buffer; none if they are elsewhere.
func (a *arr) pieces() [][2]int64 {
	if a.inline {
		return [][2]int64{a.buffer}
	}
	return a.chunks
}

// bytes is the size of the array according to the buffer; ok is false if it does not say.
func (a *arr) bytes() (n int64, ok bool) {
	switch {
	case a.inline || len(a.chunks) > 0:
		return a.total, true
	case a.stub:
		return a.length, true
	}
	return 0, false
}

// decide determines the dialect (section 3.6): dims where they are usual, shapeInfo if it fits.
func (a *arr) decide(b flat.Buffer, dims bool, n int64) {
	rank := a.rank()
	framed := rank >= 0 && n <= maxDims
	ordered := framed && (a.shape[n-1] == 99 || a.shape[n-1] == 102) // the last number is the code of an order, c or f
	info := ordered && a.shape[0] == rank && rank <= 32
	have, known := a.bytes()
	fits := func(d []int64) bool {
		c, ok := product(d)
		if a.typ == dtypeUTF8 && a.inline { // strings have their own lengths
			return ok && readStrings(b[a.buffer[0]:a.buffer[0]+a.buffer[1]], c) != nil
		}
		return ok && sizeOf(a.typ, c) == have
	}
	switch {
	case dims && !(info && known && !fits(a.shape) && fits(a.shape[1:1+rank])):
		a.setDims()
	case info:
		a.setInfo()
	case known && n <= maxDims && fits(a.shape):
		a.setDims()
	case framed && a.shape[0] == rank && (rank <= 32 || ordered), ordered && known && fits(a.shape[1:1+rank]):
		a.setInfo() // everything else is right: the order or the rank is wrong
	case !known && !a.external && a.none():
		a.setDims() // no elements, and no buffer
	}
	a.count, a.countOK = product(a.dims)
}

// none tells whether the content of shape, read as dims, has no elements.
func (a *arr) none() bool {
	n, ok := product(a.shape)
	return ok && n == 0 && len(a.shape) > 0
}

// unshaped gives an array with a lost shape the dims that its bytes fit, or one axis.
func (a *arr) unshaped(dims bool, shape []int64) {
	t := types[a.typ]
	if t == nil || len(a.pieces()) == 0 {
		return
	}
	a.dims = []int64{a.total / t.width}
	if n, ok := product(shape); ok && len(shape) > 0 && n == a.dims[0] {
		a.dims = shape
	} else if a.inline {
		a.dims[0] = a.buffer[1] / t.width
	}
	if a.dialect = "SI"; dims {
		a.dialect = "DIM"
	}
	a.count, a.countOK = product(a.dims)
}

func (a *arr) setDims() {
	a.dialect, a.dims = "DIM", a.shape
	if a.byteOrder == 1 {
		a.order = 'f'
	}
}

// rank is the number of dimensions in a shapeInfo of this length; negative if there is none.
func (a *arr) rank() int64 {
	n := int64(len(a.shape))
	if n%2 != 0 {
		return -1
	}
	return (n - 4) / 2
}

func (a *arr) setInfo() {
	r := a.rank()
	a.dialect, a.dims, a.strides = "SI", a.shape[1:1+r], a.shape[1+r:1+2*r]
	a.extras = a.shape[1+2*r]
	if a.shape[len(a.shape)-1] == 102 {
		a.order = 'f'
	}
}

// big tells whether the elements are big-endian.
func (a *arr) big() bool { return a.dialect != "DIM" && a.byteOrder == 1 }

// sizeOf returns the size of n elements of a type in bytes, or -1 if the type is unknown or the size overflows.
func sizeOf(typ, n int64) int64 {
	t := types[typ]
	if t == nil {
		return -1
	}
	size, ok := model.Times(uint64(n), uint64(t.width), 1<<62)
	if !ok {
		return -1
	}
	return int64(size)
}

// product multiplies dims; ok is false if one is negative or the product overflows.
func product(dims []int64) (n int64, ok bool) {
	if len(dims) > 32 {
		return 0, false
	}
	total := uint64(1)
	for _, d := range dims {
		if total, ok = model.Times(total, uint64(max(d, 1)), 1<<62); !ok || d < 0 {
			return 0, false
		}
	}
	if slices.Contains(dims, 0) {
		return 0, true
	}
	return int64(total), true
}

// empty tells whether the dims say that there are no elements.
func (a *arr) empty() bool {
	return a.countOK && a.count == 0 || a.dialect == "SI" && a.extras&8 != 0
}

// defaulted tells whether an empty array has the type that ND4J of 2019 gave all of these, FLOAT or DOUBLE, though its shape
// and its variable name another.
func (a *arr) defaulted(of int64) bool {
	return a.dialect == "SI" && a.empty() && !a.stub && a.total == 0 && (a.typ == 5 || a.typ == 6) && bitOf(of) != 0 && a.extras&typeBits == bitOf(of)
}

// denseStrides returns the strides of a dense array with these dims in an order.
func denseStrides(dims []int64, order byte) []int64 {
	out := make([]int64, len(dims))
	step := int64(1)
	for i := range dims {
		k := len(dims) - 1 - i
		if order == 'f' {
			k = i
		}
		out[k] = step
		step *= max(1, dims[k])
	}
	return out
}

// elemType is a DType of arrays (section 3.5): its element in either byte order.
type elemType struct {
	name   string
	width  int64
	le, be *model.Field
	float  bool
	bit    int64 // its option bit in shapeInfo (section 3.6.1)
}

const (
	dtypeBool = 1
	dtypeUTF8 = 50

	unsignedBit = 8388608
	emptyFlag   = 8 // an array without elements
)

var types = map[int64]*elemType{
	1:  typeOf("BOOL", model.U8, model.U8, 524288),
	3:  typeOf("HALF", model.F16LE, model.F16BE, 4096),
	5:  typeOf("FLOAT", model.F32LE, model.F32BE, 8192),
	6:  typeOf("DOUBLE", model.F64LE, model.F64BE, 16384),
	7:  typeOf("INT8", model.I8, model.I8, 32768),
	8:  typeOf("INT16", model.I16LE, model.I16BE, 65536),
	9:  typeOf("INT32", model.I32LE, model.I32BE, 131072),
	10: typeOf("INT64", model.I64LE, model.I64BE, 262144),
	11: typeOf("UINT8", model.U8, model.U8, 32768|unsignedBit),
	12: typeOf("UINT16", model.U16LE, model.U16BE, 65536|unsignedBit),
	13: typeOf("UINT32", model.U32LE, model.U32BE, 131072|unsignedBit),
	14: typeOf("UINT64", model.U64LE, model.U64BE, 262144|unsignedBit),
	17: typeOf("BFLOAT16", model.BF16LE, model.BF16BE, 2048),
}

func typeOf(name string, le, be model.Codec, bit int64) *elemType {
	return &elemType{name, int64(le.Size()), &model.Field{Name: "value", Doc: name, Codec: le},
		&model.Field{Name: "value", Doc: name, Codec: be},
		le.Kind() == model.Float, bit}
}

// typeName names any DType.
func typeName(t int64) string {
	if n, ok := flat.Enums["DType"][uint64(t)]; ok {
		return n
	}
	return fmt.Sprint(t)
}

// blobArray is an array outside the buffer that describes it.
type blobArray struct {
	name string
	typ  int64
	at   int64 // where it starts in the space of its frame
	len  int64
	bad  bool // it has no place: outside the file, or overlapping another
	// shared means that some of its bytes are another's too: which of the two they are is not known.
	shared bool
	// entry is where the index names it, in its buffer.
	entry int64
	stub  *model.Span // the object that describes it there
	span  *model.Span
}

// outside tells whether the array is not entirely before end.
func (b *blobArray) outside(end int64) bool { return b.bad || b.at > end || b.len > end-b.at }

// arrays is an ARRAYS section (section 2.3).
type arrays struct {
	index  *placed
	blobs  []*blobArray // one for each entry that is a stub
	region int64        // base of the offsets in stubs; -1 if no arrays follow the index
}

// stringArray is the content of an array of texts.
type stringArray struct {
	b     []byte
	n     int64
	order byteOrder
	front int64 // bytes before the offsets: strings of early 2019 have a count there
}

// byteOrder reads and writes numbers.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func (s *stringArray) offset(i int64) int64 { return int64(s.order.Uint64(s.b[s.front+8*i:])) }

// at returns where text i is.
func (s *stringArray) at(i int64) (from, to int64) {
	area := s.front + 8*(s.n+1)
	return area + s.offset(i), area + s.offset(i+1)
}

// sound tells whether the offsets start at 0, do not decrease, and end where the bytes do.
func (s *stringArray) sound() bool {
	area := s.front + 8*(s.n+1)
	if area > int64(len(s.b)) || s.offset(0) != 0 {
		return false
	}
	last := int64(0)
	for i := range s.n {
		next := s.offset(i + 1)
		if next < last || next > int64(len(s.b)) {
			return false
		}
		last = next
	}
	return area+last == int64(len(s.b))
}

// readStrings reads n texts in the form that fits, or returns nil.
func readStrings(b []byte, n int64) *stringArray {
	if n < 0 || n >= int64(len(b))/8 {
		return nil
	}
	for _, s := range []*stringArray{{b, n, binary.LittleEndian, 0}, {b, n, binary.BigEndian, 0}, {b, n, binary.BigEndian, 8}} {
		if s.sound() && (s.front == 0 || binary.BigEndian.Uint64(b) == uint64(n)) {
			return s
		}
	}
	return nil
}

// appendInt adds a little-endian number of 4 or 8 bytes.
func appendInt(out []byte, v, width int64) []byte {
	if width == 4 {
		return binary.LittleEndian.AppendUint32(out, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(out, uint64(v))
}

// typeBits are the option bits that name types (section 3.6.1).
const typeBits = 2048 | 4096 | 8192 | 16384 | 32768 | 65536 | 131072 | 262144 | 524288 | 1048576 | unsignedBit

// bitOf is the option bit of a type, or 0.
func bitOf(typ int64) int64 {
	if t := types[typ]; t != nil {
		return t.bit
	}
	if typ == dtypeUTF8 {
		return 1048576
	}
	return 0
}

// number sets a number of an array, if it is present and differs.
func (a *arr) number(p *placed, b flat.Buffer, slot int, v int64) []model.Edit {
	at := b.Slot(a.at, slot)
	if at == 0 || b.I64(at) == v {
		return nil
	}
	_, r := p.at(at, 8)
	return []model.Edit{model.Replace(r, appendInt(nil, v, 8))}
}
