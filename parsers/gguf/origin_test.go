package gguf

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestOrigin: a writer counted the offsets from another place or in another unit. The repair restores the file; salvage restores the tensors, or none if the
// file is cut as well.
func TestOrigin(t *testing.T) {
	counted := func(n func(uint64) uint64) []byte {
		return made([][]byte{llama}, [][]byte{entryOf("a.weight", 0, n(0), 4, 2), entryOf("b.weight", 0, n(32), 5), entryOf("c.weight", 0, n(64), 2, 3)}, numbers(8, 5, 6))
	}
	good := counted(func(n uint64) uint64 { return n })
	start := uint64(len(good) - 96)
	for says, n := range map[string]func(uint64) uint64{
		"count from the start of the file: each is ":  func(n uint64) uint64 { return n + start },
		"are each 4096 too large.":                    func(n uint64) uint64 { return n + 4096 },
		"count units of 32 bytes instead of bytes.":   func(n uint64) uint64 { return n / 32 },
		"count units of 4 bytes instead of bytes, an": func(n uint64) uint64 { return n/4 + 8 },
	} {
		d := opened(t, counted(n))
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
		if err != nil || len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%s: %v %+v", says, err, g.Findings)
			continue
		}
		c := g.Causes[0]
		is, err := c.Repairs[0].To.Content("x.gguf")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(c.Text, "The offsets of all tensors "+says) || c.Grade != cause.Proven || !bytes.Equal(all(t, is), good) {
			t.Errorf("%s: %s %s %v", says, c.Grade, c.Text, c.Evidence)
		}
		s, err := model.Salvage(t.Context(), d.Tree)
		if err != nil || !bytes.Equal(all(t, s.Files["x.gguf"]), good) {
			t.Errorf("%s: salvaged %v", says, err)
		}
		cut := counted(n)
		if s, err := model.Salvage(t.Context(), opened(t, cut[:len(cut)-40]).Tree); err == nil && !bytes.Contains(all(t, s.Files["x.gguf"]), numbers(8, 5)) {
			t.Errorf("%s: salvaged of the cut file %v", says, s.Parts)
		}
	}
}

func all(t *testing.T, s model.Source) []byte {
	t.Helper()
	b, err := io.ReadAll(io.NewSectionReader(s, 0, s.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
