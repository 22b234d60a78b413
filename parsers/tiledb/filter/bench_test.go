package filter

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"strconv"
	"testing"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// benchData is a megabyte of slowly rising 32-bit numbers with some noise.
func benchData() []byte {
	data := make([]byte, 1<<20)
	for i := 0; i < len(data); i += 4 {
		binary.LittleEndian.PutUint32(data[i:], uint32(i/4*3)+uint32(i/4*2654435761)>>26)
	}
	return data
}

// benchTDB times a pipeline beside the bare codec on the same chunks.
func benchTDB(b *testing.B, filters []Filter, bare func(dst, md, src []byte) error) {
	ctx := context.Background()
	tile := TileType{Uint32, 4, 23, false}
	data := benchData()
	packed, err := Coding{filters, tile, nil}.Filter(ctx, data)
	if err != nil {
		b.Fatal(err)
	}
	chunks, _, err := Chunks(packed)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("pipeline", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := (Coding{filters, tile, nil}).Unfilter(ctx, packed, 1<<30); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			out := make([]byte, len(data))
			at := 0
			for _, c := range chunks {
				body := packed[c.Offset+12:]
				if err := bare(out[at:at+int(c.Orig)], body[:c.Meta], body[c.Meta:][:c.Data]); err != nil {
					b.Fatal(err)
				}
				at += int(c.Orig)
			}
		}
	})
}

func BenchmarkTDBZstd(b *testing.B) {
	d, err := zstd.NewReader(nil)
	if err != nil {
		b.Fatal(err)
	}
	benchTDB(b, []Filter{compressor(2)}, func(dst, _, src []byte) error {
		_, err := d.DecodeAll(src, dst[:0])
		return err
	})
}

func BenchmarkTDBByteShuffleZstd(b *testing.B) {
	d, err := zstd.NewReader(nil)
	if err != nil {
		b.Fatal(err)
	}
	benchTDB(b, []Filter{{Type: ByteShuffle}, compressor(2)}, func(dst, md, src []byte) error {
		_, err := d.DecodeAll(src[binary.LittleEndian.Uint32(md[12:]):], dst[:0]) // behind the compressed metadata of the shuffle
		return err
	})
}

func BenchmarkTDBGzip(b *testing.B) {
	var src bytes.Reader
	var z io.ReadCloser
	benchTDB(b, []Filter{compressor(1)}, func(dst, _, packed []byte) (err error) {
		src.Reset(packed)
		if z == nil {
			z, err = zlib.NewReader(&src)
		} else {
			err = z.(zlib.Resetter).Reset(&src, nil)
		}
		if err == nil {
			_, err = io.ReadFull(z, dst)
		}
		return err
	})
}

func BenchmarkTDBLZ4(b *testing.B) {
	benchTDB(b, []Filter{compressor(3)}, func(dst, _, src []byte) error {
		_, err := lz4.UncompressBlock(src, dst)
		return err
	})
}

func BenchmarkTDBBitShuffle(b *testing.B) {
	benchTDB(b, []Filter{{Type: BitShuffle}}, func(dst, _, src []byte) error {
		unshuffleBits(dst, src, 4)
		return nil
	})
}

func BenchmarkTDBByteShuffle(b *testing.B) {
	benchTDB(b, []Filter{{Type: ByteShuffle}}, func(dst, _, src []byte) error {
		unshuffleBytes(dst, src, 4)
		return nil
	})
}

func BenchmarkTDBUnshuffle(b *testing.B) {
	data := benchData()[:ChunkBytes]
	dst := make([]byte, len(data))
	for _, size := range []int{1, 2, 4, 8} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				unshuffleBytes(dst, data, size)
			}
		})
	}
}
