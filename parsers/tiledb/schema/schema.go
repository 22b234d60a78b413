package schema

import (
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/storage"
)

// Schema is the content of a schema, with the places that rules are about.
type Schema struct {
	File    string // base name of its file
	Version uint32
	Layout  uint32

	VersionAt, Dups, Array, TileOrder, CellOrder, Capacity, DimCount, AttrCount, EnumCount model.Node

	Coords, Offsets, Validity storage.Pipeline
	DomainType                model.Node // before version 5
	Dims                      []Dimension
	Attrs                     []Attribute
	Labels                    []Label
	Enums                     []EnumerationEntry
	Current                   current
	Complete                  bool // it was read to its last field
	Crypt                     bool
}

func (s *Schema) Dense() bool { return s.Array.Uint() == 0 }

// Dimension is a dimension. extent has no span if there is none.
type Dimension struct {
	Self, Name, Typ, Num, size, domain, Low, High, Null, Extent model.Node

	Datatype uint8
	Filters  storage.Pipeline
}

func (d *Dimension) Variable() bool { return d.Datatype == filter.Ascii }

// Values is the number of values per coordinate.
func (d *Dimension) Values() uint32 { return valuesOf(d.Datatype) }

// valuesOf is the number of values per coordinate, label or ordered cell of a datatype.
func valuesOf(t uint8) uint32 {
	if t == filter.Ascii {
		return storage.VariableCells
	}
	return 1
}

// Holds tells whether a range lies in the domain; true if there is no domain.
func (d *Dimension) Holds(low, high model.Value) bool {
	return d.Low.Span == nil || storage.Compare(low, d.Low.Value) >= 0 && storage.Compare(high, d.High.Value) <= 0
}

// Attribute is an attribute. Fields that its version does not have have no span.
type Attribute struct {
	Self, Name, Typ, Num, fillSize, Fill, Null, FillOK, Order, Enum model.Node

	Datatype uint8
	Filters  storage.Pipeline
}

func (a *Attribute) Values() uint32 { return uint32(a.Num.Uint()) }

func (a *Attribute) Variable() bool { return a.Values() == storage.VariableCells }

func (a *Attribute) Nullable() bool { return a.Null.Uint() != 0 }

// Label is a dimension label.
type Label struct {
	Self, Dim, Name, Relative, Uri, Attr, Order, Typ, Num, external model.Node
}

// EnumerationEntry is an entry of the enumeration map.
type EnumerationEntry struct{ Self, Name, File model.Node }

// Interval is a closed range of a dimension: numbers, or for strings the bytes of both ends in data.
type Interval struct {
	Self, Low, High, size, start, data model.Node
}

// Ends returns the two ends, also for strings.
func (r *Interval) Ends() (low, high model.Value) {
	if r.data.Span == nil {
		return r.Low.Value, r.High.Value
	}
	b := r.data.Text()
	n := min(r.start.Int(), int64(len(b)))
	return model.S(b[:n]), model.S(b[n:])
}

// current is the current domain; without ranges if it is empty.
type current struct {
	Self   model.Node
	Ranges []Interval
}

// EntryOf is an entry of a schema's enumeration map.
type EntryOf struct {
	Schema *Schema
	Entry  EnumerationEntry
}

// fields yields the dimensions and the attributes as attributes, each with its name and what its cells are.
func (s *Schema) fields(yield func(*Attribute) bool) {
	for i := range s.Dims {
		if d := &s.Dims[i]; !yield(&Attribute{Name: d.Name, Datatype: d.Datatype, Num: model.Node{Value: model.U(uint64(d.Values()))}}) {
			return
		}
	}
	for i := range s.Attrs {
		if !yield(&s.Attrs[i]) {
			return
		}
	}
}

// FieldAt is the attribute or dimension whose name is at a span; "" for none.
func (s *Schema) FieldAt(name *model.Span) string {
	for f := range s.fields {
		if f.Name.Span == name {
			return f.Name.Text()
		}
	}
	return ""
}

// HasField tells whether a field has a name.
func (s *Schema) HasField(name string) bool {
	_, _, ok := s.FieldNamed(name)
	return ok
}

// FieldNamed is the datatype of a dimension or an attribute, and the number of values in its cells.
func (s *Schema) FieldNamed(name string) (datatype uint8, num uint32, ok bool) {
	for f := range s.fields {
		if f.Name.Text() == name {
			return f.Datatype, f.Values(), true
		}
	}
	return 0, 0, false
}

// Evolves tells whether a schema was read completely and is of a version that is written.
func (s *Schema) Evolves() bool {
	return s.Complete && s.Version >= 1 && s.Version <= storage.VersionNewest && s.VersionAt.Span != nil
}

// HasEnumeration tells whether the map of enumerations contains a name.
func (s *Schema) HasEnumeration(name string) bool {
	return slices.ContainsFunc(s.Enums, func(e EnumerationEntry) bool { return e.Name.Text() == name })
}

// Named returns the nodes that name an enumeration: in the map, and in the attributes that use it.
func (s *Schema) Named(enumeration string) (out []model.Node) {
	for _, e := range s.Enums {
		out = append(out, e.Name)
	}
	for i := range s.Attrs {
		out = append(out, s.Attrs[i].Enum)
	}
	return slices.DeleteFunc(out, func(n model.Node) bool { return n.Text() != enumeration })
}
