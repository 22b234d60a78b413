package doc

import (
	"os"
	"testing"

	"spandrel/model"
)

// Bytes behind an insertion are found in front of it, bytes overwritten where they are, bytes that were made nowhere.
func TestSamePlaces(t *testing.T) {
	path := t.TempDir() + "/a.bin"
	if err := os.WriteFile(path, []byte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), 0o600); err != nil {
		t.Fatal(err)
	}
	document, err := model.Open(t.Context(), path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer document.Close()
	was := document.Tree
	name := was.Space(was.Root.Range.Space).File
	c, err := was.Snapshot.Content(name)
	if err != nil {
		t.Fatal(err)
	}
	c = c.Splice(50, 1, model.Memory([]byte("x"))).Splice(2, 0, model.Memory([]byte("abc")))
	now := model.Parse(t.Context(), was.Snapshot.With(name, c), nil)
	p := &samePlaces{of: now, in: was, spaces: map[model.SpaceID]*sameSpace{}}
	for at, want := range map[[2]int64][2]int64{{0, 2}: {0, 2}, {1, 2}: {}, {3, 1}: {}, {5, 3}: {2, 3}, {53, 1}: {50, 1}, {52, 2}: {49, 2}, {4, 0}: {}} {
		got := p.find(t.Context(), model.Range{Space: now.Root.Range.Space, Off: at[0], Len: at[1]})
		if got.Off != want[0] || got.Len != want[1] {
			t.Errorf("%v is found at %v, want %v", at, got, want)
		}
	}
}
