package ui

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/rows"
)

// A cell is edited where it stands: Enter goes down, Tab to the right, Esc leaves it. The step is named by what was changed.
func TestCellsAreEditedInPlace(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	tab := d.table
	tab.choose(4, 1)
	b.settle(t)
	tab.Key(fyne.KeyF2, 0)
	b.settle(t)
	if d.editor.locked || !tab.editor.entry.Visible() || tab.editor.entry.Text != "4" {
		t.Fatalf("locked %v, visible %v, %q", d.editor.locked, tab.editor.entry.Visible(), tab.editor.entry.Text)
	}
	tab.editor.entry.SetText("77")
	tab.editor.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyTab})
	b.settle(t)
	if c, ok := tab.tableCells.cellAt(4, 1); !ok || c.Value.Uint() != 77 || tab.Current != 4 || tab.SelColumn != 2 {
		t.Errorf("%v at row %d, column %d", c, tab.Current, tab.SelColumn)
	}
	if undo, _ := d.Model.History(); len(undo) != 1 || undo[0].Label != "id, row 4: 4 → 77" {
		t.Errorf("the step is called %+v", undo)
	}
	tab.Typed('9')
	b.settle(t)
	tab.editor.submit(tab.editor.entry.Text, 1, 0)
	b.settle(t)
	if c, ok := tab.tableCells.cellAt(4, 2); !ok || c.Value.Uint() != 9 || tab.Current != 5 || tab.SelColumn != 2 {
		t.Errorf("%v at row %d, column %d", c, tab.Current, tab.SelColumn)
	}
	tab.Press(5, tab.ColumnX(2)+5, rows.Press{Button: 1, Double: true})
	tab.editor.entry.SetText("x")
	tab.editor.submit(tab.editor.entry.Text, 1, 0)
	b.settle(t)
	if !tab.editor.entry.Visible() || tab.Current != 5 || b.line.said == "" {
		t.Errorf("what does not fit is taken, or its cell is closed; said %q", b.line.said)
	}
	tab.editor.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if tab.editor.entry.Visible() || b.line.said != "" {
		t.Errorf("Esc leaves the line open, or still says %q", b.line.said)
	}
	tab.Typed('8')
	b.settle(t)
	b.shell.focus(d.hex.view)
	b.settle(t)
	if c, ok := tab.tableCells.cellAt(5, 2); tab.editor.entry.Visible() || !ok || c.Value.Uint() == 8 || !strings.Contains(b.line.said, "not taken") {
		t.Errorf("left, the line is open or its text taken: %v; said %q", c, b.line.said)
	}
}

// A table that sets its cells itself is asked; what it says cannot be edited is said before anything is typed.
func TestCellsThatSayWhy(t *testing.T) {
	was := toy.Tables
	defer func() { toy.Tables = was }()
	toy.Tables = func(_ context.Context, tree *model.Tree) []model.Table {
		table := model.Records("rows", "Rows", tree, tree.Root.Get("rows"))
		table.Columns[0].Fixed = "ids are counted"
		table.Set = func(_ context.Context, cells []model.Typed) ([]model.Edit, error) {
			n, err := strconv.ParseUint(cells[0].Text, 10, 32)
			if err != nil {
				return nil, errors.New("sizes are numbers")
			}
			return []model.Edit{model.SetValue(tree.Root.Get("rows").Child(cells[0].Row).Child(int64(cells[0].Column)), model.U(10*n))}, nil
		}
		return []model.Table{table}
	}
	b, d := newWindowBench(t, toyFile(t, 100))
	d.table.choose(3, 1)
	b.settle(t)
	d.table.editor.begin("")
	if d.table.editor.entry.Visible() || !strings.Contains(b.line.said, "ids are counted") {
		t.Errorf("a line is open: %v; said %q", d.table.editor.entry.Visible(), b.line.said)
	}
	d.info.editValue()
	b.settle(t)
	if !d.info.value.box.Hidden || !d.editor.locked || !strings.Contains(b.line.said, "ids are counted") {
		t.Errorf("the details offer a line, or it is unlocked for nothing; said %q", b.line.said)
	}
	d.editor.setLocked(false)
	d.table.choose(3, 2)
	b.settle(t)
	d.info.value.entry.SetText("8")
	d.info.value.submit("8")
	b.settle(t)
	if c, ok := d.table.tableCells.cellAt(3, 2); !ok || c.Value.Uint() != 80 {
		t.Errorf("the table was not asked: %v", c)
	}
}

// A preview and the list of changes speak of values, with the bytes beside them.
func TestChangesAreReadable(t *testing.T) {
	b, d := newBench(t, toyFile(t, 10))
	d.editor.setLocked(false)
	d.editor.setValue(d.Tree().Root.Get("rows").Child(2).Child(1), model.U(13), nil)
	b.settle(t)
	said := func(i int) string {
		var row []string
		for _, c := range d.changes.items[i].cells {
			row = append(row, strings.TrimSpace(c.Text))
		}
		return strings.Join(row, "|")
	}
	if got := said(1); got != "rows[2]/size|0x1c|20|13|14 → 0d" {
		t.Error("not saved:", got)
	}
	if got := said(3); got != "rows[2]/size|0x1c|20|13|14 → 0d|edited" {
		t.Error("the step:", got)
	}
	d.sel.bytes(model.Range{Space: d.hex.space, Off: 0x24, Len: 1}, d.hex)
	b.settle(t)
	d.hex.caret = 0x24
	for _, r := range "1107" { // digits take the place of those that were there: row 3's size is 30, 0x1e
		d.hex.Typed(r)
		b.settle(t)
	}
	if got := said(2); got != "rows[3]/size|0x24|30|1809|1e00 → 1107" {
		t.Error("typed bytes:", got)
	}
	if got := said(4); got != "rows[3]/size|0x24|30|1809|1e00 → 1107|edited" {
		t.Error("the step of typing:", got)
	}
	if n := d.changes.Count(); n == 0 || !strings.HasPrefix(d.changes.state.Text, "2 ranges not saved") {
		t.Error(d.changes.state.Text)
	}
	b.saver.save(d, b.saver.options(), nil)
	b.settle(t)
	if !strings.HasPrefix(d.changes.state.Text, "nothing differs") {
		t.Error("saved:", d.changes.state.Text)
	}
	d.editor.undo()
	b.settle(t)
	if !strings.HasPrefix(d.changes.state.Text, "1 range not saved") || !strings.HasPrefix(said(1), "rows[3]/size") {
		t.Errorf("undone behind the save: %s; %s", d.changes.state.Text, said(1))
	}
}

// A cell of several values is edited beginning with what it says, in the form that is taken.
func TestVectorsAreEditedAsTheyStand(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	col := 1 + slices.IndexFunc(d.table.table.Columns, func(c model.Column) bool { return c.Name == "Vector" })
	d.table.choose(3, col)
	b.settle(t)
	d.table.editor.begin("")
	was := d.table.editor.entry.Text
	if !strings.Contains(was, "3") {
		t.Fatalf("the line says %q", was)
	}
	d.table.editor.submit(strings.Replace(was, "3", "8", 1), 0, 0)
	b.settle(t)
	if c, ok := d.table.tableCells.cellAt(3, col); !ok || !strings.Contains(c.String(), "8") {
		t.Errorf("%q became %q; said %q", was, c.String(), b.line.said)
	}
}

// A cell whose block is written anew, with all that lies behind it, changes what says something else than before, and that is listed.
func TestChangesOfABlockWrittenAnew(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	d.editor.setLocked(false)
	d.table.choose(4, 8)
	b.settle(t)
	d.table.setCell(d.table.tableCells.ref(4, 8), "77", func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	b.settle(t)
	headings, differences := 0, 0
	for _, x := range d.changes.items {
		if len(x.cells) == 1 {
			headings++
			continue
		}
		if differences++; strings.Contains(x.cells[0].Text, "header/signature") {
			t.Errorf("listed: %+v", x.cells)
		}
	}
	if headings != 2 || differences < 2 {
		t.Errorf("%d headings, %d differences", headings, differences)
	}
}

// Each field that follows from an edit is a line with values, also where fields that change lie beside each other.
func TestChangesAreValuesOfFields(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	d.editor.setLocked(false)
	d.table.choose(2, 14)
	b.settle(t)
	d.table.editor.begin("")
	d.table.editor.submit("a much longer text", 1, 0)
	b.settle(t)
	named := map[string]int{}
	for _, x := range d.changes.items {
		if len(x.cells) == 1 {
			continue
		}
		name := strings.TrimSpace(x.cells[0].Text)
		if named[name]++; strings.HasSuffix(strings.ToLower(name), "offset") && !strings.HasPrefix(x.cells[2].Text, "0x") {
			t.Errorf("%s: %s → %s", name, x.cells[2].Text, x.cells[3].Text)
		}
	}
	if named["header/tocOffset"] != 2 || named["header/tailOffset"] != 2 { // since the disk, and in the step
		t.Errorf("listed: %v", named)
	}
}

// A cell is made missing by Delete or by typing nothing, where its column has missing values; elsewhere it is said why not. What is no value
// of a column is said in words of people.
func TestCellsAreMadeMissing(t *testing.T) {
	b, d := sampleBench(t, "tiledb/good/dense-v22")
	col := func(name string) int {
		return 1 + slices.IndexFunc(d.table.table.Columns, func(c model.Column) bool { return c.Name == name })
	}
	missing := func(row int64) bool {
		c, ok := d.table.tableCells.cellAt(row, col("part"))
		return ok && c.Value.Kind == model.None
	}
	edit := func(row int64, column, text string) {
		d.table.choose(row, col(column))
		b.settle(t)
		d.table.editor.begin("")
		d.table.editor.submit(text, 0, 0)
		b.settle(t)
	}
	edit(3, "part", "none")
	if !strings.Contains(b.line.said, "is not a number") {
		t.Errorf("said %q", b.line.said)
	}
	d.table.editor.close()
	edit(3, "part", "")
	d.table.choose(4, col("part"))
	b.settle(t)
	d.table.Key(fyne.KeyDelete, 0)
	b.settle(t)
	if !missing(3) || !missing(4) || missing(5) {
		t.Errorf("missing: %v, %v, %v; said %q", missing(3), missing(4), missing(5), b.line.said)
	}
	d.table.choose(4, col("n"))
	b.settle(t)
	d.table.Key(fyne.KeyDelete, 0)
	b.settle(t)
	if !strings.Contains(b.line.said, "cannot be null") {
		t.Errorf("said %q", b.line.said)
	}
}

// A cell that is no field of its own says so before anything is typed, and leaves the document locked.
func TestCellOfNoFieldOfItsOwn(t *testing.T) {
	b, d := sampleBench(t, "scdl/good/archive")
	d.table.choose(2, 1+slices.IndexFunc(d.table.table.Columns, func(c model.Column) bool { return c.Name == "count" }))
	b.settle(t)
	d.table.editor.begin("")
	if d.table.editor.ref != nil || !d.editor.locked || !strings.Contains(b.line.said, "cannot be edited: it follows from the row pointers") {
		t.Errorf("locked: %v; said %q", d.editor.locked, b.line.said)
	}
}

// One of the values of a cell is edited as the field that it is, and each of them in the cell.
func TestValueOfAVectorIsEdited(t *testing.T) {
	b, d := sampleBench(t, "scdl/good/archive")
	d.sel.path("data.npy/values[1]", nil)
	b.settle(t)
	if d.sel.now.Cell == nil {
		t.Fatal("it is in no cell")
	}
	b.menus.run("edit-value")
	b.settle(t)
	d.info.value.submit("301")
	b.settle(t)
	if c, ok := d.table.tableCells.cellAt(0, 4); !ok || c.String() != "[5, 301]" {
		t.Errorf("the cell is %q; said %q", c.String(), b.line.said)
	}
	for _, x := range []struct{ typed, is, said string }{
		{"[7, 301]", "[7, 301]", ""}, {"[7, 9, 301]", "[7, 301]", "holds 2 values"}, {"7,70000", "[7, 301]", "70000"}, {" 8, 302", "[8, 302]", ""},
	} {
		d.table.choose(0, 4)
		b.settle(t)
		if d.table.editor.begin(""); d.table.editor.ref == nil {
			t.Fatalf("the cell cannot be edited: %q", b.line.said)
		}
		b.say("")
		d.table.editor.submit(x.typed, 0, 0)
		b.settle(t)
		if c, ok := d.table.tableCells.cellAt(0, 4); !ok || c.String() != x.is || !strings.Contains(b.line.said, x.said) {
			t.Errorf("%s: the cell is %q; said %q", x.typed, c.String(), b.line.said)
		}
		d.table.editor.close()
	}
	d.table.choose(0, 3) // names of genes, whose bytes are numbers
	b.settle(t)
	if d.table.editor.begin(""); d.table.editor.ref != nil {
		t.Error("names are typed over numbers")
	}
}
