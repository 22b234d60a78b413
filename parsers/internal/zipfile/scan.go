package zipfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"sort"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
)

// Archive is the content of an archive's central directory.
type Archive struct {
	Members          []*Member
	Bias             int64 // bytes before the archive that its offsets do not count
	Retraced         bool  // the directory is damaged: it was read beside the local headers
	Directory        model.Node
	Entries          model.Node // the members, in the order of the file
	Carved           bool       // the directory is lost: the members are those of the local headers
	dirAt, dirSize   int64
	endAt            int64 // of the end record
	end64At, locator int64 // of the ZIP64 end record and its locator; -1
	doubt            bool  // the end record does not match the directory
	hidden           bool  // readers do not find the directory, because they look for it before the last end record
	settled          int64 // bytes of members that were read to tell which of two headers is right
	kept             int64 // start of the existing part of the directory in a carved archive
}

// Member is an entry of the central directory and the local header that it leads to.
type Member struct {
	Name          string
	Method, Flags uint16
	CRC           uint32
	Packed, Size  int64  // bytes as they are stored, and inflated
	Found         bool   // the local header is where the directory says
	headLost      bool   // … and its bytes are others
	Torn          bool   // of a carved archive: it does not end in it
	Front         []byte // the first bytes of the content, inflated: at most FrontBytes
	Span          *model.Span
	Head, Entry   map[string]model.Node // fields of the local header and of the directory's entry
	Data          model.Node            // the bytes as they are stored
	Plain         model.Node            // content of the member: Data itself if it is stored
	Wide          bool                  // a size is in a ZIP64 field
	Streamed      int64                 // decoded bytes counted by Sums; 0 if that failed

	local, dataAt    int64
	here, there      stated                // what the local header says, and the directory
	sure             map[string]bool       // of these fields of which the two differ something else tells who is right
	stamp            uint32                // time and date
	tail             map[string]model.Node // fields of the record after the data
	descriptor       int64                 // bytes of the data descriptor
	descriptorSigned bool
	packed64, size64 bool
	said             int64  // of a torn member: stored bytes according to its header
	extra, comment   int64  // of the entry: bytes of its extra field and comment
	headName         int64  // of the local header: bytes of its name
	headExtra        int64  // … and of its extra field
	kept             []byte // the directory entry, if both directory and local headers were read
}

// Begins is where the local header of a member is.
func (m *Member) Begins() int64 { return m.local }

// End is where a member ends, including its descriptor.
func (m *Member) End() int64 { return m.dataAt + m.Packed + m.descriptor }

// Encrypted tells whether the data of a member cannot be read.
func (m *Member) Encrypted() bool { return m.Flags&encrypted != 0 }

const (
	// MaxMembers is the largest number of members that are read.
	MaxMembers = 20_000
	// FrontBytes is how much of the content of each member is read to recognise it.
	FrontBytes = 12
	// frontPacked is how many compressed bytes are read for that.
	frontPacked = 4 << 10
	// EndBytes is how many bytes at the end of a file Scan needs: the end record and the longest comment.
	EndBytes = 66_000

	localSignature, entrySignature, endSignature         = 0x04034b50, 0x02014b50, 0x06054b50
	end64Signature, locatorSignature, descriptorSignture = 0x06064b50, 0x07064b50, 0x08074b50
	encrypted, hasDescriptor, max32                      = 1, 8, 0xffffffff
	localSize, entrySize, endSize                        = 30, 46, 22
)

func u16(b []byte) int64 { return int64(binary.LittleEndian.Uint16(b)) }
func u32(b []byte) int64 { return int64(binary.LittleEndian.Uint32(b)) }
func u64(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }

func signed(b []byte, signature uint32) bool {
	return len(b) >= 4 && binary.LittleEndian.Uint32(b) == signature
}

// findEnd returns the place of the end record in the last bytes of an archive, which begin at an offset, or -1: the last one whose comment ends
// where the archive does, because a comment may contain the signature, otherwise the last one that refers to a directory before it.
func findEnd(tail []byte, base int64) int {
	last := -1
	for at := len(tail) - endSize; at >= 0; at-- {
		if !signed(tail[at:], endSignature) {
			continue
		}
		if at+endSize+int(u16(tail[at+20:])) == len(tail) {
			return at
		}
		if dirSize, dirAt := u32(tail[at+12:]), u32(tail[at+16:]); last < 0 && (dirAt == max32 || dirSize+dirAt <= base+int64(at)) {
			last = at
		}
	}
	return last
}

// Scan reads the directory and the local headers. tail is the last EndBytes bytes of the file; at returns bytes of the file,
// fewer at its end; soon announces the places that are read next, and may be nil. With an error the members are those that could be read.
func Scan(ctx context.Context, tail []byte, at func(off, n int64) []byte, size int64, soon func([]model.Range)) (*Archive, error) {
	z := &Archive{end64At: -1, locator: -1, endAt: -1}
	i := findEnd(tail, size-int64(len(tail)))
	if i < 0 {
		return z, fmt.Errorf("there is no end record")
	}
	z.endAt = size - int64(len(tail)) + int64(i)
	e := tail[i:]
	entries := u16(e[10:])
	z.dirSize, z.dirAt = u32(e[12:]), u32(e[16:])
	stop := z.endAt
	if off, r := z.end64(at); r != nil {
		z.locator, z.end64At, stop = z.endAt-20, off, off
		entries, z.dirSize, z.dirAt = u64(r[32:]), u64(r[40:]), u64(r[48:])
	}
	if z.dirAt < 0 || z.dirSize < 0 || z.dirAt > stop || z.dirSize > stop-z.dirAt {
		return z, fmt.Errorf("the central directory of %d bytes at %d does not fit", z.dirSize, z.dirAt)
	}
	if shift := stop - z.dirSize - z.dirAt; shift > 0 && entries > 0 && signed(at(z.dirAt+shift, 4), entrySignature) { // where readers look, whatever the offset says
		z.Bias, z.dirAt = shift, z.dirAt+shift
	}
	err := z.scanEntries(at, size)
	if soon != nil {
		soon(z.heads())
	}
	for _, m := range z.Members {
		m.scanLocal(at, size)
	}
	if err != nil {
		return z, err
	}
	if z.Bias > 0 && len(z.Members) > 0 && !z.Members[0].Found && signed(at(z.Members[0].local-z.Bias, 4), localSignature) {
		return z, fmt.Errorf("the central directory is %d bytes after the offset in the end record", z.Bias)
	}
	if own := z.dirAt + z.dirSize; z.end64At < 0 && own < z.endAt && u32(e[16:]) == z.dirAt && bytes.Equal(at(own, 20), e[:20]) {
		z.endAt, stop, z.hidden = own, own, true // what follows is the same archive once more
	}
	n := int64(len(z.Members))
	z.doubt = n < MaxMembers && (n != entries && entries != 0xffff || z.dirAt+z.dirSize != stop)
	z.settle(ctx, at, size)
	return z, nil
}

// end64 returns the ZIP64 end record and its offset; nil if the locator before the end record does not lead to one.
func (z *Archive) end64(at func(off, n int64) []byte) (off int64, record []byte) {
	l := at(z.endAt-20, 20)
	if len(l) < 20 || !signed(l, locatorSignature) {
		return 0, nil
	}
	off = u64(l[8:])
	if r := at(max(0, off), 56); off >= 0 && len(r) == 56 && signed(r, end64Signature) && off+56 <= z.endAt-20 {
		return off, r
	}
	return 0, nil
}

// scanEntries reads the entries of the central directory.
func (z *Archive) scanEntries(at func(off, n int64) []byte, size int64) error {
	for p := z.dirAt; p < z.dirAt+z.dirSize && len(z.Members) < MaxMembers; {
		h := at(p, entrySize)
		if len(h) < entrySize || !signed(h, entrySignature) {
			return fmt.Errorf("there is no entry of the central directory at %d", p)
		}
		s := statedBy(h[6:])
		n := s.name
		m := &Member{Name: string(at(p+entrySize, n)), Flags: s.flags, Method: s.method, CRC: s.crc, Packed: s.packed, Size: s.size, stamp: uint32(s.date)<<16 | uint32(s.clock),
			there: s, sure: map[string]bool{}, extra: s.extra, comment: u16(h[32:]), local: u32(h[42:])}
		end := p + entrySize + n + m.extra + m.comment
		if end > z.dirAt+z.dirSize {
			return fmt.Errorf("an entry of the central directory ends past its end")
		}
		m.zip64(at(p+entrySize+n, m.extra))
		if m.local <= size {
			m.local += z.Bias
		}
		z.Members = append(z.Members, m)
		p = end
	}
	return nil
}

// heads are the places of the local headers, with the descriptors before them and the beginnings of the contents after them.
func (z *Archive) heads() (out []model.Range) {
	const descriptor, wide = 24, 32 // a local header may have sizes of 8 bytes where the directory has none
	for _, m := range z.Members {
		out = append(out, model.Range{Off: m.local - descriptor, Len: descriptor + localSize + int64(len(m.Name)) + m.extra + wide + frontPacked})
	}
	return out
}

// zip64 reads the numbers that do not fit into 4 bytes from the extra field.
func (m *Member) zip64(x []byte) {
	for len(x) >= 4 {
		id, n := u16(x), int(u16(x[2:]))
		if x = x[4:]; n > len(x) {
			return
		}
		if v := x[:n]; id == 1 {
			for _, f := range []struct {
				to   *int64
				wide *bool
			}{{&m.Size, &m.size64}, {&m.Packed, &m.packed64}, {&m.local, new(bool)}} {
				if *f.to == max32 && len(v) >= 8 {
					*f.to, *f.wide = u64(v), true
					v = v[8:]
				}
			}
			m.Wide = m.size64 || m.packed64
		}
		x = x[n:]
	}
}

// zip64 reads sizes of a local header from its extra field if they do not fit into 4 bytes, or their writer did not know whether they would.
func (s *stated) zip64(x []byte) {
	wide := Member{Size: s.size, Packed: s.packed}
	wide.zip64(x)
	s.size, s.packed = wide.Size, wide.Packed
}

// scanLocal follows an entry to its local header.
func (m *Member) scanLocal(at func(off, n int64) []byte, size int64) {
	m.Found = false
	if m.local < 0 || m.local > size || m.Packed < 0 || m.Size < 0 {
		return
	}
	h := at(m.local, localSize)
	if len(h) < localSize {
		return
	}
	m.here = statedBy(h[4:])
	name := string(at(m.local+localSize, int64(len(m.Name)))) == m.Name
	if !signed(h, localSignature) && !(name && m.here.like(m.there)) {
		return
	}
	n := m.here.name
	if name {
		n = int64(len(m.Name))
	}
	m.headName, m.headExtra = n, m.here.extra
	m.here.zip64(at(m.local+localSize+n, m.headExtra))
	m.dataAt = m.local + localSize + n + m.headExtra
	m.Found = m.dataAt <= size && m.Packed <= size-m.dataAt
	if m.Found {
		m.behindData(at)
		m.look(at)
	}
}

// behindData looks for the descriptor after the data.
func (m *Member) behindData(at func(off, n int64) []byte) {
	if m.descriptor, m.descriptorSigned = 0, false; m.Flags&hasDescriptor != 0 {
		m.described(at(m.dataAt+m.Packed, 24))
	}
}

// described reads the descriptor at the front of bytes after the data, and tells whether there is one. Its sizes have 8 bytes if the local header
// announced that, which the directory need not repeat: the values decide.
func (m *Member) described(d []byte) bool {
	signature := int64(0)
	if m.descriptorSigned = len(d) >= 16 && (signed(d, descriptorSignture) || uint32(u32(d)) != m.CRC && uint32(u32(d[4:])) == m.CRC); m.descriptorSigned {
		d, signature = d[4:], 4
	}
	if len(d) < 12 || uint32(u32(d)) != m.CRC && !m.descriptorSigned {
		return false
	}
	narrow := u32(d[4:]) == m.Packed && u32(d[8:]) == m.Size
	wide := len(d) >= 20 && u64(d[4:]) == m.Packed && u64(d[12:]) == m.Size
	if m.descriptor = signature + 12; wide || len(d) >= 20 && m.Wide && !narrow {
		m.descriptor = signature + 20
	}
	return true
}

// look reads the first bytes of the content.
func (m *Member) look(at func(off, n int64) []byte) {
	switch {
	case m.Encrypted():
	case m.Method == 0:
		m.Front = append([]byte(nil), at(m.dataAt, min(m.Packed, FrontBytes))...)
	case m.Method == 8:
		m.Front = inflate.Front(inflate.Raw, at(m.dataAt, min(m.Packed, frontPacked)), FrontBytes)
	}
}

// sorted returns the members in file order, without those inside others.
func (z *Archive) sorted() (out []*Member) {
	all := append([]*Member(nil), z.Members...)
	sort.SliceStable(all, func(i, j int) bool { return all[i].local < all[j].local })
	end := int64(0)
	for _, m := range all {
		if m.Found && m.local >= end && m.End() <= z.dirAt {
			out = append(out, m)
			end = m.End()
		} else {
			m.Found = false
		}
	}
	return out
}
