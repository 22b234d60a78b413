package kit

import (
	"slices"
	"testing"
)

// Of names that have the words, those come first that begin with them: the command is meant that is called so, not one that speaks of it.
func TestPickedNames(t *testing.T) {
	names := []string{"View: Pane: Table and lists", "View: Table", "Tools: Export table…", "File: Open…   Ctrl+O", "table of tensors"}
	for text, want := range map[string][]int{"table": {1, 4, 0, 2}, "": {0, 1, 2, 3, 4}, "Export  TABLE": {2}, "open": {3}, "view": {0, 1}, "nothing": nil} {
		if got := withWords(names, text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
