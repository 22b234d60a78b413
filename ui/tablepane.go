package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/guard"
	"spandrel/ui/rows"
)

// tablePane shows what the file holds as rows and columns. Workers read pages of rows, those that are visible first; a page
// that is not there yet shows as pending.
type tablePane struct {
	rows.Grid
	d       *Document
	tree    *model.Tree // that the tables are of
	tables  []model.Table
	table   *model.Table
	page    int64 // rows of a page
	pages   map[int64]*tablePage
	waiting bool // the chosen cell has not been read yet
	fitted  bool // columns were fitted to what is in them
	chooser *keySelect
	editor  *cellEditor
	tableCells
	about  *widget.Label
	chosen rowChoice
	tableSorter
	narrow *keyEntry // the condition that rows are shown for
	list   func()    // withdraws the listing of the tables
	mend   *tableMend
	stats  *statsPane
	object fyne.CanvasObject
}

// tablePage is some rows, from a multiple of their number.
type tablePage struct {
	rows    []model.Row
	tint    [][]bool   // of each row the cells that a change changes that is looked at
	slots   [][]string // of each vector column, the names of its positions
	trouble string
	ready   bool
	load    loader[[]model.Row]
}

// How many rows a page has at most, and how many cells: of a table with thousands of columns a page has fewer rows. So many pages
// and cells are kept that are out of sight.
const (
	pageRows  = 64
	pageCells = 1 << 15
	keepPages = 64
	keepCells = 1 << 18
)

func newTablePane(d *Document) *tablePane {
	t := &tablePane{d: d, pages: map[int64]*tablePage{}, Grid: rows.NewGrid()}
	t.Striped, t.Frozen, t.Measured = true, true, true
	t.chosen, t.tableSorter = rowChoice{t}, tableSorter{pane: t, order: tableOrder{column: -1}, asked: tableOrder{column: -1}}
	t.Cells = t.row
	t.View = rows.NewView(t)
	t.View.Remark = func() { t.hovered(d.sel.hover) }
	t.editor, t.tableCells = newCellEditor(t), tableCells{t}
	t.about = widget.NewLabel("")
	t.about.Truncation = fyne.TextTruncateEllipsis
	t.chooser = newKeySelect(d.wb.Host, nil, -1, t.open)
	t.chooser.PlaceHolder = "no tables"
	t.narrow = newKeyEntry(d.wb.Host)
	t.narrow.SetPlaceHolder("filter rows")
	t.narrow.OnSubmitted = func(text string) { t.filterBy(text) }
	t.narrow.other = func(name fyne.KeyName) bool {
		if name == fyne.KeyEscape && (t.narrow.Text != "" || t.order.filter != "") {
			t.narrow.SetText("")
			t.filterBy("")
			return true
		}
		return false
	}
	export := newIconButton(d.wb.Host, "", theme.UploadIcon(), func() { d.wb.command("export") })
	export.tip, export.Importance = "export the table", widget.LowImportance
	t.mend, t.stats = newTableMend(t), newStatsPane(t)
	d.cells = cells{at: t.refOf, bytes: t.rangeOf, sets: t.sets, set: t.setCell, show: t.showCell}
	d.causes.told = append(d.causes.told, func(found bool) {
		if found && d.causes.mend != nil {
			t.changed()
		}
	})
	names := atLeast(fyne.NewSize(170, 1), t.chooser)
	bar := container.NewBorder(nil, nil, names, export, container.New(guard.Layout(sharing(120)), t.about, t.narrow))
	t.object = container.NewBorder(container.NewVBox(bar, t.mend.object), nil, nil, nil, container.NewStack(t.View, t.editor.box))
	return t
}

// changed lists the tables of a tree that was parsed anew; the one that was shown stays, by its name.
func (t *tablePane) changed() {
	if t.list != nil {
		t.list()
	}
	t.mend.follow()
	tree, tables := t.d.Tree(), t.mend.tables()
	t.list = t.d.wb.submit(model.Job{Priority: model.Selected,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) { return tables(ctx), ctx.Err() },
		Done: func(v any, err error) {
			t.list = nil
			t.tree = tree
			t.tables, _ = v.([]model.Table)
			names, at := make([]string, len(t.tables)), model.MainTable(t.tables)
			for i, x := range t.tables {
				names[i] = x.Name
				if t.table != nil && t.table.Name == x.Name {
					at = i
				}
			}
			t.chooser.Options = names
			was := t.table
			t.table = nil
			if t.about.SetText(""); len(names) > 0 {
				t.chooser.Selected = names[at]
				t.reopen(at, was)
			}
			t.chooser.Refresh()
			t.View.Update()
			t.stats.follow()
		}})
}

// open shows a table from its start.
func (t *tablePane) open(i int) {
	if i < 0 || i >= len(t.tables) || t.table == &t.tables[i] {
		return
	}
	t.take(i)
	t.Columns = []rows.Column{{Title: "row", Width: 70, Right: true}}
	for _, c := range t.table.Columns {
		t.Columns = append(t.Columns, tableColumn(c))
	}
	t.Current, t.Anchor, t.SelColumn, t.waiting, t.fitted, t.View.Top, t.View.Left = -1, -1, -1, false, false, 0, 0
	t.order, t.asked = tableOrder{column: -1}, tableOrder{column: -1}
	t.narrow.SetText("")
	t.View.Update()
	t.selected(t.d.sel.now)
}

// openNamed shows the table of a name.
func (t *tablePane) openNamed(name string) {
	for i := range t.tables {
		if t.tables[i].Name == name && t.table != &t.tables[i] {
			t.chooser.Selected = name
			t.chooser.Refresh()
			t.open(i)
		}
	}
}

// reopen shows a table of a tree that was parsed anew: where it was, when it is the one that was shown.
func (t *tablePane) reopen(i int, was *model.Table) {
	now := &t.tables[i]
	same := func(a, b model.Column) bool { return a.Name == b.Name && a.Type == b.Type }
	if was == nil || was.Name != now.Name || !slices.EqualFunc(was.Columns, now.Columns, same) {
		t.open(i)
		return
	}
	t.take(i)
	if t.Current >= t.Count() {
		t.Current = -1
	}
	t.Anchor, t.waiting = -1, false
	if o := t.order; o.on { // values may have changed, and rows gone
		o.rows = slices.DeleteFunc(slices.Clone(o.rows), func(row int64) bool { return row >= t.table.Rows })
		t.order = o
		t.reorder(o)
	}
	t.View.Update()
}

// take reads rows from a table from now on.
func (t *tablePane) take(i int) {
	t.drop()
	t.table = &t.tables[i]
	t.page = max(1, min(pageRows, pageCells/int64(len(t.table.Columns)+1)))
	t.tell()
}

// tell says which table is shown, and how much of it.
func (t *tablePane) tell() {
	title := t.table.Title
	if title == "" {
		title = t.table.Name
	}
	text := counted(t.table.Rows, "row")
	if t.order.filter != "" && t.order.on {
		text = fmt.Sprintf("%d of %s", t.Count(), text)
	}
	if !strings.EqualFold(title, t.table.Name) { // the name is beside it
		text = title + ": " + text
	}
	t.about.SetText(fmt.Sprintf("%s, %s", text, counted(int64(len(t.table.Columns)), "column")))
}

// drop forgets the pages and withdraws those on their way.
func (t *tablePane) drop() {
	for _, p := range t.pages {
		p.load.stop()
	}
	clear(t.pages)
}

func (t *tablePane) Count() int64 {
	if t.table == nil {
		return 0
	}
	if t.order.on {
		return int64(len(t.order.rows))
	}
	return t.table.Rows
}

// Show fetches the pages that will be visible and withdraws wishes for others.
func (t *tablePane) Show(top, n int64) {
	if t.table == nil || t.table.Read == nil {
		return
	}
	first, last := top/t.page, (top+n)/t.page
	most := min(keepPages, keepCells/(int(t.page)*(len(t.table.Columns)+1)))
	for i, p := range t.pages {
		if (i < first || i > last) && (!p.ready || len(t.pages) > most) {
			p.load.stop()
			delete(t.pages, i)
		}
	}
	for i := first; i <= last && i*t.page < t.Count(); i++ {
		if t.pages[i] == nil {
			t.fetch(i)
		}
	}
}

func (t *tablePane) fetch(i int64) {
	p, table, n := &tablePage{}, t.order.view(*t.table), t.page
	tints, plain := t.d.tints(), !t.order.on
	var tint [][]bool // made by the worker, as names
	t.pages[i] = p
	names := make([][]string, len(table.Columns)) // made by the worker, read when it is done
	p.load.load(t.d.wb, func(ctx context.Context) ([]model.Row, error) {
		rows, err := table.Read(ctx, i*n, n)
		if tints.other != nil && plain {
			tint = tinted(rows, tints.rows(ctx, &table, i*n, n))
		}
		for k, c := range table.Columns {
			if c.Slots != nil && strings.HasSuffix(c.Type, "]") {
				names[k] = c.Slots() // decoded once
			}
		}
		return rows, err
	},
		func(rows []model.Row, err error) {
			p.rows, p.slots, p.tint, p.ready = rows, names, tint, true
			t.fitColumns(p)
			if err != nil {
				p.trouble = err.Error()
			}
			if t.waiting && t.Current/t.page == i {
				t.choose(t.Current, t.SelColumn)
			}
			t.View.Redraw()
			t.d.found.refresh()
		})
}

func (t *tablePane) row(row int64) ([]rows.Cell, bool) {
	p := t.pages[row/t.page]
	if p == nil || !p.ready {
		return nil, false
	}
	number := rows.Cell{Text: strconv.FormatInt(t.order.real(row), 10), Right: true, Dim: true}
	i := row % t.page
	if i >= int64(len(p.rows)) {
		return []rows.Cell{number, {Text: p.trouble, Mark: model.Error, Wide: true}}, true
	}
	lo, hi, _ := t.InView()
	cells := make([]rows.Cell, max(1, min(hi, len(p.rows[i])+1)))
	cells[0] = number
	for k := max(1, lo); k < len(cells); k++ {
		c := p.rows[i][k-1]
		cells[k] = rows.Cell{Text: t.shownText(p, k-1, &c), Right: t.Columns[k].Right && !c.Vector && c.Label == ""}
		cells[k].Tint = p.tint != nil && p.tint[i][k-1]
		switch {
		case c.Trouble != "":
			cells[k].Mark, cells[k].Right = model.Error, false
		case isMissing(&c):
			cells[k].Dim = true
		}
	}
	return cells, true
}

// choose selects a cell and its bytes; of a derived one, those of its row.
func (t *tablePane) choose(row int64, col int) {
	if len(t.Columns) < 2 { // a table of rows without columns
		return
	}
	col = min(col, len(t.Columns)-1)
	t.Current, t.Anchor, t.SelColumn = row, -1, max(1, col)
	t.View.Follow(row)
	t.View.Redraw()
	t.revealColumn(t.SelColumn)
	c, ok := t.tableCells.cellAt(row, t.SelColumn)
	if t.waiting = !ok; !ok {
		return
	}
	ref := t.tableCells.ref(row, t.SelColumn)
	if !ref.derived {
		t.d.sel.reach(Selection{Range: c.Range, From: t, Cell: ref})
		return
	}
	s, r := rowPlace(t.tree, t.pages[row/t.page].rows[row%t.page])
	if s == nil {
		t.d.sel.reach(Selection{Range: r, From: t, Cell: ref})
		return
	}
	t.d.sel.set(Selection{Span: s, Range: r, From: t, Cell: ref})
}

// selected shows the cell of the selection.
func (t *tablePane) selected(s Selection) {
	if s.From == t || t.table == nil {
		return
	}
	if col := t.tableCells.column(s.Cell); col > 0 {
		t.Current, t.Anchor, t.SelColumn = t.order.shown(s.Cell.row), -1, col
		t.View.Reveal(max(0, t.Current))
		t.revealColumn(col)
	} else if t.tree == t.d.Tree() {
		t.Current = -1
	}
	t.View.Redraw()
}

// revealColumn scrolls sideways to show a column beside the numbers of the rows.
func (t *tablePane) revealColumn(col int) {
	number := t.ColumnWidth(0)
	t.View.RevealX(t.ColumnX(col)-number, t.ColumnWidth(col)+number)
}

func (t *tablePane) hovered(r model.Range) {
	var marks []rows.Mark
	for row := t.View.Top; row < t.View.Top+t.View.Page()+1 && r.Len > 0; row++ {
		for col := 1; col < len(t.Columns); col++ {
			if c, ok := t.tableCells.cellAt(row, col); ok && c.Range.Len > 0 && (c.Range.Contains(r) || r.Contains(c.Range)) && len(marks) < 16 {
				marks = append(marks, rows.Mark{Row: row, N: 1, X: t.ColumnX(col), W: t.ColumnWidth(col)})
			}
		}
	}
	t.View.SetMarks(marks)
}

func (t *tablePane) Hover(row int64, x float32) {
	if c, ok := t.tableCells.cellAt(row, t.ColumnAt(x)); ok {
		t.d.sel.light(c.Range)
		return
	}
	t.d.sel.light(model.Range{})
}

func (t *tablePane) Press(row int64, x float32, e rows.Press) {
	switch {
	case t.Resize(row, x, e):
		if col := t.ColumnAt(x); row == -1 && !e.Drag && t.Sizing < 0 && e.Button == desktop.MouseButtonPrimary && col > 0 && t.table != nil {
			t.sortBy(col - 1)
		}
	case t.table == nil || t.Count() == 0:
	case e.Button == desktop.MouseButtonSecondary && t.chosen.isChosen(row): // the menu is about the selected rows
	case t.Current >= 0 && row >= -1 && (e.Drag && t.Sizing < 0 && row != t.Current || !e.Drag && e.Mod&fyne.KeyModifierShift != 0):
		t.chosen.extend(row)
	case !e.Drag && row >= 0 && row < t.Count():
		t.editor.close()
		col := t.ColumnAt(x)
		if col < 0 { // beside the last column
			col = t.SelColumn
		}
		if t.choose(row, col); e.Double && e.Button == desktop.MouseButtonPrimary && t.ColumnAt(x) > 0 {
			t.editor.begin("")
		}
	}
}
