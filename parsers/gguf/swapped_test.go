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

// A conversion to the other byte order ended before the last tensors: they are named, reversing them is likely, and salvage does not call them sound. A
// tensor with too few different numbers for a verdict goes with the others.
func TestHalfConverted(t *testing.T) {
	var weights, ones []byte
	for i := range 64 {
		weights = le.AppendUint32(weights, math.Float32bits(float32(math.Sin(float64(i+1)))/10))
	}
	for range 8 {
		ones = le.AppendUint32(ones, math.Float32bits(1))
	}
	turned := func(b []byte) []byte {
		b = slices.Clone(b)
		for n := range slices.Chunk(b, 4) {
			slices.Reverse(n)
		}
		return b
	}
	of := func(parts ...[]byte) []byte {
		return made([][]byte{llama}, [][]byte{entryOf("a.weight", 0, 0, 8, 8), entryOf("a.norm", 0, 256, 8), entryOf("b.weight", 0, 288, 64), entryOf("b.norm", 0, 544, 8),
			entryOf("c.weight", 0, 576, 64)}, bytes.Join(parts, nil))
	}
	good, half := of(weights, ones, weights, ones, weights), of(weights, ones, turned(weights), turned(ones), turned(weights))
	d := opened(t, half)
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true, Warnings: true})
	if err != nil || len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
		t.Fatalf("%v %+v", err, g)
	}
	c := g.Causes[0]
	is, err := c.Repairs[0].To.Content("x.gguf")
	if err != nil || c.Grade != cause.Likely || !strings.Contains(c.Text, "3 arrays are stored in the other byte order") || !bytes.Equal(all(t, is), good) {
		t.Errorf("%v: %s %s", err, c.Grade, c.Text)
	}
	for b, says := range map[string]string{string(half): "may be wrong: the numbers of 3 of 5 arrays make sense only in the other byte order: b.weight, b.norm, c.weight (", string(good): "no errors"} {
		s, err := model.Salvage(t.Context(), opened(t, []byte(b)).Tree)
		if err != nil || !strings.Contains(s.Verdict(), says) || strings.Contains(s.Verdict(), "no errors") != (says == "no errors") {
			t.Errorf("%v: %s, not %s", err, s.Verdict(), says)
		}
	}
}
