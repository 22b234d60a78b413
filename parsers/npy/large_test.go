package npy

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
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
