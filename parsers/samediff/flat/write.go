package flat

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Fields is a table to be written: its fields by slot, each a number of the width in the schema, a text, bytes, dims,
// numbers, a table, a vector of texts or tables, or the place of something written before.
type Fields map[int]any

// Buffer returns a buffer whose root is the table.
func (n Fields) Buffer() []byte {
	b := flatbuffers.NewBuilder(256)
	b.Finish(n.Put(b))
	return b.FinishedBytes()
}

// Put writes the table and what it refers to.
func (n Fields) Put(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	slots := slices.Sorted(maps.Keys(n))
	fields := map[int][]func(){} // by width
	for _, slot := range slots {
		width, prepend := 4, func() {}
		switch v := n[slot].(type) {
		case int64:
			width, prepend = 8, func() { b.PrependInt64(v) }
		case int32:
			prepend = func() { b.PrependInt32(v) }
		case int8:
			width, prepend = 1, func() { b.PrependInt8(v) }
		default:
			ref := Put(b, v)
			prepend = func() { b.PrependUOffsetT(ref) }
		}
		fields[width] = append(fields[width], func() { prepend(); b.Slot(slot) })
	}
	b.Prep(8, 0) // equal tables are of equal sizes
	b.StartObject(slices.Max(append(slots, -1)) + 1)
	for _, width := range []int{8, 4, 1} {
		for _, field := range fields[width] {
			field()
		}
	}
	return b.EndObject()
}

// Put writes the target of an offset.
func Put(b *flatbuffers.Builder, v any) flatbuffers.UOffsetT {
	switch v := v.(type) {
	case flatbuffers.UOffsetT:
		return v
	case string:
		return b.CreateString(v)
	case []byte:
		return b.CreateByteVector(v)
	case []int64:
		b.StartVector(8, len(v), 8)
		for _, d := range slices.Backward(v) {
			b.PrependInt64(d)
		}
		return b.EndVector(len(v))
	case []string:
		refs := make([]flatbuffers.UOffsetT, len(v))
		for i, s := range v {
			refs[i] = b.CreateString(s)
		}
		return RefVector(b, refs)
	case []Fields:
		refs := make([]flatbuffers.UOffsetT, len(v))
		for i, t := range v {
			refs[i] = t.Put(b)
		}
		return RefVector(b, refs)
	}
	return v.(Fields).Put(b)
}

func RefVector(b *flatbuffers.Builder, refs []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(refs), 4)
	for _, ref := range slices.Backward(refs) {
		b.PrependUOffsetT(ref)
	}
	return b.EndVector(len(refs))
}

// slotOf identifies a field of the table at an offset.
type slotOf struct {
	at   int64
	slot int
}

// Copy rewrites a buffer with the standard builder, with replacements in some places (section 5.4, rebuild). What is
// unreferenced is left out.
type Copy struct {
	Map  *Map
	B    Buffer
	Out  *flatbuffers.Builder
	Made map[int64]flatbuffers.UOffsetT
	// Sizes are those of tables by the places of their fields: see Room.
	Sizes  map[string]int
	values map[slotOf]any // new values of fields
	// Other gives the replacement of a field: an offset, or 0 to leave it out; ok is false to copy it.
	Other func(t *Table, at int64, slot int) (ref flatbuffers.UOffsetT, ok bool)
	// Drop tells which tables of vectors are left out.
	Drop func(t *Table, at int64) bool
	// Lenient leaves out what cannot be copied instead of failing.
	Lenient bool
	Err     error
}

// Set replaces the value of a field of the table at an offset: with one that Put accepts, or nil to omit the field.
func (c *Copy) Set(at int64, slot int, v any) {
	if c.values == nil {
		c.values = map[slotOf]any{}
	}
	c.values[slotOf{at, slot}] = v
}

// instead writes the replacement of a field, and returns its reference, 0 if the field is omitted; ok is false if there is no replacement.
func (c *Copy) instead(t *Table, at int64, slot int) (ref flatbuffers.UOffsetT, ok bool) {
	v, ok := c.values[slotOf{at, slot}]
	switch {
	case ok && v != nil:
		return Put(c.Out, v), true
	case !ok && c.Other != nil:
		return c.Other(t, at, slot)
	}
	return 0, ok
}

// Build writes the table at an offset, and everything that it refers to, as the root of a buffer.
func (c *Copy) Build(at int64, t *Table) ([]byte, error) {
	if err := c.Map.Copyable(); err != nil && !c.Lenient {
		return nil, err
	}
	c.start()
	return c.finish(c.Table(at, t, 0))
}

// Gather writes a buffer whose root has nothing but vectors of the tables at some offsets, by slot: for a buffer whose own root is lost.
func (c *Copy) Gather(root *Table, lists map[int][]int64) ([]byte, error) {
	c.start()
	fields := Fields{}
	for slot, list := range lists {
		var refs []flatbuffers.UOffsetT
		for _, at := range list {
			if ref := c.Table(at, root.Slots[slot].table, 1); ref != 0 {
				refs = append(refs, ref)
			}
		}
		fields[slot] = RefVector(c.Out, refs)
	}
	return c.finish(fields.Put(c.Out))
}

func (c *Copy) start() {
	c.Out, c.Made, c.Sizes = flatbuffers.NewBuilder(1<<16), map[int64]flatbuffers.UOffsetT{}, map[string]int{}
}

func (c *Copy) finish(root flatbuffers.UOffsetT) ([]byte, error) {
	if c.Err != nil || root == 0 {
		return nil, cmp.Or(c.Err, fmt.Errorf("the root cannot be copied"))
	}
	c.Out.Finish(root)
	return c.Out.FinishedBytes(), nil
}

// Table writes the table at an offset and everything that it refers to; 0 if that cannot be copied.
func (c *Copy) Table(at int64, t *Table, depth int) flatbuffers.UOffsetT {
	if ref, ok := c.Made[at]; ok {
		return ref
	}
	if !c.B.Sound(at) || depth > MaxDepth || int64(c.Out.Offset()) > MaxSize/2 {
		c.fail("the table at 0x%x cannot be copied", at)
		return 0
	}
	refs := c.refs(at, t, depth)
	there := map[int64][]int{} // the fields that the copy has, by width
	for slot := range t.Slots {
		w := t.Slots[slot].inline()
		p := c.B.Slot(at, slot) // an object that extends past the end cannot be read
		if ref, changed := refs[slot]; ref != 0 || !changed && p != 0 && p+w <= c.B.Len() {
			there[w] = append(there[w], slot)
		}
	}
	behind, before := c.Room(there)
	c.Out.Prep(8, 0)
	c.Out.StartObject(len(t.Slots))
	c.Out.Pad(behind)
	for _, width := range []int64{8, 4, 1} {
		for _, slot := range there[width] {
			if refs[slot] != 0 {
				c.Out.PrependUOffsetT(refs[slot])
			} else {
				c.number(c.B.Slot(at, slot), width)
			}
			c.Out.Slot(slot)
		}
	}
	c.Out.Pad(before)
	ref := c.Out.EndObject()
	c.Made[at] = ref
	return ref
}

// refs writes the targets of the fields of a table, and their replacements; 0 leaves a field out.
func (c *Copy) refs(at int64, t *Table, depth int) map[int]flatbuffers.UOffsetT {
	refs := map[int]flatbuffers.UOffsetT{}
	for slot := range t.Slots {
		if ref, ok := c.instead(t, at, slot); ok {
			refs[slot] = ref
		} else if s := &t.Slots[slot]; s.IsOffset() && c.B.Slot(at, slot) != 0 {
			refs[slot] = c.value(c.B.Ref(at, slot), s, depth)
		}
	}
	return refs
}

// number writes the number at a place.
func (c *Copy) number(p, width int64) {
	switch width {
	case 8:
		c.Out.PrependInt64(c.B.I64(p))
	case 4:
		c.Out.PrependInt32(int32(c.B.I32(p)))
	default:
		c.Out.PrependByte(c.B[p])
	}
}

// Room returns how much padding a table needs after its fields, and before them. The builder lets tables share a vtable if their
// fields, given by width, are in the same places; then they must have the same size too, because that is in the vtable.
func (c *Copy) Room(there map[int64][]int) (behind, before int) {
	for ; ; before += 8 {
		var places []int // slot and distance from the end of the table
		end := 0
		for _, width := range []int64{8, 4, 1} {
			for _, slot := range there[width] {
				end += int(width)
				places = append(places, slot, end)
			}
		}
		size := (end+before+3)&^3 + 4
		for i := 1; i < len(places); i += 2 {
			places[i] = size - places[i]
		}
		key := fmt.Sprint(places)
		if old, ok := c.Sizes[key]; !ok {
			c.Sizes[key] = size
			return 0, before
		} else if old >= size {
			return old - size, before
		}
	}
}

func (c *Copy) fail(format string, args ...any) {
	if c.Err == nil && !c.Lenient {
		c.Err = fmt.Errorf(format, args...)
	}
}

// value writes the target of an offset.
func (c *Copy) value(at int64, s *Slot, depth int) flatbuffers.UOffsetT {
	switch {
	case at == 0:
		c.fail("an offset of %s is invalid", s.Name)
		return 0
	case !s.Vec && s.Str:
		return c.text(at, s)
	case !s.Vec:
		return c.Table(at, s.table, depth+1)
	}
	from, n, ok := c.B.Vector(at, s.Width)
	if !ok || int64(c.Out.Offset())+n*s.Width > MaxSize/2 {
		c.fail("the vector %s cannot be copied", s.Name)
		return 0
	}
	if s.Str || s.table != nil {
		return RefVector(c.Out, c.Elements(at, s, depth))
	}
	if s.Width == 1 {
		return c.Out.CreateByteVector(c.B[from : from+n])
	}
	c.Out.StartVector(int(s.Width), int(n), int(s.Width))
	for i := n - 1; i >= 0; i-- {
		c.number(from+s.Width*i, s.Width)
	}
	return c.Out.EndVector(int(n))
}

// Elements writes the targets of a vector's offsets.
func (c *Copy) Elements(at int64, s *Slot, depth int) (refs []flatbuffers.UOffsetT) {
	from, n, _ := c.B.Vector(at, 4)
	for i := range n {
		to := c.B.Follow(from + 4*i)
		if s.Str {
			refs = append(refs, c.text(to, s))
		} else if c.Drop == nil || !c.Drop(s.table, to) {
			if ref := c.Table(to, s.table, depth+1); ref != 0 {
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

func (c *Copy) text(at int64, s *Slot) flatbuffers.UOffsetT {
	if ref, ok := c.Made[at]; ok {
		return ref
	}
	v, ok := c.B.Text(at)
	if !ok {
		c.fail("a string of %s cannot be copied", s.Name)
	}
	c.Made[at] = c.Out.CreateString(v)
	return c.Made[at]
}
