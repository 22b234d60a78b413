package safetensors

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestHeaderLength gives the length of a header other values, and takes it away: the object in it says what it was.
func TestHeaderLength(t *testing.T) {
	good, err := os.ReadFile("../../testdata/safetensors/good/model.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	formats := []*model.Format{Format}
	n := binary.LittleEndian.Uint64(good)
	with := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
	for _, c := range []struct {
		name, says string
		b          []byte
	}{
		{"too short by half", "header_size", append(with(n/2), good[8:]...)},
		{"more than readers allow", "header_size", append(with(n|1<<40), good[8:]...)},
		{"its first byte is missing", "The first byte", good[1:]},
		{"all of it is missing", "The first 8 bytes", good[8:]},
		{"zeros in front of it", "100 bytes", append(make([]byte, 100), good...)},
	} {
		d, err := model.OpenBytes(context.Background(), "a.safetensors", c.b, formats, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cause.Find(context.Background(), d, cause.Options{Formats: formats, Deep: true})
		if err != nil || len(g.Causes) == 0 || !strings.Contains(g.Causes[0].Text, c.says) || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%s: %v %+v", c.name, err, g)
			continue
		}
		is, err := g.Causes[0].Repairs[0].To.Content("a.safetensors")
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, is.Len())
		if is.ReadAt(got, 0); !bytes.Equal(got, good) {
			t.Errorf("%s: the first repair does not restore the file", c.name)
		}
	}
}
