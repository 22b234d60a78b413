package cause

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDoubledAt: a piece that was written twice is found, and one of those of which the data consist is none.
func TestDoubledAt(t *testing.T) {
	r := rand.NewChaCha8([32]byte{7})
	some := func(n int) []byte { b := make([]byte, n); r.Read(b); return b }
	piece := some(512)
	for name, x := range map[string]struct {
		b    []byte
		want []int64
	}{
		"twice":   {slices.Concat(some(100), piece, piece, some(100)), []int64{612}},
		"tiled":   {slices.Concat(some(100), bytes.Repeat(piece, 5), some(100)), nil},
		"neither": {some(4096), nil},
		"filled":  {make([]byte, 4096), nil},
	} {
		if at := doubledAt(x.b, len(piece)); !slices.Equal(at, x.want) {
			t.Errorf("%s: %v, want %v", name, at, x.want)
		}
	}
}
