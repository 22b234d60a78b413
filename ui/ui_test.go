package ui

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"spandrel/model"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// A format for these tests: a magic, a count, count records of two numbers, and a block whose bytes are stored inverted.
var (
	toyMagic  = &model.Field{Name: "magic", Codec: model.BytesOf(4), Doc: "TOY and a version", Ref: "1"}
	toyCount  = &model.Field{Name: "count", Codec: model.U32LE}
	toyRows   = &model.Field{Name: "rows"}
	toyRow    = &model.Field{Name: "row"}
	toyRecord = model.NewRecord(&model.Field{Name: "id", Codec: model.U32LE}, &model.Field{Name: "size", Codec: model.U32LE})
	toyBlock  = &model.Field{Name: "block", Codec: model.RawBytes}
	toyInner  = &model.Field{Name: "inner"}
	toyText   = &model.Field{Name: "text", Codec: model.UTF8}
	toyRule   = &model.Rule{ID: "toy.id", Title: "an id repeats", Severity: model.Warning}
	invert    = &model.Transform{Name: "invert", Decode: func(_ context.Context, in []byte, _ int64) ([]byte, error) {
		out := make([]byte, len(in))
		for i, b := range in {
			out[i] = ^b
		}
		return out, nil
	}}
)

var toy = &model.Format{Name: "toy", Title: "Toy", Doc: "A format of the tests.", Exts: []string{".toy"},
	Detect: func(_ string, head, _ []byte, _ int64) (model.Confidence, string) {
		if bytes.HasPrefix(head, []byte("TOY")) {
			return 100, ""
		}
		return 0, ""
	},
	Parse: func(c *model.Cursor) {
		c.Field(toyMagic)
		n := c.Field(toyCount)
		rows := c.Array(toyRows, toyRecord, n.Int())
		c.CountOf(n, rows)
		c.Report(model.Finding{Rule: toyRule, Span: rows.Span, Range: c.Range(16, 4), Found: "7", Expected: "8"})
		block := c.FieldN(toyBlock, 8)
		c.Derive(toyInner, model.Derived{Transform: invert, From: []model.Node{block}, Size: 8, Body: func(c *model.Cursor) { c.FieldN(toyText, 8) }})
	},
	Tables: func(_ context.Context, t *model.Tree) []model.Table {
		return []model.Table{model.Records("rows", "Rows", t, t.Root.Get("rows"))}
	},
	Graph: toyGraph}

// toyFile writes a toy file of n rows, sparse when it is large, with four bytes behind its end.
func toyFile(t testing.TB, n uint32) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "sample.toy"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head := binary.LittleEndian.AppendUint32([]byte("TOY1"), n)
	for i := range min(n, 100) {
		head = binary.LittleEndian.AppendUint32(head, i)
		head = binary.LittleEndian.AppendUint32(head, 10*i)
	}
	tail := []byte{^byte('h'), ^byte('e'), ^byte('l'), ^byte('l'), ^byte('o'), ^byte('!'), ^byte('!'), ^byte('!'), 1, 2, 3, 4}
	if _, err := f.Write(head); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(tail, 8+8*int64(n)); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

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
	b := &testBench{queue: make(chan func(), 1<<16)}
	b.Workbench = newWorkbench(a, []*model.Format{toy}, func(f func()) { b.queue <- f })
	b.shell = silent{agree: true}
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
	for b.pending > 0 || len(b.queue) > 0 {
		select {
		case f := <-b.queue:
			f()
		case <-limit:
			t.Fatal("workers do not end")
		}
	}
}

func wantPath(t *testing.T, d *tab, path string, off, n int64) {
	t.Helper()
	if p := d.sel.now.Span.Path(); p != path || d.sel.now.Range.Off != off || d.sel.now.Range.Len != n {
		t.Errorf("selected %s 0x%x+%d, want %s 0x%x+%d", p, d.sel.now.Range.Off, d.sel.now.Range.Len, path, off, n)
	}
}

func TestSelectionLinksPanes(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.sel.bytes(model.Range{Space: d.hex.space, Off: 8 + 8*42 + 4, Len: 1}, d.hex)
	b.settle(t)
	wantPath(t, d, "rows[42]/size", 8+8*42+4, 1)
	if r, ok := d.tree.rows.At(d.tree.Current); !ok || r.Span.Path() != "rows[42]/size" {
		t.Error("the tree did not open and follow")
	}
	if top := d.tree.View.Top; d.tree.Current < top || d.tree.Current >= top+d.tree.View.Page() {
		t.Error("the row of the tree is not visible")
	}
	if d.table.Current != 42 || d.table.SelColumn != 2 {
		t.Errorf("table at row %d column %d", d.table.Current, d.table.SelColumn)
	}
	d.table.choose(99, 1)
	b.settle(t)
	wantPath(t, d, "rows[99]/id", 8+8*99, 4)
	if row := d.hex.caret / d.hex.perRow; row < d.hex.view.Top || row >= d.hex.view.Top+d.hex.view.Page() {
		t.Error("the hex pane did not scroll to the cell")
	}
	d.problem.step(1)
	b.settle(t)
	wantPath(t, d, "rows[1]/id", 16, 4) // the finding names the list
	d.sel.back()
	wantPath(t, d, "rows[99]/id", 8+8*99, 4)
	d.sel.forward()
	wantPath(t, d, "rows[1]/id", 16, 4) // the finding names the list
	d.problem.Current = -1
	d.sel.path("magic", nil)
	b.settle(t)
	if d.problem.Current != -1 {
		t.Error("a field without a problem marks one")
	}
	d.sel.path("rows[1]/id", nil)
	b.settle(t)
	if d.problem.Current != 0 {
		t.Error("the problem of the selected field is not marked")
	}
}

func TestHoverLightsUpEveryPane(t *testing.T) {
	_, d := newBench(t, toyFile(t, 100))
	d.hex.Hover(0, d.hex.at.hexX(5)+1)
	if d.sel.hover != (model.Range{Space: d.hex.space, Off: 4, Len: 4}) {
		t.Fatal("hover", d.sel.hover)
	}
	if len(d.hex.view.Marks) != 2 || len(d.tree.View.Marks) != 1 || d.tree.View.Marks[0].Row != 1 {
		t.Error("marks", d.hex.view.Marks, d.tree.View.Marks)
	}
	d.hex.Hover(rows.NoRow, 0)
	if len(d.hex.view.Marks) != 0 || len(d.tree.View.Marks) != 0 {
		t.Error("marks stay when the pointer leaves")
	}
}

func TestDecodedSpaceOpensAsTab(t *testing.T) {
	b, d := newBench(t, toyFile(t, 3))
	file := d.hex.space
	d.sel.path("inner/text", nil)
	b.settle(t)
	if d.hex.space == file || d.hex.size != 8 || !bytes.Equal(d.hex.page.bytes, []byte("hello!!!")) {
		t.Fatalf("space %d, %d bytes %q", d.hex.space, d.hex.size, d.hex.page.bytes)
	}
	var from fact
	for _, f := range d.info.facts {
		if f.label == "made from" {
			from = f
		}
	}
	if from.link == nil || from.link.Path() != "block" {
		t.Error("the inspector does not say where the bytes come from")
	}
	d.sel.back()
	b.settle(t)
	if d.hex.space != file {
		t.Error("going back does not return to the file")
	}
	d.sel.forward()
	d.editor.setLocked(false)
	d.editor.setValue(d.Tree().Root.Get("rows").Child(0).Child(0), model.U(9), nil)
	b.settle(t)
	if d.sel.now.Span.Path() != "inner/text" || len(d.hex.spaces.list) != 2 || d.hex.spaces.list[0].space != file || d.hex.spaces.list[1].space != d.hex.space || !bytes.Equal(d.hex.page.bytes, []byte("hello!!!")) {
		t.Errorf("after an edit: %s, spaces %v, %q", d.sel.now.Span.Path(), d.hex.spaces.list, d.hex.page.bytes)
	}
}

func TestHexKeysAndSelection(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	h := d.hex
	h.setWidth(16)
	h.Key(fyne.KeyEnd, ctrl)
	if h.caret != h.size-1 || h.view.Top != h.view.MaxTop() {
		t.Error("end", h.caret, h.view.Top)
	}
	h.Key(fyne.KeyHome, ctrl)
	h.Key(fyne.KeyDown, shift)
	h.Key(fyne.KeyRight, shift)
	b.settle(t)
	if r := d.sel.now.Range; r.Off != 0 || r.Len != 18 {
		t.Error("selection by keys", r)
	}
	h.Press(2, h.at.textX(3)+1, rows.Press{Button: 1})
	h.Press(3, h.at.textX(0)+1, rows.Press{Button: 1, Drag: true})
	if r := d.sel.now.Range; r.Off != 35 || r.Len != 14 || !h.inText {
		t.Error("selection by dragging", r)
	}
}

// TestHexRowsFit narrows the window: offset, digits and text stay side by side, and the caret stays in view.
func TestHexRowsFit(t *testing.T) {
	b, d := newBench(t, toyFile(t, 1000))
	d.hex.selectTo(1000, false)
	d.hex.view.Reveal(1000 / d.hex.perRow)
	for _, c := range []struct {
		window float32
		perRow int64
	}{{1600, 20}, {1024, 12}, {1400, 16}, {700, 4}} {
		b.win.Resize(fyne.NewSize(c.window, 700))
		b.settle(t)
		h := d.hex
		if w, _ := h.view.View(); h.perRow != c.perRow || h.Width() > w {
			t.Errorf("window of %v: %d bytes a row of %v units in %v", c.window, h.perRow, h.Width(), w)
		}
		if row := h.caret / h.perRow; row < h.view.Top || row >= h.view.Top+h.view.Page() {
			t.Errorf("window of %v: the caret left the view: row %d, top %d, page %d", c.window, row, h.view.Top, h.view.Page())
		}
	}
}

func TestGoToMovesTheCaret(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	for expr, want := range map[string]int64{"0x10": 16, "end-4": d.hex.size - 4, "rows+8": 16, "rows[3]/size": 8 + 3*8 + 4} {
		d.GoTo(expr, func(err error) {
			if err != nil {
				t.Error(expr, err)
			}
		})
		b.settle(t)
		if d.hex.caret != want {
			t.Errorf("%s: caret %d, want %d", expr, d.hex.caret, want)
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
	if string(d.hex.page.bytes) != "nothing known" || d.tree.Count() != 1 {
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
	if err := shot(a, []*model.Format{toy}, path, ShotOptions{Width: 900, Height: 600, Theme: "dark"}, &plain); err != nil {
		t.Fatal(err)
	}
	if err := shot(a, []*model.Format{toy}, path, ShotOptions{Width: 900, Height: 600, Scale: 2, Theme: "dark", Select: "rows[3]/id"}, &chosen); err != nil {
		t.Fatal(err)
	}
	for want, b := range map[image.Point]*bytes.Buffer{{X: 900, Y: 600}: &plain, {X: 1800, Y: 1200}: &chosen} {
		img, _, err := image.Decode(b)
		if err != nil || img.Bounds().Size() != want {
			t.Errorf("picture of %v: %v", want, err)
		}
	}
	if err := shot(a, []*model.Format{toy}, path, ShotOptions{Select: "rows[50]"}, &plain); err == nil {
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
				d.hex.view.ScrollTo(max(0, at.top-50*int64(i%100)))
				d.hex.view.Picture(700, 1000)
			}
			tb.settle(b)
		})
	}
}
