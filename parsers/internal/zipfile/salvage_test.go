package zipfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"spandrel/model"
)

// salvaged is what Salvage saves of an archive.
func salvaged(t *testing.T, b []byte) ([]byte, model.SalvagedPart) {
	t.Helper()
	s, part, _ := Salvage(bg, func(off, n int64) []byte { return b[min(max(0, off), int64(len(b))):min(max(0, off+n), int64(len(b)))] }, int64(len(b)))
	if s == nil {
		return nil, part
	}
	out := make([]byte, s.Len())
	_, _ = s.ReadAt(out, 0)
	return out, part
}

// but is the contents without some members.
func but(names ...string) map[string]string {
	out := maps.Clone(contents)
	maps.DeleteFunc(out, func(name, _ string) bool { return slices.Contains(names, name) })
	return out
}

// Of an archive that lost bytes in a member, or has surplus ones in it, all others are saved, and it is named.
func TestSalvageMoved(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			b := archived(t, streamed, method)
			in := localSize + len(order[0]) + 4
			for name, moved := range map[string][]byte{
				"lost":    slices.Delete(bytes.Clone(b), in, in+3),
				"surplus": slices.Insert(bytes.Clone(b), in, 7, 7, 7),
			} {
				out, part := salvaged(t, moved)
				if part.Saved != 2 || part.Of != 3 || part.Lost != order[0] {
					t.Fatalf("%s, streamed %v, method %d: %v", name, streamed, method, part)
				}
				holds(t, out, but(order[0]))
			}
		}
	}
}

// A member whose local header is damaged is saved as the directory describes it.
func TestSalvageByEntry(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			for _, at := range []int{0, 8, 14, 18, 22, 26} { // signature, method, CRC, sizes, length of the name
				b := archived(t, streamed, method)
				b[at] ^= 0x20
				out, part := salvaged(t, b)
				if part.Saved != 3 || part.Of != 3 || part.Lost != "" {
					t.Fatalf("byte %d, streamed %v, method %d: %v", at, streamed, method, part)
				}
				holds(t, out, contents)
			}
		}
	}
}

// The members of an archive in a damaged member are no members of the archive around it, nor is a version that the directory no longer names.
func TestSalvageOnlyItsOwn(t *testing.T) {
	inner := archived(t, false, zip.Deflate)
	inner = inner[:bytes.Index(inner, []byte("PK\x01\x02"))]
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for _, name := range []string{"inner.zip", "same"} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(inner)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	b := file.Bytes()
	b[bytes.Index(b, inner)+10] ^= 1 // the time of a member
	for name, x := range map[string]struct {
		cut int
		of  int64
	}{"with its directory": {0, 2}, "without": {endSize + 40, -1}} {
		out, part := salvaged(t, b[:len(b)-x.cut])
		if part.Saved != 1 || part.Of != x.of || part.Lost != "inner.zip" {
			t.Errorf("%s: %v", name, part)
		}
		holds(t, out, map[string]string{"same": string(inner)})
	}

	b = archived(t, false, zip.Store)
	end := bytes.LastIndex(b, []byte("PK\x05\x06\x00\x00\x00\x00"))
	dir := int(binary.LittleEndian.Uint32(b[end+16:]))
	b = slices.Insert(b, dir, b[:localSize+len(order[0])+len(contents[order[0]])]...)
	binary.LittleEndian.PutUint32(b[len(b)-(len(archived(t, false, zip.Store))-end)+16:], uint32(len(b)-(len(archived(t, false, zip.Store))-dir)))
	if out, part := salvaged(t, b); part.Saved != 3 || part.Of != 3 || part.Lost != "" {
		t.Errorf("a member twice: %v", part)
	} else {
		holds(t, out, contents)
	}
}
