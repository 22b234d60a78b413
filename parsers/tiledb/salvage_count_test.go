package tiledb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
)

// Cells that were written twice are salvaged once, as readers get them; how many there were is unknown if coordinates are lost.
func TestSalvageWrittenTwice(t *testing.T) {
	for what, x := range map[string]struct {
		array, file string
		left, of    int64
		saved       int64
	}{
		"dense, metadata":     {"dense-v22", metaFileF.Name, 3000, -1, 20},
		"dense, an attribute": {"dense-v22", "a0.tdb", 50, 20, 20},
		"sparse, attribute":   {"sparse-v22", "a0.tdb", 50, 20, 20},
		"sparse, coordinates": {"sparse-v22", "d0.tdb", 50, -1, 20},
	} {
		d, _ := hurt(t, x.array, func(find func(string) string) {
			first := filepath.Dir(find(metaFileF.Name))
			again := strings.Replace(first, "__1700000000000_1700000000000_", "__1700000000009_1700000000009_", 1)
			try(t, os.CopyFS(again, os.DirFS(first)))
			commit := find(".wrt")
			try(t, os.WriteFile(filepath.Join(filepath.Dir(commit), filepath.Base(again)+".wrt"), nil, 0o600))
			try(t, os.Truncate(filepath.Join(first, x.file), x.left))
		})
		s, err := model.Salvage(t.Context(), d.Tree)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		is := &model.Document{Format: Format, Tree: s.Tree(t.Context(), d.Tree)}
		if p := s.Parts[1]; p.What != "cells" || p.Saved != x.saved || p.Of != x.of || readTable(t, is, "cells").Rows != p.Saved {
			t.Errorf("%s: %s; readers get %d", what, s.Contents(), readTable(t, is, "cells").Rows)
		}
	}
}
