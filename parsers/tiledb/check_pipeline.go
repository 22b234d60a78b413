package tiledb

import (
	"math"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

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
			checkWindow(c, p, i, typ)
		case filter.Delta, filter.DoubleDelta:
			typ = checkDeltas(c, f, at, typ)
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

// checkWindow checks filter i of a pipeline, one that works window by window, on values of a type.
func checkWindow(c *model.Cursor, p *pipe, i int, typ uint8) {
	f, at, size := p.list[i], p.at[i], uint32(filter.SizeOf(typ))
	if f.Window < max(size, 1) {
		fallback := uint64(256)
		if f.Type == filter.PositiveDelta {
			fallback = 1024
		}
		c.Wrong(windowSmall, at.window, f.Window, filter.Text(size)+" or more", to(model.U(fallback)), model.Doubtful)
	}
	if filter.IsFloat(typ) || filter.IsString(typ) || typ == filter.Char || typ == filter.Any {
		c.Wrong(filterIdle, at.typ, typeName(typ), "integers, dates, times or bytes", model.About(inPipe{p, i}))
	}
}

// checkDeltas checks a filter that stores differences of values of a type, and returns the type as which it takes them.
func checkDeltas(c *model.Cursor, f filter.Filter, at filterAt, typ uint8) uint8 {
	as, size := f.Reinterpret, uint32(filter.SizeOf(typ))
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
	return as
}

// checkScale checks the options of SCALE_FLOAT on values of size bytes.
func checkScale(c *model.Cursor, f filter.Filter, at filterAt, size uint32) {
	switch {
	case !filter.IsWidth(f.Width):
		c.Wrong(badScale, at.width, f.Width, "1, 2, 4 or 8")
	case size != 4 && size != 8:
		c.Wrong(badScale, at.typ, filter.Text(size)+" bytes", "values of 4 or 8 bytes")
	case f.Scale == 0 || math.IsNaN(f.Scale) || math.IsInf(f.Scale, 0) || math.Abs(f.Scale) < 0x1p-1022:
		c.Wrong(badScale, at.scale, f.Scale, "a normal number")
	case math.IsNaN(f.Offset) || math.IsInf(f.Offset, 0):
		c.Wrong(badScale, at.offset, f.Offset, "a finite number")
	}
}

// checkWebP checks that the filter is where pictures can be and that its options are those of the tile.
func checkWebP(c *model.Cursor, f filter.Filter, at filterAt, u pipeUse) {
	if !u.attr || u.datatype != 6 || !u.dense || len(u.dims) != 2 || u.dims[0].datatype != u.dims[1].datatype ||
		!filter.IsInteger(u.dims[0].datatype) {
		c.Wrong(webPMisplaced, at.typ, typeName(u.datatype), "UINT8 in a dense array of two integer dimensions")
		return
	}
	depth := uint16(3)
	if f.WebPFormat > 2 {
		depth = 4
	}
	const mostPixels = 16383
	switch {
	case f.WebPFormat < 1 || f.WebPFormat > 4:
		c.Wrong(webPOptions, at.format, f.WebPFormat, "1 to 4")
	case f.WebPLossless > 1:
		c.Wrong(webPOptions, at.lossless, f.WebPLossless, "0 or 1")
	case !(f.WebPQuality >= 0 && f.WebPQuality <= 100):
		c.Wrong(webPOptions, at.quality, f.WebPQuality, "0 to 100")
	case f.WebPExtentX%depth != 0 || f.WebPExtentX/depth > mostPixels:
		c.Wrong(webPOptions, at.x, f.WebPExtentX, "a multiple of "+filter.Text(depth)+", at most "+filter.Text(mostPixels)+" pixels")
	case f.WebPExtentY > mostPixels:
		c.Wrong(webPOptions, at.y, f.WebPExtentY, "at most "+filter.Text(mostPixels))
	}
	for i, want := range []model.Node{at.y, at.x} {
		if d := u.dims[i]; d.extent.Span != nil && d.extent.Uint() != want.Uint() {
			c.Wrong(webPOptions, want, want.Value, d.extent.Value, to(model.U(d.extent.Uint())), model.Doubtful)
		}
	}
}

// checkInherited checks the pipeline that dimensions without filters of their own take over.
func checkInherited(c *model.Cursor, s *schemaInfo) {
	var real, text *dim
	for i := range s.dims {
		switch d := &s.dims[i]; {
		case len(d.filters.list) > 0:
		case filter.IsFloat(d.datatype):
			real = d
		case d.datatype == filter.Ascii:
			text = d
		}
	}
	for i, f := range s.coords.list {
		op, _ := filter.Effective(f)
		if op == filter.DoubleDelta && real != nil {
			c.Wrong(realDoubleDelta, s.coords.at[i].typ, "dimension "+real.name.Text(), "filters of its own", model.About(real))
		}
		if (op == filter.RLE || op == filter.Dictionary) && i > 0 && text != nil {
			c.Wrong(stringInherits, s.coords.at[i].typ, "dimension "+text.name.Text(), "RLE or DICTIONARY as the first filter",
				model.About(inPipe{&s.coords, i}))
		}
	}
}
