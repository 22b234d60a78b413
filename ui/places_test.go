package ui

import (
	stdbytes "bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

func TestHoverLightsLongSpans(t *testing.T) {
	_, d := newBench(t, toyFile(t, 100_000))
	gap := d.hex.Size - 4
	d.Sel.LightAt(d.hex.Space, gap+1)
	if d.Sel.Hover != (model.Range{Space: d.hex.Space, Off: gap, Len: 4}) {
		t.Error("gap:", d.Sel.Hover)
	}
	d.Sel.Light(model.Range{Space: d.hex.Space, Off: 8, Len: 800_000}) // as the tree's row does
	if n := len(d.hex.View.Marks); n != 6 {
		t.Fatalf("%d marks", n)
	}
	visible := 0
	for _, o := range d.hex.View.Over {
		if o.Visible() && o.Size().Height > 300 {
			visible++
		}
	}
	if visible != 2 {
		t.Errorf("%d tall rectangles are shown, want one for each area", visible)
	}
}

// In a file of no known format a byte is lit alone, and its bytes have a name in words.
func TestUnknownFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "unknown")
	if err := os.WriteFile(path, stdbytes.Repeat([]byte("\x00\x01 unknown \xff\xfe"), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	b := emptyBench(t)
	d := b.open(t, path)
	d.Sel.LightAt(d.hex.Space, 20)
	if want := (model.Range{Space: d.hex.Space, Off: 20, Len: 1}); d.Sel.Hover != want {
		t.Errorf("%+v is lit", d.Sel.Hover)
	}
	d.Sel.Bytes(model.Range{Space: d.hex.Space, Off: 20, Len: 1}, nil)
	b.settle(t)
	var said []string
	for _, f := range d.info.Facts {
		said = append(said, f.Label+" "+f.Text)
	}
	if cells, ok := d.tree.Cells(0); !ok || cells[0].Text != "unknown bytes" || !slices.Contains(said, "name unknown bytes") || slices.Contains(said, "type gap") {
		t.Errorf("the tree has %+v, the details %q", cells, said)
	}
}

func TestSelectRange(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	for expr, want := range map[string][2]int64{
		"0x10..0x1f": {16, 16}, "4, 3": {4, 3}, "rows[3]": {32, 8}, "rows[3]..rows[5]": {32, 24}, "0x10..+7": {16, 8},
		"end-4..end": {d.hex.Size - 4, 4}, "count": {4, 4}, "7": {7, 1}, "rows[3]/size, 0x2": {36, 2},
	} {
		d.SelectRange(expr, func(err error) {
			if err != nil {
				t.Error(expr, err)
			}
		})
		b.settle(t)
		if r := d.Sel.Now.Range; r.Off != want[0] || r.Len != want[1] {
			t.Errorf("%s: 0x%x + %d, want 0x%x + %d", expr, r.Off, r.Len, want[0], want[1])
		}
	}
	for _, expr := range []string{"8..4", "end..end+4", "0, 0", "nothing", "4, count"} {
		var failed error
		d.SelectRange(expr, func(err error) { failed = err })
		b.settle(t)
		if failed == nil {
			t.Errorf("%s is accepted", expr)
		}
	}
}

func TestDifferencesOfUnsavedEdits(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.Editor.SetLocked(false)
	for _, off := range []int64{100, 40, 300} {
		d.Editor.Replace(func() model.Range { return model.Range{Space: d.hex.Space, Off: off, Len: 2} }, model.Memory([]byte{0xaa, 0xbb}), "edit", nil)
		b.settle(t)
	}
	d.Sel.Bytes(model.Range{Space: d.hex.Space}, nil)
	b.settle(t)
	at := func(back bool, want int64) {
		t.Helper()
		d.find.StepDifference(back)
		b.settle(t)
		if d.Sel.Now.Range.Off != want || d.Sel.Now.Range.Len != 2 {
			t.Errorf("at %v, want %d", d.Sel.Now.Range, want)
		}
	}
	at(false, 40)
	at(false, 100)
	at(false, 300)
	at(false, 40)
	at(true, 300)
	at(true, 100)
}

func TestCompareListsWhatDiffers(t *testing.T) {
	one, other := toyFile(t, 100), toyFile(t, 100)
	change := func(path string, off int64, b []byte) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteAt(b, off); err != nil {
			t.Fatal(err)
		}
	}
	change(other, 8+8*20, []byte{200})
	change(other, 8+8*70+4, []byte{98})
	b, d := newBench(t, one)
	b.files.show(other)
	b.settle(t)
	o := b.current
	b.show(d)
	d.find.Compare(o.Document, true)
	b.settle(t)
	if n := d.find.Count(); n != 2 {
		t.Fatalf("%d differences", n)
	}
	bench.WantPath(t, d.Document, "rows[20]/id", 8+8*20, 4)
	b.menus.run("next-difference")
	b.settle(t)
	bench.WantPath(t, d.Document, "rows[70]/size", 8+8*70+4, 4)
	var said []string
	for _, i := range d.find.Items {
		said = append(said, i.Cells[0].Text+"|"+i.Cells[1].Text+"|"+i.Cells[2].Text+"|"+i.Cells[3].Text)
	}
	if got := strings.Join(said, "\n"); got != "rows[20]|id|20|200\nrows[70]|size|700|610" {
		t.Error(got)
	}
	d.Editor.SetLocked(false)
	d.Editor.Edit("drop a row", "", []model.Edit{model.Splice{Range: d.Tree().Root.Get("rows").Child(5).Range}}, nil)
	b.settle(t)
	if d.find.Compare(o.Document, true); d.find.Count() == 0 { // rows behind it have moved, and are the same
		b.settle(t)
	}
	b.settle(t)
	if n := d.find.Count(); n != 4 { // the count, the row, and the two cells
		t.Errorf("%d differences without a row", n)
	}
	d.Editor.Undo()
	b.settle(t)

	d.Model.Format = nil // as of no known format: by bytes
	d.find.Compare(o.Document, true)
	b.settle(t)
	if n := d.find.Count(); n != 2 || d.find.Items[1].At.Off != 8+8*70+4 || d.find.Items[1].At.Len != 1 {
		t.Errorf("%+v", d.find.Items)
	}
}

func TestCopyAs(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.Sel.Bytes(model.Range{Space: d.hex.Space, Off: 0, Len: 6}, nil)
	b.settle(t)
	for i, want := range []string{"54 4f 59 31 64 00", "544f59316400", "00000000  54 4f 59 31 64 00 ", "TOY1d�",
		"static const unsigned char data[6] = {0x54, 0x4f, 0x59, 0x31, 0x64, 0x00};", "[]byte{0x54, 0x4f, 0x59, 0x31, 0x64, 0x00}", `b"TOY1d\x00"`, "VE9ZMWQA"} {
		d.CopyAs(i)
		b.settle(t)
		if got := b.App.Clipboard().Content(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", doc.CopyKinds[i].Name, got)
		}
	}
	d.hex.InText = true
	d.hex.Key(fyne.KeyC, ctrl)
	b.settle(t)
	if got := b.App.Clipboard().Content(); got != "TOY1d�" {
		t.Errorf("from the text area: %q", got)
	}
	d.Sel.Bytes(model.Range{Space: d.hex.Space, Off: 8, Len: 16}, nil) // two rows, whole
	b.settle(t)
	bench.WantPath(t, d.Document, "rows", 8, 16)
	d.Sel.Path("rows[3]", nil)
	b.settle(t)
	d.CopyAs(len(doc.CopyKinds))
	b.settle(t)
	if got := b.App.Clipboard().Content(); strings.Count(got, "\n") != 3 || !strings.Contains(got, `"path":"rows[3]/size"`) {
		t.Errorf("%s", got)
	}
	if rows := strings.Split(doc.Listed(make([]byte, 30), "\t", ",\n"), "\n"); len(rows) != 5 {
		t.Errorf("%q", rows)
	}
}

func TestSelectAllAndPasteReachTheHexPane(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.hex.View.TypedShortcut(&fyne.ShortcutSelectAll{})
	b.settle(t)
	if d.Sel.Now.Range.Len != d.hex.Size {
		t.Error(d.Sel.Now.Range)
	}
	d.Editor.SetLocked(false)
	d.hex.SelectTo(0, false)
	b.App.Clipboard().SetContent("ff ee")
	d.hex.View.TypedShortcut(&fyne.ShortcutPaste{})
	b.settle(t)
	if got, _ := d.Tree().Bytes(t.Context(), model.Range{Space: d.hex.Space, Len: 2}); !stdbytes.Equal(got, []byte{0xff, 0xee}) {
		t.Errorf("% x", got)
	}
}

func TestFileThatShrinksIsAFinding(t *testing.T) {
	path := toyFile(t, 100_000)
	b, d := newBench(t, path)
	before := len(d.Found.All)
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		d.hex.Key(fyne.KeyEnd, ctrl)
		b.settle(t)
		d.hex.Key(fyne.KeyHome, ctrl)
		b.settle(t)
	}
	if n := len(d.Found.All); n != before+1 || d.hex.Page.Trouble != "" {
		t.Errorf("%d findings after %d; at the start: %q", n, before, d.hex.Page.Trouble)
	}
}

// What another program took away is not put down to an edit.
func TestShrunkIsNoEdit(t *testing.T) {
	path := toyFile(t, 100)
	b, d := newBench(t, path)
	d.Editor.SetLocked(false)
	d.Editor.SetValue(d.Tree().Root.Get("rows").Child(2).Child(1), model.U(13), nil)
	b.settle(t)
	if err := os.Truncate(path, 400); err != nil {
		t.Fatal(err)
	}
	d.Found.Shrank(model.ErrShrunk)
	b.settle(t)
	if first, _ := d.head.Broke(); len(d.Check.Sound) == 0 || d.Found.Counts()[model.Error] == 0 || first != nil {
		t.Errorf("%v is blamed for %d errors", first, d.Found.Counts()[model.Error])
	}
}

func TestRowsAreSelectedCopiedAndExported(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	tab := d.table
	tab.Press(10, tab.ColumnX(1)+5, rows.Press{Button: 1})
	tab.Press(13, tab.ColumnX(1)+5, rows.Press{Button: 1, Mod: shift})
	if first, n := tab.ChosenRows(); first != 10 || n != 4 {
		t.Fatalf("rows %d + %d", first, n)
	}
	tab.Key(fyne.KeyDown, shift)
	tab.Key(fyne.KeyC, ctrl)
	b.settle(t)
	if got := b.App.Clipboard().Content(); got != "id\tsize\n10\t100\n11\t110\n12\t120\n13\t130\n14\t140\n" {
		t.Errorf("%q", got)
	}
	some := tab.Table.Part(10, 5)
	path := t.TempDir() + "/rows.csv"
	d.table.Export(&some, path)
	b.settle(t)
	if got, err := os.ReadFile(path); err != nil || string(got) != "id,size\n10,100\n11,110\n12,120\n13,130\n14,140\n" {
		t.Errorf("%v: %q", err, got)
	}
	tab.Press(40, tab.ColumnX(2)+5, rows.Press{Button: 1})
	tab.Press(35, tab.ColumnX(2)+5, rows.Press{Button: 1, Drag: true})
	if first, n := tab.ChosenRows(); first != 35 || n != 6 {
		t.Errorf("dragging up: rows %d + %d", first, n)
	}
	tab.Press(50, tab.ColumnX(2)+5, rows.Press{Button: 1})
	if _, n := tab.ChosenRows(); n != 1 {
		t.Error("a click keeps the rows selected")
	}
	tab.Key(fyne.KeyA, ctrl)
	if _, n := tab.ChosenRows(); n != 100 {
		t.Errorf("%d rows of all", n)
	}
}

// TestEndOfAHugeFile goes to the last byte of 64 GiB, which float32 positions would miss by kilobytes.
func TestEndOfAHugeFile(t *testing.T) {
	const size = 1<<36 + 5
	path := t.TempDir() + "/huge.bin"
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal("no room for a sparse file: ", err)
	}
	b, d := newBench(t, path)
	h := d.hex
	last := func(how string) {
		t.Helper()
		b.settle(t)
		if bottom := h.View.Top + h.View.Page(); bottom != h.Count() || h.Page.Off+int64(len(h.Page.Bytes)) != size {
			t.Errorf("%s: rows end at %d of %d, bytes at %d", how, bottom, h.Count(), h.Page.Off+int64(len(h.Page.Bytes)))
		}
		h.View.ScrollTo(0)
	}
	h.Key(fyne.KeyEnd, ctrl)
	last("key")
	h.View.Vbar.Jump(h.View.Vbar.Length())
	last("thumb")
	d.GoTo("end-1", func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	if b.settle(t); h.Caret != size-1 {
		t.Errorf("caret at %d", h.Caret)
	}
	h.View.ScrollTo(h.View.MaxTop())
	last("go to")
}

func TestStripsShowWhatIsCurrent(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	b.win.Resize(fyne.NewSize(700, 600))
	var list []fyne.CanvasObject
	for i := range 20 {
		list = append(list, widget.NewLabel(strings.Repeat("x", i+5)))
	}
	d.hex.Spaces.Strip.Show()
	d.hex.Object.Refresh()
	d.hex.Spaces.Tabs.Objects = list
	d.hex.Spaces.Tabs.Refresh()
	for _, i := range []int{19, 0, 10} {
		kit.IntoView(d.hex.Spaces.Strip, list[i])
		x, off := list[i].Position().X, d.hex.Spaces.Strip.Offset.X
		if w := list[i].Size().Width; x < off || x+w > off+d.hex.Spaces.Strip.Size().Width+1 {
			t.Errorf("%d at %v + %v is not within %v + %v", i, x, w, off, d.hex.Spaces.Strip.Size().Width)
		}
	}
}
