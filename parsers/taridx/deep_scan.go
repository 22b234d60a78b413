package taridx

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// scan checks rows as fast as they can be read, because a file of gigabytes has a hundred million. It checks what depends on two
// neighbors, and stops at a row that another rule may reject.
type scan struct {
	known uint64        // how many extensions there are
	exts  [1 << 16]bool // extensions that have a row
	fids  [1 << 16]bool // shards that have a row
	stems bool          // there are collision stems: rows without a collision id are checked too

	off, hash uint64 // of the previous row
	fid       uint16
	crash     uint32
	begun     bool
	ordered   bool  // rows are in (fid, offset) order so far
	runs      int64 // runs of rows with the same key
}

func (x *index) newScan() *scan {
	return &scan{known: uint64(len(x.exts)), stems: len(x.stems) > 0, ordered: true}
}

// scan returns how many rows at the start of b satisfy every rule about a single row.
func (s *scan) scan(b []byte) (n int) {
	if !s.begun || s.stems {
		return 0
	}
	le := binary.LittleEndian
	off, hash, fid, ordered, runs := s.off, s.hash, s.fid, s.ordered, s.runs
	exts, known := &s.exts, s.known
	if s.crash != 0 && le.Uint64(b[24:]) == hash {
		runs++ // keys with the same hash, but another collision id
	}
	rows := b
	for ; len(b) >= rowSize; b = b[rowSize:] {
		for len(b) >= 4*rowSize { // fast path: four rows of one shard in order, as nearly all are
			r := (*[4 * rowSize]byte)(b)
			o0, o1, o2, o3 := le.Uint64(r[2:]), le.Uint64(r[34:]), le.Uint64(r[66:]), le.Uint64(r[98:])
			if o0 < off || o1 < o0 || o2 < o1 || o3 < o2 || (o0|o1|o2|o3)&(tarfile.Block-1) != 0 {
				break
			}
			if le.Uint16(r[:]) != fid || le.Uint16(r[32:]) != fid || le.Uint16(r[64:]) != fid || le.Uint16(r[96:]) != fid {
				break
			}
			e0, e1, e2, e3 := le.Uint64(r[16:])>>16, le.Uint64(r[48:])>>16, le.Uint64(r[80:])>>16, le.Uint64(r[112:])>>16
			h0, h1, h2, h3 := le.Uint64(r[24:]), le.Uint64(r[56:]), le.Uint64(r[88:]), le.Uint64(r[120:])
			if max(e0, e1, e2, e3) >= known || mayReserve[h0>>52] || mayReserve[h1>>52] || mayReserve[h2>>52] || mayReserve[h3>>52] {
				break
			}
			exts[uint16(e0)], exts[uint16(e1)], exts[uint16(e2)], exts[uint16(e3)] = true, true, true, true
			runs += other(hash, h0) + other(h0, h1) + other(h1, h2) + other(h2, h3)
			off, hash, b = o3, h3, b[4*rowSize:]
		}
		if len(b) < rowSize {
			break
		}
		r := (*[rowSize]byte)(b)
		f, o, e, h := le.Uint16(r[:]), le.Uint64(r[2:]), le.Uint64(r[16:])>>16, le.Uint64(r[24:])
		if e >= known || o&(tarfile.Block-1) != 0 || mayReserve[h>>52] {
			break // e has the collision id above the extension, so it is below known only if the collision id is 0
		}
		exts[uint16(e)] = true
		if f != fid {
			s.fids[f] = true
			ordered = ordered && f > fid
		} else if o < off {
			ordered = false
		}
		runs += other(hash, h)
		off, hash, fid = o, h, f
	}
	if n = (len(rows) - len(b)) / rowSize; n > 0 {
		s.off, s.hash, s.fid, s.crash, s.ordered, s.runs = off, hash, fid, 0, ordered, runs
	}
	return n
}

// other is 1 for two different keys.
func other(a, b uint64) int64 {
	if a != b {
		return 1
	}
	return 0
}

// note processes a row, whatever the rules say about it.
func (s *scan) note(r entryRow) {
	s.exts[r.ext], s.fids[r.fid] = true, true
	if s.begun && (r.fid < s.fid || r.fid == s.fid && r.off < s.off) {
		s.ordered = false
	}
	if !s.begun || r.hash != s.hash || r.crash != s.crash {
		s.runs++
	}
	s.begun, s.off, s.hash, s.fid, s.crash = true, r.off, r.hash, r.fid, r.crash
}

// mayReserve tells for the first 12 bits of a hash whether a reserved hash, or that of a blank row, begins with them.
var mayReserve = func() (t [1 << 12]bool) {
	t[0] = true
	for h := range reservedHashes {
		t[h>>52] = true
	}
	return t
}()

// few is the number of items up to which sortFunc sorts on one core and without checking for cancellation.
const few = 1 << 15

// sortFunc sorts like slices.SortFunc, in place and on all cores. It stops with the context's error if it is cancelled: a hundred
// million keys take half a minute.
func sortFunc[T any](ctx context.Context, p *model.Probe, s []T, cmp func(a, b T) int) error {
	if len(s) <= few {
		slices.SortFunc(s, cmp)
		return ctx.Err()
	}
	n := halve(s, cmp)
	halves := [][]T{s[:n], s[n:]}
	return p.Each(ctx, "sorting", 2, func(ctx context.Context, p *model.Probe, i int64) error {
		return sortFunc(ctx, p, halves[i], cmp)
	})
}

// halve partitions items around a pivot, and returns where the second part begins: neither part is empty. The pivot is the
// median of a few random items, so that no file can choose it.
func halve[T any](s []T, cmp func(a, b T) int) int {
	var at [15]int
	for i := range at {
		at[i] = rand.IntN(len(s))
	}
	slices.SortFunc(at[:], func(i, j int) int { return cmp(s[i], s[j]) })
	s[0], s[at[7]] = s[at[7]], s[0]
	for middle, i, j := s[0], -1, len(s); ; s[i], s[j] = s[j], s[i] {
		for i++; cmp(s[i], middle) < 0; i++ {
		}
		for j--; cmp(s[j], middle) > 0; j-- {
		}
		if i >= j {
			return j + 1
		}
	}
}
