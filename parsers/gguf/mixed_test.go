package gguf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestMixedSplit: files of several runs of a split are named, and no number is changed so that the mixture loads. If only the number of tensors differs, the
// repair of that number is at most possible.
func TestMixedSplit(t *testing.T) {
	of := func(no, count uint16, total uint32, name string) []byte {
		return made(splitOf(no, count, total), [][]byte{entryOf(name, 0, 0, 4)}, numbers(4))
	}
	const first = "m-00001-of-00003.gguf"
	odd, twice := "m-00002-of-00003.gguf is from another model or another split: it says", "a is in m-00001-of-00003.gguf and m-00002-of-00003.gguf"
	for name, x := range map[string]struct {
		files [3][]byte
		says  []string // nil: nothing
		fixes int      // of the first file
	}{
		"sound":                {[3][]byte{of(0, 3, 3, "a"), of(1, 3, 3, "b"), of(2, 3, 3, "c")}, nil, 0},
		"another count":        {[3][]byte{of(0, 3, 5, "a"), of(1, 4, 5, "b"), of(2, 3, 5, "c")}, []string{odd}, 0},
		"another total":        {[3][]byte{of(0, 3, 5, "a"), of(1, 3, 6, "b"), of(2, 3, 5, "c")}, []string{odd}, 0},
		"a tensor twice":       {[3][]byte{of(0, 3, 5, "a"), of(1, 3, 5, "a"), of(2, 3, 5, "c")}, []string{twice}, 0},
		"twice, and as many":   {[3][]byte{of(0, 3, 3, "a"), of(1, 3, 3, "a"), of(2, 3, 3, "c")}, []string{twice}, 0},
		"both":                 {[3][]byte{of(0, 3, 5, "a"), of(1, 4, 5, "a"), of(2, 3, 5, "c")}, []string{odd, twice}, 0},
		"only the total of it": {[3][]byte{of(0, 3, 5, "a"), of(1, 3, 5, "b"), of(2, 3, 5, "c")}, []string{"but the 3 files have 3 tensors"}, 1},
	} {
		dir := t.TempDir()
		for i, b := range x.files {
			if err := os.WriteFile(filepath.Join(dir, strings.Replace(first, "1", string(rune('1'+i)), 1)), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d, err := model.Open(t.Context(), filepath.Join(dir, first), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
		if err != nil || len(g.Findings) > 1 || (len(g.Findings) == 0) != (x.says == nil) {
			t.Errorf("%s: %v %+v", name, err, g.Findings)
			continue
		}
		for _, want := range x.says {
			if said := g.Findings[0].Text(); !strings.Contains(said, want) {
				t.Errorf("%s: %s", name, said)
			}
		}
		for _, c := range g.Causes {
			if c.Grade > cause.Possible {
				t.Errorf("%s: %s %s", name, c.Grade, c.Text)
			}
		}
		if len(g.Findings) > 0 {
			if fixes := g.Tree.Fixes(t.Context(), &g.Findings[0]); len(fixes) != x.fixes || x.fixes > 0 && (fixes[0].Safe || !fixes[0].Foreign) {
				t.Errorf("%s: %+v", name, fixes)
			}
		}
	}
}
