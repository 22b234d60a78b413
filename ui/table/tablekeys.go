package table

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

func (t *Pane) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	row, col := t.Current, t.SelColumn
	switch {
	case t.Table == nil || mod&fyne.KeyModifierAlt != 0:
		return false
	case t.rowKey(name, mod), mod == 0 && t.unfilter(name):
		return true
	case name == fyne.KeyReturn && row >= 0 && mod == 0, name == fyne.KeyF2 && row >= 0 && mod == 0:
		t.Editor.Begin("")
		return true
	case name == fyne.KeyDelete && row >= 0 && mod == 0:
		t.Editor.makeMissing()
		return true
	case name == fyne.KeyLeft && row >= 0:
		t.Choose(row, max(1, col-1))
		return true
	case name == fyne.KeyRight && row >= 0:
		t.Choose(row, min(len(t.Columns)-1, col+1))
		return true
	}
	return t.Moved(name, t.Count(), func(to int64) { t.Choose(to, t.SelColumn) })
}

// unfilter shows all rows again if the key is Esc; false: another key, or all rows are shown.
func (t *Pane) unfilter(name fyne.KeyName) bool {
	if name != fyne.KeyEscape || t.Narrow.Text == "" && t.Order.filter == "" {
		return false
	}
	t.Narrow.SetText("")
	t.FilterBy("")
	return true
}

// Typed begins to edit the chosen cell with a character.
func (t *Pane) Typed(r rune) {
	if t.Current >= 0 && t.Table != nil {
		t.Editor.Begin(string(r))
	}
}

func (t *Pane) Menu(row int64, x float32) *fyne.Menu {
	col := t.ColumnAt(x)
	if t.Table == nil || col < 1 {
		return nil
	}
	plot := fyne.NewMenuItem("Plot column "+t.Table.Columns[col-1].Name+" over…", func() { t.Plot.askOver(col - 1) })
	plot.Disabled = !slices.Contains(t.numberColumns(), col-1)
	m := fyne.NewMenu("", fyne.NewMenuItem("Sort by "+t.Table.Columns[col-1].Name, func() { t.SortBy(col - 1) }), fyne.NewMenuItem("Statistics of "+t.Table.Columns[col-1].Name, func() { t.Statistics(col - 1) }),
		fyne.NewMenuItem("Group by "+t.Table.Columns[col-1].Name+"…", func() { t.Groups.ask(col - 1) }), plot, fyne.NewMenuItem("Export table…", func() { t.d.Window.Command("export") }), fyne.NewMenuItem("Import rows…", func() { t.d.Window.Command("import") }))
	if first, n := t.ChosenRows(); n > 1 {
		m.Items = append(m.Items, fyne.NewMenuItem(fmt.Sprintf("Export rows %d to %d…", first, first+n-1), t.ExportRows),
			fyne.NewMenuItem(fmt.Sprintf("Copy %d rows", n), t.copyRows), fyne.NewMenuItem("Fill the selected cells down", func() { t.d.Window.Command("fill-down") }))
	}
	if t.Grows() && row >= 0 {
		m.Items = append(m.Items, fyne.NewMenuItemSeparator(), fyne.NewMenuItem("Delete the selected rows", func() { t.d.Window.Command("delete-rows") }),
			fyne.NewMenuItem("Paste as new rows", func() { t.d.Window.Command("paste-rows") }))
	}
	m.Items = append(append(m.Items, fyne.NewMenuItemSeparator()), t.Shape.menu(col-1)...)
	if c, ok := t.CellAt(row, col); ok && row >= 0 {
		edit := fyne.NewMenuItem("Edit cell", func() { t.Choose(row, col); t.Editor.Begin("") })
		missing := fyne.NewMenuItem("Set to missing", func() { t.Choose(row, col); t.Editor.makeMissing() })
		edit.Disabled = t.Ref(row, col).Fixed != "" // the details of the chosen cell say why
		missing.Disabled = edit.Disabled
		first := []*fyne.MenuItem{edit, missing, fyne.NewMenuItem("Copy cell", func() { t.d.Window.Copy(t.copied(&c, row, col)) }), fyne.NewMenuItemSeparator()}
		if asked(&c) != "" {
			first = append(first, fyne.NewMenuItem("Only rows with this value", func() { t.only(t.Narrow.Text, t.Table.Columns[col-1].Name, &c) }))
		}
		if name := t.tableIn(row); name != "" {
			first = append(first, fyne.NewMenuItem("Show the values of "+paint.Shorten(model.OneLine(name), 40), func() { t.named(name) }))
		}
		m.Items = append(first, m.Items...)
	}
	return m
}

// asked is what a filter asks of a column for the value of a cell; "" where it cannot say that.
func asked(c *model.Cell) string {
	text := c.Value.String()
	if c.Vector || c.Trouble != "" || text == "" || strings.ContainsAny(text, "\n\r") || strings.TrimSpace(text) != text {
		return ""
	}
	return "= " + text
}

// only shows those of the rows that meet a condition that have the value of a cell in a column.
func (t *Pane) only(filter, column string, c *model.Cell) {
	col := t.Table.Column(column)
	if col < 0 {
		return
	}
	where, err := t.Table.Ask(filter, col, asked(c))
	if err != nil {
		t.d.Window.Say(err.Error())
		return
	}
	t.Narrow.SetText(where)
	t.FilterBy(where)
}

// tableIn is the name of another table that a row of this one names, as a list of tensors does; "" where it names none.
func (t *Pane) tableIn(row int64) string {
	for col := 1; col < len(t.Columns); col++ {
		c, ok := t.CellAt(row, col)
		if !ok || c.Value.Kind != model.Text {
			continue
		}
		name := c.Value.Text()
		for i := range t.tables {
			if is := t.tables[i].Name; i != t.Array.at && (is == name || is+".npy" == name) {
				return is
			}
		}
	}
	return ""
}

// named shows the table that is called so, where there is one.
func (t *Pane) named(name string) {
	t.open(slices.IndexFunc(t.tables, func(x model.Table) bool { return x.Name == name }))
}

// name is the name of the table, or of the array that it is a slice of.
func (t *Pane) name() string {
	switch {
	case t.Table == nil:
		return ""
	case t.Table.Of != nil:
		return t.Table.Of.Name
	}
	return t.Table.Name
}

// longHint is the maximum length, in letters, of a column name given as an example: it must fit.
const longHint = 12

// filterHint says by an example of the table how its rows are filtered.
func filterHint(t *model.Table) string {
	if t.Of != nil {
		return "filter rows"
	}
	hint := "filter rows"
	for _, c := range t.Columns {
		switch {
		case strings.ContainsAny(c.Name, "!=<>~ ") || strings.HasSuffix(c.Type, "]") || len(c.Name) > longHint:
		case c.Kind == model.Uint || c.Kind == model.Int || c.Kind == model.Float:
			return "filter: " + c.Name + " > 10"
		case hint == "filter rows":
			hint = "filter: " + c.Name + " ~ text"
		}
	}
	return hint
}

func (t *Pane) Hovered(r model.Range) {
	var marks []rows.Mark
	for row := t.View.Top; row < t.View.Top+t.View.Page()+1 && r.Len > 0; row++ {
		for col := 1; col < len(t.Columns); col++ {
			if c, ok := t.CellAt(row, col); ok && c.Range.Len > 0 && (c.Range.Contains(r) || r.Contains(c.Range)) && len(marks) < 16 {
				marks = append(marks, rows.Mark{Row: row, N: 1, X: t.ColumnX(col), W: t.ColumnWidth(col)})
			}
		}
	}
	t.View.SetMarks(marks)
}

func (t *Pane) Hover(row int64, x float32) {
	if c, ok := t.CellAt(row, t.ColumnAt(x)); ok {
		t.d.Sel.Light(c.Range)
		return
	}
	t.d.Sel.Light(model.Range{})
}
