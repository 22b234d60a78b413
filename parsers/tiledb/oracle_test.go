package tiledb

import (
	"context"
	"encoding/binary"
	"math"

	"spandrel/parsers/tiledb/filter"
)

// genericPayload unfilters the generic tile at the start of b.
func genericPayload(b, key []byte) ([]byte, error) {
	le := binary.LittleEndian
	n, p := le.Uint32(b[38:]), 42
	var fs []filter.Filter
	for range n {
		fs = append(fs, filter.Filter{Type: b[p], Compressor: b[min(p+5, len(b)-1)]})
		p += 5 + int(le.Uint32(b[p+1:]))
	}
	data, _, err := filter.Coding{Filters: fs, Tile: filter.TileType{Datatype: filter.Char, CellSize: 1, FormatVersion: le.Uint32(b)}, Key: key}.Unfilter(context.Background(), b[p:p+int(le.Uint64(b[4:]))], 1<<30)
	return data, err
}

// largest is the greatest difference of two runs of numbers.
func largest(datatype int64, got, want []byte) (most float64) {
	size := filter.SizeOf(uint8(datatype))
	for i := 0; i < len(want); i += size {
		most = max(most, math.Abs(realOf(uint8(datatype), got[i:])-realOf(uint8(datatype), want[i:])))
	}
	return most
}

func realOf(datatype uint8, b []byte) float64 {
	switch datatype {
	case filter.Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case filter.Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return float64(filter.Uint(b, filter.SizeOf(datatype)))
}
