package ui

import (
	"bytes"
	"os"
	"testing"

	"spandrel/model"
)

// Bytes that are saved to the file that they are read from are those that were selected, and not what is left of it then.
func TestSelectionOverItsOwnFile(t *testing.T) {
	path := toyFile(t, 100)
	_, d := newBench(t, path)
	whole, err := os.ReadFile(d.Model.Path)
	if err != nil {
		t.Fatal(err)
	}
	r := model.Range{Space: d.hex.space, Off: 16, Len: 400}
	if err := writeBytes(t.Context(), d.Tree(), r, d.Model.Path, func(_, _ int64) {}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(d.Model.Path); err != nil || !bytes.Equal(got, whole[16:416]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
