package filter

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"math"
	"sync"

	"github.com/dsnet/compress/bzip2"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Encodes tells which filters Coding.Filter can apply.
func Encodes(op uint8) bool {
	switch op {
	case Gzip, Zstd, LZ4, RLE, Bzip2, BitShuffle, ByteShuffle, MD5, SHA256, AES, Delta, DoubleDelta, BitWidth, PositiveDelta, Xor, ScaleFloat:
		return true
	}
	return false
}

// Filter divides data into chunks of whole cells as TileDB's writer does for fixed-size cells (at most 65536 bytes, but at
// least one cell), filters each, and returns the tile with its chunk headers. Readers accept chunks of any length. Filters it
// cannot apply, and string mode, are an Unsupported failure. Every AES part gets a fresh random IV.
func (how Coding) Filter(ctx context.Context, data []byte) ([]byte, error) {
	w, err := how.encoder(ctx)
	if err != nil {
		return nil, err
	}
	size := max(ChunkBytes/how.Tile.CellSize, 1) * how.Tile.CellSize
	n := (len(data) + size - 1) / size
	out := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+len(data)/2), uint64(n))
	for w.chunk = range n {
		part := data[w.chunk*size : min((w.chunk+1)*size, len(data))]
		md, packed, err := w.applyAll(nil, part)
		if err != nil {
			return nil, err
		}
		out = appendChunk(out, len(part), md, packed)
	}
	return out, nil
}

// appendChunk appends a chunk with its header; orig is its size in bytes before filtering.
func appendChunk(out []byte, orig int, md, packed []byte) []byte {
	for _, v := range []int{orig, len(packed), len(md)} {
		out = binary.LittleEndian.AppendUint32(out, uint32(v))
	}
	return append(append(out, md...), packed...)
}

// writer applies the filters of a pipeline to chunks.
type writer struct{ work }

func (how Coding) encoder(ctx context.Context) (*writer, error) {
	p, err := how.compile()
	if err != nil {
		return nil, err
	}
	w := &writer{work{pipeline: p, ctx: ctx}}
	if p.stringMode() {
		w.s = &p.stages[0]
		return nil, w.bad(Unsupported, "options", 0, "filter to write", "one that leaves the offsets of texts alone", NameOf(w.s.op))
	}
	return w, w.writable()
}

// writable is an error if a filter of a stage cannot be applied.
func (w *writer) writable() error {
	for i := range w.stages {
		if w.s = &w.stages[i]; !Encodes(w.s.op) {
			return w.bad(Unsupported, "options", 0, "filter to write", "any but WEBP, and DICTIONARY only on texts", NameOf(w.s.op))
		}
	}
	return nil
}

// applyAll runs the stages in writing order, each on the output of the previous one. Its results may share memory with data.
func (w *writer) applyAll(md, data []byte) (_, out []byte, err error) {
	if int64(len(data)) > math.MaxUint32/2 {
		return nil, nil, w.bad(Limit, "header", 0, "bytes of a chunk", "at most "+Text(math.MaxUint32/2), len(data))
	}
	for i := range w.stages {
		if err := w.ctx.Err(); err != nil {
			return nil, nil, err
		}
		w.s = &w.stages[i]
		if md, data, err = w.apply(md, data); err != nil {
			return nil, nil, err
		}
	}
	return md, data, nil
}

func (w *writer) apply(md, data []byte) ([]byte, []byte, error) {
	switch w.s.op {
	case AES:
		return w.seal(md, data)
	case MD5, SHA256:
		return w.sum(md, data), data, nil
	case ByteShuffle:
		out := make([]byte, len(data))
		shuffleBytes(out, data, w.s.size)
		return partsBlock(md, len(data)), out, nil
	case BitShuffle:
		whole := len(data) &^ 7 // the rest is a part of its own, stored as it is
		out := make([]byte, whole, len(data))
		shuffleBits(out, data[:whole], w.s.size)
		if whole == len(data) {
			return partsBlock(md, whole), out, nil
		}
		return partsBlock(md, whole, len(data)-whole), append(out, data[whole:]...), nil
	}
	return w.number(md, data)
}

// number applies the filters that work on numbers; the others compress.
func (w *writer) number(md, data []byte) (block, out []byte, err error) {
	switch w.s.op {
	case BitWidth:
		block, out = w.reduce(md, data)
		return block, out, nil
	case PositiveDelta:
		return w.ascend(md, data)
	case ScaleFloat:
		return w.scale(md, data)
	case Xor:
		return w.xor(md, data)
	}
	return w.compress(md, data)
}

// partsBlock is the block of undoParts in front of the earlier metadata.
func partsBlock(md []byte, lengths ...int) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(lengths)))
	for _, n := range lengths {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return append(b, md...)
}

// splitStreams are the byte strings a compressor or cipher processes: the earlier metadata if there is any, and the data.
func splitStreams(md, data []byte) (streams [][]byte, block []byte) {
	if len(md) > 0 {
		streams = append(streams, md)
	}
	block = binary.LittleEndian.AppendUint32(nil, uint32(len(streams)))
	return append(streams, data), binary.LittleEndian.AppendUint32(block, 1)
}

func (w *writer) compress(md, data []byte) ([]byte, []byte, error) {
	streams, block := splitStreams(md, data)
	out := make([]byte, 0, len(data)/2+64)
	for _, s := range streams {
		from := len(out)
		var err error
		if out, err = w.encode(out, s); err != nil {
			return nil, nil, err
		}
		block = binary.LittleEndian.AppendUint32(block, uint32(len(s)))
		block = binary.LittleEndian.AppendUint32(block, uint32(len(out)-from))
	}
	return block, out, nil
}

// encode appends one compressed part to out.
func (w *writer) encode(out, src []byte) ([]byte, error) {
	switch w.s.op {
	case Gzip:
		return w.encodeZlib(out, src)
	case Zstd:
		return w.encodeZstd(out, src)
	case LZ4:
		return w.encodeLZ4(out, src)
	case RLE:
		return w.encodeRLE(out, src)
	case Delta:
		return w.encodeDelta(out, src)
	case DoubleDelta:
		return w.encodeDoubleDelta(out, src)
	}
	b := bytes.NewBuffer(out)
	level := int(w.s.Level)
	if level < bzip2.BestSpeed || level > bzip2.BestCompression {
		level = bzip2.DefaultCompression
	}
	z, err := bzip2.NewWriter(b, &bzip2.WriterConfig{Level: level})
	if err == nil {
		if _, err = z.Write(src); err == nil {
			err = z.Close()
		}
	}
	if err != nil {
		return nil, w.failed(Unsupported, 0, "bzip2", err)
	}
	return b.Bytes(), nil
}

var deflaters [11]sync.Pool // by level + 1

func (w *writer) encodeZlib(out, src []byte) ([]byte, error) {
	level := int(w.s.Level)
	if level < zlib.DefaultCompression || level > zlib.BestCompression {
		level = zlib.DefaultCompression
	}
	b := bytes.NewBuffer(out)
	pool := &deflaters[level+1]
	z, _ := pool.Get().(*zlib.Writer)
	var err error
	if z != nil {
		z.Reset(b)
	} else {
		z, err = zlib.NewWriterLevel(b, level)
	}
	if err == nil {
		if _, err = z.Write(src); err == nil {
			err = z.Close()
		}
	}
	if err != nil {
		return nil, w.failed(Unsupported, 0, "zlib", err)
	}
	pool.Put(z)
	return b.Bytes(), nil
}

var zstdEncoders sync.Map // zstd.EncoderLevel to *zstd.Encoder; each serves all goroutines

func (w *writer) encodeZstd(out, src []byte) ([]byte, error) {
	level := zstd.SpeedDefault
	if w.s.Level >= 1 {
		level = zstd.EncoderLevelFromZstd(int(w.s.Level))
	}
	z, ok := zstdEncoders.Load(level)
	if !ok {
		// No checksum, as libzstd by default. A frame even for no bytes, since readers expect one.
		fresh, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true))
		if err != nil {
			return nil, w.failed(Unsupported, 0, "zstd", err)
		}
		z, _ = zstdEncoders.LoadOrStore(level, fresh)
	}
	return z.(*zstd.Encoder).EncodeAll(src, out), nil
}

func (w *writer) encodeLZ4(out, src []byte) ([]byte, error) {
	from := len(out)
	packed := make([]byte, lz4.CompressBlockBound(len(src)))
	var c lz4.Compressor
	n, err := c.CompressBlock(src, packed)
	if err != nil {
		return nil, w.failed(Unsupported, 0, "LZ4", err)
	}
	if out = append(out, packed[:n]...); n > 0 {
		return out, nil
	}
	// It does not shrink: one sequence of literals only.
	if len(src) < 15 {
		return append(append(out[:from], byte(len(src)<<4)), src...), nil
	}
	out = append(out, 0xF0)
	n = len(src) - 15
	for ; n >= 255; n -= 255 {
		out = append(out, 255)
	}
	return append(append(out, byte(n)), src...), nil
}

func (w *writer) encodeRLE(out, src []byte) ([]byte, error) {
	cell := w.tile.CellSize
	if len(src)%cell != 0 {
		return nil, w.bad(Unsupported, "data", 0, "bytes to encode", "whole cells of "+Text(cell), len(src))
	}
	for at := 0; at < len(src); {
		end := at + cell
		for end < len(src) && (end-at)/cell < math.MaxUint16 && bytes.Equal(src[at:at+cell], src[end:end+cell]) {
			end += cell
		}
		out = append(out, src[at:at+cell]...)
		out = binary.BigEndian.AppendUint16(out, uint16((end-at)/cell))
		at = end
	}
	return out, nil
}

// sum is the block of undoChecksum in front of the earlier metadata.
func (w *writer) sum(md, data []byte) []byte {
	streams, block := splitStreams(md, data)
	h := w.s.newHash()
	for _, s := range streams {
		h.Reset()
		h.Write(s)
		block = h.Sum(binary.LittleEndian.AppendUint64(block, uint64(len(s))))
	}
	return append(block, md...)
}

func (w *writer) seal(md, data []byte) ([]byte, []byte, error) {
	streams, block := splitStreams(md, data)
	var out []byte
	for _, s := range streams {
		var iv [ivBytes]byte
		if _, err := rand.Read(iv[:]); err != nil {
			return nil, nil, w.failed(Auth, 0, "random IV", err)
		}
		out = w.aead.Seal(out, iv[:], s, nil)
		n := len(out) - TagBytes
		block = binary.LittleEndian.AppendUint32(block, uint32(len(s)))
		block = binary.LittleEndian.AppendUint32(block, uint32(len(s)))
		block = append(append(block, iv[:]...), out[n:]...)
		out = out[:n]
	}
	return block, out, nil
}
