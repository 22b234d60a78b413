package idv

import (
	"container/list"
	"context"
	"fmt"
	"sync"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// tables offers the rows of every stream of a document.
func tables(ctx context.Context, t *model.Tree) []model.Table {
	st := stateOf(t)
	for _, s := range st.boxed {
		t.Open(ctx, s)
	}
	var out []model.Table
	for _, s := range st.all() {
		if len(s.cols) > 0 {
			out = append(out, s.table(ctx, t))
		}
	}
	return out
}

// table is the rows of a stream, a column for each that can be read.
func (s *stream) table(ctx context.Context, t *model.Tree) model.Table {
	tab := model.Table{Name: "rows", Title: "Rows", Rows: max(0, s.rows), Doc: "the values of all columns that can be read"}
	if s.label != "" {
		tab.Name, tab.Title = s.label, "Rows of "+s.label
	}
	var cols []*column
	names := map[string]bool{}
	for _, c := range s.cols {
		if !c.readable() {
			continue
		}
		name := c.name.s
		for i := 2; names[name]; i++ {
			name = fmt.Sprintf("%s #%d", c.name.s, i)
		}
		names[name] = true
		cols = append(cols, c)
		typ, kind := c.codec.Column()
		tab.Columns = append(tab.Columns, model.Column{Name: name, Doc: c.codec.String(), Type: typ, Kind: kind, Slots: func() []string { return s.slots(ctx, t, c) }, Fixed: s.fixed(c)})
	}
	cache := &indexes{at: map[[2]int64]*list.Element{}, order: list.New()}
	tab.Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
		if first < 0 || first >= tab.Rows {
			return nil, nil
		}
		rows := make([]model.Row, max(0, min(n, tab.Rows-first)))
		for i := range rows {
			rows[i] = make(model.Row, len(cols))
		}
		for j, c := range cols {
			if err := s.readColumn(ctx, t, c, cache, first, rows, j); err != nil {
				return nil, err
			}
		}
		return rows, nil
	}
	tab.Set = func(ctx context.Context, typed []model.Typed) ([]model.Edit, error) {
		return s.setCells(ctx, t, cols, typed)
	}
	return tab
}

// readColumn fills column j of rows that start at first.
func (s *stream) readColumn(ctx context.Context, t *model.Tree, c *column, cache *indexes, first int64, rows []model.Row, j int) error {
	for i := 0; i < len(rows); {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := first + int64(i)
		k := int64(0)
		if c.rpb > 0 {
			k = row / c.rpb
		}
		to := min(len(rows), i+int(max(1, (k+1)*c.rpb-row)))
		ix, err := s.index(ctx, t, c, k, cache)
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		for ; i < to; i++ {
			if err != nil {
				rows[i][j] = model.Cell{Trouble: err.Error()}
				continue
			}
			cell := ix.ix.Cell(first + int64(i) - k*c.rpb)
			cell.Range.Space = ix.space
			if c.codec.Kind == block.Key && !cell.Vector && cell.Trouble == "" {
				cell.Label = s.keyLabel(ctx, t, c, cell.Value.Uint())
			}
			rows[i][j] = cell
		}
	}
	return nil
}

// index returns the index of block k of a column, from the cache or by decoding the block.
func (s *stream) index(ctx context.Context, t *model.Tree, c *column, k int64, cache *indexes) (*cached, error) {
	key := [2]int64{int64(c.index), k}
	if ix := cache.get(key); ix != nil {
		return ix, nil
	}
	if k >= c.blocks || c.rpb <= 0 {
		return nil, fmt.Errorf("the lookup table has no block %d", k)
	}
	e, err := t.Bytes(ctx, model.Range{Space: s.space, Off: s.base + c.lookup + 16*k, Len: 16})
	if err != nil {
		return nil, err
	}
	b := decodeEntry(e, c.index, k)
	span := s.find(ctx, t, b)
	if span == nil {
		return nil, fmt.Errorf("block %d is outside the stream or overlaps another structure", k)
	}
	sp := span.Range.Space
	size, err := t.Size(ctx, sp)
	if err != nil {
		return nil, err
	}
	ix := &cached{space: sp, size: size}
	rows := s.rowsOf(c, k)
	if size == 0 {
		ix.ix = block.Read(c.codec, nil, rows)
	} else if err := t.Stream(ctx, model.Range{Space: sp, Off: 0, Len: size}, size, func(_ int64, b []byte) error {
		ix.ix = block.Read(c.codec, b, rows) // the bytes of derived spaces are in memory: they stay when the cache drops them
		return nil
	}); err != nil {
		return nil, err
	}
	cache.put(key, ix)
	return ix, nil
}

// cached is the index of a decoded block.
type cached struct {
	ix    *block.Block
	space model.SpaceID
	size  int64
	key   [2]int64
}

// indexBudget is how many decoded bytes the indexes of a table may hold.
const indexBudget = 128 << 20

// indexes keeps the indexes of the blocks that were read last.
type indexes struct {
	mu    sync.Mutex
	at    map[[2]int64]*list.Element
	order *list.List
	used  int64
}

func (x *indexes) get(key [2]int64) *cached {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.at[key]
	if e == nil {
		return nil
	}
	x.order.MoveToFront(e)
	return e.Value.(*cached)
}

func (x *indexes) put(key [2]int64, c *cached) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.at[key] != nil {
		return
	}
	c.key = key
	x.at[key] = x.order.PushFront(c)
	for x.used += c.size; x.used > indexBudget && x.order.Len() > 1; {
		old := x.order.Remove(x.order.Back()).(*cached)
		delete(x.at, old.key)
		x.used -= old.size
	}
}

// maxTyped is how many names of keys or slots are handled at once.
const maxTyped = 1 << 20

// maxNames is how many stored bytes of key values or slot names are read.
const maxNames = 64 << 20

// metaCell decodes the value of a metadata kind of a column.
func (s *stream) metaCell(ctx context.Context, t *model.Tree, c *column, kind string) (model.Cell, bool) {
	for _, m := range c.entries {
		if m.kind.s != kind || !m.readable() || m.n <= 0 || m.n > maxNames {
			continue
		}
		sh := s.metaShape(c, m)
		in, err := t.Bytes(ctx, sh.at)
		if err != nil {
			continue
		}
		b, _ := sh.decode(in, nil)
		cell := block.Read(m.codec, b, 1).Cell(0)
		return cell, cell.Trouble == ""
	}
	return model.Cell{}, false
}

// names spreads a vector of names over its positions.
func namesOf(cell model.Cell) []string {
	if !cell.Vector || cell.Len > maxTyped {
		return nil
	}
	out := make([]string, cell.Len)
	for i, v := range cell.Items {
		j := int64(i)
		if cell.Index != nil {
			j = cell.Index[i]
		}
		if j >= 0 && j < cell.Len {
			out[j] = v.String()
		}
	}
	return out
}

// load reads the names that belong to a column once.
func (s *stream) load(ctx context.Context, t *model.Tree, c *column) {
	c.once.Do(func() {
		if cell, ok := s.metaCell(ctx, t, c, "KeyValues"); ok {
			c.labels = namesOf(cell)
		}
		if cell, ok := s.metaCell(ctx, t, c, "SlotNames"); ok {
			c.slotsN = namesOf(cell)
		}
	})
}

// slots returns the names of a vector column's positions.
func (s *stream) slots(ctx context.Context, t *model.Tree, c *column) []string {
	s.load(ctx, t, c)
	return c.slotsN
}

// keyLabel returns what a raw key stands for.
func (s *stream) keyLabel(ctx context.Context, t *model.Tree, c *column, v uint64) string {
	if v == 0 {
		return "missing"
	}
	s.load(ctx, t, c)
	if v <= uint64(len(c.labels)) {
		return c.labels[v-1]
	}
	return ""
}

func (c *column) keyNote(ctx context.Context, t *model.Tree, span *model.Span) string {
	v, err := t.Value(ctx, span)
	if err != nil {
		return ""
	}
	for _, s := range stateOf(t).all() {
		if c.index < len(s.cols) && s.cols[c.index] == c {
			return s.keyLabel(ctx, t, c, v.Uint())
		}
	}
	return ""
}
