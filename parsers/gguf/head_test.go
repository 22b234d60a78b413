package gguf

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestSeveralWrongInHead damages two or three numbers of the head at once: neither hides the others.
func TestSeveralWrongInHead(t *testing.T) {
	var pairs, tensors [][]byte
	for i := range 12 {
		pairs = append(pairs, pairOf(fmt.Sprintf("llama.key_%d", i), 8, str("value")...))
		tensors = append(tensors, entryOf(fmt.Sprintf("blk.%d.weight", i), 0, uint64(i)*64, 4, 4))
	}
	counts := make([]int, 12)
	for i := range counts {
		counts[i] = 16
	}
	good := made(append([][]byte{llama}, pairs...), tensors, numbers(counts...))
	const magic, version, pairCount = 2, 4, 16
	damage := map[int]byte{magic: 0x02, version: 0x04, pairCount: 0x02}
	for _, wrong := range [][]int{{pairCount}, {magic, pairCount}, {magic, version}, {version, pairCount}, {magic, version, pairCount}} {
		b := bytes.Clone(good)
		for _, at := range wrong {
			b[at] ^= damage[at]
		}
		d, err := model.OpenBytes(t.Context(), "a.gguf", b, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range wrong {
			named := slices.ContainsFunc(g.Causes, func(c *cause.Cause) bool {
				if at < int(c.At.Off) || at >= int(c.At.Off+c.At.Len) || len(c.Repairs) == 0 {
					return false
				}
				is, err := c.Repairs[0].To.Content("a.gguf")
				got := make([]byte, 1)
				_, bad := is.ReadAt(got, int64(at))
				return err == nil && bad == nil && got[0] == good[at]
			})
			if !named {
				t.Errorf("%v: byte %d is not corrected by the first repair of a cause", wrong, at)
				for _, c := range g.Causes {
					t.Log(c.Grade, c.Text, c.At.Off, c.At.Len, len(c.Repairs))
				}
			}
		}
	}
}
