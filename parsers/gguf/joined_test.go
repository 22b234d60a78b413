package gguf

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// The files of a split model are joined in one: salvage says that it saves the first one only, and no other name is advised.
func TestJoinedSplits(t *testing.T) {
	part := func(no uint16, name string) []byte {
		return made(splitOf(no, 3, 3), [][]byte{entryOf(name, 0, 0, 8)}, numbers(8))
	}
	name := filepath.Join(t.TempDir(), "m.gguf")
	if err := os.WriteFile(name, slices.Concat(part(0, "a"), part(1, "b"), part(2, "c")), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := model.Open(t.Context(), name, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, err := model.Salvage(t.Context(), d.Tree)
	if err != nil || s.Whole() || len(s.Parts) != 2 || !strings.HasPrefix(s.Parts[1].String(), "1 of 3 GGUF files; lost: 2 other GGUF files that follow") {
		t.Errorf("%v %+v", err, s)
	}
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
	if err != nil || len(g.Causes) != 1 || !strings.HasPrefix(g.Causes[0].Text, "3 files are joined in one") {
		t.Errorf("%v %+v", err, g.Causes)
	}
}
