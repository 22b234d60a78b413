package model

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
)

// The rows of a table, some of which both sides may have changed.

// threeWay is a table in three states.
type threeWay struct {
	*merging
	base, a, b *Table
	toA, toB   []int64  // position of each base row in the others; -1: removed
	newA, newB []int64  // the rows that they added
	columns    [][3]int // columns that all have, or that both added, with their positions; -1: not in the base
	key        []int    // key columns
	rowsA      RowReader
	rowsB      RowReader
	rowsBase   RowReader
	out        MergedTable
	alike      map[string]int64 // how many rows of the base have a content, once someone asks
}

// pairs finds corresponding rows.
func (x *threeWay) pairs() (err error) {
	if x.base.Rows > mostAligned || x.a.Rows > mostAligned || x.b.Rows > mostAligned {
		return fmt.Errorf("table %s has more than %s rows", x.base.Name, Thousands(mostAligned))
	}
	if x.toA, x.newA, err = x.steps(x.a); err != nil {
		return err
	}
	x.toB, x.newB, err = x.steps(x.b)
	x.rowsA, x.rowsB, x.rowsBase = RowReader{Table: x.a}, RowReader{Table: x.b}, RowReader{Table: x.base}
	return err
}

// match finds the columns that all have.
func (x *threeWay) match() {
	for i, c := range x.base.Columns {
		j, k := x.a.Column(c.Name), x.b.Column(c.Name)
		if j < 0 || k < 0 || c.Layout {
			continue
		}
		if c.Name == x.o.Key || x.o.Key == "" && slices.Contains(x.base.Key, c.Name) {
			x.key = append(x.key, len(x.columns))
		}
		x.columns = append(x.columns, [3]int{i, j, k})
	}
}

// steps are the positions of the base's rows in another state, and its new rows.
func (x *threeWay) steps(to *Table) (at, fresh []int64, err error) {
	p := &pair{contents: &contents{ctx: x.ctx, o: x.o.ContentOptions, differ: func(Difference) error { return nil }}, x: x.base, y: to}
	if err := p.match(); err != nil {
		return nil, nil, err
	}
	list, err := p.steps(0, maphash.MakeSeed())
	at = slices.Repeat([]int64{-1}, int(x.base.Rows))
	for _, s := range list {
		if s.a >= 0 {
			at[s.a] = s.b
		} else {
			fresh = append(fresh, s.b)
		}
	}
	return at, fresh, err
}

// merge applies B's cells, removed rows and added rows to A.
func (x *threeWay) merge() error {
	dropped := map[int64]bool{} // rows of A
	for i, b := range x.toB {
		a := x.toA[i]
		var err error
		switch {
		case b < 0 && a >= 0:
			dropped[a], err = x.drop(int64(i), a)
		case b >= 0 && a >= 0:
			err = x.cells(int64(i), a, b)
		case b >= 0 && a < 0:
			err = x.gone(int64(i), b)
		case b < 0 && a < 0:
			err = x.repeated(int64(i))
		}
		if err != nil {
			return err
		}
		if i%1024 == 0 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
	}
	come, err := x.come()
	if err != nil {
		return err
	}
	return x.arrange(dropped, come)
}

// row returns the cells of the common columns, as content.
func (x *threeWay) row(r *RowReader, i int64, which int) (Row, [][]byte, error) {
	row, err := r.At(x.ctx, i)
	if err != nil {
		return nil, nil, err
	}
	var out [][]byte
	for _, c := range x.columns {
		var cell []byte
		if c[which] >= 0 {
			cell = x.o.canon(nil, &row[c[which]])
		}
		out = append(out, cell)
	}
	return row, out, nil
}

// unchanged tells whether a row has the cells that it has in the base.
func (x *threeWay) unchanged(base, is [][]byte) bool {
	for k, c := range x.columns {
		if c[0] >= 0 && !slices.Equal(base[k], is[k]) {
			return false
		}
	}
	return true
}

func (x *threeWay) path(i int64) string { return fmt.Sprintf("%s[%d]", x.base.Name, i) }

// cells merges a row that all three have.
func (x *threeWay) cells(i, a, b int64) error {
	was, base, err := x.row(&x.rowsBase, i, 0)
	if err != nil {
		return err
	}
	theirs, of, err := x.row(&x.rowsB, b, 2)
	if err != nil || slices.EqualFunc(base, of, slices.Equal) {
		return err
	}
	mine, is, err := x.row(&x.rowsA, a, 1)
	if err != nil {
		return err
	}
	for k, c := range x.columns {
		if slices.Equal(base[k], of[k]) || slices.Equal(is[k], of[k]) {
			continue
		}
		col, cell := &x.a.Columns[c[1]], &theirs[c[2]]
		elsewhere := col.Fixed == "" && mine[c[1]].Fixed != "" // such as an array, of which only the items can be edited
		if (elsewhere || !slices.Equal(base[k], is[k])) && !x.conflict(Conflict{Table: x.base.Name, Column: col.Name, Row: i, RowA: a, Path: x.path(i) + "/" + col.Name,
			TextBase: textAt(was, c[0]), TextA: mine[c[1]].String(), TextB: cell.String(), needsBoth: elsewhere}) {
			continue
		}
		if col.Fixed == "" { // otherwise it follows from other cells
			x.set(a, c[1], cell)
		}
	}
	return nil
}

// textAt is a cell of a row as text.
func textAt(r Row, column int) string {
	if column < 0 {
		return "missing"
	}
	return r[column].String()
}

// set gives a cell of A the content of one of B.
func (x *threeWay) set(row int64, column int, cell *Cell) {
	t := Typed{Row: row, Column: column}
	t.Text, t.Missing = cell.Typed(&x.a.Columns[column])
	x.out.Cells = append(x.out.Cells, t)
}

// drop tells whether a row that B removed is removed: not if A changed it.
func (x *threeWay) drop(i, a int64) (bool, error) {
	_, base, err := x.row(&x.rowsBase, i, 0)
	if err != nil {
		return false, err
	}
	mine, is, err := x.row(&x.rowsA, a, 1)
	if err != nil {
		return false, err
	}
	text := "changed to " + x.text(mine, 1)
	if x.unchanged(base, is) {
		if same, err := x.samePayload(rowAt{x.merging.base, x.base, i}, rowAt{x.merging.a, x.a, a}); same || err != nil {
			return same, err
		}
		text = "payload changed"
	}
	return x.conflict(Conflict{Table: x.base.Name, Row: i, RowA: a, Path: x.path(i), TextBase: "a row", TextA: text, TextB: "dropped"}), nil
}

// gone handles a row that A removed: a conflict if B changed it.
func (x *threeWay) gone(i, b int64) error {
	_, base, err := x.row(&x.rowsBase, i, 0)
	if err != nil {
		return err
	}
	theirs, of, err := x.row(&x.rowsB, b, 2)
	if err == nil && !x.unchanged(base, of) {
		c := Conflict{Table: x.base.Name, Row: i, RowA: -1, Path: x.path(i), TextBase: "a row", TextA: "dropped", TextB: "changed to " + x.text(theirs, 2)}
		if x.conflict(c) {
			x.newB = append(x.newB, b) // it was added again
		}
	}
	return err
}

func (x *threeWay) text(r Row, which int) string {
	text := ""
	for _, c := range x.columns {
		text += ", " + r[c[which]].String()
	}
	return "(" + text[min(2, len(text)):] + ")"
}

// added are the rows that A added: those of each content, and the row of each key.
type added struct {
	same map[string][]int64
	keys map[string]int64
}

// mine reads the rows that A added.
func (x *threeWay) mine() (added, error) {
	all := added{map[string][]int64{}, map[string]int64{}}
	for _, a := range x.newA {
		_, cells, err := x.row(&x.rowsA, a, 1)
		if err != nil {
			return all, err
		}
		whole := oneText(cells)
		all.same[whole] = append(all.same[whole], a)
		all.keys[x.keyOf(cells)] = a
	}
	return all, nil
}

// oneText is the cells of a row as one text.
func oneText(cells [][]byte) string { return string(bytes.Join(cells, []byte{0})) }

// keyOf is the key cells of a row.
func (x *threeWay) keyOf(cells [][]byte) string {
	var key [][]byte
	for _, k := range x.key {
		key = append(key, cells[k])
	}
	return oneText(key)
}

// come are the rows that B added, without those that A added too.
func (x *threeWay) come() (out []int64, err error) {
	mine, err := x.mine()
	if err != nil {
		return nil, err
	}
	for _, b := range x.newB {
		theirs, cells, err := x.row(&x.rowsB, b, 2)
		if err != nil {
			return nil, err
		}
		if whole := oneText(cells); len(mine.same[whole]) > 0 {
			if err := x.twice(mine.same[whole][0], b, theirs); err != nil {
				return nil, err
			}
			mine.same[whole] = mine.same[whole][1:]
			continue
		}
		a, ok := mine.keys[x.keyOf(cells)]
		if !ok || len(x.key) == 0 {
			out = append(out, b)
			continue
		}
		if err := x.oneKey(a, theirs); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// oneKey handles a row that both added with one key and other cells: a conflict.
func (x *threeWay) oneKey(a int64, theirs Row) error {
	r, _, err := x.row(&x.rowsA, a, 1)
	if err != nil {
		return err
	}
	c := Conflict{Table: x.base.Name, Row: -1, RowA: a, Path: fmt.Sprintf("%s, added by both", x.base.Name), TextBase: "missing", TextA: x.text(r, 1), TextB: x.text(theirs, 2)}
	if x.conflict(c) {
		x.replace(a, theirs)
	}
	return nil
}

// twice handles a row that both added with the same cells: a conflict if its payloads differ.
func (x *threeWay) twice(a, b int64, theirs Row) error {
	same, err := x.samePayload(rowAt{x.merging.a, x.a, a}, rowAt{x.merging.b, x.b, b})
	if err == nil && !same {
		text := x.text(theirs, 2)
		x.conflict(Conflict{Table: x.base.Name, Row: -1, RowA: a, Path: x.base.Name + ", added by both", TextBase: "missing", TextA: text, TextB: text + " with another payload", needsBoth: true})
	}
	return err
}

// replace gives a row of A the cells of a row of B.
func (x *threeWay) replace(a int64, theirs Row) {
	for _, c := range x.columns {
		if x.a.Columns[c[1]].Fixed == "" {
			x.set(a, c[1], &theirs[c[2]])
		}
	}
}

// arrange inserts the new rows after the row that they follow in B, and drops the removed ones.
func (x *threeWay) arrange(dropped map[int64]bool, come []int64) error {
	maps.DeleteFunc(dropped, func(_ int64, goes bool) bool { return !goes })
	x.out.Added, x.out.Dropped = int64(len(come)), int64(len(dropped))
	if x.out.Added+x.out.Dropped == 0 {
		return nil
	}
	x.out.Fills = true
	after := x.places(come)
	first := x.a.Rows
	for a := range dropped {
		first = min(first, a)
	}
	for a := range after {
		first = min(first, a+1)
	}
	x.out.From = first
	if err := x.add(after[first-1]); err != nil {
		return err
	}
	for a := first; a < x.a.Rows; a++ {
		if !dropped[a] {
			x.out.Rows = append(x.out.Rows, MergedRow{A: a})
		}
		if err := x.add(after[a]); err != nil {
			return err
		}
	}
	return nil
}

// places are B's new rows by the row of A that they follow; -1 for the beginning. Rows with a key go to the end.
func (x *threeWay) places(come []int64) map[int64][]int64 {
	if len(x.key) > 0 {
		return map[int64][]int64{x.a.Rows - 1: come}
	}
	ofA := make(map[int64]int64, x.b.Rows) // where the rows of B are in A
	for i, b := range x.toB {
		if b >= 0 && x.toA[i] >= 0 {
			ofA[b] = x.toA[i]
		}
	}
	mine := map[int64]bool{}
	for _, a := range x.newA {
		mine[a] = true
	}
	slices.Sort(come)
	after, at, b := map[int64][]int64{}, int64(-1), int64(0)
	for _, next := range come {
		for ; b < next; b++ {
			if a, ok := ofA[b]; ok {
				at = a
			}
		}
		for mine[at+1] { // rows that A added there come first
			at++
		}
		after[at] = append(after[at], next)
	}
	return after
}

// add appends rows of B.
func (x *threeWay) add(rows []int64) error {
	for _, b := range rows {
		theirs, err := x.rowsB.At(x.ctx, b)
		if err != nil {
			return err
		}
		r := MergedRow{A: -1, Cells: make([]Typed, len(x.a.Columns))}
		for k := range r.Cells {
			r.Cells[k].Missing = true
		}
		for k := range x.a.Columns {
			col := &x.a.Columns[k]
			if j := x.b.Column(col.Name); j >= 0 {
				r.Cells[k].Text, r.Cells[k].Missing = theirs[j].Typed(col)
			}
		}
		x.out.Rows = append(x.out.Rows, r)
	}
	return nil
}
