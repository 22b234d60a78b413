package ui

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/facts"
	"spandrel/ui/headless"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// The format of these tests, and what they name of it.
var (
	toy      = bench.Toy
	toyFile  = bench.ToyFile
	toyMagic = bench.ToyMagic
	toyCount = bench.ToyCount
)

// bench is a workbench on Fyne's test driver. Results of workers wait in a queue until settle runs them: the test driver
// would run them on the workers.
type testBench struct {
	*Workbench
	queue chan func()
	win   fyne.Window
}

func newBench(t testing.TB, path string) (*testBench, *tab) {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(paint.NewTheme(paint.Light))
	a.Preferences().SetInt(prefPanes, int(layoutBoth)) // what is tested here goes from pane to pane
	b := &testBench{queue: make(chan func(), 1<<16)}
	b.Workbench = newWorkbench(a, []*model.Format{toy}, func(f func()) { b.queue <- f })
	b.Shell = kit.Silent{Agree: true}
	b.build()
	b.win = test.NewTempWindow(t, b.content())
	b.win.Resize(fyne.NewSize(1600, 1000))
	b.files.show(path)
	b.settle(t)
	if b.current == nil {
		t.Fatal("not opened")
	}
	b.win.Canvas().Capture()
	b.settle(t)
	return b, b.current
}

func (b *testBench) settle(t testing.TB) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for b.Pending > 0 || len(b.queue) > 0 {
		select {
		case f := <-b.queue:
			f()
		case <-limit:
			t.Fatal("workers do not end")
		}
	}
}

func TestSelectionLinksPanes(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.Sel.Bytes(model.Range{Space: d.hex.Space, Off: 8 + 8*42 + 4, Len: 1}, d.hex)
	b.settle(t)
	bench.WantPath(t, d.Document, "rows[42]/size", 8+8*42+4, 1)
	if r, ok := d.tree.Rows.At(d.tree.Current); !ok || r.Span.Path() != "rows[42]/size" {
		t.Error("the tree did not open and follow")
	}
	if top := d.tree.View.Top; d.tree.Current < top || d.tree.Current >= top+d.tree.View.Page() {
		t.Error("the row of the tree is not visible")
	}
	if d.table.Current != 42 || d.table.SelColumn != 2 {
		t.Errorf("table at row %d column %d", d.table.Current, d.table.SelColumn)
	}
	d.table.Choose(99, 1)
	b.settle(t)
	bench.WantPath(t, d.Document, "rows[99]/id", 8+8*99, 4)
	if row := d.hex.Caret / d.hex.PerRow; row < d.hex.View.Top || row >= d.hex.View.Top+d.hex.View.Page() {
		t.Error("the hex pane did not scroll to the cell")
	}
	d.problem.Step(1)
	b.settle(t)
	bench.WantPath(t, d.Document, "rows[1]/id", 16, 4) // the finding names the list
	d.Sel.Back()
	bench.WantPath(t, d.Document, "rows[99]/id", 8+8*99, 4)
	d.Sel.Forward()
	bench.WantPath(t, d.Document, "rows[1]/id", 16, 4) // the finding names the list
	d.problem.Current = -1
	d.Sel.Path("magic", nil)
	b.settle(t)
	if d.problem.Current != -1 {
		t.Error("a field without a problem marks one")
	}
	d.Sel.Path("rows[1]/id", nil)
	b.settle(t)
	if d.problem.Current != 0 {
		t.Error("the problem of the selected field is not marked")
	}
}

func TestHoverLightsUpEveryPane(t *testing.T) {
	_, d := newBench(t, toyFile(t, 100))
	d.hex.Hover(0, d.hex.At.HexX(5)+1)
	if d.Sel.Hover != (model.Range{Space: d.hex.Space, Off: 4, Len: 4}) {
		t.Fatal("hover", d.Sel.Hover)
	}
	if len(d.hex.View.Marks) != 2 || len(d.tree.View.Marks) != 1 || d.tree.View.Marks[0].Row != 1 {
		t.Error("marks", d.hex.View.Marks, d.tree.View.Marks)
	}
	d.hex.Hover(rows.NoRow, 0)
	if len(d.hex.View.Marks) != 0 || len(d.tree.View.Marks) != 0 {
		t.Error("marks stay when the pointer leaves")
	}
}

func TestDecodedSpaceOpensAsTab(t *testing.T) {
	b, d := newBench(t, toyFile(t, 3))
	file := d.hex.Space
	d.Sel.Path("inner/text", nil)
	b.settle(t)
	if d.hex.Space == file || d.hex.Size != 8 || !bytes.Equal(d.hex.Page.Bytes, []byte("hello!!!")) {
		t.Fatalf("space %d, %d bytes %q", d.hex.Space, d.hex.Size, d.hex.Page.Bytes)
	}
	var from facts.Fact
	for _, f := range d.info.Facts {
		if f.Label == "made from" {
			from = f
		}
	}
	if from.Link == nil || from.Link.Path() != "block" {
		t.Error("the inspector does not say where the bytes come from")
	}
	d.Sel.Back()
	b.settle(t)
	if d.hex.Space != file {
		t.Error("going back does not return to the file")
	}
	d.Sel.Forward()
	d.Editor.SetLocked(false)
	d.Editor.SetValue(d.Tree().Root.Get("rows").Child(0).Child(0), model.U(9), nil)
	b.settle(t)
	if d.Sel.Now.Span.Path() != "inner/text" || len(d.hex.Spaces.List) != 2 || d.hex.Spaces.List[0].Space != file || d.hex.Spaces.List[1].Space != d.hex.Space || !bytes.Equal(d.hex.Page.Bytes, []byte("hello!!!")) {
		t.Errorf("after an edit: %s, spaces %v, %q", d.Sel.Now.Span.Path(), d.hex.Spaces.List, d.hex.Page.Bytes)
	}
}

// TestHexRowsFit narrows the window: offset, digits and text stay side by side, and the caret stays in view.
func TestHexRowsFit(t *testing.T) {
	b, d := newBench(t, toyFile(t, 1000))
	d.hex.SelectTo(1000, false)
	d.hex.View.Reveal(1000 / d.hex.PerRow)
	for _, c := range []struct {
		window float32
		perRow int64
	}{{1600, 16}, {1024, 16}, {900, 8}, {1400, 16}, {700, 8}, {560, 4}} {
		b.win.Resize(fyne.NewSize(c.window, 700))
		b.settle(t)
		h := d.hex
		if w, _ := h.View.View(); h.PerRow != c.perRow || h.Width() > w {
			t.Errorf("window of %v: %d bytes a row of %v units in %v", c.window, h.PerRow, h.Width(), w)
		}
		if row := h.Caret / h.PerRow; row < h.View.Top || row >= h.View.Top+h.View.Page() {
			t.Errorf("window of %v: the caret left the view: row %d, top %d, page %d", c.window, row, h.View.Top, h.View.Page())
		}
	}
}

func TestGoToMovesTheCaret(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	for expr, want := range map[string]int64{"0x10": 16, "end-4": d.hex.Size - 4, "rows+8": 16, "rows[3]/size": 8 + 3*8 + 4} {
		d.GoTo(expr, func(err error) {
			if err != nil {
				t.Error(expr, err)
			}
		})
		b.settle(t)
		if d.hex.Caret != want {
			t.Errorf("%s: caret %d, want %d", expr, d.hex.Caret, want)
		}
	}
	failed := false
	d.GoTo("end+1", func(err error) { failed = err != nil })
	if !failed {
		t.Error("behind the end is accepted")
	}
}

func TestUnknownFormatShowsBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bin")
	if err := os.WriteFile(path, []byte("nothing known"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, d := newBench(t, path)
	if string(d.hex.Page.Bytes) != "nothing known" || d.tree.Count() != 1 {
		t.Error("bytes or the gap are not shown")
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, d := newBench(t, empty); d.hex.Count() != 0 {
		t.Error("an empty file has rows")
	}
}

func TestShotDrawsTheSelection(t *testing.T) {
	a := test.NewTempApp(t)
	var plain, chosen bytes.Buffer
	path := toyFile(t, 50)
	if err := shot(a, []*model.Format{toy}, path, headless.ShotOptions{Width: 900, Height: 600, Theme: "dark"}, &plain); err != nil {
		t.Fatal(err)
	}
	if err := shot(a, []*model.Format{toy}, path, headless.ShotOptions{Width: 900, Height: 600, Scale: 2, Theme: "dark", Select: "rows[3]/id"}, &chosen); err != nil {
		t.Fatal(err)
	}
	for want, b := range map[image.Point]*bytes.Buffer{{X: 900, Y: 600}: &plain, {X: 1800, Y: 1200}: &chosen} {
		img, _, err := image.Decode(b)
		if err != nil || img.Bounds().Size() != want {
			t.Errorf("picture of %v: %v", want, err)
		}
	}
	if err := shot(a, []*model.Format{toy}, path, headless.ShotOptions{Select: "rows[50]"}, &plain); err == nil {
		t.Error("a field that is not there is no error")
	}
}

func BenchmarkPaintHexPage(b *testing.B) {
	tb, d := newBench(b, toyFile(b, 400<<20)) // 3.2 GB, sparse
	for _, at := range []struct {
		name string
		top  int64
	}{{"first", 0}, {"last", d.hex.Count()}} {
		b.Run(at.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				d.hex.View.ScrollTo(max(0, at.top-50*int64(i%100)))
				d.hex.View.Picture(700, 1000)
			}
			tb.settle(b)
		})
	}
}
