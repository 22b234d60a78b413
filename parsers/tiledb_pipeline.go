package parsers

import (
	"spandrel/model"
)

// Filter pipelines as they lie in generic tile headers and schemas (2.2 and 2.3; format_spec/filter_pipeline.md).
var (
	tdbPipeMaxChunk = &model.Field{Name: "max_chunk_size", Doc: "0: one chunk for each tile; other values are not used", Ref: "2.2", Codec: model.U32LE}
	tdbPipeCount    = &model.Field{Name: "num_filters", Ref: "2.2", Codec: model.U32LE}
	tdbPipeFilters  = &model.Field{Name: "filters", Doc: "in writing order", Ref: "2.2"}
	tdbFilterF      = &model.Field{Name: "filter", Ref: "2.3"}
	tdbFilterType   = &model.Field{Name: "type", Ref: "2.3", Codec: model.U8, Enum: tdbFilterEnum}
	tdbFilterSize   = &model.Field{Name: "options_size", Doc: "bytes of the options; TileDB goes by the type alone", Ref: "2.3", Codec: model.U32LE}
	tdbFilterComp   = &model.Field{Name: "compressor", Doc: "wins over the type where they disagree", Ref: "2.3", Codec: model.U8, Enum: tdbCompressors}
	tdbFilterLevel  = &model.Field{Name: "level", Doc: "-1: the compressor's default", Ref: "2.3", Codec: model.I32LE}
	tdbFilterAs     = &model.Field{Name: "reinterpret_datatype", Doc: "what differences are taken of; ANY: the input's type", Ref: "2.3", Codec: model.U8, Enum: tdbDatatypes}
	tdbFilterWindow = &model.Field{Name: "max_window_size", Doc: "bytes", Ref: "2.3", Codec: model.U32LE, Show: model.ShowSize}
	tdbFilterScale  = &model.Field{Name: "scale", Doc: "value = scale x stored + offset", Ref: "2.3", Codec: model.F64LE}
	tdbFilterOffset = &model.Field{Name: "offset", Ref: "2.3", Codec: model.F64LE}
	tdbFilterWidth  = &model.Field{Name: "byte_width", Doc: "of a stored integer", Ref: "2.3", Codec: model.U64LE}
	tdbWebPQuality  = &model.Field{Name: "quality", Doc: "0 to 100", Ref: "2.3", Codec: model.F32LE}
	tdbWebPFormat   = &model.Field{Name: "format", Ref: "2.3", Codec: model.U8, Enum: tdbPixelOrder}
	tdbWebPLossless = &model.Field{Name: "lossless", Ref: "2.3", Codec: model.U8}
	tdbWebPY        = &model.Field{Name: "extent_y", Doc: "rows", Ref: "2.3", Codec: model.U16LE}
	tdbWebPX        = &model.Field{Name: "extent_x", Doc: "bytes of a row", Ref: "2.3", Codec: model.U16LE}
	tdbWebPPad      = &model.Field{Name: "struct_padding", Ref: "2.3", Codec: model.BytesOf(2), Check: tdbZero, Rule: tdb(45), Safe: &tdbTwoZeros}
	tdbFilterOther  = &model.Field{Name: "options", Doc: "options of an unknown filter", Ref: "2.3", Codec: model.RawBytes}

	tdbTwoZeros = model.Raw([]byte{0, 0})
)

func tdbZero(v model.Value) string {
	for _, b := range []byte(v.Text()) {
		if b != 0 {
			return "zeros"
		}
	}
	return ""
}

// tdbPipe is a pipeline that was read, with the places of its fields.
type tdbPipe struct {
	model.Node
	largest, count, filters model.Node
	list                    []tdbFilter
	at                      []tdbFilterAt
}

// tdbFilterAt is where the fields of a filter are; those it does not have have no span.
type tdbFilterAt struct {
	self, typ, size, comp, level, as, window, scale, offset, width, quality, format, lossless, y, x model.Node
}

// tdbMostFilters is how many filters are taken for a pipeline: no real one comes near.
const tdbMostFilters = 32

// tdbReadPipe reads a pipeline of a format version.
func tdbReadPipe(c *model.Cursor, f *model.Field, version uint32) (p tdbPipe) {
	p.Node = c.Struct(f, func(c *model.Cursor) {
		p.largest = c.Field(tdbPipeMaxChunk)
		p.count = c.Field(tdbPipeCount)
		if n := p.count.Int(); n > tdbMostFilters || n*5 > c.Left() {
			tdbReport(c, 46, p.count, n, "at most 32, each of 5 bytes and more")
			c.Stop()
		}
		if p.count.Uint() == 0 {
			return
		}
		p.filters = c.List(tdbPipeFilters, func(c *model.Cursor) {
			for range p.count.Uint() {
				at := tdbFilterAt{}
				at.self = c.Struct(tdbFilterF, func(c *model.Cursor) { p.list = append(p.list, tdbReadFilter(c, &at, version)) })
				p.at = append(p.at, at)
			}
		})
		c.CountOf(p.count, p.filters).Unchecked()
	})
	return p
}

func tdbReadFilter(c *model.Cursor, at *tdbFilterAt, version uint32) (f tdbFilter) {
	at.typ, at.size = c.Field(tdbFilterType), c.Field(tdbFilterSize)
	f.Type = uint8(at.typ.Uint())
	from := c.Pos()
	switch f.Type {
	case tdbFilterGzip, tdbFilterZstd, tdbFilterLZ4, tdbFilterRLE, tdbFilterBzip2, tdbFilterDictionary, tdbFilterDoubleDelta, tdbFilterDelta:
		at.comp, at.level = c.Field(tdbFilterComp), c.Field(tdbFilterLevel)
		f.Compressor, f.Level = uint8(at.comp.Uint()), int32(at.level.Int())
		if f.Type == tdbFilterDelta || f.Type == tdbFilterDoubleDelta && version >= 20 {
			at.as = c.Field(tdbFilterAs)
			f.Reinterpret = uint8(at.as.Uint())
		}
		if op, ok := tdbEffective(f); !ok || op != f.Type {
			own := map[uint8]uint64{tdbFilterDictionary: 7, tdbFilterDelta: 8}[f.Type]
			if own == 0 {
				own = uint64(f.Type)
			}
			tdbReport(c, 33, at.comp, at.comp.Value, own, tdbSet(at.comp, model.U(own), false))
		}
		if most := map[uint8]int32{tdbFilterGzip: 9, tdbFilterBzip2: 9, tdbFilterZstd: 22}[f.Type]; most > 0 && f.Level > most {
			tdbReport(c, 34, at.level, f.Level, most, tdbSet(at.level, model.I(-1), true))
		}
	case tdbFilterBitWidth, tdbFilterPositiveDelta:
		at.window = c.Field(tdbFilterWindow)
		f.Window = uint32(at.window.Uint())
	case tdbFilterScaleFloat:
		at.scale, at.offset, at.width = c.Field(tdbFilterScale), c.Field(tdbFilterOffset), c.Field(tdbFilterWidth)
		f.Scale, f.Offset, f.Width = at.scale.Value.Float(), at.offset.Value.Float(), at.width.Uint()
	case tdbFilterWebP:
		at.quality, at.format, at.lossless = c.Field(tdbWebPQuality), c.Field(tdbWebPFormat), c.Field(tdbWebPLossless)
		at.y, at.x = c.Field(tdbWebPY), c.Field(tdbWebPX)
		c.Field(tdbWebPPad)
		f.WebPQuality, f.WebPFormat, f.WebPLossless = float32(at.quality.Value.Float()), uint8(at.format.Uint()), uint8(at.lossless.Uint())
		f.WebPExtentY, f.WebPExtentX = uint16(at.y.Uint()), uint16(at.x.Uint())
	case tdbFilterNone, tdbFilterBitShuffle, tdbFilterByteShuffle, tdbFilterAES, tdbFilterMD5, tdbFilterSHA256, tdbFilterXor:
	default:
		tdbReport(c, 30, at.typ, f.Type, "0 to 16, 18 or 19")
		n := at.size.Int()
		if n > c.Left() {
			c.Stop()
		}
		c.LengthOf(at.size, c.FieldN(tdbFilterOther, n)).Unchecked()
		return f
	}
	if n := c.Pos() - from; n != at.size.Int() {
		tdbReport(c, 32, at.size, at.size.Value, n, tdbSet(at.size, model.I(n), true))
	}
	if first := tdbFilterSince[f.Type]; first > version && version > 0 {
		tdbReport(c, 35, at.typ, tdbFilterName(f.Type), "version "+tdbText(first)+" or newer")
	}
	return f
}

// tdbFilterSince is the format version that brought a filter (1.1).
var tdbFilterSince = map[uint8]uint32{tdbFilterDictionary: 13, tdbFilterScaleFloat: 15, tdbFilterXor: 16, tdbFilterWebP: 16, tdbFilterDelta: 19}

// tdbPipeUse is what a pipeline is applied to, for the rules that depend on it.
type tdbPipeUse struct {
	datatype uint8
	num      uint32 // values per cell
	version  uint32
	dims     []tdbDim // of an attribute: where WEBP needs them
	dense    bool
	attr     bool
}

// tdbCheckPipe checks the filters of a schema pipeline against what they work on.
func tdbCheckPipe(c *model.Cursor, p *tdbPipe, u tdbPipeUse) {
	typ := u.datatype
	seen := map[uint8]bool{}
	strings := u.num == tdbVariable && (typ == tdbASCII || typ == tdbUTF8)
	for i, f := range p.list {
		at := p.at[i]
		op, ok := tdbEffective(f)
		if !ok {
			continue
		}
		size := uint32(tdbDatatypeSize(typ))
		passes := tdbIsFloat(typ) || tdbIsString(typ) || typ == tdbChar || typ == tdbAny
		if op >= tdbFilterGzip && op <= tdbFilterBzip2 || op == tdbFilterDictionary {
			if seen[op] {
				tdbReport(c, 49, at.typ, tdbFilterName(op), "once", tdbDrop("remove the filter", at.self))
			}
			seen[op] = true
		}
		switch op {
		case tdbFilterAES:
			tdbReport(c, 31, at.typ, "AES_256_GCM", "a filter of schemas", tdbDrop("remove the filter", at.self))
		case tdbFilterBitWidth, tdbFilterPositiveDelta:
			fallback := map[uint8]uint64{tdbFilterBitWidth: 256, tdbFilterPositiveDelta: 1024}[op]
			if f.Window < max(size, 1) {
				tdbReport(c, 36, at.window, f.Window, tdbText(size)+" or more", tdbSet(at.window, model.U(fallback), false))
			}
			if passes {
				tdbReport(c, 37, at.typ, tdbTypeName(typ), "integers, dates, times or bytes", tdbDrop("remove the filter", at.self))
			}
		case tdbFilterDelta, tdbFilterDoubleDelta:
			as := f.Reinterpret
			if at.as.Span == nil || as == tdbAny {
				as = typ
			} else if n := uint32(tdbDatatypeSize(as)); n == 0 || n > 1 && size > 0 && size%n != 0 {
				tdbReport(c, 39, at.as, tdbTypeName(as), "a type whose size divides "+tdbText(size), tdbSet(at.as, model.U(tdbAny), false))
			}
			if tdbIsFloat(as) {
				tdbReport(c, 38, at.typ, tdbTypeName(as), "integers", tdbSet(at.as, model.U(uint64(tdbIntOf(tdbDatatypeSize(as)))), false))
			}
			typ = as
		case tdbFilterDictionary, tdbFilterRLE:
			if op == tdbFilterDictionary && !strings {
				tdbReport(c, 40, at.typ, tdbTypeName(u.datatype), "STRING_ASCII or STRING_UTF8 of variable size", tdbDrop("remove the filter", at.self))
			}
			if strings && i > 0 {
				tdbReport(c, 41, at.typ, "filter "+tdbText(i+1), "the first filter", p.moveFirst(i))
			}
		case tdbFilterScaleFloat:
			tdbCheckScale(c, f, at, size)
			if tdbIsWidth(f.Width) {
				typ = tdbIntOf(int(f.Width))
			}
		case tdbFilterXor:
			typ = tdbIntOf(int(size))
		case tdbFilterWebP:
			tdbCheckWebP(c, f, at, u)
		}
	}
}
