package samediff

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// checker runs the deep checks of one buffer.
type checker struct {
	*modelView
	t    *model.Tree
	ctx  bufContext
	p    *model.Probe
	made map[*model.Rule]int // findings by rule
}

// report adds a finding at an object of the buffer.
func (k *checker) report(rule *model.Rule, at, n int64, found, want, format string, args ...any) {
	k.offer(rule, at, n, found, want, nil, format, args...)
}

// offer adds a finding with its fixes.
func (k *checker) offer(rule *model.Rule, at, n int64, found, want string, fixes []model.Fix, format string, args ...any) {
	d := model.Finding{Rule: rule, Fixes: fixes}
	if k.made[rule]++; k.made[rule] <= model.MaxPerRule { // others are only counted
		d.Span, d.Range = k.at(at, n)
		d.Found, d.Expected = short(found, 256), short(want, 256)
		for i, a := range args { // damage can make a name of the whole file
			if s, ok := a.(string); ok {
				args[i] = short(s, 256)
			}
		}
		d.Message = fmt.Sprintf(format, args...)
	}
	k.p.Report(d)
}

// where returns where a field of a table is and how long, or the table when it has none, for findings.
func (k *checker) where(t int64, slot int, width int64) (int64, int64) {
	if p := k.b.Slot(t, slot); p != 0 {
		return p, width
	}
	return t, 4
}

// all calls f with every table of a type in the buffer.
func (k *checker) all(name string, f func(at int64)) {
	for i := range k.Objs {
		if o := &k.Objs[i]; o.Kind == flat.TableObject && o.Layout >= 0 && k.TableOf(*o).Name == name {
			f(int64(o.Off))
		}
	}
}

// arrays checks every FlatArray of the buffer (section 4.8).
func (k *checker) arrays() error {
	kinds := map[int64]*variable{}
	for i := range k.vars {
		if a := k.vars[i].array; a != 0 {
			kinds[a] = &k.vars[i]
		}
	}
	k.all("FlatArray", func(at int64) {
		if k.ctx.Err() == nil {
			k.array(at, kinds[at])
		}
	})
	return k.ctx.Err()
}

// array checks one FlatArray. x is the variable that it belongs to, or nil.
func (k *checker) array(at int64, x *variable) {
	a := k.placed.array(k.b, at)
	typeAt, typeLen := k.where(at, flat.ArrType, 1)
	if types[a.typ] == nil && a.typ != dtypeUTF8 {
		k.report(typeUndecodable, typeAt, typeLen, typeName(a.typ), "a type with elements", "elements of type %s cannot be decoded", typeName(a.typ))
	}
	if a.hasOrder && a.byteOrder != 0 && a.byteOrder != 1 {
		o, n := k.where(at, flat.ArrOrder, 1)
		var fixes []model.Fix
		for _, v := range []int64{0, 1} {
			fixes = append(fixes, k.number(fmt.Sprintf("set byteOrder to %d", v), false, at, flat.ArrOrder, 1, v)...)
		}
		k.offer(badByteOrder, o, n, fmt.Sprint(a.byteOrder), "0 or 1", fixes, "byteOrder is neither 0 nor 1")
	}
	if x != nil && k.Late() && x.typ != a.typ {
		k.report(typesDiffer, typeAt, typeLen, typeName(a.typ), typeName(x.typ), "%s: the array is of another type than the variable", x.name)
	}
	k.chunks(a)
	if total := k.b.Num(at, flat.ArrTotal, 8); a.stub && total != a.length {
		o, n := k.where(at, flat.ArrTotal, 8)
		k.offer(stubTotal, o, n, fmt.Sprint(total), fmt.Sprint(a.length), k.number("write the appended length", true, at, flat.ArrTotal, 8, a.length), "")
	}
	if !k.shape(a) || types[a.typ] == nil && a.typ != dtypeUTF8 {
		return
	}
	if want := a.sizeOf(a.count); a.stub && k.Root.Name == "ArraysSection" && a.length != want && want >= 0 {
		o, n := k.where(at, flat.ArrAppendedLength, 8)
		k.report(arrayLength, o, n, fmt.Sprint(a.length), fmt.Sprint(want), "%d bytes, %v of %s needs %d", a.length, a.dims, typeName(a.typ), want)
	}
	want := a.sizeOf(a.count)
	switch {
	case !a.inline && len(a.chunks) == 0:
	case a.typ == dtypeUTF8:
		if a.inline {
			k.strings(a)
		}
	case a.total != want && !a.empty():
		k.report(arrayLength, a.bufferAt(), 4, fmt.Sprint(a.total), fmt.Sprint(want), "%d bytes, %v of %s needs %d", a.total, a.dims, typeName(a.typ), want)
	default:
		k.values(a, x)
	}
}

// bufferAt returns where the length of the buffer stands.
func (a *arr) bufferAt() int64 {
	if a.inline {
		return a.buffer[0] - 4
	}
	return a.at
}

// chunks checks the pieces of a buffer (SDF-186).
func (k *checker) chunks(a *arr) {
	if len(a.chunks) == 0 || !k.Late() && k.Gen != "" {
		return
	}
	bad := ""
	var fixes []model.Fix
	if a.inline {
		bad = "there is a buffer as well"
	} else if total := k.b.Num(a.at, flat.ArrTotal, 8); total != a.total {
		bad = fmt.Sprintf("the chunks have %d bytes, totalBufferSize is %d", a.total, total)
		if a.total == a.sizeOf(a.count) {
			fixes = k.number(fmt.Sprintf("set totalBufferSize to %d", a.total), false, a.at, flat.ArrTotal, 8, a.total)
		}
	}
	k.b.Tables(a.at, flat.ArrChunks, func(i, t int64) {
		if index := k.b.Num(t, 0, 8); index != i {
			bad, fixes = fmt.Sprintf("chunk %d has the index %d", i, index), k.sortChunks(a)
		}
	})
	if bad != "" {
		at, n := k.where(a.at, flat.ArrChunks, 4)
		k.offer(chunksBroken, at, n, "", "", fixes, "%s", bad)
	}
}

// shape checks the shape of an array; ok is false when its elements cannot be counted.
func (k *checker) shape(a *arr) (ok bool) {
	at := a.shapeAt
	if at == 0 {
		at = a.at
	}
	elem := func(i int64) int64 { return at + 4 + a.width*i }
	switch {
	case a.dialect == "":
		if _, known := a.bytes(); !known || a.external {
			return false // without data there is nothing to decode
		}
		k.report(shapeUnclear, at, 4, fmt.Sprint(a.shape), "", "the shape is neither dims nor shapeInfo")
		return false
	case !a.countOK:
		k.report(shapeImpossible, at, 4, fmt.Sprint(a.dims), "", "the dims are negative, too many, or too large")
		return false
	case a.dialect != "SI":
		return true
	}
	r := int64(len(a.dims))
	if last := a.shape[len(a.shape)-1]; last != 99 && last != 102 {
		var fixes []model.Fix
		for _, v := range a.orders() {
			fixes = append(fixes, k.patch(fmt.Sprintf("set it to %d (%c)", v, v), false, elem(2*r+3), appendInt(nil, int64(v), a.width))...)
		}
		k.offer(orderLetter, elem(2*r+3), a.width, fmt.Sprint(last), "99 or 102", fixes, "the order character is neither c nor f")
	}
	dense := denseStrides(a.dims, a.order)
	for i, want := range dense {
		if a.strides[i] != want && a.dims[i] != 1 && a.count > 0 {
			k.strides(a, elem(r+1), dense)
			break
		}
	}
	k.extras(a, elem(2*r+1))
	return true
}

// strides reports strides that are not those of a dense array (SDF-173).
func (k *checker) strides(a *arr, at int64, dense []int64) {
	var fixes []model.Fix
	if a.total == a.sizeOf(a.count) {
		var out []byte
		for _, s := range dense {
			out = appendInt(out, s, a.width)
		}
		fixes = k.patch("write the strides of a dense array", true, at, out)
	}
	k.offer(stridesDiffer, at, a.width*int64(len(dense)), fmt.Sprint(a.strides), fmt.Sprint(dense), fixes, "")
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

// extras checks the option bits of shapeInfo (SDF-175, 176).
func (k *checker) extras(a *arr, at int64) {
	want := int64(1048576)
	if t := types[a.typ]; t != nil {
		want = t.bit
	}
	if got := a.extras & typeBits; k.Late() && (types[a.typ] != nil || a.typ == dtypeUTF8) && got != 0 && got != want {
		fixes := k.patch("set the bit of "+typeName(a.typ), true, at, appendInt(nil, a.extras&^typeBits|want, a.width))
		k.offer(typeBit, at, a.width, fmt.Sprintf("0x%x", got), fmt.Sprintf("0x%x", want), fixes, "")
	}
	empty := a.extras&8 != 0
	have := a.total > 0
	if k.Late() && !a.stub && !a.external && (empty && have || !empty && !have && a.count > 0) {
		k.report(emptyBit, at, a.width, fmt.Sprintf("%d bytes", a.total), "", "the bit EMPTY says otherwise than the buffer")
	}
}

// strings checks an array of texts (SDF-181 to SDF-183; section 3.6.4).
func (k *checker) strings(a *arr) {
	s := readStrings(k.b[a.buffer[0]:a.buffer[0]+a.buffer[1]], a.count)
	if s == nil {
		if !a.empty() {
			k.report(textsBroken, a.buffer[0], min(a.buffer[1], 8), "", "", "the offsets of %d texts do not fit %d bytes in either byte order", a.count, a.buffer[1])
		}
		return
	}
	if !s.big && a.dialect == "SI" && a.byteOrder == 1 && a.total > 16 {
		at, n := k.where(a.at, flat.ArrOrder, 1)
		k.report(textsSwapped, at, n, "little-endian", "big-endian", "the offsets of the texts are little-endian, byteOrder says otherwise")
	}
	for i := range s.n {
		if from, to := s.at(i); !utf8.Valid(s.b[from:to]) {
			k.report(elementNotUTF8, a.buffer[0]+from, to-from, "", "UTF-8", "text %d is not UTF-8", i)
		}
	}
}

// stringArray is the content of an array of texts.
type stringArray struct {
	b   []byte
	n   int64
	big bool
}

func (s *stringArray) offset(i int64) int64 {
	if s.big {
		return int64(binary.BigEndian.Uint64(s.b[8*i:]))
	}
	return int64(binary.LittleEndian.Uint64(s.b[8*i:]))
}

// at returns where text i is.
func (s *stringArray) at(i int64) (from, to int64) {
	area := 8 * (s.n + 1)
	return area + s.offset(i), area + s.offset(i+1)
}

// readStrings reads n texts in the byte order that fits, or returns nil.
func readStrings(b []byte, n int64) *stringArray {
	if n < 0 || n >= int64(len(b))/8 {
		return nil
	}
	for _, big := range []bool{false, true} {
		s := &stringArray{b, n, big}
		ok, last := s.offset(0) == 0, int64(0)
		for i := range n {
			next := s.offset(i + 1)
			ok = ok && next >= last && next <= int64(len(b))
			last = next
		}
		if ok && 8*(n+1)+last == int64(len(b)) {
			return s
		}
	}
	return nil
}

// values looks at the elements of an inline array.
func (k *checker) values(a *arr, x *variable) {
	t := types[a.typ]
	s := &scanner{typ: a.typ, width: t.width, big: a.big(), float: t.float}
	pieces := a.pieces()
	for _, c := range pieces {
		if c[1]%t.width == 0 {
			s.add(k.b[c[0] : c[0]+c[1]])
		}
	}
	span, r := k.at(pieces[0][0], min(a.total, int64(t.width)))
	name := ""
	if x != nil {
		name = x.name
	}
	s.report(k.p, span, r, name, x != nil && x.kind == varVariable && k.Late())
	k.order(a, s)
}

// order checks byteOrder (SDF-179).
func (k *checker) order(a *arr, s *scanner) {
	if s.width == 1 || a.dialect != "SI" || a.total == 0 {
		return
	}
	java := k.doc.family == familyBare && k.Late() && a.byteOrder == 0
	odd := s.looked > 0 && s.plain == 0 && s.swapped == s.looked
	if java || odd {
		at, n := k.where(a.at, flat.ArrOrder, 1)
		k.offer(oddByteOrder, at, n, fmt.Sprint(a.byteOrder), "", k.otherOrder(a, s.width, odd), "byteOrder is %d: unusual, or contradicted by the values", a.byteOrder)
	}
}
