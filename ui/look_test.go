package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"spandrel/model"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// In a narrow window the button for all repairs stands below those of the chosen problem, and covers none of them.
func TestRepairButtonsDoNotCoverEachOther(t *testing.T) {
	b, d := newTaridxBench(t, "bad/022-n-rows")
	for _, width := range []float32{1600, 1024, 683, 600} {
		b.win.Resize(fyne.NewSize(width, 700))
		b.win.Canvas().Capture()
		b.settle(t)
		f := d.problem.Fixes
		if f.All.Hidden || len(f.Box.Objects) == 0 {
			t.Fatal("no repair is offered")
		}
		at := func(o fyne.CanvasObject) fyne.Position {
			return fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
		}
		first := f.Box.Objects[0]
		beside, below := at(first).X+first.Size().Width <= at(f.All).X, at(first).Y+first.Size().Height <= at(f.All).Y
		if !beside && !below {
			t.Errorf("at %v: the repair at %v, %v large, and the button for all at %v", width, at(first), first.Size(), at(f.All))
		}
		if end := at(f.Object).Y + f.Object.Size().Height; at(f.All).Y+f.All.Size().Height > end+1 {
			t.Errorf("at %v: the button for all is cut", width)
		}
	}
}

// The status bar does not go on telling about the button that stops what runs when nothing runs any more.
func TestStopIsToldOnlyWhileSomethingRuns(t *testing.T) {
	b, _ := newBench(t, toyFile(t, 10))
	b.Hint(b.Line.Cancel.Tip)
	if b.Line.Running.Text != "" {
		t.Error("still told:", b.Line.Running.Text)
	}
	b.Hint("save the document")
	if b.Line.Running.Text != "save the document" {
		t.Error("another button is not told about")
	}
}

// However many files a save writes, its box fits into the smallest window: new ones are counted by folder, and a long text scrolls.
func TestSaveTextOfManyFilesFits(t *testing.T) {
	var list []model.Saved
	for i := range 40 {
		list = append(list, model.Saved{Path: fmt.Sprintf("/a/__fragments/one/a%d.tdb", i), New: true, Bytes: 10})
	}
	text := saveText(append(list, model.Saved{Path: "/a/__commits/one.wrt", New: true}, model.Saved{Path: "/a/old", Bytes: 12, Backup: "/a/old.1.bak"}))
	if strings.Count(text, "/a/__fragments/one") != 1 || !strings.Contains(text, "40 files of 400 B") || !strings.Contains(text, "a39.tdb") || !strings.Contains(text, "/a/old\n") {
		t.Error(text)
	}
	if strings.Count(text, "are new")+strings.Count(text, "a new file of") != 2 {
		t.Error("what is new is not said:", text)
	}
	test.NewTempApp(t)
	if high := kit.TextOf(strings.Repeat(text+"\n", 20)).MinSize().Height; high > kit.MostText {
		t.Errorf("a long text is %v high", high)
	}
}

// Why a number that is typed into a cell is none is said before Enter, and not any more when it is one.
func TestCellSaysItsLimitsWhileTyped(t *testing.T) {
	b, d := newBench(t, toyFile(t, 10))
	d.table.Choose(1, 2)
	b.settle(t)
	d.table.Editor.Begin("")
	d.table.Editor.Entry.SetText("99999999999")
	if b.Line.Running.Text == "" {
		t.Error("a number that is too large is not told about")
	}
	d.table.Editor.Entry.SetText("7")
	if strings.Contains(b.Line.Running.Text, "9999") || b.Line.Tip != "" {
		t.Error("still told:", b.Line.Running.Text)
	}
}

// So it is in a table that sets its cells itself, of whole numbers alone.
func TestCellOfABlockSaysItsLimits(t *testing.T) {
	b, d := sampleBench(t, "idv/good", "deflated.idv")
	for _, c := range []struct {
		column, text string
		wrong        bool
	}{{"SByte", "300", true}, {"SByte", "-100", false}, {"Text", "300", false}, {"Boolean", "true", false}} {
		at := slices.IndexFunc(d.table.Columns, func(x rows.Column) bool { return x.Title == c.column })
		d.table.Choose(1, at)
		b.settle(t)
		d.table.Editor.Begin("")
		d.table.Editor.Entry.SetText(c.text)
		if (b.Line.Tip != "") != c.wrong {
			t.Errorf("%s in column %s: said %q", c.text, c.column, b.Line.Tip)
		}
		d.table.Editor.Close()
	}
}

// A number that stands for a name of a list can be typed as that name.
func TestCellTakesTheNameOfAList(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards", "train.taridx")
	column := 0
	for i, c := range d.table.Columns {
		if strings.HasPrefix(c.Title, "extid") {
			column = i
		}
	}
	d.table.Choose(0, column)
	b.settle(t)
	d.table.Editor.Begin("")
	d.table.Editor.Submit("cls", 0, 0)
	b.settle(t)
	if v := valueOf(t, d, d.Tree().Root.Get("rows").Child(0).Get("extid")); v.Uint() != 1 {
		t.Errorf("extid is %v", v)
	}
}

// A repair does not change the tree under the pointer: what was repaired is still marked in it.
func TestTreeStaysWhenRepaired(t *testing.T) {
	b, d := newTaridxBench(t, "bad/022-n-rows")
	was := d.left.View()
	if was != d.tree.View {
		t.Fatal("of a broken document the bytes are not shown")
	}
	d.problem.Fixes.PreviewFirst()
	b.settle(t)
	d.Preview.Decide(d.Document, true)
	b.settle(t)
	if d.Found.Counts()[model.Error] != 0 || d.left.View() != was {
		t.Error("the tree is another one after the repair")
	}
}

// Texts of the start page that are wrapped do not lie over each other, whatever width the window had before.
func TestStartPageDoesNotOverlap(t *testing.T) {
	b := emptyBench(t)
	page := b.files.startPage()
	w := test.NewTempWindow(t, page)
	for _, width := range []float32{1600, 900, 1300, 700} {
		w.Resize(fyne.NewSize(width, 900))
		checkApart(t, width, page.(*container.Scroll).Content)
	}
}

// checkApart finds things in one container that lie over each other.
func checkApart(t *testing.T, width float32, o fyne.CanvasObject) {
	t.Helper()
	c, ok := o.(*fyne.Container)
	if !ok {
		return
	}
	for i, x := range c.Objects {
		checkApart(t, width, x)
		for _, y := range c.Objects[:i] {
			if high := min(x.Position().Y+x.Size().Height, y.Position().Y+y.Size().Height) - max(x.Position().Y, y.Position().Y); high > 1 {
				if wide := min(x.Position().X+x.Size().Width, y.Position().X+y.Size().Width) - max(x.Position().X, y.Position().X); wide > 1 {
					t.Errorf("at %v: %T at %v, %v large, lies over %T at %v", width, x, x.Position(), x.Size(), y, y.Position())
				}
			}
		}
		if x.Visible() && x.Size().Height+1 < x.MinSize().Height {
			t.Errorf("at %v: %T is %v high and needs %v", width, x, x.Size().Height, x.MinSize().Height)
		}
	}
}

// The details of a folder as a whole are its card, and no line of another field stays chosen.
func TestDetailsOfAFolder(t *testing.T) {
	b, d := sampleBench(t, "tiledb/good/sparse-v22")
	has := func(label string) bool {
		for _, l := range d.info.Lines {
			if l.Label == label {
				return true
			}
		}
		return false
	}
	if !has("kind") || has("u32") {
		t.Error("no card, or bytes of none that is selected")
	}
	d.info.Mark(2, 1)
	d.table.Choose(1, 2)
	b.settle(t)
	if d.info.Grid.Current >= 0 {
		t.Error("a line of the field before is still chosen")
	}
}

// The status bar is about the bytes that are shown: of another file once its size is known, and of none while they are closed.
func TestStatusIsAboutTheBytesShown(t *testing.T) {
	b, d := sampleBench(t, "scdl/good/archive")
	d.Sel.Path("data.npy/values[1]", nil)
	b.settle(t)
	if d.hex.Size != 14 || !strings.Contains(b.status.place.Text, "14 B") {
		t.Errorf("of %d bytes it says %q", d.hex.Size, b.status.place.Text)
	}
	for layout, shown := range map[string]bool{"layout-data": false, "layout-bytes": true} {
		if b.menus.run(layout); strings.Contains(b.status.place.Text, "14 B") != shown {
			t.Errorf("%s: it says %q", layout, b.status.place.Text)
		}
	}
}
