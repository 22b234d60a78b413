package correct

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"math/rand"
	"testing"
)

func message(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	r.Read(b)
	return b
}

// TestCRCByte changes every byte of short messages, and some of a long one, and wants each found and nothing else where nothing
// else can be.
func TestCRCByte(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, c := range []struct {
		*CRC
		table *crc32.Table
	}{{IEEE, crc32.IEEETable}, {NewCRC(crc32.MakeTable(crc32.Castagnoli)), crc32.MakeTable(crc32.Castagnoli)}} {
		for _, n := range []int{1, 2, 3, 4, 5, 100, 1 << 20} {
			b := message(r, n)
			want := crc32.Checksum(b, c.table)
			for k := range min(n, 100) {
				at := k
				if n > 100 {
					at = r.Intn(n)
				}
				e := byte(1 + r.Intn(255))
				b[at] ^= e
				found, err := c.Byte(context.Background(), int64(n), want, crc32.Checksum(b, c.table))
				b[at] ^= e
				if err != nil || len(found) == 0 || n < 1000 && len(found) > 1 {
					t.Fatalf("%d bytes: %v %v", n, found, err)
				}
				ok := false
				for _, f := range found {
					ok = ok || f.At == int64(at) && f.Xor[0] == e
				}
				if !ok {
					t.Fatalf("%d bytes, %d ^ %x: %v", n, at, e, found)
				}
			}
		}
	}
	if found, _ := IEEE.Byte(context.Background(), 10, 7, 7); found != nil {
		t.Error("a message that is right was changed", found)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := IEEE.Byte(ctx, 1<<20, 1, 2); err == nil {
		t.Error("a cancelled search says nothing")
	}
}

// A change of two neighbouring bytes of a short message is found; of a long one chance has others, and it says so.
func TestCRCBurst(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 200 {
		b := message(r, 20+r.Intn(60))
		x := []byte{1<<7 | byte(r.Intn(256)), 1 | byte(r.Intn(2))}
		bad := Change{int64(r.Intn(len(b) - 1)), x}.Apply(b)
		c, chance, err := IEEE.Burst(context.Background(), int64(len(b)), crc32.ChecksumIEEE(b), crc32.ChecksumIEEE(bad))
		if err != nil || chance > 0.01 || !bytes.Equal(c.Apply(bad), b) {
			t.Fatalf("%d bytes: %v by a chance of %g, %v", len(b), c, chance, err)
		}
	}
	for range 20 {
		b := message(r, 1<<16)
		bad := Change{int64(r.Intn(len(b) - 3)), message(r, 4)}.Apply(b)
		c, chance, err := IEEE.Burst(context.Background(), int64(len(b)), crc32.ChecksumIEEE(b), crc32.ChecksumIEEE(bad))
		if back := c.Apply(bad); err != nil || len(c.Xor) > 0 && crc32.ChecksumIEEE(back) != crc32.ChecksumIEEE(b) || chance < 0.01 && !bytes.Equal(back, b) {
			t.Fatalf("%v by a chance of %g, %v", c, chance, err)
		}
	}
}

// content is text, numbers and noise of n bytes.
func content(r *rand.Rand, kind string, n int) []byte {
	var b bytes.Buffer
	for b.Len() < n {
		switch kind {
		case "text":
			fmt.Fprintf(&b, "row %d has name_%d, ", r.Intn(1000), r.Intn(50))
		case "ints":
			b.Write([]byte{byte(r.Intn(20)), byte(r.Intn(3)), 0, 0})
		default:
			b.WriteByte(byte(r.Intn(256)))
		}
	}
	return b.Bytes()[:n]
}

func deflated(t *testing.T, b []byte, level int, frame bool) []byte {
	var out bytes.Buffer
	if frame {
		w, err := zlib.NewWriterLevel(&out, level)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(b)
		w.Close()
	} else {
		w, err := flate.NewWriter(&out, level)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(b)
		w.Close()
	}
	return out.Bytes()
}

// TestInflate compares the decoder with the standard library's, on sound streams and on damaged ones.
// inflateAll decodes a bare deflate stream to at most limit bytes. It returns what there was before an error, and how many bytes of
// in were used when there was none.
func inflateAll(in []byte, limit int) (out []byte, used int, err error) {
	f := &inflater{in: in, limit: limit}
	for err == nil && (f.inside || !f.final) {
		if f.inside {
			err = f.symbol()
		} else {
			err = f.header()
		}
	}
	return f.out, (f.bit + 7) / 8, err
}

func TestInflate(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for _, kind := range []string{"text", "ints", "noise"} {
		for _, level := range []int{flate.NoCompression, flate.HuffmanOnly, 1, 6, 9} {
			for _, n := range []int{0, 1, 300, 70_000} {
				b := content(r, kind, n)
				in := deflated(t, b, level, false)
				out, used, err := inflateAll(in, n)
				if err != nil || used != len(in) || !bytes.Equal(out, b) {
					t.Fatalf("%s %d, level %d: %d bytes, %d of %d used, %v", kind, n, level, len(out), used, len(in), err)
				}
				for range 8 * rounds() {
					bad := bytes.Clone(in)
					bad[r.Intn(len(bad))] ^= 1 << r.Intn(8)
					out, _, err := inflateAll(bad, 1<<20)
					var want bytes.Buffer
					_, werr := want.ReadFrom(flate.NewReader(bytes.NewReader(bad)))
					if (err == nil) != (werr == nil) || err == nil && !bytes.Equal(out, want.Bytes()) {
						t.Fatalf("%s %d, level %d, damaged: %v, and %v by the standard library", kind, n, level, err, werr)
					}
				}
			}
		}
	}
}

// rounds is how many bits are flipped: each costs seconds under the race detector.
func rounds() int {
	if testing.Short() {
		return 2
	}
	return 12
}

// TestFlip flips a bit of zlib streams: the true one must always be found, and mostly alone.
func TestFlip(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	alone, all := 0, 0
	for _, kind := range []string{"text", "ints", "noise"} {
		for _, n := range []int{1, 200, 3000} {
			b := content(r, kind, n)
			in := deflated(t, b, 6, true)
			for range rounds() {
				bad := bytes.Clone(in)
				bit := r.Intn(8 * len(bad))
				bad[bit/8] ^= 1 << (bit % 8)
				for _, length := range []int{n, -1} {
					s := &Stream{In: bad, Zlib: true, Length: length, Limit: 1 << 16}
					found, err := s.Flip(context.Background(), nil)
					if err != nil {
						t.Fatal(err)
					}
					right := false
					for _, c := range found {
						right = right || bytes.Equal(c.Apply(bad), in)
					}
					if !right {
						t.Fatalf("%s %d, bit %d of %d: %v", kind, n, bit, 8*len(bad), found)
					}
					if all++; len(found) == 1 {
						alone++
					}
				}
			}
		}
	}
	t.Logf("alone in %d of %d", alone, all)
	if alone*10 < all*9 {
		t.Errorf("the right bit is alone in %d of %d only", alone, all)
	}
}

// TestFlipByte changes several bits of one byte of short streams.
func TestFlipByte(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	alone, all := 0, 0
	for _, kind := range []string{"text", "ints", "noise"} {
		b := content(r, kind, 200)
		in := deflated(t, b, 6, true)
		for range rounds() {
			bad := bytes.Clone(in)
			at := 2 + r.Intn(len(bad)-2) // the second byte of the frame has several values
			bad[at] ^= byte(3 + 4*r.Intn(64))
			found, err := (&Stream{In: bad, Zlib: true, Length: len(b)}).Flip(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if all++; len(found) == 1 {
				alone++
			}
			right := false
			for _, c := range found {
				right = right || bytes.Equal(c.Apply(bad), in)
			}
			if !right {
				t.Fatalf("%s, byte %d of %d: %v", kind, at, len(bad), found)
			}
		}
	}
	t.Logf("alone in %d of %d", alone, all)
	if alone*10 < all*9 {
		t.Errorf("the right byte is alone in %d of %d only", alone, all)
	}
}

// TestFlipAccept searches bare streams, where length and content alone tell.
func TestFlipAccept(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	b := content(r, "text", 2000)
	in := deflated(t, b, 6, false)
	for range rounds() {
		bad := bytes.Clone(in)
		bit := r.Intn(8 * len(bad))
		bad[bit/8] ^= 1 << (bit % 8)
		s := &Stream{In: bad, Length: len(b), Accept: func(out []byte) bool { return bytes.Equal(out, b) }}
		found, err := s.Flip(context.Background(), func(done, total int64) {
			if done > total {
				t.Error("progress beyond the end")
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		right := false
		for _, c := range found {
			right = right || bytes.Equal(c.Apply(bad), in)
		}
		if !right {
			t.Fatalf("bit %d: %v", bit, found)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (&Stream{In: in, Length: 1}).Flip(ctx, nil); err == nil {
		t.Error("a cancelled search says nothing")
	}
}

func BenchmarkCRCByte(b *testing.B) {
	for b.Loop() {
		IEEE.Byte(context.Background(), 1<<20, 1, 2)
	}
}

func BenchmarkFlip(b *testing.B) {
	r := rand.New(rand.NewSource(8))
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(content(r, "text", 20000))
	w.Close()
	in := out.Bytes()
	in[len(in)/2] ^= 4
	b.Log(len(in))
	for b.Loop() {
		(&Stream{In: in, Zlib: true, Length: 20000}).Flip(context.Background(), nil)
	}
}

// TestDigest: the wrong bit under a digest is found, a wrong byte of a short message too, and nothing in one that is too long for the work that is left.
func TestDigest(t *testing.T) {
	for _, x := range []struct {
		n    int
		xor  byte
		left *Work
		want int
	}{{300, 0x10, nil, 1}, {300, 0x3c, nil, 1}, {3000, 0x10, Upto(1500), 1}, {3000, 0x3c, nil, 0}, {3002, 0x10, Upto(1500), 0}} {
		message := make([]byte, x.n)
		want := sha256.Sum256(message)
		message[x.n/2] ^= x.xor
		found := Digest(t.Context(), sha256.New, message, want[:], x.left)
		if len(found) != x.want || len(found) > 0 && (found[0].At != int64(x.n/2) || found[0].Xor[0] != x.xor) {
			t.Errorf("%d bytes, %#x: %v", x.n, x.xor, found)
		}
	}
}
