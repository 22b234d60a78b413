package samediff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sort"

	"spandrel/model"
)

// archive is a ZIP archive (section 1.5): what its central directory says.
type archive struct {
	members          []*member
	dirAt, dirSize   int64 // of the central directory
	endAt            int64 // of the end record
	end64At, locator int64 // of the ZIP64 end record and its locator; -1
	bias             int64 // bytes in front of the archive that its offsets do not count
	ok               bool
}

// member is an entry of the central directory and the local header that it leads to.
type member struct {
	name             string
	size             int64 // of the directory entry
	local            int64
	dataAt           int64
	csize, usize     int64
	method, flags    uint16
	crc              uint32
	localOK          bool
	sdnb             bool
	span             *model.Span
	nb               *native
	head             map[string]model.Node // fields of the local header
	dir              map[string]model.Node // fields of the directory entry
	data, inflated   model.Node
	descriptor       int64 // bytes of the data descriptor
	descriptorSigned bool
	csize64, usize64 bool
}

func (m *member) end() int64 { return m.dataAt + m.csize + m.descriptor }

const (
	maxMembers  = 1000   // of a sound archive (section 1.5)
	readMembers = 20_000 // of any

	zipLocal, zipDir, zipEnd             = 0x04034b50, 0x02014b50, 0x06054b50
	zipEnd64, zipLocator, zipDesc        = 0x06064b50, 0x07064b50, 0x08074b50
	zipEncrypted, zipHasDesc      uint16 = 1, 8
)

// findEnd returns where the end record is in the last bytes of an archive, or -1: the last one whose comment ends where the archive
// does, as a comment may hold the signature, or else the last one that is whole.
func findEnd(tail []byte) int {
	last := -1
	for at := len(tail) - 22; at >= 0; at-- {
		if binary.LittleEndian.Uint32(tail[at:]) != zipEnd {
			continue
		}
		if at+22+int(binary.LittleEndian.Uint16(tail[at+20:])) == len(tail) {
			return at
		}
		last = max(last, at)
	}
	return last
}

// read finds the end record, which is in the last bytes, the central directory and the local headers. at gives bytes of the file.
func (z *archive) read(tail []byte, at func(off, n int64) []byte, size int64) error {
	z.end64At, z.locator, z.endAt = -1, -1, -1
	i := findEnd(tail)
	if i < 0 {
		return fmt.Errorf("there is no end record")
	}
	z.endAt = size - int64(len(tail)) + int64(i)
	e := tail[i:]
	entries := int64(binary.LittleEndian.Uint16(e[10:]))
	z.dirSize, z.dirAt = int64(binary.LittleEndian.Uint32(e[12:])), int64(binary.LittleEndian.Uint32(e[16:]))
	if l := at(z.endAt-20, 20); len(l) == 20 && binary.LittleEndian.Uint32(l) == zipLocator {
		off := int64(binary.LittleEndian.Uint64(l[8:]))
		if r := at(off, 56); off >= 0 && len(r) == 56 && binary.LittleEndian.Uint32(r) == zipEnd64 {
			z.locator, z.end64At = z.endAt-20, off
			entries = int64(binary.LittleEndian.Uint64(r[32:]))
			z.dirSize, z.dirAt = int64(binary.LittleEndian.Uint64(r[40:])), int64(binary.LittleEndian.Uint64(r[48:]))
		}
	}
	stop := z.endAt
	if z.end64At >= 0 {
		stop = z.end64At
	}
	if z.dirAt < 0 || z.dirSize < 0 || z.dirAt > stop || z.dirSize > stop-z.dirAt {
		return fmt.Errorf("the central directory of %d bytes at %d does not fit", z.dirSize, z.dirAt)
	}
	if sig := at(z.dirAt, 4); entries > 0 && (len(sig) < 4 || binary.LittleEndian.Uint32(sig) != zipDir) {
		if shift := stop - z.dirSize - z.dirAt; shift > 0 { // something stands in front of the archive
			if sig := at(z.dirAt+shift, 4); len(sig) == 4 && binary.LittleEndian.Uint32(sig) == zipDir {
				z.bias = shift
				z.dirAt += shift
			}
		}
	}
	return z.directory(at, size)
}

// directory reads the entries of the central directory.
func (z *archive) directory(at func(off, n int64) []byte, size int64) error {
	for p := z.dirAt; p < z.dirAt+z.dirSize && len(z.members) < readMembers; {
		h := at(p, 46)
		if len(h) < 46 || binary.LittleEndian.Uint32(h) != zipDir {
			return fmt.Errorf("no entry of the central directory stands at %d", p)
		}
		n := int64(binary.LittleEndian.Uint16(h[28:]))
		x := int64(binary.LittleEndian.Uint16(h[30:]))
		m := &member{size: 46 + n + x + int64(binary.LittleEndian.Uint16(h[32:]))}
		if p+m.size > z.dirAt+z.dirSize {
			return fmt.Errorf("an entry of the central directory ends behind it")
		}
		m.flags, m.method, m.crc = binary.LittleEndian.Uint16(h[8:]), binary.LittleEndian.Uint16(h[10:]), binary.LittleEndian.Uint32(h[16:])
		m.csize, m.usize = int64(binary.LittleEndian.Uint32(h[20:])), int64(binary.LittleEndian.Uint32(h[24:]))
		m.local = int64(binary.LittleEndian.Uint32(h[42:]))
		m.name = string(at(p+46, n))
		m.zip64(at(p+46+n, x))
		m.local += z.bias
		z.local(m, at, size)
		z.members = append(z.members, m)
		p += m.size
	}
	z.ok = true
	return nil
}

// zip64 takes the numbers that do not fit into 4 bytes from the extra field.
func (m *member) zip64(x []byte) {
	for len(x) >= 4 {
		id, n := binary.LittleEndian.Uint16(x), int(binary.LittleEndian.Uint16(x[2:]))
		if x = x[4:]; n > len(x) {
			return
		}
		if v := x[:n]; id == 1 {
			for _, f := range []struct {
				to   *int64
				flag *bool
			}{{&m.usize, &m.usize64}, {&m.csize, &m.csize64}, {&m.local, new(bool)}} {
				if *f.to == 0xffffffff && len(v) >= 8 {
					*f.to, *f.flag = int64(binary.LittleEndian.Uint64(v)), true
					v = v[8:]
				}
			}
		}
		x = x[n:]
	}
}

// local follows an entry to its local header.
func (z *archive) local(m *member, at func(off, n int64) []byte, size int64) {
	if m.local < 0 || m.csize < 0 || m.usize < 0 {
		return
	}
	h := at(m.local, 30)
	if len(h) < 30 || binary.LittleEndian.Uint32(h) != zipLocal {
		return
	}
	m.dataAt = m.local + 30 + int64(binary.LittleEndian.Uint16(h[26:])) + int64(binary.LittleEndian.Uint16(h[28:]))
	if m.dataAt > size || m.csize > size-m.dataAt {
		return
	}
	m.localOK = true
	front := at(m.dataAt, min(m.csize, 4<<10))
	if m.method == 8 {
		front = deflateFront("raw", front, 4)
	}
	m.sdnb = bytes.HasPrefix(front, []byte("SDNB"))
	if m.flags&zipHasDesc == 0 {
		return
	}
	d := at(m.dataAt+m.csize, 24)
	if len(d) >= 16 && binary.LittleEndian.Uint32(d) == zipDesc {
		m.descriptorSigned, d, m.descriptor = true, d[4:], 4
	}
	wide := len(d) >= 20 && (m.csize64 || m.usize64)
	switch {
	case len(d) < 12 || binary.LittleEndian.Uint32(d) != m.crc && !m.descriptorSigned:
		m.descriptor = 0
	case wide:
		m.descriptor += 20
	default:
		m.descriptor += 12
	}
}

// sorted returns the members in the order of the file, without those that lie inside others.
func (z *archive) sorted() (out []*member) {
	all := append([]*member(nil), z.members...)
	sort.SliceStable(all, func(i, j int) bool { return all[i].local < all[j].local })
	end := int64(0)
	for _, m := range all {
		if m.localOK && m.local >= end && m.end() <= z.dirAt {
			out = append(out, m)
			end = m.end()
		} else {
			m.localOK = false
		}
	}
	return out
}
