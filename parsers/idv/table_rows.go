package idv

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// tables offers the rows of every stream of a document, and the vocabularies of a model archive.
func tables(ctx context.Context, t *model.Tree) []model.Table {
	st := stateOf(t)
	for _, s := range st.boxed {
		t.Open(ctx, s)
	}
	var out []model.Table
	for _, s := range st.all() {
		tab := s.table(ctx, t)
		if len(tab.Columns) == 0 {
			tab.Rows = 0 // only the number of a damaged header, without data
		}
		if len(tab.Columns) > 0 || len(s.cols) > 0 {
			out = append(out, tab)
		}
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, v := range st.vocabularies {
		out = append(out, v.tables(t)...)
	}
	return out
}

// table is the rows of a stream, with a column for each readable one.
func (s *stream) table(ctx context.Context, t *model.Tree) model.Table {
	tab := model.Table{Name: "rows", Title: "Rows", Rows: max(0, s.rows), Doc: "the values of all columns that can be read"}
	if s.label != "" {
		tab.Name, tab.Title = s.label, "Rows of "+s.label
	}
	left := s.in(ctx, t).left()
	var cols, lost []*column
	if left == nil || !left.instead {
		cols = tabled(ctx, t, s, &tab)
	}
	if left != nil {
		lost = left.tabled(s, &tab)
	}
	cache := &indexes{at: map[[2]int64]*cached{}}
	for j, c := range cols {
		tab.Columns[j].Batch = func(ctx context.Context, first, n int64) (model.Batch, error) {
			return batchOf(cells{s.in(ctx, t), cache}, c, first, n)
		}
	}
	tab.Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
		if first < 0 || first >= tab.Rows {
			return nil, nil
		}
		rows := blankRows(max(0, min(n, tab.Rows-first)), len(tab.Columns))
		err := cells{s.in(ctx, t), cache}.fill(cols, first, rows, 0)
		if err == nil && left != nil {
			err = cells{left.of.in(ctx, t), cache}.fill(lost, first, rows, len(cols))
		}
		return rows, err
	}
	tab.Set = func(ctx context.Context, typed []model.Typed) ([]model.Edit, error) {
		return s.in(ctx, t).setCells(&tab, cols, typed, nil)
	}
	tab.Put = func(ctx context.Context, typed []model.Typed, runs []model.Run) ([]model.Edit, error) {
		return s.in(ctx, t).setCells(&tab, cols, typed, runs)
	}
	tab.Fill = func(ctx context.Context, rows model.GivenRows) ([]model.Edit, error) {
		return fillRows(s.in(ctx, t), cols, rows)
	}
	return tab
}

// tabled gives a table a column for each readable one, with a unique name, and returns these.
func tabled(ctx context.Context, t *model.Tree, s *stream, tab *model.Table) (cols []*column) {
	names := map[string]int{} // name to the number of columns with it
	for _, c := range (lostColumns{s.in(ctx, t)}).named() {
		if !c.readable() {
			continue
		}
		name := c.name.s
		for names[name] > 0 {
			names[c.name.s]++
			name = fmt.Sprintf("%s #%d", c.name.s, names[c.name.s])
		}
		names[name] = 1
		cols = append(cols, c)
		col := columnOfTable(s.in(ctx, t), c)
		col.Name = name
		tab.Columns = append(tab.Columns, col)
	}
	return cols
}

// tabled gives the table of a stream a column for each lost one with known content, and returns these.
func (r *remains) tabled(s *stream, tab *model.Table) []*column {
	if !slices.ContainsFunc(r.of.cols, (*column).readable) {
		return nil
	}
	for _, c := range r.of.cols {
		typ, kind, doc := "utf8", model.Text, "its blocks are not where the directory says; they were found nearby"
		if c.readable() {
			typ, kind = c.codec.Column()
		}
		if c.guessed {
			doc = "its name and type are lost; the type is guessed from its values"
		}
		if c.guessed && !c.readable() {
			doc = "its name and type are lost, and its values have no known form"
		}
		tab.Columns = append(tab.Columns, model.Column{Name: c.name.s, Type: typ, Kind: kind, Doc: doc, Guessed: c.guessed,
			Fixed: "The column directory is lost: save the intact data first."})
	}
	if len(s.cols) == 0 || r.instead {
		tab.Rows = r.of.rows
	}
	return r.of.cols
}

// blankRows are n rows without values.
func blankRows(n int64, columns int) []model.Row {
	rows := make([]model.Row, n)
	for i := range rows {
		rows[i] = make(model.Row, columns)
	}
	return rows
}

// columnOfTable is the table's description of a column, without its name.
func columnOfTable(s contents, c *column) model.Column {
	in := func(ctx context.Context) contents { return s.stream.in(ctx, s.t) }
	typ, kind := c.codec.Column()
	out := model.Column{Doc: c.codec.String(), Type: typ, Kind: kind, Fixed: s.stream.fixed(c), Clock: clockOf(c.codec),
		Slots: func() []string { return s.slots(c) },
		About: func(ctx context.Context) []string { return aboutColumn(in(ctx), c) }}
	if c.codec.Kind == block.Vector {
		out.Len = max(0, c.codec.Size)
	}
	if c.codec.Kind == block.Key && c.codec.Count <= maxTyped {
		out.Names, out.NamesFrom = func(ctx context.Context) []string { return keyNames(in(ctx), c) }, 1
	}
	return out
}

// cells are read from the blocks decoded last, or from others.
type cells struct {
	contents
	cache *indexes
}

// fill fills columns of rows, which start at row first; the columns begin at index at.
func (s cells) fill(cols []*column, first int64, rows []model.Row, at int) error {
	for j, c := range cols {
		if err := s.fillColumn(c, first, rows, at+j); err != nil {
			return err
		}
	}
	return nil
}

// fillColumn fills column j of rows, which start at row first.
func (s cells) fillColumn(c *column, first int64, rows []model.Row, j int) error {
	for i := 0; i < len(rows); {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		row := first + int64(i)
		k := int64(0)
		if c.rpb > 0 {
			k = row / c.rpb
		}
		to := min(len(rows), i+int(max(1, (k+1)*c.rpb-row)))
		ix, err := s.index(c, k)
		if err != nil && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		for ; i < to; i++ {
			if err != nil {
				rows[i][j] = model.Cell{Trouble: err.Error()}
				continue
			}
			rows[i][j] = s.cell(c, ix, first+int64(i)-k*c.rpb)
		}
	}
	return nil
}

// cell is a value of a block; a key with its name.
func (s cells) cell(c *column, ix *cached, i int64) model.Cell {
	cell := ix.ix.Cell(i)
	if cell.Range.Space = ix.space; c.listed != nil {
		cell.Range = model.Range{}
	}
	if c.codec.Kind == block.Key && !cell.Vector && cell.Trouble == "" {
		cell.Label = s.keyLabel(c, cell.Value.Uint())
	}
	return cell
}

// index returns the index of block k of a column, from the cache or by decoding the block.
func (s cells) index(c *column, k int64) (*cached, error) {
	key := [2]int64{int64(c.index), k}
	if ix := s.cache.get(key); ix != nil {
		return ix, nil
	}
	if c.listed == nil && (k >= c.blocks || c.rpb <= 0) {
		return nil, fmt.Errorf("the lookup table has no block %d", k)
	}
	b, err := s.entry(c, k)
	if err != nil {
		return nil, err
	}
	if c.listed != nil {
		return s.indexListed(key, c, b)
	}
	span := s.find(b)
	if span == nil {
		return nil, fmt.Errorf("block %d is outside the stream or overlaps another structure", k)
	}
	sp := span.Range.Space
	size, err := s.t.Size(s.ctx, sp)
	if err != nil {
		return nil, err
	}
	ix := &cached{space: sp, size: size}
	rows := s.stream.rowsOf(c, k)
	if size == 0 {
		ix.ix = block.Read(c.codec, nil, rows)
	} else if err := s.t.Stream(s.ctx, model.Range{Space: sp, Off: 0, Len: size}, size, func(_ int64, b []byte) error {
		ix.ix = block.Read(c.codec, b, rows) // the bytes of derived spaces are in memory: they stay when the cache drops them
		return nil
	}); err != nil {
		return nil, err
	}
	s.cache.put(key, ix)
	return ix, nil
}

// indexListed is index for a block that is not in the tree.
func (s cells) indexListed(key [2]int64, c *column, e extent) (*cached, error) {
	if !c.readable() {
		return nil, fmt.Errorf("the type of the column is no longer known")
	}
	b, err := lostColumns{s.contents}.held(c, e)
	if err != nil && len(b) == 0 {
		return nil, err
	}
	ix := &cached{ix: block.Read(c.codec, b, s.stream.rowsOf(c, key[1])), size: int64(len(b))}
	s.cache.put(key, ix)
	return ix, nil
}

// cached is the index of a decoded block.
type cached struct {
	ix    *block.Block
	space model.SpaceID
	size  int64
}

// indexBudget is how many decoded bytes the indexes of a table may hold.
const indexBudget = 128 << 20

// indexes caches the indexes of the most recent blocks.
type indexes struct {
	mu   sync.Mutex
	at   map[[2]int64]*cached
	used int64
}

func (x *indexes) get(key [2]int64) *cached {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.at[key]
}

// put caches an index. If all together are too large the others are dropped: those of rows read next to each other are needed again.
func (x *indexes) put(key [2]int64, c *cached) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.used += c.size; x.used > indexBudget {
		clear(x.at)
		x.used = c.size
	}
	x.at[key] = c
}
