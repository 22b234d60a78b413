package flat

import (
	"fmt"
	"slices"
)

// Late tells whether the rules about content apply: generation S3 and later (section 4.7).
func (f *Map) Late() bool { return f.Gen == "S3" || f.Gen == "S4" || f.Gen == "S2b" }

// GraphAt returns where the FlatGraph of a buffer is.
func (f *Map) GraphAt(b Buffer) int64 {
	switch f.Root.Name {
	case "FlatGraph":
		return b.Root()
	case "ModelContainer":
		return b.Ref(b.Root(), 3)
	}
	return 0
}

// ShapeWidth is how wide the numbers of shapes are.
func (f *Map) ShapeWidth() int64 {
	if f.Gen == "S0" || f.Gen == "S1" {
		return 4
	}
	return 8
}

// RootAt returns where the root table is.
func (f *Map) RootAt() int64 {
	if i := f.child(-1, 0, -1, TableObject); i >= 0 {
		return int64(f.Objs[i].Off)
	}
	return -1
}

// Waste tells whether rewriting the buffer could make it smaller: something lies in it that nothing refers to.
func (f *Map) Waste() bool {
	used := int64(0)
	for i := range f.Count() {
		if o := f.Piece(i); o.Kind == orphanObject || o.Kind == PadObject && o.Len >= 8 {
			return true
		} else {
			used += int64(o.Len)
		}
	}
	return used < f.Size
}

// Damaged tells that something of the buffer cannot be reached: nothing is written in its place, as more would be lost.
func (f *Map) Damaged() bool {
	return f.RootAt() < 0 || slices.ContainsFunc(f.Issues, func(is Issue) bool { return is.Kind.grave() })
}

// Copyable tells why a buffer cannot be rewritten, or nil.
func (f *Map) Copyable() error {
	switch {
	case f.Tangled:
		return fmt.Errorf("the buffer is too tangled to be rewritten")
	case f.Unknown > 0:
		return fmt.Errorf("the buffer has fields that the schema does not know: it cannot be rewritten")
	case !f.Late() && f.Gen != "":
		return fmt.Errorf("graphs of generation %s are only edited in place", f.Gen)
	}
	return nil
}

// Open walks a buffer whose root is a table of a name, by the schema of the generation that wrote it; see walk.
func Open(b Buffer, root string, limit func(end int64) int64) *Map {
	gen, types := "", schema{}.tables()
	switch root {
	case "FlatGraph":
		gen, types = generation(b, b.Root())
	case "ModelContainer":
		gen, types = generation(b, b.Ref(b.Root(), 3))
	}
	return walk(b, types[root], limit, gen, types)
}

// Rewritten rewrites the buffer, changed by change (nil: as it is), and returns the bytes (section 5.4, rebuild).
func (f *Map) Rewritten(b Buffer, change func(c *Copy)) ([]byte, error) {
	c := &Copy{Map: f, B: b}
	if change != nil {
		change(c)
	}
	return c.Build(b.Root(), f.Root)
}

// NewVariables tells whether variables have a type of their own, as those of late 2018 on.
func (f *Map) NewVariables() bool { return f.Types["FlatVariable"].Slots[2].Name == "dtype" }
