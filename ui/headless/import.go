package headless

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"spandrel/model"
)

// load is a table that takes rows of a file: they replace rows at the same positions, or with the same keys, or are appended to
// the existing rows.
type load struct {
	*call
	d          *model.Document
	table      *model.Table
	from, kind string // the file, and what it is
	spool      string // what is read instead of from, if that is a stream
	key        int    // the column that tells which row is which; -1: the place does
	add        bool   // append rows; with a key, only those with a new key
	labels     bool   // numbers in a text are names, too

	columns []int // table row of each source row
	source  *source
	other   *model.Document // that the rows are read from, if it is one
	changed []model.Typed
	runs    []model.Run // that change, too
	cells   int64       // how many cells change
	touched int64       // in how many rows
	held    int64       // bytes of the runs, or of the batches of new rows
	was     []was
	added   newRows
	rows    int64 // of the source
	cut     int64 // rows of the table that go; from that many on
}

// was is the old content of a changed cell, for a preview.
type was struct {
	row     int64
	column  int
	old, is model.Cell
}

// maxLoaded is how many changed or new cells are kept: each takes some 100 bytes.
const maxLoaded = 1 << 24

// maxHeld is how many bytes of new values are kept.
const maxHeld = 2 << 30

// refused is why a row of a file is rejected.
func (l *load) refused(row int64, column int, err error) error {
	where := fmt.Sprintf("%s, row %d", l.from, row)
	if column >= 0 {
		where += fmt.Sprintf(", column %q", l.table.Columns[column].Name)
	}
	return fmt.Errorf("%s: %w", where, err)
}

// match opens the file, and matches its columns with those of the table by name.
func (l *load) match() (err error) {
	if l.source, err = openSource(l.from, cmp.Or(l.spool, l.from), l.kind); errors.Is(err, errNoKind) {
		rows, other := l.documentSource()
		if !errors.Is(other, model.ErrNoFormat) {
			l.source, err = rows, other
		}
	}
	if err != nil {
		return err
	}
	l.columns = nil
	for k, name := range l.source.names {
		at := l.table.Column(name)
		if at < 0 {
			return fmt.Errorf("%s: table %s has no column %q; available: %s", l.from, l.table.Name, name, columnNames(*l.table))
		}
		if slices.Contains(l.columns, at) {
			return fmt.Errorf("%s: column %q occurs twice", l.from, l.source.names[k])
		}
		l.columns = append(l.columns, at)
	}
	if l.key >= 0 && !slices.Contains(l.columns, l.key) {
		return fmt.Errorf("%s has no column %q, which is given with --key", l.from, l.table.Columns[l.key].Name)
	}
	return nil
}

// pages passes on the rows of the file, as columns.
func (l *load) pages(f func(first int64, p *someRows) error) error {
	if err := l.match(); err != nil {
		return err
	}
	defer l.source.shut()
	for row := int64(0); ; {
		if l.ctx.Err() != nil {
			return l.ctx.Err()
		}
		p, err := l.source.next()
		if errors.Is(err, io.EOF) {
			l.rows = row
			return nil
		}
		if err != nil {
			return l.refused(row, -1, err)
		}
		if err := f(row, p); err != nil {
			return err
		}
		row += int64(p.rows)
	}
}

// each passes on the rows of the file, as cells of the table's columns.
func (l *load) each(f func(row int64, cells []model.Cell) error) error {
	return l.pages(func(first int64, p *someRows) error {
		for i := range p.rows {
			cells := make([]model.Cell, len(p.columns))
			for k := range cells {
				var err error
				if cells[k], err = l.cell(first, p, k, i); err != nil {
					return err
				}
			}
			if err := f(first+int64(i), cells); err != nil {
				return err
			}
		}
		return nil
	})
}

// cell is a cell of a page that starts at a row of the file, in the type of the table's column.
func (l *load) cell(first int64, p *someRows, k, i int) (model.Cell, error) {
	c, err := l.incoming(&l.table.Columns[l.columns[k]], l.source.units[k], p.columns[k].cell(i))
	if err != nil {
		err = l.refused(first+int64(i), l.columns[k], err)
	}
	return c, err
}

// incoming is a cell of the file in the type of a column; names become the numbers that they stand for.
func (l *load) incoming(col *model.Column, unit *model.Clock, c model.Cell) (model.Cell, error) {
	if l.source.plain && c.Value.Kind == model.Text && c.Value.Text() == "" && (col.Kind != model.Text || col.IsVector()) {
		c = model.Cell{}
	}
	if col.Names != nil && col.Kind != model.Text && c.Value.Kind == model.Text && !c.Vector && (l.labels || !l.source.text || !model.IsInt(c.Value.Text())) {
		if i := slices.Index(col.Names(l.ctx), c.Value.Text()); i >= 0 {
			c.Value = model.I(int64(i) + col.NamesFrom)
		} else if col.NamesFrom == 1 && c.Value.Text() == "missing" {
			c = model.Cell{}
		}
	}
	if col.Names != nil && col.NamesFrom == 1 && c.Value.Kind == model.None && !c.Vector {
		c.Value = model.U(0) // the key of a missing value
	}
	out, err := incoming(col, unit, l.source.plain, c)
	if err != nil && l.labels && col.Names == nil {
		err = fmt.Errorf("%w; if it is a label, export the column without --labels: its labels cannot be imported", err)
	}
	return out, err
}

// read finds what changes and what is added.
func (l *load) read() (err error) {
	switch {
	case l.key >= 0:
		err = l.byKey()
	case l.add:
		l.cut = l.table.Rows
		err = l.pages(func(first int64, p *someRows) error { return l.added.page(l, first, p, 0) })
	default:
		err = l.byPlace()
	}
	return cmp.Or(err, l.complete())
}

var errTooLoaded = fmt.Errorf("more than %s cells or %s bytes would change or be added: import the file in parts", model.Thousands(maxLoaded), model.Thousands(maxHeld))

// compare compares a cell of the table with its new content.
func (l *load) compare(from, row int64, i int, old, c *model.Cell) error {
	col := &l.table.Columns[i]
	if sameCell(old, c) || !old.Vector && !c.Vector && old.Trouble == "" && l.same(col, old.Value, c.Value) {
		return nil
	}
	why := cmp.Or(col.Fixed, old.Fixed)
	if why == "" && l.table.Set == nil && old.Range.Len == 0 {
		why = "it is computed from other values and is not stored in the file"
	}
	if why != "" {
		return l.fixed(from, i, old, c, why)
	}
	held := 0
	if l.table.Put != nil && col.Batch != nil && col.Names == nil && !col.IsVector() {
		held = l.put(row, i, c.Value)
	} else {
		l.changed = append(l.changed, typedCell(col, row, i, *c))
	}
	if len(l.was) < maxTold {
		l.was = append(l.was, was{row, i, *old, *c})
	}
	return l.count(1, held)
}

// put notes a changed value of a column that takes runs, and returns how many bytes it has.
func (l *load) put(row int64, column int, v model.Value) int {
	if n := len(l.runs); n == 0 || l.runs[n-1].Column != column || l.runs[n-1].First+l.runs[n-1].Rows != row {
		l.runs = append(l.runs, model.Run{Column: column, First: row})
	}
	last := &l.runs[len(l.runs)-1]
	held := len(last.Data)
	last.Append(l.table.Columns[column].Item(), v)
	return len(last.Data) - held
}

// fixed is an error for a cell that would change, but cannot.
func (l *load) fixed(from int64, column int, old, is *model.Cell, why string) error {
	return l.refused(from, column, fmt.Errorf("it is %.80s, not %.80s, and %w: %s", *old, *is, errFixed, why))
}

// count counts changed cells, and the bytes of their new values that are kept.
func (l *load) count(n int64, held int) error {
	if l.cells, l.held = l.cells+n, l.held+int64(held); l.cells > maxLoaded || l.held > maxHeld {
		return errTooLoaded
	}
	return nil
}

// same tells whether two single values of a column are the same as far as the file tells.
func (l *load) same(col *model.Column, old, is model.Value) bool {
	return sameValue(old, is) || l.source.plain && blank(old) && blank(is) || noTime(col, old, is)
}

var errFixed = errors.New("cannot be changed")

// noTime tells whether a value is missing in the file and the number for no time in the table: exports turn one into the other.
func noTime(col *model.Column, old, is model.Value) bool {
	return col.Clock != nil && is.Kind == model.None && old.Kind == model.Int && old.Int() == math.MinInt64
}

// blank tells whether a value is an empty text or missing: a plain-text file does not distinguish them.
func blank(v model.Value) bool { return !v.IsNumber() && v.Text() == "" }

// sameCell tells whether two cells have the same content, whichever items of a vector are stored.
func sameCell(a, b *model.Cell) bool {
	if a.Trouble != "" || a.Vector != b.Vector {
		return false
	}
	if !a.Vector {
		return sameValue(a.Value, b.Value)
	}
	x, ok := a.Dense()
	y, fine := b.Dense()
	return ok && fine && slices.EqualFunc(x, y, sameValue)
}

// sameValue treats all NaN as equal, and distinguishes -0 from 0.
func sameValue(a, b model.Value) bool {
	if (a.Kind == model.None) != (b.Kind == model.None) {
		return false
	}
	if a.Kind == model.Float && b.Kind == model.Float {
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float()) || math.IsNaN(a.Float()) && math.IsNaN(b.Float())
	}
	if a.Kind == model.Text && b.Kind == model.Text && strings.ToValidUTF8(a.Text(), "\uFFFD") == b.Text() { // as exports write it
		return true
	}
	if a.IsNumber() != b.IsNumber() { // a number in a column of texts, as fill values of any type are
		return a.Text() == b.Text()
	}
	return a.Equal(b)
}

// typedCell is a cell as someone would type it.
func typedCell(col *model.Column, row int64, column int, c model.Cell) model.Typed {
	t := model.Typed{Row: row, Column: column}
	t.Text, t.Missing = c.Typed(col)
	return t
}

// byPlace compares rows by position. If the file has more or fewer rows than the table, all rows from the first difference on are written.
func (l *load) byPlace() error {
	x := &comparison{l: l, old: model.RowReader{Table: l.table}}
	l.cut = l.table.Rows // the first row that differs
	if err := l.pages(x.page); err != nil || l.rows == l.table.Rows {
		return cmp.Or(err, x.refusal)
	}
	l.cut, l.changed, l.runs, l.cells, l.touched, l.held = min(l.cut, l.rows), nil, nil, 0, 0, 0
	return l.pages(func(first int64, p *someRows) error { return l.added.page(l, first, p, max(0, l.cut-first)) })
}

// update is a row of the file, and the row of the table that it is for.
type update struct {
	from, row int64
	cells     []model.Cell
}

// byKey finds the rows with the keys of the file.
func (l *load) byKey() error {
	rows, err := l.keys()
	if err != nil {
		return err
	}
	var list []update
	seen := map[string]bool{}
	err = l.each(func(from int64, cells []model.Cell) error {
		key := ""
		if k := slices.Index(l.columns, l.key); k >= 0 {
			key = cells[k].String()
		}
		row, ok := rows[key]
		switch {
		case seen[key]:
			return l.refused(from, l.key, fmt.Errorf("%.80s occurs twice in the file", key))
		case !ok && !l.add:
			return l.refused(from, l.key, fmt.Errorf("the table has no row with %.80s: --append adds such rows", key))
		case row < 0:
			return l.refused(from, l.key, fmt.Errorf("the table has several rows with %.80s", key))
		case !ok:
			return l.added.row(l, cells)
		}
		seen[key] = true
		if list = append(list, update{from, row, cells}); len(list)*len(cells) > maxLoaded {
			return errTooLoaded
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b update) int { return cmp.Compare(a.row, b.row) })
	return l.updated(list)
}

// updated compares rows of the table with those of the file.
func (l *load) updated(list []update) error {
	l.cut = l.table.Rows
	old := model.RowReader{Table: l.table}
	for _, u := range list {
		was, err := old.At(l.ctx, u.row)
		if err != nil {
			return err
		}
		n := l.cells
		for k := range u.cells {
			if err := l.compare(u.from, u.row, l.columns[k], &was[l.columns[k]], &u.cells[k]); err != nil {
				return err
			}
		}
		if l.cells > n {
			l.touched++
		}
	}
	return nil
}

// keys maps keys to rows; -1: several rows have the key.
func (l *load) keys() (map[string]int64, error) {
	if l.table.Columns[l.key].IsVector() {
		return nil, fmt.Errorf("--key %s: a vector cannot be a key", l.table.Columns[l.key].Name)
	}
	out, col := map[string]int64{}, &l.table.Columns[l.key]
	add := func(at int64, c model.Cell) {
		c.Label = ""
		key := c.String()
		if _, ok := out[key]; ok {
			at = -1
		}
		out[key] = at
	}
	for first := int64(0); first < l.table.Rows; first += cellRows {
		n := min(cellRows, l.table.Rows-first)
		if b, ok := col.Stored(l.ctx, first, n); ok && col.Names == nil {
			for i := range n {
				add(first+i, model.Cell{Value: b.Value(col.Item(), i)})
			}
			continue
		}
		if err := l.table.Each(l.ctx, first, first+n, nil, func(at int64, r model.Row) error { add(at, r[l.key]); return nil }); err != nil {
			return nil, err
		}
	}
	return out, l.ctx.Err()
}
