package table

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// prefNoHeat is the preference for arrays without colours.
const prefNoHeat = "no-heat"

// arrayView shows a table that is an array as a grid: an index selects the visible part of its axes, colours show the size of values, and a line
// shows their distribution. Without an index the elements are listed one by one.
type arrayView struct {
	t       *Pane
	at      int // of the table, among those that are listed
	Index   *kit.Entry
	Box     fyne.CanvasObject // its container; hidden if the table is not an array
	shown   string            // the index of what is shown; "": all elements, as a list
	Line    *widget.Label     // says how they are spread
	Spread  *model.Spread     // of what is shown; nil: not known yet
	reading kit.Running       // withdraws the reading
	Picture *picture
}

func newArrayView(t *Pane) *arrayView {
	a := &arrayView{t: t, at: -1, Index: kit.NewEntry(t.d.Window.Host)}
	a.Index.SetPlaceHolder("all, as a list")
	a.Index.OnChanged = func(text string) {
		_, err := a.slice(text)
		a.say(err)
	}
	a.Index.OnSubmitted = a.Show
	a.Box = kit.AtLeast(fyne.NewSize(110, 1), a.Index)
	a.Box.Hide()
	a.Picture = newPicture(a)
	return a
}

// say says what is wrong with the typed index.
func (a *arrayView) say(err error) {
	if err != nil {
		a.t.d.Window.Hint(err.Error())
		return
	}
	a.t.d.Window.Hint("")
}

// slice is what an index selects from the table; the table itself if there is none.
func (a *arrayView) slice(index string) (*model.Table, error) {
	base := &a.t.tables[a.at]
	if index == "" || base.Tensor == nil {
		return base, nil
	}
	s, err := base.Slice(index)
	return &s, err
}

// Show shows what an index selects from the current array.
func (a *arrayView) Show(index string) {
	if a.at < 0 || index == a.shown {
		return
	}
	if _, err := a.slice(index); err != nil {
		a.say(err)
		return
	}
	a.t.show(a.at, index)
	a.t.d.Window.Shell.Focus(a.t.View)
}

// take makes the table read what an index selects from one of the listed tables.
func (a *arrayView) take(i int, index string) {
	a.at, a.shown = i, index
	table, err := a.slice(index)
	if err != nil { // the array has another shape than before
		a.shown = a.t.tables[i].Tensor.FirstIndex()
		table, _ = a.slice(a.shown)
	}
	a.t.Table = table
	a.measure()
}

// follow shows the index of the current table.
func (a *arrayView) follow() {
	a.Index.Text = a.shown
	a.Index.Refresh()
	if a.Box.Show(); a.t.tables[a.at].Tensor == nil {
		a.Box.Hide()
	}
	a.Picture.follow()
}

// measure determines the distribution of the visible values.
func (a *arrayView) measure() {
	a.reading.Stop()
	a.Spread = nil
	table, most := a.t.Table, a.t.d.Tree().Snapshot.Sampled()
	if table.Of == nil {
		return
	}
	a.reading = kit.Watched(a.t.d.Window, "", model.Index, func(ctx context.Context, progress kit.Progress) (*model.Spread, error) {
		return model.SpreadOf(ctx, table, 0, most, progress)
	}, func(s *model.Spread, err error) {
		a.reading = nil
		if err == nil && table == a.t.Table {
			a.Spread = s
			a.t.tell()
			a.t.View.Redraw()
		}
	})
}

// says is which part of the array is shown, and the type of its values.
func (a *arrayView) says() string {
	t, of := a.t.Table, ""
	if a.Picture.photographed() {
		of = "red, green and blue "
	}
	return fmt.Sprintf("%s × %s %sof [%s] %s", model.Thousands(t.Rows), model.Thousands(int64(len(t.Columns))), of, model.ShapeText(t.Of.Tensor.Shape),
		t.Of.Columns[t.Of.Tensor.Column].Type)
}

// tell shows the distribution of the visible values in a line of its own.
func (a *arrayView) tell() {
	text := a.spreadText()
	a.Line.SetText(text)
	if hide := text == ""; hide != a.Line.Hidden { // the rows have less room, or more
		a.Line.Hidden = hide
		if a.t.Object != nil {
			a.t.Object.Refresh()
		}
	}
}

// spreadText is the distribution of the visible values in words; "" if it is not known.
func (a *arrayView) spreadText() string {
	s := a.Spread
	if s == nil || a.t.Table.Of == nil {
		return ""
	}
	var parts []string
	if s.Values > 0 {
		parts = append(parts, "min "+short6(s.Min), "mean "+short6(s.Mean()), "max "+short6(s.Max))
	}
	if parts = append(parts, s.NotFinite()...); s.Read < s.Of && len(parts) > 0 {
		parts = append(parts, fmt.Sprintf("of %s of %s", model.Thousands(s.Read), model.Count(s.Of, "values")))
	}
	if a.Picture.photographed() && len(parts) > 0 {
		parts[0] = "red: " + parts[0]
	}
	return strings.Join(parts, "  ·  ")
}

// short6 prints a number with at most six digits: the details show all.
func short6(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }

// heat is the background of a value; none if colours are off, or all values are the same.
func (a *arrayView) heat(v model.Value) (c color.RGBA) {
	s := a.Spread
	if s == nil || len(a.t.Table.Columns) < 2 || !v.IsNumber() || s.Min == s.Max || a.t.d.Window.App.Preferences().Bool(prefNoHeat) {
		return c
	}
	f := v.Float()
	if math.IsNaN(f) {
		return c
	}
	return paint.Look().Heat(degree(s, f))
}

// degree is the relative size of a number: from -1 to 1 if the numbers are on both sides of zero, otherwise from 0 on the side where they are.
func degree(s *model.Spread, f float64) float64 {
	switch {
	case s.Min >= s.Max:
		return 0
	case s.Min < 0 && s.Max > 0: // as far from zero on either side
		return f / max(s.Max, -s.Min)
	}
	if f = f/(s.Max-s.Min) - s.Min/(s.Max-s.Min); s.Max <= 0 {
		f--
	}
	return f
}

// SwitchHeat shows or hides the colours of arrays.
func (t *Pane) SwitchHeat() {
	p := t.d.Window.App.Preferences()
	p.SetBool(prefNoHeat, !p.Bool(prefNoHeat))
	t.View.Redraw()
}

// HeatShown tells whether arrays have colours.
func (t *Pane) HeatShown() bool { return !t.d.Window.App.Preferences().Bool(prefNoHeat) }

// tableList lets the user choose a table from a searchable list, because there may be thousands.
type tableList struct {
	t      *Pane
	Button *kit.Button
}

func newTableList(t *Pane) *tableList {
	l := &tableList{t: t}
	l.Button = kit.NewIconButton(t.d.Window.Host, "", theme.MenuDropDownIcon(), l.Ask)
	l.Button.IconPlacement, l.Button.Tip = widget.ButtonIconTrailingText, "The tables of the document"
	l.name("")
	l.Button.Text = "reading…" // until it is known whether there are any
	return l
}

// longName is how many characters of a table's name are shown.
const longName = 20

// name shows which table is open; "" if the document has none.
func (l *tableList) name(name string) {
	l.Button.Text = paint.Shorten(model.OneLine(name), longName)
	if l.Button.Enable(); name == "" {
		l.Button.Text = "no tables"
		l.Button.Disable()
	}
	l.Button.Refresh()
}

// Lines are the tables as listed: with their shapes or rows, and the size of an array's values.
func (l *tableList) Lines() (out []string) {
	for i := range l.t.tables {
		x := &l.t.tables[i]
		text := paint.Shorten(model.OneLine(x.Name), 60)
		if x.Tensor == nil {
			out = append(out, text+"   "+model.Count(x.Rows, "rows"))
			continue
		}
		typ := x.Columns[x.Tensor.Column].Type
		text += fmt.Sprintf("   %s [%s]", typ, model.ShapeText(x.Tensor.Shape))
		if n := widthOf(typ); n > 0 {
			text += "   " + show.Size(x.Rows*n/8)
		}
		out = append(out, text)
	}
	return out
}

// widthOf is the width of a type in bits; 0 if unknown.
func widthOf(typ string) int64 {
	at := len(typ)
	for at > 0 && typ[at-1] >= '0' && typ[at-1] <= '9' {
		at--
	}
	n, _ := strconv.ParseInt(typ[at:], 10, 64)
	return n
}

// Ask lets the user choose a table.
func (l *tableList) Ask() {
	if len(l.t.tables) > 0 {
		l.t.d.Window.Pick("Tables", "Show", l.Lines(), l.t.open)
	}
}

// usualNumber is about the longest number of six digits.
const usualNumber = "-0.0123456"

// columnsOf are the columns of a table in the grid, after the row numbers, which are left out if a column has them.
func columnsOf(t *model.Table) []rows.Column {
	last := strconv.FormatInt(numberOf(t, max(0, t.Rows-1)), 10)
	out := []rows.Column{{Title: "row", Width: max(kit.ColumnFor("row"), kit.ColumnFor(last)), Right: true}}
	if slices.ContainsFunc(t.Columns, func(c model.Column) bool { return c.Numbers }) {
		out[0].Width = 0
	}
	for _, c := range t.Columns {
		col := tableColumn(c)
		if t.Of != nil {
			col = rows.Column{Title: c.Name, Width: max(56, kit.ColumnFor(c.Name)), Right: true}
			if c.Kind == model.Float {
				col.Width = max(col.Width, kit.ColumnFor(usualNumber))
			}
		}
		out = append(out, col)
	}
	return out
}
