package ui

import (
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/ui/rows"
)

func TestTreeFilter(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	tree := d.tree
	all := tree.Count()
	for text, want := range map[string][]string{
		"size >= 980": {"rows[98]/size", "rows[99]/size"}, "name ~ magic": {"magic"}, "id = 42": {"rows[42]/id"}, "cou": {"count"}, "nothing like it": nil,
	} {
		tree.filter.entry.SetText(text)
		b.settle(t)
		var got []string
		for row := range tree.Count() {
			r, _ := tree.at(row)
			got = append(got, r.Span.Path())
		}
		if len(got) != len(want) || len(want) > 0 && (got[0] != want[0] || got[len(got)-1] != want[len(want)-1]) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		if len(want) == 0 && tree.Blank() == "" {
			t.Error("an empty list says nothing")
		}
	}
	tree.filter.entry.SetText("size >")
	b.settle(t)
	if tree.Count() != 0 || tree.Blank() == "" {
		t.Error("half a condition:", tree.Blank())
	}
	tree.filter.entry.SetText("size >= 980")
	b.settle(t)
	tree.filter.enter()
	b.settle(t)
	wantPath(t, d, "rows[98]/size", 8+8*98+4, 4)
	tree.Key(fyne.KeyDown, 0)
	b.settle(t)
	wantPath(t, d, "rows[99]/size", 8+8*99+4, 4)
	if cells, ok := tree.row(1); !ok || cells[0].Text != "rows[99]/size" || cells[1].Text != "990" {
		t.Errorf("%+v", cells)
	}
	tree.Key(fyne.KeyReturn, 0) // to its place
	b.settle(t)
	if r, ok := tree.at(tree.Current); tree.Count() <= all || !ok || r.Span.Path() != "rows[99]/size" || tree.filter.on {
		t.Errorf("%d rows of %d, at %v", tree.Count(), all, r.Span)
	}
}

// Names that come in sight when a branch is opened have room, also in a small window and deep in the tree.
func TestNamesOfOpenedBranchesHaveRoom(t *testing.T) {
	b, d := sampleBench(t, "tar/good/ustar.tar")
	b.win.Resize(fyne.NewSize(1024, 700))
	b.settle(t)
	d.left.show(true)
	d.sel.path("members[0]/header/checksum", nil)
	b.settle(t)
	b.win.Canvas().Capture()
	b.settle(t)
	cut := 0
	for _, c := range d.tree.page {
		if columnFor(c[0].Text)+c[0].Indent+rows.BranchBox > d.tree.ColumnWidth(0) {
			cut++
			t.Logf("%q has %v, %v deep", c[0].Text, d.tree.ColumnWidth(0), c[0].Indent)
		}
	}
	if len(d.tree.page) < 5 || cut > 0 {
		t.Errorf("%d of %d names are cut", cut, len(d.tree.page))
	}
}
