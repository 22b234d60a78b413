package zipfile

import (
	"bytes"
	"slices"

	"spandrel/model"
)

// Extent is how long the archive should be: to the end of its end record including the comment. ok is false if nothing says it.
func (z *Archive) Extent(at func(off, n int64) []byte, size int64) (e model.Extent, ok bool) {
	if whole, late := displaced(at, size); whole > 0 {
		return model.Extent{Size: whole, Ends: true, Late: late, Says: "its end record gives the offset of its directory"}, true
	}
	if z.Carved {
		return z.carvedExtent(at, size)
	}
	if z.endAt < 0 {
		return model.Extent{Size: z.dirAt + z.dirSize + endSize, Says: "a 22-byte end record should follow the directory"}, true
	}
	h := at(z.endAt, endSize)
	if len(h) < endSize {
		return e, false
	}
	end := z.endAt + endSize + u16(h[20:])
	return model.Extent{Size: end, Says: "the end record of the archive gives its length"}, end <= size
}

// carvedExtent is how long an archive without a directory should be: at least to where the last local header leads. At the end of a file that is zero the
// directory may only have been erased.
func (z *Archive) carvedExtent(at func(off, n int64) []byte, size int64) (e model.Extent, ok bool) {
	if i := slices.IndexFunc(z.Members, func(m *Member) bool { return m.Torn && m.dataAt+m.said > size }); i >= 0 {
		return model.Extent{Size: z.Members[i].dataAt + z.Members[i].said + endSize, Least: true, Says: "it ends inside its last member"}, true
	}
	if tail := at(size-min(size, 16), 16); len(bytes.Trim(tail, "\x00")) == 0 {
		return e, false
	}
	next := int64(0)
	for _, m := range z.Members {
		next = max(next, m.End())
	}
	if h := at(next, localSize); len(h) == localSize && signed(h, localSignature) {
		if end := next + localSize + u16(h[26:]) + u16(h[28:]) + u32(h[18:]); end > size {
			return model.Extent{Size: end, Least: true, Says: "it ends inside its last member"}, true
		}
	}
	if ends(at, size) || next == 0 && !signed(at(0, 4), localSignature) || directed(at(next, min(size-next, mostDirectory)), len(z.Members)) {
		return e, false
	}
	return model.Extent{Size: max(size, next) + endSize, Least: true, Says: "the directory is missing"}, true
}

// displaced is how long an archive should be that ends with its directory, if that is not where the end record says: bytes are missing before it, or
// surplus; 0 otherwise. late means that they are missing before everything that exists: every member is displaced as far
// as the directory.
func displaced(at func(off, n int64) []byte, size int64) (whole int64, late bool) {
	from := max(0, size-EndBytes)
	tail := at(from, size-from)
	i := findEnd(tail, from)
	if i < 0 || i+endSize+int(u16(tail[i+20:])) != len(tail) {
		return 0, false
	}
	end := from + int64(i)
	dirSize, dirAt := u32(tail[i+12:]), u32(tail[i+16:])
	shift := end - dirSize - dirAt
	if shift == 0 || dirAt == max32 || end < dirSize || !signed(at(end-dirSize, 4), entrySignature) || signed(at(dirAt, 4), entrySignature) {
		return 0, false
	}
	if signed(at(0, 4), localSignature) {
		return size - shift, false
	}
	z := &Archive{dirAt: end - dirSize, dirSize: dirSize}
	if shift > 0 || z.scanEntries(at, size) != nil || len(z.Members) == 0 {
		return 0, false
	}
	for _, m := range z.Members {
		if h := m.local + shift; h >= 0 && !signed(at(h, 4), localSignature) {
			return 0, false
		}
	}
	return size - shift, true
}

// mostDirectory is how much of what follows the members is searched for a directory.
const mostDirectory = 1 << 20

// ends tells whether the first or last bytes of an archive contain an end record: then its parts are out of order, or something follows it.
func ends(at func(off, n int64) []byte, size int64) bool {
	return bytes.Contains(at(0, min(size, mostDirectory)), []byte("PK\x05\x06")) || size > mostDirectory && bytes.Contains(at(size-mostDirectory, mostDirectory), []byte("PK\x05\x06"))
}

// directed tells whether what follows the members has an entry for each, and room for an end record after the last: such a directory
// is damaged, and not truncated.
func directed(b []byte, members int) bool {
	mark := []byte("PK\x01\x02")
	last := bytes.LastIndex(b, mark)
	return last >= 0 && len(b) >= last+entrySize && bytes.Count(b, mark) >= members &&
		int64(len(b)-last-entrySize)-u16(b[last+28:]) >= endSize
}
