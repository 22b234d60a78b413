package ui

import (
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/kit"
)

// A document that is in order opens on its data, one that is damaged or has none with its bytes too; what someone chooses is remembered.
func TestLayouts(t *testing.T) {
	b := emptyBench(t)
	b.prefs.SetInt(prefPanes, 0)
	for path, want := range map[string]panes{"npy/good/matrix.npy": layoutData, "npy/bad/003-cut.npy": layoutBoth, "tiledb/good/metadata.tdb": layoutBoth} {
		if d := b.open(t, "../testdata/"+path); d.frame.show != want {
			t.Errorf("%s opens on %b, not %b", path, d.frame.show, want)
		}
	}
	d := b.open(t, "../testdata/npy/good/matrix.npy")
	b.menus.run("layout-bytes")
	if d.frame.show != layoutBytes {
		t.Errorf("bytes: %b", d.frame.show)
	}
	b.Shell.Focus(d.hex.View)
	b.menus.run("layout-data")
	if b.Shell.Focused() == d.hex.View {
		t.Error("the bytes take keys out of sight")
	}
	if other := b.open(t, "../testdata/npy/good/vector.npy"); other.frame.show != layoutData {
		t.Errorf("the next document opens on %b", other.frame.show)
	}
}

// A pane is closed and comes back; one that is needed comes by itself; the bytes or the data stay.
func TestPanesClose(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	b.menus.run("pane-details")
	if d.frame.show != layoutBoth&^paneDetails {
		t.Errorf("without details: %b", d.frame.show)
	}
	b.menus.run("pane-lower")
	d.Lower.Show(kit.TabProblems)
	if d.frame.show&paneLower == 0 {
		t.Error("the problems are asked for and not shown")
	}
	b.menus.run("pane-lower")
	b.menus.run("pane-bytes")
	if d.frame.show&paneBytes == 0 {
		t.Error("neither bytes nor data are left")
	}
	d.frame.maximise()
	if d.frame.show != paneLower|paneDetails {
		t.Errorf("alone: %b", d.frame.show)
	}
	d.frame.maximise()
	if d.frame.show != layoutBoth&^paneDetails&^paneLower {
		t.Errorf("and back: %b", d.frame.show)
	}
	d.frame.focusBytes()
	if b.Shell.Focused() != d.hex.View {
		t.Error("the bytes have no keyboard")
	}
}

// Bytes are shown beside what is wrong with them also where that is found after the document was opened.
func TestBytesOfWhatWasFoundLater(t *testing.T) {
	b := emptyBench(t)
	b.prefs.SetInt(prefPanes, 0)
	d := b.open(t, bench.CopySample(t, "tar/bad/001-checksum.tar"))
	if d.Found.Counts()[model.Error] == 0 || d.frame.show != layoutBoth {
		t.Errorf("%d errors, and panes %04b", d.Found.Counts()[model.Error], d.frame.show)
	}
	if d = b.open(t, bench.CopySample(t, "tar/good/pax.tar")); d.frame.show != layoutData {
		t.Errorf("of what is in order, panes %04b", d.frame.show)
	}
}

// Panes go to the side that someone wants them on: in every document, also in those that are opened later, and back.
func TestPanesMove(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	b.menus.run("layout-both")
	at := func(d *tab, one panes) fyne.Position {
		b.win.Canvas().Capture()
		return fyne.CurrentApp().Driver().AbsolutePositionForObject(d.frame.object(one))
	}
	if at(d, paneTree).X >= at(d, paneBytes).X || at(d, paneDetails).X <= at(d, paneBytes).X || at(d, paneLower).Y <= at(d, paneBytes).Y {
		t.Fatal("the tree is not on the left, the details not on the right, or the table not below")
	}
	b.move(kit.SideRight, paneTree)
	if tree, details := at(d, paneTree), at(d, paneDetails); tree.X <= at(d, paneBytes).X || tree.X != details.X || tree.Y >= details.Y {
		t.Errorf("the tree at %v is not on the right, above the details at %v", tree, details)
	}
	b.move(kit.SideBelow, paneTree, paneDetails)
	if tree, lower, details := at(d, paneTree), at(d, paneLower), at(d, paneDetails); tree.Y != lower.Y || lower.Y != details.Y || tree.X >= lower.X || lower.X >= details.X {
		t.Errorf("tree %v, table %v and details %v are not beside each other", tree, lower, details)
	}
	b.move(kit.SideLeft, paneLower)
	other := b.open(t, "../testdata/npy/bad/003-cut.npy")
	b.menus.run("layout-both")
	if at(other, paneLower).X >= at(other, paneBytes).X || at(other, paneTree).Y <= at(other, paneBytes).Y {
		t.Error("the next document has its panes elsewhere")
	}
	b.menus.run("layout-data") // what is in the middle then is the table
	if at(other, paneTree).Y <= at(other, paneLower).Y {
		t.Error("the tree is not below the table")
	}
	b.menus.run("move-pane")
	b.press(fyne.KeyEscape)
	b.move("", movable...)
	b.menus.run("layout-both")
	if at(other, paneTree).X >= at(other, paneBytes).X || at(other, paneLower).Y <= at(other, paneBytes).Y {
		t.Error("the panes did not come back")
	}
}

// A pane is dragged by its handle: to the side where it is let go, and nowhere if that is the middle.
func TestPanesAreDragged(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	b.menus.run("layout-both")
	b.win.Canvas().Capture()
	body := fyne.CurrentApp().Driver().AbsolutePositionForObject(d.frame.dock.Body)
	size := d.frame.dock.Body.Size()
	drag := func(x, y float32) (target bool) {
		at := fyne.PointEvent{AbsolutePosition: body.AddXY(size.Width*x, size.Height*y)}
		g := d.frame.grips[paneTree].Objects[1].(*kit.Handle)
		g.Dragged(&fyne.DragEvent{PointEvent: at})
		target = d.frame.dock.Target.Visible()
		g.DragEnd()
		return target
	}
	if drag(0.5, 0.3) || d.frame.placeOf(paneTree) != kit.SideLeft {
		t.Error("let go in the middle, it was moved")
	}
	for _, x := range []struct {
		x, y float32
		side string
	}{{0.9, 0.9, kit.SideRight}, {0.5, 0.8, kit.SideBelow}, {0.1, 0.8, kit.SideLeft}} {
		if !drag(x.x, x.y) || d.frame.placeOf(paneTree) != x.side || d.frame.dock.Target.Visible() {
			t.Errorf("it is on the %s, not on the %s", d.frame.placeOf(paneTree), x.side)
		}
	}
}

// Where no bytes are in sight an offset is one of the file, whatever block a cell was chosen in.
func TestOffsetsOfTheFileBesideDecodedCells(t *testing.T) {
	b := emptyBench(t)
	b.prefs.SetInt(prefPanes, int(layoutData))
	d := b.open(t, "../testdata/idv/good/deflated.idv")
	d.table.Choose(1, 1)
	b.settle(t)
	root := d.Tree().Root.Range.Space
	if d.Shown().Space == root {
		t.Fatal("the cell is not in a decoded block")
	}
	d.GoTo("0x20", func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	b.settle(t)
	if r := d.Sel.Now.Range; r.Space != root || r.Off != 0x20 {
		t.Errorf("%+v is selected", r)
	}
	b.menus.run("layout-bytes")
	d.table.Choose(1, 1)
	b.settle(t)
	d.GoTo("1", func(error) {})
	b.settle(t)
	if r := d.Sel.Now.Range; r.Space == root || r.Off != 1 {
		t.Errorf("%+v is selected beside the bytes of a block", r)
	}
}
