package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Filter pipelines as they lie in generic tile headers and schemas (2.2 and 2.3; format_spec/filter_pipeline.md).
var (
	pipeMaxChunk = &model.Field{Name: "max_chunk_size", Doc: "0: one chunk for each tile; other values are not used", Ref: "2.2",
		Codec: model.U32LE}
	pipeCount   = &model.Field{Name: "num_filters", Ref: "2.2", Codec: model.U32LE}
	pipeFilters = &model.Field{Name: "filters", Doc: "in writing order", Ref: "2.2"}
	filterF     = &model.Field{Name: "filter", Ref: "2.3"}
	filterType  = &model.Field{Name: "type", Ref: "2.3", Codec: model.U8, Enum: filterEnum}
	filterSize  = &model.Field{Name: "options_size", Doc: "bytes of the options; TileDB goes by the type alone", Ref: "2.3",
		Codec: model.U32LE}
	filterComp = &model.Field{Name: "compressor", Doc: "wins over the type where they disagree", Ref: "2.3", Codec: model.U8,
		Enum: compressors}
	filterLevel = &model.Field{Name: "level", Doc: "-1: the compressor's default", Ref: "2.3", Codec: model.I32LE}
	filterAs    = &model.Field{Name: "reinterpret_datatype", Doc: "what differences are taken of; ANY: the input's type", Ref: "2.3",
		Codec: model.U8, Enum: datatypes}
	filterWindow = &model.Field{Name: "max_window_size", Doc: "bytes", Ref: "2.3", Codec: model.U32LE, Show: model.ShowSize}
	filterScale  = &model.Field{Name: "scale", Doc: "value = scale x stored + offset", Ref: "2.3", Codec: model.F64LE}
	filterOffset = &model.Field{Name: "offset", Ref: "2.3", Codec: model.F64LE}
	filterWidth  = &model.Field{Name: "byte_width", Doc: "of a stored integer", Ref: "2.3", Codec: model.U64LE}
	webPQuality  = &model.Field{Name: "quality", Doc: "0 to 100", Ref: "2.3", Codec: model.F32LE}
	webPFormat   = &model.Field{Name: "format", Ref: "2.3", Codec: model.U8, Enum: pixelOrder}
	webPLossless = &model.Field{Name: "lossless", Ref: "2.3", Codec: model.U8}
	webPY        = &model.Field{Name: "extent_y", Doc: "rows", Ref: "2.3", Codec: model.U16LE}
	webPX        = &model.Field{Name: "extent_x", Doc: "bytes of a row", Ref: "2.3", Codec: model.U16LE}
	webPPad      = &model.Field{Name: "struct_padding", Ref: "2.3", Codec: model.BytesOf(2), Check: zero, Rule: webPPadding,
		Safe: twoZeros}
	filterOther = &model.Field{Name: "options", Doc: "options of an unknown filter", Ref: "2.3", Codec: model.RawBytes}

	twoZeros = model.Raw([]byte{0, 0})
)

func zero(v model.Value) string {
	for _, b := range []byte(v.Text()) {
		if b != 0 {
			return "zeros"
		}
	}
	return ""
}

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

// mostFilters is how many filters are taken for a pipeline: no real one comes near.
const mostFilters = 32

// readPipe reads a pipeline of a format version.
func readPipe(c *model.Cursor, f *model.Field, version uint32) (p pipe) {
	p.Node = c.Struct(f, func(c *model.Cursor) {
		p.largest = c.Field(pipeMaxChunk)
		p.count = c.Field(pipeCount)
		if n := p.count.Int(); n > mostFilters || n*5 > c.Left() {
			c.Wrong(filterCount, p.count, n, "at most 32, each of 5 bytes and more")
			c.Stop()
		}
		if p.count.Uint() == 0 {
			return
		}
		p.filters = c.List(pipeFilters, func(c *model.Cursor) {
			for range p.count.Uint() {
				at := filterAt{}
				at.self = c.Struct(filterF, func(c *model.Cursor) { p.list = append(p.list, readFilter(c, &at, version)) })
				p.at = append(p.at, at)
			}
		})
		c.CountOf(p.count, p.filters)
	})
	return p
}

func readFilter(c *model.Cursor, at *filterAt, version uint32) (f filter.Filter) {
	at.typ, at.size = c.Field(filterType), c.Field(filterSize)
	f.Type = uint8(at.typ.Uint())
	from := c.Pos()
	switch f.Type {
	case filter.Gzip, filter.Zstd, filter.LZ4, filter.RLE, filter.Bzip2, filter.Dictionary, filter.DoubleDelta, filter.Delta:
		at.comp, at.level = c.Field(filterComp), c.Field(filterLevel)
		f.Compressor, f.Level = uint8(at.comp.Uint()), int32(at.level.Int())
		if f.Type == filter.Delta || f.Type == filter.DoubleDelta && version >= 20 {
			at.as = c.Field(filterAs)
			f.Reinterpret = uint8(at.as.Uint())
		}
		if op, ok := filter.Effective(f); !ok || op != f.Type {
			own := map[uint8]uint64{filter.Dictionary: 7, filter.Delta: 8}[f.Type]
			if own == 0 {
				own = uint64(f.Type)
			}
			c.Wrong(compressorDiffers, at.comp, at.comp.Value, model.U(own), model.Doubtful)
		}
		if most := map[uint8]int32{filter.Gzip: 9, filter.Bzip2: 9, filter.Zstd: 22}[f.Type]; most > 0 && f.Level > most {
			c.Wrong(levelRange, at.level, f.Level, most, to(model.I(-1)))
		}
	case filter.BitWidth, filter.PositiveDelta:
		at.window = c.Field(filterWindow)
		f.Window = uint32(at.window.Uint())
	case filter.ScaleFloat:
		at.scale, at.offset, at.width = c.Field(filterScale), c.Field(filterOffset), c.Field(filterWidth)
		f.Scale, f.Offset, f.Width = at.scale.Value.Float(), at.offset.Value.Float(), at.width.Uint()
	case filter.WebP:
		at.quality, at.format, at.lossless = c.Field(webPQuality), c.Field(webPFormat), c.Field(webPLossless)
		at.y, at.x = c.Field(webPY), c.Field(webPX)
		c.Field(webPPad)
		f.WebPQuality, f.WebPFormat, f.WebPLossless = float32(at.quality.Value.Float()), uint8(at.format.Uint()), uint8(at.lossless.Uint())
		f.WebPExtentY, f.WebPExtentX = uint16(at.y.Uint()), uint16(at.x.Uint())
	case filter.NoFilter, filter.BitShuffle, filter.ByteShuffle, filter.AES, filter.MD5, filter.SHA256, filter.Xor:
	default:
		c.Wrong(unknownFilter, at.typ, f.Type, "0 to 16, 18 or 19")
		n := at.size.Int()
		if n > c.Left() {
			c.Stop()
		}
		c.LengthOf(at.size, c.FieldN(filterOther, n))
		return f
	}
	if n := c.Pos() - from; n != at.size.Int() {
		c.Wrong(optionBytes, at.size, at.size.Value, model.I(n))
	}
	if first := filterSince[f.Type]; first > version && version > 0 {
		c.Wrong(filterTooNew, at.typ, filter.NameOf(f.Type), "version "+filter.Text(first)+" or newer")
	}
	return f
}

// filterSince is the format version that brought a filter (1.1).
var filterSince = map[uint8]uint32{filter.Dictionary: 13, filter.ScaleFloat: 15, filter.Xor: 16, filter.WebP: 16, filter.Delta: 19}

// pipeUse is what a pipeline is applied to, for the rules that depend on it.
type pipeUse struct {
	datatype uint8
	num      uint32 // values per cell
	version  uint32
	dims     []dim // of an attribute: where WEBP needs them
	dense    bool
	attr     bool
}

// checkPipe checks the filters of a schema pipeline against what they work on.
func checkPipe(c *model.Cursor, p *pipe, u pipeUse) {
	typ := u.datatype
	seen := map[uint8]bool{}
	strings := u.num == variableCells && (typ == filter.Ascii || typ == filter.UtF8)
	for i, f := range p.list {
		at := p.at[i]
		op, ok := filter.Effective(f)
		if !ok {
			continue
		}
		size := uint32(filter.SizeOf(typ))
		passes := filter.IsFloat(typ) || filter.IsString(typ) || typ == filter.Char || typ == filter.Any
		if op >= filter.Gzip && op <= filter.Bzip2 || op == filter.Dictionary {
			if seen[op] {
				c.Wrong(sameCompressor, at.typ, filter.NameOf(op), "once", model.About(inPipe{p, i}))
			}
			seen[op] = true
		}
		switch op {
		case filter.AES:
			c.Wrong(schemaEncrypts, at.typ, "AES_256_GCM", "a filter of schemas", model.About(inPipe{p, i}))
		case filter.BitWidth, filter.PositiveDelta:
			fallback := map[uint8]uint64{filter.BitWidth: 256, filter.PositiveDelta: 1024}[op]
			if f.Window < max(size, 1) {
				c.Wrong(windowSmall, at.window, f.Window, filter.Text(size)+" or more", to(model.U(fallback)), model.Doubtful)
			}
			if passes {
				c.Wrong(filterIdle, at.typ, typeName(typ), "integers, dates, times or bytes", model.About(inPipe{p, i}))
			}
		case filter.Delta, filter.DoubleDelta:
			as := f.Reinterpret
			if at.as.Span == nil || as == filter.Any {
				as = typ
			} else if n := uint32(filter.SizeOf(as)); n == 0 || n > 1 && size > 0 && size%n != 0 {
				c.Wrong(badReinterpret, at.as, typeName(as), "a type whose size divides "+filter.Text(size), to(model.U(filter.Any)),
					model.Doubtful)
			}
			if filter.IsFloat(as) {
				c.Wrong(floatDeltas, at.typ, typeName(as), "integers",
					settings("", setting{at.as, model.U(uint64(filter.IntOf(filter.SizeOf(as))))}))
			}
			typ = as
		case filter.Dictionary, filter.RLE:
			if op == filter.Dictionary && !strings {
				c.Wrong(dictionaryMisplaced, at.typ, typeName(u.datatype), "STRING_ASCII or STRING_UTF8 of variable size",
					model.About(inPipe{p, i}))
			}
			if strings && i > 0 {
				c.Wrong(stringFilterLate, at.typ, "filter "+filter.Text(i+1), "the first filter", model.About(inPipe{p, i}))
			}
		case filter.ScaleFloat:
			checkScale(c, f, at, size)
			if filter.IsWidth(f.Width) {
				typ = filter.IntOf(int(f.Width))
			}
		case filter.Xor:
			typ = filter.IntOf(int(size))
		case filter.WebP:
			checkWebP(c, f, at, u)
		}
	}
}
