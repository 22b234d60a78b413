package tiledb

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// evolves tells whether a schema was read to its end and is of a version that is written.
func (s *schemaInfo) evolves() bool {
	return s.complete && s.version >= 1 && s.version <= versionNewest && s.versionAt.Span != nil
}

// cell is a cell of num values of a datatype.
func cell(t uint8, num uint32, b []byte) (c model.Cell) {
	codec, size := codecOf(t), filter.SizeOf(t)
	if !isNumber(t) {
		if codec == model.UTF8 {
			return model.Cell{Value: model.S(string(b))}
		}
		c = model.Cell{Value: model.Raw(b)}
		if t == filter.GeomWKB {
			c.Label = wktOf(b)
		}
		return c
	}
	if num == 1 {
		c.Value, _, _ = codec.Decode(b)
		if filter.IsTime(t) {
			c.Label = timeText(t, c.Value.Int())
		}
		return c
	}
	if len(b)%size != 0 { // values shorter than their type, as some writers of enumerations made them
		return model.Cell{Value: model.Raw(b)}
	}
	c.Vector = true
	for ; len(b) >= size; b = b[size:] {
		v, _, _ := codec.Decode(b)
		c.Items = append(c.Items, v)
	}
	c.Len = int64(len(c.Items))
	return c
}

// text is value i of an enumeration for people.
func (e *enumeration) text(t *model.Tree, ctx context.Context, i int64) string {
	r := e.data.Range
	b, err := t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off + e.starts[i], Len: e.starts[i+1] - e.starts[i]})
	if err != nil {
		return ""
	}
	return cell(e.datatype, e.num, b).String()
}

func (s *schemaInfo) hasEnumeration(name string) bool {
	for _, e := range s.enums {
		if e.name.Text() == name {
			return true
		}
	}
	return false
}

// enumeration is what an enumeration file holds.
type enumeration struct {
	name, file        model.Node
	datatype          uint8
	num               uint32
	ordered           bool
	data, offsets     model.Node
	starts            []int64 // of the values in data, and the end; nil when something is wrong
	dataSize, offSize model.Node
}

func (e *enumeration) count() int64 { return max(0, int64(len(e.starts))-1) }

// pipe is a pipeline that was read, with the places of its fields.
type pipe struct {
	model.Node
	largest, count, filters model.Node
	list                    []filter.Filter
	at                      []filterAt
}

// filterAt is where the fields of a filter are; those it does not have have no span.
type filterAt struct {
	self, typ, size, comp, level, as, window, scale, offset, width, quality, format, lossless, y, x model.Node
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

// genericTile is a generic tile that was read.
type genericTile struct {
	version, size model.Node
	tile, payload model.Node
	filters       []filter.Filter
	single        bool   // one chunk, however long: the pipeline's largest chunk is 0
	chunks        uint64 // as the tile says
	total         int64  // unfiltered bytes of all chunks; -1 when they are not all there
}

// sealed tells whether the tile is encrypted.
func (g *genericTile) sealed() bool {
	return len(g.filters) > 0 && g.filters[len(g.filters)-1].Type == filter.AES
}

// bytes is what filters see of a generic tile: single bytes.
func (g *genericTile) bytes() filter.TileType {
	return filter.TileType{Datatype: filter.Char, CellSize: 1, FormatVersion: uint32(g.version.Uint())}
}

// lowered is the high end of the domain less n.
func (d *dim) lowered(n uint64) model.Value {
	if filter.IsSigned(d.datatype) {
		return model.I(d.high.Int() - int64(n))
	}
	return model.U(d.high.Uint() - n)
}
