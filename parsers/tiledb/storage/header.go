package storage

import (
	"encoding/binary"
	"math"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// TileSure weighs the plausibility tests for a generic tile at the front of a file.
func TileSure(b []byte, size int64) model.Confidence {
	if len(b) < LeastTile {
		return 0
	}
	p := int64(binary.LittleEndian.Uint32(b[30:]))
	version := binary.LittleEndian.Uint32(b)
	if b[29] > 1 || p < 8 || p > 4096 || HeaderBytes+p+8 > int64(len(b)) || b[20] > filter.GeomWKT {
		return 0
	}
	pipe := b[HeaderBytes : HeaderBytes+p]
	n := binary.LittleEndian.Uint32(pipe[4:])
	used := int64(8)
	for i := uint32(0); n <= mostFilters && i < n; i++ {
		if used+5 > p || pipe[used] > filter.Delta {
			return 0
		}
		used += 5 + int64(binary.LittleEndian.Uint32(pipe[used+1:]))
	}
	sure := model.Confidence(20)
	add := func(ok bool, points model.Confidence) {
		if ok {
			sure += points
		}
	}
	persisted, whole := binary.LittleEndian.Uint64(b[4:]), binary.LittleEndian.Uint64(b[12:])
	chunks := binary.LittleEndian.Uint64(b[HeaderBytes+p:])
	add(version >= 1 && version <= VersionNewest || version == VersionTrial, 15)
	add(b[20] == filter.Char, 10)
	add(binary.LittleEndian.Uint64(b[21:]) == 1, 15)
	add(used == p, 10)
	add(persisted == uint64(size-HeaderBytes-p), 15)
	add(chunks == (whole+filter.ChunkBytes-1)/filter.ChunkBytes, 10)
	add(binary.LittleEndian.Uint32(pipe) == filter.ChunkBytes, 5)
	if sure < 60 {
		return 0
	}
	return min(sure, 95)
}

// BegunTile tells whether a file is the front of a generic tile that was cut in its header: as far as it goes, everything is as it should be.
func BegunTile(b []byte, size int64) bool {
	if len(b) < 12 || int64(len(b)) != size || size >= HeaderBytes+4096 {
		return false
	}
	version, persisted := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint64(b[4:])
	p := int64(8)
	if len(b) >= HeaderBytes {
		p = int64(binary.LittleEndian.Uint32(b[30:]))
	}
	return version >= 1 && version <= VersionNewest && persisted > 0 && persisted < 1<<32 && p >= 8 && p < 4096 && size < HeaderBytes+p+8 &&
		(len(b) <= 20 || b[20] == filter.Char) && (len(b) < 29 || binary.LittleEndian.Uint64(b[21:]) == 1)
}

// IsTiles tells whether bytes are tiles, one behind the other, to the end.
func IsTiles(b []byte) bool {
	if len(b) < 8 {
		return false
	}
	for len(b) > 0 {
		_, end, err := filter.Chunks(b)
		if err != nil {
			return false
		}
		b = b[end:]
	}
	return true
}

// TilePlausible tells whether a long file may start with a tile.
func TilePlausible(b []byte, size int64) bool {
	if len(b) < 20 {
		return false
	}
	n := binary.LittleEndian.Uint64(b)
	return n > 0 && n < uint64(size)/12 && b[8]|b[9]|b[10]|b[11] > 0 &&
		int64(binary.LittleEndian.Uint32(b[12:]))+int64(binary.LittleEndian.Uint32(b[16:])) <= size-20
}

// ListLength is how long a generic tile is, by its header.
func ListLength(h []byte) int64 {
	if len(h) < HeaderBytes {
		return math.MaxInt64
	}
	return HeaderBytes + int64(binary.LittleEndian.Uint32(h[30:])) + int64(min(binary.LittleEndian.Uint64(h[4:]), 1<<60))
}

const legacyBytesMin = 30 + 8

// IsLegacy tells whether a file starts with a generic tile of before format 1.
func IsLegacy(head []byte, size int64) bool {
	return size >= legacyBytesMin && len(head) >= HeaderBytes && binary.LittleEndian.Uint64(head) == uint64(size-30) &&
		head[16] == filter.Char && head[25] <= filter.Bzip2
}

const (
	HeaderBytes = 34
	LeastTile   = HeaderBytes + 8 + 8 // with an empty pipeline and no chunk
	MostPayload = 256 << 20           // of a generic tile; schemas and lists of offsets are far smaller
	eagerChunks = 4096                // more are found when someone looks at them
)

// mostFilters is how many filters are taken for a pipeline: no real one comes near.
const mostFilters = 32

// SoundHeader tells whether bytes are the header of a generic tile, whatever its sizes say.
func SoundHeader(h []byte) bool {
	return len(h) == HeaderBytes && h[20] == filter.Char && binary.LittleEndian.Uint64(h[21:]) == 1 && h[29] <= 1
}

// TileEnd returns where a generic tile ends by its header and by its chunks, which agree; 0 where they do not, or where none stands. The file
// may end before; least tells that it ends within the header.
func TileEnd(c *model.Content, at int64) (end int64, least bool) {
	b := make([]byte, min(c.Len()-at, HeaderBytes+4096))
	if _, err := c.ReadAt(b, at); err != nil {
		return 0, false
	}
	if len(b) < LeastTile {
		return at + LeastTile, true
	}
	p, persisted := int64(binary.LittleEndian.Uint32(b[30:])), binary.LittleEndian.Uint64(b[4:])
	if v := binary.LittleEndian.Uint32(b); v == 0 || v > VersionNewest || b[20] != filter.Char || binary.LittleEndian.Uint64(b[21:]) != 1 || p < 8 || p > 4096 || persisted > 1<<40 {
		return 0, false
	}
	from := at + HeaderBytes + p
	end = from + int64(persisted)
	if whole := binary.LittleEndian.Uint64(b[12:]); whole == 0 {
		return end, false
	}
	chunk := make([]byte, 8+12)
	if from+int64(len(chunk)) > c.Len() {
		return from + int64(len(chunk)), true
	}
	if _, err := c.ReadAt(chunk, from); err != nil {
		return 0, false
	}
	chunks, x := binary.LittleEndian.Uint64(chunk), from+8
	for range min(chunks, MostChained) {
		if x+12 > c.Len() {
			return end, false // the chunks before it are cut off the same way
		}
		if _, err := c.ReadAt(chunk[:12], x); err != nil {
			return 0, false
		}
		x += 12 + int64(binary.LittleEndian.Uint32(chunk[4:])) + int64(binary.LittleEndian.Uint32(chunk[8:]))
		if x > end {
			return 0, false
		}
	}
	if x != end {
		return 0, false
	}
	return end, false
}

// MostChained is how many tiles of the lists of a fragment are followed.
const MostChained = 4096

// IsGenomics tells whether a schema is one of TileDB 0.x, which GenomicsDB uses: another format under the same name.
func IsGenomics(b []byte) bool {
	if len(b) < 16 {
		return false
	}
	version := int32(binary.LittleEndian.Uint32(b))
	return version <= -1 && version >= -3 && binary.LittleEndian.Uint32(b[4:]) == 0 && binary.LittleEndian.Uint32(b[8:]) < 4096
}
