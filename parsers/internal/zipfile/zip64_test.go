package zipfile

import (
	"archive/zip"
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

// streamed64 makes an archive as Python does where it cannot go back: sizes of 8 bytes behind the data of each member, though the directory has
// them in 4.
func streamed64(t *testing.T, method uint16) []byte {
	le := binary.LittleEndian
	plain := archived(t, true, method)
	z, err := zip.NewReader(bytes.NewReader(plain), int64(len(plain)))
	if err != nil {
		t.Fatal(err)
	}
	var out, dir []byte
	for _, f := range z.File {
		at, err := f.DataOffset()
		if err != nil {
			t.Fatal(err)
		}
		offset := uint32(len(out))
		data := plain[at : at+int64(f.CompressedSize64)]
		head := []uint16{45, 8, method, 0, 0x21}
		numbers := func(b []byte, signature uint32, fields []uint16) []byte {
			b = le.AppendUint32(b, signature)
			for _, v := range fields {
				b = le.AppendUint16(b, v)
			}
			return b
		}
		out = append(numbers(out, localSignature, head), 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
		out = le.AppendUint16(le.AppendUint16(out, uint16(len(f.Name))), 20)
		out = append(append(append(out, f.Name...), 1, 0, 16, 0), make([]byte, 16)...)
		out = le.AppendUint32(le.AppendUint32(append(out, data...), descriptorSignture), f.CRC32)
		out = le.AppendUint64(le.AppendUint64(out, f.CompressedSize64), f.UncompressedSize64)
		dir = le.AppendUint32(numbers(dir, entrySignature, append([]uint16{45}, head...)), f.CRC32)
		dir = le.AppendUint32(le.AppendUint32(dir, uint32(f.CompressedSize64)), uint32(f.UncompressedSize64))
		dir = append(le.AppendUint16(dir, uint16(len(f.Name))), make([]byte, 12)...)
		dir = append(le.AppendUint32(dir, offset), f.Name...)
	}
	end := le.AppendUint32(nil, endSignature)
	end = append(end, 0, 0, 0, 0, byte(len(z.File)), 0, byte(len(z.File)), 0)
	end = le.AppendUint32(le.AppendUint32(end, uint32(len(dir))), uint32(len(out)))
	return append(append(append(out, dir...), end...), 0, 0)
}

func TestStreamed64(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		b := streamed64(t, method)
		holds(t, b, contents)
		if d, z := open(t, b); found(d) != nil || len(z.Members) != len(contents) || z.Members[0].descriptor != 24 {
			t.Errorf("method %d: %v, %+v", method, found(d), z.Members)
		}
		at := func(off, n int64) []byte { return b[min(off, int64(len(b))):min(off+n, int64(len(b)))] }
		for _, m := range Carve(bg, at, int64(len(b))) {
			if !m.Whole(bg, at) || m.descriptor != 24 {
				t.Errorf("method %d: without the directory: %+v", method, m)
			}
		}
	}
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
