package parsers

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spandrel/model"
)

// Sound files of any size that are made for harm_test.go: what a repair may take for a fault depends on how much there is, and of what.

// contents are what the values of a file may be.
var contents = []struct {
	name string
	fill func(r *rand.Rand, b []byte)
}{{"zeros", zeroes}, {"noise", noise}, {"one value", func(_ *rand.Rand, b []byte) {
	for i := 0; i+4 <= len(b); i += 4 {
		binary.LittleEndian.PutUint32(b[i:], 0x3dcccccd) // 0.1
	}
}}, {"text", prose}, {"weights", func(r *rand.Rand, b []byte) {
	for i := 0; i+4 <= len(b); i += 4 {
		binary.LittleEndian.PutUint32(b[i:], math.Float32bits(float32(r.NormFloat64()/50)))
	}
}}}

// made are files that can be made of values, by format.
var made = map[string][]struct {
	name string
	make func(t *testing.T, values []byte) []byte
}{
	"npy": {
		{"made.npy", func(_ *testing.T, v []byte) []byte { return append(npyHead(len(v)), v...) }},
		{"made.npz", func(t *testing.T, v []byte) []byte { return npzOf(t, zip.Store, v) }},
		{"deflated.npz", func(t *testing.T, v []byte) []byte { return npzOf(t, zip.Deflate, v) }},
	},
	"safetensors": {{"made.safetensors", func(_ *testing.T, v []byte) []byte {
		head := fmt.Sprintf(`{"a":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]},`, len(v)/4, len(v)) +
			fmt.Sprintf(`"b":{"dtype":"I64","shape":[1],"data_offsets":[%d,%d]}}`, len(v), len(v)+8)
		out := append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...)
		return append(append(out, v...), 1, 0, 0, 0, 0, 0, 0, 0)
	}}},
	"tar": {{"made.tar", func(t *testing.T, v []byte) []byte {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		for i, part := range [][]byte{v[:len(v)/3], v[len(v)/3:], v[:min(len(v), 700)]} {
			head := tar.Header{Name: fmt.Sprintf("s%04d.bin", i), Mode: 0o644, Size: int64(len(part)), ModTime: time.Unix(1_700_000_000, 0)}
			if err := w.WriteHeader(&head); err != nil {
				t.Fatal(err)
			}
			w.Write(part)
		}
		w.Close()
		return out.Bytes()
	}}},
	"samediff": {
		{"made.sdc", func(t *testing.T, v []byte) []byte { return sdcOf(t, v) }},
		{"made.sdz", func(t *testing.T, v []byte) []byte {
			return rezipped(t, "samediff/good/stored.sdz", zip.Store, v, grown)
		}},
		{"deflated.sdz", func(t *testing.T, v []byte) []byte {
			return rezipped(t, "samediff/good/deflated.sdz", zip.Deflate, v, grown)
		}},
	},
	"idv": {
		{"made.idv", func(t *testing.T, v []byte) []byte { return rowsAdded(t, "stored.idv", len(v)) }},
		{"deflated.idv", func(t *testing.T, v []byte) []byte { return rowsAdded(t, "deflated.idv", len(v)) }},
		{"made.zip", func(t *testing.T, v []byte) []byte {
			return rezipped(t, "idv/good/model.zip", zip.Store, v, func(t *testing.T, name string, b, v []byte) []byte {
				if filepath.Ext(name) != ".idv" || len(b) < 2000 {
					return b
				}
				return rowsAdded(t, "stored.idv", len(v))
			})
		}},
	},
}

func npyHead(n int) []byte {
	text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }", n/4)
	for (10+len(text)+1)%64 != 0 {
		text += " "
	}
	return append([]byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(text) + 1), byte((len(text) + 1) >> 8)}, text+"\n"...)
}

// npzOf is an archive whose last member is of a part of the values, as numpy writes it: sizes and checksums in front of the data.
func npzOf(t *testing.T, method uint16, v []byte) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i, part := range [][]byte{v, v[:len(v)/8*4]} {
		member := append(npyHead(len(part)), part...)
		addMember(t, w, fmt.Sprintf("arr_%d.npy", i), method, member)
	}
	w.Close()
	return out.Bytes()
}

// addMember writes a member with its sizes and checksum in front of it.
func addMember(t *testing.T, w *zip.Writer, name string, method uint16, member []byte) {
	data := member
	if method == zip.Deflate {
		data = deflated(t, member)
	}
	head := zip.FileHeader{Name: name, Method: method, CRC32: crc32.ChecksumIEEE(member), UncompressedSize64: uint64(len(member))}
	head.CompressedSize64 = uint64(len(data))
	f, err := w.CreateRaw(&head)
	if err != nil {
		t.Fatal(err)
	}
	f.Write(data)
}

func deflated(t *testing.T, b []byte) []byte {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, 6)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// rezipped is a sample's archive with members changed.
func rezipped(t *testing.T, sample string, method uint16, v []byte, change func(t *testing.T, name string, b, v []byte) []byte) []byte {
	in, err := zip.OpenReader(filepath.Join("..", "testdata", sample))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range in.File {
		f, err := m.Open()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		b.ReadFrom(f)
		f.Close()
		member := change(t, m.Name, b.Bytes(), v)
		addMember(t, w, m.Name, method, member)
	}
	w.Close()
	return out.Bytes()
}

// acted is a document after one of its format's actions, in bytes.
func acted(t *testing.T, name string, b []byte, action string, args map[string]string) []byte {
	ctx := t.Context()
	d, err := model.OpenBytes(ctx, name, b, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(d.Format.Actions, func(a model.Action) bool { return a.Name == action })
	for _, p := range d.Format.Actions[i].Params {
		if _, said := args[p.Name]; !said {
			args[p.Name] = p.Default
		}
	}
	edits, err := d.Format.Actions[i].Plan(ctx, d.Tree, d.Tree.Root, args)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Plan(ctx, action, edits...)
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(ctx, p, nil)
	return contentOf(t, d, name)
}

// grown is a graph with an array of the values.
func grown(t *testing.T, name string, b, v []byte) []byte {
	mark := []byte{0x3e, 0x71, 0x71, 0x3e} // no value of the sample, and the same in either byte order
	value := math.Float32frombits(binary.LittleEndian.Uint32(mark))
	v = v[:min(len(v), 64<<20)] // what the action adds at most
	args := map[string]string{"name": "large", "shape": fmt.Sprintf("[%d]", len(v)/4), "value": fmt.Sprint(value)}
	out := acted(t, name, b, "add-variable", args)
	at := bytes.Index(out, bytes.Repeat(mark, 16))
	if at < 0 {
		t.Fatal("the array is not in the file")
	}
	copy(out[at:at+len(v)/4*4], v)
	return out
}

// sdcOf is a container with an array of the values, under a CRC-32.
func sdcOf(t *testing.T, v []byte) []byte {
	sample, err := os.ReadFile(filepath.Join("..", "testdata", "samediff", "good", "arrays.sdc"))
	if err != nil {
		t.Fatal(err)
	}
	out := grown(t, "made.sdc", sample, v)
	for at := 18; at+14 <= len(out); {
		n := int(binary.BigEndian.Uint64(out[at+1:]))
		data := out[at+10 : at+10+n]
		binary.BigEndian.PutUint32(out[at+10+n:], crc32.ChecksumIEEE(data))
		at += 14 + n
	}
	return out
}

// rowsAdded is a sample of IDV with so many empty rows more that it has about n bytes, were they stored.
func rowsAdded(t *testing.T, sample string, n int) []byte {
	b, err := os.ReadFile(filepath.Join("..", "testdata", "idv", "good", sample))
	if err != nil {
		t.Fatal(err)
	}
	return acted(t, sample, b, "add-rows", map[string]string{"count": fmt.Sprint(min(100_000, 1+n/150))})
}
