package tiledb

import (
	"math"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

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
