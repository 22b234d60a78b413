package parsers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestNotTooLong has zeros put into a graph at a place that cannot be found: by how many bytes it is too long then, no one knows.
func TestNotTooLong(t *testing.T) {
	b, err := os.ReadFile("../testdata/samediff/good/nested.fb")
	if err != nil {
		t.Fatal(err)
	}
	b = slices.Insert(b, 400, make([]byte, 64)...)
	d, err := model.OpenBytes(t.Context(), "nested.fb", b, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: All()})
	if err != nil || len(g.Causes) == 0 {
		t.Fatal("no cause", err)
	}
	for _, c := range g.Causes {
		if strings.Contains(c.Text, "too long") {
			t.Error(c.Text)
		}
	}
}

// TestNoReinterpretation has an array that lost half, or three quarters, of its bytes: no other type of its elements is offered because of that.
func TestNoReinterpretation(t *testing.T) {
	for _, part := range []int64{2, 4} {
		d := openSound(t, filepath.Join("..", "testdata", "scdl", "good", "archive"))
		c, err := d.Tree.Snapshot.Content("data.npy")
		if err != nil {
			t.Fatal(err)
		}
		d = opened(d, d.Tree.Snapshot.With("data.npy", c.Splice(c.Len()/part, c.Len()-c.Len()/part, nil)))
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: All()})
		if err != nil || len(g.Causes) == 0 || !g.Causes[0].Truncated() {
			t.Fatal("not said to be truncated", err)
		}
		for _, x := range g.Causes[0].Repairs {
			if strings.Contains(x.Label, "dtype") {
				t.Errorf("1 of %d parts is left: %s", part, x.Label)
			}
		}
	}
}
