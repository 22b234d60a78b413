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

// tableOrder is the filter and sort order of a table's rows.
type tableOrder struct {
	filter string
	column int  // sorted by this column; -1: not sorted
	down   bool // descending
	rows   []int64
	On     bool // only the listed rows are shown; otherwise all, in the order of the table
}

// orderMost is the maximum number of rows of a table that can be sorted, and of rows that match a filter.
const orderMost = 2_000_000

// Real converts the position of a displayed row to its row number in the table; shown does the reverse, -1 if the row is not displayed.
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

// view is the table with only the rows that are displayed, in their order.
func (o *tableOrder) view(t model.Table) model.Table {
	if !o.On {
		return t
	}
	return t.Only(o.rows)
}

// sortKey is the key of a row: numbers sort before text, and text before missing values, in both directions.
type sortKey struct {
	row    int64
	class  int8
	number float64
	whole  uint64 // distinguishes integers that are too large for a float64
	text   string
}

// sortText is the number of bytes of a text that count for sorting.
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

// orderRows returns the numbers of the rows that meet the filter, in sort order. It fails if there are more than orderMost.
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
	asked    tableOrder // requested, and still being computed
	ordering kit.Running
	soon     *time.Timer // starts filtering once typing pauses
	wrong    error       // why the typed condition is invalid
}

// SortBy sorts the rows by a column: ascending, then descending, then in the order of the table.
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

// reorder applies a filter and a sort order in the background. The selected row stays selected.
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

// titles puts an arrow in the title of the column that rows are sorted by.
func (s *tableSorter) titles() {
	for k, col := range columnsOf(s.pane.Table)[1:] {
		shown := &s.pane.Columns[k+1]
		if shown.Title = col.Title; k == s.Order.column {
			shown.Title += map[bool]string{false: " ↑", true: " ↓"}[s.Order.down]
			shown.Width = max(shown.Width, kit.ColumnFor(shown.Head()))
		}
	}
}

// FilterBy shows the rows that meet a condition and gives them the keyboard focus; "" shows all.
func (s *tableSorter) FilterBy(text string) {
	s.narrow(text)
	s.pane.d.Window.Shell.Focus(s.pane.View)
}

// narrow shows the rows that meet a condition. If the condition is invalid, it reports why and leaves the rows unchanged.
func (s *tableSorter) narrow(text string) {
	if s.soon != nil {
		s.soon.Stop() // cancel the filter for what was typed before
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

// misunderstood shows above the rows why a condition is invalid; nil: it is valid.
func (s *tableSorter) misunderstood(why error) {
	if s.wrong = why; why == nil && s.pane.About.Importance != widget.DangerImportance {
		return
	}
	s.pane.tell()
}

// typingTime is how long typing must pause before the filter is applied.
const typingTime = 250 * time.Millisecond

// typed applies the filter once typing pauses.
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

// GoToRow selects a row by its number in the table; an error says why it cannot.
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
