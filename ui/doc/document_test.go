package doc

import "testing"

// What a button says that a new document contains is cut between its parts, not within one.
func TestWholeParts(t *testing.T) {
	const all = "1 of 1 fragments, 20 of 20 cells, 1 of 1 dimensions, 3 of 4 attributes"
	for n, want := range map[int]string{100: all, 60: "1 of 1 fragments, 20 of 20 cells, 1 of 1 dimensions and more", 30: "1 of 1 fragments and more"} {
		if got := wholeParts(all, n); got != want {
			t.Errorf("of %d characters: %q", n, got)
		}
	}
}
