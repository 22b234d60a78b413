package storage

import (
	"encoding/binary"
	"math"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Head is the header of a generic tile (2.1).
type Head struct {
	Version         uint32
	persisted, size uint64
	datatype        byte
	cell            uint64
	crypt           byte
	Pipeline        uint32 // bytes of it
}

// HeadOf reads the header at the front of bytes; missing bytes count as zeros.
func HeadOf(b []byte) Head {
	var h [HeaderBytes]byte
	copy(h[:], b)
	le := binary.LittleEndian
	return Head{le.Uint32(h[:]), le.Uint64(h[4:]), le.Uint64(h[12:]), h[20], le.Uint64(h[21:]), h[29], le.Uint32(h[30:])}
}

// released tells whether the version exists.
func (h Head) released() bool { return h.Version >= 1 && h.Version <= VersionNewest }

// chars tells whether the tile is of single characters, as all are.
func (h Head) chars() bool { return h.datatype == filter.Char && h.cell == 1 }

// piped tells whether the pipeline has a possible length.
func (h Head) piped() bool { return h.Pipeline >= leastPipeline && h.Pipeline <= mostPipeline }

// begin is where the chunks begin, and end where they end, from the front of the tile.
func (h Head) begin() int64 { return HeaderBytes + int64(h.Pipeline) }
func (h Head) end() int64   { return h.begin() + int64(min(h.persisted, 1<<60)) }

// TileSure weighs the plausibility tests for a generic tile at the front of a file.
func TileSure(b []byte, size int64) model.Confidence {
	h := HeadOf(b)
	if len(b) < LeastTile || h.crypt > 1 || !h.piped() || h.begin()+8 > int64(len(b)) || h.datatype > filter.GeomWKT {
		return 0
	}
	pipe := b[HeaderBytes:h.begin()]
	n := binary.LittleEndian.Uint32(pipe[4:])
	used := int64(leastPipeline)
	for i := uint32(0); n <= mostFilters && i < n; i++ {
		if used+5 > int64(h.Pipeline) || pipe[used] > filter.Delta {
			return 0
		}
		used += 5 + int64(binary.LittleEndian.Uint32(pipe[used+1:]))
	}
	sure := model.Confidence(20)
	for _, test := range []struct {
		passed bool
		points model.Confidence
	}{
		{h.released() || h.Version == VersionTrial, 15},
		{h.datatype == filter.Char, 10},
		{h.cell == 1, 15},
		{used == int64(h.Pipeline), 10},
		{h.persisted == uint64(size-h.begin()), 15},
		{binary.LittleEndian.Uint64(b[h.begin():]) == (h.size+filter.ChunkBytes-1)/filter.ChunkBytes, 10},
		{binary.LittleEndian.Uint32(pipe) == filter.ChunkBytes, 5},
	} {
		if test.passed {
			sure += test.points
		}
	}
	if sure < 60 {
		return 0
	}
	return min(sure, 95)
}

// BegunTile tells whether a file is a generic tile truncated inside its header: everything up to the end is valid.
func BegunTile(b []byte, size int64) bool {
	h, n := HeadOf(b), len(b)
	if n < 12 || int64(n) != size || !h.released() || h.persisted == 0 || h.persisted >= 1<<32 {
		return false
	}
	if n < HeaderBytes {
		return (n <= 20 || h.datatype == filter.Char) && (n < 29 || h.cell == 1)
	}
	return h.chars() && h.piped() && size < h.begin()+8
}

// IsTiles tells whether bytes are consecutive tiles up to the end.
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
		chunkBytes(b[8:]) <= size-8
}

// ListLength is the length of a generic tile according to its header.
func ListLength(b []byte) int64 {
	if len(b) < HeaderBytes {
		return math.MaxInt64
	}
	return HeadOf(b).end()
}

const legacyBytesMin = 30 + 8

// IsLegacy tells whether a file starts with a generic tile of before format 1.
func IsLegacy(head []byte, size int64) bool {
	return size >= legacyBytesMin && len(head) >= HeaderBytes && binary.LittleEndian.Uint64(head) == uint64(size-30) &&
		head[16] == filter.Char && head[25] <= filter.Bzip2
}

const (
	HeaderBytes   = 34
	leastPipeline = 8 // without filters
	mostPipeline  = 4096
	LeastTile     = HeaderBytes + 8 + 8 // with an empty pipeline and no chunk
	MostPayload   = 256 << 20           // limit for a generic tile; schemas and lists of offsets are far smaller
	eagerChunks   = 4096                // more are read on demand
	mostFilters   = 32                  // no real pipeline comes near
)

// SoundHeader tells whether bytes are the header of a generic tile, regardless of its sizes.
func SoundHeader(b []byte) bool {
	h := HeadOf(b)
	return len(b) == HeaderBytes && h.chars() && h.crypt <= 1
}

// TileEnd returns where a generic tile ends if its header and its chunks agree; 0 if they do not, or if there is none. The file
// may end before; least means that it ends within the header.
func TileEnd(c *model.Content, at int64) (end int64, least bool) {
	b := make([]byte, min(c.Len()-at, HeaderBytes+mostPipeline))
	if _, err := c.ReadAt(b, at); err != nil {
		return 0, false
	}
	if len(b) < LeastTile {
		return at + LeastTile, true
	}
	h := HeadOf(b)
	if !h.released() || !h.chars() || !h.piped() || h.persisted > 1<<40 {
		return 0, false
	}
	from := at + h.begin()
	if end = at + h.end(); h.size == 0 {
		return end, false
	}
	if from+8+ChunkHead > c.Len() {
		return from + 8 + ChunkHead, true
	}
	n := make([]byte, 8)
	if _, err := c.ReadAt(n, from); err != nil {
		return 0, false
	}
	last, whole := ChunksEnd(c, from+8, min(binary.LittleEndian.Uint64(n), MostChained), end)
	if whole && last != end {
		return 0, false
	}
	return end, false // truncated chunks are truncated the same way
}

// ChunksEnd follows n chunks that begin at an offset of a file, up to most, and returns where the last one ends; false if the file ends before a
// chunk header.
func ChunksEnd(c *model.Content, at int64, n uint64, most int64) (end int64, whole bool) {
	var head [ChunkHead]byte
	for ; n > 0 && at <= most; n-- {
		if _, err := c.ReadAt(head[:], at); err != nil {
			return at, false
		}
		at += chunkBytes(head[:])
	}
	return at, true
}

// chunkBytes is how long a chunk is, with its header.
func chunkBytes(head []byte) int64 {
	return ChunkHead + int64(binary.LittleEndian.Uint32(head[4:])) + int64(binary.LittleEndian.Uint32(head[8:]))
}

// MostChained is how many tiles of a fragment's lists are followed.
const MostChained = 4096

// IsGenomics tells whether a schema is one of TileDB 0.x, which GenomicsDB uses: another format of the same name.
func IsGenomics(b []byte) bool {
	if len(b) < 16 {
		return false
	}
	version := int32(binary.LittleEndian.Uint32(b))
	return version <= -1 && version >= -3 && binary.LittleEndian.Uint32(b[4:]) == 0 && binary.LittleEndian.Uint32(b[8:]) < 4096
}
