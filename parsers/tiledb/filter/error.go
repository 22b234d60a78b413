package filter

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// errKind classifies a failure by what a reader may do about it.
type errKind uint8

const (
	corrupt     errKind = iota // numbers or bytes contradict each other
	truncated                  // bytes that should be there are missing
	Checksum                   // a digest or CRC differs from the bytes it covers
	Auth                       // no key, a wrong key, or changed ciphertext
	Unsupported                // no such filter, or not for this datatype
	Limit                      // more bytes than allowed
	Spare                      // bytes that no part claims
)

func (k errKind) String() string {
	return [...]string{"corrupt", "truncated", "checksum mismatch", "not authentic", "unsupported", "over the limit", "not used"}[k]
}

// Error says what a pipeline stumbled over, and where.
type Error struct {
	Kind            errKind
	Filter          uint8 // type of the filter; meaningful when Index >= 0
	Index           int   // its position in the pipeline, -1 for the tile itself
	Chunk           int   // chunk of the tile, -1 when none
	ChunkAt         int64 // start of the chunk in the tile; ChunkSize is its length including the header, 0 if it is incomplete
	ChunkSize       int64
	Where           string // "header", "metadata" or "data" of the chunk, "options" of the filter
	Off             int64  // byte offset in that part as this filter sees it
	ChunkOff        int64  // the same place as an offset from the chunk header, -1 inside bytes another filter produced
	What            string
	Expected, Found string
	Usable          bool  // the data was decoded completely anyway
	Err             error // of a decompressor
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Chunk >= 0 {
		fmt.Fprintf(&b, "chunk %d: ", e.Chunk)
	}
	if e.Index >= 0 {
		fmt.Fprintf(&b, "filter %d (%s): ", e.Index, NameOf(e.Filter))
	}
	fmt.Fprintf(&b, "%s: %s at %s byte %d", e.Kind, e.What, e.Where, e.Off)
	if e.Expected != "" {
		fmt.Fprintf(&b, ": expected %s, found %s", e.Expected, e.Found)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

var Names = [...]string{"NONE", "GZIP", "ZSTD", "LZ4", "RLE", "BZIP2", "DOUBLE_DELTA", "BIT_WIDTH_REDUCTION", "BITSHUFFLE",
	"BYTESHUFFLE", "POSITIVE_DELTA", "AES_256_GCM", "CHECKSUM_MD5", "CHECKSUM_SHA256",
	"DICTIONARY", "SCALE_FLOAT", "XOR", "", "WEBP", "DELTA"}

func NameOf(t uint8) string {
	if int(t) < len(Names) && Names[t] != "" {
		return Names[t]
	}
	return fmt.Sprintf("filter type %d", t)
}

func Text(v any) string { return fmt.Sprint(v) }

// bad describes a failure of the current stage. off counts from the start of the metadata or data the stage was given.
func (w *work) bad(kind errKind, where string, off int, what string, expected, found any) *Error {
	e := &Error{Kind: kind, Index: -1, Chunk: w.chunk, ChunkAt: w.at.Offset, Where: where, Off: int64(off), ChunkOff: -1,
		What: what, Expected: Text(expected), Found: Text(found)}
	if w.at.Offset > 0 {
		e.ChunkSize = w.at.Size()
	}
	if w.s != nil {
		e.Filter, e.Index = w.s.Type, w.s.index
	}
	switch {
	case where == "header":
		e.ChunkOff = e.Off
	case where == "metadata" && !w.mdOwn: // the remaining metadata is the end of the stored metadata
		e.ChunkOff = 12 + int64(w.mdLen-len(w.md)) + e.Off
	case where == "data" && !w.dtOwn:
		e.ChunkOff = 12 + int64(w.mdLen) + e.Off
	}
	return e
}

// failed is bad for an error of a decompressor.
func (w *work) failed(kind errKind, off int, what string, err error) *Error {
	e := w.bad(kind, "data", off, what, "", "")
	e.Err = err
	return e
}

// spare notes that bytes of the data after the last part are unused; TileDB ignores them.
func (w *work) spare(from, size int64) {
	if from < size {
		e := w.bad(Spare, "data", int(from), "bytes after the last part", 0, size-from)
		e.Usable = true
		w.keep(e)
	}
}

// block reads the block of the current stage from the front of its metadata. The first failure is kept.
type block struct {
	w   *work
	b   []byte
	off int
	err error
}

func (r *block) bytes(n int64, what string) []byte {
	if r.err != nil {
		return nil
	}
	if n > int64(len(r.b)-r.off) {
		r.err = r.w.bad(truncated, "metadata", r.off, what, Text(n)+" bytes", Text(len(r.b)-r.off)+" bytes")
		return nil
	}
	b := r.b[r.off : r.off+int(n) : r.off+int(n)]
	r.off += int(n)
	return b
}

func (r *block) uint(size int, what string) uint64 {
	if b := r.bytes(int64(size), what); b != nil {
		return Uint(b, size)
	}
	return 0
}

func (r *block) u32(what string) int64 { return int64(r.uint(4, what)) }

// count reads a u32 number of records of size bytes that must fit into the rest of the metadata.
func (r *block) count(size int, what string) int {
	n := r.u32(what)
	if r.err == nil && n > int64((len(r.b)-r.off)/size) {
		r.err = r.w.bad(corrupt, "metadata", r.off-4, what, "at most "+Text((len(r.b)-r.off)/size)+" in these bytes", n)
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

// end requires that the block was all of the metadata.
func (r *block) end() error {
	if r.err == nil && r.off != len(r.b) {
		r.err = r.w.bad(corrupt, "metadata", r.off, "bytes after the block", 0, len(r.b)-r.off)
	}
	return r.err
}

func (r *block) rest() []byte { return r.b[r.off:] }

// Uint and putUint read and write a little-endian unsigned integer of 1, 2, 4 or 8 bytes.
func Uint(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func putUint(b []byte, size int, v uint64) {
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// readInt reads a signed integer.
func readInt(b []byte, size int) int64 {
	shift := 64 - 8*size
	return int64(Uint(b, size)<<shift) >> shift
}

func IsWidth(n uint64) bool { return n == 1 || n == 2 || n == 4 || n == 8 }
