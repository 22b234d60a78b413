package table

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// overview shows the statistics of all columns of a table, one per row. A column's name leads to its own statistics.
type overview struct {
	*aside
	List statsList
}

func newOverview(t *Pane) *overview {
	o := &overview{List: statsList{List: doc.NewList(t.d, rows.Column{Title: "column", Width: 130}, rows.Column{Title: "type", Width: 60},
		rows.Column{Title: "missing", Width: 85, Right: true}, rows.Column{Title: "distinct", Width: 85, Right: true}, rows.Column{Title: "min", Width: 110, Right: true},
		rows.Column{Title: "mean", Width: 100, Right: true}, rows.Column{Title: "max", Width: 110, Right: true})}}
	o.List.open = func(row int64) {
		if table := o.table(); table != nil && row < int64(len(table.Columns)) {
			t.statisticsOf(table, int(row))
		}
	}
	o.List.Bind(&o.List)
	o.aside = newAside(t, "Columns", "the statistics of the columns", o.List.View)
	o.again = func(table *model.Table) bool {
		o.of(table)
		return true
	}
	o.gone = func() {
		o.about.SetText(o.name + ": it no longer exists")
		o.List.Set(nil)
	}
	return o
}

// of reads a table in the background and shows the statistics of its columns.
func (o *overview) of(table *model.Table) {
	o.reading.Stop()
	if o.name != table.Name {
		o.name = table.Name
		o.List.Set(nil)
	}
	o.about.SetText(fmt.Sprintf("%s: reading %s…", table.Name, show.Counted(table.Rows, "row")))
	all := make([]int, len(table.Columns))
	for k := range all {
		all[k] = k
	}
	var list []*columnStats
	o.reading = kit.Watched(o.t.d.Window, "statistics of "+table.Name, model.Index, func(ctx context.Context, progress kit.Progress) (_ any, err error) {
		list, err = statsOf(ctx, table, all, progress)
		return nil, err
	}, func(_ any, err error) {
		o.reading = nil
		if list == nil {
			return
		}
		text := fmt.Sprintf("%s: %s, %s", table.Name, show.Counted(table.Rows, "row"), show.Counted(int64(len(list)), "column"))
		if err != nil && len(list) > 0 && list[0].rows < table.Rows {
			text += ": stopped after " + show.Counted(list[0].rows, "row")
		}
		o.about.SetText(text)
		o.List.Set(model.Map(all, func(k int) doc.Place { return list[k].line(&table.Columns[k]) }))
	})
}

// line are the statistics of a column in one row.
func (s *columnStats) line(c *model.Column) doc.Place {
	is := map[string]string{}
	for _, f := range s.facts() {
		is[f[0]] = f[1]
	}
	missing := rows.Cell{Text: is["missing"], Right: true, Dim: s.missing == 0}
	if s.troubled > 0 {
		missing.Text += ", " + is["unreadable"] + " unreadable"
	}
	cells := []rows.Cell{{Text: c.Name, Link: true}, {Text: c.Type, Dim: true}, missing}
	for _, what := range []string{"distinct", "min", "mean", "max"} {
		cells = append(cells, rows.Cell{Text: is[what], Right: true})
	}
	return doc.Place{Cells: cells}
}

// Overview shows the statistics of all columns.
func (t *Pane) Overview() {
	t.AllStats.of(t.Table)
	t.d.Lower.Offer(t.AllStats.Tab, true)
}
