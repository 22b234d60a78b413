package model

import (
	"context"
	"encoding/binary"
	"io"
	"regexp"
	"sync"
)

// Unsigned reads up to 8 bytes as an unsigned number.
func Unsigned(b []byte, order binary.ByteOrder) (n uint64) {
	big := order.Uint16([]byte{0, 1}) == 1
	for i := range b {
		if big {
			n = n<<8 | uint64(b[i])
		} else {
			n |= uint64(b[i]) << (8 * i)
		}
	}
	return n
}

// PutUnsigned writes the lowest len(b) bytes of a number.
func PutUnsigned(b []byte, order binary.ByteOrder, n uint64) {
	big := order.Uint16([]byte{0, 1}) == 1
	for i := range b {
		if big {
			b[len(b)-1-i] = byte(n >> (8 * i))
		} else {
			b[i] = byte(n >> (8 * i))
		}
	}
}

// Reader reads a range of the tree as a stream, at random places too, for libraries that want one. It reads copies, and ends with
// ctx.
func (t *Tree) Reader(ctx context.Context, r Range) *io.SectionReader {
	return io.NewSectionReader(&rangeReader{ctx, t, r}, 0, r.Len)
}

// Slice is a range of the tree, of a derived space too, as content for an edit. It outlives ctx.
func (t *Tree) Slice(ctx context.Context, r Range) Source {
	return &rangeReader{context.WithoutCancel(ctx), t, r}
}

// rangeReader is the bytes of a range as they are asked for.
type rangeReader struct {
	ctx context.Context
	t   *Tree
	r   Range
}

func (x *rangeReader) Len() int64 { return x.r.Len }

func (x *rangeReader) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 || off >= x.r.Len {
		return 0, io.EOF
	}
	at := Range{x.r.Space, x.r.Off + off, min(int64(len(p)), x.r.Len-off)}
	err = x.t.Stream(x.ctx, at, 1<<20, func(_ int64, b []byte) error {
		n += copy(p[n:], b)
		return nil
	})
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Pattern is a regular expression that is compiled when it is first asked for: a program that asks for none starts sooner.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
