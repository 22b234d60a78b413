package table

import (
	"context"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/rows"
)

// A column groups the rows that are shown, with what another column adds up to; a group opens as a part of the filter.
func TestGroups(t *testing.T) {
	b, d, p := open(t, bench.ToyFile(t, 3))
	d.Lower.Lay(container.NewTabItem("Table", p.Object))
	kinds := []string{"iris", "rose", "salt and pepper"}
	table := model.Table{Name: "flowers", Rows: 90, Columns: model.Columns("kind utf8, petals i32, length f64")}
	table.Read = model.RowsOf(90, func(_ context.Context, i int64) (model.Row, error) {
		kind := model.S(kinds[min(i%4, 2)])
		return model.Row{{Value: kind}, {Value: model.I(i)}, {Value: model.F(float64(i) / 2)}}, nil
	})
	p.tables = []model.Table{table}
	p.show(0, "")
	b.Settle(t)
	p.FilterBy("petals < 40")
	b.Settle(t)
	g := p.Groups
	g.by, g.sum, g.filter, g.sorted, g.down = "kind", "petals", p.Order.filter, 1, true
	d.Lower.Offer(g.Tab, true)
	g.read(p.Table)
	b.Settle(t)
	said := func() string {
		var lines []string
		for _, x := range g.List.Items {
			lines = append(lines, strings.TrimSpace(doc.RowText(x)))
		}
		return strings.ReplaceAll(strings.Join(lines, "|"), "\t", " ")
	}
	// of the numbers below 40 those with 0, with 1, and with 2 or 3 left when they are divided by 4
	if got := said(); got != "salt and pepper 20 2 20.5 39 410|iris 10 0 18 36 180|rose 10 1 19 37 190" || g.about.Text != "flowers by kind, where petals < 40: 3 groups" {
		t.Errorf("%s: %s", g.about.Text, got)
	}
	press := func(row int64, x float32) {
		g.List.View.Rows.Press(row, x, rows.Press{Button: desktop.MouseButtonPrimary})
	}
	press(-1, g.List.ColumnX(5)+5)
	press(-1, g.List.ColumnX(5)+5)
	if got := said(); !strings.HasPrefix(got, "iris ") || g.List.Columns[5].Title != "sum petals ↑" {
		t.Errorf("sorted by the sum: %s, %s", g.List.Columns[5].Title, got)
	}
	press(2, 5)
	time.Sleep(typingTime)
	b.Settle(t)
	if p.Narrow.Text != `petals < 40 and kind = "salt and pepper"` || p.Count() != 20 {
		t.Errorf("%d rows of %q", p.Count(), p.Narrow.Text)
	}
	p.only(p.Narrow.Text, "petals", &model.Cell{Value: model.I(2)})
	b.Settle(t)
	if p.Narrow.Text != `kind = "salt and pepper" and petals = 2` || p.Count() != 1 {
		t.Errorf("%d rows of %q", p.Count(), p.Narrow.Text)
	}
	p.tables, p.Table = nil, nil
	if g.follow(); !strings.HasSuffix(g.about.Text, "the column no longer exists") {
		t.Error(g.about.Text)
	}
	if g.Close(); len(d.Lower.Bottom.Items) != 1 {
		t.Error("it stays")
	}
}
