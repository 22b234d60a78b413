package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Dimension labels, the enumeration map and the current domain of a schema (3.5 to 3.7).
var (
	labelCount   = &model.Field{Name: "num_dimension_labels", Ref: "3.5", Codec: model.U32LE}
	labels       = &model.Field{Name: "labels", Ref: "3.5"}
	labelF       = &model.Field{Name: "label", Ref: "3.5"}
	labelDim     = &model.Field{Name: "dimension_index", Ref: "3.5", Codec: model.U32LE}
	labelRel     = &model.Field{Name: "relative_uri", Ref: "3.5", Codec: model.U8}
	labelURILen  = &model.Field{Name: "uri_length", Ref: "3.5", Codec: model.U64LE}
	labelURI     = &model.Field{Name: "uri", Doc: "of the array that holds the label", Ref: "3.5", Codec: model.UTF8}
	labelAttrLen = &model.Field{Name: "label_attribute_name_length", Ref: "3.5", Codec: model.U32LE}
	labelAttr    = &model.Field{Name: "label_attribute_name", Ref: "3.5", Codec: model.UTF8}
	labelOrder   = &model.Field{Name: "label_order", Ref: "3.5", Codec: model.U8, Enum: dataOrders}
	labelType    = &model.Field{Name: "label_datatype", Ref: "3.5", Codec: model.U8, Enum: datatypes}
	labelNum     = &model.Field{Name: "label_cell_val_num", Ref: "3.5", Codec: model.U32LE, Enum: varCells}
	labelExt     = &model.Field{Name: "is_external", Doc: "the label array lies elsewhere", Ref: "3.5", Codec: model.U8}
	enumCount    = &model.Field{Name: "num_enumerations", Ref: "3.6", Codec: model.U32LE}
	enums        = &model.Field{Name: "enumerations", Ref: "3.6"}
	enumEntry    = &model.Field{Name: "enumeration", Ref: "3.6"}
	enumFileLen  = &model.Field{Name: "filename_length", Ref: "3.6", Codec: model.U32LE}
	enumFile     = &model.Field{Name: "filename", Doc: "in __schema/__enumerations", Ref: "3.6", Codec: model.UTF8}
	currentF     = &model.Field{Name: "current_domain", Ref: "3.7"}
	curVersion   = &model.Field{Name: "version", Ref: "3.7", Codec: model.U32LE, Check: upTo(0), Rule: currentVersion, Safe: none}
	curEmpty     = &model.Field{Name: "empty", Doc: "1: nothing follows", Ref: "3.7", Codec: model.U8, Check: flag, Rule: currentEmpty}
	curType      = &model.Field{Name: "type", Ref: "3.7", Codec: model.U8, Enum: shapes, Check: upTo(0), Rule: currentType}
	curData      = &model.Field{Name: "data", Doc: "of a type that is not known", Ref: "3.7", Codec: model.RawBytes}
	curRanges    = &model.Field{Name: "ranges", Ref: "3.7"}
	rangeF       = &model.Field{Name: "range", Ref: "3.7"}
	rangeLow     = &model.Field{Name: "low", Ref: "3.7"}
	rangeHigh    = &model.Field{Name: "high", Ref: "3.7"}
	rangeSize    = &model.Field{Name: "size", Doc: "bytes of both ends", Ref: "3.7", Codec: model.U64LE}
	rangeStart   = &model.Field{Name: "start_size", Doc: "bytes of the low end", Ref: "3.7", Codec: model.U64LE}
	rangeData    = &model.Field{Name: "data", Doc: "low end, then high end", Ref: "3.7", Codec: model.UTF8}
)

// label is a dimension label.
type label struct {
	self, dim, name, relative, uri, attr, order, typ, num, external model.Node
}

func readLabel(c *model.Cursor, l *label) {
	l.dim = c.Field(labelDim)
	l.name = readText(c, nameLen, nameF)
	l.relative = c.Field(labelRel)
	l.uri = readText(c, labelURILen, labelURI)
	l.attr = readText(c, labelAttrLen, labelAttr)
	l.order, l.typ, l.num, l.external = c.Field(labelOrder), c.Field(labelType), c.Field(labelNum), c.Field(labelExt)
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

// readRange reads a range of a dimension as the current domain, footers and R-trees store it.
func readRange(c *model.Cursor, f *model.Field, d *dim) (r interval) {
	r.self = c.Struct(f, func(c *model.Cursor) {
		if d.variable() {
			r.size, r.start = c.Field(rangeSize), c.Field(rangeStart)
			r.data = c.FieldN(rangeData, r.size.Int())
			c.LengthOf(r.size, r.data)
			return
		}
		if !isNumber(d.datatype) { // dimensions cannot have it
			c.FieldN(typed(rangeData, filter.Blob), 2*int64(filter.SizeOf(d.datatype)))
			return
		}
		r.low, r.high = c.Field(typed(rangeLow, d.datatype)), c.Field(typed(rangeHigh, d.datatype))
	})
	return r
}

// current is the current domain; without ranges when it is empty.
type current struct {
	self   model.Node
	ranges []interval
}

func readCurrent(c *model.Cursor, s *schemaInfo) {
	c.Field(curVersion)
	if empty := c.Field(curEmpty); empty.Uint() != 0 {
		return
	}
	if c.Field(curType).Uint() != 0 {
		if c.More() {
			c.Rest(curData)
		}
		return
	}
	c.List(curRanges, func(c *model.Cursor) {
		for i := range s.dims {
			s.current.ranges = append(s.current.ranges, readRange(c, rangeF, &s.dims[i]))
		}
	})
}
