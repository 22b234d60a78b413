package zipfile

import (
	"bytes"
	"context"
	"hash/crc32"
	"math"

	"spandrel/parsers/internal/inflate"
)

// maxCarve is how far the end of a member of unknown length is searched for, and step how far the search for the next header looks ahead at once.
const (
	maxCarve = 256 << 20
	step     = 1 << 20
)

// Carve finds the members of an archive without its directory, by their local headers. If a header does not state the length of its
// member, the data is inflated to find the end, or the descriptor after it is searched for. A member that does not end is torn, and has the data that
// exists. What cannot be a member is skipped.
func Carve(ctx context.Context, at func(off, n int64) []byte, size int64) (out []*Member) {
	for off := int64(0); off < size && len(out) < MaxMembers && ctx.Err() == nil; {
		w := at(off, step)
		i := bytes.Index(w, []byte("PK\x03\x04"))
		if i < 0 {
			if len(w) < step {
				break
			}
			off += step - 3
			continue
		}
		m := carveOne(ctx, at, off+int64(i), size)
		if m == nil {
			off += int64(i) + 4
			continue
		}
		m.look(at)
		out = append(out, m)
		off = m.End()
	}
	return out
}

// carveOne reads the member whose local header stands at an offset, or nil.
func carveOne(ctx context.Context, at func(off, n int64) []byte, off, size int64) *Member {
	h := at(off, localSize)
	if len(h) < localSize || !signed(h, localSignature) {
		return nil
	}
	n, x := u16(h[26:]), u16(h[28:])
	m := &Member{Name: string(at(off+localSize, n)), Flags: uint16(u16(h[6:])), Method: uint16(u16(h[8:])), CRC: uint32(u32(h[14:])), Packed: u32(h[18:]), Size: u32(h[22:]),
		local: off, dataAt: off + localSize + n + x, Found: true, stamp: uint32(u32(h[10:])), here: statedBy(h[4:]), headName: n, headExtra: x}
	m.zip64(at(off+localSize+n, x))
	if int64(len(m.Name)) < n || m.dataAt > size || m.Method > 99 {
		return nil
	}
	if m.Packed < 0 || m.Size < 0 {
		return nil
	}
	if m.Packed > size-m.dataAt || m.Flags&hasDescriptor != 0 && m.Packed == 0 && !m.behind(ctx, at, size) {
		m.said, m.Packed, m.Torn = m.Packed, size-m.dataAt, true // the archive was cut in it
		if next := bytes.Index(at(m.dataAt, maxCarve), []byte("PK\x03\x04")); next >= 0 {
			m.Packed = int64(next)
		}
		if m.Method == 8 && m.Size == 0 {
			m.Size, _, _, _ = inflated(ctx, at(m.dataAt, m.Packed))
		}
	}
	return m
}

// behind finds the end of a member whose sizes are in a descriptor after it.
func (m *Member) behind(ctx context.Context, at func(off, n int64) []byte, size int64) bool {
	if m.Method == 8 {
		return m.inflates(ctx, at, size)
	}
	for off := m.dataAt; off < size && off-m.dataAt < maxCarve; {
		w := at(off, step)
		i := bytes.Index(w, []byte("PK\x07\x08"))
		if i < 0 {
			off += max(1, int64(len(w))-3)
			continue
		}
		if d := at(off+int64(i), 24); len(d) >= 16 && u32(d[8:]) == off+int64(i)-m.dataAt {
			m.Packed, m.CRC = u32(d[8:]), uint32(u32(d[4:]))
			if m.Size = m.Packed; m.described(d) && m.descriptor == 16 {
				m.Size = u32(d[12:])
			}
			return true
		}
		off += int64(i) + 4
	}
	return false
}

// inflates finds the end of a member by decoding its deflate stream.
func (m *Member) inflates(ctx context.Context, at func(off, n int64) []byte, size int64) bool {
	for window := int64(64 << 10); ctx.Err() == nil; window *= 8 {
		in := at(m.dataAt, min(window, size-m.dataAt))
		if n, sum, spare, ok := inflated(ctx, in); ok {
			m.Packed, m.Size, m.CRC = int64(len(in))-spare, n, sum
			m.described(at(m.dataAt+m.Packed, 24))
			return true
		}
		if window >= size-m.dataAt {
			return false
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
