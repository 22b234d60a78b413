package ui

import (
	stdbytes "bytes"
	"os"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

func TestHoverLightsLongSpans(t *testing.T) {
	_, d := newBench(t, toyFile(t, 100_000))
	gap := d.hex.size - 4
	d.sel.lightAt(d.hex.space, gap+1)
	if d.sel.hover != (model.Range{Space: d.hex.space, Off: gap, Len: 4}) {
		t.Error("gap:", d.sel.hover)
	}
	d.sel.light(model.Range{Space: d.hex.space, Off: 8, Len: 800_000}) // as the tree's row does
	if n := len(d.hex.view.Marks); n != 6 {
		t.Fatalf("%d marks", n)
	}
	visible := 0
	for _, o := range d.hex.view.Over {
		if o.Visible() && o.Size().Height > 300 {
			visible++
		}
	}
	if visible != 2 {
		t.Errorf("%d tall rectangles are shown, want one for each area", visible)
	}
}

func TestSelectRange(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	for expr, want := range map[string][2]int64{
		"0x10..0x1f": {16, 16}, "4, 3": {4, 3}, "rows[3]": {32, 8}, "rows[3]..rows[5]": {32, 24}, "0x10..+7": {16, 8},
		"end-4..end": {d.hex.size - 4, 4}, "count": {4, 4}, "7": {7, 1}, "rows[3]/size, 0x2": {36, 2},
	} {
		d.SelectRange(expr, func(err error) {
			if err != nil {
				t.Error(expr, err)
			}
		})
		b.settle(t)
		if r := d.sel.now.Range; r.Off != want[0] || r.Len != want[1] {
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
	d.editor.setLocked(false)
	for _, off := range []int64{100, 40, 300} {
		d.editor.replace(func() model.Range { return model.Range{Space: d.hex.space, Off: off, Len: 2} }, model.Memory([]byte{0xaa, 0xbb}), "edit", nil)
		b.settle(t)
	}
	d.sel.bytes(model.Range{Space: d.hex.space}, nil)
	b.settle(t)
	at := func(back bool, want int64) {
		t.Helper()
		d.find.StepDifference(back)
		b.settle(t)
		if d.sel.now.Range.Off != want || d.sel.now.Range.Len != 2 {
			t.Errorf("at %v, want %d", d.sel.now.Range, want)
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
	d.find.compare(o.Document, true)
	b.settle(t)
	if n := d.find.Count(); n != 2 {
		t.Fatalf("%d differences", n)
	}
	wantPath(t, d, "rows[20]/id", 8+8*20, 4)
	b.menus.run("next-difference")
	b.settle(t)
	wantPath(t, d, "rows[70]/size", 8+8*70+4, 4)
	var said []string
	for _, i := range d.find.items {
		said = append(said, i.cells[0].Text+"|"+i.cells[1].Text+"|"+i.cells[2].Text+"|"+i.cells[3].Text)
	}
	if got := strings.Join(said, "\n"); got != "rows, id 20|id|20|200\nrows, id 70|size|700|610" {
		t.Error(got)
	}
	d.editor.setLocked(false)
	d.editor.edit("drop a row", "", []model.Edit{model.Splice{Range: d.Tree().Root.Get("rows").Child(5).Range}}, nil)
	b.settle(t)
	if d.find.compare(o.Document, true); d.find.Count() == 0 { // rows behind it have moved, and are the same
		b.settle(t)
	}
	b.settle(t)
	if n := d.find.Count(); n != 5 { // the count, the row, the row of another name on both sides, and the cell
		t.Errorf("%d differences without a row", n)
	}
	d.editor.undo()
	b.settle(t)

	d.Model.Format = nil // as of no known format: by bytes
	d.find.compare(o.Document, true)
	b.settle(t)
	if n := d.find.Count(); n != 2 || d.find.items[1].at.Off != 8+8*70+4 || d.find.items[1].at.Len != 1 {
		t.Errorf("%+v", d.find.items)
	}
}

func TestReplaceOneAndAll(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	p := d.find
	p.with.show()
	p.entry.SetText("TOY")
	p.with.with.SetText("TOYS")
	p.with.all()
	b.settle(t)
	if !strings.Contains(p.state.Text, "locked") {
		t.Error("a locked document:", p.state.Text)
	}
	d.editor.setLocked(false)
	p.kind.SetSelected(findHex)
	p.entry.SetText("0a 00 00 00") // the size of row 1 and the id of row 10
	p.with.with.SetText("0b 00 00 00")
	p.with.one() // goes there
	b.settle(t)
	if d.sel.now.Range.Off != 8+8+4 || d.Model.Dirty() {
		t.Fatal("first match:", d.sel.now.Range)
	}
	p.with.one()
	b.settle(t)
	if got, _ := d.Tree().Bytes(t.Context(), model.Range{Space: d.hex.space, Off: 20, Len: 4}); !stdbytes.Equal(got, []byte{11, 0, 0, 0}) {
		t.Errorf("% x", got)
	}
	if d.sel.now.Range.Off != 8+80 {
		t.Error("next match:", d.sel.now.Range)
	}
	d.editor.undo()
	b.settle(t)
	p.run() // lists them, and goes to the first
	b.settle(t)
	p.with.one()
	b.settle(t)
	if list := d.Model.Unsaved("sample.toy"); len(list) != 1 || list[0].Off != 20 {
		t.Error("not the match that was gone to:", list)
	}
	d.editor.undo()
	b.settle(t)
	p.with.all()
	b.settle(t)
	if undo, _ := d.Model.History(); len(undo) != 1 || len(undo[0].Patches) != 2 {
		t.Errorf("%d steps; %s", len(undo), p.state.Text)
	}
}

func TestCopyAs(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.sel.bytes(model.Range{Space: d.hex.space, Off: 0, Len: 6}, nil)
	b.settle(t)
	for i, want := range []string{"54 4f 59 31 64 00", "544f59316400", "00000000  54 4f 59 31 64 00 ", "TOY1d�",
		"static const unsigned char data[6] = {0x54, 0x4f, 0x59, 0x31, 0x64, 0x00};", "[]byte{0x54, 0x4f, 0x59, 0x31, 0x64, 0x00}", `b"TOY1d\x00"`, "VE9ZMWQA"} {
		d.copyAs(i)
		b.settle(t)
		if got := b.app.Clipboard().Content(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", copyKinds[i].name, got)
		}
	}
	d.hex.inText = true
	d.hex.Key(fyne.KeyC, ctrl)
	b.settle(t)
	if got := b.app.Clipboard().Content(); got != "TOY1d�" {
		t.Errorf("from the text area: %q", got)
	}
	d.sel.bytes(model.Range{Space: d.hex.space, Off: 8, Len: 16}, nil) // two rows, whole
	b.settle(t)
	wantPath(t, d, "rows", 8, 16)
	d.sel.path("rows[3]", nil)
	b.settle(t)
	d.copyAs(len(copyKinds))
	b.settle(t)
	if got := b.app.Clipboard().Content(); strings.Count(got, "\n") != 3 || !strings.Contains(got, `"path":"rows[3]/size"`) {
		t.Errorf("%s", got)
	}
	if rows := strings.Split(listed(make([]byte, 30), "\t", ",\n"), "\n"); len(rows) != 5 {
		t.Errorf("%q", rows)
	}
}

func TestSelectAllAndPasteReachTheHexPane(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.hex.view.TypedShortcut(&fyne.ShortcutSelectAll{})
	b.settle(t)
	if d.sel.now.Range.Len != d.hex.size {
		t.Error(d.sel.now.Range)
	}
	d.editor.setLocked(false)
	d.hex.selectTo(0, false)
	b.app.Clipboard().SetContent("ff ee")
	d.hex.view.TypedShortcut(&fyne.ShortcutPaste{})
	b.settle(t)
	if got, _ := d.Tree().Bytes(t.Context(), model.Range{Space: d.hex.space, Len: 2}); !stdbytes.Equal(got, []byte{0xff, 0xee}) {
		t.Errorf("% x", got)
	}
}

func TestFileThatShrinksIsAFinding(t *testing.T) {
	path := toyFile(t, 100_000)
	b, d := newBench(t, path)
	before := len(d.found.all)
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		d.hex.Key(fyne.KeyEnd, ctrl)
		b.settle(t)
		d.hex.Key(fyne.KeyHome, ctrl)
		b.settle(t)
	}
	if n := len(d.found.all); n != before+1 || d.hex.page.trouble != "" {
		t.Errorf("%d findings after %d; at the start: %q", n, before, d.hex.page.trouble)
	}
}

// What another program took away is not put down to an edit.
func TestShrunkIsNoEdit(t *testing.T) {
	path := toyFile(t, 100)
	b, d := newBench(t, path)
	d.editor.setLocked(false)
	d.editor.setValue(d.Tree().Root.Get("rows").Child(2).Child(1), model.U(13), nil)
	b.settle(t)
	if err := os.Truncate(path, 400); err != nil {
		t.Fatal(err)
	}
	d.found.shrank(model.ErrShrunk)
	b.settle(t)
	if first, _ := d.head.broke(); len(d.check.sound) == 0 || d.found.counts()[model.Error] == 0 || first != nil {
		t.Errorf("%v is blamed for %d errors", first, d.found.counts()[model.Error])
	}
}

func TestRowsAreSelectedCopiedAndExported(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	tab := d.table
	tab.Press(10, tab.ColumnX(1)+5, rows.Press{Button: 1})
	tab.Press(13, tab.ColumnX(1)+5, rows.Press{Button: 1, Mod: shift})
	if first, n := tab.chosen.chosenRows(); first != 10 || n != 4 {
		t.Fatalf("rows %d + %d", first, n)
	}
	tab.Key(fyne.KeyDown, shift)
	tab.Key(fyne.KeyC, ctrl)
	b.settle(t)
	if got := b.app.Clipboard().Content(); got != "id\tsize\n10\t100\n11\t110\n12\t120\n13\t130\n14\t140\n" {
		t.Errorf("%q", got)
	}
	some := part(*tab.table, 10, 5)
	path := t.TempDir() + "/rows.csv"
	d.table.export(&some, path)
	b.settle(t)
	if got, err := os.ReadFile(path); err != nil || string(got) != "id,size\n10,100\n11,110\n12,120\n13,130\n14,140\n" {
		t.Errorf("%v: %q", err, got)
	}
	tab.Press(40, tab.ColumnX(2)+5, rows.Press{Button: 1})
	tab.Press(35, tab.ColumnX(2)+5, rows.Press{Button: 1, Drag: true})
	if first, n := tab.chosen.chosenRows(); first != 35 || n != 6 {
		t.Errorf("dragging up: rows %d + %d", first, n)
	}
	tab.Press(50, tab.ColumnX(2)+5, rows.Press{Button: 1})
	if _, n := tab.chosen.chosenRows(); n != 1 {
		t.Error("a click keeps the rows selected")
	}
	tab.Key(fyne.KeyA, ctrl)
	if _, n := tab.chosen.chosenRows(); n != 100 {
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
		if bottom := h.view.Top + h.view.Page(); bottom != h.Count() || h.page.off+int64(len(h.page.bytes)) != size {
			t.Errorf("%s: rows end at %d of %d, bytes at %d", how, bottom, h.Count(), h.page.off+int64(len(h.page.bytes)))
		}
		h.view.ScrollTo(0)
	}
	h.Key(fyne.KeyEnd, ctrl)
	last("key")
	h.view.Vbar.Jump(h.view.Vbar.Length())
	last("thumb")
	d.GoTo("end-1", func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	if b.settle(t); h.caret != size-1 {
		t.Errorf("caret at %d", h.caret)
	}
	h.view.ScrollTo(h.view.MaxTop())
	last("go to")
}

func TestStripsShowWhatIsCurrent(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	b.win.Resize(fyne.NewSize(700, 600))
	var list []fyne.CanvasObject
	for i := range 20 {
		list = append(list, widget.NewLabel(strings.Repeat("x", i+5)))
	}
	d.hex.spaces.strip.Show()
	d.hex.object.Refresh()
	d.hex.spaces.tabs.Objects = list
	d.hex.spaces.tabs.Refresh()
	for _, i := range []int{19, 0, 10} {
		intoView(d.hex.spaces.strip, list[i])
		x, off := list[i].Position().X, d.hex.spaces.strip.Offset.X
		if w := list[i].Size().Width; x < off || x+w > off+d.hex.spaces.strip.Size().Width+1 {
			t.Errorf("%d at %v + %v is not within %v + %v", i, x, w, off, d.hex.spaces.strip.Size().Width)
		}
	}
}

// However many problems a file has, its map stays one: their marks are as long as much is wrong, and leave what is there to be seen.
func TestMapOfManyProblems(t *testing.T) {
	_, d := newBench(t, toyFile(t, 400))
	tree, root := d.Tree(), d.Tree().Root.Range
	var found []model.Finding
	for off := int64(0); off < root.Len; off++ {
		found = append(found, model.Finding{Severity: model.Error, Range: model.Range{Space: root.Space, Off: off, Len: 1}})
	}
	m := d.hex.overview
	for _, every := range []int{1, 8} {
		var some []model.Finding
		for i := 0; i < len(found); i += every {
			some = append(some, found[i])
		}
		lines, err := mapOf(t.Context(), tree, root.Space, root.Len, some, nil)
		if err != nil {
			t.Fatal(err)
		}
		m.lines = lines
		const w, h = 24, 512
		img, red := m.generate(w, h), 0
		mark := paint.Look().Mark(model.Error)
		for i := range w * h {
			if r, g, b, _ := img.At(i%w, i/w).RGBA(); uint8(r>>8) == mark.R && uint8(g>>8) == mark.G && uint8(b>>8) == mark.B {
				red++
			}
		}
		if most := map[int]int{1: 70, 8: 30}[every]; red*100 > most*w*h || red == 0 {
			t.Errorf("%d problems in %d bytes: %d %% of the map are marks", len(some), root.Len, red*100/(w*h))
		}
	}
}
