package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
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
		d.Editor.Preview("set size", []model.Edit{model.SetValue(was.Root.Get("rows").Child(42).Child(1), model.U(7))}, func(p *model.Plan, err error) {
			if err != nil {
				t.Fatal(err)
			}
			d.Editor.Try(p, nil, true)
		})
		b.settle(t)
	}
	d.Sel.Path("magic", nil)
	b.settle(t)
	preview()
	if d.Preview == nil || d.Model.Tree != was || !d.trialBar.object.Visible() {
		t.Fatal("nothing is looked at, or it was made")
	}
	bench.WantPath(t, d.Document, "rows[42]/size", 8+8*42+4, 4) // what changes is in sight
	if b.menus.run("save"); b.Line.Said != doc.ErrPreview.Error() {
		t.Errorf("saved during a preview, it says %q", b.Line.Said)
	}
	if v, ok := d.table.CellAt(42, 2); !ok || v.Value.Uint() != 7 {
		t.Errorf("the table shows %v", v)
	}
	if p := d.table.Pages[0]; p == nil || !slices.Equal(tintedRows(p.Tint), []int{42}) {
		t.Error("not the row that changes is tinted")
	}
	at := size.Range.Off - d.hex.Page.Off
	if k := d.hex.Page.Kind[at-1 : at+5]; k[0].Tried || !k[1].Tried || k[5].Tried || d.hex.Page.Bytes[at] != 7 {
		t.Errorf("bytes %v are tinted: %+v", d.hex.Page.Bytes[at:at+4], k)
	}
	row := d.tree.Current - d.tree.Top
	if c := d.tree.Page[row]; c[1].Text != "7" || !c[1].Tint || row > 0 && d.tree.Page[row-1][1].Tint {
		t.Errorf("the tree says %+v", c)
	}
	if !strings.Contains(d.trialBar.text.Text, "rows[42]/size from 420 to 7") || !strings.Contains(d.changes.State.Text, "1 byte range would change") {
		t.Errorf("said: %s; %s", d.trialBar.text.Text, d.changes.State.Text)
	}
	d.Preview.Turn(d.Document, true)
	b.settle(t)
	if v, ok := d.table.CellAt(42, 2); !ok || v.Value.Uint() != 420 || d.tree.Page[row][1].Text != "420" || !d.tree.Page[row][1].Tint {
		t.Errorf("before says %v, %+v", v, d.tree.Page[row])
	}
	d.Editor.Locked = false
	d.Editor.SetValue(size, model.U(9), func(err error) {
		if err != doc.ErrPreview {
			t.Error("it is edited while it is looked at: ", err)
		}
	})
	d.Editor.Undo()
	b.settle(t)
	d.Preview.Turn(d.Document, false)
	b.settle(t)
	b.press(fyne.KeyEscape)
	b.settle(t)
	if d.Preview != nil || d.Tree() != was || d.Editor.Dirty || d.Editor.Busy || d.trialBar.object.Visible() {
		t.Fatal("Esc leaves something of it")
	}
	bench.WantPath(t, d.Document, "magic", 0, 4)
	if p := d.table.Pages[0]; p == nil || p.Tint != nil {
		t.Error("the table stays tinted")
	}
	preview()
	b.press(fyne.KeyReturn)
	b.settle(t)
	if v, _ := d.Model.Tree.Value(t.Context(), d.Model.Tree.Root.Get("rows").Child(42).Child(1)); d.Preview != nil || v.Uint() != 7 || !d.Editor.Dirty || d.Editor.Busy {
		t.Errorf("Enter did not make it: %v", v)
	}
	if undo, _ := d.Model.History(); len(undo) != 1 || undo[0].Label != "set size" {
		t.Errorf("the history: %+v", undo)
	}
	if p := d.table.Pages[0]; p == nil || !slices.Equal(tintedRows(p.Tint), []int{42}) {
		t.Error("not the row that is unsaved is tinted after it was made")
	}
	d.Editor.Undo()
	b.settle(t)
	if v, _ := d.Model.Tree.Value(t.Context(), d.Model.Tree.Root.Get("rows").Child(42).Child(1)); v.Uint() != 420 {
		t.Errorf("undone it is %v", v)
	}
}

// A preview of a repair that brings rows back says how many, and no line of digits.
func TestPreviewSaysRows(t *testing.T) {
	path := filepath.Join(bench.CopySample(t, "taridx/good/three-shards"), "train.taridx")
	if err := os.Truncate(path, 250); err != nil {
		t.Fatal(err)
	}
	b := emptyBench(t)
	b.causeTime = doc.CauseTime
	d := b.open(t, path)
	d.problem.Fixes.PreviewFirst()
	b.settle(t)
	if said := d.trialBar.text.Text; !strings.Contains(said, "adds 141 bytes in train.taridx; rows: 10 rows instead of 5") {
		t.Errorf("said: %s", said)
	}
}

// What changes inside decoded bytes is tinted there, byte by byte and cell by cell.
func TestPreviewOfDecodedBytes(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	d.table.Choose(4, 3)
	b.settle(t)
	s := d.Sel.Now.Span
	d.Editor.Preview("set a cell", []model.Edit{model.SetValue(s, model.I(257))}, func(p *model.Plan, err error) {
		if err != nil {
			t.Fatal(err)
		}
		d.Editor.Try(p, nil, true)
	})
	b.settle(t)
	if p := d.table.Pages[0]; p == nil || !slices.Equal(tintedRows(p.Tint), []int{4}) {
		t.Fatalf("tinted rows")
	}
	d.table.Choose(4, 3)
	b.settle(t)
	n := 0
	for i, k := range d.hex.Page.Kind {
		if k.Tried {
			n++
			if off := d.hex.Page.Off + int64(i); !d.Sel.Now.Range.Contains(model.Range{Space: d.hex.Space, Off: off, Len: 1}) {
				t.Errorf("byte 0x%x is tinted", off)
			}
		}
	}
	if n == 0 {
		t.Error("no decoded byte is tinted")
	}
	b.press(fyne.KeyEscape)
	d.Preview.Decide(d.Document, false)
	b.settle(t)
	if c, _ := d.table.CellAt(4, 3); c.Value.Int() == 257 {
		t.Error("it was made")
	}
}

// A field that was edited stays selected while its change is looked at, and behind it, also where the format wants to be asked.
func TestEditedFieldStaysSelected(t *testing.T) {
	b, d := newTaridxBench(t, "good/three-shards")
	d.Editor.SetLocked(false)
	d.Sel.Path("ext[0]/name", nil)
	b.settle(t)
	d.Editor.SetValue(d.Sel.Now.Span, model.S("jpegx"), nil)
	b.settle(t)
	if d.Preview == nil || d.Sel.Now.Span.Path() != "ext[0]/name" {
		t.Fatalf("looked at: %v, selected %s", d.Preview != nil, d.Sel.Now.Span.Path())
	}
	b.press(fyne.KeyReturn)
	b.settle(t)
	if p := d.Sel.Now.Span.Path(); d.Preview != nil || p != "ext[0]/name" || d.Sel.Now.Range.Len != 5 {
		t.Errorf("behind it %s is selected, %+v", p, d.Sel.Now.Range)
	}
}
