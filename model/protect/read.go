package protect

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/reedsolomon"
)

// Data are opened protection data.
type Data struct {
	l      *layout
	r      io.ReaderAt
	hashes []uint64
	known  []bool // of each block: its hash could be read
}

// Open reads protection data. They are checked against their size before any memory is allocated for them.
func Open(ctx context.Context, r io.ReaderAt, size int64) (*Data, error) {
	front, end := decode(r, size, false), decode(r, size, true)
	h := cmp.Or(front, end)
	if h == nil {
		return nil, ErrNone
	}
	l, err := h.lay()
	if err != nil {
		return nil, err
	}
	if l.blocks*8 > size {
		return nil, fmt.Errorf("%w: it is too short for the data it protects", ErrNone)
	}
	d := &Data{l: l, r: r, hashes: make([]uint64, l.blocks), known: make([]bool, l.blocks)}
	for _, at := range []int64{l.head, l.head + l.hashBytes() + l.parityBytes()} {
		for c := int64(0); c*perChunk < l.blocks; c++ {
			b := d.summed(at+c*chunkSize, chunkSize-8)
			if b == nil {
				continue
			}
			for i := c * perChunk; i < min(l.blocks, (c+1)*perChunk); i++ {
				d.hashes[i], d.known[i] = binary.LittleEndian.Uint64(b[(i-c*perChunk)*8:]), true
			}
		}
	}
	return d, ctx.Err()
}

// summed reads n bytes that their hash follows; nil if it does not match them.
func (d *Data) summed(at int64, n int) []byte {
	b := make([]byte, n+8)
	if k, _ := d.r.ReadAt(b, at); k < len(b) || xxhash.Sum64(b[:n]) != binary.LittleEndian.Uint64(b[n:]) {
		return nil
	}
	return b[:n]
}

// Files are the files as they were protected.
func (d *Data) Files() []File { return d.l.Files }

// Folder tells whether the files are those of a folder.
func (d *Data) Folder() bool { return d.l.Folder }

// Percent is how much damage they were asked to restore, in percent.
func (d *Data) Percent() int { return max(MinPercent, min(MaxPercent, d.l.Percent)) }

// A Run is restored bytes of a file.
type Run struct {
	Off   int64
	Bytes []byte
}

// Runs joins consecutive restored blocks of a file, given by number.
func Runs(blocks map[int64][]byte) (out []Run) {
	for _, block := range slices.Sorted(maps.Keys(blocks)) {
		if last := len(out) - 1; last >= 0 && out[last].Off+int64(len(out[last].Bytes)) == block*Block {
			out[last].Bytes = append(out[last].Bytes, blocks[block]...)
			continue
		}
		out = append(out, Run{block * Block, slices.Clone(blocks[block])})
	}
	return out
}

// A Report is the differences from protected files.
type Report struct {
	Files []Differing // in which something differs
	bad   []bool      // blocks
}

// Differing is how a file differs from its protected state.
type Differing struct {
	File   int     // of Data.Files
	Blocks []int64 // of the file, in which bytes differ
	Size   int64   // now; -1 where it is missing
}

// Compare finds the blocks that differ. files correspond to Files, in order.
func (d *Data) Compare(ctx context.Context, files []Source) (*Report, error) {
	r := &Report{bad: make([]bool, d.l.blocks)}
	for i, f := range d.l.Files {
		now, err := d.compare(ctx, files, i, r.bad)
		if err != nil {
			return nil, err
		}
		if len(now.Blocks) > 0 || now.Size != f.Size {
			r.Files = append(r.Files, now)
		}
	}
	return r, nil
}

// compare compares file i, and marks its bad blocks: those that differ, and if the file does, also those whose hash is lost.
func (d *Data) compare(ctx context.Context, files []Source, i int, bad []bool) (Differing, error) {
	now, f, first := Differing{File: i, Size: files[i].Size}, d.l.Files[i], d.l.first[i]
	if files[i].Content == nil {
		now.Size = -1
	}
	var unknown []int64 // blocks whose hash is lost
	sum, b := sha256.New(), make([]byte, Block)
	for block := first; block < d.l.first[i+1]; block++ {
		err := d.l.read(b, files, block)
		sum.Write(b[:min(Block, f.Size-(block-first)*Block)])
		switch {
		case err != nil || d.known[block] && xxhash.Sum64(b) != d.hashes[block]:
			bad[block] = true
			now.Blocks = append(now.Blocks, block-first)
		case !d.known[block]:
			unknown = append(unknown, block)
		}
		if err := ctx.Err(); err != nil {
			return now, err
		}
	}
	found := len(now.Blocks) > 0
	if !found && bytes.Equal(sum.Sum(nil), f.Sum) {
		return now, nil
	}
	for _, block := range unknown {
		if bad[block] = true; !found { // what differs is in them
			now.Blocks = append(now.Blocks, block-first)
		}
	}
	return now, nil
}

// Same tells whether all files are unchanged.
func (r *Report) Same() bool { return len(r.Files) == 0 }

// ErrTooMuch means that more is damaged than can be restored.
var ErrTooMuch = errors.New("the damage is larger than the protection data can restore")

// maxRestored is how many bytes are restored at a time: they stay in memory until they are saved.
const maxRestored = 1 << 30

// Restore returns the protected content of the blocks that differ, by file and block number. It fails if a block or the SHA-256 of a file
// does not match afterwards.
func (d *Data) Restore(ctx context.Context, files []Source, r *Report) (map[int]map[int64][]byte, error) {
	out := map[int]map[int64][]byte{}
	code, err := reedsolomon.New(d.l.Data, d.l.Parity)
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for s := range d.l.stripes {
		made, err := d.stripe(code, files, r, s)
		if err != nil {
			return nil, err
		}
		for block, b := range made {
			i, off := d.l.fileOf(block)
			if out[i] == nil {
				out[i] = map[int64][]byte{}
			}
			b = b[:min(Block, d.l.Files[i].Size-off)]
			out[i][off/Block] = b
			if total += Block; total > maxRestored {
				return nil, fmt.Errorf("%w: more than 1 GiB is damaged", ErrTooMuch)
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return out, d.prove(ctx, files, r, out)
}

// stripe restores the blocks of a stripe.
func (d *Data) stripe(code reedsolomon.Encoder, files []Source, r *Report, s int64) (map[int64][]byte, error) {
	var lost []int64
	for block := s; block < d.l.blocks; block += d.l.stripes {
		if r.bad[block] {
			lost = append(lost, block)
		}
	}
	if len(lost) == 0 {
		return nil, nil
	}
	shards := make([][]byte, d.l.Data, d.l.Data+d.l.Parity) // nil: lost
	for k := range shards {
		block := int64(k)*d.l.stripes + s
		if slices.Contains(lost, block) {
			continue
		}
		shards[k] = make([]byte, Block)
		if err := d.l.read(shards[k], files, block); err != nil {
			return nil, err
		}
	}
	for p := range d.l.Parity {
		shards = append(shards, d.summed(d.l.parityAt(s, p), Block))
	}
	switch err := code.ReconstructData(shards); {
	case errors.Is(err, reedsolomon.ErrTooFewShards):
		return nil, ErrTooMuch
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrTooMuch, err)
	}
	out := map[int64][]byte{}
	for _, block := range lost {
		b := shards[(block-s)/d.l.stripes]
		if d.known[block] && xxhash.Sum64(b) != d.hashes[block] {
			return nil, ErrTooMuch
		}
		out[block] = b
	}
	return out, nil
}

// prove compares the SHA-256 of each restored file with the protected one.
func (d *Data) prove(ctx context.Context, files []Source, r *Report, made map[int]map[int64][]byte) error {
	b := make([]byte, Block)
	for _, x := range r.Files {
		sum, f := sha256.New(), d.l.Files[x.File]
		for block := d.l.first[x.File]; block < d.l.first[x.File+1]; block++ {
			at := block - d.l.first[x.File]
			n := min(Block, f.Size-at*Block)
			if is, ok := made[x.File][at]; ok {
				sum.Write(is)
				continue
			}
			if err := d.l.read(b, files, block); err != nil {
				return err
			}
			sum.Write(b[:n])
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if !bytes.Equal(sum.Sum(nil), f.Sum) {
			return fmt.Errorf("%w: %s would not match the original", ErrTooMuch, f.Name)
		}
	}
	return nil
}
