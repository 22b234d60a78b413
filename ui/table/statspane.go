package table

import (
	"context"
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// statsPane shows statistics of a table column: facts on the left, a histogram and the most frequent values on the right. It stays until it is closed, and
// is updated after edits.
type statsPane struct {
	*aside
	Facts, Values statsList
	column        string
	where         []string // per value, the filter that shows its rows; "" if there is none
}

// statsList is one of the two lists of the pane.
type statsList struct {
	doc.List
	open func(row int64)  // called on a click on the link, a double click or Enter
	head func(column int) // called when a title is clicked; may be nil
	all  *fyne.MenuItem   // menu item for all rows; may be nil
}

func (l *statsList) Press(row int64, x float32, e rows.Press) {
	l.List.Press(row, x, e)
	switch {
	case e.Drag || e.Button == desktop.MouseButtonSecondary || row >= l.Count():
	case row < 0 && l.head != nil && l.Sizing < 0:
		l.head(l.ColumnAt(x))
	case row >= 0 && (e.Double || l.Items[row].Cells[0].Link && l.ColumnAt(x) == 0):
		l.open(row)
	}
}

func (l *statsList) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	if name == fyne.KeyReturn && mod == 0 && l.Current >= 0 && l.Current < l.Count() {
		l.open(l.Current)
		return true
	}
	return l.List.Key(name, mod)
}

func (l *statsList) Menu(row int64, _ float32) *fyne.Menu {
	p := l.Line(row)
	if p.Cells == nil {
		return nil
	}
	m := fyne.NewMenu("", fyne.NewMenuItem("Copy", func() { l.Doc.Window.Copy(doc.RowText(p)) }))
	if p.Cells[0].Link {
		m.Items = append(m.Items, fyne.NewMenuItem("Show these rows in the table", func() { l.open(row) }))
	}
	if l.all != nil {
		m.Items = append(m.Items, l.all)
	}
	return m
}

// longFact is the maximum number of bytes of a fact next to its label; a longer one is shown below it.
const longFact = 18

func newStatsPane(t *Pane) *statsPane {
	p := &statsPane{Facts: statsList{List: doc.NewList(t.d, rows.Column{Title: "column", Width: 75}, rows.Column{Width: 105}), open: func(int64) {}},
		Values: statsList{List: doc.NewList(t.d, rows.Column{Title: "values", Width: 150}, rows.Column{Title: "count", Width: 80, Right: true}, rows.Column{Width: 100})}}
	p.Values.open = p.show
	p.Facts.Bind(&p.Facts)
	p.Values.Bind(&p.Values)
	lists := container.NewHSplit(p.Facts.View, p.Values.View)
	lists.Offset = 0.38
	p.aside = newAside(t, "Statistics", "the statistics", lists)
	p.again = func(table *model.Table) bool {
		col := table.Column(p.column)
		if col >= 0 {
			p.of(table, col)
		}
		return col >= 0
	}
	p.gone = func() {
		p.about.SetText(fmt.Sprintf("%s, column %s: it no longer exists", p.name, p.column))
		p.Facts.Set(nil)
		p.Values.Set(nil)
	}
	return p
}

// of reads a column in the background and shows its statistics.
func (p *statsPane) of(table *model.Table, col int) {
	p.reading.Stop()
	wb, name := p.t.d.Window, table.Columns[col].Name
	if p.name != table.Name || p.column != name {
		p.name, p.column, p.where = table.Name, name, nil
		p.Facts.Set(nil)
		p.Values.Set(nil)
	}
	p.about.SetText(fmt.Sprintf("%s, column %s: reading %s…", table.Name, name, show.Counted(table.Rows, "row")))
	var s *columnStats
	p.reading = kit.Watched(wb, "statistics of "+name, model.Index, func(ctx context.Context, progress kit.Progress) (any, error) {
		list, err := statsOf(ctx, table, []int{col}, progress)
		s = list[0]
		return nil, err
	}, func(_ any, err error) {
		p.reading = nil
		text := fmt.Sprintf("%s, column %s", table.Name, name)
		switch {
		case s == nil:
			return
		case err != nil && s.rows < table.Rows:
			text += fmt.Sprintf(": stopped after %s of %s", model.Thousands(s.rows), show.Counted(table.Rows, "row"))
		case s.stride > 1:
			text += ": the histogram uses a sample of " + model.Count(int64(len(s.sample)), "numbers")
		}
		p.about.SetText(text)
		p.set(s, name)
	})
}

// condition is the filter for the rows that have the value; "" if there is none for it, or for a column of this name.
func (l *statLine) condition(column string) string {
	where := fmt.Sprintf(l.where, column)
	if l.where == "" || strings.ContainsAny(column, "!=<>~%") || strings.Contains(where, "%!") {
		return ""
	}
	return where
}

func (p *statsPane) set(s *columnStats, column string) {
	var facts, values []doc.Place
	for _, f := range s.facts() {
		if len(f[1]) > longFact {
			facts = append(facts, doc.Place{Cells: []rows.Cell{{Text: f[0], Dim: true}}}, doc.Place{Cells: []rows.Cell{{Text: f[1], Indent: 12, Wide: true}}})
			continue
		}
		facts = append(facts, doc.Place{Cells: []rows.Cell{{Text: f[0], Dim: true}, {Text: f[1]}}})
	}
	p.where = nil
	list := func(title string, lines []statLine) {
		if len(lines) == 0 {
			return
		}
		p.where = append(p.where, "")
		values = append(values, doc.Place{Cells: []rows.Cell{{Text: title, Dim: true}}})
		for _, l := range lines {
			where := l.condition(column)
			count := model.Thousands(l.n)
			if l.about && l.n > 0 {
				count = "≈ " + count
			}
			p.where = append(p.where, where)
			values = append(values, doc.Place{Cells: []rows.Cell{{Text: l.text, Link: where != "" && l.n > 0}, {Text: count, Right: true}, {Bar: float32(l.of)}}})
		}
	}
	list("from – to", s.histogram())
	list("most frequent", s.top())
	p.Facts.Set(facts)
	p.Values.Set(values)
}

// show shows the rows of the table that have the value in a row of the list.
func (p *statsPane) show(row int64) {
	t := p.t
	if row >= int64(len(p.where)) || p.where[row] == "" {
		return
	}
	p.showTable()
	t.Narrow.SetText(p.where[row])
	t.FilterBy(p.where[row])
}

// StatisticsHere shows statistics of the column of the selected cell, or asks for a column if none is selected.
func (t *Pane) StatisticsHere() {
	if t.Table == nil || len(t.Table.Columns) == 0 {
		t.d.Window.Say("the document has no table")
		return
	}
	t.withColumn("Statistics of a column", "Show", t.Statistics)
}

// Statistics shows the statistics of a column.
func (t *Pane) Statistics(col int) { t.statisticsOf(t.Table, col) }

func (t *Pane) statisticsOf(table *model.Table, col int) {
	t.Stats.of(table, col)
	t.d.Lower.Offer(t.Stats.Tab, true)
}
