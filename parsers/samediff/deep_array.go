package samediff

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// checker reports on one buffer: what the checks of graphs and of arrays have in common.
type checker struct {
	*modelView
	t    *model.Tree
	ctx  context.Context
	p    *model.Probe
	made map[*model.Rule]int // findings by rule
}

// field is a field of a table, with its bytes.
type field struct {
	table int64
	slot  int
	width int64
}

// part is n bytes of a buffer.
type part struct{ at, n int64 }

// report adds a finding at a part of the buffer. Beyond the limit for a rule they are only counted.
func (k *checker) report(r *model.Rule, at part, found, want any, more ...model.Detail) {
	if k.made[r]++; k.made[r] > model.MaxPerRule {
		k.p.Wrong(r, k.placed.span, nil, nil)
		return
	}
	span, place := k.placed.at(at.at, at.n)
	k.p.Wrong(r, model.Spot{Span: span, Range: place}, cutText(found), cutText(want), more...)
}

// set reports a field of a table that should have another value; the value is offered if the table has the field.
func (k *checker) set(r *model.Rule, f field, found any, want model.Value, more ...model.Detail) {
	leaf := k.placed.leaf(f.table, f.slot)
	if k.made[r]++; leaf == nil || k.made[r] > model.MaxPerRule {
		k.made[r]--
		k.report(r, k.where(f.table, f.slot, f.width), found, want.String(), more...)
		return
	}
	k.p.Wrong(r, leaf, found, want, more...)
}

func cutText(x any) any {
	if s, ok := x.(string); ok {
		return brief(s)
	}
	return x
}

// where returns the place of a table's field, or of the table if the field is absent, for findings.
func (k *checker) where(t int64, slot int, width int64) part {
	if p := k.b.Slot(t, slot); p != 0 {
		return part{p, width}
	}
	return part{t, 4}
}

// all are the tables of a type in the buffer.
func (k *checker) all(name string) iter.Seq[int64] {
	return func(yield func(at int64) bool) {
		for t := range k.placed.Tables() {
			if t.Type.Name == name && !yield(t.At) {
				return
			}
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
	arrays := &arrayChecker{checker: k}
	for at := range k.all("FlatArray") {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		arrays.array(at, kinds[at])
	}
	return arrays.values()
}

// endOffset is the size of the offset at the end of the texts, which an array without any may have too.
const endOffset = 8

// arrayChecker runs the checks of arrays.
type arrayChecker struct {
	*checker
	sound []inlineArray // valid arrays, whose elements are scanned together
}

// inlineArray is an array in a buffer, of the variable x if that is not nil.
type inlineArray struct {
	*arr
	x *variable
}

// array checks one FlatArray. x is the variable that it belongs to, or nil.
func (k *arrayChecker) array(at int64, x *variable) {
	a := k.placed.array(k.b, at)
	name := k.owner(x)
	k.kind(a, x, name)
	k.chunks(a)
	if total := k.b.Num(at, flat.ArrTotal, 8); a.stub && total != a.length {
		k.totals(a, total, name)
	}
	if !k.shape(a, x) || types[a.typ] == nil && a.typ != dtypeUTF8 {
		return
	}
	want := sizeOf(a.typ, a.count)
	if a.stub && k.placed.Root.Name == "ArraysSection" && a.length != want && want >= 0 {
		k.report(arrayLength, k.where(at, flat.ArrAppendedLength, 8), model.Words("%d bytes", a.length), a.needs(want), of(name, arrayLength))
	}
	k.content(a, x, want, name)
}

// content checks the bytes of an array, of which it wants as many as given.
func (k *arrayChecker) content(a *arr, x *variable, want int64, name string) {
	switch {
	case !a.inline && len(a.chunks) == 0:
	case a.typ == dtypeUTF8 && !a.inline:
	case a.typ == dtypeUTF8 && (a.count > 0 || a.total <= endOffset):
		k.strings(a)
	case a.typ == dtypeUTF8 || a.total != want && !a.empty():
		count := part{a.at, 4}
		if a.inline {
			count.at = a.buffer[0] - 4
		}
		k.report(arrayLength, count, model.Words("%d bytes", a.total), a.needs(max(0, want)), of(name, arrayLength))
	default:
		k.sound = append(k.sound, inlineArray{a, x})
	}
}

// kind checks the type of an array and the order of its bytes.
func (k *arrayChecker) kind(a *arr, x *variable, name string) {
	at := a.at
	typeAt := k.where(at, flat.ArrType, 1)
	if types[a.typ] == nil && a.typ != dtypeUTF8 {
		k.report(typeUndecodable, typeAt, typeName(a.typ), nil, of(name, typeUndecodable))
	}
	if a.hasOrder && a.byteOrder != 0 && a.byteOrder != 1 {
		k.report(badByteOrder, k.where(at, flat.ArrOrder, 1), fmt.Sprint(a.byteOrder), "0 or 1", of(name, badByteOrder))
	}
	if x != nil && k.placed.Late() && x.typ != a.typ {
		more := []model.Detail{of(name, typesDiffer)}
		if a.defaulted(x.typ) {
			more = []model.Detail{saying("%s: an empty array has the default type, as written by ND4J in 2019", name), model.Graded(model.Note), model.ForNewer}
		}
		k.report(typesDiffer, typeAt, typeName(a.typ), typeName(x.typ), more...)
	}
}

// owner names the variable of an array, or what else it belongs to.
func (k *arrayChecker) owner(x *variable) string {
	if x != nil {
		return x.name
	}
	return k.placed.owner
}

// needs is the number of bytes required by an array's shape and type.
func (a *arr) needs(want int64) string {
	return model.Words("%d bytes for %s %v", want, typeName(a.typ), a.dims)
}

// totals reports the two lengths of a stub; the shape may tell which one is right.
func (k *arrayChecker) totals(a *arr, total int64, name string) {
	found := model.Words("%d and %d bytes", total, a.length)
	switch want := sizeOf(a.typ, a.count); {
	case a.countOK && want == total:
		k.set(stubTotal, field{a.at, flat.ArrAppendedLength, 8}, found, model.I(total), of(name, stubTotal))
	case a.countOK && want == a.length:
		k.set(stubTotal, field{a.at, flat.ArrTotal, 8}, found, model.I(a.length), of(name, stubTotal))
	default:
		k.set(stubTotal, field{a.at, flat.ArrTotal, 8}, found, model.I(a.length), of(name, stubTotal), model.Doubtful)
	}
}

// chunks checks the pieces of a buffer (SDF-186).
func (k *arrayChecker) chunks(a *arr) {
	if len(a.chunks) == 0 || !k.placed.Late() && k.placed.Gen != "" {
		return
	}
	total := k.b.Num(a.at, flat.ArrTotal, 8)
	at := k.where(a.at, flat.ArrChunks, 4)
	misplaced := int64(-1)
	for i, t := range k.b.Tables(a.at, flat.ArrChunks) {
		if index := k.b.Num(t, 0, 8); index != i && misplaced < 0 {
			misplaced = i
		}
	}
	switch {
	case misplaced >= 0:
		k.report(chunksBroken, at, fmt.Sprintf("piece %d has the wrong number", misplaced), "pieces numbered from 0")
	case a.inline:
		k.report(chunksBroken, at, "one buffer and pieces of it", nil)
	case total != a.total && a.total == sizeOf(a.typ, a.count):
		k.set(chunksBroken, field{a.at, flat.ArrTotal, 8}, model.Words("%d bytes", total), model.I(a.total), model.Doubtful)
	case total != a.total:
		k.report(chunksBroken, at, model.Words("pieces of %d bytes together", a.total), model.Words("%d bytes", total))
	}
}

// maxDim is the longest possible axis, even if another axis is empty.
const maxDim = 1 << 40

// shape checks the shape of an array; ok is false if its elements cannot be counted.
func (k *arrayChecker) shape(a *arr, x *variable) (ok bool) {
	name := k.owner(x)
	at := cmp.Or(a.shapeAt, a.at)
	elem := func(i int64) int64 { return at + 4 + a.width*i }
	switch {
	case a.dialect == "":
		if _, known := a.bytes(); !known || a.external {
			return false // without data there is nothing to decode
		}
		k.report(shapeUnclear, part{at, 4}, fmt.Sprint(a.shape), nil, of(name, shapeUnclear))
		return false
	case !a.countOK || slices.Max(append([]int64{0}, a.dims...)) > maxDim:
		k.report(shapeImpossible, part{at, 4}, fmt.Sprint(a.dims), nil, of(name, shapeImpossible))
		return false
	case a.dialect != "SI":
		return true
	}
	r := int64(len(a.dims))
	if a.shape[0] != r {
		k.report(shapeUnclear, part{elem(0), a.width}, fmt.Sprint(a.shape[0]), fmt.Sprint(r), of(name, shapeUnclear),
			model.About([]model.Fix{k.patch(fmt.Sprintf("set the number of dimensions to %d", r), true, elem(0), appendInt(nil, r, a.width))}))
	}
	if last := a.shape[len(a.shape)-1]; last != 99 && last != 102 {
		k.report(orderLetter, part{elem(2*r + 3), a.width}, fmt.Sprint(last), "99 or 102", of(name, orderLetter))
	}
	dense := denseStrides(a.dims, a.order)
	for i, want := range dense {
		if a.strides[i] != want && a.dims[i] != 1 && a.count > 0 {
			k.strides(a, elem(r+1), dense, name)
			break
		}
	}
	k.extras(a, x, elem(2*r+1))
	return true
}

// strides reports strides that are not those of a dense array (SDF-173). Readers use them: if they lead outside the values, other memory
// is read, or the reader crashes. If they reach every value, the reader has the values in another order,
// which may be intended.
func (k *arrayChecker) strides(a *arr, at int64, dense []int64, name string) {
	more := []model.Detail{of(name, stridesDiffer)}
	if !a.reaches() {
		more = []model.Detail{saying("%s: the strides lead outside the values of the array", cmp.Or(name, "an array")), model.Graded(model.Error)}
	}
	if a.total == sizeOf(a.typ, a.count) {
		var out []byte
		for _, s := range dense {
			out = appendInt(out, s, a.width)
		}
		more = append(more, model.About([]model.Fix{k.patch("write the strides of a dense array", !a.permuted(), at, out)}))
	}
	k.report(stridesDiffer, part{at, a.width * int64(len(dense))}, fmt.Sprint(a.strides), fmt.Sprint(dense), more...)
}

// reaches tells whether the strides lead from each index to one of the values.
func (a *arr) reaches() bool {
	last := int64(0)
	for i, d := range a.dims {
		if s := a.strides[i]; d > 1 {
			if s < 0 || s > (a.count-1-last)/(d-1) {
				return false
			}
			last += s * (d - 1)
		}
	}
	return true
}

// permuted tells whether the strides are those of a dense array with permuted axes.
func (a *arr) permuted() bool {
	next := int64(1)
	for range a.dims {
		for i, d := range a.dims {
			if d > 1 && a.strides[i] == next {
				next *= d
				break
			}
		}
	}
	return next == a.count && a.reaches()
}

// extras checks the option bits of shapeInfo (SDF-175, 176).
func (k *arrayChecker) extras(a *arr, x *variable, at int64) {
	name := k.owner(x)
	want := bitOf(a.typ)
	if got := a.extras & typeBits; k.placed.Late() && want != 0 && got != 0 && got != want && !(x != nil && a.defaulted(x.typ)) {
		k.typeBit(a, x, at, got, want)
	}
	empty := a.extras&8 != 0
	have := a.total > 0
	if k.placed.Late() && !a.stub && !a.external && (empty && have || !empty && !have && a.count > 0) {
		k.report(emptyBit, part{at, a.width}, model.Words("%d bytes, marked empty: %v", a.total, empty), nil, of(name, emptyBit))
	}
}

// typeBit reports a shape that names another type than the array. The variable and the number of bytes tell which is right.
func (k *arrayChecker) typeBit(a *arr, x *variable, at, got, want int64) {
	other := int64(0)
	for typ := range types {
		if bitOf(typ) == got {
			other = typ
		}
	}
	fits := func(typ int64) bool { return sizeOf(typ, a.count) == a.total }
	name := k.owner(x)
	if x != nil && other != 0 && x.typ == other && fits(other) { // the shape, the variable and the length contradict the array
		k.set(typeBit, field{a.at, flat.ArrType, 1}, typeName(a.typ), model.I(other), of(name, typeBit), model.Doubtful)
		return
	}
	odd := a.extras &^ (typeBits | 8) // other bits that may be damaged together with the type
	sure := odd == 0 && x != nil && x.typ == a.typ && fits(a.typ) && (other == 0 || !fits(other))
	k.report(typeBit, part{at, a.width}, typeName(other), typeName(a.typ), of(name, typeBit),
		model.About([]model.Fix{k.patch("name "+typeName(a.typ)+" in the shape", sure, at, appendInt(nil, a.extras&^typeBits|want, a.width))}))
}

// strings checks an array of texts (SDF-181 to SDF-183; section 3.6.4).
func (k *arrayChecker) strings(a *arr) {
	s := readStrings(k.b[a.buffer[0]:a.buffer[0]+a.buffer[1]], a.count)
	if s == nil {
		if !a.empty() {
			k.report(textsBroken, part{a.buffer[0], min(a.buffer[1], 8)}, model.Words("%d bytes for %d strings", a.buffer[1], a.count), nil)
		}
		return
	}
	if s.order == binary.LittleEndian && a.dialect == "SI" && a.byteOrder == 1 && a.total > 16 {
		k.report(textsSwapped, k.where(a.at, flat.ArrOrder, 1), "little-endian", "big-endian", model.Graded(model.Note)) // what the current release writes
	}
	for i := range s.n {
		if from, to := s.at(i); !utf8.Valid(s.b[from:to]) {
			k.report(elementNotUTF8, part{a.buffer[0] + from, to - from}, fmt.Sprintf("text %d", i), nil)
		}
	}
}

// values looks at the elements of inline arrays.
func (k *arrayChecker) values() error {
	all := make([]*scanned, len(k.sound))
	for i, a := range k.sound {
		t := types[a.typ]
		e := &scanned{scanner: scanner{typ: a.typ, width: t.width, big: a.big(), float: t.float}}
		for _, c := range a.pieces() {
			if c[1]%t.width == 0 {
				e.pieces = append(e.pieces, model.Range{Off: c[0], Len: c[1]})
			}
		}
		all[i] = e
	}
	err := scanAll(k.ctx, k.p, all, func(_ context.Context, r model.Range, f func([]byte)) error { f(k.b[r.Off:r.End()]); return nil })
	if err != nil {
		return err
	}
	for i, a := range k.sound {
		span, r := k.placed.at(a.pieces()[0][0], min(a.total, all[i].width))
		name := k.owner(a.x)
		all[i].report(k.p, span, r, name, a.x != nil && a.x.kind == varVariable && k.placed.Late())
		k.order(a.arr, &all[i].scanner, name)
	}
	return nil
}

// order checks byteOrder (SDF-179).
func (k *arrayChecker) order(a *arr, s *scanner, name string) {
	if s.width == 1 || a.dialect != "SI" || a.total == 0 {
		return
	}
	java := k.placed.doc.family == familyBare && k.placed.Late() && a.byteOrder == 0
	odd := s.looked > 0 && s.plain == 0 && s.swapped == s.looked
	if java || odd {
		k.report(oddByteOrder, k.where(a.at, flat.ArrOrder, 1), fmt.Sprintf("byte order %d", a.byteOrder), nil, of(name, oddByteOrder),
			model.About(k.orderFixes(a, s.width, odd)))
	}
}
