package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/compare"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// The narrowest window that is promised is 683 wide, half of a small screen: whatever a document is called, is wrong with it, and is done
// with it, nothing is cut at the window's edge.
func TestEverythingFitsIntoANarrowWindow(t *testing.T) {
	const narrow = 683
	for _, sample := range [][]string{{"taridx/good/three-shards", "train.taridx"}, {"taridx/bad/022-n-rows", "train.taridx"}, {"idv/good/deflated.idv"},
		{"idv/bad/050-blocks.idv"}, {"samediff/good/inline.fb"}, {"tiledb/good/dense-v22"}, {"scdl/good/archive"}} {
		path := bench.CopySample(t, sample[0])
		long := filepath.Join(filepath.Dir(path), strings.Repeat("a-long-name-", 15)+filepath.Ext(path))
		if err := os.Rename(path, long); err != nil {
			t.Fatal(err)
		}
		b := emptyBench(t)
		b.causeTime = doc.CauseTime
		d := b.open(t, filepath.Join(append([]string{long}, sample[1:]...)...))
		b.win.Resize(fyne.NewSize(narrow, 600))
		fits := func(state string) {
			b.settle(t)
			b.win.Canvas().Capture()
			if w := b.win.Content().MinSize().Width; w > narrow {
				t.Errorf("%s, %s: %v wide", sample[0], state, w)
			}
		}
		fits("opened")
		for _, kind := range compare.FindKinds {
			d.find.Kind.SetSelected(kind)
			fits("find " + kind)
		}
		d.disk.object.Show()
		d.frame.relayout()
		fits("changed on disk")
		if d.problem.Fixes.PreviewFirst(); d.Preview != nil {
			fits("a repair is looked at")
			d.Preview.Decide(d.Document, true)
			fits("repaired")
		}
		b.Say(strings.Repeat("a long path / ", 100))
		fits("a message")
		if x := b.status.mode.Position().X + b.status.mode.Size().Width; x > narrow {
			t.Errorf("%s: what says whether it is locked ends at %v", sample[0], x)
		}
	}
}

// At a text size of 120 % the narrowest window has room for 569 units: headings of the details are whole, and a text of which nothing
// could be read makes room.
func TestLargeTextInANarrowWindow(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	d.Sel.Bytes(model.Range{Space: d.hex.Space, Off: 5, Len: 1}, nil)
	for _, width := range []float32{569, 1024} {
		b.win.Resize(fyne.NewSize(width, 600))
		b.settle(t)
		b.win.Canvas().Capture()
		d.info.Show(0, 0)
		found := false
		for i, f := range d.info.Lines {
			if f.Heading && strings.HasPrefix(f.Label, "BYTES AS") {
				found = true
				cells, _ := d.info.Line(int64(i))
				if need := fyne.MeasureText(cells[0].Text, theme.TextSize(), fyne.TextStyle{}).Width; need > d.info.Columns[0].Width && !cells[0].Wide {
					t.Errorf("%v wide: %q is cut", width, cells[0].Text)
				}
			}
		}
		if about := d.table.About; !found || about.Visible() && about.Size().Width < about.MinSize().Width {
			t.Errorf("%v wide: heading %v, what the table is has %v", width, found, d.table.About.Size().Width)
		}
		if wide := width > 1000; wide && !d.table.About.Visible() {
			t.Errorf("%v wide: what the table is can be read: %v", width, !wide)
		}
	}
}

// However wide the window is, and whatever was offered before, the buttons of repairs and of their preview are as high as others.
func TestRepairButtonsAreNotStretched(t *testing.T) {
	path := filepath.Join(bench.CopySample(t, "taridx/good/three-shards"), "train.taridx")
	if err := os.Truncate(path, 250); err != nil {
		t.Fatal(err)
	}
	b := emptyBench(t)
	b.causeTime = doc.CauseTime
	d := b.open(t, path)
	low := func(width float32, buttons ...*kit.Button) {
		for _, x := range buttons {
			if x.Visible() && x.Size().Height > x.MinSize().Height+1 {
				t.Errorf("%v wide: “%s” is %v high", width, x.Text, x.Size().Height)
			}
		}
	}
	for _, width := range []float32{700, 1024, 1600, 1024} {
		b.win.Resize(fyne.NewSize(width, 700))
		b.settle(t)
		b.win.Canvas().Capture()
		low(width, append(d.problem.Fixes.Offers, d.problem.Fixes.All)...)
	}
	d.head.Press()
	b.settle(t)
	b.win.Resize(fyne.NewSize(700, 700))
	b.settle(t)
	b.win.Canvas().Capture()
	low(700, d.trialBar.before, d.trialBar.after, d.trialBar.apply)
	if d.Preview == nil || d.trialBar.text.Size().Height < 1.5*d.trialBar.apply.Size().Height {
		t.Error("the text of the preview does not take two lines: the test shows nothing")
	}
}

// In a window too narrow for three panes the details are below the tree, unless the user placed them; in a wider one they are on the right.
func TestDetailsInANarrowWindow(t *testing.T) {
	b, d := newBench(t, toyFile(t, 10))
	at := func(width float32) fyne.Position {
		b.win.Resize(fyne.NewSize(width, 700))
		b.settle(t)
		b.win.Canvas().Capture()
		return fyne.CurrentApp().Driver().AbsolutePositionForObject(d.info.View)
	}
	wide := at(1000)
	if narrow := at(560); narrow.X > 20 || d.info.View.Size().Width < 190 {
		t.Errorf("the details are at %v, %v wide", narrow, d.info.View.Size().Width)
	}
	if again := at(1000); again != wide || wide.X < 500 {
		t.Errorf("in a wide window the details are at %v, and were at %v", again, wide)
	}
}
