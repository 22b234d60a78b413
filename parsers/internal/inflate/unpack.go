package inflate

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"spandrel/model"
)

// maxKept is how many inflated bytes are kept while an edit waits.
const maxKept = 64 << 20

// unpacked is what a stream holds, as a source: it is inflated again where it is read, so that it costs no memory. Reading forward is
// cheap, reading backward starts again.
type unpacked struct {
	framing Framing
	in      []byte
	n       int64

	mu sync.Mutex
	z  io.ReadCloser
	at int64
}

// Source opens a stream that inflates to at most most bytes, whatever its ratio; what it holds is kept when it is small. It fails
// where the stream is broken, longer, or followed by other bytes.
func Source(ctx context.Context, f Framing, in []byte, most int64) (model.Source, error) {
	if out, err := All(ctx, f, in, maxKept); err != ErrRatio {
		return model.Memory(out), err
	}
	u := &unpacked{framing: f, in: in}
	r := bytes.NewReader(in)
	z, err := Reader(f, r)
	if err != nil {
		return nil, err
	}
	switch u.n, err = io.Copy(io.Discard, io.LimitReader(z, most+1)); {
	case err != nil:
		return nil, err
	case u.n > most:
		return nil, fmt.Errorf("the stream inflates to more than %s bytes", model.Thousands(most))
	case r.Len() > 0:
		return nil, Leftover{int64(r.Len())}
	}
	return u, nil
}

// Len implements model.Source.
func (u *unpacked) Len() int64 { return u.n }

// ReadAt implements model.Source.
func (u *unpacked) ReadAt(p []byte, off int64) (n int, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if off >= u.n {
		return 0, io.EOF
	}
	if u.z == nil || off < u.at {
		if u.z, err = Reader(u.framing, bytes.NewReader(u.in)); err != nil {
			return 0, err
		}
		u.at = 0
	}
	skipped, err := io.CopyN(io.Discard, u.z, off-u.at)
	if u.at += skipped; err != nil {
		return 0, err
	}
	want := min(int64(len(p)), u.n-off)
	n, err = io.ReadFull(u.z, p[:want])
	if u.at += int64(n); err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}
