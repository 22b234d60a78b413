package table

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// Pane shows the document as rows and columns. Workers read pages of rows, visible ones first; a page that has not been read yet shows as pending.
type Pane struct {
	rows.Grid
	d       *doc.Document
	tree    *model.Tree // the parsed state that the tables belong to
	tables  []model.Table
	Table   *model.Table
	page    int64 // rows per page
	Pages   map[int64]*tablePage
	waiting bool // the chosen cell has not been read yet
	fitted  bool // column widths were fitted to the contents
	List    *tableList
	Array   *arrayView
	Past    *timeline
	Shape   columnOrder
	Editor  *CellEditor
	About   *widget.Label
	tableSorter
	Narrow   *kit.Entry  // filter condition typed for the rows
	Filter   *filterRow  // filter conditions per column
	list     kit.Running // the worker that lists the tables
	Repaired *repairedRows
	Stats    *statsPane
	AllStats *overview
	Plot     *Plot
	Groups   *groupsPane
	Listed   func(tables int) // called with the number of tables; may be nil
	Object   fyne.CanvasObject
}

// tablePage is a page of rows; its first row is a multiple of the page size.
type tablePage struct {
	rows    []model.Row
	Tint    [][]bool   // per row, the cells that the previewed change modifies, or unsaved edits have
	slots   [][]string // per vector column, the names of its positions
	trouble string
	ready   bool
	load    kit.Loader[[]model.Row]
}

// Limits of a page in rows and cells, so that a table with thousands of columns has fewer rows per page, and of how many pages and cells are kept in memory.
const (
	pageRows  = 64
	pageCells = 1 << 15
	keepPages = 64
	keepCells = 1 << 18
)

// New creates the pane and registers its cell functions with the document.
func New(d *doc.Document) *Pane {
	t := &Pane{d: d, Pages: map[int64]*tablePage{}, Grid: rows.NewGrid()}
	t.Striped, t.Frozen, t.Measured = true, true, true
	t.Shape.t, t.tableSorter = t, tableSorter{pane: t, Order: tableOrder{column: -1}, asked: tableOrder{column: -1}}
	t.Cells = t.Row
	t.View = rows.NewView(t)
	t.View.Remark = func() { t.Hovered(d.Sel.Hover) }
	t.Editor, t.Filter = newCellEditor(t), newFilterRow(t)
	t.List, t.Array = newTableList(t), newArrayView(t)
	t.About, t.Array.Line = kit.NewLine(""), kit.NewLine("")
	t.Array.Line.Hide()
	t.Narrow = kit.NewEntry(d.Window.Host)
	t.Narrow.SetPlaceHolder("filter rows")
	t.Narrow.OnChanged = t.typed
	t.Narrow.OnSubmitted = func(text string) { t.FilterBy(text) }
	t.Narrow.Other = t.unfilter
	export := kit.NewTool(d.Window.Host, theme.UploadIcon(), "export the table", func() { d.Window.Command("export") })
	t.Repaired, t.Stats, t.AllStats, t.Past, t.Plot, t.Groups = newRepairedRows(t), newStatsPane(t), newOverview(t), newTimeline(t), newPlot(t), newGroupsPane(t)
	d.Cells = doc.Cells{At: t.refOf, Bytes: t.RangeOf, Sets: t.sets, Set: t.SetCell, Show: t.showCell, Named: t.named, Name: t.name}
	d.Diagnoses = append(d.Diagnoses, func(found bool) {
		if found && d.Causes.After != nil {
			t.Changed()
		}
	})
	names := container.NewHBox(kit.AtLeast(fyne.NewSize(120, 1), t.List.Button), t.Array.Box, t.Array.Picture.Switch)
	bar := container.NewBorder(nil, nil, names, export, container.New(guard.Layout(kit.Sharing(120)), t.About, t.Narrow))
	t.Object = container.NewBorder(container.NewVBox(bar, t.Past.Object, t.Array.Line, t.Repaired.Object), nil, nil, nil, container.NewStack(t.View, t.Array.Picture, t.Editor.Box, t.Filter.Box))
	return t
}

// Changed lists the tables after the document was parsed again; the selected table stays selected, by name.
func (t *Pane) Changed() {
	t.list.Stop()
	t.Repaired.follow()
	tree, tables := t.d.Tree(), t.Repaired.tables()
	t.list = kit.Work(t.d.Window, "", model.Selected, func(ctx context.Context) ([]model.Table, error) {
		return tables(ctx), ctx.Err()
	}, func(tables []model.Table, _ error) {
		t.list = nil
		t.tree = tree
		t.tables = tables
		t.Past.now()
		was := t.Table
		t.Table = nil
		t.About.SetText("")
		t.List.name("")
		if len(t.tables) > 0 {
			at, index := t.again(was)
			t.reopen(at, index, was)
		}
		t.View.Update()
		t.Stats.follow()
		t.AllStats.follow()
		t.Plot.follow()
		t.Groups.follow()
		if t.Listed != nil {
			t.Listed(len(t.tables))
		}
	})
}

// again returns which table, and which slice of it, stays open when the tables are listed again: if it was a slice, its array.
func (t *Pane) again(was *model.Table) (at int, index string) {
	index = t.Array.shown
	at = slices.IndexFunc(t.tables, func(x model.Table) bool {
		return was != nil && (x.Name == was.Name || was.Of != nil && x.Name == was.Of.Name)
	})
	if at < 0 {
		if at = model.MainTable(t.tables); was == nil || index != "" {
			index = firstIndex(&t.tables[at])
		}
	}
	return at, index
}

// firstIndex is the slice of a table that is shown first; "" if it is not an array.
func firstIndex(t *model.Table) string {
	if t.Tensor == nil {
		return ""
	}
	return t.Tensor.FirstIndex()
}

// open shows table i from its start, unless it is already shown.
func (t *Pane) open(i int) {
	if i >= 0 && i < len(t.tables) && (t.Table == nil || t.Array.at != i) {
		t.show(i, firstIndex(&t.tables[i]))
	}
}

// show shows table i from its start, or the slice that an index selects.
func (t *Pane) show(i int, index string) {
	t.Shape.order, t.Pinned, t.wrong = nil, 0, nil
	if t.take(i, index); len(t.Table.Columns) > 0 && t.Table.Columns[0].Numbers { // it is shown in place of the row numbers
		t.Pinned = 1
	}
	t.Columns = columnsOf(t.Table)
	t.Current, t.Anchor, t.SelColumn, t.waiting, t.fitted, t.View.Top, t.View.Left = -1, -1, -1, false, false, 0, 0
	t.Order, t.asked = tableOrder{column: -1}, tableOrder{column: -1}
	t.Narrow.SetText("")
	t.arrange()
	t.View.Update()
	t.Selected(t.d.Sel.Now)
}

// openNamed shows the table with this name, or the slice of an array that it names.
func (t *Pane) openNamed(name string) {
	if t.Table != nil && t.Table.Name == name {
		return
	}
	if i, index, ok := model.FindTable(t.tables, name); ok {
		t.show(i, index)
	}
}

// reopen shows a table after the document was parsed again; if it is the same table as before, the scroll position stays.
func (t *Pane) reopen(i int, index string, was *model.Table) {
	t.take(i, index)
	now := t.Table
	same := func(a, b model.Column) bool { return a.Name == b.Name && a.Type == b.Type }
	if was == nil || was.Name != now.Name || !slices.EqualFunc(was.Columns, now.Columns, same) {
		t.show(i, t.Array.shown)
		return
	}
	if t.Current >= t.Count() {
		t.Current = -1
	}
	t.Anchor, t.waiting = -1, false
	if o := t.Order; o.On { // values may have changed, and rows may be gone
		o.rows = slices.DeleteFunc(slices.Clone(o.rows), func(row int64) bool { return row >= t.Table.Rows })
		t.Order = o
		t.reorder(o)
	}
	t.arrange()
	t.View.Update()
}

// arrange updates the lines above the rows, and lays out the pane again if any of them appeared or disappeared.
func (t *Pane) arrange() {
	seen := [...]bool{t.Array.Box.Visible(), t.Past.Object.Visible(), t.Array.Picture.Switch.Visible()}
	t.Array.follow()
	t.Past.follow()
	if seen != [...]bool{t.Array.Box.Visible(), t.Past.Object.Visible(), t.Array.Picture.Switch.Visible()} {
		t.Object.Refresh()
	}
}

// take makes table i, or the slice that an index selects, the source of the rows.
func (t *Pane) take(i int, index string) {
	t.drop()
	t.Array.take(i, index)
	t.Shape.apply()
	t.List.name(t.tables[i].Name)
	t.Narrow.SetPlaceHolder(filterHint(t.Table))
	t.page = max(1, min(pageRows, pageCells/int64(len(t.Table.Columns)+1)))
	t.tell()
}

// tell updates the line above the rows: the name of the table, and how much of it is shown, or why the filter is invalid.
func (t *Pane) tell() {
	t.About.Importance = widget.MediumImportance
	if t.wrong != nil {
		t.About.Importance = widget.DangerImportance
		t.About.SetText("not understood: " + t.wrong.Error())
		return
	}
	if t.Array.tell(); t.Table.Of != nil && !t.Order.On {
		t.About.SetText(t.Array.says())
		return
	}
	title := cmp.Or(t.Table.Title, t.Table.Name)
	text := model.Count(t.Table.Rows, "rows")
	if t.Order.filter != "" && t.Order.On {
		text = model.Thousands(t.Count()) + " of " + text
	}
	text += ", " + model.Count(int64(len(t.Table.Columns)), "columns")
	if !strings.EqualFold(title, t.Table.Name) { // the name is already next to it
		text += "  ·  " + strings.TrimPrefix(title, t.Table.Name+": ")
	}
	t.About.SetText(text)
}

// drop discards all pages and cancels those being read.
func (t *Pane) drop() {
	for _, p := range t.Pages {
		p.load.Stop()
	}
	clear(t.Pages)
}

func (t *Pane) Count() int64 {
	if t.Table == nil {
		return 0
	}
	if t.Order.On {
		return int64(len(t.Order.rows))
	}
	return t.Table.Rows
}

// Show fetches the pages that will be visible and cancels requests for others.
func (t *Pane) Show(top, n int64) {
	if t.Table == nil || t.Table.Read == nil {
		return
	}
	first, last := top/t.page, (top+n)/t.page
	most := min(keepPages, keepCells/(int(t.page)*(len(t.Table.Columns)+1)))
	for i, p := range t.Pages {
		if (i < first || i > last) && (!p.ready || len(t.Pages) > most) {
			p.load.Stop()
			delete(t.Pages, i)
		}
	}
	for i := first; i <= last && i*t.page < t.Count(); i++ {
		if t.Pages[i] == nil {
			t.fetch(i)
		}
	}
}

func (t *Pane) fetch(i int64) {
	p, whole, table, n := &tablePage{}, *t.Table, t.Order.view(*t.Table), t.page
	tints, unsaved, order := t.d.Tints(), t.d.Unsaved(), t.Order
	var tint [][]bool // set by the worker, like names
	t.Pages[i] = p
	names := make([][]string, len(table.Columns)) // set by the worker, read when it has finished
	p.load.Load(t.d.Window, func(ctx context.Context) ([]model.Row, error) {
		rows, err := table.Read(ctx, i*n, n)
		if tints.Other != nil && !order.On {
			tint = doc.Tinted(rows, tints.Rows(ctx, &table, i*n, n))
		} else if tints.Other == nil {
			tint = unsaved.Cells(ctx, &whole, i*n, rows, order.view)
		}
		for k, c := range table.Columns {
			if c.Slots != nil && strings.HasSuffix(c.Type, "]") {
				names[k] = c.Slots() // decoded once per page
			}
		}
		return rows, err
	},
		func(rows []model.Row, err error) {
			p.rows, p.slots, p.Tint, p.ready = rows, names, tint, true
			t.fitColumns(p)
			if err != nil {
				p.trouble = err.Error()
			}
			if t.waiting && t.Current/t.page == i {
				t.Choose(t.Current, t.SelColumn)
			}
			t.View.Redraw()
			t.d.Found.Refresh()
		})
}

// Choose selects a cell and its bytes; for a derived cell, those of its row.
func (t *Pane) Choose(row int64, col int) {
	if len(t.Columns) < 2 { // a table without columns
		return
	}
	col = min(col, len(t.Columns)-1)
	t.Current, t.Anchor, t.ColAnchor, t.SelColumn = row, -1, -1, max(1, col)
	t.View.Follow(row)
	t.View.Redraw()
	t.RevealColumn(t.SelColumn)
	t.Array.Picture.place()
	c, ok := t.CellAt(row, t.SelColumn)
	if t.waiting = !ok; !ok {
		return
	}
	ref := t.Ref(row, t.SelColumn)
	if !ref.Derived {
		t.d.Sel.Reach(doc.Selection{Range: c.Range, From: t, Cell: ref})
		return
	}
	s, r := doc.RowPlace(t.tree, t.Pages[row/t.page].rows[row%t.page])
	if s == nil {
		t.d.Sel.Reach(doc.Selection{Range: r, From: t, Cell: ref})
		return
	}
	t.d.Sel.Set(doc.Selection{Span: s, Range: r, From: t, Cell: ref})
}

// Selected shows the cell of a selection made in another pane.
func (t *Pane) Selected(s doc.Selection) {
	if s.From == t || t.Table == nil {
		return
	}
	if col := t.Column(s.Cell); col > 0 {
		t.Current, t.Anchor, t.SelColumn = t.Order.shown(s.Cell.Row), -1, col
		t.View.Reveal(max(0, t.Current))
		t.RevealColumn(col)
	} else if t.tree == t.d.Tree() {
		t.Current = -1
	}
	t.View.Redraw()
	t.Array.Picture.place()
}
