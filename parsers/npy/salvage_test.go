package npy

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// saved is what is salvaged of a file, after it was opened and checked; nil for nothing.
func saved(t *testing.T, name string, b []byte) ([]byte, *model.Salvaged) {
	t.Helper()
	d, err := model.OpenBytes(context.Background(), name, b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, err := model.Salvage(context.Background(), d.Tree)
	if err != nil {
		return nil, nil
	}
	out, err := io.ReadAll(io.NewSectionReader(s.Files[name], 0, s.Files[name].Len()))
	if err != nil || !s.Valid() {
		t.Fatalf("%v, %s", err, s.Verdict())
	}
	return out, s
}

// What is left of an array that may have been written as another type is in doubt.
func TestSalvageOfAnotherType(t *testing.T) {
	b := array(dict("'<i8'", "False", "(5001,)"), make([]byte, 4*5001))
	d, err := model.OpenBytes(t.Context(), "x.npy", b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if s, err := model.Salvage(t.Context(), d.Tree); err != nil || s.Valid() || !strings.Contains(s.Verdict(), "its type is wrong") {
		t.Errorf("%v, %v", s, err)
	}
}

// Of an array that was cut the rows are saved that are whole, under a header that says how many.
func TestSalvageRows(t *testing.T) {
	rows := array(dict("'<f4'", "False", "(1000, 3)"), floats(3000))
	columns := array(dict("'<f4'", "True", "(3, 1000)"), floats(3000))
	for cut, want := range map[int]int64{1: 999, 12: 999, 13: 998, 12*999 + 1: 0, 12 * 1000: 0} {
		for name, b := range map[string][]byte{"rows": rows, "columns": columns} {
			out, s := saved(t, "x.npy", b[:len(b)-cut])
			if want == 0 {
				if s != nil {
					t.Errorf("%s without %d bytes: %v", name, cut, s.Parts)
				}
				continue
			}
			h, err := npyfile.Parse(out)
			slow := map[string]int{"rows": 0, "columns": 1}[name]
			if err != nil || h.Count != 3*want || h.Shape[slow] != want || s.Parts[0].Saved != want || s.Parts[0].What != name {
				t.Fatalf("%s without %d bytes: %v %v %v", name, cut, err, h.Shape, s.Parts)
			}
			if head := out[10:h.Data]; !bytes.Equal(out[h.Data:], b[h.Data:h.Data+12*want]) || head[len(head)-1] != '\n' || strings.Contains(string(head), "}}") {
				t.Errorf("%s without %d bytes: other values, or %q", name, cut, head)
			}
		}
	}
}

// numpyZip is an archive as numpy writes it: sizes of local headers in ZIP64 fields, those of the directory not.
func numpyZip(t *testing.T, members map[string][]byte, order ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range order {
		data := members[name]
		f, err := w.CreateRaw(&zip.FileHeader{Name: name, CRC32: crc32.ChecksumIEEE(data), CompressedSize64: uint64(len(data)), UncompressedSize64: uint64(len(data))})
		if err == nil {
			_, err = f.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	out, from := b.Bytes(), 0
	for _, name := range order { // a ZIP64 field in each local header: the directory moves, its entries are patched
		at := from + bytes.Index(out[from:], []byte("PK\x03\x04"))
		n := uint64(len(members[name]))
		copy(out[at+18:], bytes.Repeat([]byte{0xff}, 8))
		binary.LittleEndian.PutUint16(out[at+28:], 20)
		extra := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64([]byte{1, 0, 16, 0}, n), n)
		head := at + 30 + len(name)
		out = append(out[:head:head], append(extra, out[head:]...)...)
		from = head + 20 + len(members[name])
	}
	dir, at := from, from
	for k, off := 0, 0; k < len(order); k++ {
		binary.LittleEndian.PutUint32(out[at+42:], uint32(off))
		off += 30 + len(order[k]) + 20 + len(members[order[k]])
		at += 46 + len(order[k])
	}
	binary.LittleEndian.PutUint32(out[at+16:], uint32(dir))
	return out
}

// Members of an archive that are whole are saved byte for byte, as Go's reader sees them, also those of numpy with sizes in ZIP64 fields.
func TestSalvageMembers(t *testing.T) {
	members := map[string][]byte{"a.npy": array(dict("'<f4'", "False", "(10, 3)"), floats(30)), "b.npy": array(dict("'<f4'", "False", "(90,)"), floats(90)),
		"c.npy": array(dict("'<f4'", "False", "(5,)"), floats(5))}
	wide := numpyZip(t, members, "a.npy", "b.npy", "c.npy")
	if _, s := saved(t, "x.npz", wide); s == nil || s.Parts[0].Saved != 3 || !s.Whole() {
		t.Fatal("the archive itself is not whole")
	}
	flipped := bytes.Clone(wide)
	flipped[bytes.Index(wide, members["b.npy"])+200] ^= 1
	plain := archived(zip.Deflate, "a.npy", string(members["a.npy"]), "b.npy", string(members["b.npy"]), "c.npy", string(members["c.npy"]))
	for name, x := range map[string]struct {
		b    []byte
		want string
	}{"one bit": {flipped, "a.npy c.npy"}, "no directory": {wide[:bytes.Index(wide, []byte("PK\x01\x02"))], "a.npy b.npy c.npy"},
		"cut in c": {wide[:bytes.Index(wide, members["c.npy"])+20], "a.npy b.npy"}, "deflated, cut": {plain[:len(plain)-300], "a.npy b.npy"}, "cut in a": {wide[:90], ""}} {
		out, s := saved(t, "x.npz", x.b)
		if s == nil {
			if x.want != "" {
				t.Errorf("%s: nothing", name)
			}
			continue
		}
		r, err := zip.NewReader(bytes.NewReader(out), int64(len(out)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, f := range r.File {
			in, err := f.Open()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			b, err := io.ReadAll(in)
			if err != nil || !bytes.Equal(b, members[f.Name]) {
				t.Errorf("%s: %s is another: %v", name, f.Name, err)
			}
			got = append(got, f.Name)
		}
		if strings.Join(got, " ") != x.want {
			t.Errorf("%s: %v, expected %s", name, got, x.want)
		}
	}
}

// Of members whose compression is not read no one knows whether they are whole: it is not said that none is.
func TestSalvageOtherMethods(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(12, func(w io.Writer) (io.WriteCloser, error) { return nopCloser{w}, nil }) // bzip2
	w, err := z.CreateHeader(&zip.FileHeader{Name: "a.npy", Method: 12})
	if err != nil {
		t.Fatal(err)
	}
	w.Write(array(dict("'<f4'", "False", "(2, 3)"), floats(6)))
	z.Close()
	d, err := model.OpenBytes(t.Context(), "x.npz", b.Bytes(), []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err = model.Salvage(t.Context(), d.Tree); err == nil || !strings.Contains(err.Error(), "can be checked") {
		t.Error(err)
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// TestSalvageUnvouched: nothing checks the values of structures and complex numbers either.
func TestSalvageUnvouched(t *testing.T) {
	for name, least := range map[string]int64{"complex": 16, "structured": 26, "scalar": 1, "matrix": 24} {
		d, err := model.Open(t.Context(), "../../testdata/npy/good/"+name+".npy", []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := model.Salvage(t.Context(), d.Tree)
		if err != nil || s.Unvouched < least {
			t.Errorf("%s: %d bytes of values without a checksum, %v", name, s.Unvouched, err)
		}
		d.Close()
	}
}
