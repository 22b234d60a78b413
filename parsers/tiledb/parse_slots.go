package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// slotOf finds the field and the part that a data file belongs to.
func slotOf(slots []fileSlot, base string) (slot, part int) {
	for i := range slots {
		for p, suffix := range partNames {
			if slots[i].file+suffix == base {
				return i, p
			}
		}
	}
	return -1, 0
}

// pipeline is the filters of a file of a field, and the type of its tiles.
func (f *footer) pipeline(s *fileSlot, part int) ([]filter.Filter, filter.TileType) {
	schema := f.schema
	filters, tile := s.filters, filter.TileType{Datatype: s.datatype, CellSize: int(max(s.cell(), 1)), FormatVersion: schema.layout}
	switch {
	case part == fileValid:
		filters, tile.Datatype, tile.CellSize = schema.validity.list, 6, 1
	case part == fileFixed && s.variable():
		filters, tile.Datatype, tile.CellSize = schema.offsets.list, filter.Uint64, 8
	case part == fileVar:
		tile.VarStrings = s.datatype == filter.Ascii || s.datatype == filter.UtF8
	}
	if schema.crypt {
		filters = append(append([]filter.Filter(nil), filters...), filter.Filter{Type: filter.AES})
	}
	return filters, tile
}

// stringMode tells whether the values tile of a field also holds where its cells start.
func stringMode(filters []filter.Filter, tile filter.TileType) bool {
	for i := range filters {
		if filters[i].Type == filter.AES {
			filters = filters[:i]
			break
		}
	}
	p, err := filter.Compile(filters, tile, nil)
	return err == nil && p.StringMode()
}

// fileSlot is a field of a fragment.
type fileSlot struct {
	name     string
	file     string // without .tdb
	datatype uint8
	num      uint32
	nullable bool
	filters  []filter.Filter
	attr     *attr // nil for coordinates and TileDB's own columns
	dim      *dim
	coords   bool // the __coords of versions before 5
}

func (s *fileSlot) variable() bool { return s.num == variableCells }

// cell is the bytes of a cell of fixed size, or of one value.
func (s *fileSlot) cell() int64 {
	n := int64(filter.SizeOf(s.datatype))
	if !s.variable() {
		n *= int64(s.num)
	}
	return n
}

// slotList returns the fields of a fragment in the order of its footer's slots.
func (f *footer) slotList() []fileSlot {
	s := f.schema
	var out []fileSlot
	name := func(kind string, i int, field string) string {
		if f.version >= 9 {
			return kind + filter.Text(i)
		}
		if f.version == 8 {
			return escape(field)
		}
		return field
	}
	for i := range s.attrs {
		a := &s.attrs[i]
		out = append(out, fileSlot{name: a.name.Text(), file: name("a", i, a.name.Text()), datatype: a.datatype, num: a.values(),
			nullable: a.nullable(), filters: a.filters.list, attr: a})
	}
	coords := fileSlot{name: "__coords", file: "__coords", datatype: uint8(s.domainType.Uint()), num: uint32(len(s.dims)),
		filters: s.coords.list, coords: true}
	if len(s.dims) > 0 {
		coords.datatype = s.dims[0].datatype
	}
	out = append(out, coords)
	if f.version < 5 {
		return out
	}
	for i := range s.dims {
		d := &s.dims[i]
		slot := fileSlot{name: d.name.Text(), file: name("d", i, d.name.Text()), datatype: d.datatype, num: 1, filters: d.filters.list,
			dim: d}
		if d.variable() {
			slot.num = variableCells
		}
		if len(slot.filters) == 0 {
			slot.filters = s.coords.list
		}
		out = append(out, slot)
	}
	extra := func(name, file string) {
		out = append(out, fileSlot{name: name, file: file, datatype: filter.Uint64, num: 1, filters: s.coords.list})
	}
	if f.times {
		extra("__timestamps", "t")
	}
	if f.deletes {
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

// datatypeOfBytes is the slot's type where its values are text, and BLOB otherwise.
func (s *fileSlot) datatypeOfBytes() uint8 {
	if codecOf(s.datatype) == model.UTF8 {
		return s.datatype
	}
	return filter.Blob
}

// The files of a field.
const (
	fileFixed = iota // cells, or offsets of variable cells
	fileVar
	fileValid
)

var (
	partNames = [3]string{"", "_var", "_validity"}
	partLists = [3]int{lTiles, lVar, lValidity}
)

// cellField is a field for cells of fixed size that are shown as one: texts and bytes.
func (s *fileSlot) cellField(f *model.Field) *model.Field {
	g := *typed(f, s.datatype)
	if g.Codec = model.BytesOf(int(s.cell())); codecOf(s.datatype) == model.UTF8 {
		g.Codec = model.TextOf(int(s.cell()), 0)
	}
	return &g
}
