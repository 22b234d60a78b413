package tiledb

import (
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// evolves tells whether a schema was read to its end and is of a version that is written.
func (s *schemaInfo) evolves() bool {
	return s.complete && s.version >= 1 && s.version <= versionNewest && s.versionAt.Span != nil
}

func (s *schemaInfo) hasEnumeration(name string) bool {
	for _, e := range s.enums {
		if e.name.Text() == name {
			return true
		}
	}
	return false
}

// schemaInfo is what a schema says, with the places of what the rules speak of.
type schemaInfo struct {
	file    string // base name of its file
	version uint32
	layout  uint32

	versionAt, dups, array, tileOrder, cellOrder, capacity, dimCount, attrCount, enumCount model.Node

	coords, offsets, validity pipe
	domainType                model.Node // before version 5
	dims                      []dim
	attrs                     []attr
	labels                    []label
	enums                     []enumRef
	current                   current
	complete                  bool // it was read to its last field
	crypt                     bool
}

func (s *schemaInfo) dense() bool { return s.array.Uint() == 0 }

// dim is a dimension. extent has no span when there is none.
type dim struct {
	self, name, typ, num, size, domain, low, high, null, extent model.Node

	datatype uint8
	filters  pipe
}

func (d *dim) variable() bool { return d.datatype == filter.Ascii }

// attr is an attribute. Fields that its version does not have have no span.
type attr struct {
	self, name, typ, num, fillSize, fill, null, fillOK, order, enum model.Node

	datatype uint8
	filters  pipe
}

func (a *attr) values() uint32 { return uint32(a.num.Uint()) }

func (a *attr) variable() bool { return a.values() == variableCells }

func (a *attr) nullable() bool { return a.null.Uint() != 0 }

// label is a dimension label.
type label struct {
	self, dim, name, relative, uri, attr, order, typ, num, external model.Node
}

// enumRef is an entry of the enumeration map.
type enumRef struct{ self, name, file model.Node }

// interval is a closed range of a dimension: numbers, or for strings the bytes of both ends in data.
type interval struct {
	self, low, high, size, start, data model.Node
}

// ends returns the two ends, also those of strings.
func (r *interval) ends() (low, high model.Value) {
	if r.data.Span == nil {
		return r.low.Value, r.high.Value
	}
	b := r.data.Text()
	n := min(r.start.Int(), int64(len(b)))
	return model.S(b[:n]), model.S(b[n:])
}

// current is the current domain; without ranges when it is empty.
type current struct {
	self   model.Node
	ranges []interval
}

// entryOf is an entry of a schema's enumeration map.
type entryOf struct {
	schema *schemaInfo
	entry  enumRef
}

// fieldAt is the attribute or dimension whose name stands in a span; "" for none.
func (s *schemaInfo) fieldAt(name *model.Span) string {
	for i := range s.attrs {
		if s.attrs[i].name.Span == name {
			return s.attrs[i].name.Text()
		}
	}
	for i := range s.dims {
		if s.dims[i].name.Span == name {
			return s.dims[i].name.Text()
		}
	}
	return ""
}

// hasField tells whether the schema has an attribute or a dimension of a name.
func (s *schemaInfo) hasField(name string) bool {
	return slices.ContainsFunc(s.attrs, func(a attr) bool { return a.name.Text() == name }) ||
		slices.ContainsFunc(s.dims, func(d dim) bool { return d.name.Text() == name })
}

// fieldNamed is the datatype of a dimension or an attribute, and how many values its cells have.
func (s *schemaInfo) fieldNamed(name string) (datatype uint8, num uint32, ok bool) {
	for i := range s.dims {
		if d := &s.dims[i]; d.name.Text() == name {
			if d.variable() {
				return d.datatype, variableCells, true
			}
			return d.datatype, 1, true
		}
	}
	for i := range s.attrs {
		if a := &s.attrs[i]; a.name.Text() == name {
			return a.datatype, a.values(), true
		}
	}
	return 0, 0, false
}
