package cause

import (
	"encoding/binary"
	"math/rand"
	"testing"
)

// rising is numbers of 32 bits that rise.
func rising(n int) (b []byte) {
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(3*i))
	}
	return b
}

// TestUnlikely finds sectors of other bytes in a file of numbers, and none in the file itself.
func TestUnlikely(t *testing.T) {
	for _, k := range []struct{ from, n int64 }{{0, 0}, {1536, 512}, {4096, 4096}} {
		b := rising(8192)
		rand.New(rand.NewSource(1)).Read(b[k.from : k.from+k.n])
		if from, to := (disk{&glance{b: b, all: true}}).unlikely(); from != k.from || to-from != k.n {
			t.Errorf("%d bytes at %d: found %d bytes at %d", k.n, k.from, to-from, from)
		}
	}
}

// TestBesides finds the sectors that structures side by side lie in, and none where they lie apart, are few, or go on to the end.
func TestBesides(t *testing.T) {
	for _, k := range []struct {
		spots    [][2]int64
		from, to int64
	}{
		{[][2]int64{{900, 1100}, {1100, 1300}, {1300, 1600}}, 1024, 1536},
		{[][2]int64{{900, 1100}, {1100, 1300}}, -1, 0},
		{[][2]int64{{900, 1100}, {1100, 1300}, {3000, 3300}}, -1, 0},
		{[][2]int64{{9000, 9400}, {9400, 9700}, {9700, 10000}}, -1, 0},
	} {
		if from, to := besides(k.spots, 10_000); from != k.from || k.from >= 0 && to != k.to {
			t.Errorf("%v: %d to %d, want %d to %d", k.spots, from, to, k.from, k.to)
		}
	}
}
