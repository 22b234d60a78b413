package zipfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"

	"spandrel/parsers/internal/inflate"
)

// maxCarve is the largest member that is inflated to find its end, and step how far ahead the next header is looked for at once.
const (
	maxCarve = 256 << 20
	step     = 1 << 20
)

// Carve finds the members of an archive without its directory, by their local headers. Where a header does not say how long the
// member is, its data is inflated to find the end, or the descriptor behind it is looked for. What cannot be a member is passed over.
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
		local: off, dataAt: off + localSize + n + x, Found: true, stamp: uint32(u32(h[10:]))}
	m.zip64(at(off+localSize+n, x))
	if int64(len(m.Name)) < n || m.dataAt > size || m.Method > 99 {
		return nil
	}
	if m.Flags&hasDescriptor != 0 && m.Packed == 0 && !m.behind(ctx, at, size) {
		return nil
	}
	if m.Packed < 0 || m.Size < 0 || m.Packed > size-m.dataAt {
		return nil
	}
	return m
}

// behind finds the end of a member whose sizes stand in a descriptor behind it.
func (m *Member) behind(ctx context.Context, at func(off, n int64) []byte, size int64) bool {
	if m.Method == 8 {
		for window := int64(64 << 10); ; window *= 8 {
			in := at(m.dataAt, min(window, size-m.dataAt))
			out, how := inflate.Into(ctx, nil, in, inflate.Request{Want: maxCarve})
			if how.Err == nil && !how.More {
				m.Packed, m.Size, m.CRC = int64(len(in))-how.Spare, int64(len(out)), crc32.ChecksumIEEE(out)
				break
			}
			if window >= size-m.dataAt || window > maxCarve || how.More {
				return false
			}
		}
		d := at(m.dataAt+m.Packed, 16)
		if len(d) == 16 && signed(d, descriptorSignture) {
			m.descriptorSigned, m.descriptor = true, 16
		} else if len(d) >= 12 && uint32(u32(d)) == m.CRC {
			m.descriptor = 12
		}
		return true
	}
	for off := m.dataAt; off < size && off-m.dataAt < maxCarve; {
		w := at(off, step)
		i := bytes.Index(w, []byte("PK\x07\x08"))
		if i < 0 {
			off += max(1, int64(len(w))-3)
			continue
		}
		if d := at(off+int64(i), 16); len(d) == 16 && u32(d[8:]) == off+int64(i)-m.dataAt {
			m.Packed, m.Size, m.CRC, m.descriptor, m.descriptorSigned = u32(d[8:]), u32(d[12:]), uint32(u32(d[4:])), 16, true
			return true
		}
		off += int64(i) + 4
	}
	return false
}

// Whole tells whether the data of a member are all there: they inflate to their size, and their CRC-32 is the one stated.
func (m *Member) Whole(ctx context.Context, at func(off, n int64) []byte) bool {
	b := at(m.dataAt, m.Packed)
	if int64(len(b)) < m.Packed || m.Encrypted() || m.Size > maxCarve {
		return false
	}
	if m.Method == 8 {
		out, err := inflate.All(ctx, inflate.Raw, b, m.Size)
		if err != nil {
			return false
		}
		b = out
	}
	return m.Method <= 8 && int64(len(b)) == m.Size && crc32.ChecksumIEEE(b) == m.CRC
}

// Rebuilt writes a central directory and an end record for members that stand one behind the other, the directory at an offset.
func Rebuilt(members []*Member, dirAt int64) []byte {
	le := binary.LittleEndian
	var dir []byte
	for _, m := range members {
		version := uint16(20)
		e := le.AppendUint32(nil, entrySignature)
		for _, v := range []uint16{version, version, m.Flags, m.Method} {
			e = le.AppendUint16(e, v)
		}
		e = le.AppendUint32(e, m.stamp)
		e = le.AppendUint32(le.AppendUint32(le.AppendUint32(e, m.CRC), uint32(m.Packed)), uint32(m.Size))
		for _, v := range []uint16{uint16(len(m.Name)), 0, 0, 0, 0} {
			e = le.AppendUint16(e, v)
		}
		e = le.AppendUint32(le.AppendUint32(e, 0), uint32(m.local))
		dir = append(append(dir, e...), m.Name...)
	}
	out := le.AppendUint32(dir, endSignature)
	for _, v := range []uint16{0, 0, uint16(len(members)), uint16(len(members))} {
		out = le.AppendUint16(out, v)
	}
	out = le.AppendUint32(le.AppendUint32(out, uint32(len(dir))), uint32(dirAt))
	return le.AppendUint16(out, 0)
}
