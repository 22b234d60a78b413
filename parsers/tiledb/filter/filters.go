package filter

import (
	"cmp"
	"context"
	"crypto/cipher"
	"encoding/binary"
	"math"
	"slices"
	"sync"
)

// TileDB filter pipelines as pure functions over byte slices (format_spec/filter_pipeline.md and format_spec/tile.md
// in the TileDB repository):
//
//   - []Filter is a pipeline as the file stores it. A caller that knows an array to be encrypted appends
//     Filter{Type: AES} to the pipelines of its data tiles, which never name it themselves.
//   - TileType describes what the pipeline is applied to; a Coding has both, and compiles to stages: the filters with
//     an effect, each with the datatype it sees.
//   - Chunks walks the chunk headers of a tile and checks them against the bytes there.
//   - Coding.Unfilter undoes all chunks of a tile, UnfilterChunk one; Filter is the inverse.
//   - A failure is a *Error. If its Usable field is set the data was decoded completely and is returned with it.
//
// Filters are undone from the last to the first on two byte strings, the metadata and the data of a chunk. Compressors and
// AES replace both; every other filter takes its block from the front of the metadata and passes the rest on.

// Filter types as stored (format_spec/filter_pipeline.md, "Filter").
const (
	NoFilter      = 0
	Gzip          = 1 // zlib streams, not gzip files
	Zstd          = 2
	LZ4           = 3
	RLE           = 4
	Bzip2         = 5
	DoubleDelta   = 6
	BitWidth      = 7
	BitShuffle    = 8
	ByteShuffle   = 9
	PositiveDelta = 10
	AES           = 11
	MD5           = 12
	SHA256        = 13
	Dictionary    = 14
	ScaleFloat    = 15
	Xor           = 16
	WebP          = 18
	Delta         = 19
)

const (
	ChunkBytes = 65536   // what TileDB's writer puts into a chunk of fixed cells
	maxFilters = 64      // far above any real pipeline: keeps hostile pipelines from multiplying the work
	slack      = 1 << 20 // intermediate bytes may be 16 times the original length plus this
	chunkLimit = 1 << 30 // maximum output of UnfilterChunk; the caller sets that of Unfilter
	maxCell    = 1 << 36 // bytes of a cell: 2^32 values of 8 bytes, and room
	keepBytes  = 4 << 20 // largest scratch buffer kept for the next tile
)

// Filter is one filter of a pipeline with its stored options; options of other filter types are zero.
type Filter struct {
	Type        uint8
	Compressor  uint8   // compressors, DELTA, DOUBLE_DELTA: an enum of its own; wins over Type when they disagree
	Level       int32   // compressors: -1 = default
	Reinterpret uint8   // DELTA, DOUBLE_DELTA from version 20: datatype; 17 (ANY) = not set
	Window      uint32  // BIT_WIDTH_REDUCTION, POSITIVE_DELTA: bytes
	Scale       float64 // SCALE_FLOAT
	Offset      float64 // SCALE_FLOAT
	Width       uint64  // SCALE_FLOAT: bytes of a stored integer

	WebPQuality  float32 // 0 to 100
	WebPFormat   uint8   // 1 RGB, 2 BGR, 3 RGBA, 4 BGRA
	WebPLossless uint8
	WebPExtentY  uint16 // rows
	WebPExtentX  uint16 // bytes of a row: pixels times 3 or 4
}

// TileType is what a pipeline was applied to.
type TileType struct {
	Datatype      uint8
	CellSize      int    // bytes of a cell; of one value for var-sized values; dimensions x size for __coords
	FormatVersion uint32 // of the schema; of the header for generic tiles
	VarStrings    bool   // the values tile of a var-sized string field
}

// Coding is how a tile is filtered. Key is the AES-256 key, or nil.
type Coding struct {
	Filters []Filter
	Tile    TileType
	Key     []byte
}

// stage is a filter with an effect, ready to run.
type stage struct {
	Filter
	op    uint8 // the effective type, see Effective
	index int   // position in the stored pipeline
	typ   uint8 // datatype it works on
	size  int   // bytes of one value of typ
}

type pipeline struct {
	stages []stage // in writing order
	tile   TileType
	aead   cipher.AEAD
}

// work undoes the chunks of one tile and owns the scratch buffers.
type work struct {
	*pipeline
	ctx     context.Context
	s       *stage // running; nil before and after
	chunk   int
	at      chunk // its place in the tile, if any
	orig    int   // length the chunk must have in the end
	limit   int64
	out     []byte // finished data of all chunks
	offsets []byte // string mode only
	soft    *Error

	last         bool // the running stage is the last one to undo: its result goes to out
	placed       bool // the running stage wrote its result to out
	data, meta   pair
	sealed       []byte // AES: ciphertext and tag side by side
	mdLen        int    // stored metadata bytes of the chunk
	md           []byte
	mdOwn, dtOwn bool // metadata, data are no longer the stored bytes of the chunk
}

// pair is two buffers used in turn, so that a filter never overwrites its input.
type pair struct {
	b [2][]byte
	i int
}

func (p *pair) next(n int) []byte {
	p.i ^= 1
	if cap(p.b[p.i]) < n {
		p.b[p.i] = make([]byte, n+zstdSlack)
	}
	return p.b[p.i][:n]
}

func (p *pair) trim() {
	for i, b := range p.b {
		if cap(b) > keepBytes {
			p.b[i] = nil
		}
	}
}

var works = sync.Pool{New: func() any { return new(work) }}

func (p *pipeline) start(ctx context.Context, limit int64) *work {
	w := works.Get().(*work)
	w.pipeline, w.ctx, w.limit = p, ctx, limit
	return w
}

func (w *work) release() {
	w.data.trim()
	w.meta.trim()
	if cap(w.sealed) > keepBytes {
		w.sealed = nil
	}
	*w = work{data: w.data, meta: w.meta, sealed: w.sealed}
	works.Put(w)
}

// room returns n writable bytes for the output of a stage. Callers have checked n against their input; room checks it
// against what the chunk may contain, so that no allocation depends on a number in the file alone.
func (w *work) room(n int64) ([]byte, error) {
	if w.last {
		if n != int64(w.orig) {
			return nil, w.bad(corrupt, "data", 0, "bytes after unfiltering", w.orig, n)
		}
		at := len(w.out)
		w.out = slices.Grow(w.out, int(n))[:at+int(n)]
		w.placed = true
		return w.out[at:], nil
	}
	if most := 16*int64(w.orig) + slack; n > most {
		return nil, w.bad(Limit, "data", 0, "bytes between two filters", "at most "+Text(most), n)
	}
	return w.data.next(int(n)), nil
}

func (w *work) roomMeta(n int64) ([]byte, error) {
	if most := 16*int64(w.orig) + slack; n > most {
		return nil, w.bad(Limit, "metadata", 0, "metadata bytes between two filters", "at most "+Text(most), n)
	}
	return w.meta.next(int(n)), nil
}

// due returns the error of the context, which is checked only every 4,096 steps.
func (w *work) due(i int) error {
	if i&0xfff != 0 {
		return nil
	}
	return w.ctx.Err()
}

// undoChunk appends the unfiltered bytes of one chunk to out. md and data are only read.
func (w *work) undoChunk(chunk int, md, data []byte, orig int) error {
	w.chunk, w.orig, w.mdLen = chunk, orig, len(md)
	w.mdOwn, w.dtOwn, w.placed, w.last = false, false, false, false
	start := len(w.out)
	for i := len(w.stages) - 1; i >= 0; i-- {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		w.s, w.last, w.md = &w.stages[i], i == 0, md
		before := data
		var err error
		if md, data, err = w.undo(md, data); err != nil {
			w.out = w.out[:start]
			return err
		}
		w.dtOwn = w.dtOwn || len(before) != len(data) || len(data) > 0 && &before[0] != &data[0]
	}
	w.s, w.md = nil, md
	if len(md) > 0 {
		return w.bad(corrupt, "metadata", 0, "metadata bytes that no filter uses", 0, len(md))
	}
	if w.placed {
		return nil
	}
	if len(data) != orig {
		return w.bad(corrupt, "data", 0, "bytes after unfiltering", orig, len(data))
	}
	w.out = append(w.out, data...)
	return nil
}

// undo runs the inverse of the current stage.
func (w *work) undo(md, data []byte) ([]byte, []byte, error) {
	switch w.s.op {
	case AES:
		return w.undoAES(md, data)
	case MD5, SHA256:
		return w.undoChecksum(md, data)
	case BitShuffle, ByteShuffle, Xor, ScaleFloat, WebP:
		return w.undoParts(md, data)
	case BitWidth, PositiveDelta:
		return w.undoWindows(md, data)
	case Dictionary:
		return w.undoStrings(md, data)
	case RLE:
		// The block length tells the modes apart: 22 bytes for strings, 8 + 8 per part otherwise.
		if w.s.index == 0 && w.tile.VarStrings && len(md) == rleStringBlock {
			return w.undoStrings(md, data)
		}
	}
	return w.undoCompressor(md, data)
}

// UnfilterChunk undoes filters on one chunk: meta bytes of metadata, then data, which according to its header stands for orig bytes. It returns
// exactly orig bytes and, if the field is in string mode, 8 bytes of start offset per cell.
func (how Coding) UnfilterChunk(ctx context.Context, body []byte, meta, orig int) (out, offsets []byte, err error) {
	p, err := how.compile()
	if err != nil {
		return nil, nil, err
	}
	w := p.start(ctx, chunkLimit)
	defer w.release()
	if orig < 0 || orig > chunkLimit {
		return nil, nil, w.bad(Limit, "header", 0, "original length", "at most "+Text(chunkLimit), orig)
	}
	if err := w.undoChunk(0, body[:meta:meta], body[meta:], orig); err != nil {
		return nil, nil, err
	}
	return w.result()
}

func (w *work) result() (data, offsets []byte, err error) {
	if w.soft != nil {
		err = w.soft
	}
	if w.out == nil {
		w.out = []byte{}
	}
	return w.out, w.offsets, err
}

// chunk is one chunk of a tile; the 12-byte header at Offset is followed by Meta bytes of metadata and Data bytes of data.
type chunk struct {
	Offset           int64
	Orig, Data, Meta uint32
}

// Chunks walks the chunk headers of a tile (format_spec/tile.md): u64 count, then per chunk u32 original, filtered and
// metadata length. It returns the complete chunks, the offset after the last one, and what stopped it.
func Chunks(tile []byte) (chunks []chunk, end int64, err error) {
	fail := func(chunk int, off int64, what string, expected, found any) error {
		return &Error{Kind: truncated, Index: -1, Chunk: chunk, Where: "header", Off: off, ChunkOff: -1,
			What: what, Expected: Text(expected), Found: Text(found)}
	}
	if len(tile) < 8 {
		return nil, 0, fail(-1, 0, "bytes for the number of chunks", 8, len(tile))
	}
	n := binary.LittleEndian.Uint64(tile)
	if most := uint64(len(tile)-8) / 12; n > most {
		return nil, 8, fail(-1, 0, "number of chunks", "at most "+Text(most)+" in these bytes", n)
	}
	chunks, end = make([]chunk, 0, n), 8
	for i := range int(n) {
		rest := tile[end:]
		if len(rest) < 12 {
			return chunks, end, fail(i, 0, "bytes of the chunk header", 12, len(rest))
		}
		c := chunk{end, binary.LittleEndian.Uint32(rest), binary.LittleEndian.Uint32(rest[4:]), binary.LittleEndian.Uint32(rest[8:])}
		if need := int64(c.Data) + int64(c.Meta); need > int64(len(rest)-12) {
			return chunks, end, fail(i, 4, "bytes of the chunk", need, len(rest)-12)
		}
		chunks, end = append(chunks, c), end+c.Size()
	}
	return chunks, end, nil
}

func (c chunk) Size() int64 { return 12 + int64(c.Meta) + int64(c.Data) }

// Unfilter undoes all chunks of a tile. data and offsets together stay within limit bytes. Bytes after the last
// chunk are ignored, as in TileDB. In string mode offsets contains the start of every cell in data, otherwise it is nil.
// If a chunk is missing or cannot be undone, data is the output of the chunks before it.
func (how Coding) Unfilter(ctx context.Context, tile []byte, limit int64) (data, offsets []byte, err error) {
	p, err := how.compile()
	if err != nil {
		return nil, nil, err
	}
	chunks, _, cut := Chunks(tile)
	w := p.start(ctx, limit)
	defer w.release()
	var total int64
	for i, c := range chunks {
		if total+int64(c.Orig) > min(limit, math.MaxInt) {
			w.chunk, w.at = i, c
			chunks, cut = chunks[:i], w.bad(Limit, "header", 0, "unfiltered bytes of the tile", "at most "+Text(limit), total+int64(c.Orig))
			break
		}
		total += int64(c.Orig)
	}
	w.out = make([]byte, 0, min(total, 64*int64(len(tile)))+zstdSlack) // more is allocated only once a chunk has proved to need it
	for i, c := range chunks {
		w.at = c
		body := tile[c.Offset+12 : c.Offset+c.Size()]
		if err := w.undoChunk(i, body[:c.Meta:c.Meta], body[c.Meta:], int(c.Orig)); err != nil {
			return w.out, nil, cmp.Or(cut, err)
		}
	}
	if cut != nil {
		return w.out, nil, cut
	}
	return w.result()
}
