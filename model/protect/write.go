package protect

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/reedsolomon"
)

// A Source is a file to protect, or to be compared; Content is nil if it is missing.
type Source struct {
	Name    string
	Content io.ReaderAt
	Size    int64
	Time    time.Time
	Changed int64 // see File
}

// batch is how many stripes are processed at a time.
const batch = 64

// Write writes protection data of files, which can restore up to percent of their blocks. It reads them twice; they must not change.
func Write(ctx context.Context, w io.Writer, files []Source, folder bool, percent int) error {
	if percent < MinPercent || percent > MaxPercent {
		return fmt.Errorf("parity of %d %% is not supported: %d to %d", percent, MinPercent, MaxPercent)
	}
	h := &header{Version: version, Block: Block, Folder: folder, Percent: percent}
	var hashes []uint64
	for _, f := range files {
		sum := sha256.New()
		blocks := (f.Size + Block - 1) / Block
		if blocks > maxBlocks-int64(len(hashes)) {
			return errors.New("files of more than 256 GiB cannot be protected")
		}
		err := eachBlock(ctx, f, func(b []byte, n int) {
			hashes = append(hashes, xxhash.Sum64(b))
			sum.Write(b[:n])
		})
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		h.Files = append(h.Files, File{f.Name, f.Size, sum.Sum(nil), f.Time.UnixNano(), f.Changed})
	}
	if len(hashes) == 0 {
		return errors.New("there is nothing to protect: all files are empty")
	}
	h.Data = min(maxData, len(hashes))
	h.Parity = max(1, (h.Data*percent+99)/100)
	l, err := h.lay()
	if err != nil {
		return err
	}
	front, end, err := h.encode()
	if err != nil {
		return err
	}
	packed := chunks(hashes)
	if err := put(w, front, packed); err != nil {
		return err
	}
	if err := l.parity(ctx, w, files, hashes); err != nil {
		return err
	}
	return put(w, packed, end)
}

// put writes bytes one after the other.
func put(w io.Writer, list ...[]byte) error {
	for _, b := range list {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// ErrChanged means that a file changed while it was read.
var ErrChanged = errors.New("a file changed while it was being protected")

// parity writes the parity of all stripes.
func (l *layout) parity(ctx context.Context, w io.Writer, files []Source, hashes []uint64) error {
	code, err := reedsolomon.New(l.Data, l.Parity)
	if err != nil {
		return err
	}
	shards := l.shards()
	for s := int64(0); s < l.stripes; s += batch {
		n := min(batch, l.stripes-s)
		if err := l.readStripes(shards, files, hashes, s, n); err != nil {
			return err
		}
		if err := code.Encode(cut(shards, n)); err != nil {
			return err
		}
		if err := putSummed(w, shards[l.Data:], n); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// putSummed writes the blocks of n stripes, each with its hash after it.
func putSummed(w io.Writer, shards [][]byte, n int64) error {
	for i := range n {
		for _, p := range shards {
			b := p[i*Block : (i+1)*Block]
			if _, err := w.Write(binary.LittleEndian.AppendUint64(b[:Block:Block], xxhash.Sum64(b))); err != nil {
				return err
			}
		}
	}
	return nil
}

// readStripes reads the data of n stripes from stripe s on.
func (l *layout) readStripes(shards [][]byte, files []Source, hashes []uint64, s, n int64) error {
	for k := range l.Data {
		for i := range n {
			b := shards[k][i*Block : (i+1)*Block]
			block := int64(k)*l.stripes + s + i
			if err := l.read(b, files, block); err != nil {
				return err
			}
			if block < l.blocks && xxhash.Sum64(b) != hashes[block] {
				return ErrChanged
			}
		}
	}
	return nil
}

// shards has room for a batch of stripes.
func (l *layout) shards() [][]byte {
	out := make([][]byte, l.Data+l.Parity)
	for i := range out {
		out[i] = make([]byte, min(batch, l.stripes)*Block)
	}
	return out
}

// cut shortens shards to n blocks.
func cut(shards [][]byte, n int64) [][]byte {
	out := make([][]byte, len(shards))
	for i := range shards {
		out[i] = shards[i][:n*Block]
	}
	return out
}

// read reads a block; bytes after the end of a file, and of the last one, are zero.
func (l *layout) read(b []byte, files []Source, block int64) error {
	clear(b)
	if block >= l.blocks {
		return nil
	}
	i, off := l.fileOf(block)
	f := files[i]
	if f.Content == nil {
		return io.ErrUnexpectedEOF
	}
	want := min(Block, l.Files[i].Size-off)
	n, err := f.Content.ReadAt(b[:want], off)
	if int64(n) < want {
		clear(b[n:])
		return errors.Join(err, io.ErrUnexpectedEOF)
	}
	return nil
}

// eachBlock passes each block of a file to f, padded with zeros, with the number of its bytes that are the file's.
func eachBlock(ctx context.Context, f Source, do func(b []byte, n int)) error {
	buf := make([]byte, 64*Block)
	for off := int64(0); off < f.Size; {
		n := min(int64(len(buf)), f.Size-off)
		if k, err := f.Content.ReadAt(buf[:n], off); int64(k) < n {
			return errors.Join(err, io.ErrUnexpectedEOF)
		}
		clear(buf[n:])
		for at := int64(0); at < n; at += Block {
			do(buf[at:at+Block], int(min(Block, n-at)))
		}
		off += n
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
