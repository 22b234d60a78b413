package npy

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"spandrel/model"
)

// zeros is an archive of one array of n zeros whose header says that it has said.
func zeros(n, said int) []byte {
	return archived(zip.Deflate, "a.npy", string(array(dict("'<f8'", "False", fmt.Sprintf("(%d,)", said)), make([]byte, 8*n))))
}

// deepFindings are the rules of what a full check of an archive finds.
func deepFindings(t *testing.T, b []byte) (out []string) {
	t.Helper()
	d, err := model.OpenBytes(context.Background(), "x.npz", b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Deep(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	for i := range found {
		out = append(out, found[i].Rule.ID)
	}
	return out
}

// An array of zeros deflates more than 1000:1, and is whole.
func TestHighRatio(t *testing.T) {
	for _, n := range []int{1_000_000, 2_000_000, 4_000_000} {
		if found := deepFindings(t, zeros(n, n)); found != nil {
			t.Errorf("%d zeros: %v", n, found)
		}
	}
}

// What the limit of decoded bytes cuts is not found wanting: one note says so, and size, checksum and shape are checked all the same.
func TestBeyondLimit(t *testing.T) {
	was := model.DecodedBudget()
	t.Cleanup(func() { model.SetCacheBudget(was) })
	model.SetCacheBudget(64 << 10)
	const n = 1 << 18
	wrong := func(field int64, v uint32) []byte {
		b := zeros(n, n)
		e := bytes.Index(b, []byte("PK\x01\x02")) + 16
		binary.LittleEndian.PutUint32(b[int64(e)+field:], v)
		return b
	}
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"whole":                  {zeros(n, n), "model.cap"},
		"the shape is too large": {zeros(n, n+1), "model.cap NPY-003"},
		"the sum is wrong":       {wrong(0, 7), "NPY-012 model.cap NPY-014"},
		"the size is too small":  {wrong(8, 70_000), "NPY-012 model.undecoded NPY-003 NPY-014"},
		"the size is too large":  {wrong(8, 8*n+4096), "NPY-012 model.cap NPY-014"},
	} {
		if found := strings.Join(deepFindings(t, c.b), " "); found != c.want {
			t.Errorf("%s: %s, expected %s", name, found, c.want)
		}
	}
}

// A stored archive that was cut says that it is too short, also where it ends in zeros: what is in it is no file of its own.
func TestCutArchive(t *testing.T) {
	ctx := context.Background()
	weights := array(dict("'<f8'", "False", "(300,)"), make([]byte, 2400))
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"a.npy", "b.npy"} { // with sizes in front of the data, as numpy writes them
		n := uint64(len(weights))
		f, err := w.CreateRaw(&zip.FileHeader{Name: name, CRC32: crc32.ChecksumIEEE(weights), CompressedSize64: n, UncompressedSize64: n})
		if err == nil {
			_, err = f.Write(weights)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for n := 100; n < b.Len()-150; n += 37 {
		d, err := model.OpenBytes(ctx, "x.npz", b.Bytes()[:n], []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if list := extents(ctx, d.Tree); len(list) != 1 || list[0].Size <= int64(n) || len(list[0].Magics) == 0 {
			t.Errorf("%d bytes: %+v", n, list)
		}
		d.Close()
	}
}
