package compare

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// Rows of two documents are compared by what they are called: the values of the first column in which hardly two rows of a table are
// alike, texts before whole numbers. Without such a column they are compared by their place. A row whose name changed is compared with the one
// in its place. Of each row only a sum is kept; those that differ are read once more.

// compareMost is how many rows of a table are compared.
const compareMost = 2_000_000

// fewAlike is how many rows of the same name a column may have at the start of a table that still tells rows apart.
const fewAlike = 3

// differingRows lists how the tables of a differ from those of the same name of b.
func differingRows(ctx context.Context, a, b *model.Tree, progress func(done, total int64)) (items []doc.Place, err error) {
	here, there := a.Tables(ctx), b.Tables(ctx)
	named := func(list []model.Table, name string) *model.Table {
		if i := slices.IndexFunc(list, func(t model.Table) bool { return t.Name == name }); i >= 0 {
			return &list[i]
		}
		return nil
	}
	for i := range here {
		progress(int64(i), int64(len(here)))
		x := &here[i]
		y := named(there, x.Name)
		if y == nil {
			items = append(items, differing(x.Name, "table", show.Counted(x.Rows, "row"), "not there", nil))
			continue
		}
		p := &tablePair{x: x, y: y, items: items}
		err = p.compare(ctx)
		if items = p.items; err != nil || len(items) >= doc.FindMost {
			return items, err
		}
	}
	for i := range there {
		if named(here, there[i].Name) == nil {
			items = append(items, differing(there[i].Name, "table", "not there", show.Counted(there[i].Rows, "row"), nil))
		}
	}
	return items, ctx.Err()
}

// differing is a difference as a row: where, what, here and there.
func differing(where, what, here, there string, cell *doc.CellRef) doc.Place {
	return doc.Place{Cell: cell, Cells: []rows.Cell{{Text: where}, {Text: what}, {Text: here}, {Text: there}}}
}

// tablePair is two tables that are compared.
type tablePair struct {
	x, y   *model.Table
	common [][2]int // columns of the same name
	key    int      // of common; -1: rows are known by their place
	items  []doc.Place
}

// summed is what is kept of the rows of a table.
type summed struct {
	sums   []uint64         // of each row, over the common columns
	unique []map[uint64]int // of each common column the rows by their values; nil where they do not tell rows apart
	twice  []int            // of each how many values stand in more than one row
	keys   []uint64         // of each row
	by     map[uint64]int   // rows by their keys
}

func (p *tablePair) compare(ctx context.Context) error {
	for i, c := range p.x.Columns {
		if j := slices.IndexFunc(p.y.Columns, func(d model.Column) bool { return d.Name == c.Name }); j >= 0 {
			p.common = append(p.common, [2]int{i, j})
		} else {
			p.items = append(p.items, differing(p.x.Name, "column "+c.Name, "is here", "not there", nil))
		}
	}
	for _, c := range p.y.Columns {
		if !slices.ContainsFunc(p.x.Columns, func(d model.Column) bool { return d.Name == c.Name }) {
			p.items = append(p.items, differing(p.x.Name, "column "+c.Name, "not here", "is there", nil))
		}
	}
	if max(p.x.Rows, p.y.Rows) > compareMost {
		p.items = append(p.items, differing(p.x.Name, "rows, too many to compare", fmt.Sprint(p.x.Rows), fmt.Sprint(p.y.Rows), nil))
		return ctx.Err()
	}
	a, err := p.sum(ctx, p.x, 0)
	b, otherErr := p.sum(ctx, p.y, 1)
	if err != nil || otherErr != nil {
		p.items = append(p.items, differing(p.x.Name, "table", readText(err), readText(otherErr), nil))
		return ctx.Err()
	}
	p.key = p.bestKey(a, b)
	a.index(p.key)
	b.index(p.key)
	return p.pairs(ctx, a, b)
}

// readText says whether a table could be read.
func readText(err error) string {
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	return "can be read"
}

// pairs finds the partner of each row, and lists what differs.
func (p *tablePair) pairs(ctx context.Context, a, b *summed) error {
	taken := make([]bool, len(b.sums))
	for i := range a.sums {
		k, ok := b.by[a.keys[i]]
		if !ok && i < len(b.keys) { // a row of another name in the same place
			if _, elsewhere := a.by[b.keys[i]]; !elsewhere {
				k, ok = i, p.alike(ctx, i)
			}
		}
		if ok {
			taken[k] = true
		}
		if ok && a.sums[i] == b.sums[k] {
			continue
		}
		if len(p.items) >= doc.FindMost || ctx.Err() != nil {
			return ctx.Err()
		}
		if !ok {
			p.items = append(p.items, differing(p.name(ctx, p.x, 0, i), "row", "is here", "not there", &doc.CellRef{Table: p.x.Name, Row: int64(i), Column: p.x.Columns[0].Name}))
			continue
		}
		p.cells(ctx, i, k)
	}
	for i := range b.sums {
		if !taken[i] && len(p.items) < doc.FindMost {
			p.items = append(p.items, differing(p.name(ctx, p.y, 1, i), "row", "not here", "is there", nil))
		}
	}
	return ctx.Err()
}

// sum reads all rows of a table, of which side of a pair.
func (p *tablePair) sum(ctx context.Context, t *model.Table, side int) (*summed, error) {
	s := &summed{unique: make([]map[uint64]int, len(p.common)), twice: make([]int, len(p.common))}
	for k, c := range p.common {
		if kind := t.Columns[c[side]].Kind; kind == model.Text || kind == model.Int || kind == model.Uint {
			s.unique[k] = map[uint64]int{}
		}
	}
	for at := int64(0); at < t.Rows; {
		page, err := t.Read(ctx, at, min(t.Page(doc.StatsPage), t.Rows-at))
		if err != nil || len(page) == 0 {
			return s, err
		}
		for _, row := range page {
			s.add(row, p.common, side)
		}
		at += int64(len(page))
	}
	return s, ctx.Err()
}

// add notes a row.
func (s *summed) add(row model.Row, common [][2]int, side int) {
	var h maphash.Hash
	h.SetSeed(doc.CompareSeed)
	for k, c := range common {
		if c[side] >= len(row) {
			continue
		}
		cell := &row[c[side]]
		one := doc.CellSum(cell)
		maphash.WriteComparable(&h, one)
		if m := s.unique[k]; m != nil {
			for n := 0; n <= fewAlike; n++ { // the second of a name is one of its own
				if _, twice := m[one]; !twice {
					break
				}
				s.twice[k]++
				one = one*31 + 1
			}
			if m[one] = len(s.sums); cell.Vector || cell.Value.Kind == model.None || s.twice[k] > fewAlike+len(s.sums)/10 {
				s.unique[k] = nil
			}
		}
	}
	s.sums = append(s.sums, h.Sum64())
}

// bestKey is the common column that tells the rows of both tables apart; -1 where none does. Measured values are no names.
func (p *tablePair) bestKey(a, b *summed) int {
	for _, text := range []bool{true, false} {
		for k, c := range p.common {
			if a.unique[k] != nil && b.unique[k] != nil && (p.x.Columns[c[0]].Kind == model.Text) == text {
				return k
			}
		}
	}
	return -1
}

// index finds rows by a column, or by their place.
func (s *summed) index(key int) {
	s.keys, s.by = make([]uint64, len(s.sums)), make(map[uint64]int, len(s.sums))
	if key >= 0 {
		s.by = s.unique[key]
		for sum, i := range s.by {
			s.keys[i] = sum
		}
	} else {
		for i := range s.keys {
			s.keys[i] = uint64(i)
			s.by[uint64(i)] = i
		}
	}
	s.unique = nil
}

// row reads one row once more.
func (p *tablePair) row(ctx context.Context, t *model.Table, i int) model.Row {
	page, err := t.Read(ctx, int64(i), 1)
	if err != nil || len(page) == 0 {
		return nil
	}
	return page[0]
}

// name is what a row is called.
func (p *tablePair) name(ctx context.Context, t *model.Table, side, i int) string {
	if p.key >= 0 {
		if row, c := p.row(ctx, t, i), p.common[p.key][side]; c < len(row) {
			return t.Name + ", " + t.Columns[c].Name + " " + row[c].String()
		}
	}
	return fmt.Sprintf("%s, row %d", t.Name, i)
}

// alike tells whether the rows in a place have most of their cells in common: one is the other, renamed.
func (p *tablePair) alike(ctx context.Context, i int) bool {
	a, b, same := p.row(ctx, p.x, i), p.row(ctx, p.y, i), 0
	for _, c := range p.common {
		if c[0] < len(a) && c[1] < len(b) && doc.CellSum(&a[c[0]]) == doc.CellSum(&b[c[1]]) {
			same++
		}
	}
	return 2*same >= len(p.common)
}

// cells lists the cells in which two rows differ.
func (p *tablePair) cells(ctx context.Context, i, k int) {
	a, b, name := p.row(ctx, p.x, i), p.row(ctx, p.y, k), ""
	for _, c := range p.common {
		if c[0] >= len(a) || c[1] >= len(b) || doc.CellSum(&a[c[0]]) == doc.CellSum(&b[c[1]]) || len(p.items) >= doc.FindMost {
			continue
		}
		if name == "" {
			name = p.name(ctx, p.x, 0, i)
		}
		here, there := cellTexts(&a[c[0]], &b[c[1]])
		col := p.x.Columns[c[0]].Name
		item := differing(name, col, here, there, &doc.CellRef{Table: p.x.Name, Row: int64(i), Column: col})
		if other := b[c[1]]; !other.Vector && other.Trouble == "" {
			item.Take = takeCell(*item.Cell, other.Value)
		}
		p.items = append(p.items, item)
	}
}

// cellTexts says two cells that differ: of long vectors that begin alike, the first place where they do.
func cellTexts(a, b *model.Cell) (here, there string) {
	if here, there = a.String(), b.String(); here != there {
		return here, there
	}
	for i := range min(len(a.Items), len(b.Items)) {
		if x, y := a.Items[i].String(), b.Items[i].String(); x != y {
			return fmt.Sprintf("item %d: %s", i, x), fmt.Sprintf("item %d: %s", i, y)
		}
	}
	return here, there
}
