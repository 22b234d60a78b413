package table

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/kit"
)

// tableOrder is which rows of a table are shown, and in which order: those that meet a condition, by the values of a column.
type tableOrder struct {
	filter string
	column int  // that rows are sorted by; -1: none
	down   bool // the largest first
	rows   []int64
	On     bool // rows say which are shown; otherwise all are, as they stand
}

// orderMost is how many rows a table has at most that is sorted, and how many a filter shows at most.
const orderMost = 2_000_000

// Real returns the number in the table of a row that is shown, and shown the place of a row of the table; -1: it is not shown.
func (o *tableOrder) Real(row int64) int64 {
	if !o.On || row < 0 || row >= int64(len(o.rows)) {
		return row
	}
	return o.rows[row]
}

func (o *tableOrder) shown(row int64) int64 {
	if !o.On {
		return row
	}
	return int64(slices.Index(o.rows, row))
}

// view is a table as it is shown: its rows in the order, and nothing else of it.
func (o *tableOrder) view(t model.Table) model.Table {
	if !o.On {
		return t
	}
	return t.Only(o.rows)
}

// sortKey is what a row is sorted by: numbers before texts, what is missing last.
type sortKey struct {
	row    int64
	class  int8
	number float64
	whole  uint64 // tells whole numbers apart that are too large for number to do so
	text   string
}

// sortText is how much of a text rows are sorted by.
const sortText = 64

func keyOfCell(row int64, c *model.Cell) sortKey {
	k := sortKey{row: row, class: 1}
	switch {
	case c.Trouble != "" || !c.Vector && c.Value.Kind == model.None:
		k.class = 2
	case !c.Vector && c.Value.IsNumber():
		if k.class, k.number = 0, c.Value.Float(); c.Value.Kind == model.Int || c.Value.Kind == model.Uint {
			k.whole = c.Value.Uint()
		}
	default:
		s := c.String()
		k.text = strings.Clone(s[:min(len(s), sortText)])
	}
	return k
}

func (a sortKey) compare(b sortKey, down bool) int {
	if a.class != b.class {
		return cmp.Compare(a.class, b.class)
	}
	by := cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.whole, b.whole), strings.Compare(a.text, b.text))
	if down {
		by = -by
	}
	return cmp.Or(by, cmp.Compare(a.row, b.row))
}

// orderRows finds which rows are shown, and in which order.
func orderRows(ctx context.Context, t *model.Table, o tableOrder, progress func(done, total int64)) ([]int64, error) {
	all, err := model.Conditions(t, o.filter)
	if err != nil {
		return nil, err
	}
	if o.column >= 0 && t.Rows > orderMost {
		return nil, fmt.Errorf("tables of more than %d rows cannot be sorted: filter the table first, or export it", orderMost)
	}
	var keys []sortKey
	err = t.Each(ctx, 0, t.Rows, progress, func(n int64, row model.Row) error {
		if !all.Meet(t, row) {
			return nil
		}
		k := sortKey{row: n}
		if o.column >= 0 && o.column < len(row) {
			k = keyOfCell(n, &row[o.column])
		}
		if keys = append(keys, k); len(keys) > orderMost {
			return errors.New("too many rows match the condition: make it narrower")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if o.column >= 0 {
		slices.SortFunc(keys, func(a, b sortKey) int { return a.compare(b, o.down) })
	}
	rows := make([]int64, len(keys))
	for i, k := range keys {
		rows[i] = k.row
	}
	return rows, ctx.Err()
}

// tableSorter filters and sorts the rows of a table.
type tableSorter struct {
	pane     *Pane
	Order    tableOrder
	asked    tableOrder // that is being made
	ordering kit.Running
	soon     *time.Timer // looks for what is being typed
	wrong    error       // why what was typed is no condition
}

// SortBy sorts the rows by a column: upwards, downwards, and then as they stand.
func (s *tableSorter) SortBy(column int) {
	o := s.asked
	switch {
	case o.column != column:
		o.column, o.down = column, false
	case !o.down:
		o.down = true
	default:
		o.column, o.down = -1, false
	}
	s.reorder(o)
}

// reorder shows other rows, or the same in another order. The chosen one stays chosen.
func (s *tableSorter) reorder(o tableOrder) {
	s.ordering.Stop()
	s.asked = o
	if o.filter == "" && o.column < 0 {
		o.On, o.rows = false, nil
		s.takeOrder(o)
		return
	}
	table := s.pane.Table
	if table == nil {
		return
	}
	s.ordering = kit.Watched(s.pane.d.Window, "sorting and filtering rows", model.Selected, func(ctx context.Context, progress kit.Progress) ([]int64, error) {
		return orderRows(ctx, table, o, progress)
	}, func(v []int64, err error) {
		s.ordering = nil
		if err != nil {
			s.asked = s.Order
			if !errors.Is(err, context.Canceled) {
				s.pane.d.Window.Say(err.Error())
			}
			return
		}
		if o.rows, o.On = v, true; table == s.pane.Table {
			s.takeOrder(o)
		}
	})
}

func (s *tableSorter) takeOrder(o tableOrder) {
	was := s.Order.Real(s.pane.Current)
	if s.pane.Current < 0 {
		was = -1
	}
	s.Order = o
	s.pane.drop()
	s.titles()
	s.pane.tell()
	s.pane.Current, s.pane.Anchor, s.pane.waiting = -1, -1, false
	if was >= 0 {
		s.pane.Current = s.Order.shown(was)
	}
	s.pane.View.Update()
	if s.pane.Current >= 0 {
		s.pane.View.Reveal(s.pane.Current)
	}
}

// titles marks the column that rows are sorted by.
func (s *tableSorter) titles() {
	for k, col := range columnsOf(s.pane.Table)[1:] {
		shown := &s.pane.Columns[k+1]
		if shown.Title = col.Title; k == s.Order.column {
			shown.Title += map[bool]string{false: " ↑", true: " ↓"}[s.Order.down]
			shown.Width = max(shown.Width, kit.ColumnFor(shown.Head()))
		}
	}
}

// FilterBy shows the rows that meet a condition, and gives them the keyboard; "" shows all.
func (s *tableSorter) FilterBy(text string) {
	s.narrow(text)
	s.pane.d.Window.Shell.Focus(s.pane.View)
}

// narrow shows the rows that meet a condition, or says what of it is not understood: then the rows stay that are shown.
func (s *tableSorter) narrow(text string) {
	if s.soon != nil {
		s.soon.Stop() // what was typed before is not looked for any more
	}
	o := s.asked
	o.filter = strings.TrimSpace(text)
	t := s.pane
	if t.Table == nil || o.filter == s.asked.filter && s.wrong == nil {
		return
	}
	_, err := model.Conditions(t.Table, o.filter)
	if s.misunderstood(err); err == nil {
		s.reorder(o)
	}
}

// misunderstood says above the rows why a condition is none; nil: it is one.
func (s *tableSorter) misunderstood(why error) {
	if s.wrong = why; why == nil && s.pane.About.Importance != widget.DangerImportance {
		return
	}
	s.pane.tell()
}

// typingTime is how long nothing is typed before rows are looked for.
const typingTime = 250 * time.Millisecond

// typed looks for rows once nothing more is typed.
func (s *tableSorter) typed(text string) {
	if s.soon != nil {
		s.soon.Stop()
	}
	if strings.TrimSpace(text) == s.asked.filter {
		return
	}
	host := s.pane.d.Window.Host
	s.soon = time.AfterFunc(typingTime, func() {
		host.Post(func() {
			if s.pane.Narrow.Text == text {
				s.narrow(text)
			}
		})
	})
}

// GoToRow chooses a row by its number in the table, or says why not.
func (s *tableSorter) GoToRow(n int64) error {
	t := s.pane
	switch {
	case t.Table == nil || n < 0 || n >= t.Table.Rows:
		return fmt.Errorf("there is no row %d", n)
	case s.Order.shown(n) < 0:
		return errors.New("the filter does not show that row")
	}
	t.Choose(s.Order.shown(n), max(1, t.SelColumn))
	return nil
}

// Blank says why no rows are shown.
func (t *Pane) Blank() string {
	switch {
	case t.list != nil:
		return "…"
	case t.Table != nil:
	case t.d.Found.Sealed != nil:
		return "this data cannot be read without the key"
	case t.d.Found.Counts()[model.Error] > 0:
		return "no table can be read: see Problems for the reason"
	default:
		return "this document has no table"
	}
	if t.Order.filter != "" && t.Order.On {
		return "No rows match; Esc clears the filter"
	}
	return "the table has no rows"
}
