// Package suite is shared by the tests of the formats: reading everything, tiling, samples, the corpus.
package suite

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"spandrel/model"
)

// Update tells tests to rewrite golden dumps and generated samples.
var Update = flag.Bool("update", false, "rewrite golden dumps and generated samples")

// Corpus returns a folder of the corpus that SPANDREL_CORPUS names. Without one the test is skipped.
func Corpus(t testing.TB, folder string) string {
	root := os.Getenv("SPANDREL_CORPUS")
	if root == "" {
		t.Skip("SPANDREL_CORPUS names no collection")
	}
	return filepath.Join(root, folder)
}

// children fails unless the children of a span have it as their parent, and names of their own.
func children(t testing.TB, s *model.Span) {
	t.Helper()
	names := map[string]bool{}
	for i := range s.Count() {
		k := s.Child(i)
		if k.Parent() != s && k.Parent().Path() != s.Path() {
			t.Fatalf("%s has another parent than %s", k.Path(), s.Path())
		}
		if names[k.Name()] {
			t.Errorf("%s stands twice in %s", k.Name(), s.Path())
		}
		names[k.Name()] = true
	}
}

// Tiles opens everything and fails unless the leaves of each space cover it exactly once and no parser failed.
func Tiles(t testing.TB, tree *model.Tree) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	at := map[model.SpaceID]int64{}
	var walk func(s *model.Span)
	walk = func(s *model.Span) {
		if err := tree.Open(ctx, s); err != nil {
			t.Fatalf("%s: %v", s.Path(), err)
		}
		children(t, s)
		for i := range s.Count() {
			walk(s.Child(i))
		}
		if r := s.Range; s.Shape == model.Leaf && r.Len > 0 && s.Count() == 0 {
			if at[r.Space] != r.Off {
				t.Fatalf("%s starts at 0x%x, what is before it ends at 0x%x", s.Path(), r.Off, at[r.Space])
			}
			at[r.Space] = r.End()
		}
	}
	walk(tree.Root)
	for _, sp := range tree.Spaces() {
		if size, err := tree.Size(ctx, sp.ID); err == nil && at[sp.ID] != size && sp.Root != nil && sp.Root.Ready() {
			t.Errorf("space %s of %s is covered to 0x%x of 0x%x", sp.Name(), sp.File, at[sp.ID], size)
		}
	}
	NoDefect(t, tree)
}

// NoDefect fails if a parser failed or two structures claim the same bytes.
func NoDefect(t testing.TB, tree *model.Tree) {
	t.Helper()
	found, _ := tree.Findings()
	for i := range found {
		if r := found[i].Rule; r == model.RuleInternal || r == model.RuleOverlap {
			t.Fatalf("%s: %s\n%s", found[i].Path(), found[i].Message, found[i].Found)
		}
	}
}

// ReadAll exercises a whole tree: it opens every span, runs every check and reads the ends of the
// tables.
func ReadAll(ctx context.Context, t testing.TB, d *model.Document, tree *model.Tree) {
	t.Helper()
	Tiles(t, tree)
	if err := d.DeepOn(ctx, tree, nil); err != nil {
		t.Errorf("deep check: %v", err)
	}
	if d.Format.Tables != nil {
		for _, x := range d.Format.Tables(context.Background(), tree) {
			for _, first := range []int64{0, max(0, x.Rows-3)} {
				if _, err := x.Read(ctx, first, 100); err != nil {
					t.Errorf("table %s: %v", x.Name, err)
				}
			}
		}
	}
	pictured(t, d.Format, tree)
	NoDefect(t, tree)
}

// pictured checks that a graph has no dangling edges and no node without bytes.
func pictured(t testing.TB, f *model.Format, tree *model.Tree) {
	t.Helper()
	if f.Graph == nil {
		return
	}
	g, err := f.Graph(context.Background(), tree)
	if err != nil {
		t.Fatal(err)
	}
	if g == nil {
		return
	}
	for _, e := range g.Edges {
		if min(e.From, e.To) < 0 || max(e.From, e.To) >= len(g.Nodes) {
			t.Fatalf("edge %v of %d nodes", e, len(g.Nodes))
		}
	}
	for i, n := range g.Nodes {
		if n.Span == nil {
			t.Fatalf("node %d %q has no span", i, n.Label)
		}
	}
}

// Samples compares the files of testdata/<format> with the content that code makes for them, by name; -update writes them.
func Samples(t *testing.T, format string, samples map[string][]byte) {
	t.Helper()
	for name, want := range samples {
		path := filepath.Join("..", "..", "testdata", format, name)
		if *Update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not what the code makes: %v", name, err)
		}
	}
}

// Bytes is the content of a document's main file, with edits.
func Bytes(t testing.TB, d *model.Document) []byte {
	t.Helper()
	c, err := d.Tree.Snapshot.Content(d.Tree.Snapshot.Primary)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, c.Len())
	c.ReadAt(b, 0)
	return b
}
