package npyfile

import (
	"bytes"
	"encoding/binary"

	"spandrel/model"
)

// textEnd returns the bytes of the header text up to its line feed if header_len says otherwise and the array then fills a file of size bytes that begins
// with b; otherwise 0. Line feed and file size do not depend on each other, nor on header_len.
func textEnd(b []byte, size int64) int64 {
	h, _ := Parse(b)
	if h.text == 0 || h.text > int64(len(b)) {
		return 0
	}
	rest := bytes.TrimLeft(b[h.text+dictEnd(string(b[h.text:])):], " ")
	end := int64(len(b)-len(rest)) + 1 // after the line feed
	if len(rest) == 0 || rest[0] != '\n' || end == h.Data {
		return 0
	}
	x, err := Parse(withLength(b[:end], end-h.text))
	if err != nil || x.Item <= 0 || size < end || (size-end)%x.Item != 0 || (size-end)/x.Item != x.Count {
		return 0
	}
	return end - h.text
}

// dictEnd is where the dict at the beginning of a text ends; 0 if it does not.
func dictEnd(s string) int64 {
	for at := 0; at < len(s); {
		t, n := first(s[at:])
		if at += n; n == 0 {
			return 0
		}
		if t.kind == '}' {
			return int64(at)
		}
	}
	return 0
}

// withLength is a head with another header_len.
func withLength(head []byte, n int64) []byte {
	b := bytes.Clone(head)
	if binary.LittleEndian.PutUint16(b[8:], uint16(n)); b[6] > 1 {
		binary.LittleEndian.PutUint32(b[8:], uint32(n))
	}
	return b
}

// Refit offers to make header_len and the header agree, in a file of size bytes that begins with b. If only header_len is a multiple of the alignment, the
// header lost padding, which is restored if the file may grow; otherwise header_len is set.
func Refit(in model.SpaceID, b []byte, size int64, grow bool) []model.Fix {
	n := textEnd(b, size)
	if n == 0 {
		return nil
	}
	h, _ := Parse(b)
	if lost := h.size - n; grow && lost > 0 && h.Data%alignment == 0 && lost%alignment != 0 {
		return []model.Fix{{Label: model.Words("restore the %d padding bytes of the header", lost), Safe: true, Witnessed: true,
			Edits: []model.Edit{model.Splice{Range: model.Range{Space: in, Off: h.text + n - 1}, With: model.Memory(bytes.Repeat([]byte(" "), int(lost))), Loose: true}}}}
	}
	is := withLength(b[:h.text], n)
	from, to := int64(8), h.text
	for ; b[from] == is[from]; from++ {
	}
	for ; b[to-1] == is[to-1]; to-- {
	}
	return []model.Fix{{Label: model.Words("set header_len to %d", n), Safe: true, Witnessed: true,
		Edits: []model.Edit{model.Replace(model.Range{Space: in, Off: from, Len: to - from}, is[from:to])}}}
}
