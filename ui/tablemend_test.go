package ui

import (
	"os"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// Where a proven repair brings rows back, the table shows the document after it and says so; the switch shows the file; a cell leads to its
// bytes in the file; editing offers the repair first, and behind the repair the table is an ordinary one.
func TestTableOfDamagedDocument(t *testing.T) {
	b, d := newTaridxBench(t, "bad/054-cut")
	m := d.table.mend
	if m.now == nil || m.shows() == nil || !m.object.Visible() || !strings.Contains(m.text.Text, "after the repair “"+m.now.repair.Label) {
		t.Fatalf("the table is that of the file: %q", m.text.Text)
	}
	after := d.table.table.Rows
	if !strings.Contains(d.head.what.Text, "6 rows × 10 columns in 1 shard after the repair") {
		t.Errorf("the headline says %q", d.head.what.Text)
	}
	d.table.choose(after-1, 1)
	b.settle(t)
	if d.table.choose(0, 3); d.sel.now.Range.Len == 0 {
		t.Error("a row that the file has as well leads to none of its bytes")
	}
	d.table.Typed('7')
	if b.settle(t); !b.shell.modal() || d.editor.dirty || d.table.editor.ref != nil {
		t.Fatal("a cell of the repaired document is edited as one of the file")
	}
	b.press(fyne.KeyEscape)
	m.turn(true)
	b.settle(t)
	if d.table.table.Rows >= after || !strings.Contains(m.text.Text, "In the damaged file") || d.table.tableCells.column(d.sel.now.Cell) > 0 {
		t.Errorf("as in the file: %d rows; %q; the cell chosen before is marked: %v", d.table.table.Rows, m.text.Text, d.sel.now.Cell)
	}
	m.turn(false)
	b.settle(t)
	d.table.choose(after-1, 1)
	d.table.Key(fyne.KeyReturn, 0)
	b.press(fyne.KeyReturn) // preview
	b.settle(t)
	if d.trial == nil || m.object.Visible() {
		t.Fatal("the repair is not looked at")
	}
	b.press(fyne.KeyReturn) // apply
	b.settle(t)
	if m.shows() != nil || m.object.Visible() || d.table.table.Rows != after || d.table.table.Set == nil && d.table.Current < 0 {
		t.Errorf("behind the repair: %d rows, the bar is shown: %v", d.table.table.Rows, m.object.Visible())
	}
	d.editor.undo()
	b.settle(t)
	if m.now == nil {
		t.Error("undone, and the rows after the repair are not offered")
	}
}

// A cell of the rows after a repair leads to its bytes in the file, also into a block that is decoded for it.
func TestCellOfRepairedDocument(t *testing.T) {
	for _, sample := range []string{"idv/bad/008-negative-rows.idv", "idv/bad/011-toc-outside.idv"} {
		b, d := sampleBench(t, sample)
		d.causeTime = causeTime
		d.problem.changed()
		b.settle(t)
		if d.table.mend.shows() == nil {
			t.Errorf("%s: the table is that of the file", sample)
			continue
		}
		d.table.choose(1, 1)
		b.settle(t)
		cell, ok := d.table.tableCells.cellAt(1, 1)
		raw, err := d.Tree().Bytes(t.Context(), cell.Range)
		if !ok || err != nil || len(raw) == 0 || d.sel.now.Range != cell.Range || int64(littleEndian(raw)) != cell.Value.Int() {
			t.Errorf("%s: row 1 leads to %v, which holds % x: %v, %v", sample, d.sel.now.Range, raw, cell.Value, err)
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
	if d.table.mend.now != nil || d.table.mend.object.Visible() || d.table.mending() != nil {
		t.Error("a sound document is shown as after a repair")
	}
}

// Bytes behind an insertion are found in front of it, bytes overwritten where they are, bytes that were made nowhere.
func TestSamePlaces(t *testing.T) {
	path := t.TempDir() + "/a.bin"
	if err := os.WriteFile(path, []byte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, err := model.Open(t.Context(), path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	was := doc.Tree
	name := was.Space(was.Root.Range.Space).File
	c, err := was.Snapshot.Content(name)
	if err != nil {
		t.Fatal(err)
	}
	c = c.Splice(50, 1, model.Memory([]byte("x"))).Splice(2, 0, model.Memory([]byte("abc")))
	now := model.Parse(t.Context(), was.Snapshot.With(name, c), nil)
	p := &samePlaces{of: now, in: was, spaces: map[model.SpaceID]*sameSpace{}}
	for at, want := range map[[2]int64][2]int64{{0, 2}: {0, 2}, {1, 2}: {}, {3, 1}: {}, {5, 3}: {2, 3}, {53, 1}: {50, 1}, {52, 2}: {49, 2}, {4, 0}: {}} {
		got := p.find(t.Context(), model.Range{Space: now.Root.Range.Space, Off: at[0], Len: at[1]})
		if got.Off != want[0] || got.Len != want[1] {
			t.Errorf("%v is found at %v, want %v", at, got, want)
		}
	}
}
