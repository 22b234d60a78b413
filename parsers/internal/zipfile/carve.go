package zipfile

import (
	"bytes"
	"context"
	"hash/crc32"
	"math"

	"spandrel/parsers/internal/inflate"
)

// maxCarve is how far the end of a member of unknown length is searched for; step is how far a search looks ahead at once, and stride at first.
const (
	maxCarve = 256 << 20
	step     = 1 << 20
	stride   = 512
	mostEnds = 1 << 20 // descriptors that are noted
)

// carver reads an archive from front to back. There may be very many headers that belong to no member, so that nothing is searched again for each.
type carver struct {
	at    func(off, n int64) []byte
	size  int64
	ends  map[int64]int64 // the descriptors before seen, by where the data of the member that they describe begins
	seen  int64
	spent int64 // bytes of streams that did not end
}

// Carve finds the members of an archive without its directory, by their local headers. If a header does not state the length of its
// member, the data is inflated to find the end, or the descriptor after it is searched for. A member that does not end is torn, and has the data that
// exists. What cannot be a member is skipped.
func Carve(ctx context.Context, at func(off, n int64) []byte, size int64) (out []*Member) {
	x := &carver{at: at, size: size, ends: map[int64]int64{}}
	x.walk(ctx, func(m *Member) int64 {
		m.look(at)
		out = append(out, m)
		return m.End()
	})
	return out
}

// walk passes the members from front to back to see, which returns where to look for the next one.
func (x *carver) walk(ctx context.Context, see func(m *Member) (next int64)) {
	seen := 0
	for off := x.next(0, x.size); off >= 0 && seen < MaxMembers && ctx.Err() == nil; {
		if m := x.member(ctx, off); m == nil {
			off += 4
		} else {
			off = see(m)
			seen++
		}
		off = x.next(off, x.size)
	}
}

// next is the first place from off on where a local header may begin, or -1.
func (x *carver) next(off, end int64) int64 {
	for n := int64(stride); off < end; n = min(4*n, step) {
		w := x.at(off, min(n, end-off))
		if i := bytes.Index(w, []byte("PK\x03\x04")); i >= 0 {
			return off + int64(i)
		}
		if int64(len(w)) < min(n, end-off) || len(w) < 4 {
			break
		}
		off += int64(len(w)) - 3
	}
	return -1
}

// member reads the member whose local header stands at an offset, or nil.
func (x *carver) member(ctx context.Context, off int64) *Member {
	at, size := x.at, x.size
	h := at(off, localSize)
	if len(h) < localSize || !signed(h, localSignature) {
		return nil
	}
	n, extra := u16(h[26:]), u16(h[28:])
	m := &Member{Name: string(at(off+localSize, n)), Flags: uint16(u16(h[6:])), Method: uint16(u16(h[8:])), CRC: uint32(u32(h[14:])), Packed: u32(h[18:]), Size: u32(h[22:]),
		local: off, dataAt: off + localSize + n + extra, Found: true, stamp: uint32(u32(h[10:])), here: statedBy(h[4:]), headName: n, headExtra: extra}
	m.zip64(at(off+localSize+n, extra))
	if int64(len(m.Name)) < n || m.dataAt > size || m.Method > 99 {
		return nil
	}
	if m.Packed < 0 || m.Size < 0 {
		return nil
	}
	if m.Packed > size-m.dataAt || m.Flags&hasDescriptor != 0 && m.Packed == 0 && !x.behind(ctx, m) {
		m.said, m.Packed, m.Torn = m.Packed, size-m.dataAt, true // the archive was cut in it
		if next := x.next(m.dataAt, min(size, m.dataAt+maxCarve)); next >= 0 {
			m.Packed = next - m.dataAt
		}
		if m.Method == 8 && m.Size == 0 {
			m.Size, _, _, _ = inflated(ctx, at(m.dataAt, m.Packed))
		}
	}
	return m
}

// behind finds the end of a member whose sizes are in a descriptor after it.
func (x *carver) behind(ctx context.Context, m *Member) bool {
	if m.Method == 8 {
		return x.inflates(ctx, m)
	}
	p, ok := x.descriptor(m.dataAt)
	if !ok {
		return false
	}
	d := x.at(p, 24)
	m.Packed, m.CRC = u32(d[8:]), uint32(u32(d[4:]))
	if m.Size = m.Packed; m.described(d) && m.descriptor == 16 {
		m.Size = u32(d[12:])
	}
	return true
}

// descriptor is the place of the first descriptor of data that begin at an offset.
func (x *carver) descriptor(data int64) (p int64, ok bool) {
	for x.seen = max(x.seen, data); ; {
		if p, ok = x.ends[data]; ok || x.seen >= x.size || x.seen-data >= maxCarve || len(x.ends) > mostEnds {
			return p, ok
		}
		w := x.at(x.seen, step)
		x.note(w)
		x.seen += max(1, int64(len(w))-3)
	}
}

// note notes the descriptors in a window of the file that begins where it was not looked at yet, by where their data begin.
func (x *carver) note(w []byte) {
	for i := 0; ; i += 4 {
		k := bytes.Index(w[i:], []byte("PK\x07\x08"))
		if k < 0 {
			return
		}
		i += k
		at := x.seen + int64(i)
		if d := x.at(at, 16); len(d) == 16 {
			if of := at - u32(d[8:]); x.ends[of] == 0 {
				x.ends[of] = at
			}
		}
	}
}

// inflates finds the end of a member by decoding its deflate stream.
func (x *carver) inflates(ctx context.Context, m *Member) bool {
	for window := int64(64 << 10); ctx.Err() == nil && x.spent <= mostSettled+4*x.size; window *= 8 {
		in := x.at(m.dataAt, min(window, x.size-m.dataAt))
		n, sum, spare, ok := inflated(ctx, in)
		if ok {
			m.Packed, m.Size, m.CRC = int64(len(in))-spare, n, sum
			m.described(x.at(m.dataAt+m.Packed, 24))
			return true
		}
		if x.spent += n + int64(len(in)); spare > 0 || window >= x.size-m.dataAt {
			return false // it breaks there, or does not end
		}
	}
	return false
}

// inflated is the length and CRC-32 of a stream's content, which is not kept, and how many bytes follow its end. If the stream breaks, ok
// is false, and n is the length before that.
func inflated(ctx context.Context, in []byte) (n int64, sum uint32, spare int64, ok bool) {
	h, src := crc32.NewIEEE(), bytes.NewReader(in)
	n, _, ok = inflate.Copy(ctx, h, src, math.MaxInt64)
	return n, h.Sum32(), int64(src.Len()), ok && ctx.Err() == nil
}

// Whole tells whether the data of a member is complete: it inflates to its size, and its CRC-32 matches.
func (m *Member) Whole(ctx context.Context, at func(off, n int64) []byte) bool {
	b := at(m.dataAt, m.Packed)
	switch {
	case int64(len(b)) < m.Packed || m.Encrypted():
		return false
	case m.Method == 8:
		n, sum, spare, ok := inflated(ctx, b)
		return ok && spare == 0 && n == m.Size && sum == m.CRC
	}
	return m.Method == 0 && int64(len(b)) == m.Size && crc32.ChecksumIEEE(b) == m.CRC
}
