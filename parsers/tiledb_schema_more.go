package parsers

import (
	"spandrel/model"
)

// Dimension labels, the enumeration map and the current domain of a schema (3.5 to 3.7).
var (
	tdbLabelCount   = &model.Field{Name: "num_dimension_labels", Ref: "3.5", Codec: model.U32LE}
	tdbLabels       = &model.Field{Name: "labels", Ref: "3.5"}
	tdbLabelF       = &model.Field{Name: "label", Ref: "3.5"}
	tdbLabelDim     = &model.Field{Name: "dimension_index", Ref: "3.5", Codec: model.U32LE}
	tdbLabelRel     = &model.Field{Name: "relative_uri", Ref: "3.5", Codec: model.U8}
	tdbLabelURILen  = &model.Field{Name: "uri_length", Ref: "3.5", Codec: model.U64LE}
	tdbLabelURI     = &model.Field{Name: "uri", Doc: "of the array that holds the label", Ref: "3.5", Codec: model.UTF8}
	tdbLabelAttrLen = &model.Field{Name: "label_attribute_name_length", Ref: "3.5", Codec: model.U32LE}
	tdbLabelAttr    = &model.Field{Name: "label_attribute_name", Ref: "3.5", Codec: model.UTF8}
	tdbLabelOrder   = &model.Field{Name: "label_order", Ref: "3.5", Codec: model.U8, Enum: tdbDataOrders}
	tdbLabelType    = &model.Field{Name: "label_datatype", Ref: "3.5", Codec: model.U8, Enum: tdbDatatypes}
	tdbLabelNum     = &model.Field{Name: "label_cell_val_num", Ref: "3.5", Codec: model.U32LE, Enum: tdbVarCells}
	tdbLabelExt     = &model.Field{Name: "is_external", Doc: "the label array lies elsewhere", Ref: "3.5", Codec: model.U8}
	tdbEnumCount    = &model.Field{Name: "num_enumerations", Ref: "3.6", Codec: model.U32LE}
	tdbEnums        = &model.Field{Name: "enumerations", Ref: "3.6"}
	tdbEnumEntry    = &model.Field{Name: "enumeration", Ref: "3.6"}
	tdbEnumFileLen  = &model.Field{Name: "filename_length", Ref: "3.6", Codec: model.U32LE}
	tdbEnumFile     = &model.Field{Name: "filename", Doc: "in __schema/__enumerations", Ref: "3.6", Codec: model.UTF8}
	tdbCurrentF     = &model.Field{Name: "current_domain", Ref: "3.7"}
	tdbCurVersion   = &model.Field{Name: "version", Ref: "3.7", Codec: model.U32LE, Check: tdbUpTo(0), Rule: tdb(145), Safe: &tdbNone}
	tdbCurEmpty     = &model.Field{Name: "empty", Doc: "1: nothing follows", Ref: "3.7", Codec: model.U8, Check: tdbFlag, Rule: tdb(146)}
	tdbCurType      = &model.Field{Name: "type", Ref: "3.7", Codec: model.U8, Enum: tdbShapes, Check: tdbUpTo(0), Rule: tdb(147)}
	tdbCurData      = &model.Field{Name: "data", Doc: "of a type that is not known", Ref: "3.7", Codec: model.RawBytes}
	tdbCurRanges    = &model.Field{Name: "ranges", Ref: "3.7"}
	tdbRangeF       = &model.Field{Name: "range", Ref: "3.7"}
	tdbRangeLow     = &model.Field{Name: "low", Ref: "3.7"}
	tdbRangeHigh    = &model.Field{Name: "high", Ref: "3.7"}
	tdbRangeSize    = &model.Field{Name: "size", Doc: "bytes of both ends", Ref: "3.7", Codec: model.U64LE}
	tdbRangeStart   = &model.Field{Name: "start_size", Doc: "bytes of the low end", Ref: "3.7", Codec: model.U64LE}
	tdbRangeData    = &model.Field{Name: "data", Doc: "low end, then high end", Ref: "3.7", Codec: model.UTF8}
)

// tdbLabel is a dimension label.
type tdbLabel struct {
	self, dim, name, relative, uri, attr, order, typ, num, external model.Node
}

func tdbReadLabel(c *model.Cursor, l *tdbLabel) {
	l.dim = c.Field(tdbLabelDim)
	l.name = tdbReadText(c, tdbNameLen, tdbNameF)
	l.relative = c.Field(tdbLabelRel)
	l.uri = tdbReadText(c, tdbLabelURILen, tdbLabelURI)
	l.attr = tdbReadText(c, tdbLabelAttrLen, tdbLabelAttr)
	l.order, l.typ, l.num, l.external = c.Field(tdbLabelOrder), c.Field(tdbLabelType), c.Field(tdbLabelNum), c.Field(tdbLabelExt)
}

// tdbEnumRef is an entry of the enumeration map.
type tdbEnumRef struct{ self, name, file model.Node }

// tdbInterval is a closed range of a dimension: numbers, or for strings the bytes of both ends in data.
type tdbInterval struct {
	self, low, high, size, start, data model.Node
}

// ends returns the two ends, also those of strings.
func (r *tdbInterval) ends() (low, high model.Value) {
	if r.data.Span == nil {
		return r.low.Value, r.high.Value
	}
	b := r.data.Text()
	n := min(r.start.Int(), int64(len(b)))
	return model.S(b[:n]), model.S(b[n:])
}

// tdbReadRange reads a range of a dimension as the current domain, footers and R-trees store it.
func tdbReadRange(c *model.Cursor, f *model.Field, d *tdbDim) (r tdbInterval) {
	r.self = c.Struct(f, func(c *model.Cursor) {
		if d.variable() {
			r.size, r.start = c.Field(tdbRangeSize), c.Field(tdbRangeStart)
			r.data = c.FieldN(tdbRangeData, r.size.Int())
			c.LengthOf(r.size, r.data).Unchecked()
			return
		}
		if !tdbIsNumber(d.datatype) { // dimensions cannot have it
			c.FieldN(tdbTyped(tdbRangeData, tdbBlob), 2*int64(tdbDatatypeSize(d.datatype)))
			return
		}
		r.low, r.high = c.Field(tdbTyped(tdbRangeLow, d.datatype)), c.Field(tdbTyped(tdbRangeHigh, d.datatype))
	})
	return r
}

// tdbCurrent is the current domain; without ranges when it is empty.
type tdbCurrent struct {
	self   model.Node
	ranges []tdbInterval
}

func tdbReadCurrent(c *model.Cursor, s *tdbSchema) {
	c.Field(tdbCurVersion)
	if empty := c.Field(tdbCurEmpty); empty.Uint() != 0 {
		return
	}
	if c.Field(tdbCurType).Uint() != 0 {
		if c.More() {
			c.Rest(tdbCurData)
		}
		return
	}
	c.List(tdbCurRanges, func(c *model.Cursor) {
		for i := range s.dims {
			s.current.ranges = append(s.current.ranges, tdbReadRange(c, tdbRangeF, &s.dims[i]))
		}
	})
}
