package ui

import (
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// Names that come in sight when a branch is opened have room, also in a small window and deep in the tree.
func TestNamesOfOpenedBranchesHaveRoom(t *testing.T) {
	b, d := sampleBench(t, "tar/good/ustar.tar")
	b.win.Resize(fyne.NewSize(1024, 700))
	b.settle(t)
	d.left.Show(true)
	d.Sel.Path("members[0]/header/checksum", nil)
	b.settle(t)
	b.win.Canvas().Capture()
	b.settle(t)
	cut := 0
	for _, c := range d.tree.Page {
		if kit.ColumnFor(c[0].Text)+c[0].Indent+rows.BranchBox > d.tree.ColumnWidth(0) {
			cut++
			t.Logf("%q has %v, %v deep", c[0].Text, d.tree.ColumnWidth(0), c[0].Indent)
		}
	}
	if len(d.tree.Page) < 5 || cut > 0 {
		t.Errorf("%d of %d names are cut", cut, len(d.tree.Page))
	}
}
