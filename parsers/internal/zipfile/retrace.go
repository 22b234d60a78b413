package zipfile

import (
	"bytes"
	"context"

	"spandrel/model"
)

// A directory that cannot be followed from the end record usually still exists, with one wrong field. It repeats the local headers
// in their order, so it is read beside them: then the right value of each of its fields is known.

// maxSlack is how far after an entry the next one is searched for, if its lengths do not lead there.
const maxSlack = 64 << 10

// retrace reads the directory beside the members found by local headers. If it is incomplete, the archive stays carved, and kept
// are the intact entries.
func retrace(ctx context.Context, at func(off, n int64) []byte, size int64) *Archive {
	z := &Archive{end64At: -1, locator: -1, endAt: -1, Members: Carve(ctx, at, size), Carved: true, dirAt: size}
	n := len(z.Members)
	if n == 0 || size > max32 { // its directory has 64-bit offsets
		return z
	}
	p := z.Members[n-1].End()
	if i := bytes.Index(at(p, maxSlack), []byte("PK\x01\x02")); i > 0 && !z.Members[0].entryAt(at, p) {
		p += int64(i)
	}
	z.kept = p
	for _, m := range z.Members {
		if !m.entryAt(at, p) {
			return z
		}
		next := z.next(m, at, p, size)
		if next < 0 {
			return z
		}
		m.kept, p, z.dirSize = at(p, next-p), next, next-z.kept
		m.Wide = m.there.packed == max32 || m.there.size == max32 // a header may have room for 64 bits where the directory needs none
	}
	z.dirAt, z.Carved, z.Retraced = z.kept, false, true
	if first := z.Members[0]; first.local > 0 && u32(first.kept[42:]) == 0 {
		z.Bias = first.local
	}
	if size-p >= endSize && z.endLike(at(p, endSize), size-p-endSize) {
		z.endAt = p
	}
	return z
}

// entryAt tells whether the entry of a member is at a place, although a field or two may be wrong.
func (m *Member) entryAt(at func(off, n int64) []byte, p int64) bool {
	b := at(p, entrySize)
	if len(b) < entrySize {
		return false
	}
	s := statedBy(b[6:])
	return count(signed(b, entrySignature), s.flags == m.Flags, s.method == m.Method, uint32(s.date)<<16|uint32(s.clock) == m.stamp, s.crc == m.CRC,
		s.packed == m.Packed, s.size == m.Size, s.name == int64(len(m.Name)), u32(b[42:]) == m.local, string(at(p+entrySize, int64(len(m.Name)))) == m.Name) >= 7
}

// next returns where the entry of a member ends: where its lengths say, if the next one or the end record is there, otherwise the next place where
// one is; -1 for none. It notes the lengths of the parts.
func (z *Archive) next(m *Member, at func(off, n int64) []byte, p, size int64) int64 {
	b := at(p, entrySize)
	from := p + entrySize + int64(len(m.Name))
	m.there, m.extra, m.comment = statedBy(b[6:]), u16(b[30:]), u16(b[32:])
	stands := func(q int64) bool {
		for i, o := range z.Members {
			if o == m && i+1 < len(z.Members) {
				return z.Members[i+1].entryAt(at, q)
			}
		}
		z.dirSize, z.dirAt = q-z.kept, z.kept
		return z.endLike(at(q, endSize), size-q-endSize)
	}
	if q := from + m.extra + m.comment; stands(q) || q == size {
		return q
	}
	for q := from; q <= min(from+maxSlack, size); q++ {
		if !stands(q) {
			continue
		}
		switch room := q - from; {
		case m.extra <= room:
			m.comment = room - m.extra
		case m.comment <= room:
			m.extra = room - m.comment
		default:
			m.extra, m.comment = 0, room
		}
		return q
	}
	return -1
}

// endLike tells whether b has an end record for the members, although a field or two may be wrong, and more bytes may follow.
func (z *Archive) endLike(b []byte, more int64) bool {
	if len(b) < endSize { // the file may end in it
		return len(b) > 0 && more < 0 && bytes.HasPrefix(endOf(z.Members, z.dirSize, z.dirAt-z.Bias), b)
	}
	same := 0
	for name, want := range z.endFields(more) {
		if got := endValue(b, name); got == want {
			same++
		}
	}
	return same >= 6
}

// endFields are the right fields of the end record of an archive with a known directory and a comment of a given length.
func (z *Archive) endFields(comment int64) map[string]int64 {
	return endFields(z.Members, z.dirSize, z.dirAt-z.Bias, comment)
}

func endFields(members []*Member, dirSize, dirAt, comment int64) map[string]int64 {
	n := int64(len(members))
	return map[string]int64{"signature": endSignature, "disk": 0, "cdDisk": 0, "entriesHere": n, "entries": n, "cdSize": dirSize, "cdOffset": dirAt, "commentLength": comment}
}

// endValue reads a field of an end record.
func endValue(b []byte, name string) int64 {
	for _, f := range endRecord {
		v, n, err := f.Codec.Decode(b)
		if err != nil {
			return -1
		}
		if f.Name == name {
			return v.Int()
		}
		b = b[n:]
	}
	return -1
}

// tail rewrites the central directory and the end record: intact entries unchanged, the others according to the local headers and
// the intact ones.
func (z *Archive) tail() []byte {
	out := directoryOf(z.Members, z.Bias)
	return append(out, endOf(z.Members, int64(len(out)), z.kept-z.Bias)...)
}

// Rebuilt writes a central directory and an end record for consecutive members, with the directory at an offset.
func Rebuilt(members []*Member, dirAt int64) []byte {
	out := directoryOf(members, 0)
	return append(out, endOf(members, int64(len(out)), dirAt)...)
}

// directoryOf writes the entries of members. A missing entry gets the system and attributes of an existing one.
func directoryOf(members []*Member, bias int64) (dir []byte) {
	var like []byte
	for _, m := range members {
		if m.kept != nil {
			like = m.kept
		}
	}
	for _, m := range members {
		if m.kept != nil {
			dir = append(dir, m.kept...)
			continue
		}
		v := m.stated().fields(m.Name)
		v["madeBy"], v["localOffset"] = v["needs"], m.local-bias
		if like != nil {
			v["madeBy"], v["intAttr"], v["extAttr"] = u16(like[4:]), u16(like[36:]), u32(like[38:])
		}
		dir = append(append(dir, record(entryRecord, entrySignature, v)...), m.Name...)
	}
	return dir
}

// stated is what is known of a member.
func (m *Member) stated() stated {
	return stated{m.here.needs, m.Flags, m.Method, uint16(m.stamp), uint16(m.stamp >> 16), m.CRC, m.Packed, m.Size, 0, 0}
}

// endOf writes an end record.
func endOf(members []*Member, dirSize, dirAt int64) []byte {
	return record(endRecord, endSignature, endFields(members, dirSize, dirAt, 0))
}

// record writes a record: its signature, and the other fields by name, zero without a value.
func record(fields []*model.Field, signature uint64, values map[string]int64) (out []byte) {
	for _, f := range fields {
		v := uint64(values[f.Name])
		if f.Name == "signature" {
			v = signature
		}
		for range f.Codec.Size() {
			out, v = append(out, byte(v)), v>>8
		}
	}
	return out
}
