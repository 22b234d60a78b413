package storage

import (
	"cmp"
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
)

// ReadPipeline reads a pipeline of a format version.
func ReadPipeline(c *model.Cursor, f *model.Field, version uint32) Pipeline {
	return ReadPipelineOf(c, f, version, c.Left())
}

// ReadPipelineOf is ReadPipeline where TileDB reads only size bytes.
func ReadPipelineOf(c *model.Cursor, f *model.Field, version uint32, size int64) (p Pipeline) {
	end := c.Pos() + size
	p.Node = c.Struct(f, func(c *model.Cursor) {
		p.largest = c.Field(PipeMaxChunk)
		p.Count = c.Field(pipeCount)
		if n := p.Count.Int(); n > mostFilters || n*5 > c.Left() {
			c.Wrong(rule.FilterCount, p.Count, n, "at most 32, each of 5 bytes or more")
			c.Stop()
		}
		if p.Count.Uint() == 0 {
			return
		}
		p.Filters = c.List(pipeFilters, func(c *model.Cursor) {
			for range p.Count.Uint() {
				at := FilterSpans{}
				at.Self = c.Struct(filterF, func(c *model.Cursor) { p.List = append(p.List, readFilter(c, &at, version, end)) })
				p.At = append(p.At, at)
			}
		})
		c.CountOf(p.Count, p.Filters)
	})
	return p
}

// checkGenericPipe checks fields of a generic tile's filters that no reader checks, and TileDB always writes alike.
func checkGenericPipe(c *model.Cursor, p *Pipeline) {
	if len(p.List) == 0 || p.List[0].Type != filter.Gzip {
		return
	}
	if p.largest.Uint() != filter.ChunkBytes {
		c.Wrong(rule.OddPipeline, p.largest, p.largest.Value, model.U(filter.ChunkBytes))
	}
	if level := p.At[0].level; level.Int() != 1 && level.Int() <= 9 {
		c.Wrong(rule.OddPipeline, level, level.Value, model.I(1))
	}
}

// readFilter reads a filter. Its options depend on its type; for an unknown type only their length is known.
func readFilter(c *model.Cursor, at *FilterSpans, version uint32, end int64) (f filter.Filter) {
	at.Typ, at.size = c.Field(filterType), c.Field(FilterSize)
	f.Type = uint8(at.Typ.Uint())
	from := c.Pos()
	switch f.Type {
	case filter.Gzip, filter.Zstd, filter.LZ4, filter.RLE, filter.Bzip2, filter.Dictionary, filter.DoubleDelta, filter.Delta:
		readCompressor(c, at, version, &f)
	case filter.BitWidth, filter.PositiveDelta:
		at.Window = c.Field(FilterWindow)
		f.Window = uint32(at.Window.Uint())
	case filter.ScaleFloat:
		at.Scale, at.Offset, at.Width = c.Field(FilterScale), c.Field(FilterOffset), c.Field(filterWidth)
		f.Scale, f.Offset, f.Width = at.Scale.Value.Float(), at.Offset.Value.Float(), at.Width.Uint()
	case filter.WebP:
		at.Quality, at.Format, at.Lossless = c.Field(WebPQuality), c.Field(webPFormat), c.Field(WebPLossless)
		at.Y, at.X = c.Field(webPY), c.Field(webPX)
		c.Field(WebPPad)
		f.WebPQuality, f.WebPFormat, f.WebPLossless = float32(at.Quality.Value.Float()), uint8(at.Format.Uint()), uint8(at.Lossless.Uint())
		f.WebPExtentY, f.WebPExtentX = uint16(at.Y.Uint()), uint16(at.X.Uint())
	case filter.NoFilter, filter.BitShuffle, filter.ByteShuffle, filter.AES, filter.MD5, filter.SHA256, filter.Xor:
	default:
		c.Wrong(rule.UnknownFilter, at.Typ, f.Type, "0 to 16, 18 or 19")
		n := at.size.Int()
		if n > c.Left() {
			c.Stop()
		}
		c.LengthOf(at.size, c.FieldN(filterOther, n))
		return f
	}
	if n := c.Pos() - from; n != at.size.Int() {
		grade := model.Warning
		if at.size.Int() > end-from { // TileDB expects that many, and uses what it needs
			grade = model.Error
		}
		c.Wrong(rule.OptionBytes, at.size, at.size.Value, model.I(n), model.Graded(grade))
	}
	if first := filterSince[f.Type]; first > version && version > 0 {
		c.Wrong(rule.FilterTooNew, at.Typ, filter.NameOf(f.Type), "version "+filter.Text(first)+" or newer")
	}
	return f
}

// readCompressor reads the options of a filter that compresses.
func readCompressor(c *model.Cursor, at *FilterSpans, version uint32, f *filter.Filter) {
	at.comp, at.level = c.Field(filterComp), c.Field(FilterLevel)
	f.Compressor, f.Level = uint8(at.comp.Uint()), int32(at.level.Int())
	if f.Type == filter.Delta || f.Type == filter.DoubleDelta && version >= 20 {
		at.As = c.Field(filterAs)
		f.Reinterpret = uint8(at.As.Uint())
	}
	if op, ok := filter.Effective(*f); !ok || op != f.Type {
		own := cmp.Or(map[uint8]uint64{filter.Dictionary: 7, filter.Delta: 8}[f.Type], uint64(f.Type))
		c.Wrong(rule.CompressorDiffers, at.comp, at.comp.Value, model.U(own), model.Doubtful)
	}
	if most := map[uint8]int32{filter.Gzip: 9, filter.Bzip2: 9, filter.Zstd: 22}[f.Type]; most > 0 && f.Level > most {
		c.Wrong(rule.LevelRange, at.level, f.Level, most, Want(model.I(-1)))
	}
}

// filterSince is the format version that brought a filter (1.1).
var filterSince = map[uint8]uint32{filter.Dictionary: 13, filter.ScaleFloat: 15, filter.Xor: 16, filter.WebP: 16, filter.Delta: 19}

// Pipeline is a parsed pipeline, with the places of its fields.
type Pipeline struct {
	model.Node
	largest, Count, Filters model.Node
	List                    []filter.Filter
	At                      []FilterSpans
}

// FilterSpans are the places of a filter's fields; those it does not have have no span.
type FilterSpans struct {
	Self, Typ, size, comp, level, As, Window, Scale, Offset, Width, Quality, Format, Lossless, Y, X model.Node
}
