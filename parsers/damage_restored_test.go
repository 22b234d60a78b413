package parsers

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// causesIn is the diagnosis of a file.
func causesIn(t *testing.T, name string, b []byte) *cause.Diagnosis {
	t.Helper()
	d, err := model.OpenBytes(t.Context(), name, b, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: All(), Time: patience})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range g.Causes {
		t.Logf("%s: %s cause: %s", name, c.Grade, c.Text)
	}
	return g
}

// back tells whether the first repair of a diagnosis of at least a grade leads to these bytes.
func back(t *testing.T, g *cause.Diagnosis, least cause.Grade, want []byte) bool {
	t.Helper()
	if len(g.Causes) == 0 || g.Causes[0].Grade < least || len(g.Causes[0].Repairs) == 0 {
		return false
	}
	to := g.Causes[0].Repairs[0].To
	c, err := to.Content(to.Primary)
	if err != nil {
		t.Fatal(err)
	}
	is := make([]byte, c.Len())
	_, err = c.ReadAt(is, 0)
	return err == nil && bytes.Equal(is, want)
}

// Two pages of a disk that a checksum covers are swapped back, wherever they are, and parts of an archive that were joined in another order.
func TestPagesExchanged(t *testing.T) {
	values := make([]byte, 96<<10)
	for i, r := 0, rand.NewPCG(1, 2); i < len(values); i++ {
		values[i] = byte(r.Uint64())
	}
	head := "\x93NUMPY\x01\x00\x76\x00" + "{'descr': '|u1', 'fortran_order': False, 'shape': (98304,), }"
	array := append([]byte(head+strings.Repeat(" ", 127-len(head))+"\n"), values...)
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	m, err := w.CreateHeader(&zip.FileHeader{Name: "a.npy"})
	if err != nil {
		t.Fatal(err)
	}
	m.Write(array)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := archive.Bytes()
	const page = 4096
	swapped := bytes.Clone(whole)
	copy(swapped[3*page:], whole[17*page:18*page])
	copy(swapped[17*page:], whole[3*page:4*page])
	if !back(t, causesIn(t, "a.npz", swapped), cause.Proven, whole) {
		t.Error("two pages are not swapped back")
	}
	const part = 32 << 10
	if joined := slices.Concat(whole[part:], whole[:part]); !back(t, causesIn(t, "a.npz", joined), cause.Proven, whole) {
		t.Error("the parts are not put in order")
	}
}

// An empty file whose bytes are in a second copy beside it is not lost.
func TestEmptyBesideCopy(t *testing.T) {
	d := openSound(t, filepath.Join("..", "testdata", "scdl", "good", "archive"))
	c, err := d.Tree.Snapshot.Content("data.npy")
	if err != nil {
		t.Fatal(err)
	}
	damaged := d.Tree.Snapshot.With("data.npy", model.BytesContent(nil)).With("data (one's conflicted copy 2026-11-02).npy", c)
	g, err := cause.Find(t.Context(), opened(d, damaged), cause.Options{Formats: All(), Time: patience})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Causes) != 1 || len(g.Causes[0].Repairs) == 0 || g.Causes[0].Repairs[0].Loses != "" || !sameState(g.Causes[0].Repairs[0].To, d.Tree.Snapshot) {
		for _, c := range g.Causes {
			t.Errorf("%s cause: %s", c.Grade, c.Text)
		}
	}
}

// A variable and an array of the manifest that have lost their common name have the same place.
func TestRenamedVariable(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("..", "testdata", "samediff", "good", "blobs.sdnb"))
	if err != nil {
		t.Fatal(err)
	}
	is := bytes.Replace(whole, []byte("t\x00\x01wsr"), []byte("t\x00\x01vsr"), 1)
	if bytes.Equal(is, whole) || !back(t, causesIn(t, "blobs.sdnb", is), cause.Likely, whole) {
		t.Error("the entry does not get its name back")
	}
}

// Another type for a tensor than all others have, or another shape: the type is wrong.
func TestUnlikeOthers(t *testing.T) {
	var head []string
	for i := range 8 {
		head = append(head, fmt.Sprintf(`"layers.%d.weight":{"dtype":"F32","shape":[24,16],"data_offsets":[%d,%d]}`, i, i*1536, i*1536+1536))
	}
	text := "{" + strings.Join(head, ",") + "}"
	text += strings.Repeat(" ", -len(text)&7)
	whole := slices.Concat([]byte{byte(len(text)), byte(len(text) >> 8), 0, 0, 0, 0, 0, 0}, []byte(text), bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, 8*384))
	is := bytes.Replace(whole, []byte(`6.weight":{"dtype":"F32"`), []byte(`6.weight":{"dtype":"F16"`), 1)
	if !back(t, causesIn(t, "a.safetensors", is), cause.Likely, whole) {
		t.Error("the type is not the first repair")
	}
}

// A text that sed has replaced everywhere in a binary file by a longer one is shortened again.
func TestTextReplaced(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("..", "testdata", "idv", "good", "no-rows.idv"))
	if err != nil {
		t.Fatal(err)
	}
	if !back(t, causesIn(t, "a.idv", bytes.ReplaceAll(whole, []byte("Span"), []byte("Spannen"))), cause.Likely, whole) {
		t.Error("a longer text is not shortened")
	}
}
