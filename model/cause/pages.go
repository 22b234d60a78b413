package cause

import (
	"bytes"
	"context"
	"hash/crc32"
	"math"
	"slices"

	"spandrel/model"
)

// Two pages of a disk, or parts of a transfer, in each other's place, where a decoder or a checksum tells which bytes are right: it is asked about every two
// without reading the document again.

const (
	leastPage   = 512
	mostPages   = 128       // of the bytes that one check covers
	mostChecked = 4         // places that are searched
	mostAsked   = 128 << 20 // bytes that are checked
)

// pageSizes are those of disks and memory, of the parts of transfers, and smaller ones.
var pageSizes = []int64{4096, 1 << 20, 1 << 19, 1 << 18, 1 << 17, 1 << 16, 1 << 15, 1 << 14, 1 << 13, 2048, 1024, leastPage}

// checked are bytes of a file that are known to be wrong, and what tells whether others would be right.
type checked struct {
	Place
	b    []byte
	bits float64 // of the checksums that would match; 0 if only the structure would
	fits func(ctx context.Context, b []byte) bool
}

// pagesExchanged tries to swap two pages of what a decoder or a checksum finds wrong.
func pagesExchanged(g *subject) {
	r := g.r
	list, left := wrongPlaces(r, g.name), int64(mostAsked)
	var trials []*trial
	for i := range list {
		for _, n := range pageSizes {
			trials = append(trials, list[i].swapped(r, n, list[i+1:], &left)...)
		}
	}
	for _, t := range trials {
		t.solved, t.unsure = len(trials) == 1 && t.chance < maxChance, len(trials) > 1
	}
	r.run(trials[:min(len(trials), maxOffered)])
}

// wrongPlaces are the bytes of a file that do not decode, or whose checksum does not match.
func wrongPlaces(r *search, file string) (out []checked) {
	for _, x := range append(undecoded(r), unmatched(r)...) {
		known := slices.ContainsFunc(out, func(c checked) bool { return c.Off == x.Off && c.Len == x.Len }) // two checksums of the same bytes
		c, err := r.base.snap.Content(x.File)
		if x.File != file || known || err != nil || x.Len < 2*leastPage || x.Len > maxExchanged || len(out) == mostChecked {
			continue
		}
		x.b = bytesAt(c, x.Off, x.Len)
		out = append(out, x)
	}
	return out
}

// undecoded are the places of bytes that do not decode, or decode to others than their checksum says.
func undecoded(r *search) (out []checked) {
	for _, sp := range r.base.tree.Spaces() {
		at, ok := packedAt(r.base.tree, sp)
		if !ok || r.base.packed[at] || sp.Declared() < 0 || sp.Declared() > maxTransform {
			continue
		}
		sum, bits := storedSum(r, sp), float64(sp.Transform.SumBits)
		if sum != nil {
			bits += 32
		}
		out = append(out, checked{Place: at, bits: bits, fits: func(ctx context.Context, b []byte) bool {
			out, err := sp.Transform.Decode(ctx, b, sp.Declared())
			return err == nil && int64(len(out)) == sp.Declared() && (sum == nil || crc32.ChecksumIEEE(out) == *sum)
		}})
	}
	return out
}

// unmatched are the places of bytes whose checksum, of the bytes as stored, does not match.
func unmatched(r *search) (out []checked) {
	for _, l := range storedSums(r.base.tree) {
		is, err := r.base.tree.Value(r.ctx, l.Field)
		if want, ok, bad := l.Want(r.ctx, r.base.tree); ok && bad == nil && err == nil && !want.Equal(is) {
			out = append(out, checked{Place: Place{File: l.at.File, Off: l.at.Off, Len: l.at.Len}, bits: 8 * float64(l.Field.Range.Len),
				fits: func(_ context.Context, b []byte) bool { return sumIs(l.Sum, b, is) }})
		}
	}
	return out
}

// sumIs tells whether bytes have a checksum.
func sumIs(s *model.Sum, b []byte, want model.Value) bool {
	h := s.New()
	h.Write(b)
	return s.Value(h).Equal(want)
}

// swapped are the swaps of two pages of n bytes with which the bytes are right: both are among them, or the second in one of other places. They begin at
// multiples of n in the file. left is how many bytes may still be checked.
func (c *checked) swapped(r *search, n int64, others []checked, left *int64) (out []*trial) {
	pages := c.pages(n)
	if len(pages) > mostPages {
		return nil
	}
	for i, at := range pages {
		a := page{at, c.b[at-c.Off:][:n]}
		partners := c.cut(pages[i+1:], n)
		for k := range others {
			partners = append(partners, others[k].cut(others[k].pages(n), n)...)
		}
		for _, b := range partners {
			if *left -= c.Len; *left < 0 || r.spend.over(0.5) {
				return out
			}
			if !bytes.Equal(a.b, b.b) && c.fits(r.ctx, c.with(a, b)) {
				t := c.swap(a, b)
				t.chance = float64(len(pages)*len(pages)) / math.Pow(2, c.bits)
				out = append(out, t)
			}
		}
	}
	return out
}

// page is some bytes of a file, and their place.
type page struct {
	at int64
	b  []byte
}

// cut are the pages of n bytes at some places.
func (c *checked) cut(places []int64, n int64) (out []page) {
	for _, at := range places {
		out = append(out, page{at, c.b[at-c.Off:][:n]})
	}
	return out
}

// with are the bytes with two pages swapped, of which the second may be elsewhere.
func (c *checked) with(a, b page) []byte {
	out := slices.Clone(c.b)
	if copy(out[a.at-c.Off:], b.b); b.at >= c.Off && b.at < c.Off+c.Len {
		copy(out[b.at-c.Off:], a.b)
	}
	return out
}

// pages are the offsets in the file of whole pages of n bytes.
func (c *checked) pages(n int64) (out []int64) {
	for at := (c.Off + n - 1) / n * n; at+n <= c.Off+c.Len; at += n {
		out = append(out, at)
	}
	return out
}

// swap is the trial that swaps two pages.
func (c *checked) swap(a, b page) *trial {
	n := int64(len(a.b))
	return &trial{kind: derived, op: swapPieces, under: c.Len, at: Place{File: c.File, Off: a.at, Len: n}, patches: []patch{{c.File, a.at, n, b.b}, {c.File, b.at, n, a.b}},
		text:     model.Words("Two pieces of %s are swapped: the %s bytes at 0x%x and at 0x%x.", c.File, model.Thousands(n), a.at, b.at),
		label:    model.Words("swap the %s bytes at 0x%x and 0x%x", model.Thousands(n), a.at, b.at),
		evidence: []string{"with them swapped, what checks these bytes finds them right"}}
}
