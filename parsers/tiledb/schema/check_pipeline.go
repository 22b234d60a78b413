package schema

import (
	"math"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// pipeUse is what a pipeline is applied to, for the rules that depend on it.
type pipeUse struct {
	datatype uint8
	num      uint32      // values per cell
	dims     []Dimension // of an attribute: where WEBP needs them
	dense    bool
	attr     bool
}

// checkPipe checks the filters of a schema pipeline against what they are applied to.
func checkPipe(c *model.Cursor, p *storage.Pipeline, u pipeUse) {
	typ := u.datatype
	seen := map[uint8]bool{}
	for i, f := range p.List {
		at := p.At[i]
		op, ok := filter.Effective(f)
		if !ok {
			continue
		}
		size := uint32(filter.SizeOf(typ))
		if packs := op >= filter.Gzip && op <= filter.Bzip2 || op == filter.Dictionary; packs && seen[op] {
			c.Wrong(rule.SameCompressor, at.Typ, filter.NameOf(op), "once")
		}
		seen[op] = true
		switch op {
		case filter.AES:
			c.Wrong(rule.SchemaEncrypts, at.Typ, "AES_256_GCM", "a filter of schemas")
		case filter.BitWidth, filter.PositiveDelta:
			checkWindow(c, f, at, typ)
		case filter.Delta, filter.DoubleDelta:
			typ = checkDeltas(c, f, at, typ)
		case filter.Dictionary, filter.RLE:
			checkStrings(c, at, i, op, u)
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

// checkStrings checks a filter that packs texts together with their starts.
func checkStrings(c *model.Cursor, at storage.FilterSpans, i int, op uint8, u pipeUse) {
	texts := u.num == storage.VariableCells && (u.datatype == filter.Ascii || u.datatype == filter.UtF8)
	if op == filter.Dictionary && !texts {
		c.Wrong(rule.DictionaryMisplaced, at.Typ, storage.TypeName(u.datatype), "STRING_ASCII or STRING_UTF8 of variable size")
	}
	if texts && i > 0 {
		c.Wrong(rule.StringFilterLate, at.Typ, "filter "+filter.Text(i+1), "the first filter")
	}
}

// checkWindow checks a filter that works window by window, on values of a type.
func checkWindow(c *model.Cursor, f filter.Filter, at storage.FilterSpans, typ uint8) {
	size := uint32(filter.SizeOf(typ))
	if f.Window < max(size, 1) {
		fallback := uint64(256)
		if f.Type == filter.PositiveDelta {
			fallback = 1024
		}
		c.Wrong(rule.WindowSmall, at.Window, f.Window, filter.Text(size)+" or more", storage.Want(model.U(fallback)), model.Doubtful)
	}
	if filter.IsFloat(typ) || filter.IsString(typ) || typ == filter.Char || typ == filter.Any {
		c.Wrong(rule.FilterIdle, at.Typ, storage.TypeName(typ), "integers, dates, times or bytes")
	}
}

// checkDeltas checks a filter that stores differences of values of a type, and returns the type that it treats them as.
func checkDeltas(c *model.Cursor, f filter.Filter, at storage.FilterSpans, typ uint8) uint8 {
	as, size := f.Reinterpret, uint32(filter.SizeOf(typ))
	if at.As.Span == nil || as == filter.Any {
		as = typ
	} else if n := uint32(filter.SizeOf(as)); n == 0 || n > 1 && size > 0 && size%n != 0 {
		c.Wrong(rule.BadReinterpret, at.As, storage.TypeName(as), "a type whose size divides "+filter.Text(size), storage.Want(model.U(filter.Any)),
			model.Doubtful)
	}
	if filter.IsFloat(as) {
		c.Wrong(rule.FloatDeltas, at.Typ, storage.TypeName(as), "integers")
	}
	return as
}

// checkScale checks the options of SCALE_FLOAT on values of size bytes.
func checkScale(c *model.Cursor, f filter.Filter, at storage.FilterSpans, size uint32) {
	switch {
	case !filter.IsWidth(f.Width):
		c.Wrong(rule.BadScale, at.Width, f.Width, "1, 2, 4 or 8")
	case size != 4 && size != 8:
		c.Wrong(rule.BadScale, at.Typ, filter.Text(size)+" bytes", "values of 4 or 8 bytes")
	case f.Scale == 0 || math.IsNaN(f.Scale) || math.IsInf(f.Scale, 0) || math.Abs(f.Scale) < 0x1p-1022:
		c.Wrong(rule.BadScale, at.Scale, f.Scale, "a normal number")
	case math.IsNaN(f.Offset) || math.IsInf(f.Offset, 0):
		c.Wrong(rule.BadScale, at.Offset, f.Offset, "a finite number")
	}
}

// checkWebP checks that pictures are possible here and that the filter's options match the tile.
func checkWebP(c *model.Cursor, f filter.Filter, at storage.FilterSpans, u pipeUse) {
	if !u.attr || u.datatype != filter.Uint8 || !u.dense || len(u.dims) != 2 || u.dims[0].Datatype != u.dims[1].Datatype ||
		!filter.IsInteger(u.dims[0].Datatype) {
		c.Wrong(rule.WebPMisplaced, at.Typ, storage.TypeName(u.datatype), "UINT8 in a dense array of two integer dimensions")
		return
	}
	depth := uint16(3)
	if f.WebPFormat > 2 {
		depth = 4
	}
	const mostPixels = 16383
	switch {
	case f.WebPFormat < 1 || f.WebPFormat > 4:
		c.Wrong(rule.WebPOptions, at.Format, f.WebPFormat, "1 to 4")
	case f.WebPLossless > 1:
		c.Wrong(rule.WebPOptions, at.Lossless, f.WebPLossless, "0 or 1")
	case !(f.WebPQuality >= 0 && f.WebPQuality <= 100):
		c.Wrong(rule.WebPOptions, at.Quality, f.WebPQuality, "0 to 100")
	case f.WebPExtentX%depth != 0 || f.WebPExtentX/depth > mostPixels:
		c.Wrong(rule.WebPOptions, at.X, f.WebPExtentX, "a multiple of "+filter.Text(depth)+", at most "+filter.Text(mostPixels)+" pixels")
	case f.WebPExtentY > mostPixels:
		c.Wrong(rule.WebPOptions, at.Y, f.WebPExtentY, "at most "+filter.Text(mostPixels))
	}
	for i, want := range []model.Node{at.Y, at.X} {
		if d := u.dims[i]; d.Extent.Span != nil && d.Extent.Uint() != want.Uint() {
			c.Wrong(rule.WebPOptions, want, want.Value, d.Extent.Value, storage.Want(model.U(d.Extent.Uint())), model.Doubtful)
		}
	}
}

// checkInherited checks the pipeline that dimensions without filters of their own inherit.
func checkInherited(c *model.Cursor, s *Schema) {
	var real, text *Dimension
	for i := range s.Dims {
		switch d := &s.Dims[i]; {
		case len(d.Filters.List) > 0:
		case filter.IsFloat(d.Datatype):
			real = d
		case d.Datatype == filter.Ascii:
			text = d
		}
	}
	for i, f := range s.Coords.List {
		op, _ := filter.Effective(f)
		if op == filter.DoubleDelta && real != nil {
			c.Wrong(rule.RealDoubleDelta, s.Coords.At[i].Typ, "dimension "+real.Name.Text(), "filters of its own")
		}
		if (op == filter.RLE || op == filter.Dictionary) && i > 0 && text != nil {
			c.Wrong(rule.StringInherits, s.Coords.At[i].Typ, "dimension "+text.Name.Text(), "RLE or DICTIONARY as the first filter")
		}
	}
}
