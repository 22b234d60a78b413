package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Field describes one kind of field of a format: static, one package-level value each. It reads, checks, edits and writes a leaf;
// a struct, an array or a frame it only names (Codec is nil).
type Field struct {
	Name string // the specification's name, lower case; unique among its siblings
	Doc  string // one line for people
	Ref  string // section of the specification

	Codec Codec
	Enum  Enum                 // names of values
	Flags []Flag               // names of bits
	Show  Show                 // how the inspector prints it first
	Say   func(v Value) string // text of a value in sentences; nil: as Text
	Check func(v Value) string // "" when v is legal, otherwise what was expected
	Rule  *Rule                // rule of the finding of Check; nil: RuleValue
	Safe  Value                // the one value that repairs a failed Check; None where there is none
	Offer Value                // a value that repairs a failed Check, as others would: it is only offered

	// Terms tells of a text that it is a word of the format's own: one of which bytes were lost would not be another word. Nil: any text is as good.
	Terms func(text string) bool

	// Fixed says why the field cannot be edited on its own; "" if it can.
	Fixed string
	// Note returns a derived remark that is not stored in the file (a name looked up, a count), shown in [square brackets].
	// It may read bytes, so it is called from workers.
	Note func(ctx context.Context, t *Tree, s *Span) string
	// Choices returns the names of the numbers from 0 on, if the value is an index into a list in the file; called from workers.
	Choices func(ctx context.Context, t *Tree, s *Span) []string
	// Target returns the place that the value refers to, for fields of array elements, which have no Link of their own.
	Target func(t *Tree, s *Span) (Range, bool)
	// Unused means that nothing in the file uses these bytes, though they have a name: a diagnosis that relies on them is worthless.
	Unused bool
	// Values means that these are values of the user, which may be anything: of an array of structures, no other field says so.
	Values bool
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

// Said names a value in a sentence: a version, for instance, is not written in hexadecimal there.
func (f *Field) Said(v Value) string {
	if f.Say != nil {
		return f.Say(v)
	}
	return f.Text(v)
}

// Text prints a value of the field for people: the name of an enum's value, the set flags, a time, a size.
func (f *Field) Text(v Value) string {
	if v.IsNumber() {
		if name, ok := f.Enum[v.Uint()]; ok {
			return fmt.Sprintf("%s (%s)", name, v)
		}
		var set []string
		for _, flag := range f.Flags {
			if v.Uint()&flag.Mask == flag.Mask {
				set = append(set, flag.Name)
			}
		}
		if len(set) > 0 {
			return fmt.Sprintf("%s (0x%x)", strings.Join(set, " | "), v.Uint())
		}
		switch f.Show {
		case ShowHex:
			return fmt.Sprintf("0x%x", v.Uint())
		case ShowTimeMS:
			return time.UnixMilli(v.Int()).UTC().Format("2006-01-02 15:04:05.000 UTC")
		case ShowTicks:
			const unixTicks = 621355968000000000 // of 1970, counted from year 1
			return time.Unix((v.Int()-unixTicks)/1e7, (v.Int()-unixTicks)%1e7*100).UTC().Format("2006-01-02 15:04:05.0000000 UTC")
		case ShowSize:
			return SizeText(v.Uint())
		}
	}
	return v.String()
}

// Parse reads what a person typed into the field: the name of an enum's value or of flags ("a|b"), or a plain value.
func (f *Field) Parse(s string) (Value, error) {
	if f.Codec == nil {
		return Value{}, fmt.Errorf("%s has no value", f.Name)
	}
	for v, name := range f.Enum {
		if strings.EqualFold(name, strings.TrimSpace(s)) {
			return U(v), nil
		}
	}
	var bits uint64
	known := len(f.Flags) > 0
	for _, name := range strings.Split(s, "|") {
		i := slices.IndexFunc(f.Flags, func(g Flag) bool { return strings.EqualFold(g.Name, strings.TrimSpace(name)) })
		if known = known && i >= 0; known {
			bits |= f.Flags[i].Mask
		}
	}
	if known {
		return U(bits), nil
	}
	v, err := parseValue(f.Codec.Kind(), s)
	if err != nil {
		of := "the type " + f.Codec.Type()
		if f.Name != "" {
			of = f.Name + ", whose type is " + f.Codec.Type()
		}
		says := "%q is not a value of %s"
		if errors.Is(err, strconv.ErrRange) {
			says = "%q is out of range for %s"
		}
		err = fmt.Errorf(says, s, of)
	}
	return v, err
}

// SizeText prints a number of bytes, and in a larger unit if that helps.
func SizeText(n uint64) string {
	units, f, i := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}, float64(n), 0
	for ; f >= 1024; i++ {
		f /= 1024
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%d (%.1f %s)", n, f, units[i])
}

// Record is a fixed layout: the element of an array, a row of a table. All fields have fixed-size codecs.
type Record struct {
	Fields []*Field
	starts []int64 // starts[i] is where field i begins; one more entry for the stride
}

// NewRecord makes a record of consecutive fields; it panics if a field has no fixed size, which is a bug in a format.
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
