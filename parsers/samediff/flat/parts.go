package flat

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"spandrel/model"
)

// Fields inside the objects of a buffer (section 3.1).
var (
	fieldRoot = &model.Field{Name: "root", Doc: "offset to the root table", Ref: "3.1", Codec: model.U32LE, Fixed: fixedOffset,
		Target: target}
	fieldSoffset = &model.Field{Name: "soffset", Doc: "offset of the vtable, backwards from here", Ref: "3.1", Codec: model.I32LE,
		Fixed: fixedOffset, Target: target}
	fieldVSize  = &model.Field{Name: "size", Doc: "bytes of the vtable", Ref: "3.1", Codec: model.U16LE, Fixed: fixedShape}
	fieldTSize  = &model.Field{Name: "tableSize", Doc: "size of each table that uses it", Ref: "3.1", Codec: model.U16LE, Fixed: fixedShape}
	fieldSlot   = &model.Field{Name: "slot", Doc: "offset of each field in the table; 0: absent", Ref: "3.1"}
	fieldSlotE  = &model.Field{Name: "slot", Codec: model.U16LE, Fixed: fixedShape}
	fieldCount  = &model.Field{Name: "count", Doc: "elements of the vector", Ref: "3.1", Codec: model.U32LE, Fixed: fixedShape}
	fieldOff    = &model.Field{Name: "off", Doc: "offset to each element, from its own position", Ref: "3.1"}
	fieldOffE   = &model.Field{Name: "off", Codec: model.U32LE, Fixed: fixedOffset, Target: target}
	fieldElem   = &model.Field{Name: "elem", Doc: "the elements"}
	fieldBytes  = &model.Field{Name: "elem", Doc: "the bytes of an array", Codec: model.RawBytes}
	fieldLen    = &model.Field{Name: "len", Doc: "bytes of the string", Ref: "3.1", Codec: model.U32LE, Fixed: fixedLen}
	FieldText   = &model.Field{Name: "text", Doc: "UTF-8", Ref: "3.1", Codec: model.UTF8}
	fieldNul    = &model.Field{Name: "nul", Doc: "ends the string, not counted", Ref: "3.1", Codec: model.U8, Fixed: fixedLen}
	FieldPad    = &model.Field{Name: "pad", Doc: "zero bytes that nothing refers to", Ref: "3.1", Codec: model.RawBytes}
	FieldOrphan = &model.Field{Name: "orphan", Doc: "bytes that nothing refers to", Ref: "3.1", Codec: model.RawBytes, Unused: true}
)

// target returns where the offset in a leaf leads.
func target(t *model.Tree, s *model.Span) (model.Range, bool) {
	b, ok := t.Cached(s.Range)
	v, _, err := s.Field.Codec.Decode(b)
	if !ok || err != nil {
		return model.Range{}, false
	}
	to := s.Range.Off + v.Int()
	if s.Field.Name == "soffset" {
		to = s.Range.Off - v.Int()
	}
	return model.Range{Space: s.Range.Space, Off: to, Len: 4}, v.Int() != 0 && to >= 0
}

const (
	fixedShape = "it determines how the surrounding bytes are read"
	fixedLen   = "it is computed from the string"
)

// parts returns the children of a table: the offset to the vtable, the fields, and padding between them.
func (l *layout) parts() []model.Part {
	kids := []model.Part{{Field: fieldSoffset, Len: 4}}
	at := int64(4)
	pad := func(to int64) {
		if to > at {
			kids = append(kids, model.Part{Field: FieldPad.Named("pad@%d", at), Len: to - at})
		}
	}
	for _, p := range l.Fields {
		pad(p.Start)
		f := &model.Field{Name: fmt.Sprintf("field#%d", p.id), Doc: "not in the schema", Ref: "3.1", Codec: model.RawBytes}
		if p.Slot != nil {
			f = p.Slot.leaf
		}
		kids = append(kids, model.Part{Field: f, Len: p.width})
		at = p.Start + p.width
	}
	pad(l.Size)
	return kids
}

// Count implements model.Parts.
func (f *Map) Count() int64 { return int64(len(f.order)) }

// Find implements model.Parts.
func (f *Map) Find(off int64) int64 {
	i := int64(sort.Search(len(f.order), func(i int) bool { return int64(f.Piece(int64(i)).Off) > off })) - 1
	if i < 0 {
		return -1
	}
	if o := f.Piece(i); off >= int64(o.Off)+int64(o.Len) {
		return -1
	}
	return i
}

// Part implements model.Parts.
func (f *Map) Part(i int64) (model.Part, int64) {
	o := f.Piece(i)
	p := model.Part{Len: int64(o.Len)}
	n := int64(o.Len) - 4
	switch o.Kind {
	case RootObject:
		p.Field = fieldRoot
	case PadObject:
		p.Field = FieldPad.Named("pad@0x%x", o.Off)
	case orphanObject:
		p.Field = FieldOrphan.Named("orphan@0x%x", o.Off)
	case vtableObject:
		p.Kids = []model.Part{{Field: fieldVSize, Len: 2}, {Field: fieldTSize, Len: 2}, {Field: fieldSlot, Len: n, Elem: fieldSlotE}}
	case TableObject:
		p.Kids = []model.Part{{Field: fieldSoffset, Len: 4}}
		if o.Layout >= 0 {
			p.Kids = f.Layouts[o.Layout].kids
		}
	case VectorObject:
		e := f.SlotOf(o).elem
		p.Kids = []model.Part{{Field: fieldCount, Len: 4}, {Field: fieldElem, Len: n, Elem: e}}
	case RawObject:
		p.Kids = []model.Part{{Field: fieldCount, Len: 4}, {Field: fieldBytes, Len: n}}
	case OffsetsObject:
		p.Kids = []model.Part{{Field: fieldCount, Len: 4}, {Field: fieldOff, Len: n, Elem: fieldOffE}}
	case lengthObject:
		p.Kids = []model.Part{{Field: fieldCount, Len: 4}}
		if o.Layout == 1 {
			p.Kids[0].Field = fieldLen
		}
	case StringObject:
		p.Kids = []model.Part{{Field: fieldLen, Len: 4}, {Field: FieldText, Len: n}}
		if o.Layout == 1 {
			p.Kids[1].Len--
			p.Kids = append(p.Kids, model.Part{Field: fieldNul, Len: 1})
		}
	}
	if p.Field == nil {
		p.Field = &model.Field{Name: f.Name(f.order[i]), Doc: kindNames[o.Kind]}
	}
	return p, int64(o.Off)
}

// path returns how an object is reached from the root, such as nodes[17]/name; "" for the root table.
func (f *Map) path(i int32) string {
	o := f.Objs[i]
	if o.parent < 0 {
		return ""
	}
	up := f.path(o.parent)
	switch {
	case o.Kind == vtableObject:
		return up
	case f.Objs[o.parent].Kind == OffsetsObject:
		return up + "[" + strconv.Itoa(int(o.elem)) + "]"
	case up == "":
		return f.SlotOf(o).Name
	}
	return up + "/" + f.SlotOf(o).Name
}

// Name returns the name of an object's span: its path, with what distinguishes a table from its vtable.
func (f *Map) Name(i int32) string {
	p := f.path(i)
	switch kind := f.Objs[i].Kind; {
	case kind == vtableObject && p == "":
		return "vtable"
	case kind == vtableObject:
		return p + "/vtable"
	case kind == TableObject && p == "":
		return "table"
	case kind == TableObject:
		return p + "/table"
	}
	return p
}

// At returns the object that starts at an offset, negative if there is none, and its position in file order.
func (f *Map) At(off int64) (i int32, pos int64) {
	if pos = f.Find(off); pos >= 0 && int64(f.Piece(pos).Off) == off {
		return f.order[pos], pos
	}
	return -1, -1
}

// Named implements model.Parts: it follows a path through the names of the objects. A name is a prefix of a path when / or [ or the
// end follows, and the longest counts.
func (f *Map) Named(path string) int64 {
	if off, ok := gapNamed(path); ok {
		_, pos := f.At(off)
		return pos
	}
	if path == "root" && len(f.order) > 0 && f.Piece(0).Kind == RootObject {
		return 0
	}
	at := f.child(-1, 0, -1, TableObject)
	for rest := path; at >= 0; {
		name, more := rest, ""
		if i := strings.IndexAny(rest, "/["); i >= 0 {
			name, more = rest[:i], rest[i:]
		}
		switch name {
		case "vtable":
			if at = f.child(at, 0, -1, vtableObject); at < 0 {
				return -1
			}
			fallthrough
		case "table":
			return f.Find(int64(f.Objs[at].Off))
		}
		at, rest = step(f, at, name, more)
		if at >= 0 && f.Objs[at].Kind != TableObject {
			return f.Find(int64(f.Objs[at].Off))
		}
	}
	return -1
}

// gapNamed is the offset in the name of unreferenced bytes; ok is false for other names.
func gapNamed(path string) (off int64, ok bool) {
	for _, p := range []string{"pad@0x", "orphan@0x"} {
		if rest, ok := strings.CutPrefix(path, p); ok {
			num, _, _ := strings.Cut(rest, "/")
			off, err := strconv.ParseInt(num, 16, 64)
			if err != nil {
				off = -1
			}
			return off, true
		}
	}
	return 0, false
}

// step is the target of a table's field, or its element with the index in brackets; negative if there is none. rest is what follows in
// the path.
func step(f *Map, table int32, name, more string) (to int32, rest string) {
	slot := slices.IndexFunc(f.TableOf(f.Objs[table]).Slots, func(s Slot) bool { return s.Name == name })
	if slot < 0 {
		return -1, ""
	}
	to = f.child(table, slot, -1, 0)
	if to >= 0 && f.Objs[to].Kind == OffsetsObject && strings.HasPrefix(more, "[") {
		num, after, _ := strings.Cut(more[1:], "]")
		i, err := strconv.ParseInt(num, 10, 32)
		if err != nil {
			return -1, ""
		}
		to, more = f.child(to, -1, int32(i), 0), after
	}
	return to, strings.TrimPrefix(more, "/")
}

// child returns the object that another refers to: through a slot of a table, or as an element of a vector. A kind other than 0 is also
// required. Objects follow what refers to them, so the search is short.
func (f *Map) child(parent int32, slot int, elem int32, kind objectKind) int32 {
	for i := parent + 1; i < int32(len(f.Objs)); i++ {
		o := &f.Objs[i]
		if o.parent == parent && (slot < 0 || int(o.slot) == slot) && o.elem == elem && (kind == 0 && o.Kind != vtableObject || o.Kind == kind) &&
			o.Kind < PadObject {
			return i
		}
	}
	return -1
}
