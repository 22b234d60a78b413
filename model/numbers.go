package model

import (
	"bytes"
	"context"
	"io"
	"math/bits"
	"regexp"
	"sync"
)

// Reader reads a range of the tree as a stream with random access, for libraries that want one. It reads copies, and ends with
// ctx.
func (t *Tree) Reader(ctx context.Context, r Range) *io.SectionReader {
	return io.NewSectionReader(&rangeReader{ctx, t, r}, 0, r.Len)
}

// All returns the bytes of a whole space.
func (t *Tree) All(ctx context.Context, space SpaceID) ([]byte, error) {
	size, err := t.Size(ctx, space)
	if err != nil {
		return nil, err
	}
	return t.Bytes(ctx, Range{Space: space, Len: size})
}

// Peek returns a function that reads n bytes at an offset of a space: fewer at its end, none if it cannot be read.
func (t *Tree) Peek(ctx context.Context, space SpaceID) func(off, n int64) []byte {
	return func(off, n int64) []byte {
		size, err := t.Size(ctx, space)
		if err != nil || off < 0 || off >= size {
			return nil
		}
		b, _ := t.Bytes(ctx, Range{space, off, max(0, min(n, size-off))})
		return b
	}
}

// Slice is a range of the tree, possibly of a derived space, as content for an edit. It outlives ctx.
func (t *Tree) Slice(ctx context.Context, r Range) Source {
	return &rangeReader{context.WithoutCancel(ctx), t, r}
}

// rangeReader reads the bytes of a range on demand.
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

// Pattern is a regular expression that is compiled on first use, so that programs that do not use it start sooner.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Times is a × b; ok is false if that is more than most.
func Times(a, b, most uint64) (n uint64, ok bool) {
	high, n := bits.Mul64(a, b)
	return n, high == 0 && n <= most
}

// AllZero tells whether all bytes are zero.
func AllZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

// Differences counts the places at which two texts differ, up to the end of the shorter one, and what the longer one has more.
func Differences[S ~string | ~[]byte](a, b S) int {
	n := max(len(a), len(b)) - min(len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// Map is what f makes of each element of a list; nil for an empty one.
func Map[T, U any](list []T, f func(T) U) (out []U) {
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}

// Indices are 0 to n−1, to be sorted.
func Indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
