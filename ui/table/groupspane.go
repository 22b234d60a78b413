package table

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// groupsPane lists the groups of rows with the same value in a column: the number of rows in each and, for a second column, the minimum, mean and maximum
// and the sum. It covers the rows that the filter showed when it was opened, and opens a group as a filter of the table.
type groupsPane struct {
	*aside
	List    statsList
	filter  string // that its rows meet
	by, sum string // the columns; sum: "" counts only
	grouped
	sorted int // the column that they are sorted by
	down   bool
}

// grouped is groups as a table, and its rows as listed.
type grouped struct {
	sums model.Table
	rows []model.Row
}

// The largest number of groups, and of groups that are listed in sorted order.
const (
	mostGroups = 1 << 17
	listGroups = 10_000
)

func newGroupsPane(t *Pane) *groupsPane {
	g := &groupsPane{}
	g.List = statsList{List: doc.NewList(t.d, rows.Column{}), open: g.show, head: g.sortBy, all: fyne.NewMenuItem("Copy all groups", g.copyAll)}
	g.List.Stretch, g.List.Fits = false, false
	g.List.Bind(&g.List)
	g.aside = newAside(t, "Groups", "the groups", g.List.View)
	g.again, g.gone = g.read, func() {
		g.about.SetText(g.name + " by " + cmp.Or(g.by, "(no name)") + ": the column no longer exists")
		g.List.Set(nil)
	}
	return g
}

// GroupHere asks for the groups of the column of the selected cell, or of another one.
func (t *Pane) GroupHere() {
	t.withColumn("Group rows by", "Choose", t.Groups.ask)
}

// withColumn does something with the column of the selected cell, or with one that the user picks if there is none.
func (t *Pane) withColumn(title, verb string, do func(col int)) {
	if t.Current >= 0 && t.SelColumn > 0 {
		do(t.SelColumn - 1)
		return
	}
	t.d.Window.Pick(title, verb, columnNames(t.Table), do)
}

// ask asks which column to aggregate.
func (g *groupsPane) ask(by int) {
	numbers := slices.DeleteFunc(g.t.numberColumns(), func(k int) bool { return k == by })
	name := g.t.Table.Columns[by].Name
	g.t.d.Window.Pick("Group by "+name+", with min, mean, max and sum of", "Group", append([]string{"no column: count rows only"}, g.t.columnNames(numbers)...), func(i int) {
		of := ""
		if i > 0 {
			of = g.t.Table.Columns[numbers[i-1]].Name
		}
		g.by, g.sum, g.filter, g.sorted, g.down = name, of, g.t.Order.filter, 1, true
		g.read(g.t.Table)
		g.t.d.Lower.Offer(g.Tab, true)
	})
}

// read groups the rows of a table in the background; false: it has not the columns.
func (g *groupsPane) read(table *model.Table) bool {
	g.reading.Stop()
	g.name = table.Name
	by, of := table.Column(g.by), table.Column(g.sum)
	conditions, err := model.Conditions(table, g.filter)
	if by < 0 || g.sum != "" && of < 0 || err != nil {
		return false
	}
	list := []model.Aggregate{{What: "count", Column: -1, Name: "rows"}}
	for _, what := range []string{"min", "mean", "max", "sum"} {
		if g.sum != "" {
			list = append(list, model.Aggregate{What: what, Column: of, Name: what + " " + g.sum})
		}
	}
	title := table.Name + " by " + g.by
	if g.filter != "" {
		title += ", where " + g.filter
	}
	g.about.SetText(title + ": reading " + model.Count(table.Rows, "rows") + "…")
	groups := model.NewGroups(table, []int{by}, list)
	groups.Most = mostGroups
	g.reading = kit.Watched(g.t.d.Window, "grouping rows by "+g.by, model.Index, func(ctx context.Context, progress kit.Progress) (grouped, error) {
		return groupRows(ctx, groups, table, conditions, progress)
	}, func(x grouped, err error) {
		g.reading = nil
		switch {
		case errors.Is(err, context.Canceled):
		case err != nil:
			g.about.SetText(title + ": " + kit.PlainError(err))
		default:
			g.grouped = x
			g.tell(title)
			g.list()
		}
	})
	return true
}

// groupRows adds the rows of a table that meet conditions to groups.
func groupRows(ctx context.Context, groups *model.Groups, table *model.Table, conditions model.Filters, progress func(done, total int64)) (x grouped, err error) {
	err = table.Each(ctx, 0, table.Rows, progress, func(_ int64, r model.Row) error {
		if !conditions.Meet(table, r) {
			return nil
		}
		return groups.Add(r)
	})
	if x.sums = groups.Table(); err == nil {
		x.rows, err = x.sums.Read(ctx, 0, x.sums.Rows)
	}
	return x, err
}

// tell says how many groups there are.
func (g *groupsPane) tell(title string) {
	text := title + ": " + model.Count(g.sums.Rows, "groups")
	if g.sums.Rows > listGroups {
		text += ", the first " + model.Thousands(listGroups) + " are listed"
	}
	g.about.SetText(text)
}

// list lists the groups, sorted by a column.
func (g *groupsPane) list() {
	keys := make([]sortKey, len(g.rows))
	for i, r := range g.rows {
		keys[i] = keyOfCell(int64(i), &r[min(g.sorted, len(r)-1)])
	}
	slices.SortFunc(keys, func(a, b sortKey) int { return a.compare(b, g.down) })
	ordered := make([]model.Row, len(keys))
	most := uint64(1)
	for i, k := range keys {
		ordered[i] = g.rows[k.row]
		most = max(most, ordered[i][1].Value.Uint())
	}
	g.rows = ordered
	g.List.Columns = nil
	for k, c := range g.sums.Columns {
		title := c.Name
		if k == g.sorted {
			title += map[bool]string{false: " ↑", true: " ↓"}[g.down]
		}
		g.List.Columns = append(g.List.Columns, rows.Column{Title: title, Width: kit.ColumnFor(title), Right: k > 0})
	}
	var items []doc.Place
	for _, r := range g.rows[:min(len(g.rows), listGroups)] {
		var cells []rows.Cell
		for k := range r {
			text := g.text(&r[k], k)
			cells = append(cells, rows.Cell{Text: text, Right: k > 0, Link: k == 0 && asked(&r[0]) != "", Dim: isMissing(&r[k])})
			g.List.Columns[k].Width = max(g.List.Columns[k].Width, kit.ColumnFor(text))
		}
		items = append(items, doc.Place{Cells: append(cells, rows.Cell{Bar: float32(r[1].Value.Uint()) / float32(most)})})
	}
	g.List.Columns = append(g.List.Columns, rows.Column{Width: 160})
	g.List.Set(items)
}

// text is the text of a cell of the groups.
func (g *groupsPane) text(c *model.Cell, column int) string {
	switch {
	case isMissing(c):
		return "missing"
	case column == 1:
		return model.Thousands(int64(c.Value.Uint()))
	case column > 0 && c.Value.Kind == model.Float && c.Label == "":
		return plain(c.Value.Float())
	}
	return doc.CellText(&g.sums.Columns[column], c, nil)
}

// show shows the rows of a group in the table.
func (g *groupsPane) show(row int64) {
	t := g.t
	if row >= int64(len(g.rows)) || asked(&g.rows[row][0]) == "" {
		return
	}
	if g.showTable(); t.Table != nil {
		t.only(g.filter, g.by, &g.rows[row][0])
	}
}

// sortBy sorts by a column: numbers in descending order first, and reversed on the second click.
func (g *groupsPane) sortBy(column int) {
	if column >= 0 && column < len(g.sums.Columns) {
		g.sorted, g.down = column, column > 0 && (g.sorted != column || !g.down)
		g.list()
	}
}

func (g *groupsPane) copyAll() {
	lines := model.Map(g.List.Items, func(p doc.Place) string { return strings.TrimRight(doc.RowText(p), "\t") })
	g.t.d.Window.Copy(strings.Join(lines, "\n"))
}
