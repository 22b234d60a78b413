// Package protect writes and reads protection data of files: hashes of their blocks, which detect and locate damage exactly, and Reed–Solomon
// parity, which restores it exactly. It knows no format, and reads and writes only through interfaces.
//
// The blocks of all files, each file padded to whole blocks, are numbered consecutively. Stripe s has the blocks s, s+S, s+2S, … of S stripes, so that
// a run of damaged blocks is spread over as many stripes as possible. The protection data are
//
//	header | hashes | parity | hashes | header
//
// with everything but the parity stored twice. A header is a magic, its length, JSON, and a SHA-256; at the end the length and the magic follow it
// instead. Hashes are in chunks that end with a hash of their own, as does each parity block.
package protect

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Limits of protection data.
const (
	Block      = 4096
	MinPercent = 1
	MaxPercent = 20

	version    = 1
	maxData    = 100      // blocks of a stripe
	maxFiles   = 200_000  // of a folder
	maxHeader  = 64 << 20 // bytes
	maxBlocks  = 1 << 26  // 256 GiB
	chunkSize  = 4096     // of hashes, with its own
	perChunk   = chunkSize/8 - 1
	parityStep = Block + 8
	magic      = "SPANPAR\x01"
)

// ErrNone means that data are not protection data, or that both copies of their header are damaged.
var ErrNone = errors.New("not readable protection data")

// A File is a file at the time of protection.
type File struct {
	Name string `json:"name"` // relative to the folder, with slashes
	Size int64  `json:"size"`
	Sum  []byte `json:"sha256"`
	Time int64  `json:"time_ns"` // when it was last written, since 1970
	// Changed is when the system last recorded a change of the file, which programs cannot set; 0 if the system does not say.
	Changed int64 `json:"changed_ns,omitempty"`
}

// header is the beginning, and the end, of protection data.
type header struct {
	Version int    `json:"version"`
	Block   int    `json:"block"`
	Folder  bool   `json:"folder"`
	Data    int    `json:"data"`
	Parity  int    `json:"parity"`
	Percent int    `json:"percent"` // as was asked for
	Files   []File `json:"files"`
}

// layout is where everything is.
type layout struct {
	header
	first   []int64 // first block of each file, and the end
	blocks  int64
	stripes int64
	head    int64 // bytes of a header
}

// encode returns a header as it is at the beginning and at the end.
func (h *header) encode() (front, end []byte, err error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, nil, err
	}
	if len(text) > maxHeader {
		return nil, nil, errors.New("the folder has too many files")
	}
	n := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	sum := sha256.Sum256(text)
	return bytes.Join([][]byte{[]byte(magic), n, text, sum[:]}, nil), bytes.Join([][]byte{text, sum[:], n, []byte(magic)}, nil), nil
}

const around = len(magic) + 4 + sha256.Size

// decode reads one of the two headers; nil if it is damaged.
func decode(r io.ReaderAt, size int64, end bool) *header {
	var b [len(magic) + 4]byte
	at := int64(0)
	if end {
		at = size - int64(len(b))
	}
	if at < 0 {
		return nil
	}
	if n, _ := r.ReadAt(b[:], at); n < len(b) {
		return nil
	}
	mark, number := b[:len(magic)], b[len(magic):]
	if end {
		number, mark = b[:4], b[4:]
	}
	n := int64(binary.LittleEndian.Uint32(number))
	if string(mark) != magic || n > maxHeader || n+int64(around) > size {
		return nil
	}
	if at = int64(len(b)); end {
		at = size - n - int64(around)
	}
	text := make([]byte, n+sha256.Size)
	if k, _ := r.ReadAt(text, at); k < len(text) {
		return nil
	}
	if sum := sha256.Sum256(text[:n]); !bytes.Equal(sum[:], text[n:]) {
		return nil
	}
	h := &header{}
	if json.Unmarshal(text[:n], h) != nil {
		return nil
	}
	return h
}

// lay checks a header and computes the layout.
func (h *header) lay() (*layout, error) {
	if h.Version != version || h.Block != Block {
		return nil, fmt.Errorf("%w: version %d with blocks of %d bytes is not supported", ErrNone, h.Version, h.Block)
	}
	if h.Data < 1 || h.Data > maxData || h.Parity < 1 || h.Parity > MaxPercent ||
		len(h.Files) == 0 || len(h.Files) > maxFiles || !h.Folder && len(h.Files) > 1 {
		return nil, fmt.Errorf("%w: its numbers are out of range", ErrNone)
	}
	l, seen := &layout{header: *h}, map[string]bool{}
	for _, f := range h.Files {
		if !fs.ValidPath(f.Name) || f.Name == "." || strings.ContainsAny(f.Name, "\\:\x00") || seen[f.Name] ||
			!h.Folder && strings.Contains(f.Name, "/") {
			return nil, fmt.Errorf("%w: %q is not the name of a file in the folder", ErrNone, f.Name)
		}
		seen[f.Name] = true
		l.first = append(l.first, l.blocks)
		if f.Size < 0 || f.Size > (maxBlocks-l.blocks)*Block || len(f.Sum) != sha256.Size {
			return nil, fmt.Errorf("%w: its sizes are out of range", ErrNone)
		}
		l.blocks += (f.Size + Block - 1) / Block
	}
	l.first = append(l.first, l.blocks)
	l.stripes = (l.blocks + int64(h.Data) - 1) / int64(h.Data)
	front, _, err := h.encode()
	l.head = int64(len(front))
	return l, err
}

func (l *layout) hashBytes() int64   { return (l.blocks + perChunk - 1) / perChunk * chunkSize }
func (l *layout) parityBytes() int64 { return l.stripes * int64(l.Parity) * parityStep }

// parityAt is the place of parity block p of a stripe.
func (l *layout) parityAt(stripe int64, p int) int64 {
	return l.head + l.hashBytes() + (stripe*int64(l.Parity)+int64(p))*parityStep
}

// fileOf is the file of a block, and the place in it.
func (l *layout) fileOf(block int64) (file int, off int64) {
	lo, hi := 0, len(l.Files)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; l.first[mid] <= block {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, (block - l.first[lo]) * Block
}

// chunks packs hashes.
func chunks(hashes []uint64) []byte {
	var out []byte
	for ; len(hashes) > 0; hashes = hashes[min(perChunk, len(hashes)):] {
		c := make([]byte, chunkSize)
		for i, h := range hashes[:min(perChunk, len(hashes))] {
			binary.LittleEndian.PutUint64(c[8*i:], h)
		}
		binary.LittleEndian.PutUint64(c[chunkSize-8:], xxhash.Sum64(c[:chunkSize-8]))
		out = append(out, c...)
	}
	return out
}
