package zipfile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// zip64 makes an archive of one stored member whose sizes and offset stand in ZIP64 fields, with a ZIP64 end record.
func zip64(content string) []byte {
	le := binary.LittleEndian
	sum := crc32.ChecksumIEEE([]byte(content))
	n := uint64(len(content))
	head := func(signature uint32, fields []uint16, extra []byte, more []byte) []byte {
		b := le.AppendUint32(nil, signature)
		for _, f := range fields {
			b = le.AppendUint16(b, f)
		}
		b = le.AppendUint32(b, 0x00210000)
		b = le.AppendUint32(le.AppendUint32(le.AppendUint32(b, sum), max32), max32)
		b = le.AppendUint16(le.AppendUint16(b, 1), uint16(len(extra)))
		return append(append(append(b, more...), 'x'), extra...)
	}
	wide := func(values ...uint64) []byte {
		b := le.AppendUint16(le.AppendUint16(nil, 1), uint16(8*len(values)))
		for _, v := range values {
			b = le.AppendUint64(b, v)
		}
		return b
	}
	out := append(head(localSignature, []uint16{45, 0, 0}, wide(n, n), nil), content...)
	dir := uint64(len(out))
	out = append(out, head(entrySignature, []uint16{45, 45, 0, 0}, wide(n, n, 0), append(make([]byte, 10), 0xff, 0xff, 0xff, 0xff))...)
	size, at := uint64(len(out))-dir, uint64(len(out))
	out = le.AppendUint64(le.AppendUint32(out, end64Signature), 44)
	out = append(le.AppendUint16(le.AppendUint16(out, 45), 45), make([]byte, 8)...)
	for _, v := range []uint64{1, 1, size, dir} {
		out = le.AppendUint64(out, v)
	}
	out = le.AppendUint32(le.AppendUint64(le.AppendUint32(le.AppendUint32(out, locatorSignature), 0), at), 1)
	out = append(le.AppendUint32(out, endSignature), make([]byte, 4)...)
	for range 6 {
		out = append(out, 0xff, 0xff)
	}
	return append(out, 0, 0)
}

func TestZip64(t *testing.T) {
	b := zip64("sixty-four")
	d, z := open(t, b)
	if ids := found(d); ids != nil || len(z.Members) != 1 || z.Members[0].Size != 10 || !z.Members[0].Wide {
		t.Fatalf("%v, %+v", ids, z.Members)
	}
	holds(t, b, map[string]string{"x": "sixty-four"})
	holds(t, apply(t, d, z.Members[0].Rename("a longer name")...), map[string]string{"a longer name": "sixty-four"})
}

// NumPy leaves room for 64 bits in the headers of members of any size. Their directory is found when the end record does not lead to it.
func TestRoomFor64(t *testing.T) {
	le, content := binary.LittleEndian, "sixty-four"
	b := zip64(content)[:localSize+1+20+len(content)]
	dir := uint32(len(b))
	b = append(le.AppendUint32(b, entrySignature), 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0x21, 0)
	b = le.AppendUint32(le.AppendUint32(le.AppendUint32(b, crc32.ChecksumIEEE([]byte(content))), uint32(len(content))), uint32(len(content)))
	b = append(append(b, 1, 0), make([]byte, 16)...)
	b = append(b, 'x')
	end := len(b)
	b = append(le.AppendUint32(b, endSignature), 0, 0, 0, 0, 1, 0, 1, 0)
	b = append(le.AppendUint32(le.AppendUint32(b, uint32(end)-dir), dir), 0, 0)
	if d, z := open(t, b); found(d) != nil || len(z.Members) != 1 || z.Members[0].Wide {
		t.Fatalf("%v, %+v", found(d), z.Members)
	}
	sound := bytes.Clone(b)
	clear(b[end+12 : end+16]) // the size of the directory
	_, z := open(t, b)
	if !z.Retraced || len(z.Members) != 1 || z.Members[0].Name != "x" {
		t.Errorf("%+v", z)
	}
	if fixed, _ := repaired(t, b); !bytes.Equal(fixed, sound) {
		t.Errorf("repaired: % x", fixed)
	}
}
