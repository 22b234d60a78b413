package model

import (
	"bytes"
	"sync"
	"testing"
)

// TestConcurrentReaders lets many goroutines open, read, dump and search one tree; the race detector watches.
func TestConcurrentReaders(t *testing.T) {
	tree := parseBytes(t, toy, toyFile("one", "two", "three"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				s, err := tree.Find(bg, "body/words[39]")
				if err != nil {
					t.Error(err)
					return
				}
				if v, _ := tree.Value(bg, s); v.Uint() != 1521 {
					t.Errorf("value %s", v)
				}
				tree.Cover(tree.Root.Range, func(s *Span) bool { return s.Path() != "nowhere" })
				tree.Cached(s.Range)
				tree.Relations(tree.Root.Child(2))
				var b bytes.Buffer
				if err := tree.Dump(bg, &b, tree.Root, DumpOptions{Depth: -1, Elements: -1, All: true}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
