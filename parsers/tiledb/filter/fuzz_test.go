package filter

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"spandrel/parsers/internal/suite"
)

// No pipeline and no tile may crash, hang or exceed the limit.
func FuzzTDBUnfilterTile(f *testing.F) {
	for _, v := range vectors {
		md, data := unhex(f, v.md), unhex(f, v.data)
		tile := binary.LittleEndian.AppendUint64(nil, 1)
		for _, n := range []int{len(unhex(f, v.want)), len(data), len(md)} {
			tile = binary.LittleEndian.AppendUint32(tile, uint32(n))
		}
		var p []byte
		for _, x := range v.filters {
			p = append(p, x.Type, x.Compressor, x.Reinterpret, byte(x.Width), byte(x.WebPExtentX), x.WebPFormat)
		}
		f.Add(p, v.tile.Datatype, uint8(v.tile.CellSize), uint8(v.tile.FormatVersion), v.tile.VarStrings,
			append(append(tile, md...), data...))
	}
	f.Fuzz(func(t *testing.T, p []byte, datatype, cell, version uint8, strings bool, tile []byte) {
		var filters []Filter
		for ; len(p) >= 6 && len(filters) < 6; p = p[6:] {
			filters = append(filters, Filter{Type: p[0], Compressor: p[1], Reinterpret: p[2], Width: uint64(p[3]), Scale: 2,
				WebPExtentX: uint16(p[4]), WebPExtentY: 5, WebPFormat: p[5]})
		}
		const limit = 1 << 22
		data, offsets, err := Coding{filters, TileType{datatype, int(cell), uint32(version), strings}, []byte(suite.CorpusKey)}.Unfilter(context.Background(), tile, limit)
		if len(data)+len(offsets) > limit {
			t.Errorf("%d bytes", len(data)+len(offsets))
		}
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Usable && data == nil || e.Error() == "") {
			t.Errorf("%T %v with %d bytes", err, err, len(data))
		}
	})
}
