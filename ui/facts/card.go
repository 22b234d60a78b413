package facts

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/ui/doc"
)

// How much of a document its card shows.
const (
	cardRows    = 5  // of the table
	cardColumns = 16 // of its first row, where it has many columns
	fewColumns  = 5  // that are read beside each other
	cardBins    = 12
	cardValue   = 24 // characters of a value among others
)

// cardFacts describe a document as a whole: readers, content and, for a first look, some rows or the distribution of
// values. checked means that found is complete.
func cardFacts(ctx context.Context, t *model.Tree, found []model.Finding, checked bool) []Fact {
	out := []Fact{{Label: "DOCUMENT", Heading: true}}
	for _, l := range model.Card(ctx, t) {
		out = append(out, Fact{Label: l.Label, Text: l.Text})
	}
	for _, v := range t.Verdicts(ctx, found, checked) {
		f := Fact{Label: "reader", Text: v.Text(ctx, t)}
		switch v.Does {
		case model.Refuses, model.Fails:
			f.severity = model.Error
		case model.Misreads:
			f.severity = model.Warning
		}
		out = append(out, f)
	}
	tables := t.Tables(ctx)
	if len(tables) == 0 {
		return out
	}
	main := &tables[model.MainTable(tables)]
	if main.Tensor != nil {
		return append(out, spreadFacts(ctx, main, t.Snapshot.Sampled())...)
	}
	return append(out, rowFacts(ctx, main)...)
}

// rowFacts are the first rows of a table, or only the first if it has many columns.
func rowFacts(ctx context.Context, t *model.Table) (out []Fact) {
	rows, err := t.Read(ctx, 0, min(cardRows, t.Rows))
	if err != nil || len(rows) == 0 {
		return nil
	}
	key, values := named(t)
	if all := append(key, values...); len(all) > fewColumns {
		return firstRow(t, rows[0], all)
	}
	out = []Fact{{Label: "FIRST ROWS", Text: columnNames(t, values), Heading: true}}
	for i, row := range rows {
		label := strconv.Itoa(i)
		if len(key) > 0 {
			label = joined(t, row, key, 60, ", ")
		}
		out = append(out, Fact{Label: label, Text: joined(t, row, values, cardValue, " · ")})
	}
	if n := t.Rows - int64(len(rows)); n > 0 {
		out = append(out, Fact{Text: "and " + model.Thousands(n) + " more"})
	}
	return out
}

// firstRow is the first row of a table with many columns, each in a line.
func firstRow(t *model.Table, row model.Row, columns []int) []Fact {
	out := []Fact{{Label: "FIRST ROW", Heading: true}}
	for _, k := range columns[:min(len(columns), cardColumns)] {
		out = append(out, Fact{Label: oneLine(t.Columns[k].Name, 24), Text: cmp.Or(cellText(t, row, k), `""`)})
	}
	if n := len(columns) - cardColumns; n > 0 {
		out = append(out, Fact{Text: model.Words("and %d more columns", n)})
	}
	return out
}

// joined are the texts of some cells of a row in one line, each of at most so many characters.
func joined(t *model.Table, row model.Row, columns []int, most int, sep string) string {
	var out []string
	end := 0
	for _, k := range columns {
		s := oneLine(cellText(t, row, k), most)
		out = append(out, cmp.Or(s, `""`)) // otherwise the next value would seem to be its
		if s != "" && s != missing {
			end = len(out)
		}
	}
	return strings.Join(out[:end], sep)
}

// columnNames are the names of columns in one line.
func columnNames(t *model.Table, columns []int) string {
	return strings.Join(model.Map(columns, func(k int) string { return oneLine(t.Columns[k].Name, cardValue) }), " · ")
}

// missing is the text of a cell without a value, as in tables.
const missing = "–"

// cellText is the text of a cell for a first look.
func cellText(t *model.Table, row model.Row, k int) string {
	if k >= len(row) {
		return ""
	}
	c := &row[k]
	if c.Trouble == "" && !c.Vector && c.Value.Kind == model.None {
		return missing
	}
	if c.Label != "" && !c.Vector && c.Trouble == "" && c.Value.Kind != model.None { // what can be read is enough
		return oneLine(c.Label, 80)
	}
	return oneLine(doc.CellText(&t.Columns[k], c, nil), 80)
}

// named are the columns of a table that identify a row, none if there is only one column, and the other content columns.
func named(t *model.Table) (key, values []int) {
	for _, k := range t.ByUse() {
		switch {
		case t.Columns[k].Layout:
		case slices.Contains(t.Key, t.Columns[k].Name):
			key = append(key, k)
		default:
			values = append(values, k)
		}
	}
	if len(key) == 0 && len(values) > 1 {
		key, values = values[:1], values[1:]
	}
	if len(values) == 0 {
		key, values = nil, key
	}
	return key, values
}

// spreadFacts are the distribution of the values of an array.
func spreadFacts(ctx context.Context, t *model.Table, most int64) (out []Fact) {
	s, err := model.SpreadOf(ctx, t, t.Tensor.Column, most, nil)
	if err != nil || s.Read == 0 {
		return nil
	}
	typ := t.Columns[t.Tensor.Column].Type
	out = []Fact{{Label: "VALUES", Heading: true}, {Label: "min", Text: model.Number(s.Min, typ)}, {Label: "mean", Text: model.Number(s.Mean(), "f32")}, {Label: "max", Text: model.Number(s.Max, typ)}}
	if s.Values == 0 {
		out = out[:1]
	}
	if list := s.NotFinite(); list != nil {
		out = append(out, Fact{Label: "not finite", Text: strings.Join(list, ", "), severity: model.Warning})
	}
	if s.Read < s.Of {
		out = append(out, Fact{Label: "read", Text: model.Thousands(s.Read) + " of " + model.Count(s.Of, "values")})
	}
	bins, width := s.Histogram(cardBins)
	highest := slices.Max(append(bins, 1)) // there may be none
	for i, n := range bins {
		from := s.Min + width*float64(i)
		if math.Abs(from) < width/1000 { // zero, but for rounding
			from = 0
		}
		out = append(out, Fact{Label: binText(from), bar: max(1e-6, float32(n)/float32(highest))})
	}
	return out
}

// binText is where a bar of the distribution begins, in few digits.
func binText(from float64) string {
	if a := math.Abs(from); a >= 1000 && a < 1e6 {
		return model.Thousands(int64(math.Round(from)))
	}
	return strconv.FormatFloat(from, 'g', 3, 64)
}

// oneLine is a text in one line of at most so many characters.
func oneLine(s string, most int) string {
	s = model.OneLine(s)
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
