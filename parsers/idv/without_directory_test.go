package idv

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// TestRowsWithoutDirectory cuts streams where their directory begins. The tables of blocks tell where columns are that are not deflated; what the blocks
// hold, also in the forms of old writers, is what their bytes look like.
func TestRowsWithoutDirectory(t *testing.T) {
	for name, least := range map[string]int{"stored.idv": 130, "legacy.idv": 11} { // cells that read as before
		withoutDirectory(t, filepath.Join("../../testdata/idv/good", name), least)
	}
	withoutDirectory(t, filepath.Join(suite.Corpus(t, "idv"), "gen-scalars-none-1block.idv"), 255)
}

// withoutDirectory reads what is left of a file in front of its directory.
func withoutDirectory(t *testing.T, file string, least int) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d, err := model.OpenBytes(context.Background(), "a.idv", b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s := stateOf(d.Tree).all()[0]
	left, right := rowsIn(t, b[:s.base+s.toc]), 0
	for _, cells := range rowsIn(t, b) {
		best := 0
		for _, is := range left {
			best = max(best, same(cells, is))
		}
		right += best
	}
	if right < least {
		t.Errorf("%s: %d cells read as before, at least %d should", filepath.Base(file), right, least)
	}
}

// same counts the cells that two columns have in common.
func same(a, b []string) (n int) {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] && a[i] != "" {
			n++
		}
	}
	return n
}
