package ui

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// tintedRows are the rows of a grid that are tinted, by the text of their first tinted cell.
func tintedRows(list [][]bool) (rows []int) {
	for i, row := range list {
		if slices.Contains(row, true) {
			rows = append(rows, i)
		}
	}
	return rows
}

// A repair is looked at in place: tree, bytes and table show what the document would become, with what changes tinted; the switch shows
// what it is; Esc drops it without a trace, and Ctrl+Enter and Enter make it.
func TestPreviewIsInPlace(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	was := d.Model.Tree
	size := was.Root.Get("rows").Child(42).Child(1)
	preview := func() {
		d.editor.preview("set size", []model.Edit{model.SetValue(was.Root.Get("rows").Child(42).Child(1), model.U(7))}, func(p *model.Plan, err error) {
			if err != nil {
				t.Fatal(err)
			}
			d.editor.try(p, nil, true)
		})
		b.settle(t)
	}
	d.sel.path("magic", nil)
	b.settle(t)
	preview()
	if d.trial == nil || d.Model.Tree != was || !d.trialBar.object.Visible() {
		t.Fatal("nothing is looked at, or it was made")
	}
	wantPath(t, d, "rows[42]/size", 8+8*42+4, 4) // what changes is in sight
	if v, ok := d.table.tableCells.cellAt(42, 2); !ok || v.Value.Uint() != 7 {
		t.Errorf("the table shows %v", v)
	}
	if p := d.table.pages[0]; p == nil || !slices.Equal(tintedRows(p.tint), []int{42}) {
		t.Error("not the row that changes is tinted")
	}
	at := size.Range.Off - d.hex.page.off
	if k := d.hex.page.kind[at-1 : at+5]; k[0].tried || !k[1].tried || k[5].tried || d.hex.page.bytes[at] != 7 {
		t.Errorf("bytes %v are tinted: %+v", d.hex.page.bytes[at:at+4], k)
	}
	row := d.tree.Current - d.tree.top
	if c := d.tree.page[row]; c[1].Text != "7" || !c[1].Tint || row > 0 && d.tree.page[row-1][1].Tint {
		t.Errorf("the tree says %+v", c)
	}
	if !strings.Contains(d.trialBar.text.Text, "rows[42]/size would be 7, and is 420") || !strings.Contains(d.changes.state.Text, "1 byte range would change") {
		t.Errorf("said: %s; %s", d.trialBar.text.Text, d.changes.state.Text)
	}
	d.trial.turn(d.Document, true)
	b.settle(t)
	if v, ok := d.table.tableCells.cellAt(42, 2); !ok || v.Value.Uint() != 420 || d.tree.page[row][1].Text != "420" || !d.tree.page[row][1].Tint {
		t.Errorf("before says %v, %+v", v, d.tree.page[row])
	}
	d.editor.locked = false
	d.editor.setValue(size, model.U(9), func(err error) {
		if err != errTrial {
			t.Error("it is edited while it is looked at: ", err)
		}
	})
	d.editor.undo()
	b.settle(t)
	d.trial.turn(d.Document, false)
	b.settle(t)
	b.press(fyne.KeyEscape)
	b.settle(t)
	if d.trial != nil || d.Tree() != was || d.editor.dirty || d.editor.busy || d.trialBar.object.Visible() {
		t.Fatal("Esc leaves something of it")
	}
	wantPath(t, d, "magic", 0, 4)
	if p := d.table.pages[0]; p == nil || p.tint != nil {
		t.Error("the table stays tinted")
	}
	preview()
	b.press(fyne.KeyReturn)
	b.settle(t)
	if v, _ := d.Model.Tree.Value(t.Context(), d.Model.Tree.Root.Get("rows").Child(42).Child(1)); d.trial != nil || v.Uint() != 7 || !d.editor.dirty || d.editor.busy {
		t.Errorf("Enter did not make it: %v", v)
	}
	if undo, _ := d.Model.History(); len(undo) != 1 || undo[0].Label != "set size" {
		t.Errorf("the history: %+v", undo)
	}
	if p := d.table.pages[0]; p == nil || p.tint != nil {
		t.Error("the table stays tinted after it was made")
	}
	d.editor.undo()
	b.settle(t)
	if v, _ := d.Model.Tree.Value(t.Context(), d.Model.Tree.Root.Get("rows").Child(42).Child(1)); v.Uint() != 420 {
		t.Errorf("undone it is %v", v)
	}
}

// What changes inside decoded bytes is tinted there, byte by byte and cell by cell.
func TestPreviewOfDecodedBytes(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	d.table.choose(4, 3)
	b.settle(t)
	s := d.sel.now.Span
	d.editor.preview("set a cell", []model.Edit{model.SetValue(s, model.I(257))}, func(p *model.Plan, err error) {
		if err != nil {
			t.Fatal(err)
		}
		d.editor.try(p, nil, true)
	})
	b.settle(t)
	if p := d.table.pages[0]; p == nil || !slices.Equal(tintedRows(p.tint), []int{4}) {
		t.Fatalf("tinted rows")
	}
	d.table.choose(4, 3)
	b.settle(t)
	n := 0
	for i, k := range d.hex.page.kind {
		if k.tried {
			n++
			if off := d.hex.page.off + int64(i); !d.sel.now.Range.Contains(model.Range{Space: d.hex.space, Off: off, Len: 1}) {
				t.Errorf("byte 0x%x is tinted", off)
			}
		}
	}
	if n == 0 {
		t.Error("no decoded byte is tinted")
	}
	b.press(fyne.KeyEscape)
	d.trial.decide(d.Document, false)
	b.settle(t)
	if c, _ := d.table.tableCells.cellAt(4, 3); c.Value.Int() == 257 {
		t.Error("it was made")
	}
}

// A field that was edited stays selected while its change is looked at, and behind it, also where the format wants to be asked.
func TestEditedFieldStaysSelected(t *testing.T) {
	b, d := newTaridxBench(t, "good/three-shards")
	d.editor.setLocked(false)
	d.sel.path("ext[0]/name", nil)
	b.settle(t)
	d.editor.setValue(d.sel.now.Span, model.S("jpegx"), nil)
	b.settle(t)
	if d.trial == nil || d.sel.now.Span.Path() != "ext[0]/name" {
		t.Fatalf("looked at: %v, selected %s", d.trial != nil, d.sel.now.Span.Path())
	}
	b.press(fyne.KeyReturn)
	b.settle(t)
	if p := d.sel.now.Span.Path(); d.trial != nil || p != "ext[0]/name" || d.sel.now.Range.Len != 5 {
		t.Errorf("behind it %s is selected, %+v", p, d.sel.now.Range)
	}
}
