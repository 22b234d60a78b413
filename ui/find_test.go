package ui

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/compare"
	"spandrel/ui/facts"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// A pattern without a match costs one search, not one for each match of another.
func TestFindBothByteOrders(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	w := compare.Wanted{Scope: compare.ScopeSpace, Space: d.hex.Space}
	var err error
	if w.Queries, err = compare.QueriesOf(compare.FindNumber, "u32", "1"); err != nil || len(w.Queries) != 2 {
		t.Fatal(w.Queries, err)
	}
	last := int64(-1)
	err = d.Tree().SearchAll(t.Context(), w.Space, w.Queries, false, nil, func(r model.Range) bool {
		if r.Off <= last {
			t.Errorf("0x%x behind 0x%x", r.Off, last)
		}
		last = r.Off
		return true
	})
	if err != nil || last < 0 {
		t.Error(last, err)
	}
	b.settle(t)
}

// The inspector shows both byte orders side by side in a narrow pane too, and writes what is typed into the bytes.
func TestInspectorEditsBytes(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	d.Sel.Path("rows[7]/size", nil)
	b.settle(t)
	n := d.info
	row := int64(-1)
	for i, l := range n.Lines {
		if l.Label == "u32" {
			row = int64(i)
		}
	}
	if row < 0 || n.Lines[row].Text != "70" || n.Lines[row].Whole[1] != "1174405120" {
		t.Fatalf("line %d: %+v", row, n.Lines[max(row, 0)])
	}
	for k, want := range []string{"G\x00\x00\x00", "\x00\x00\x00G"} {
		x := n.ColumnX(k+1) + 2
		n.Press(row, x, rows.Press{Button: desktop.MouseButtonPrimary})
		n.Press(row, x, rows.Press{Button: desktop.MouseButtonPrimary, Double: true})
		if n.Edit.Entry.Hidden || d.Editor.Locked {
			t.Fatal("a double click does not open the value")
		}
		n.Edit.Entry.SetText("x")
		n.Edit.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		if n.Edit.Entry.Hidden || d.Model.Dirty() {
			t.Error("x was taken for a number")
		}
		n.Edit.Entry.SetText("71")
		n.Edit.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.settle(t)
		got, _ := d.Tree().Bytes(t.Context(), model.Range{Space: d.hex.Space, Off: 8 + 7*8 + 4, Len: 4})
		if string(got) != want {
			t.Errorf("the bytes are %q, want %q", got, want)
		}
		if undo, _ := d.Model.History(); len(undo) == 0 || !strings.HasPrefix(undo[len(undo)-1].Label, "u32 at 0x44: ") {
			t.Errorf("the step is %+v", undo)
		}
		d.Editor.Undo()
		b.settle(t)
	}
}

// The box over a value shows all of it, in a narrow pane too.
func TestInspectorBoxHoldsItsText(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	b.win.Resize(fyne.NewSize(900, 1400))
	d.Sel.Path("rows[7]", nil)
	b.settle(t)
	n := d.info
	row := slices.IndexFunc(n.Lines, func(f facts.Fact) bool { return f.Label == "u64" })
	n.Press(int64(row), n.ColumnX(1)+2, rows.Press{Button: desktop.MouseButtonPrimary, Double: true})
	if box := n.Edit.Entry; box.Hidden || box.Size().Width < kit.ColumnFor(box.Text) {
		t.Errorf("%q needs %v, in a box of %v", box.Text, kit.ColumnFor(box.Text), box.Size().Width)
	}
}

// Whole numbers of the inspector stand in one piece where there is room: the column of the longer ones takes from the other.
func TestInspectorKeepsNumbersWhole(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	b.win.Resize(fyne.NewSize(1800, 1000))
	d.Sel.Path("rows[7]/size", nil) // short in one order, 19 digits in the other
	b.settle(t)
	checked := 0
	for _, l := range d.info.Lines {
		if l.Label == "u64" || l.Label == "i64" {
			checked++
			if l.Text != l.Whole[0] || l.Other != l.Whole[1] {
				t.Errorf("%s is broken: %q of %q, %q of %q", l.Label, l.Text, l.Whole[0], l.Other, l.Whole[1])
			}
		}
	}
	if checked != 2 {
		t.Errorf("%d numbers", checked)
	}
}

// In a window of 1600 units the longest whole numbers stand side by side in both byte orders, and 20 bytes in a row.
func TestLongestNumbersSideBySide(t *testing.T) {
	b := emptyBench(t)
	b.win.Resize(fyne.NewSize(1600, 1000))
	d := b.open(t, bench.CopySample(t, "idv/good/deflated.idv"))
	b.win.Canvas().Capture()
	b.settle(t)
	d.table.Choose(1, 5)
	b.settle(t)
	i := slices.IndexFunc(d.info.Lines, func(f facts.Fact) bool { return f.Label == "u64" })
	if i < 0 || len(d.info.Lines[i].Text) != 20 || len(d.info.Lines[i].Other) != 20 {
		t.Errorf("%+v", d.info.Lines[max(0, i)])
	}
	if d.hex.PerRow != 16 {
		t.Errorf("%d bytes a row", d.hex.PerRow)
	}
}

// Where a table is shown and no bytes are, its values are searched; where bytes are, these.
func TestFindInTable(t *testing.T) {
	b := emptyBench(t)
	b.prefs.SetInt(prefPanes, 0)
	d := b.open(t, bench.CopySample(t, "idv/good/stored.idv"))
	d.Lower.Show(kit.TabFind)
	if d.find.Kind.Selected != "Values" {
		t.Errorf("a table is searched for %q", d.find.Kind.Selected)
	}
	for text, want := range map[string]int64{"34": 10, "SByte = 34": 1, "34 and": 0, "SByte > 0 and Int16 = 51": 2} {
		d.find.Entry.SetText(text)
		d.find.Run()
		b.settle(t)
		if d.find.Count() != want {
			t.Errorf("%s: %d hits, want %d", text, d.find.Count(), want)
		}
	}
	d.find.Entry.SetText("SByte = 34")
	d.find.Run()
	b.settle(t)
	d.find.Key(fyne.KeyReturn, 0)
	if cell := d.Sel.Now.Cell; cell == nil || cell.Row != 6 || cell.Column != "SByte" || d.Lower.Bottom.SelectedIndex() != kit.TabTable {
		t.Errorf("Enter leads to %+v in tab %d", cell, d.Lower.Bottom.SelectedIndex())
	}
	other := b.open(t, bench.CopySample(t, "npy/good/matrix.npy"))
	other.frame.choose(layoutBytes)
	other.find.Begin()
	if other.find.Kind.Selected != "Text" {
		t.Errorf("bytes are searched for %q", other.find.Kind.Selected)
	}
}
