package tiledb

import (
	"context"
	"fmt"
	"math/bits"
	"path"
	"sync"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// space returns the unfiltered bytes of tile k of a file of a field: its range in its own space.
func (f *frag) space(ctx context.Context, p placeOf) (model.Range, error) {
	f.mu.Lock()
	r, ok := f.spaces[p]
	f.mu.Unlock()
	if ok {
		return r, nil
	}
	t, base := f.a.d.t, f.slots[p.slot].file+partNames[p.part]
	file := f.files[base]
	if file == nil {
		return r, fmt.Errorf("%s.tdb is missing", base)
	}
	if err := t.Open(ctx, file); err != nil {
		return r, err
	}
	tiles := file.Get(tilesF.Name)
	if raw := file.Get(rawCells.Name); tiles == nil && raw != nil { // cells without tiles
		n := f.cellsPerTile(p.tile) * f.slots[p.slot].cell()
		return model.Range{Space: raw.Range.Space, Off: raw.Range.Off + p.tile*n, Len: min(n, raw.Range.End()-p.tile*n)}, nil
	}
	if tiles == nil {
		return r, fmt.Errorf("%s.tdb has no tiles", base)
	}
	if err := t.Open(ctx, tiles); err != nil {
		return r, err
	}
	tile := tiles.Child(p.tile)
	if tile == nil || tile.Index() < 0 {
		return r, fmt.Errorf("%s.tdb has no tile %d", base, p.tile)
	}
	if err := t.Open(ctx, tile); err != nil {
		return r, err
	}
	name := cellsF.Name
	if p.offsets {
		name = cellOffsets.Name
	}
	cells := tile.Get(name)
	if cells == nil {
		return r, fmt.Errorf("%s.tdb: tile %d cannot be decoded", base, p.tile)
	}
	size, err := t.Size(ctx, cells.Range.Space)
	if err != nil {
		return r, err
	}
	if want := cells.Range.Len; size < want {
		t.Open(ctx, cells) // reports why
		return r, fmt.Errorf("%s.tdb: tile %d cannot be decoded", base, p.tile)
	}
	r = model.Range{Space: cells.Range.Space, Len: size}
	f.mu.Lock()
	f.spaces[p] = r
	f.mu.Unlock()
	return r, nil
}

// starts returns where the cells of a variable tile start in its values, and the end; raw are the offsets as stored.
func (f *frag) starts(ctx context.Context, slot int, k int64) (starts []int64, err error) {
	r, err := f.offsetsOf(ctx, slot, k)
	if err != nil {
		return nil, err
	}
	b, err := f.a.d.t.Bytes(ctx, r)
	if err != nil {
		return nil, err
	}
	n := int64(model.MaxDerived)
	if sizes := f.list(ctx, lVarSizes, slot); k < int64(len(sizes)) {
		n = int64(min(sizes[k], model.MaxDerived))
	}
	return startsOf(b, n), nil
}

// cellsPerTile is how many cells tile k has; 0 when that cannot be said.
func (f *frag) cellsPerTile(k int64) int64 {
	m := f.meta
	if !m.dense {
		if uint64(k) == m.tiles-1 {
			return int64(min(m.last, 1<<40))
		}
		return int64(min(m.schema.capacity.Uint(), 1<<40))
	}
	n := uint64(1)
	for i := range m.schema.dims {
		high, low := bits.Mul64(n, tileExtent(&m.schema.dims[i]))
		if n = low; high > 0 || low > 1<<40 {
			return 0
		}
	}
	return int64(n)
}

// tiles is how many tiles of cells the fragment has, and cells how many cells they have together.
func (f *frag) count() (tiles, cells int64) {
	m := f.meta
	if !m.dense {
		if m.tiles == 0 || m.tiles > 1<<32 {
			return 0, 0
		}
		return int64(m.tiles), int64(m.tiles-1)*f.cellsPerTile(0) + int64(min(m.last, 1<<40))
	}
	g, ok := f.grid()
	if !ok {
		return 0, 0
	}
	n := f.cellsPerTile(0)
	if high, low := bits.Mul64(g.total, uint64(n)); high > 0 || low > 1<<50 {
		return 0, 0
	}
	return int64(g.total), int64(g.total) * n
}

// cut returns n bytes of a tile.
func (f *frag) cut(ctx context.Context, r model.Range, off, n int64) ([]byte, error) {
	if off+n > r.Len {
		return nil, fmt.Errorf("the tile has %d bytes, its cells need %d", r.Len, off+n)
	}
	return f.a.d.t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off + off, Len: n})
}

// The files of a field.
const (
	fileFixed = iota // cells, or offsets of variable cells
	fileVar
	fileValid
)

var (
	partNames = [3]string{"", "_var", "_validity"}
	partLists = [3]int{lTiles, lVar, lValidity}
)

// frag is a fragment folder.
type frag struct {
	a         *array
	dir, name string
	stamp     stamp
	live      bool
	group     *model.Span            // nil when a file of it was opened alone
	metaAt    *model.Span            // the metadata file
	files     map[string]*model.Span // data files by base name without .tdb
	sized     bool                   // their sizes were held against the footer
	only      string                 // the field whose file was opened alone

	mu     sync.Mutex
	meta   *fragmentMeta
	slots  []fileSlot
	lists  map[[2]int][]uint64
	listed int // numbers in lists
	spaces map[placeOf]model.Range
}

// placeOf names a tile of a file of a field; str is the second space of string mode.
type placeOf struct {
	slot, part int
	tile       int64
	offsets    bool
}

func (a *array) newFrag(dir string) *frag {
	name := path.Base(dir)
	return &frag{a: a, dir: dir, name: name, stamp: stampOf(name), files: map[string]*model.Span{}, lists: map[[2]int][]uint64{},
		spaces: map[placeOf]model.Range{}}
}

// load reads the metadata of the fragment; nil when they cannot be read.
func (f *frag) load(ctx context.Context) *fragmentMeta {
	if f.group != nil {
		f.a.d.t.Open(ctx, f.group)
	}
	if f.metaAt != nil {
		f.a.d.t.Open(ctx, f.metaAt)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.meta
}

// list returns a decoded list of a field: tile offsets, variable sizes …
func (f *frag) list(ctx context.Context, list, slot int) []uint64 {
	f.mu.Lock()
	m, got := f.meta, f.lists[[2]int{list, slot}]
	f.mu.Unlock()
	if got != nil || m == nil {
		return got
	}
	if m.old != nil {
		if list > lVarSizes || slot >= len(m.old.lists[list]) {
			return nil
		}
		return m.old.lists[list][slot]
	}
	t, payload := f.a.d.t, f.listPayload(ctx, list, slot)
	if payload == nil {
		return nil
	}
	size, err := t.Size(ctx, payload.Range.Space)
	if err != nil || size < 8 {
		return nil
	}
	b, err := t.Bytes(ctx, model.Range{Space: payload.Range.Space, Off: 0, Len: size})
	if err != nil {
		return nil
	}
	n := min(filter.Uint(b, 8), uint64(size/8-1))
	out := make([]uint64, n)
	for i := range out {
		out[i] = filter.Uint(b[8+8*i:], 8)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listed += len(out); f.listed > mostListed {
		clear(f.lists)
		f.listed = len(out)
	}
	f.lists[[2]int{list, slot}] = out
	return out
}

// mostListed is how many numbers of its lists a fragment keeps. Others are read again.
const mostListed = 8 << 20

// listPayload is the unfiltered tile of a list of a field, or nil.
func (f *frag) listPayload(ctx context.Context, list, slot int) *model.Span {
	t, m := f.a.d.t, f.meta
	if m.listsAt.Span == nil || t.Open(ctx, m.listsAt.Span) != nil {
		return nil
	}
	tile, ok := m.tile[list][slot]
	if !ok || tile.Span == nil || t.Open(ctx, tile.Span) != nil {
		return nil
	}
	return tile.Get(payloadF.Name)
}

// rows is how many cells the fragment wrote: those that pad dense tiles are none.
func (f *frag) rows() int64 {
	_, cells := f.count()
	if g, ok := f.grid(); ok && f.meta.dense && cells > 0 {
		_, n := g.widths(f.meta.domain)
		return int64(n)
	}
	return cells
}

// slotOf finds the field and the part that a data file belongs to.
func (f *frag) slotOf(base string) (slot, part int) {
	for i := range f.slots {
		for p, suffix := range partNames {
			if f.slots[i].file+suffix == base {
				return i, p
			}
		}
	}
	return -1, 0
}

// tile type and filters of a file of a field.
func (f *frag) pipeline(slot, part int) ([]filter.Filter, filter.TileType) {
	s, schema := &f.slots[slot], f.meta.schema
	filters, tile := s.filters, filter.TileType{Datatype: s.datatype, CellSize: int(max(s.cell(), 1)), FormatVersion: schema.layout}
	switch {
	case part == fileValid:
		filters, tile.Datatype, tile.CellSize = schema.validity.list, 6, 1
	case part == fileFixed && s.variable():
		filters, tile.Datatype, tile.CellSize = schema.offsets.list, filter.Uint64, 8
	case part == fileVar:
		tile.VarStrings = s.datatype == filter.Ascii || s.datatype == filter.UtF8
	}
	if schema.crypt {
		filters = append(append([]filter.Filter(nil), filters...), filter.Filter{Type: filter.AES})
	}
	return filters, tile
}

// stringMode tells whether the values tile of a field also holds where its cells start.
func (f *frag) stringMode(filters []filter.Filter, tile filter.TileType) bool {
	for i := range filters {
		if filters[i].Type == filter.AES {
			filters = filters[:i]
			break
		}
	}
	p, err := filter.Compile(filters, tile, nil)
	return err == nil && p.StringMode()
}

// listSpan is the generic tile of a list of a field, or the metadata file.
func (f *frag) listSpan(list, slot int) *model.Span {
	if n := f.meta.tile[list][slot]; n.Span != nil {
		return n.Span
	}
	return f.metaAt
}

// offsetsOf is where the start offsets of the cells of a variable tile are: in a tile of their own, or made with the values.
func (f *frag) offsetsOf(ctx context.Context, slot int, k int64) (model.Range, error) {
	p := placeOf{slot: slot, part: fileFixed, tile: k}
	if filters, tile := f.pipeline(slot, fileVar); f.stringMode(filters, tile) {
		p = placeOf{slot: slot, part: fileVar, tile: k, offsets: true}
	}
	return f.space(ctx, p)
}

// footer is the footer of a fragment, or what the metadata of version 1 and 2 say in its place.
type footer struct {
	self, versionAt, schemaAt, lastAt, tilesAt model.Node

	version    uint32
	schemaName string
	schema     *schemaInfo // nil when it is missing
	dense      bool
	null       bool
	domain     []interval
	tiles      uint64 // of a sparse fragment
	last       uint64 // cells of the last tile
	times      bool
	deletes    bool
	slots      int

	sizes, varSizes, validSizes model.Node
	size                        [3][]uint64 // bytes of the fixed, var and validity file of each slot
	rtree                       model.Node
	lists                       [lists][]uint64 // offsets of generic tiles
	listAt                      [lists]model.Node
	totals, done                model.Node
	bounds                      []uint64 // global order mins, then maxes
	boundsAt                    model.Node
	complete                    bool
}

// tdbSlots is how many fields a footer lists: attributes, __coords, dimensions, then the columns of consolidated fragments.
func (f *footer) countSlots() int {
	n := len(f.schema.attrs) + 1
	if f.version >= 5 {
		n += len(f.schema.dims)
		if f.times {
			n++
		}
		if f.deletes {
			n += 2
		}
	}
	return n
}

// fragmentMeta is a fragment metadata file that was read.
type fragmentMeta struct {
	*footer
	listsAt model.Node                // the frame of the generic tiles
	tree    model.Node                // the generic tile of the R-tree
	tile    [lists]map[int]model.Node // the generic tiles of the lists by slot
	old     *oldMeta                  // of versions 1 and 2
	leaves  int64                     // of the R-tree of a sparse fragment, once it was read; -1
}

// fileSlot is a field of a fragment.
type fileSlot struct {
	name     string
	file     string // without .tdb
	datatype uint8
	num      uint32
	nullable bool
	filters  []filter.Filter
	attr     *attr // nil for coordinates and TileDB's own columns
	dim      *dim
	coords   bool // the __coords of versions before 5
}

func (s *fileSlot) variable() bool { return s.num == variableCells }

// cell is the bytes of a cell of fixed size, or of one value.
func (s *fileSlot) cell() int64 {
	n := int64(filter.SizeOf(s.datatype))
	if !s.variable() {
		n *= int64(s.num)
	}
	return n
}

// slotList returns the fields of a fragment in the order of its footer's slots.
func (f *footer) slotList() []fileSlot {
	s := f.schema
	var out []fileSlot
	name := func(kind string, i int, field string) string {
		if f.version >= 9 {
			return kind + filter.Text(i)
		}
		if f.version == 8 {
			return escape(field)
		}
		return field
	}
	for i := range s.attrs {
		a := &s.attrs[i]
		out = append(out, fileSlot{name: a.name.Text(), file: name("a", i, a.name.Text()), datatype: a.datatype, num: a.values(),
			nullable: a.nullable(), filters: a.filters.list, attr: a})
	}
	coords := fileSlot{name: "__coords", file: "__coords", datatype: uint8(s.domainType.Uint()), num: uint32(len(s.dims)),
		filters: s.coords.list, coords: true}
	if len(s.dims) > 0 {
		coords.datatype = s.dims[0].datatype
	}
	out = append(out, coords)
	if f.version < 5 {
		return out
	}
	for i := range s.dims {
		d := &s.dims[i]
		slot := fileSlot{name: d.name.Text(), file: name("d", i, d.name.Text()), datatype: d.datatype, num: 1, filters: d.filters.list,
			dim: d}
		if d.variable() {
			slot.num = variableCells
		}
		if len(slot.filters) == 0 {
			slot.filters = s.coords.list
		}
		out = append(out, slot)
	}
	extra := func(name, file string) {
		out = append(out, fileSlot{name: name, file: file, datatype: filter.Uint64, num: 1, filters: s.coords.list})
	}
	if f.times {
		extra("__timestamps", "t")
	}
	if f.deletes {
		extra("__delete_timestamps", "dt")
		extra("__delete_condition_index", "dci")
	}
	return out
}

// escape is how version 8 made file names of field names (row 31 of part 6: four codes are wrong in the library).
func escape(name string) string {
	wrong := map[byte]string{'<': "%20", '>': "%2D", '\\': "%30", '|': "%3C"}
	var out []byte
	for i := range len(name) {
		ch := name[i]
		switch {
		case wrong[ch] != "":
			out = append(out, wrong[ch]...)
		case ch == '!' || ch >= '#' && ch <= ',' && ch != '.' || ch == '/' || ch == ':' || ch == ';' || ch == '=' || ch == '?' ||
			ch == '@' || ch == '[' || ch == ']' || ch == '%' || ch == '"' || ch == ' ':
			const digits = "0123456789ABCDEF"
			out = append(out, '%', digits[ch>>4], digits[ch&15])
		default:
			out = append(out, ch)
		}
	}
	return string(out)
}

// datatypeOfBytes is the slot's type where its values are text, and BLOB otherwise.
func (s *fileSlot) datatypeOfBytes() uint8 {
	if codecOf(s.datatype) == model.UTF8 {
		return s.datatype
	}
	return filter.Blob
}

// oldMeta is what the fragment metadata of before version 3 list.
type oldMeta struct {
	lists [3][][]uint64 // tile offsets, variable offsets, variable sizes: by field, then tile
	boxes uint64
}

// startsOf turns stored start offsets into ascending ones inside n bytes, followed by n: the first is 0.
func startsOf(raw []byte, n int64) []int64 {
	out := make([]int64, 0, len(raw)/8+1)
	at := int64(0)
	for i := range len(raw) / 8 {
		v := filter.Uint(raw[8*i:], 8)
		if i > 0 && v <= uint64(n) && int64(v) >= at {
			at = int64(v)
		}
		out = append(out, at)
	}
	return append(out, n)
}
