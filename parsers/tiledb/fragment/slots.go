package fragment

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// SlotOf finds the field and the part of a data file.
func SlotOf(slots []Slot, base string) (slot, part int) {
	for i := range slots {
		for p, suffix := range PartNames {
			if slots[i].File+suffix == base {
				return i, p
			}
		}
	}
	return -1, 0
}

// Coding is how the tiles of a field's file are filtered, without the key.
func (f *Footer) Coding(s *Slot, part int) filter.Coding {
	schema := f.Schema
	filters, tile := s.Filters, filter.TileType{Datatype: s.Datatype, CellSize: int(max(s.Cell(), 1)), FormatVersion: schema.Layout}
	switch {
	case part == Validity:
		filters, tile.Datatype, tile.CellSize = schema.Validity.List, filter.Uint8, 1
	case part == Fixed && s.Variable():
		filters, tile.Datatype, tile.CellSize = schema.Offsets.List, filter.Uint64, 8
	case part == Var:
		tile.VarStrings = s.Datatype == filter.Ascii || s.Datatype == filter.UtF8
	}
	if schema.Crypt {
		filters = append(append([]filter.Filter(nil), filters...), filter.Filter{Type: filter.AES})
	}
	return filter.Coding{Filters: filters, Tile: tile}
}

// Has tells whether the field has a file for a part: values of variable cells, and validity, have their own files.
func (s *Slot) Has(part int) bool {
	return part == Fixed || part == Var && s.Variable() || part == Validity && s.Nullable
}

// Stride is the bytes from one fixed-size cell to the next: those of version 1 without filters have __coords cell by cell, not dimension by dimension.
func (f *Footer) Stride(s *Slot) int64 {
	if s.Of > 0 && f.Version <= 1 && len(s.Filters) == 0 {
		return s.Cell() * int64(s.Of)
	}
	return s.Cell()
}

// Slot is a field of a fragment.
type Slot struct {
	Name     string
	File     string // without .tdb
	Datatype uint8
	Num      uint32
	Nullable bool
	Filters  []filter.Filter
	Attr     *schema.Attribute // nil for coordinates and TileDB's own columns
	Dim      *schema.Dimension
	At       int  // index of the attribute or dimension in the schema
	Coords   bool // the __coords of versions before 5
	Of       int  // of a dimension in __coords: how many dimensions that has
}

func (s *Slot) Variable() bool { return s.Num == storage.VariableCells }

// Cell is the bytes of a fixed-size cell, or of one value.
func (s *Slot) Cell() int64 {
	n := int64(filter.SizeOf(s.Datatype))
	if !s.Variable() {
		n *= int64(s.Num)
	}
	return n
}

// Slots returns the fields of a fragment in the order of its footer's slots. Before version 5 that has one slot for all dimensions, which follow as
// parts of its files.
func (f *Footer) Slots() []Slot {
	s := f.Schema
	var out []Slot
	name := func(kind string, i int, field string) string {
		if f.Version >= 9 {
			return kind + filter.Text(i)
		}
		if f.Version == 8 {
			return escape(field)
		}
		return field
	}
	for i := range s.Attrs {
		a := &s.Attrs[i]
		out = append(out, Slot{Name: a.Name.Text(), File: name("a", i, a.Name.Text()), Datatype: a.Datatype, Num: a.Values(),
			Nullable: a.Nullable(), Filters: a.Filters.List, Attr: a, At: i})
	}
	coords := Slot{Name: "__coords", File: "__coords", Datatype: uint8(s.DomainType.Uint()), Num: uint32(len(s.Dims)),
		Filters: s.Coords.List, Coords: true}
	if len(s.Dims) > 0 {
		coords.Datatype = s.Dims[0].Datatype
	}
	out = append(out, coords)
	for i := range s.Dims {
		d := &s.Dims[i]
		slot := Slot{Name: d.Name.Text(), File: name("d", i, d.Name.Text()), Datatype: d.Datatype, Num: d.Values(), Filters: d.Filters.List,
			Dim: d, At: i}
		if len(slot.Filters) == 0 {
			slot.Filters = s.Coords.List
		}
		if f.Version < 5 {
			slot.File, slot.Of = coords.File, len(s.Dims)
		}
		out = append(out, slot)
	}
	if f.Version < 5 {
		return out
	}
	extra := func(name, file string) {
		out = append(out, Slot{Name: name, File: file, Datatype: filter.Uint64, Num: 1, Filters: s.Coords.List})
	}
	if f.Times {
		extra("__timestamps", "t")
	}
	if f.Deletes {
		extra("__delete_timestamps", "dt")
		extra("__delete_condition_index", "dci")
	}
	return out
}

// escape is how version 8 made file names of field names (row 31 of part 6: four codes are wrong in the library).
func escape(name string) string {
	wrong := map[byte]string{'<': "%20", '>': "%2D", '\\': "%30", '|': "%3C"}
	var out []byte
	for i := range len(name) {
		ch := name[i]
		switch {
		case wrong[ch] != "":
			out = append(out, wrong[ch]...)
		case ch == '!' || ch >= '#' && ch <= ',' && ch != '.' || ch == '/' || ch == ':' || ch == ';' || ch == '=' || ch == '?' ||
			ch == '@' || ch == '[' || ch == ']' || ch == '%' || ch == '"' || ch == ' ':
			const digits = "0123456789ABCDEF"
			out = append(out, '%', digits[ch>>4], digits[ch&15])
		default:
			out = append(out, ch)
		}
	}
	return string(out)
}

// DatatypeOfBytes is the slot's type if its values are text, and BLOB otherwise.
func (s *Slot) DatatypeOfBytes() uint8 {
	if storage.CodecOf(s.Datatype) == model.UTF8 {
		return s.Datatype
	}
	return filter.Blob
}

// The files of a field.
const (
	Fixed = iota // cells, or offsets of variable cells
	Var
	Validity
)

var (
	PartNames = [3]string{"", "_var", "_validity"}
	PartLists = [3]int{TileOffsets, VarOffsets, ValidityOffsets}
)

// CellField is a field for fixed-size cells that are shown as one: texts and bytes.
func (s *Slot) CellField(f *model.Field) *model.Field {
	g := *storage.Typed(f, s.Datatype)
	if g.Codec = model.BytesOf(int(s.Cell())); storage.CodecOf(s.Datatype) == model.UTF8 {
		g.Codec = model.TextOf(int(s.Cell()), 0)
	}
	return &g
}
