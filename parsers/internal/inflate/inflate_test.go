package inflate

import (
	"bytes"
	"context"
	"errors"
	"testing"
)

var plain = bytes.Repeat([]byte("the quick brown fox jumps over the lazy dog, again; "), 400)

func TestFramings(t *testing.T) {
	for _, f := range []Framing{Raw, Zlib, Gzip} {
		z, err := Deflate(f, 6, plain)
		if err != nil {
			t.Fatal(err)
		}
		if f != Raw && FramingOf(z) != f {
			t.Errorf("%s is taken for %s", f, FramingOf(z))
		}
		out, err := All(context.Background(), f, z, int64(len(plain)))
		if err != nil || !bytes.Equal(out, plain) {
			t.Errorf("%s: %d bytes, %v", f, len(out), err)
		}
		if out, err = All(context.Background(), f, z, 100); err != ErrRatio || len(out) != 100 {
			t.Errorf("%s over budget: %d bytes, %v", f, len(out), err)
		}
		var left Leftover
		if _, err = All(context.Background(), f, append(bytes.Clone(z), 1, 2, 3), 1<<20); !errors.As(err, &left) || left.N != 3 {
			t.Errorf("%s with 3 bytes behind: %v", f, err)
		}
		var broken Corrupt
		if out, err = All(context.Background(), f, z[:len(z)/2], 1<<20); !errors.As(err, &broken) || len(out) == 0 {
			t.Errorf("%s cut: %d bytes, %v", f, len(out), err)
		}
		if b := Front(f, z, 9); string(b) != "the quick" {
			t.Errorf("%s begins with %q", f, b)
		}
	}
}

func TestInto(t *testing.T) {
	z, _ := Deflate(Raw, 6, plain)
	out, how := Into(context.Background(), nil, append(bytes.Clone(z), 7, 7), Request{Want: int64(len(plain)), Exact: true})
	if how.Err != nil || how.More || how.Spare != 2 || !bytes.Equal(out, plain) {
		t.Errorf("exact: %d bytes, %+v", len(out), how)
	}
	out, how = Into(context.Background(), out, z, Request{Want: 10, Surplus: 5})
	if !how.More || len(out) != 16 {
		t.Errorf("surplus: %d bytes, %+v", len(out), how)
	}
	out, how = Into(context.Background(), out, z, Request{Want: 10, Drop: 100, Surplus: 5})
	if how.Dropped != 106 || len(out) != 10 {
		t.Errorf("dropped: %d bytes, %+v", len(out), how)
	}
	if out, how = Into(context.Background(), nil, []byte{3, 0}, Request{Want: 1 << 40, Exact: true}); cap(out) > 1<<20 || how.Err != nil {
		t.Errorf("%d bytes were asked for a stream of two: %+v", cap(out), how)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := All(ctx, Raw, z, 1<<20); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// A long stream of which no one says how long it is takes the memory of its bytes, and no more.
func TestUnknownLength(t *testing.T) {
	const n = mostGuessed + 5<<20
	z, _ := Deflate(Raw, 1, make([]byte, n))
	if out, how := Into(context.Background(), nil, z, Request{Want: 8 * n}); len(out) != n || cap(out) > n+1<<16 || how.Err != nil || how.More || how.Spare != 0 {
		t.Errorf("%d bytes in a buffer of %d, want %d: %+v", len(out), cap(out), n, how)
	}
	if out, how := Into(context.Background(), nil, z[:len(z)-9], Request{Want: 8 * n}); len(out) < mostGuessed || how.Err == nil {
		t.Errorf("cut: %d bytes, %+v", len(out), how)
	}
}

// A byte that is wrong in several bits is not put right by another value of it as if it were the only one: nothing but the length tells.
func TestFlipsBeside(t *testing.T) {
	var values []byte
	for i := range 200 {
		values = append(values, byte(i*i), byte(i>>3), 0, 0)
	}
	z, _ := Deflate(Raw, 6, values)
	wrong, unsure := 0, 0
	for at := 2; at < len(z)-1; at += 3 {
		for _, xor := range []byte{0x64, 0x13, 0xb0, 0x0f} {
			broken := bytes.Clone(z)
			broken[at] ^= xor
			if out, how := Into(context.Background(), nil, broken, Request{Want: int64(len(values))}); how.Err == nil && !how.More && how.Spare == 0 && len(out) == len(values) {
				continue // nothing tells that it is wrong
			}
			found, err := Flips(Raw)(context.Background(), broken, len(values), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(found) > 1 {
				unsure++
			}
			if len(found) == 1 && found[0].At == int64(at) && found[0].Xor[0] != xor {
				wrong++
			}
		}
	}
	if wrong > 0 || unsure == 0 {
		t.Errorf("%d bytes are given one wrong value, %d several", wrong, unsure)
	}
}
