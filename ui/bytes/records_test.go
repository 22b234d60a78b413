package bytes

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/ui/doc"
)

// Rows are records where the selection is in an array of them: they begin where those do, have their numbers, and are hit and moved in as other rows.
func TestOneRecordARow(t *testing.T) {
	b, d, p := sample(t, "taridx/good/three-shards", "train.taridx")
	rows, err := d.Tree().Find(t.Context(), "rows[3]/offset")
	if err != nil {
		t.Fatal(err)
	}
	p.Records.Switch()
	if p.PerRow != usualWidth || p.Records.there() {
		t.Errorf("%d bytes a row where no record is selected", p.PerRow)
	}
	if said := d.Window.Line.Said; !strings.Contains(said, "Select a record") {
		t.Errorf("where no record is selected %q is said", said)
	}
	d.Sel.Set(doc.Selection{Span: rows.Parent().Parent()})
	b.Settle(t)
	if p.Records.of != rows.Parent().Parent() {
		t.Error("the list itself is selected, and its records are not the rows")
	}
	d.Sel.Set(doc.Selection{Span: rows})
	b.Settle(t)
	array := rows.Parent().Parent()
	size := array.Range.Len / array.Count()
	if p.PerRow != size {
		t.Fatalf("%d bytes a row, not %d", p.PerRow, size)
	}
	for i := range array.Count() {
		at := array.Range.Off + i*size
		row := p.rowOf(at)
		if p.startOf(row) != at || p.colOf(at) != 0 || p.rowOf(at+size-1) != row {
			t.Fatalf("record %d at %d is in row %d, which begins at %d", i, at, row, p.startOf(row))
		}
		if name, _ := p.Records.name(at); name != []string{"[0]", "[1]", "[2]", "[3]", "[4]", "[5]", "[6]", "[7]", "[8]", "[9]"}[i] {
			t.Errorf("record %d is called %q", i, name)
		}
		if off, _, ok := p.At.byteAt(row, p.At.HexX(1)+1); !ok || off != at+1 {
			t.Errorf("record %d: byte 1 is hit at %d", i, off)
		}
	}
	if off, _, ok := p.At.byteAt(0, p.At.HexX(0)+1); p.Records.lead() > 0 && ok {
		t.Errorf("byte %d is hit in front of the file", off)
	}
	if last := p.rowOf(p.Size - 1); last != p.Count()-1 {
		t.Errorf("the last byte is in row %d of %d", last, p.Count())
	}
	p.Key(fyne.KeyHome, 0)
	if p.Caret != rows.Parent().Range.Off {
		t.Errorf("Home leads to %d", p.Caret)
	}
	p.Key(fyne.KeyDown, 0)
	p.Key(fyne.KeyEnd, 0)
	if p.Caret != rows.Parent().Range.End()+size-1 {
		t.Errorf("the end of the next row is at %d", p.Caret)
	}
	d.Sel.Set(doc.Selection{Span: d.Tree().Root})
	b.Settle(t)
	if p.PerRow != usualWidth {
		t.Error("rows stay records outside of them")
	}
}
