package gguf

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// weighted is a file whose numbers look like those of a model, and where its data begin.
func weighted() (b []byte, start int) {
	var weights []byte
	for i := range 64 {
		weights = le.AppendUint32(weights, math.Float32bits(float32(math.Sin(float64(i+1)))/10))
	}
	b = made([][]byte{llama}, [][]byte{entryOf("a.weight", 0, 0, 8, 8), entryOf("b.weight", 0, 256, 61), entryOf("c.weight", 0, 512, 64)},
		slices.Concat(weights, weights[:244], make([]byte, 12), weights))
	return b, len(b) - 768
}

// A text of the header became longer or shorter, and the padding was not renewed: the data are moved into place, whatever the numbers that are read a few
// bytes too early look like, and no byte of them is removed.
func TestLateData(t *testing.T) {
	good, start := weighted()
	for _, n := range []int{3, 8, 13} { // 8: two whole numbers
		d := opened(t, slices.Insert(slices.Clone(good), start, make([]byte, n)...))
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true, Warnings: true})
		if err != nil || len(g.Findings) != 1 || g.Findings[0].Rule != lateData || len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%d: %v %+v", n, err, g.Findings)
			continue
		}
		c := g.Causes[0]
		is, err := c.Repairs[0].To.Content("x.gguf")
		if err != nil || c.Grade < cause.Likely || !bytes.Equal(all(t, is), good) {
			t.Errorf("%d: %v %s %s %v", n, err, c.Grade, c.Text, c.Evidence)
		}
		s, err := model.Salvage(t.Context(), d.Tree)
		if err != nil || !s.Valid() || !bytes.Equal(all(t, s.Files["x.gguf"]), good) {
			t.Errorf("%d: salvaged %v %+v", n, err, s)
		}
	}
}

// Bytes that follow a sound file are no sign that its data begin later, and numbers that are read too early are not called swapped.
func TestNotLate(t *testing.T) {
	good, start := weighted()
	for name, b := range map[string][]byte{"text behind": append(slices.Clone(good), "the end of it"...), "zeros behind": append(slices.Clone(good), make([]byte, 12)...),
		"bytes missing": slices.Delete(slices.Clone(good), start-3, start), "bytes inserted": slices.Insert(slices.Clone(good), start, []byte("x123456789012")...)} {
		d := opened(t, b)
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true, Warnings: true})
		if err != nil || len(g.Findings) == 0 {
			t.Errorf("%s: %v, no findings", name, err)
		}
		for _, f := range g.Findings {
			if f.Rule == lateData || f.Rule == model.RuleSwapped || strings.Contains(f.Text(), "byte order") {
				t.Errorf("%s: %s", name, f.Text())
			}
		}
	}
}

// TestTurnedShapes: where the dimensions are in the order of numpy, they are reversed, and not the metadata changed.
func TestTurnedShapes(t *testing.T) {
	shaped := func(a, b uint64) []byte {
		return made([][]byte{llama, pairOf("llama.embedding_length", 4, 4, 0, 0, 0)}, [][]byte{entryOf("token_embd.weight", 0, 0, a, b), entryOf("output.weight", 0, 64, b, a), entryOf("output_norm.weight", 0, 128, 4)}, numbers(12, 12, 4))
	}
	good := shaped(4, 3)
	d := opened(t, shaped(3, 4))
	found, _ := d.Tree.Findings()
	if len(found) != 1 || found[0].Rule != otherSize {
		t.Fatalf("%+v", found)
	}
	fixes := d.Tree.Fixes(t.Context(), &found[0])
	if len(fixes) != 1 {
		t.Fatalf("%+v", fixes)
	}
	p, err := d.Plan(t.Context(), "repair", fixes[0].Edits...)
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(t.Context(), p, nil)
	if is, err := d.Tree.Snapshot.Content("x.gguf"); err != nil || !bytes.Equal(all(t, is), good) {
		t.Error(err)
	}
}
