package parsers

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model/cause"
)

// TestNothingRestsOnAGuess: of two offsets that are wrong, nothing says which of the tables that nothing refers to belongs to which. If the first
// gets one of them by a guess, the other table is not proven to be that of the second.
func TestNothingRestsOnAGuess(t *testing.T) {
	g := causesOf(t, "samediff/good/container.fb", "", func(b []byte) []byte {
		copy(b[0x140:], "\x0c\x00\x00\x00")
		copy(b[0x14c:], "\x32\xd1\x0b\xe2")
		return b
	})
	if len(g.Causes) < 2 {
		t.Fatalf("%+v", g.Causes)
	}
	for _, c := range g.Causes {
		if c.Grade == cause.Proven {
			t.Errorf("%s cause: %s", c.Grade, c.Text)
		}
	}
}

// TestNameWithoutIndex: where the rows of an index are gone, and written again from the members, they do not prove that a member's name is right.
func TestNameWithoutIndex(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shards")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "testdata", "taridx", "good", "three-shards"))); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(b []byte){
		"train.taridx":   func(b []byte) { clear(b[len(b)*3/8:]) },
		"train_0002.tar": func(b []byte) { b[1] ^= 2 },
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		damage(b)
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range causesAt(t, dir).Causes {
		if c.Grade == cause.Proven {
			t.Errorf("%s cause: %s", c.Grade, c.Text)
		}
	}
}

// TestMisreadEntry: eight bytes in the entry of a column moved up by one. What follows them is read from wrong places, and no number is proven to be what
// would suit the rest there.
func TestMisreadEntry(t *testing.T) {
	for _, c := range causesOf(t, "idv/good/stored.idv", "", func(b []byte) []byte {
		at := len(b) - 227
		copy(b[at:at+8], b[at+1:])
		b[at+8] = 0
		return b
	}).Causes {
		if c.Grade > cause.Possible && strings.Contains(c.Text, "rowsPerBlock") {
			t.Errorf("%s cause: %s", c.Grade, c.Text)
		}
	}
}

// TestOtherAnswers: headers of tensors with more than one explanation: neither is proven.
func TestOtherAnswers(t *testing.T) {
	for _, head := range []string{
		`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},"b":{"dtype":"F32","shape":[2],"data_offsets":[12,28]}} `,                  // a wrong type, or a wrong shape
		`{"layers.2.w:{"dtype":"F32","shape":[3],"data_offsets":[0,12]},"llayers.3.w":{"dtype":"F32","shape":[4],"data_offsets":[12,28]}}`, // a quotation mark that is lost, and a letter that is there twice
		`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,  ]},"b":{"dtype":"F32","shape":[4],"data_offsets":[12,28]}} `,                  // a number that is lost, or a comma too many
	} {
		path := filepath.Join(t.TempDir(), "a.safetensors")
		b := append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...)
		if err := os.WriteFile(path, append(b, "twenty-eight bytes of values"...), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range causesAt(t, path).Causes {
			if c.Grade == cause.Proven {
				t.Errorf("%s: %s cause: %s", head, c.Grade, c.Text)
			}
		}
	}
}

// TestInsertedBefore: zeros that were inserted into the header before a content are not proven to belong to it.
func TestInsertedBefore(t *testing.T) {
	var b bytes.Buffer
	w, rnd := tar.NewWriter(&b), rand.New(rand.NewPCG(1, 2))
	for i := range 6 {
		image := make([]byte, 1363+50*i)
		for k := range image {
			image[k] = byte(rnd.Uint32())
		}
		for k, ext := range []string{"jpg", "cls"} {
			body := [][]byte{image, []byte("7")}[k]
			w.WriteHeader(&tar.Header{Name: fmt.Sprintf("s%04d.%s", i, ext), Size: int64(len(body)), Mode: 0o644, Format: tar.FormatUSTAR})
			w.Write(body)
		}
	}
	w.Close()
	path := filepath.Join(t.TempDir(), "a.tar")
	if err := os.WriteFile(path, slices.Insert(b.Bytes(), 345, make([]byte, 16)...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range causesAt(t, path).Causes {
		if c.Grade == cause.Proven {
			t.Errorf("%s cause: %s", c.Grade, c.Text)
		}
	}
}

// TestLostInEntry: where 16 bytes of the entry of a column are lost, what states the length of the file is right.
func TestLostInEntry(t *testing.T) {
	for _, c := range causesOf(t, "idv/good/stored.idv", "", func(b []byte) []byte { return slices.Delete(b, len(b)-149, len(b)-133) }).Causes {
		if c.Grade == cause.Proven {
			t.Errorf("%s cause: %s", c.Grade, c.Text)
		}
	}
}

// TestRepeatedInside: a piece that is in an array twice, and as many bytes after its end, are told and undone without asking for warnings. Rows that are there
// twice before as many bytes as a row are not proven to be that.
func TestRepeatedInside(t *testing.T) {
	rnd, values := rand.New(rand.NewPCG(1, 2)), make([]byte, 8192)
	for i := range values {
		values[i] = byte(rnd.Uint32())
	}
	for shape, proven := range map[string]bool{"(8192,)": true, "(8, 1024)": false} {
		b := fmt.Appendf(nil, "\x93NUMPY\x01\x00v\x00%-117s\n%s", "{'descr': '|u1', 'fortran_order': False, 'shape': "+shape+", }", values[:3072])
		b = append(append(b, values[2048:3072]...), values[3072:]...)
		path := filepath.Join(t.TempDir(), "a.npy")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		g := causesAt(t, path)
		if len(g.Causes) == 0 || (g.Causes[0].Grade == cause.Proven) != proven {
			t.Errorf("%s: %+v", shape, g.Causes)
		}
	}
}
