package taridx

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"spandrel/model"
)

// TestTaridxScan compares the fast way over rows with the one that looks at each, on rows of which many are in doubt.
func TestTaridxScan(t *testing.T) {
	x := &index{exts: []string{"a", "b", "c"}}
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		n := rnd.IntN(40)
		b := make([]byte, n*rowSize)
		fast, slow := x.newScan(), x.newScan()
		for i := range n {
			r, le := b[i*rowSize:], binary.LittleEndian
			le.PutUint16(r, uint16(rnd.IntN(2)+i/20))
			le.PutUint64(r[2:], uint64(i*512+rnd.IntN(3)/2*512*rnd.IntN(3)+rnd.IntN(20)/19))
			le.PutUint16(r[18:], uint16(rnd.IntN(3)+rnd.IntN(20)/19))
			le.PutUint32(r[20:], uint32(rnd.IntN(10)/9))
			le.PutUint64(r[24:], []uint64{7, 8, 0xef46db3751d8e999}[rnd.IntN(20)/9])
			slow.note(decode(r))
		}
		for rest := b; len(rest) > 0; {
			if k := fast.scan(rest); k > 0 {
				for ; k > 0; k, rest = k-1, rest[rowSize:] {
					if r := decode(rest); r.off%512 != 0 || int(r.ext) >= len(x.exts) || r.crash != 0 || reservedHashes[r.hash] != "" {
						t.Fatalf("seed %d: a row in doubt was passed over: %v", seed, r)
					}
				}
				continue
			}
			fast.note(decode(rest))
			rest = rest[rowSize:]
		}
		if *fast != *slow {
			t.Fatalf("seed %d: runs %d and %d, ordered %v and %v", seed, fast.runs, slow.runs, fast.ordered, slow.ordered)
		}
	}
}

// TestTaridxApart compares the fast way over members that follow each other with the ends of each.
func TestTaridxApart(t *testing.T) {
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		b := make([]byte, 20*rowSize)
		for i := range 20 {
			r, le := b[i*rowSize:], binary.LittleEndian
			le.PutUint16(r, uint16(i/7))
			le.PutUint64(r[2:], uint64(i*1024+rnd.IntN(30)/29*100))
			le.PutUint64(r[10:], uint64(512-rnd.IntN(30)/29)+uint64(rnd.IntN(40)/39)<<63<<(rnd.IntN(2)))
		}
		first := extentOf(b, 0)
		n := first.apart(b[rowSize:])
		for i, prev := 1, first; i < 20; i++ {
			e := extentOf(b[i*rowSize:], int64(i))
			clear := (e.off|e.size)>>62 == 0 && (e.fid != prev.fid || e.off >= prev.end())
			if want := i <= n; clear != want {
				t.Fatalf("seed %d: row %d is apart: %v; %d rows passed over", seed, i, clear, n)
			} else if !want {
				break
			}
			prev = e
		}
	}
}

// TestTaridxCancel cancels sorting in its middle: it ends soon, not when all is sorted.
func TestTaridxCancel(t *testing.T) {
	keys := make([]uint64, 500_000)
	for i := range keys {
		keys[i] = rand.Uint64()
	}
	ctx, cancel := context.WithCancel(context.Background())
	var calls atomic.Int64
	err := sortFunc(ctx, &model.Probe{}, keys, func(a, b uint64) int {
		if calls.Add(1) == 200_000 {
			cancel()
		}
		return cmp.Compare(a, b)
	})
	if n := calls.Load(); !errors.Is(err, context.Canceled) || n > 2_000_000 { // all are 10,000,000
		t.Errorf("%v after %d comparisons", err, n)
	}
	if err := sortFunc(context.Background(), &model.Probe{}, keys[:100_000], cmp.Compare); err != nil || !slices.IsSorted(keys[:100_000]) {
		t.Error(err, "not sorted")
	}
}
