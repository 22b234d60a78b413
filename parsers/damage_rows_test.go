package parsers

import (
	"context"
	"slices"
	"strings"

	"spandrel/model"
)

// What can be read of the rows of damaged documents: of each row of the sound one the cells whose bytes are still there must come out, in a
// table of the document as it is, or of what salvage makes of it.

// mostRows is how many rows of a table are compared.
const mostRows = 1000

// printed is a table, printed.
type printed struct {
	columns []string
	types   []string
	rows    []model.Row
}

// rowsOf prints the tables of a document that people open it for, by name.
func rowsOf(t *model.Tree) map[string]printed {
	ctx, out := context.Background(), map[string]printed{}
	model.Contain(func() error {
		for _, table := range t.Tables(ctx) {
			if table.Aside || table.Rows == 0 {
				continue
			}
			p := printed{}
			for _, c := range table.Columns {
				p.columns, p.types = append(p.columns, c.Name), append(p.types, c.Type)
			}
			if rows, err := table.Read(ctx, 0, min(table.Rows, mostRows)); err == nil {
				p.rows = rows
				out[table.Name] = p
			}
		}
		return nil
	})
	return out
}

// intact tells of bytes of a sound document whether they are still there. Damage at one place leaves what is in front of it where it was,
// and what is behind it where it is counted from the end.
type intact struct {
	t           *model.Tree
	file        string
	front, back int64 // what both states of the file have in common there
	size        int64
	columns     map[string]model.Range // where it is said what a column holds
	names       map[string]model.Range // where rows have their names, which others refer to
	told        map[string]bool        // of spans that say what others are, by path: whether they are there
}

// left compares the states of the one file that was damaged.
func left(t *model.Tree, file string, was, is []byte) *intact {
	k := &intact{t: t, file: file, size: int64(len(was)), columns: map[string]model.Range{}, told: map[string]bool{}}
	for k.front < int64(min(len(was), len(is))) && was[k.front] == is[k.front] {
		k.front++
	}
	for k.back < int64(min(len(was), len(is)))-k.front && was[int64(len(was))-1-k.back] == is[int64(len(is))-1-k.back] {
		k.back++
	}
	if t.Format.Outline != nil {
		model.Contain(func() error {
			list, err := t.Format.Outline(context.Background(), t)
			k.named(list, 3)
			return err
		})
	}
	return k
}

func (k *intact) named(list []model.Meaning, depth int) {
	for _, m := range list {
		if m.At.Len > 0 {
			k.columns[m.Label] = m.At
		}
		kids := m.Kids
		if m.More != nil && depth > 0 {
			kids, _ = m.More(context.Background())
		}
		if depth > 0 {
			k.named(kids, depth-1)
		}
	}
}

// cell tells whether a cell of a column is still there. One whose block is compressed tells where it ends and what it may be; of others no one
// knows either where nothing says what the column holds.
// The names in a cell that stand elsewhere are a part of it.
func (k *intact) cell(column string, c model.Cell) bool {
	r := c.Range
	if r.Len == 0 || !k.has(r) || !k.placed(r) {
		return false
	}
	for _, item := range c.Items {
		if at, said := k.names[item.String()]; said && item.Kind == model.Text && !k.has(at) {
			return false
		}
	}
	at, said := k.columns[column]
	return !said || k.has(at) || k.packed(r.Space)
}

// placed tells whether what says what bytes are is still there: the tables of a graph that lead to them, up to the root, without which they can be
// found too; where the texts of a tile begin, and which of its cells are missing.
func (k *intact) placed(r model.Range) bool {
	s := k.t.At(r.Space, r.Off)
	if sp := k.t.Space(r.Space); sp != nil && sp.Derived() {
		s = sp.Raw
	}
	if s == nil {
		return true
	}
	at := s.Path()
	for _, part := range [][2]string{{"_var.tdb/", ".tdb/"}, {"_var.tdb/", "_validity.tdb/"}, {".tdb/", "_validity.tdb/"}} {
		if other := strings.Replace(at, part[0], part[1], 1); other != at && !k.there(other) {
			return false
		}
	}
	for i, c := range at {
		if c == '/' && strings.Contains(at[:i], "/") && !k.there(at[:i]+"/table") {
			return false
		}
	}
	return true
}

// there tells whether the bytes of the span at a path are still there, or there is none.
func (k *intact) there(path string) bool {
	ok, known := k.told[path]
	if !known {
		s, err := k.t.Find(context.Background(), path)
		ok = err != nil || k.has(s.Range)
		k.told[path] = ok
	}
	return ok
}

// packed tells whether the bytes of a space stand in their file as other bytes.
func (k *intact) packed(id model.SpaceID) bool {
	sp := k.t.Space(id)
	if sp == nil || !sp.Derived() {
		return false
	}
	size, err := k.t.Size(context.Background(), id)
	return err != nil || sp.Origin.Len != size || k.packed(sp.Origin.Space)
}

// has tells whether the bytes that a range comes from are still there; of a cell without bytes no one knows.
func (k *intact) has(r model.Range) bool {
	for range 8 {
		sp := k.t.Space(r.Space)
		if sp == nil || !sp.Derived() {
			break
		}
		r = sp.Origin
	}
	return k.t.FileName(r) != k.file || r.End() <= k.front || r.Off >= k.size-k.back
}

// readable counts the rows of a sound document of which cells are still there, and those of them of which all these come out. Nil is a file
// that can be had back: all of it is there.
func readable(sound, damaged map[string]printed, k *intact) (kept, of int) {
	if k != nil {
		k.names = namesIn(sound)
	}
	for name, p := range sound {
		damaged := damaged[p.under(name, sound, damaged)]
		pairs, spare := p.paired(damaged)
		groups := map[string][]int{} // rows by which of their cells are there
		for r, row := range p.rows {
			key := make([]byte, len(row))
			for i := range row {
				if key[i] = '0'; k == nil || k.cell(p.columns[i], row[i]) {
					key[i] = '1'
				}
			}
			groups[string(key)] = append(groups[string(key)], r)
		}
		for key, rows := range groups {
			if !strings.Contains(key, "1") {
				continue
			}
			of += len(rows)
			mine, its := matched(pairs, spare, key)
			found := map[string]int{}
			for _, row := range damaged.rows {
				found[text(row, its)]++
			}
			for _, r := range rows {
				if t := text(p.rows[r], mine); len(mine) > 0 && found[t] > 0 {
					found[t]--
					kept++
				}
			}
		}
	}
	return kept, of
}

// under is the name of a table in a damaged document: its own, or where that is lost, one that the sound document has not, of the table with
// the most rows in common.
func (p printed) under(name string, sound, damaged map[string]printed) string {
	if _, ok := damaged[name]; ok {
		return name
	}
	most := 0
	for other, x := range damaged {
		if _, its := sound[other]; its {
			continue
		}
		var mine, its []int // an array whose shape is lost has other columns for its indices
		for i, name := range p.columns {
			if k := slices.Index(x.columns, name); k >= 0 && p.types[i] == x.types[k] && !strings.HasPrefix(name, "i") {
				mine, its = append(mine, i), append(its, k)
			}
		}
		n := 0
		for i := range min(len(p.rows), len(x.rows)) {
			if len(mine) > 0 && text(p.rows[i], mine) == text(x.rows[i], its) {
				n++
			}
		}
		if n > most {
			most, name = n, other
		}
	}
	return name
}

// namesIn is where the names of rows stand.
func namesIn(tables map[string]printed) map[string]model.Range {
	out := map[string]model.Range{}
	for _, p := range tables {
		if i := slices.Index(p.columns, "name"); i >= 0 {
			for _, row := range p.rows {
				out[row[i].Value.String()] = row[i].Range
			}
		}
	}
	return out
}

// paired finds the column of a damaged table for each of the sound one, or -1: by its name, or else by what it prints, as the order of the
// columns may be lost with their names. Spare are those that are left: of a column whose type is lost too no one can tell which it is.
func (p printed) paired(damaged printed) (out []int, spare int) {
	out = make([]int, len(p.columns))
	var free []int
	for k, name := range damaged.columns {
		if !slices.Contains(p.columns, name) {
			free = append(free, k)
		}
	}
	alike := func(i, k int) (n int) { // how many cells of one type are the same, where most are
		read := 0
		for r := range min(len(p.rows), len(damaged.rows)) {
			if p.types[i] != damaged.types[k] {
				return 0
			}
			if damaged.rows[r][k].Trouble != "" {
				continue
			}
			if read++; text(p.rows[r], []int{i}) == text(damaged.rows[r], []int{k}) {
				n++
			}
		}
		if 2*n <= read {
			return 0
		}
		return n
	}
	for i, name := range p.columns {
		if out[i] = slices.Index(damaged.columns, name); out[i] >= 0 {
			continue
		}
		best := 0
		for at, k := range free {
			if n := alike(i, k); n > best || n == best && n > 0 && k == i {
				best, out[i] = n, at
			}
		}
		if at := out[i]; at >= 0 {
			out[i] = free[at]
			free = slices.Delete(free, at, at+1)
		}
	}
	return out, len(free)
}

// matched are the columns of a sound table that are marked, and those of the damaged one. Where the type of a column is lost, what its bytes
// mean is not there any more. None are matched where one is missing.
func matched(pairs []int, spare int, marks string) (mine, its []int) {
	for i, k := range pairs {
		if marks[i] == '0' {
			continue
		}
		if k >= 0 {
			mine, its = append(mine, i), append(its, k)
		} else if spare--; spare < 0 {
			return nil, nil
		}
	}
	return mine, its
}

// text prints some cells of a row, without what other bytes say of them: the names of keys, and what the type of a column makes of a number.
func text(row model.Row, columns []int) string {
	var cells []string
	for _, i := range columns {
		c := row[i]
		c.Label = ""
		cells = append(cells, c.String())
	}
	return strings.Join(cells, "\x00")
}

// salvaged is the document that salvage makes of a damaged one; nil when it makes none.
func salvaged(t *model.Tree) *model.Tree {
	if t == nil || t.Format == nil || t.Format.Salvage == nil {
		return nil
	}
	ctx := context.Background()
	saved, err := model.Salvage(ctx, t)
	if err != nil {
		return nil
	}
	return saved.Tree(ctx, t)
}
