package ui

import (
	"testing"

	"spandrel/model"
	"spandrel/testdata"
)

// A row of what was changed leads to bytes that an undo has taken away since: what is left of them is selected.
func TestChosenBytesAreThere(t *testing.T) {
	path, err := testdata.Samples[0].Copy(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := emptyBench(t)
	d := b.open(t, path)
	root := d.Tree().Root.Range
	for _, r := range []model.Range{{Space: root.Space, Off: root.Len - 3, Len: 100}, {Space: root.Space, Off: root.Len, Len: 1}, {Space: root.Space, Off: root.Len + 7, Len: 1 << 20}} {
		d.Sel.Bytes(r, nil)
		b.settle(t)
		if got := d.Sel.Now.Range; got.End() != root.Len || got.Off != min(r.Off, root.Len) {
			t.Errorf("%+v of %d bytes selects %+v", r, root.Len, got)
		}
	}
}
