package ui

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/rows"
)

// Every kind of search finds what it should, and only in the bytes that it was asked to look in. The block of a toy file holds
// "hello!!!", decoded.
func TestFindKindsAndScopes(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	p := d.find
	for _, c := range []struct {
		kind, number, scope, text string
		hits                      int64
		said                      string
	}{
		{findText, "", scopeSpace, "toy1", 1, "in sample.toy"},
		{findExact, "", scopeSpace, "toy1", 0, "0 hits"},
		{findText, "", scopeFiles, "hello", 0, "compressed was not searched"},
		{findText, "", scopeDecoded, "hello", 1, "decoded too"},
		{findHex, "", scopeSpace, "54 ?? 59", 1, ""},
		{findNumber, "u32", scopeSpace, "990", 1, ""},
		{findNumber, "u32 BE", scopeSpace, "990", 0, ""},
		{findNumber, "u16", scopeSpace, "70000", 0, "nothing is looked for"},
		{findNumber, "i32 LE", scopeSpace, "980", 1, ""},
		{findRegexp, "", scopeSpace, "T[A-Z]{2}[0-9]", 1, ""},
		{findRegexp, "", scopeSpace, "x*", 0, "matches nothing at all"},
		{findUTF16, "", scopeSpace, "TO", 0, ""},
		{findText, "", scopeSpace, "", 0, "type what to look for"},
	} {
		p.set(nil)
		d.sel.path("magic", nil)
		b.settle(t)
		p.kind.SetSelected(c.kind)
		p.scope.SetSelected(c.scope)
		if c.number != "" {
			p.number.SetSelected(c.number)
		}
		p.entry.SetText(c.text)
		p.run()
		b.settle(t)
		if p.Count() != c.hits || !strings.Contains(p.state.Text, c.said) {
			t.Errorf("%s %s %q %s: %d hits, want %d; %s", c.kind, c.number, c.text, c.scope, p.Count(), c.hits, p.state.Text)
		}
		if text := "980 i32 LE"; c.text == "980" && !strings.HasSuffix(p.items[0].cells[2].Text, text) {
			t.Errorf("a number is shown as %q, not %q", p.items[0].cells[2].Text, text)
		}
		if c.hits > 0 && len(p.hits(p.items[0].at.Space)) != int(c.hits) {
			t.Errorf("%s %q is not marked in the bytes", c.kind, c.text)
		}
	}
}

// A pattern without a match costs one search, not one for each match of another.
func TestFindBothByteOrders(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	w := wanted{scope: scopeSpace, space: d.hex.space}
	var err error
	if w.queries, err = queriesOf(findNumber, "u32", "1"); err != nil || len(w.queries) != 2 {
		t.Fatal(w.queries, err)
	}
	last := int64(-1)
	err = d.Tree().SearchAll(t.Context(), w.space, w.queries, false, nil, func(r model.Range) bool {
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
	d.sel.path("rows[7]/size", nil)
	b.settle(t)
	n := d.info
	row := int64(-1)
	for i, l := range n.lines {
		if l.label == "u32" {
			row = int64(i)
		}
	}
	if row < 0 || n.lines[row].text != "70" || n.lines[row].whole[1] != "1174405120" {
		t.Fatalf("line %d: %+v", row, n.lines[max(row, 0)])
	}
	for k, want := range []string{"G\x00\x00\x00", "\x00\x00\x00G"} {
		x := n.ColumnX(k+1) + 2
		n.Press(row, x, rows.Press{Button: desktop.MouseButtonPrimary})
		n.Press(row, x, rows.Press{Button: desktop.MouseButtonPrimary, Double: true})
		if n.edit.entry.Hidden || d.editor.locked {
			t.Fatal("a double click does not open the value")
		}
		n.edit.entry.SetText("x")
		n.edit.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		if n.edit.entry.Hidden || d.Model.Dirty() {
			t.Error("x was taken for a number")
		}
		n.edit.entry.SetText("71")
		n.edit.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.settle(t)
		got, _ := d.Tree().Bytes(t.Context(), model.Range{Space: d.hex.space, Off: 8 + 7*8 + 4, Len: 4})
		if string(got) != want {
			t.Errorf("the bytes are %q, want %q", got, want)
		}
		if undo, _ := d.Model.History(); len(undo) == 0 || !strings.HasPrefix(undo[len(undo)-1].Label, "u32 at 0x44: ") {
			t.Errorf("the step is %+v", undo)
		}
		d.editor.undo()
		b.settle(t)
	}
}

// Whole numbers of the inspector stand in one piece where there is room: the column of the longer ones takes from the other.
func TestInspectorKeepsNumbersWhole(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	b.win.Resize(fyne.NewSize(1800, 1000))
	d.sel.path("rows[7]/size", nil) // short in one order, 19 digits in the other
	b.settle(t)
	checked := 0
	for _, l := range d.info.lines {
		if l.label == "u64" || l.label == "i64" {
			checked++
			if l.text != l.whole[0] || l.other != l.whole[1] {
				t.Errorf("%s is broken: %q of %q, %q of %q", l.label, l.text, l.whole[0], l.other, l.whole[1])
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
	d := b.open(t, copySample(t, "idv/good/deflated.idv"))
	b.win.Canvas().Capture()
	b.settle(t)
	d.table.choose(1, 5)
	b.settle(t)
	i := slices.IndexFunc(d.info.lines, func(f fact) bool { return f.label == "u64" })
	if i < 0 || len(d.info.lines[i].text) != 20 || len(d.info.lines[i].other) != 20 {
		t.Errorf("%+v", d.info.lines[max(0, i)])
	}
	if d.hex.perRow != 20 {
		t.Errorf("%d bytes a row", d.hex.perRow)
	}
}
