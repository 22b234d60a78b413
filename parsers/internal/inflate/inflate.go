// Package inflate reads and writes deflate streams (RFC 1951), bare or framed as zlib (RFC 1950) or gzip (RFC 1952). Output before
// damage is returned too, memory is never allocated beyond what the input can fill, and errors say where a stream breaks.
package inflate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"spandrel/model"
	"spandrel/model/correct"
)

// Framing is what surrounds a deflate stream.
type Framing string

// The framings of deflate streams.
const (
	Raw  Framing = "raw"
	Zlib Framing = "zlib"
	Gzip Framing = "gzip"
)

// FramingOf detects the framing of a stream from its first bytes.
func FramingOf(b []byte) Framing {
	switch {
	case len(b) >= 2 && b[0]&15 == 8 && b[0]>>4 <= 7 && (int(b[0])<<8|int(b[1]))%31 == 0:
		return Zlib
	case len(b) >= 2 && b[0] == 0x1f && b[1] == 0x8b:
		return Gzip
	}
	return Raw
}

// LevelOf guesses the compression level of a stream.
func LevelOf(b []byte) int {
	if FramingOf(b) == Zlib {
		return [...]int{1, 5, 6, 9}[b[1]>>6]
	}
	return 6
}

// ErrRatio means that a stream inflates to more than its budget.
var ErrRatio = errors.New("the stream inflates to more than it may")

// Leftover means that N bytes follow the end of a stream.
type Leftover struct{ N int64 }

func (e Leftover) Error() string { return model.Words("%d bytes follow the end of the stream", e.N) }

// Corrupt is a stream that breaks at a position of the stored bytes; the decoder has read a few bytes beyond the fault.
type Corrupt struct {
	At  int64
	Err error
}

func (e Corrupt) Error() string { return e.Err.Error() }
func (e Corrupt) Unwrap() error { return e.Err }

var pool = sync.Pool{New: func() any { return flate.NewReader(bytes.NewReader(nil)) }}

// Reader opens a stream of any framing.
func Reader(f Framing, r *bytes.Reader) (io.ReadCloser, error) {
	switch f {
	case Zlib:
		return zlib.NewReader(r)
	case Gzip:
		z, err := gzip.NewReader(r)
		if err == nil {
			z.Multistream(false)
		}
		return z, err
	}
	z := pool.Get().(io.ReadCloser)
	z.(flate.Resetter).Reset(r, nil)
	return z, nil
}

// release returns the reader of a bare stream to the pool after use.
func release(f Framing, z io.ReadCloser) {
	if f == Raw {
		pool.Put(z)
	}
}

// Request says what to inflate.
type Request struct {
	Framing Framing
	Want    int64 // bytes that are taken
	Drop    int64 // further bytes that are counted but not kept
	Surplus int64 // how many bytes beyond all that are read to show them; they are held where nothing is dropped
	Exact   bool  // Want is what the stream is said to have, so memory for all of it is asked for at once
}

// Outcome is the result of inflating.
type Outcome struct {
	Err     error // the stream is damaged or ends early: a Corrupt, or the context's error
	More    bool  // the stream continues after the wanted bytes
	Spare   int64 // stored bytes after its end
	Dropped int64 // further bytes that were counted but not kept
}

// Into inflates a stream into buf, which it may grow. Output before damage is returned too.
func Into(ctx context.Context, buf, in []byte, q Request) (out []byte, how Outcome) {
	src := bytes.NewReader(in)
	z, err := Reader(q.Framing, src)
	if err != nil {
		return buf[:0], Outcome{Err: Corrupt{0, err}}
	}
	defer release(q.Framing, z)
	if size := q.room(int64(len(in))); int64(cap(buf)) < size {
		buf = make([]byte, 0, size)
	}
	out = buf[:0]
	for err == nil && int64(len(out)) < q.Want {
		if err = ctx.Err(); err != nil {
			return out, Outcome{Err: err}
		}
		if len(out) == cap(out) && len(out) >= mostGuessed && !q.Exact {
			n, _ := count(ctx, io.Discard, z, q.Want-int64(len(out)))
			q.Want = int64(len(out)) + n
			q.Exact, buf, out = true, nil, nil // it is in memory once, and not beside its first part
			return Into(ctx, nil, in, q)
		}
		if len(out) == cap(out) {
			out = slices.Grow(out, max(64<<10, min(len(out), mostGuessed-len(out))))
		}
		var n int
		n, err = z.Read(out[len(out):min(int64(cap(out)), q.Want, int64(len(out))+4<<20)])
		out = out[:len(out)+n]
	}
	if err == nil {
		out, err = q.beyond(z, out, &how)
	}
	if err != nil && err != io.EOF {
		how.Err = Corrupt{int64(len(in) - src.Len()), err}
	}
	how.Spare = int64(src.Len())
	return out, how
}

// room is how much memory is asked for first, for a stream of n bytes.
func (q Request) room(n int64) int64 {
	size := q.Want + min(q.Want/4, 1+q.Surplus) // so that a surplus does not move the whole buffer
	if !q.Exact {
		size = min(q.Want+1, max(4*n, min(8*n, 16<<20))+512) // a guess: short streams are often repetitive
	}
	return min(size, n*model.DeflateRatio)
}

// beyond reads what follows the wanted bytes: it counts what is dropped, otherwise the surplus is appended to out.
func (q Request) beyond(z io.Reader, out []byte, how *Outcome) (_ []byte, err error) {
	if q.Drop > 0 {
		if how.Dropped, err = io.CopyN(io.Discard, z, q.Drop); err != nil {
			return out, err
		}
	}
	more, err := q.more(z)
	how.More = len(more) > 0
	if q.Drop > 0 {
		how.Dropped += int64(len(more))
	} else if q.Surplus > 0 {
		out = append(out, more...)
	}
	return out, err
}

// more reads one byte beyond the requested ones, and the surplus after it; nothing if the stream ends.
func (q Request) more(z io.Reader) ([]byte, error) {
	one := make([]byte, 1)
	if n, err := z.Read(one); n == 0 {
		return nil, err
	}
	rest, err := io.ReadAll(io.LimitReader(z, q.Surplus))
	return append(one, rest...), err
}

// mostGuessed is how much of a stream of unknown length is inflated before counting the rest: moving the output costs as much as inflating it again.
const mostGuessed = 32 << 20

// count reads up to most bytes into w, and returns how many there are.
func count(ctx context.Context, w io.Writer, z io.Reader, most int64) (n int64, err error) {
	for err == nil && n < most && ctx.Err() == nil {
		var k int64
		k, err = io.CopyN(w, z, min(most-n, 4<<20))
		n += k
	}
	return n, err
}

// All inflates up to budget bytes. It returns the output so far with every error: Corrupt, Leftover, ErrRatio.
func All(ctx context.Context, f Framing, in []byte, budget int64) ([]byte, error) {
	out, how := Into(ctx, nil, in, Request{Framing: f, Want: budget})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case how.More:
		return out, ErrRatio
	case how.Err != nil:
		return out, how.Err
	case how.Spare > 0:
		return out, Leftover{how.Spare}
	}
	return out, nil
}

// Copy inflates a bare stream to w, up to a limit, and returns how many bytes there were, whether more follow, and whether the stream is whole.
func Copy(ctx context.Context, w io.Writer, from io.Reader, most int64) (n int64, more, ok bool) {
	z := pool.Get().(io.ReadCloser)
	z.(flate.Resetter).Reset(from, nil)
	defer release(Raw, z)
	var err error
	if n, err = count(ctx, w, z, most); err == nil {
		_, err = io.ReadFull(z, make([]byte, 1))
		more = err == nil
	}
	return n, more, err == nil || err == io.EOF
}

// Front inflates at most the first n bytes of a stream.
func Front(f Framing, in []byte, n int64) []byte {
	z, err := Reader(f, bytes.NewReader(in))
	if err != nil {
		return nil
	}
	defer release(f, z)
	out, _ := io.ReadAll(io.LimitReader(z, n))
	return out
}

// Deflate compresses with a framing and a level.
func Deflate(f Framing, level int, b []byte) ([]byte, error) {
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch f {
	case Zlib:
		w, err = zlib.NewWriterLevel(&out, level)
	case Gzip:
		w, err = gzip.NewWriterLevel(&out, level)
	default:
		if again, ok := writers[level+2].Get().(*flate.Writer); ok { // making one costs more than to compress a small block
			again.Reset(&out)
			w = again
		} else {
			w, err = flate.NewWriter(&out, level)
		}
	}
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err = w.Close(); f == Raw {
		writers[level+2].Put(w)
	}
	return out.Bytes(), err
}

// writers are reusable writers by level, which is at least -2.
var writers [12]sync.Pool

// Transform is the transform of a whole compressed section: it keeps framing and level. If the format has a limit of its own, the
// section inflates to at most most bytes and ratio times its own size, otherwise ErrRatio is returned; 0 means no limit.
func Transform(f Framing, level int, most, ratio int64) *model.Transform {
	bits := 0
	if f == Zlib {
		bits = 32
	}
	return &model.Transform{Name: fmt.Sprintf("deflate (%s)", f), SumBits: bits,
		Decode: func(ctx context.Context, in []byte, limit int64) ([]byte, error) {
			if most > 0 {
				limit = min(limit, most)
			}
			if ratio > 0 {
				limit = min(limit, int64(len(in))*ratio)
			}
			return All(ctx, f, in, limit)
		},
		Encode: func(_ context.Context, out []byte) ([]byte, error) { return Deflate(f, level, out) },
		Flips:  Flips(f),
	}
}

// Flips looks for the one wrong bit of a stream, as described at model.Transform; nil for gzip, whose frame has no fixed length.
func Flips(f Framing) func(ctx context.Context, in []byte, length int, accept func([]byte) bool, w *correct.Work) ([]correct.Change, error) {
	if f == Gzip {
		return nil
	}
	return func(ctx context.Context, in []byte, length int, accept func([]byte) bool, w *correct.Work) ([]correct.Change, error) {
		if !w.Take(int64(len(in))) {
			return nil, nil
		}
		s := correct.Stream{In: in, Zlib: f == Zlib, Length: length, Limit: max(1<<20, 64*len(in)), Accept: accept}
		found, err := s.Flip(ctx, nil)
		if f == Raw && len(found) == 1 {
			return beside(ctx, in, length, found[0], accept), ctx.Err()
		}
		return found, err
	}
}

// beside adds the other changes of the same byte that are also possible: without a checksum, one of them may be the right one.
func beside(ctx context.Context, in []byte, length int, c correct.Change, accept func([]byte) bool) []correct.Change {
	out := []correct.Change{c}
	if length < 0 || len(c.Xor) != 1 {
		return out
	}
	b := bytes.Clone(in)
	for xor := 1; xor < 256 && ctx.Err() == nil; xor++ {
		if byte(xor) == c.Xor[0] {
			continue
		}
		b[c.At] = in[c.At] ^ byte(xor)
		got, how := Into(ctx, nil, b, Request{Framing: Raw, Want: int64(length)})
		if how.Err == nil && !how.More && how.Spare == 0 && len(got) == length && (accept == nil || accept(got)) {
			out = append(out, correct.Change{At: c.At, Xor: []byte{byte(xor)}})
		}
	}
	return out
}
