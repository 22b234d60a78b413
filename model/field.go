package model

import "fmt"

// Field describes one slot of a format: static, one package-level value for each. It reads, checks, edits and writes a leaf;
// for a struct, an array or a frame it only names it (Codec is nil).
type Field struct {
	Name string // the specification's name, lower case; unique among its siblings
	Doc  string // one line for people
	Ref  string // section of the specification

	Codec Codec
	Enum  Enum                 // names of values
	Flags []Flag               // names of bits
	Show  Show                 // how the inspector prints it first
	Check func(v Value) string // "" when v is legal, otherwise what was expected
	Rule  *Rule                // what Check's finding is reported as; RuleValue when nil
	Safe  *Value               // the one value that repairs a failed Check, if there is one

	// Fixed tells why the field cannot be edited on its own; "" when it can.
	Fixed string
	// Note returns a derived remark that is not in the file (a name looked up, a count). It is shown in [square brackets].
	// It may read bytes, so it is called from workers.
	Note func(t *Tree, s *Span) string
	// Target returns the place that the value refers to, for fields of array elements, which have no Link of their own.
	Target func(t *Tree, s *Span) (Range, bool)
}

// Named returns a copy of f under another name: for spans whose names come from the file.
func (f *Field) Named(format string, args ...any) *Field {
	g := *f
	g.Name = fmt.Sprintf(format, args...)
	return &g
}

// Enum names values.
type Enum map[uint64]string

// Flag names bits: those of Mask.
type Flag struct {
	Mask uint64
	Name string
}

// Show is how a value is printed first.
type Show uint8

// The ways to show a value.
const (
	ShowPlain  Show = iota
	ShowHex         // 0x…
	ShowTimeMS      // milliseconds since 1970 UTC
	ShowTicks       // 100 ns since year 1
	ShowSize        // bytes, with KiB, MiB beside it
)

// Record is a fixed layout: the element of an array, a row of a table. All fields have codecs of fixed size.
type Record struct {
	Fields []*Field
	starts []int64 // starts[i] is where field i begins; one more entry for the stride
}

// NewRecord makes a record of consecutive fields; it panics when a field has no fixed size, which is a bug in a format.
func NewRecord(fields ...*Field) *Record {
	r := &Record{Fields: fields, starts: make([]int64, 1, len(fields)+1)}
	for _, f := range fields {
		n := f.Codec.Size()
		if n < 0 {
			panic("model: field " + f.Name + " of a record has no fixed size")
		}
		r.starts = append(r.starts, r.Size()+int64(n))
	}
	return r
}

// Size returns the number of bytes of the record: the stride of an array of it.
func (r *Record) Size() int64 { return r.starts[len(r.starts)-1] }

// Start returns where field i begins, from the start of the record.
func (r *Record) Start(i int) int64 { return r.starts[i] }
