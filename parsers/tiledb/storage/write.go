package storage

import (
	"context"
	"encoding/binary"
	"math"

	"spandrel/parsers/tiledb/filter"
)

// AppendPipeline serializes a pipeline for a format version.
func AppendPipeline(b []byte, list []filter.Filter, version uint32) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(le.AppendUint32(b, filter.ChunkBytes), uint32(len(list)))
	for _, f := range list {
		var o []byte
		switch f.Type {
		case filter.Gzip, filter.Zstd, filter.LZ4, filter.RLE, filter.Bzip2, filter.Dictionary, filter.DoubleDelta, filter.Delta:
			o = le.AppendUint32(append(o, f.Compressor), uint32(f.Level))
			if f.Type == filter.Delta || f.Type == filter.DoubleDelta && version >= 20 {
				o = append(o, f.Reinterpret)
			}
		case filter.BitWidth, filter.PositiveDelta:
			o = le.AppendUint32(o, f.Window)
		case filter.ScaleFloat:
			o = le.AppendUint64(le.AppendUint64(le.AppendUint64(o, math.Float64bits(f.Scale)), math.Float64bits(f.Offset)), f.Width)
		case filter.WebP:
			o = append(le.AppendUint32(o, math.Float32bits(f.WebPQuality)), f.WebPFormat, f.WebPLossless)
			o = append(le.AppendUint16(le.AppendUint16(o, f.WebPExtentY), f.WebPExtentX), 0, 0)
		}
		b = append(le.AppendUint32(append(b, f.Type), uint32(len(o))), o...)
	}
	return b
}

// WriteTile wraps a payload in a generic tile as TileDB does: GZIP level 1, followed by AES if there is a key.
func WriteTile(ctx context.Context, version uint32, payload, key []byte) ([]byte, error) {
	filters := []filter.Filter{{Type: filter.Gzip, Compressor: filter.Gzip, Level: 1}}
	crypt := byte(0)
	if key != nil {
		filters, crypt = append(filters, filter.Filter{Type: filter.AES}), 1
	}
	tile, err := filter.Coding{Filters: filters, Tile: Chars(version), Key: key}.Filter(ctx, payload)
	if err != nil {
		return nil, err
	}
	pipe := AppendPipeline(nil, filters, version)
	le := binary.LittleEndian
	b := le.AppendUint64(le.AppendUint64(le.AppendUint32(nil, version), uint64(len(tile))), uint64(len(payload)))
	b = append(le.AppendUint64(append(b, filter.Char), 1), crypt)
	return append(append(le.AppendUint32(b, uint32(len(pipe))), pipe...), tile...), nil
}

// AppendText serializes a length and a text.
func AppendText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// Flag is a byte that says yes or no.
func Flag(yes bool) byte {
	if yes {
		return 1
	}
	return 0
}
