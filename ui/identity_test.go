package ui

import (
	"context"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
)

// A cell stays selected, in the table and in every pane, through an edit that moves its bytes, through undo, and through a reload.
func TestCellKeepsItsIdentity(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.table.Choose(42, 2)
	b.settle(t)
	bench.WantPath(t, d.Document, "rows[42]/size", 8+8*42+4, 4)
	want := doc.CellRef{Table: "rows", Column: "size", Row: 42}
	check := func(when string, off int64) {
		t.Helper()
		b.settle(t)
		if !d.Sel.Now.Cell.Same(&want) || d.Sel.Now.Range.Off != off || d.Sel.Now.Range.Len != 4 {
			t.Errorf("%s: %+v at %+v", when, d.Sel.Now.Cell, d.Sel.Now.Range)
		}
		if d.table.Current != 42 || d.table.SelColumn != 2 {
			t.Errorf("%s: the table is at row %d, column %d", when, d.table.Current, d.table.SelColumn)
		}
	}
	d.Editor.SetLocked(false)
	d.Editor.Edit("shift", "", []model.Edit{model.Splice{Range: model.Range{Space: d.hex.Space, Off: 3, Len: 1}, With: model.Memory([]byte("2")), Loose: true}}, nil)
	check("after an edit of other bytes", 8+8*42+4)
	d.Editor.SetValue(d.Sel.Now.Span, model.U(7), nil)
	check("after an edit of the cell", 8+8*42+4)
	if c, ok := d.table.CellAt(42, 2); !ok || c.Value.Uint() != 7 {
		t.Errorf("the table says %v", c)
	}
	d.Sel.Path("magic", nil)
	b.settle(t)
	if d.table.Current != -1 {
		t.Error("a field that is no cell leaves one chosen")
	}
	d.Editor.Undo()
	check("after undo", 8+8*42+4)
	d.Sel.Back()
	b.settle(t)
	bench.WantPath(t, d.Document, "magic", 0, 4)
}

// What a pane chooses that still shows the document as it was before an edit, as a drawn graph does, is selected where it is now.
func TestSpanOfAnOlderTree(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.Sel.Path("rows[42]/size", nil)
	b.settle(t)
	old := d.Sel.Now.Span
	d.Sel.Path("magic", nil)
	b.settle(t)
	d.Editor.SetLocked(false)
	d.Editor.SetValue(old, model.U(7), nil)
	b.settle(t)
	d.Sel.Set(doc.Selection{Span: old})
	b.settle(t)
	bench.WantPath(t, d.Document, "rows[42]/size", 8+8*42+4, 4)
	if d.Sel.Now.Span.Root() != d.Tree().Root {
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
	d.table.Choose(4, 2)
	b.settle(t)
	d.table.Choose(4, 3)
	b.settle(t)
	bench.WantPath(t, d.Document, "rows[4]", 8+8*4, 8)
	if c := d.Sel.Now.Cell; c == nil || !c.Derived || c.Column != "double" || c.Text != "8" {
		t.Errorf("%+v", c)
	}
	if !d.info.Value.Box.Hidden {
		t.Error("the line for values edits something else")
	}
}

// A derived cell selects its row also where another cell of the row shows bytes of another file; F2 on what cannot be edited says so
// and leaves the document locked.
func TestDerivedCellOfAnIndex(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards", "train.taridx")
	d.table.Choose(3, 1+slices.IndexFunc(d.table.Table.Columns, func(c model.Column) bool { return c.Name == "stem" }))
	b.settle(t)
	if p := d.Sel.Now.Span.Path(); p != "rows[3]" || d.Sel.Now.Range.Len != 32 {
		t.Errorf("selected is %s, %d bytes", p, d.Sel.Now.Range.Len)
	}
	b.menus.run("edit-value")
	b.settle(t)
	if !d.Editor.Locked || !strings.Contains(b.Line.Said, "cannot be edited") {
		t.Errorf("locked %v; said %q", d.Editor.Locked, b.Line.Said)
	}
}

// A link leads to the very bytes that it means, also where less is known of what lies around them.
func TestLinkLeadsToItsBytes(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	list := d.Tree().Root.Get("rows")
	d.Lead(list, model.Range{Space: d.hex.Space, Off: 8 + 8*30, Len: 4})
	b.settle(t)
	bench.WantPath(t, d.Document, "rows[30]/id", 8+8*30, 4)
	d.Lead(list, list.Range)
	b.settle(t)
	bench.WantPath(t, d.Document, "rows", 8, 800)
}

// A derived cell of a row whose cells stand in several places selects the first that has bytes, and is still the cell that is meant: what
// is edited is not those bytes.
func TestDerivedCellOfScatteredRow(t *testing.T) {
	b, d := sampleBench(t, "tiledb/good/dense-v22")
	columns := d.table.Table.Columns
	if last := columns[len(columns)-1].Name; last != "fragment" {
		t.Errorf("the last column is %s", last)
	}
	for _, col := range []int{1, len(columns)} {
		d.table.Choose(3, col)
		b.settle(t)
		if c := d.Sel.Now.Cell; c == nil || !c.Derived || c.Column != columns[col-1].Name {
			t.Fatalf("%+v", c)
		}
		if s := d.Sel.Now.Span; s == d.Tree().Root || s.Shape != model.Leaf || d.Sel.Now.Range.Len == 0 {
			t.Errorf("%s selects %s, %d bytes", columns[col-1].Name, s.Path(), d.Sel.Now.Range.Len)
		}
		if !d.info.Value.Box.Hidden {
			t.Error("the line for values edits something else")
		}
	}
}
