package zipfile

import (
	"bytes"
	"context"
	"hash/crc32"
	"io"

	"spandrel/parsers/internal/inflate"
)

// An archive says everything about a member twice. If the two disagree, other evidence decides: the available room, the data
// itself, which values are possible, and the other members. Without evidence, readers believe the directory.

// stated is one header's statement about a member: the 26 bytes that local headers and entries have in common.
type stated struct {
	needs, flags, method uint16
	clock, date          uint16
	crc                  uint32
	packed, size         int64
	name, extra          int64 // lengths
}

func statedBy(b []byte) stated {
	return stated{uint16(u16(b)), uint16(u16(b[2:])), uint16(u16(b[4:])), uint16(u16(b[6:])), uint16(u16(b[8:])), uint32(u32(b[10:])), u32(b[14:]), u32(b[18:]), u16(b[22:]), u16(b[24:])}
}

// fields are the fields of a header with this statement, of a member with a name.
func (s stated) fields(name string) map[string]int64 {
	return map[string]int64{"needs": int64(s.needs), "flags": int64(s.flags), "method": int64(s.method), "time": int64(s.clock), "date": int64(s.date), "crc": int64(s.crc),
		"csize": s.packed, "usize": s.size, "nameLength": int64(len(name)), "extraLength": s.extra}
}

// like tells whether two headers say the same about a member, except for a field or two. Sums and sizes that a local header leaves to the descriptor
// do not count.
func (s stated) like(o stated) bool {
	later := s.flags&o.flags&hasDescriptor != 0
	return count(s.flags == o.flags, s.method == o.method, s.clock == o.clock, s.date == o.date, later || s.crc == o.crc, later || s.packed == o.packed,
		later || s.size == o.size, s.name == o.name) >= 6
}

// count is how many conditions hold.
func count(conditions ...bool) (n int) {
	for _, is := range conditions {
		if is {
			n++
		}
	}
	return n
}

// maxSettled is the largest member whose data is read to find the right header, and mostSettled how much is read in total.
const (
	maxSettled  = 16 << 20
	mostSettled = 256 << 20
)

// settle finds members that are not where the directory says, and decides where headers disagree.
func (z *Archive) settle(ctx context.Context, at func(off, n int64) []byte, size int64) {
	for i, m := range z.Members {
		if !m.Found {
			z.find(ctx, i, at, size)
		}
	}
	for i, m := range z.Members {
		if m.Found && !m.headLost && (m.here != m.there || m.headName != m.here.name) {
			z.room(i, at)
			m.decide(ctx, z, at)
		}
	}
}

// find looks for a member after the previous one, if its entry does not lead to it: of the length in its entry, in its own header, or of the room
// available.
func (z *Archive) find(ctx context.Context, i int, at func(off, n int64) []byte, size int64) {
	m, was, next := z.Members[i], z.Members[i].local, z.dirAt
	packed, start := m.Packed, z.Bias
	if i > 0 {
		start = z.Members[i-1].End()
	}
	if i+1 < len(z.Members) {
		next = min(next, z.Members[i+1].local)
	}
	for _, m.local = range []int64{was, start} {
		h := at(m.local, localSize)
		if len(h) < localSize {
			continue
		}
		room := next - m.local - localSize - u16(h[26:]) - u16(h[28:])
		for _, m.Packed = range []int64{packed, u32(h[18:]), room, room - 16, room - 12} {
			if m.Packed < 0 || m.Packed > size {
				continue
			}
			if m.scanLocal(at, size); m.Found && m.End() <= next && string(at(m.local+localSize, int64(len(m.Name)))) == m.Name {
				m.sure["csize"] = m.Packed != packed
				return
			}
		}
	}
	m.Found, m.local, m.Packed = false, was, packed
	z.lost(ctx, m, at, next)
}

// lost accepts the place in the entry of a member whose local header is gone, if the member fills the available room and has the sum
// in the entry: then everything in the entry is right.
func (z *Archive) lost(ctx context.Context, m *Member, at func(off, n int64) []byte, next int64) {
	for _, extra := range []int64{m.extra, 0} {
		m.headName, m.headExtra, m.dataAt = int64(len(m.Name)), extra, m.local+localSize+int64(len(m.Name))+extra
		if m.behindData(at); m.Packed < 0 || m.Packed > maxSettled || m.dataAt+m.Packed+m.descriptor != next {
			continue
		}
		if n, sum, ok := z.digest(ctx, m, at); ok && n == m.Size && sum == m.CRC {
			m.Found, m.headLost = true, true
			m.look(at)
			return
		}
	}
}

// room makes a member as long as the room between its neighbours, if only one of the headers agrees with that.
func (z *Archive) room(i int, at func(off, n int64) []byte) {
	m, next := z.Members[i], z.dirAt
	if i+1 < len(z.Members) {
		next = z.Members[i+1].local
	}
	ends := func() bool { m.behindData(at); return m.End() == next }
	if m.Wide || ends() {
		return
	}
	packed, extra := m.Packed, m.headExtra
	for _, x := range []int64{m.extra, 0, next - m.local - localSize - m.headName - packed} { // as in the directory, none, what is left
		if x < 0 || x > 0xffff || m.here.flags&hasDescriptor != 0 && x != m.extra && x != 0 {
			continue
		}
		if m.headExtra, m.dataAt = x, m.local+localSize+m.headName+x; ends() {
			m.sure["extraLength"] = true
			m.look(at)
			return
		}
	}
	m.headExtra, m.dataAt = extra, m.local+localSize+m.headName+extra
	if m.Packed = m.here.packed; m.Packed != packed && m.Packed <= next && ends() {
		m.sure["csize"] = true
		m.look(at)
		return
	}
	m.Packed = packed
	m.behindData(at)
}

// decide picks the right values where the two headers disagree.
func (m *Member) decide(ctx context.Context, z *Archive, at func(off, n int64) []byte) {
	a, b := m.there, m.here
	later := (a.flags|b.flags)&hasDescriptor != 0 && b.crc == 0 && b.packed == 0
	others, plain := z.others(m, func(s stated) uint32 { return uint32(s.flags) }), false
	if (a.flags^b.flags)&encrypted != 0 {
		if plain = z.isPlain(ctx, m, at); !plain {
			others = nil // whether this one is encrypted they do not say
		}
	}
	may := func(f uint16) bool { return knownFlags(f) && !(plain && f&encrypted != 0) }
	m.Flags, m.sure["flags"] = pickOf(a.flags, b.flags, may(a.flags) && (!later || a.flags&hasDescriptor != 0), may(b.flags) && (later || b.flags&hasDescriptor == 0), others)
	m.Method, m.sure["method"] = pickOf(a.method, b.method, m.may(a.method), m.may(b.method), nil)
	clock, sure := pickOf(a.clock, b.clock, isClock(a.clock), isClock(b.clock), z.others(m, func(s stated) uint32 { return uint32(s.clock) }))
	date, sureDate := pickOf(a.date, b.date, isDate(a.date, clock), isDate(b.date, clock), z.others(m, func(s stated) uint32 { return uint32(s.date) }))
	m.sure["time"], m.sure["date"] = sure, sureDate
	m.stamp = uint32(date)<<16 | uint32(clock)
	if m.behindData(at); later || m.Packed > maxSettled || a.crc == b.crc && a.size == b.size {
		return
	}
	if n, sum, ok := z.digest(ctx, m, at); ok {
		m.CRC, m.sure["crc"] = pickOf(a.crc, b.crc, a.crc == sum, b.crc == sum, nil)
		m.Size, m.sure["usize"] = pickOf(a.size, b.size, a.size == n, b.size == n, nil)
	}
}

// isPlain tells whether a member has the size and sum in its entry without decryption.
func (z *Archive) isPlain(ctx context.Context, m *Member, at func(off, n int64) []byte) bool {
	c := *m
	c.Flags &^= encrypted
	n, sum, ok := z.digest(ctx, &c, at)
	return ok && n == m.there.size && sum == m.there.crc
}

// digest is the length and CRC-32 of a member's data, if it can be read, is not too long, and not too much has been read before.
func (z *Archive) digest(ctx context.Context, m *Member, at func(off, n int64) []byte) (n int64, sum uint32, ok bool) {
	b := at(m.dataAt, m.Packed)
	if int64(len(b)) < m.Packed || m.Encrypted() || m.size64 || m.Method != 0 && m.Method != 8 || z.settled > mostSettled {
		return 0, 0, false
	}
	h, more := crc32.NewIEEE(), false
	if m.Method == 0 {
		n, _ = io.Copy(h, bytes.NewReader(b))
	} else {
		n, more, ok = inflate.Copy(ctx, h, bytes.NewReader(b), maxSettled)
	}
	z.settled += n
	return n, h.Sum32(), m.Method == 0 || ok && !more
}

// pickOf picks one of two values, that of the directory and that of the local header: the only possible one, or the one
// that other members have too; sure if that tells them apart.
func pickOf[T uint16 | uint32 | int64](a, b T, mayA, mayB bool, others func(uint32) int) (is T, sure bool) {
	if a == b {
		return a, false
	}
	if mayA == mayB && others != nil {
		x, y := others(uint32(a)), others(uint32(b))
		mayA, mayB = x > y, y > x
	}
	if mayB && !mayA {
		return b, true
	}
	return a, mayA != mayB
}

// others counts the other members that have a value in both headers.
func (z *Archive) others(m *Member, of func(stated) uint32) func(uint32) int {
	return func(v uint32) (n int) {
		for _, o := range z.Members[:min(len(z.Members), 64)] {
			if o != m && o.Found && of(o.here) == v && of(o.there) == v {
				n++
			}
		}
		return n
	}
}

// may tells whether a method is possible for the data of a member.
func (m *Member) may(method uint16) bool {
	switch method {
	case 0:
		return m.here.packed == m.here.size && m.there.packed == m.there.size
	case 8:
		return m.here.packed != m.here.size || m.there.packed != m.there.size
	}
	return false
}

// knownFlags tells whether writers set only such flags: encryption, compression level, descriptor, names in UTF-8.
func knownFlags(f uint16) bool { return f&^0x080f == 0 }

// isVersion tells whether a version needed is possible.
func isVersion(v uint64) bool { return v <= 63 }

// isClock and isDate tell whether a time and a date are possible; both are 0 if no one set them.
func isClock(t uint16) bool { return t>>11 < 24 && t>>5&63 < 60 && t&31 < 30 }

func isDate(d, clock uint16) bool {
	year, month, day := d>>9, d>>5&15, d&31
	return month >= 1 && month <= 12 && day >= 1 && year < 80 || d == 0 && clock == 0
}
