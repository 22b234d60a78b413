package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/show"
)

// What is said of a side that has no value, because only the other has one, and of one whose value is not a text.
const (
	absent  = "not there"
	present = "is there"
)

// differingFields lists the leaves of a that are missing in b or have another value there, and those that only b has: without what is reported
// elsewhere, and without stored bytes that were compared decoded.
func differingFields(ctx context.Context, a, b *model.Tree, told toldFields) (items []doc.Place, err error) {
	err = model.Compare(ctx, a, b, func(path string, x, y *model.Value) error {
		if len(items) == doc.FindMost {
			return errEnough
		}
		if told.has(path) {
			return nil
		}
		row := differing(path, "field", fieldText(ctx, path, x, a, b), fieldText(ctx, path, y, a, b), nil)
		if x != nil {
			row.In = &doc.FieldRange{Path: path}
		}
		if x != nil && y != nil {
			row.Take, row.Give = takeField(path, *y), takeField(path, *x)
		}
		items = append(items, row)
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return movedGaps(withoutStored(items, a, b)), err
}

// fieldText is a value of a field as it is shown elsewhere: the field of the first document that has it says how.
func fieldText(ctx context.Context, path string, v *model.Value, trees ...*model.Tree) string {
	if v == nil {
		return absent
	}
	for _, t := range trees {
		if s, err := t.Find(ctx, path); v.IsNumber() && err == nil && s != nil && s.Field != nil {
			return show.Value(s.Field, *v)
		}
	}
	return cmp.Or(v.String(), present)
}

// toldFields are the paths, without list indices, of fields that are reported elsewhere: in rows of tables, or in a graph.
type toldFields map[string]bool

// toldRows is how many rows of a table are examined for the places of its cells.
const toldRows = 64

var listNumber = regexp.MustCompile(`\[\d+\]`)

// tables notes the fields shown in rows of tables, except those about how the content is stored.
func (told toldFields) tables(ctx context.Context, t *model.Tree) {
	for _, table := range t.Tables(ctx) {
		if table.Layout {
			continue
		}
		for k := range min(toldRows, table.Rows) {
			row, err := table.Read(ctx, k*table.Rows/min(toldRows, table.Rows), 1)
			if err != nil || len(row) == 0 {
				break
			}
			told.cells(ctx, t, &table, row[0])
		}
	}
}

// cells notes the fields of the cells of a row.
func (told toldFields) cells(ctx context.Context, t *model.Tree, table *model.Table, row model.Row) {
	for i, c := range row {
		if c.Range.Len == 0 || table.Columns[i].Layout {
			continue
		}
		if s, err := t.AtOpen(ctx, c.Range.Space, c.Range.Off); err == nil && s != nil {
			told.note(s.Path())
		}
	}
}

// note notes the innermost list around a field, whatever the indices.
func (told toldFields) note(path string) {
	path = listNumber.ReplaceAllString(path, "[]")
	if i := strings.LastIndex(path, "[]"); i >= 0 {
		told[path[:i+2]] = true
	}
}

// has tells whether a field, one that contains it, or its elements are reported elsewhere.
func (k toldFields) has(path string) bool {
	path = listNumber.ReplaceAllString(path, "[]")
	for p := range k {
		if strings.HasPrefix(path, p) || strings.HasSuffix(path, "[]") && strings.HasPrefix(p, path) {
			return true
		}
	}
	return false
}

// withoutStored drops the stored bytes of what is compared decoded.
func withoutStored(items []doc.Place, trees ...*model.Tree) []doc.Place {
	stored := map[string]bool{}
	for _, t := range trees {
		for _, sp := range t.Spaces() {
			if sp.Derived() && sp.Raw != nil {
				stored[sp.Raw.Path()] = true
			}
		}
	}
	return slices.DeleteFunc(items, func(p doc.Place) bool { return stored[p.Cells[0].Text] })
}

// commonTables tells whether two documents of different formats have tables of the same name with a column of the same name.
func commonTables(ctx context.Context, a, b *model.Tree) bool {
	there := b.Tables(ctx)
	for _, x := range a.Tables(ctx) {
		for _, y := range there {
			if x.Name == y.Name && slices.ContainsFunc(x.Columns, func(c model.Column) bool { return y.Column(c.Name) >= 0 }) {
				return true
			}
		}
	}
	return false
}

// movedGaps drops unexplained bytes that have only moved, because they are named by their place.
func movedGaps(items []doc.Place) []doc.Place {
	one := map[string]int{} // by what they say and where they are not
	drop := map[int]bool{}
	for i := range items {
		c := items[i].Cells
		if !strings.Contains(c[0].Text, "@0x") || c[2].Text != absent && c[3].Text != absent {
			continue
		}
		if k, ok := one[c[3].Text+"\x00"+c[2].Text]; ok && !drop[k] {
			drop[i], drop[k] = true, true
		}
		one[c[2].Text+"\x00"+c[3].Text] = i
	}
	var out []doc.Place
	for i := range items {
		if !drop[i] {
			out = append(out, items[i])
		}
	}
	return out
}

// differingGraphs lists the differences of two graphs, node by node, by the names of nodes and their parts. The fields that
// store a graph only add the order in which it was written: they count as reported.
func differingGraphs(ctx context.Context, format *model.Format, a, b *model.Tree, told toldFields) []doc.Place {
	if format.Graph == nil {
		return nil
	}
	g, err := format.Graph(ctx, a)
	h, otherErr := format.Graph(ctx, b)
	if g == nil || h == nil || err != nil || otherErr != nil {
		return nil // what cannot be read as a graph is compared field by field
	}
	for _, n := range append(slices.Clone(g.Nodes), h.Nodes...) {
		if n.Span != nil {
			first, _, _ := strings.Cut(listNumber.ReplaceAllString(n.Span.Path(), "[]"), "/")
			told[first] = true
		}
	}
	return differingMeanings("", doc.MeaningsOf(g), doc.MeaningsOf(h))
}

// differingMeanings lists the differences of two lists of nodes of the logical view, by label and occurrence.
func differingMeanings(above string, a, b []model.Meaning) (items []doc.Place) {
	there, only := labelled(b)
	here, order := labelled(a)
	for _, label := range order {
		x, y := here[label], there[label]
		switch {
		case y == nil:
			items = append(items, meantPlace(x, differing(above+label, "only here", said(x), absent, nil)))
		case x.Text != y.Text && len(x.Kids) == 0:
			items = append(items, meantPlace(x, differing(above+label, "says", x.Text, y.Text, nil)))
		default:
			items = append(items, differingMeanings(above+label+" › ", x.Kids, y.Kids)...)
		}
	}
	for _, label := range only {
		if here[label] == nil {
			items = append(items, differing(above+label, "only there", absent, said(there[label]), nil))
		}
	}
	return items[:min(len(items), doc.FindMost)]
}

// labelled maps nodes by label, and returns the labels in order.
func labelled(list []model.Meaning) (of map[string]*model.Meaning, order []string) {
	of, taken := map[string]*model.Meaning{}, map[string]int{}
	for i := range list {
		label := list[i].Label
		if taken[label]++; taken[label] > 1 {
			label = fmt.Sprintf("%s (%d)", label, taken[label])
		}
		of[label], order = &list[i], append(order, label)
	}
	return of, order
}

// said is the text of a node; for one without text, that it exists.
func said(m *model.Meaning) string {
	return cmp.Or(m.Text, present)
}

// meantPlace makes a row lead to what a node is about.
func meantPlace(m *model.Meaning, p doc.Place) doc.Place {
	p.Span, p.At = m.Span, m.At
	return p
}
