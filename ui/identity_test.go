package ui

import (
	"context"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// A cell stays selected, in the table and in every pane, through an edit that moves its bytes, through undo, and through a reload.
func TestCellKeepsItsIdentity(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.table.choose(42, 2)
	b.settle(t)
	wantPath(t, d, "rows[42]/size", 8+8*42+4, 4)
	want := cellRef{table: "rows", column: "size", row: 42}
	check := func(when string, off int64) {
		t.Helper()
		b.settle(t)
		if !d.sel.now.Cell.same(&want) || d.sel.now.Range.Off != off || d.sel.now.Range.Len != 4 {
			t.Errorf("%s: %+v at %+v", when, d.sel.now.Cell, d.sel.now.Range)
		}
		if d.table.Current != 42 || d.table.SelColumn != 2 {
			t.Errorf("%s: the table is at row %d, column %d", when, d.table.Current, d.table.SelColumn)
		}
	}
	d.editor.setLocked(false)
	d.editor.edit("shift", "", []model.Edit{model.Splice{Range: model.Range{Space: d.hex.space, Off: 3, Len: 1}, With: model.Memory([]byte("2")), Loose: true}}, nil)
	check("after an edit of other bytes", 8+8*42+4)
	d.editor.setValue(d.sel.now.Span, model.U(7), nil)
	check("after an edit of the cell", 8+8*42+4)
	if c, ok := d.table.tableCells.cellAt(42, 2); !ok || c.Value.Uint() != 7 {
		t.Errorf("the table says %v", c)
	}
	d.sel.path("magic", nil)
	b.settle(t)
	if d.table.Current != -1 {
		t.Error("a field that is no cell leaves one chosen")
	}
	d.editor.undo()
	check("after undo", 8+8*42+4)
	d.sel.back()
	b.settle(t)
	wantPath(t, d, "magic", 0, 4)
}

// What a pane chooses that still shows the document as it was before an edit, as a drawn graph does, is selected where it is now.
func TestSpanOfAnOlderTree(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.sel.path("rows[42]/size", nil)
	b.settle(t)
	old := d.sel.now.Span
	d.sel.path("magic", nil)
	b.settle(t)
	d.editor.setLocked(false)
	d.editor.setValue(old, model.U(7), nil)
	b.settle(t)
	d.sel.set(Selection{Span: old})
	b.settle(t)
	wantPath(t, d, "rows[42]/size", 8+8*42+4, 4)
	if d.sel.now.Span.Root() != d.Tree().Root {
		t.Error("a field of the document as it was is selected")
	}
}

// A derived cell selects its row and says that it has no bytes: the panes never go on showing the field of another cell.
func TestDerivedCellSelectsItsRow(t *testing.T) {
	was := toy.Tables
	defer func() { toy.Tables = was }()
	toy.Tables = func(_ context.Context, tree *model.Tree) []model.Table {
		table := model.Records("rows", "Rows", tree, tree.Root.Get("rows"))
		read := table.Read
		table.Columns = append(table.Columns, model.Column{Name: "double", Type: "u32", Kind: model.Uint})
		table.Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
			list, err := read(ctx, first, n)
			for i := range list {
				list[i] = append(list[i], model.Cell{Value: model.U(2 * list[i][0].Value.Uint())})
			}
			return list, err
		}
		return []model.Table{table}
	}
	b, d := newBench(t, toyFile(t, 100))
	d.table.choose(4, 2)
	b.settle(t)
	d.table.choose(4, 3)
	b.settle(t)
	wantPath(t, d, "rows[4]", 8+8*4, 8)
	if c := d.sel.now.Cell; c == nil || !c.derived || c.column != "double" || c.text != "8" {
		t.Errorf("%+v", c)
	}
	if !d.info.value.box.Hidden {
		t.Error("the line for values edits something else")
	}
}

// A derived cell selects its row also where another cell of the row shows bytes of another file; F2 on what cannot be edited says so
// and leaves the document locked.
func TestDerivedCellOfAnIndex(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards", "train.taridx")
	d.table.choose(3, 1+slices.IndexFunc(d.table.table.Columns, func(c model.Column) bool { return c.Name == "stem" }))
	b.settle(t)
	if p := d.sel.now.Span.Path(); p != "rows[3]" || d.sel.now.Range.Len != 32 {
		t.Errorf("selected is %s, %d bytes", p, d.sel.now.Range.Len)
	}
	b.menus.run("edit-value")
	b.settle(t)
	if !d.editor.locked || !strings.Contains(b.line.said, "cannot be edited") {
		t.Errorf("locked %v; said %q", d.editor.locked, b.line.said)
	}
}

// A link leads to the very bytes that it means, also where less is known of what lies around them.
func TestLinkLeadsToItsBytes(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	list := d.Tree().Root.Get("rows")
	d.lead(list, model.Range{Space: d.hex.space, Off: 8 + 8*30, Len: 4})
	b.settle(t)
	wantPath(t, d, "rows[30]/id", 8+8*30, 4)
	d.lead(list, list.Range)
	b.settle(t)
	wantPath(t, d, "rows", 8, 800)
}

// A derived cell of a row whose cells stand in several places selects the first that has bytes, and is still the cell that is meant: what
// is edited is not those bytes.
func TestDerivedCellOfScatteredRow(t *testing.T) {
	b, d := sampleBench(t, "tiledb/good/dense-v22")
	columns := d.table.table.Columns
	if last := columns[len(columns)-1].Name; last != "fragment" {
		t.Errorf("the last column is %s", last)
	}
	for _, col := range []int{1, len(columns)} {
		d.table.choose(3, col)
		b.settle(t)
		if c := d.sel.now.Cell; c == nil || !c.derived || c.column != columns[col-1].Name {
			t.Fatalf("%+v", c)
		}
		if s := d.sel.now.Span; s == d.Tree().Root || s.Shape != model.Leaf || d.sel.now.Range.Len == 0 {
			t.Errorf("%s selects %s, %d bytes", columns[col-1].Name, s.Path(), d.sel.now.Range.Len)
		}
		if !d.info.value.box.Hidden {
			t.Error("the line for values edits something else")
		}
	}
}
