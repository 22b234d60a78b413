package ui

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/ui/doc"
)

// Where a proven repair brings rows back, the table shows the document after it and says so; the switch shows the file; a cell leads to its
// bytes in the file; editing offers the repair first, and behind the repair the table is an ordinary one.
func TestTableOfDamagedDocument(t *testing.T) {
	b, d := newTaridxBench(t, "bad/054-cut")
	m := d.table.Repaired
	if m.Now == nil || m.Shows() == nil || !m.Object.Visible() || !strings.Contains(m.Text.Text, "after the repair “"+m.Now.Repair.Label) {
		t.Fatalf("the table is that of the file: %q", m.Text.Text)
	}
	after := d.table.Table.Rows
	if !strings.Contains(d.head.What.Text, "6 rows × 10 columns in 1 shard after the repair") {
		t.Errorf("the headline says %q", d.head.What.Text)
	}
	d.table.Choose(after-1, 1)
	b.settle(t)
	if d.table.Choose(0, 3); d.Sel.Now.Range.Len == 0 {
		t.Error("a row that the file has as well leads to none of its bytes")
	}
	d.table.Typed('7')
	if b.settle(t); !b.Shell.Modal() || d.Editor.Dirty || d.table.Editor.Ref != nil {
		t.Fatal("a cell of the repaired document is edited as one of the file")
	}
	b.press(fyne.KeyEscape)
	m.Turn(true)
	b.settle(t)
	if d.table.Table.Rows >= after || !strings.Contains(m.Text.Text, "In the damaged file") || d.table.Column(d.Sel.Now.Cell) > 0 {
		t.Errorf("as in the file: %d rows; %q; the cell chosen before is marked: %v", d.table.Table.Rows, m.Text.Text, d.Sel.Now.Cell)
	}
	m.Turn(false)
	b.settle(t)
	d.table.Choose(after-1, 1)
	d.table.Key(fyne.KeyReturn, 0)
	b.press(fyne.KeyReturn) // preview
	b.settle(t)
	if d.Preview == nil || m.Object.Visible() {
		t.Fatal("the repair is not looked at")
	}
	b.press(fyne.KeyReturn) // apply
	b.settle(t)
	if m.Shows() != nil || m.Object.Visible() || d.table.Table.Rows != after || d.table.Table.Set == nil && d.table.Current < 0 {
		t.Errorf("behind the repair: %d rows, the bar is shown: %v", d.table.Table.Rows, m.Object.Visible())
	}
	d.Editor.Undo()
	b.settle(t)
	if m.Now == nil {
		t.Error("undone, and the rows after the repair are not offered")
	}
}

// A cell of the rows after a repair leads to its bytes in the file, also into a block that is decoded for it.
func TestCellOfRepairedDocument(t *testing.T) {
	for _, sample := range []string{"idv/bad/008-negative-rows.idv", "idv/bad/011-toc-outside.idv"} {
		b, d := sampleBench(t, sample)
		d.CauseTime = doc.CauseTime
		d.problem.Changed()
		b.settle(t)
		if d.table.Repaired.Shows() == nil {
			t.Errorf("%s: the table is that of the file", sample)
			continue
		}
		d.table.Choose(1, 1)
		b.settle(t)
		cell, ok := d.table.CellAt(1, 1)
		raw, err := d.Tree().Bytes(t.Context(), cell.Range)
		if !ok || err != nil || len(raw) == 0 || d.Sel.Now.Range != cell.Range || int64(littleEndian(raw)) != cell.Value.Int() {
			t.Errorf("%s: row 1 leads to %v, which holds % x: %v, %v", sample, d.Sel.Now.Range, raw, cell.Value, err)
		}
	}
}

// littleEndian reads a whole number.
func littleEndian(b []byte) (n uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n
}

// The rows of a sound document are those of the file, and nothing is said of a repair.
func TestTableOfSoundDocument(t *testing.T) {
	_, d := newTaridxBench(t, "good/three-shards")
	if d.table.Repaired.Now != nil || d.table.Repaired.Object.Visible() || d.table.AfterRepair() != nil {
		t.Error("a sound document is shown as after a repair")
	}
}
