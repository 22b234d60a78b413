package tree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/ui/bench"
)

// The logical view shows damage, with marks that add up: so many samples are marked as their group says.
func TestOutlineShowsDamage(t *testing.T) {
	was := LookTime
	LookTime = 20 * time.Second
	t.Cleanup(func() { LookTime = was })
	dir := bench.CopySample(t, "taridx/good/three-shards")
	path := filepath.Join(dir, "train.taridx")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b, _, left := openLeft(t, path)
	rows := b.Doc.Tree().Root.Get("rows")
	clear(raw[rows.Child(1).Range.Off:rows.Child(4).Range.Off]) // three rows
	sound := 0
	for _, n := range left.Logical.Lines {
		if n.worst != 0 || n.damaged > 0 {
			sound++
		}
	}
	if sound > 0 {
		t.Errorf("%d marks in a sound document", sound)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	b, _, left = openLeft(t, path)
	if err := b.Doc.Model.Deep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	b.Doc.Found.Refresh()
	b.Settle(t)
	marked, group := 0, ""
	for i, n := range left.Logical.Lines {
		cells, _ := left.Logical.row(int64(i))
		switch {
		case n.Label == "samples":
			group = cells[1].Text
		case n.Up != nil && n.Up.Label == "samples" && cells[0].Mark != 0 && cells[0].Mark <= model.Warning:
			marked++
		}
	}
	if marked == 0 || !strings.HasSuffix(group, " damaged") || !strings.Contains(group, " · ") {
		t.Fatalf("%d samples are marked, and their group says %q", marked, group)
	}
	if want := model.Words("%d damaged", marked); !strings.HasSuffix(group, "· "+want) {
		t.Errorf("%d samples are marked, and their group says %q", marked, group)
	}
}

// openLeft shows the left pane alone, of a file.
func openLeft(t *testing.T, path string) (*bench.Bench, *Pane, *Left) {
	t.Helper()
	b := bench.At(t, path)
	p := New(b.Doc)
	l := NewLeft(b.Doc, p)
	b.Show(t, l, l.Object)
	return b, p, l
}
