package cause

import (
	"math/rand/v2"
	"testing"

	"spandrel/model/evidence"
)

// TestStrangeness: bytes at the end of a file are strange where they are unlike the values in front of them, and not where those are too few to tell.
func TestStrangeness(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	make := func(n int, draw func(i int) byte) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = draw(i)
		}
		return b
	}
	any := func(int) byte { return byte(r.Uint32()) }
	low := func(i int) byte { return byte(r.IntN(16) * (1 - i%2)) } // small numbers of 16 bits
	text := func(int) byte { return byte('a' + r.IntN(26)) }
	for _, x := range []struct {
		name         string
		rest, values func(int) byte
		n, of        int
		strange      bool
	}{
		{"as uniform as the values", any, any, 64 << 10, 64 << 10, false},
		{"as uniform as a few values", any, any, 2000, 2000, false},
		{"small numbers behind small numbers", low, low, 64 << 10, 64 << 10, false},
		{"text behind small numbers", text, low, 100, 4000, true},
		{"noise behind small numbers", any, low, 100, 4000, true},
		{"small numbers behind noise", low, any, 100, 4000, true},
	} {
		bits := strangeness(make(x.n, x.rest), make(x.of, x.values), 2, int64(x.of))
		if is := bits >= evidence.ProvenMargin; is != x.strange {
			t.Errorf("%s: %.1f bits", x.name, bits)
		}
	}
}
