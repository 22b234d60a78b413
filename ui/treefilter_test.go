package ui

import (
	"testing"

	"fyne.io/fyne/v2"
)

func TestTreeFilter(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	tree := d.tree
	all := tree.count()
	for text, want := range map[string][]string{
		"size >= 980": {"rows[98]/size", "rows[99]/size"}, "name ~ magic": {"magic"}, "id = 42": {"rows[42]/id"}, "cou": {"count"}, "nothing like it": nil,
	} {
		tree.filter.entry.SetText(text)
		b.settle(t)
		var got []string
		for row := range tree.count() {
			r, _ := tree.at(row)
			got = append(got, r.Span.Path())
		}
		if len(got) != len(want) || len(want) > 0 && (got[0] != want[0] || got[len(got)-1] != want[len(want)-1]) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		if len(want) == 0 && tree.blank() == "" {
			t.Error("an empty list says nothing")
		}
	}
	tree.filter.entry.SetText("size >")
	b.settle(t)
	if tree.count() != 0 || tree.blank() == "" {
		t.Error("half a condition:", tree.blank())
	}
	tree.filter.entry.SetText("size >= 980")
	b.settle(t)
	tree.filter.enter()
	b.settle(t)
	wantPath(t, d, "rows[98]/size", 8+8*98+4, 4)
	tree.key(fyne.KeyDown, 0)
	b.settle(t)
	wantPath(t, d, "rows[99]/size", 8+8*99+4, 4)
	if cells, ok := tree.row(1); !ok || cells[0].text != "rows[99]/size" || cells[1].text != "990" {
		t.Errorf("%+v", cells)
	}
	tree.key(fyne.KeyReturn, 0) // to its place
	b.settle(t)
	if r, ok := tree.at(tree.current); tree.count() <= all || !ok || r.Span.Path() != "rows[99]/size" || tree.filter.on {
		t.Errorf("%d rows of %d, at %v", tree.count(), all, r.Span)
	}
}
