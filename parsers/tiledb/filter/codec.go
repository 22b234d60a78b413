package filter

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// streams undoes a filter with the block of compressors and ciphers: u32 metadata parts, u32 data parts, then an entry for each part
// that begins with its length before and after the filter; the parts are consecutive in the data. check validates the two lengths, undo
// fills the room of a part. It returns the earlier metadata and the data.
func (w *work) streams(md, data []byte, entry int, check func(i int, e []byte) error, undo func(p part, i int, e []byte) error) (earlier, out []byte, err error) {
	r := &block{w: w, b: md}
	nm, nd := r.u32("number of metadata parts"), r.u32("number of data parts")
	if r.err == nil && (nm+nd)*int64(entry) != int64(len(md)-8) {
		r.err = w.bad(corrupt, "metadata", 0, "bytes for "+Text(nm)+" metadata and "+Text(nd)+" data parts", 8+(nm+nd)*int64(entry), len(md))
	}
	if r.err != nil {
		return nil, nil, r.err
	}
	// All lengths are checked before anything is allocated.
	var at, front, total int64 // in the data, and bytes of the metadata and of all
	for i := range int(nm + nd) {
		e := md[8+i*entry:]
		packed := int64(binary.LittleEndian.Uint32(e[4:]))
		if err := check(i, e); err != nil {
			return nil, nil, err
		}
		if at+packed > int64(len(data)) {
			return nil, nil, w.bad(truncated, "data", int(at), "bytes of part "+Text(i), packed, int64(len(data))-at)
		}
		at += packed
		if total += int64(binary.LittleEndian.Uint32(e)); i < int(nm) {
			front = total
		}
	}
	if earlier, err = w.roomMeta(front); err != nil {
		return nil, nil, err
	}
	if out, err = w.room(total - front); err != nil {
		return nil, nil, err
	}
	src, room := 0, earlier
	for i := range int(nm + nd) {
		if i == int(nm) {
			room = out
		}
		e := md[8+i*entry:]
		orig, packed := binary.LittleEndian.Uint32(e), int(binary.LittleEndian.Uint32(e[4:]))
		if err := undo(part{w, room[:orig], data[src : src+packed : src+packed], src}, i, e); err != nil {
			return nil, nil, err
		}
		room, src = room[orig:], src+packed
	}
	w.spare(at, int64(len(data)))
	w.mdOwn = true
	return earlier, out, nil
}

// undoCompressor undoes a compressor, whose entries are just the two lengths.
func (w *work) undoCompressor(md, data []byte) ([]byte, []byte, error) {
	end := int64(0)
	fits := func(i int, e []byte) error {
		orig, packed := int64(binary.LittleEndian.Uint32(e)), int64(binary.LittleEndian.Uint32(e[4:]))
		end += packed
		if most := w.most(packed); orig > most && end <= int64(len(data)) {
			return w.bad(corrupt, "metadata", 8+8*i, "original length of part "+Text(i), "at most "+Text(most)+" from "+Text(packed)+" bytes", orig)
		}
		return nil
	}
	return w.streams(md, data, 8, fits, func(p part, i int, _ []byte) error {
		err := p.decode()
		if err != nil && end < int64(len(data)) { // a length that truncates a part
			return w.bad(Spare, "metadata", 12+8*i, "lengths of the parts", len(data), end)
		}
		return err
	})
}

// most is the largest possible output of n compressed bytes.
func (w *work) most(n int64) int64 {
	switch w.s.op {
	case Gzip:
		return n * 1032 // deflate: 258 bytes from two bits
	case Zstd:
		return n * (128 << 10) / 3 // a block of 128 KiB takes at least its 3-byte header
	case LZ4:
		return n * 255
	case RLE:
		return n / int64(w.tile.CellSize+2) * 65535 * int64(w.tile.CellSize)
	case Delta:
		return n
	case DoubleDelta:
		return n * 64 // a value of 8 bytes from one bit
	}
	return n * 1_600_000 // bzip2: 46 MB from a block of some 30 bytes, so only the chunk length limits it
}

// part is one compressed part, which starts at byte off of the stage's data, and the room for its output.
type part struct {
	*work
	dst, src []byte
	off      int
}

// decode fills the room.
func (p part) decode() error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	switch p.s.op {
	case Gzip:
		return p.zlib()
	case Zstd:
		return p.zstd()
	case LZ4:
		return p.lz4()
	case RLE:
		return p.rle()
	case Bzip2:
		return p.bzip2()
	case Delta:
		return p.delta()
	}
	return p.doubleDelta()
}

type inflater struct {
	src bytes.Reader
	z   io.ReadCloser
}

var inflaters = sync.Pool{New: func() any { return new(inflater) }}

func (p part) zlib() error {
	z := inflaters.Get().(*inflater)
	z.src.Reset(p.src)
	var err error
	if z.z == nil {
		z.z, err = zlib.NewReader(&z.src)
	} else {
		err = z.z.(zlib.Resetter).Reset(&z.src, nil)
	}
	if err == nil {
		err = p.fill(z.z)
	} else {
		err = p.codecError(p.off, "zlib header", err)
	}
	z.src.Reset(nil)
	if z.z != nil {
		inflaters.Put(z)
	}
	return err
}

// fill reads exactly the room from a decompressor and then its end, where it verifies its checksum.
func (p part) fill(r io.Reader) error {
	const step = 1 << 20
	for at := 0; at < len(p.dst); at += step {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(r, p.dst[at:min(at+step, len(p.dst))])
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return p.bad(truncated, "data", p.off, "bytes the part decompresses to", len(p.dst), at+n)
		}
		if err != nil {
			return p.codecError(p.off, "part, after "+Text(at+n)+" decompressed bytes", err)
		}
	}
	_, err := io.ReadFull(r, make([]byte, 1))
	switch err {
	case nil:
		return p.bad(corrupt, "data", p.off, "bytes the part decompresses to", len(p.dst), "more")
	case io.EOF:
		return nil
	}
	e := p.codecError(p.off, "end of the part", err)
	if e.Kind == Checksum { // every byte is there
		e.Usable = true
		p.keep(e)
		return nil
	}
	return e
}

// keep stores the first failure that leaves the data usable.
func (w *work) keep(e *Error) {
	if w.soft == nil {
		w.soft = e
	}
}

// codecError classifies the errors of the decompressors.
func (w *work) codecError(off int, what string, err error) *Error {
	kind := corrupt
	var structure bzip2.StructuralError
	switch {
	case errors.Is(err, zlib.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch),
		errors.As(err, &structure) && strings.Contains(string(structure), "checksum mismatch"):
		kind = Checksum
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		kind = truncated
	}
	return w.failed(kind, off, what, err)
}

// One decoder serves all goroutines; DecodeAll stops at the given capacity.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(1<<32), zstd.WithDecoderMaxWindow(1<<31))
})

// zstdSlack is how many bytes after its output the zstd decoder needs to be able to write: otherwise it copies
// carefully, at three quarters of the speed. They belong to what is decoded next, or are unused.
const zstdSlack = 16

func (p part) zstd() error {
	if len(p.src) >= 4 && p.src[0] < 0x28 && p.src[0] >= 0x22 && p.src[1] == 0xB5 && p.src[2] == 0x2F && p.src[3] == 0xFD {
		return p.bad(Unsupported, "data", p.off, "zstd frame", "of zstd 0.8 and later", "one of zstd 0."+Text(p.src[0]-0x20)+", from before 2016")
	}
	d, err := zstdDecoder()
	if err != nil {
		return p.failed(Unsupported, p.off, "zstd decoder", err)
	}
	got, err := d.DecodeAll(p.src, p.dst[:0:min(cap(p.dst), len(p.dst)+zstdSlack)])
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return p.bad(corrupt, "data", p.off, "bytes the frame decompresses to", len(p.dst), "more")
	case err != nil:
		return p.codecError(p.off, "zstd frame", err)
	case len(got) != len(p.dst):
		return p.bad(corrupt, "data", p.off, "bytes the frame decompresses to", len(p.dst), len(got))
	}
	return nil
}

func (p part) lz4() error {
	if len(p.dst) == 0 {
		return nil
	}
	n, err := lz4.UncompressBlock(p.src, p.dst)
	if err != nil {
		return p.codecError(p.off, "LZ4 block of "+Text(len(p.dst))+" bytes", err)
	}
	if n != len(p.dst) {
		return p.bad(corrupt, "data", p.off, "bytes the LZ4 block decompresses to", len(p.dst), n)
	}
	return nil
}

func (p part) bzip2() error {
	return p.fill(bzip2.NewReader(bytes.NewReader(p.src)))
}

// rle undoes plain run-length encoding: a cell, then its big-endian u16 count.
func (p part) rle() error {
	dst, src, off := p.dst, p.src, p.off
	cell := p.tile.CellSize
	at := 0
	for i := 0; i < len(src); i += cell + 2 {
		if err := p.due(i); err != nil {
			return err
		}
		if len(src)-i < cell+2 {
			return p.bad(truncated, "data", off+i, "bytes of a run", cell+2, len(src)-i)
		}
		n := cell * int(binary.BigEndian.Uint16(src[i+cell:]))
		if n > len(dst)-at {
			return p.bad(corrupt, "data", off+i+cell, "bytes of a run", "at most "+Text(len(dst)-at)+" left", n)
		}
		run := dst[at : at+n]
		for have := copy(run, src[i:i+cell]); have < n; { // double the existing output
			have += copy(run[have:], run[:have])
		}
		at += n
	}
	if at != len(dst) {
		return p.bad(corrupt, "data", off+len(src), "bytes of all runs", len(dst), at)
	}
	return nil
}
