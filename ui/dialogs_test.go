package ui

import (
	"slices"
	"testing"

	"spandrel/model"
)

// A dialog that asks for a file can show what is known, each format by its name with its endings, or every file, whatever its name.
func TestKindsOfFiles(t *testing.T) {
	var labels []string
	kinds := kindsOf([]*model.Format{{Title: "One", Exts: []string{".a"}, Inside: []string{".b"}}, {Title: "Folders"}, {Title: "Two", Exts: []string{".c"}}})
	for _, k := range kinds {
		labels = append(labels, k.Label())
	}
	want := []string{"All known files (*.a, *.b, *.c)", "One (*.a, *.b)", "Two (*.c)", "All files"}
	if !slices.Equal(labels, want) {
		t.Errorf("kinds are %q, not %q", labels, want)
	}
	if all := kinds[len(kinds)-1]; len(all.Exts) != 0 {
		t.Errorf("all files are those that end in %q", all.Exts)
	}
}
