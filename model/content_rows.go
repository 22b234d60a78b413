package model

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
)

// mostAligned is the number of rows up to which common rows are looked for, and mostEdits how many may be added or removed; beyond these, rows are
// compared by position.
const (
	mostAligned = 4 << 20
	mostEdits   = 1000
)

// rows compares the rows from one on.
func (p *pair) rows(first int64) error {
	if p.x.Rows == first && p.y.Rows == first {
		return nil
	}
	steps, err := p.steps(first, maphash.MakeSeed())
	if err != nil {
		return err
	}
	if steps, err = p.content(first, steps); err != nil {
		return err
	}
	return p.tell(first, steps)
}

// content is the steps without rows that tell how the content is stored.
func (p *pair) content(first int64, steps []step) (out []step, err error) {
	if len(p.x.Made)+len(p.y.Made) == 0 || len(p.keyX) == 0 {
		return steps, nil
	}
	a, b := RowReader{Table: p.x}, RowReader{Table: p.y}
	for _, s := range steps {
		made, t, r, at, key := p.x.Made, p.x, &a, s.a, p.keyX[0]
		if s.a < 0 {
			made, t, r, at, key = p.y.Made, p.y, &b, s.b, p.keyY[0]
		}
		row, err := r.At(p.ctx, first+at)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		if !slices.Contains(made, row[key].Value.Text()) {
			out = append(out, s)
		}
	}
	return out, nil
}

// steps pairs the corresponding rows from one on.
func (p *pair) steps(first int64, seed maphash.Seed) ([]step, error) {
	left, right := p.x.Rows-first, p.y.Rows-first
	if left > mostAligned || right > mostAligned {
		return inPlace(left, right), nil
	}
	x, y := p.inX, p.inY
	if len(p.keyX) > 0 {
		x, y = p.keyX, p.keyY
	}
	a, err := p.sums(p.x, x, first, seed)
	if err != nil {
		return nil, err
	}
	b, err := p.sums(p.y, y, first, seed)
	if err != nil {
		return nil, err
	}
	if len(p.keyX) == 0 {
		return aligned(a, b), nil
	}
	steps, unique := byKey(a, b)
	if !unique {
		p.keyX, p.keyY = nil, nil
		return p.steps(first, seed)
	}
	return steps, nil
}

// step is a pair of corresponding rows; -1 if only one table has it.
type step struct{ a, b int64 }

func inPlace(left, right int64) (out []step) {
	for i := range max(left, right) {
		s := step{i, i}
		if i >= left {
			s.a = -1
		}
		if i >= right {
			s.b = -1
		}
		out = append(out, s)
	}
	return out
}

// sums are hashes of columns of all rows from one on.
func (p *pair) sums(t *Table, columns []int, first int64, seed maphash.Seed) ([]uint64, error) {
	var out []uint64 // a damaged file may say that it has any number of rows
	var buf []byte
	err := t.Each(p.ctx, first, t.Rows, nil, func(_ int64, row Row) error {
		buf = buf[:0]
		for _, k := range columns {
			buf = p.o.canon(buf, &row[k])
		}
		out = append(out, maphash.Bytes(seed, buf))
		return nil
	})
	return out, err
}

// byKey pairs rows by key; unique is false if several rows of a table have the same key.
func byKey(a, b []uint64) (out []step, unique bool) {
	at := make(map[uint64]int64, len(b))
	for j, k := range b {
		at[k] = int64(j)
	}
	known := make(map[uint64]bool, len(a))
	for i, k := range a {
		j, ok := at[k]
		if !ok {
			j = -1
		}
		known[k] = true
		out = append(out, step{int64(i), j})
	}
	for j, k := range b {
		if !known[k] {
			out = append(out, step{-1, int64(j)})
		}
	}
	return out, len(at) == len(b) && len(known) == len(a)
}

// aligned pairs the rows of two tables with the fewest insertions and deletions (Myers); a row inserted where one is deleted is that row, changed.
func aligned(a, b []uint64) []step {
	steps, ok := shortest(a, b)
	if !ok {
		return inPlace(int64(len(a)), int64(len(b)))
	}
	var out []step
	gone, come := 0, 0 // positions in out of the next step that still lacks a removed row, or an added one
	for _, s := range steps {
		switch {
		case s.a >= 0 && s.b >= 0:
			out = append(out, s)
			gone, come = len(out), len(out)
			continue
		case s.b < 0 && gone < len(out):
			out[gone].a = s.a
		case s.a < 0 && come < len(out):
			out[come].b = s.b
		default:
			out = append(out, s)
		}
		if s.b < 0 {
			gone++
		} else {
			come++
		}
	}
	return out
}

// shortest is the shortest edit script; ok is false if it has more than mostEdits insertions and deletions.
func shortest(a, b []uint64) (out []step, ok bool) {
	n, m := len(a), len(b)
	v, trace := map[int]int{1: 0}, []map[int]int(nil)
	for d := 0; d <= min(n+m, mostEdits); d++ {
		next := make(map[int]int, 2*d+1)
		for k := -d; k <= d; k += 2 {
			from := reachedFrom(v, d, k)
			x := v[from] + max(0, k-from)
			y := x - k
			for x < n && y >= 0 && y < m && a[x] == b[y] {
				x, y = x+1, y+1
			}
			if next[k] = x; x >= n && y >= m {
				return walkedBack(append(trace, v), n, m), true
			}
		}
		trace, v = append(trace, v), next
	}
	return nil, false
}

// reachedFrom is the diagonal from which a path of d edits gets furthest on diagonal k: by an insertion from the one above, or a deletion.
func reachedFrom(v map[int]int, d, k int) int {
	if k == -d || k != d && v[k-1] < v[k+1] {
		return k + 1
	}
	return k - 1
}

// walkedBack follows a path of Myers from its end to its start.
func walkedBack(trace []map[int]int, x, y int) (out []step) {
	for d := len(trace) - 1; d >= 0; d-- {
		from := reachedFrom(trace[d], d, x-y)
		px := trace[d][from]
		py := px - from
		for x > px && y > py {
			x, y = x-1, y-1
			out = append(out, step{int64(x), int64(y)})
		}
		switch {
		case d == 0:
		case x > px:
			x--
			out = append(out, step{int64(x), -1})
		case y > py:
			y--
			out = append(out, step{-1, int64(y)})
		}
	}
	slices.Reverse(out)
	return out
}

// tell compares corresponding rows, and reports the others.
func (p *pair) tell(first int64, steps []step) error {
	x, y := RowReader{Table: p.x}, RowReader{Table: p.y}
	row := func(of *RowReader, i int64) (Row, error) {
		if i < 0 {
			return nil, nil
		}
		return of.At(p.ctx, first+i)
	}
	next := step{first, first} // what follows the rows that were compared
	for _, s := range steps {
		a, err := row(&x, s.a)
		if err != nil {
			return err
		}
		b, err := row(&y, s.b)
		if err != nil {
			return err
		}
		if a == nil || b == nil {
			err = p.alone(first, s, next, a, b)
		} else {
			err = p.cells(first+s.a, first+s.b, a, b)
		}
		next = step{max(next.a, first+s.a+1), max(next.b, first+s.b+1)}
		if err != nil {
			return err
		}
	}
	return p.ctx.Err()
}

// name is the name of a row: its key, if it has one.
func (p *pair) name(row int64, key []int, r Row) string {
	at := strconv.FormatInt(row, 10)
	for k, i := range key {
		text := r[i].Value.Text()
		if r[i].Value.Kind == Text {
			text = strconv.Quote(text)
		}
		if at += "," + text; k == 0 {
			at = text
		}
	}
	return p.x.Name + "[" + at + "]"
}

// alone reports a row that only one of the tables has; in the other it belongs before the next one.
func (p *pair) alone(first int64, s, next step, a, b Row) error {
	d := Difference{Kind: "row", Table: p.x.Name, Row: -1, RowB: -1, TextA: "missing", TextB: "missing", pair: p}
	said := func(r Row, columns []int, names []Column) (map[string]any, string) {
		values, text := map[string]any{}, ""
		for _, i := range columns {
			values[names[i].Name] = r[i].JSON()
			text += ", " + r[i].String()
		}
		return values, "(" + text[min(2, len(text)):] + ")"
	}
	if a != nil {
		d.Row = first + s.a
		d.Path = p.name(d.Row, p.keyX, a)
		d.A, d.TextA = said(a, p.inX, p.x.Columns)
		d.At, d.only = next.b, a
	} else {
		d.RowB = first + s.b
		d.Path = p.name(d.RowB, p.keyY, b)
		d.B, d.TextB = said(b, p.inY, p.y.Columns)
		d.At, d.only = next.a, b
	}
	return p.differ(d)
}

// cells compares two rows.
func (p *pair) cells(i, j int64, a, b Row) error {
	for k, at := range p.inX {
		v, w := &a[at], &b[p.inY[k]]
		if p.o.same(v, w) {
			continue
		}
		col := &p.x.Columns[at]
		d := Difference{Kind: "cell", Table: p.x.Name, Column: col.Name, Row: i, RowB: j, Path: p.name(i, p.keyX, a) + "/" + col.Name, A: v.JSON(), B: w.JSON()}
		d.TextA, d.TextB = differingTexts(v, w, col.Type)
		d.Typed, d.Back = typedAs(w, col, i, at), typedAs(v, &p.y.Columns[p.inY[k]], j, p.inY[k])
		if err := p.differ(d); err != nil {
			return err
		}
	}
	same, err := p.payloads(i, j, 1)
	if err != nil || same {
		return err
	}
	r, _ := p.x.Payload(p.ctx, i)
	q, _ := p.y.Payload(p.ctx, j)
	return p.differ(Difference{Kind: "payload", Table: p.x.Name, Row: i, RowB: j, Path: p.name(i, p.keyX, a) + "/payload", A: r.Len, B: q.Len,
		TextA: Count(r.Len, "bytes"), TextB: Count(q.Len, "bytes") + ", which are different rows"})
}

// typedAs is what to type into a cell of a column to get the value of another cell; nil if that cannot be read.
func typedAs(c *Cell, col *Column, row int64, column int) *Typed {
	if c.Trouble != "" {
		return nil
	}
	t := Typed{Row: row, Column: column}
	t.Text, t.Missing = c.Typed(col)
	return &t
}

// differingTexts are the texts of two different cells of a type: for long vectors with a common beginning, the first item that differs.
func differingTexts(a, b *Cell, typ string) (string, string) {
	x, y := a.Named(typ, nil), b.Named(typ, nil)
	if x == y { // in different types
		x, y = a.String(), b.String()
	}
	for i := 0; x == y && i < min(len(a.Items), len(b.Items)); i++ {
		if v, w := a.Items[i].In(typ), b.Items[i].In(typ); v != w {
			return fmt.Sprintf("item %d: %s", i, v), fmt.Sprintf("item %d: %s", i, w)
		}
	}
	return x, y
}
