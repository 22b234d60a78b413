package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// readPipe reads a pipeline of a format version.
func readPipe(c *model.Cursor, f *model.Field, version uint32) pipe {
	return readPipeOf(c, f, version, c.Left())
}

// readPipeOf is readPipe where TileDB looks at size bytes alone.
func readPipeOf(c *model.Cursor, f *model.Field, version uint32, size int64) (p pipe) {
	end := c.Pos() + size
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
				at.self = c.Struct(filterF, func(c *model.Cursor) { p.list = append(p.list, readFilter(c, &at, version, end)) })
				p.at = append(p.at, at)
			}
		})
		c.CountOf(p.count, p.filters)
	})
	return p
}

// checkGenericPipe checks what nobody looks at in the filters of a generic tile, and TileDB always writes alike.
func checkGenericPipe(c *model.Cursor, p *pipe) {
	if len(p.list) == 0 || p.list[0].Type != filter.Gzip {
		return
	}
	if p.largest.Uint() != filter.ChunkBytes {
		c.Wrong(oddPipeline, p.largest, p.largest.Value, model.U(filter.ChunkBytes))
	}
	if level := p.at[0].level; level.Int() != 1 && level.Int() <= 9 {
		c.Wrong(oddPipeline, level, level.Value, model.I(1))
	}
}

func readFilter(c *model.Cursor, at *filterAt, version uint32, end int64) (f filter.Filter) {
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
		grade := model.Warning
		if at.size.Int() > end-from { // TileDB wants as many, and takes what it needs
			grade = model.Error
		}
		c.Wrong(optionBytes, at.size, at.size.Value, model.I(n), model.Graded(grade))
	}
	if first := filterSince[f.Type]; first > version && version > 0 {
		c.Wrong(filterTooNew, at.typ, filter.NameOf(f.Type), "version "+filter.Text(first)+" or newer")
	}
	return f
}

// filterSince is the format version that brought a filter (1.1).
var filterSince = map[uint8]uint32{filter.Dictionary: 13, filter.ScaleFloat: 15, filter.Xor: 16, filter.WebP: 16, filter.Delta: 19}

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

// inPipe is a filter of a pipeline.
type inPipe struct {
	pipe *pipe
	i    int
}
