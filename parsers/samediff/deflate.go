package samediff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"spandrel/model"
)

// Limits of inflating (section 2.1, H-12).
const (
	maxRatio    = 100
	maxInflated = 10 << 30
)

// errSDRatio says that a stream inflates to more than its budget, and leftover that bytes follow its end.
var errSDRatio = errors.New("the stream inflates to more than 100 times its size")

type leftover struct{ n int64 }

func (e leftover) Error() string { return fmt.Sprintf("%d bytes follow the end of the stream", e.n) }

// corrupt is a stream that breaks at a position of the stored bytes.
type corrupt struct {
	at  int64
	err error
}

func (e corrupt) Error() string { return e.err.Error() }
func (e corrupt) Unwrap() error { return e.err }

// framingOf tells how a deflate stream is wrapped: zlib, gzip or raw.
func framingOf(b []byte) string {
	switch {
	case len(b) >= 2 && b[0]&15 == 8 && b[0]>>4 <= 7 && (int(b[0])<<8|int(b[1]))%31 == 0:
		return "zlib"
	case len(b) >= 2 && b[0] == 0x1f && b[1] == 0x8b:
		return "gzip"
	}
	return "raw"
}

// levelOf guesses the level that a zlib stream was made with (section 5.2).
func levelOf(b []byte) int {
	if framingOf(b) == "zlib" {
		return [...]int{1, 5, 6, 9}[b[1]>>6]
	}
	return 6
}

// reader opens a stream of any framing.
func reader(framing string, r *bytes.Reader) (io.ReadCloser, error) {
	switch framing {
	case "zlib":
		return zlib.NewReader(r)
	case "gzip":
		z, err := gzip.NewReader(r)
		if err == nil {
			z.Multistream(false)
		}
		return z, err
	}
	return flate.NewReader(r), nil
}

// inflate is the transform of a compressed section: it keeps the framing and the level.
func inflate(framing string, level int) *model.Transform {
	return &model.Transform{Name: "deflate (" + framing + ")",
		Decode: func(ctx context.Context, in []byte, limit int64) ([]byte, error) {
			return inflateAll(ctx, framing, in, min(limit, maxInflated, int64(len(in))*maxRatio))
		},
		Encode: func(out []byte) ([]byte, error) { return deflate(framing, level, out) },
	}
}

// inflateAll inflates up to budget bytes. It returns what it has with every error.
func inflateAll(ctx context.Context, framing string, in []byte, budget int64) ([]byte, error) {
	r := bytes.NewReader(in)
	z, err := reader(framing, r)
	if err != nil {
		return nil, corrupt{0, err}
	}
	out := make([]byte, 0, min(budget+1, int64(len(in))*8, 16<<20))
	for {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(out) == cap(out) {
			grow := max(64<<10, len(out)) // copying costs as much as inflating what repeats
			if grow > 32<<20 {
				grow /= 4
			}
			out = slices.Grow(out, grow)
		}
		room := out[len(out):cap(out)]
		n, err := z.Read(room[:min(len(room), 4<<20)])
		if out = out[:len(out)+n]; int64(len(out)) > budget {
			return out[:budget], errSDRatio
		}
		switch {
		case err == io.EOF && r.Len() > 0:
			return out, leftover{int64(r.Len())}
		case err == io.EOF:
			return out, nil
		case err != nil:
			return out, corrupt{int64(len(in) - r.Len()), err}
		}
	}
}

// deflateFront inflates at most the first n bytes of a stream.
func deflateFront(framing string, in []byte, n int64) []byte {
	z, err := reader(framing, bytes.NewReader(in))
	if err != nil {
		return nil
	}
	out, _ := io.ReadAll(io.LimitReader(z, n))
	return out
}

// deflate compresses with a framing at a level.
func deflate(framing string, level int, b []byte) ([]byte, error) {
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch framing {
	case "zlib":
		w, err = zlib.NewWriterLevel(&out, level)
	case "gzip":
		w, err = gzip.NewWriterLevel(&out, level)
	default:
		w, err = flate.NewWriter(&out, level)
	}
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}
