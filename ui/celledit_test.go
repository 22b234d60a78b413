package ui

import (
	"context"
	"errors"
	"math"
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
	tab.Choose(4, 1)
	b.settle(t)
	tab.Key(fyne.KeyF2, 0)
	b.settle(t)
	if d.Editor.Locked || !tab.Editor.Entry.Visible() || tab.Editor.Entry.Text != "4" {
		t.Fatalf("locked %v, visible %v, %q", d.Editor.Locked, tab.Editor.Entry.Visible(), tab.Editor.Entry.Text)
	}
	end, covered := tab.Editor.Entry.Size().Width, false
	for i := 2; i <= len(tab.Columns); i++ { // no number is covered half: its end would read as another number
		covered = covered || math.Abs(float64(tab.ColumnX(i)-tab.ColumnX(1)-end)) < 1
	}
	if !covered {
		t.Errorf("the entry is %v wide, and ends in a column", end)
	}
	if whose := d.info.Value.About.Text; whose != "row 4, id" {
		t.Errorf("the value in the details is of %q", whose)
	}
	tab.Editor.Entry.SetText("77")
	tab.Editor.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyTab})
	b.settle(t)
	if c, ok := tab.CellAt(4, 1); !ok || c.Value.Uint() != 77 || tab.Current != 4 || tab.SelColumn != 2 {
		t.Errorf("%v at row %d, column %d", c, tab.Current, tab.SelColumn)
	}
	if undo, _ := d.Model.History(); len(undo) != 1 || undo[0].Label != "id, row 4: 4 → 77" {
		t.Errorf("the step is called %+v", undo)
	}
	tab.Typed('9')
	b.settle(t)
	tab.Editor.Submit(tab.Editor.Entry.Text, 1, 0)
	b.settle(t)
	if c, ok := tab.CellAt(4, 2); !ok || c.Value.Uint() != 9 || tab.Current != 5 || tab.SelColumn != 2 {
		t.Errorf("%v at row %d, column %d", c, tab.Current, tab.SelColumn)
	}
	tab.Press(5, tab.ColumnX(2)+5, rows.Press{Button: 1, Double: true})
	tab.Editor.Entry.SetText("x")
	tab.Editor.Submit(tab.Editor.Entry.Text, 1, 0)
	b.settle(t)
	if !tab.Editor.Entry.Visible() || tab.Current != 5 || b.Line.Said == "" {
		t.Errorf("what does not fit is taken, or its cell is closed; said %q", b.Line.Said)
	}
	tab.Editor.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if tab.Editor.Entry.Visible() || b.Line.Said != "" {
		t.Errorf("Esc leaves the line open, or still says %q", b.Line.Said)
	}
	tab.Typed('8')
	b.settle(t)
	b.Shell.Focus(d.hex.View)
	b.settle(t)
	if c, ok := tab.CellAt(5, 2); tab.Editor.Entry.Visible() || !ok || c.Value.Uint() == 8 || !strings.Contains(b.Line.Said, "not applied") {
		t.Errorf("left, the line is open or its text taken: %v; said %q", c, b.Line.Said)
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
	d.table.Choose(3, 1)
	b.settle(t)
	d.table.Editor.Begin("")
	if d.table.Editor.Entry.Visible() || !strings.Contains(b.Line.Said, "ids are counted") {
		t.Errorf("a line is open: %v; said %q", d.table.Editor.Entry.Visible(), b.Line.Said)
	}
	d.info.EditValue()
	b.settle(t)
	if !d.info.Value.Box.Hidden || !d.Editor.Locked || !strings.Contains(b.Line.Said, "ids are counted") {
		t.Errorf("the details offer a line, or it is unlocked for nothing; said %q", b.Line.Said)
	}
	d.Editor.SetLocked(false)
	d.table.Choose(3, 2)
	b.settle(t)
	d.info.Value.Entry.SetText("8")
	d.info.Value.Submit("8")
	b.settle(t)
	if c, ok := d.table.CellAt(3, 2); !ok || c.Value.Uint() != 80 {
		t.Errorf("the table was not asked: %v", c)
	}
}

// unfold shows what each edit changed.
func unfold(d *tab) {
	for row := int64(0); row < d.changes.Count(); row++ {
		if c := d.changes.Items[row].Cells; c[0].Branch == 1 {
			d.changes.Unfold(d.changes.Line(row), true)
		}
	}
}

// A preview and the list of changes speak of values, with the bytes beside them.
func TestChangesAreReadable(t *testing.T) {
	b, d := newBench(t, toyFile(t, 10))
	d.Editor.SetLocked(false)
	d.Editor.SetValue(d.Tree().Root.Get("rows").Child(2).Child(1), model.U(13), nil)
	b.settle(t)
	said := func(i int) string {
		unfold(d)
		var row []string
		for _, c := range d.changes.Items[i].Cells {
			row = append(row, strings.TrimSpace(c.Text))
		}
		return strings.Join(row, "|")
	}
	if first := d.changes.Items[0].Cells[0].Text; d.changes.Count() != 2 || !strings.HasSuffix(first, "20 → 13  (1 byte range)") {
		t.Errorf("an edit is not one line: %d, %q", d.changes.Count(), first)
	}
	if got := said(3); got != "rows[2]/size|0x1c|20|13|14 → 0d" {
		t.Error("not saved:", got)
	}
	if got := said(1); got != "rows[2]/size|0x1c|20|13|14 → 0d|edited" {
		t.Error("the step:", got)
	}
	d.Sel.Bytes(model.Range{Space: d.hex.Space, Off: 0x24, Len: 1}, d.hex)
	b.settle(t)
	d.hex.Caret = 0x24
	for _, r := range "1107" { // digits take the place of those that were there: row 3's size is 30, 0x1e
		d.hex.Typed(r)
		b.settle(t)
	}
	if got := said(6); got != "rows[3]/size|0x24|30|1809|1e00 → 1107" {
		t.Error("typed bytes:", got)
	}
	if got := said(1); got != "rows[3]/size|0x24|30|1809|1e00 → 1107|edited" {
		t.Error("the step of typing:", got)
	}
	if n := d.changes.Count(); n == 0 || !strings.HasPrefix(d.changes.State.Text, "2 byte ranges not saved") {
		t.Error(d.changes.State.Text)
	}
	b.saver.save(d, b.saver.options(), nil)
	b.settle(t)
	if !strings.HasPrefix(d.changes.State.Text, "No differences") {
		t.Error("saved:", d.changes.State.Text)
	}
	d.Editor.Undo()
	b.settle(t)
	if !strings.HasPrefix(d.changes.State.Text, "1 byte range not saved") || !strings.HasPrefix(said(3), "rows[3]/size") {
		t.Errorf("undone behind the save: %s; %s", d.changes.State.Text, said(3))
	}
}

// A cell of several values is edited beginning with what it says, in the form that is taken.
func TestVectorsAreEditedAsTheyStand(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	col := 1 + slices.IndexFunc(d.table.Table.Columns, func(c model.Column) bool { return c.Name == "Vector" })
	d.table.Choose(3, col)
	b.settle(t)
	d.table.Editor.Begin("")
	was := d.table.Editor.Entry.Text
	if !strings.Contains(was, "3") {
		t.Fatalf("the line says %q", was)
	}
	d.table.Editor.Submit(strings.Replace(was, "3", "8", 1), 0, 0)
	b.settle(t)
	if c, ok := d.table.CellAt(3, col); !ok || !strings.Contains(c.String(), "8") {
		t.Errorf("%q became %q; said %q", was, c.String(), b.Line.Said)
	}
}

// A cell whose block is rewritten, with all that lies behind it, changes what says something else than before, and that is listed.
func TestChangesOfABlockWrittenAnew(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	d.Editor.SetLocked(false)
	d.table.Choose(4, 8)
	b.settle(t)
	d.table.SetCell(d.table.Ref(4, 8), "77", func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	b.settle(t)
	unfold(d)
	headings, differences := 0, 0
	for _, x := range d.changes.Items {
		if len(x.Cells) == 1 {
			headings++
			continue
		}
		if differences++; strings.Contains(x.Cells[0].Text, "header/signature") {
			t.Errorf("listed: %+v", x.Cells)
		}
	}
	if headings != 2 || differences < 2 {
		t.Errorf("%d headings, %d differences", headings, differences)
	}
}

// Each field that follows from an edit is a line with values, also where fields that change lie beside each other.
func TestChangesAreValuesOfFields(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	d.Editor.SetLocked(false)
	d.table.Choose(2, 14)
	b.settle(t)
	d.table.Editor.Begin("")
	d.table.Editor.Submit("a much longer text", 1, 0)
	b.settle(t)
	unfold(d)
	named := map[string]int{}
	for _, x := range d.changes.Items {
		if len(x.Cells) == 1 {
			continue
		}
		name := strings.TrimSpace(x.Cells[0].Text)
		if named[name]++; strings.HasSuffix(strings.ToLower(name), "offset") && !strings.HasPrefix(x.Cells[2].Text, "0x") {
			t.Errorf("%s: %s → %s", name, x.Cells[2].Text, x.Cells[3].Text)
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
		return 1 + slices.IndexFunc(d.table.Table.Columns, func(c model.Column) bool { return c.Name == name })
	}
	missing := func(row int64) bool {
		c, ok := d.table.CellAt(row, col("part"))
		return ok && c.Value.Kind == model.None
	}
	edit := func(row int64, column, text string) {
		d.table.Choose(row, col(column))
		b.settle(t)
		d.table.Editor.Begin("")
		d.table.Editor.Submit(text, 0, 0)
		b.settle(t)
	}
	edit(3, "part", "none")
	if !strings.Contains(b.Line.Said, "is not a number") {
		t.Errorf("said %q", b.Line.Said)
	}
	d.table.Editor.Close()
	edit(3, "part", "")
	d.table.Choose(4, col("part"))
	b.settle(t)
	d.table.Key(fyne.KeyDelete, 0)
	b.settle(t)
	if !missing(3) || !missing(4) || missing(5) {
		t.Errorf("missing: %v, %v, %v; said %q", missing(3), missing(4), missing(5), b.Line.Said)
	}
	d.table.Choose(4, col("n"))
	b.settle(t)
	d.table.Key(fyne.KeyDelete, 0)
	b.settle(t)
	if !strings.Contains(b.Line.Said, "cannot be null") {
		t.Errorf("said %q", b.Line.Said)
	}
}

// A cell that is no field of its own says so before anything is typed, and leaves the document locked.
func TestCellOfNoFieldOfItsOwn(t *testing.T) {
	b, d := sampleBench(t, "scdl/good/archive")
	d.table.Choose(2, 1+slices.IndexFunc(d.table.Table.Columns, func(c model.Column) bool { return c.Name == "count" }))
	b.settle(t)
	d.table.Editor.Begin("")
	if d.table.Editor.Ref != nil || !d.Editor.Locked || !strings.Contains(b.Line.Said, "cannot be edited: it is computed from the row pointers") {
		t.Errorf("locked: %v; said %q", d.Editor.Locked, b.Line.Said)
	}
}

// One of the values of a cell is edited as the field that it is, and each of them in the cell.
func TestValueOfAVectorIsEdited(t *testing.T) {
	b, d := sampleBench(t, "scdl/good/archive")
	d.Sel.Path("data.npy/values[1]", nil)
	b.settle(t)
	if d.Sel.Now.Cell == nil {
		t.Fatal("it is in no cell")
	}
	b.menus.run("edit-value")
	b.settle(t)
	d.info.Value.Submit("301")
	b.settle(t)
	if c, ok := d.table.CellAt(0, 4); !ok || c.String() != "[5, 301]" {
		t.Errorf("the cell is %q; said %q", c.String(), b.Line.Said)
	}
	for _, x := range []struct{ typed, is, said string }{
		{"[7, 301]", "[7, 301]", ""}, {"[7, 9, 301]", "[7, 301]", "has 2 values"}, {"7,70000", "[7, 301]", "70000"}, {" 8, 302", "[8, 302]", ""},
	} {
		d.table.Choose(0, 4)
		b.settle(t)
		if d.table.Editor.Begin(""); d.table.Editor.Ref == nil {
			t.Fatalf("the cell cannot be edited: %q", b.Line.Said)
		}
		b.Say("")
		d.table.Editor.Submit(x.typed, 0, 0)
		b.settle(t)
		if c, ok := d.table.CellAt(0, 4); !ok || c.String() != x.is || !strings.Contains(b.Line.Said, x.said) {
			t.Errorf("%s: the cell is %q; said %q", x.typed, c.String(), b.Line.Said)
		}
		d.table.Editor.Close()
	}
	d.table.Choose(0, 3) // names of genes, whose bytes are numbers
	b.settle(t)
	if d.table.Editor.Begin(""); d.table.Editor.Ref != nil {
		t.Error("names are typed over numbers")
	}
}
