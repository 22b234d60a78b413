package tiledb

import (
	"os"
	"testing"
)

// A wrong byte of cells without a digest is solved by what the fragment repeats of them, where no other byte gives the same; where it is, nothing
// but the byte that stood there is offered.
func TestWrongByteOfCells(t *testing.T) {
	solved := 0
	for at := 36; at < 100; at += 3 {
		var was []byte
		d, _ := hurt(t, "sparse-v22", func(find func(string) string) {
			was, _ = os.ReadFile(find("a0.tdb"))
			b := append([]byte(nil), was...)
			b[at] ^= 0x5a
			try(t, os.WriteFile(find("a0.tdb"), b, 0o600))
		})
		found, _ := d.Tree.Findings()
		for i := range found {
			s, ok := found[i].About.(*summedTile)
			if !ok {
				continue
			}
			for _, fix := range s.solve(t.Context(), d.Tree) {
				edits, err := fix.Make(t.Context(), d.Tree)
				try(t, err)
				p, err := d.Plan(t.Context(), fix.Label, edits...)
				try(t, err)
				d.Apply(t.Context(), p, nil)
				name := d.Tree.FileName(s.at.f.files[s.at.f.slots[s.at.slot].File].Range)
				if got := fileBytes(d.Tree, name, 1<<20); string(got) == string(was) {
					solved++
				} else if fix.Safe {
					t.Errorf("byte %d: %q is called safe and gives other bytes", at, fix.Label)
				}
			}
		}
	}
	if solved == 0 {
		t.Error("no byte is solved")
	}
}
