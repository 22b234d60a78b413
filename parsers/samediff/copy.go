package samediff

import (
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// copyJob writes a buffer anew with the standard builder, with other things in some places (section 5.4, rebuild). What nothing
// refers to is left behind.
type copyJob struct {
	*placed
	b    buf
	out  *flatbuffers.Builder
	made map[int64]flatbuffers.UOffsetT
	// sizes are those of tables by the places of their fields: see room.
	sizes map[string]int
	// other gives what stands in a field instead: an offset, or 0 to leave it out; ok is false to copy it.
	other func(t *table, at int64, slot int) (ref flatbuffers.UOffsetT, ok bool)
	// drop tells which tables of vectors are left out.
	drop func(t *table, at int64) bool
	err  error
}

// build writes the table at an offset, and all that it refers to, as the root of a buffer.
func (c *copyJob) build(at int64, t *table) ([]byte, error) {
	if err := c.copyable(); err != nil {
		return nil, err
	}
	c.out, c.made, c.sizes = flatbuffers.NewBuilder(1<<16), map[int64]flatbuffers.UOffsetT{}, map[string]int{}
	root := c.table(at, t, 0)
	if c.err != nil {
		return nil, c.err
	}
	c.out.Finish(root)
	return c.out.FinishedBytes(), nil
}

// copyable tells why a buffer cannot be written anew, or nil.
func (p *placed) copyable() error {
	switch {
	case p.tangled:
		return fmt.Errorf("the buffer is too tangled to be written anew")
	case p.unknown > 0:
		return fmt.Errorf("the buffer has fields that the schema does not know: it cannot be written anew")
	case !p.late() && p.gen != "":
		return fmt.Errorf("graphs of generation %s are only edited in place", p.gen)
	}
	return nil
}

func (c *copyJob) table(at int64, t *table, depth int) flatbuffers.UOffsetT {
	if ref, ok := c.made[at]; ok {
		return ref
	}
	if !c.b.sound(at) || depth > maxDepth || int64(c.out.Offset()) > maxFlat/2 {
		c.fail("the table at 0x%x cannot be copied", at)
		return 0
	}
	refs := map[int]flatbuffers.UOffsetT{}
	for slot := range t.slots {
		if ref, ok := c.instead(t, at, slot); ok {
			refs[slot] = ref
		} else if s := &t.slots[slot]; s.offset() && c.b.slot(at, slot) != 0 {
			refs[slot] = c.value(c.b.ref(at, slot), s, depth)
		}
	}
	there := map[int64][]int{} // the fields that the copy has, by width
	for slot := range t.slots {
		if ref, changed := refs[slot]; ref != 0 || !changed && c.b.slot(at, slot) != 0 {
			w := t.slots[slot].inline()
			there[w] = append(there[w], slot)
		}
	}
	behind, before := c.room(there)
	c.out.Prep(8, 0)
	c.out.StartObject(len(t.slots))
	c.out.Pad(behind)
	for _, width := range []int64{8, 4, 1} {
		for _, slot := range there[width] {
			switch p := c.b.slot(at, slot); {
			case refs[slot] != 0:
				c.out.PrependUOffsetT(refs[slot])
			case width == 8:
				c.out.PrependInt64(c.b.i64(p))
			case width == 4:
				c.out.PrependInt32(int32(c.b.i32(p)))
			default:
				c.out.PrependByte(c.b[p])
			}
			c.out.Slot(slot)
		}
	}
	c.out.Pad(before)
	ref := c.out.EndObject()
	c.made[at] = ref
	return ref
}

// room returns how much padding a table needs behind its fields, and before them. The builder lets tables share a vtable when their
// fields, given by width, are in the same places; then they must be of the same size too, as that stands in the vtable.
func (c *copyJob) room(there map[int64][]int) (behind, before int) {
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
		if old, ok := c.sizes[key]; !ok {
			c.sizes[key] = size
			return 0, before
		} else if old >= size {
			return old - size, before
		}
	}
}

func (c *copyJob) instead(t *table, at int64, slot int) (flatbuffers.UOffsetT, bool) {
	if c.other == nil {
		return 0, false
	}
	return c.other(t, at, slot)
}

func (c *copyJob) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// value writes what an offset leads to.
func (c *copyJob) value(at int64, s *tableSlot, depth int) flatbuffers.UOffsetT {
	switch {
	case at == 0:
		c.fail("an offset of %s leads nowhere", s.name)
		return 0
	case !s.vec && s.str:
		return c.text(at, s)
	case !s.vec:
		return c.table(at, s.table, depth+1)
	}
	from, n, ok := c.b.vector(at, s.width)
	if !ok || int64(c.out.Offset())+n*s.width > maxFlat/2 {
		c.fail("the vector %s cannot be copied", s.name)
		return 0
	}
	if s.str || s.table != nil {
		return refVector(c.out, c.elements(at, s, depth))
	}
	if s.width == 1 {
		return c.out.CreateByteVector(c.b[from : from+n])
	}
	c.out.StartVector(int(s.width), int(n), int(s.width))
	for i := n - 1; i >= 0; i-- {
		if s.width == 8 {
			c.out.PrependInt64(c.b.i64(from + 8*i))
		} else {
			c.out.PrependInt32(int32(c.b.i32(from + 4*i)))
		}
	}
	return c.out.EndVector(int(n))
}

// elements writes what the offsets of a vector lead to.
func (c *copyJob) elements(at int64, s *tableSlot, depth int) (refs []flatbuffers.UOffsetT) {
	from, n, _ := c.b.vector(at, 4)
	for i := range n {
		to := c.b.follow(from + 4*i)
		if s.str {
			refs = append(refs, c.text(to, s))
		} else if c.drop == nil || !c.drop(s.table, to) {
			refs = append(refs, c.table(to, s.table, depth+1))
		}
	}
	return refs
}

func (c *copyJob) text(at int64, s *tableSlot) flatbuffers.UOffsetT {
	if ref, ok := c.made[at]; ok {
		return ref
	}
	v, ok := c.b.text(at)
	if !ok {
		c.fail("a text of %s cannot be copied", s.name)
	}
	c.made[at] = c.out.CreateString(v)
	return c.made[at]
}
