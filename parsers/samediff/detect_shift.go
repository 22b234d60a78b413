package samediff

import (
	"cmp"
	"hash/crc32"
	"slices"

	"spandrel/model"
)

// If bytes are missing inside a section, or surplus, the sections after it are displaced: they are found by their own
// headers, and tell how long the file should be.

const (
	maxShifted = 4 << 20   // largest container to search for them
	maxWalked  = 256 << 20 // bytes walked from possible starts of a section
)

// findShifted looks for the sections after one whose length does not match its bytes. A walk over the records is enough if it finds as
// many as the HEADER counts.
func findShifted(c *model.Cursor, k *container) {
	n, end := len(k.recs), c.Base()+c.Size()
	if k.layout.code != "R1" || n == 0 || c.Size() > maxShifted || k.state == atEnd && (k.count <= 0 || int64(n) == k.count) {
		return
	}
	known := map[int64]bool{}
	for i := range k.recs {
		known[k.recs[i].at] = true
	}
	owners := k.recs
	if r, ok := stated(c, &k.framing, k.recs[n-1].end()); ok {
		owners = append(owners[:n:n], r)
	}
	left := int64(maxWalked)
	for from := end - k.layout.head; from > k.recs[0].data; from-- {
		if known[from] {
			continue
		}
		i, _ := slices.BinarySearchFunc(owners, from+1, func(r record, at int64) int { return cmp.Compare(r.data, at) })
		if more, sound := following(c, &k.framing, from, &left); more == 0 || !sound && int64(i+more) != k.count {
			continue
		}
		k.whole, k.torn = c.Size()+owners[i-1].end()-from, owners[i-1].typ
		if k.whole != c.Size() {
			return
		}
	}
}

// stated is the possible record at an offset, with its stated length.
func stated(c *model.Cursor, k *framing, at int64) (r record, ok bool) {
	b := c.PeekAt(at, k.layout.head)
	if int64(len(b)) < k.layout.head {
		return r, false
	}
	r, _ = k.layout.record(b, at, 0, k.order)
	return r, r.known() && r.size >= 0 && plausible(r.size, c.Size())
}

// following is how many sections of known types begin at an offset, of which the last ends where the file does, and whether their checksums match. left is how
// many bytes may still be walked.
func following(c *model.Cursor, k *framing, at int64, left *int64) (n int, sound bool) {
	end := c.Base() + c.Size()
	if r, ok := stated(c, k, at); !ok || r.sum == 0 || r.end() > end {
		return 0, false
	}
	if *left -= end - at; *left < 0 {
		return 0, false
	}
	recs, state := k.walk(c, at, k.layout, k.order, true)
	if state != atEnd {
		return 0, false
	}
	sound = true
	for _, r := range recs {
		b := c.PeekAt(r.data, r.size+r.sum)
		if r.typ > shardInfo || r.sum == 0 || int64(len(b)) < r.size+r.sum {
			return 0, false
		}
		sound = sound && k.order.Uint32(b[r.size:]) == crc32.ChecksumIEEE(b[:r.size])
	}
	return len(recs), sound
}

// plausible tells whether a file of a size may have been truncated from one with the stated length: a length thousands of times larger
// is a wrong number.
func plausible(says, size int64) bool { return says <= 1000*max(size, 1<<10) }
