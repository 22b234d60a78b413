package parsers

import (
	"encoding/binary"
	"math"
	"sort"

	"spandrel/model"
)

// Fragment metadata (5.1): generic tiles back to back, then the footer.
var (
	tdbRTreeF    = &model.Field{Name: "rtree", Doc: "bounding boxes of the tiles", Ref: "5.1.3"}
	tdbRDims     = &model.Field{Name: "num_dimensions", Ref: "5.1.3", Codec: model.U32LE}
	tdbRFanout   = &model.Field{Name: "fanout", Ref: "5.1.3", Codec: model.U32LE}
	tdbRType     = &model.Field{Name: "datatype", Ref: "5.1.3", Codec: model.U8, Enum: tdbDatatypes}
	tdbRLevels   = &model.Field{Name: "num_levels", Ref: "5.1.3", Codec: model.U32LE}
	tdbRLevelF   = &model.Field{Name: "levels", Doc: "the root first", Ref: "5.1.3"}
	tdbRLevel    = &model.Field{Name: "level", Ref: "5.1.3"}
	tdbRCount    = &model.Field{Name: "num_mbrs", Ref: "5.1.3", Codec: model.U64LE}
	tdbRBoxes    = &model.Field{Name: "mbrs", Ref: "5.1.3"}
	tdbRBox      = &model.Field{Name: "mbr", Ref: "5.1.3"}
	tdbListsF    = &model.Field{Name: "lists", Doc: "generic tiles: R-tree, tile offsets, statistics", Ref: "5.1.1"}
	tdbPayloadF  = &model.Field{Name: "payload", Doc: "the bytes of the tile, unfiltered"}
	tdbListCount = &model.Field{Name: "count", Ref: "5.1.1", Codec: model.U64LE}
	tdbListF     = &model.Field{Name: "values", Ref: "5.1.1"}
	tdbListElem  = &model.Field{Name: "value", Ref: "5.1.1", Codec: model.U64LE}
	tdbListSum   = &model.Field{Name: "sum", Ref: "5.1.1"}
	tdbMinFixed  = &model.Field{Name: "fixed_size", Ref: "5.1.1", Codec: model.U64LE}
	tdbMinVar    = &model.Field{Name: "var_size", Ref: "5.1.1", Codec: model.U64LE}
	tdbMinValues = &model.Field{Name: "fixed", Doc: "one value for each tile, or where it starts in the variable part", Ref: "5.1.1"}
	tdbMinValue  = &model.Field{Name: "value", Ref: "5.1.1"}
	tdbMinData   = &model.Field{Name: "var", Ref: "5.1.1"}
	tdbTotal     = &model.Field{Name: "field", Ref: "5.1.1"}
	tdbTotMinLen = &model.Field{Name: "min_size", Ref: "5.1.1", Codec: model.U64LE}
	tdbTotMin    = &model.Field{Name: "min", Ref: "5.1.1"}
	tdbTotMaxLen = &model.Field{Name: "max_size", Ref: "5.1.1", Codec: model.U64LE}
	tdbTotMax    = &model.Field{Name: "max", Ref: "5.1.1"}
	tdbTotNulls  = &model.Field{Name: "null_count", Ref: "5.1.1", Codec: model.U64LE}
	tdbDoneF     = &model.Field{Name: "conditions", Doc: "delete commits that the cells have gone through", Ref: "5.1.1"}
	tdbDoneEntry = &model.Field{Name: "condition", Ref: "5.1.1"}
	tdbDoneLen   = &model.Field{Name: "length", Ref: "5.1.1", Codec: model.U64LE}
	tdbDoneName  = &model.Field{Name: "name", Ref: "5.1.1", Codec: model.UTF8}

	tdbListNames = [tdbLists]*model.Field{
		{Name: "tile_offsets", Doc: "where each tile starts in the file of", Ref: "5.1.1"}, {Name: "tile_var_offsets", Doc: "where each tile starts in the variable file of", Ref: "5.1.1"},
		{Name: "tile_var_sizes", Doc: "unfiltered bytes of each variable tile of", Ref: "5.1.1"}, {Name: "tile_validity_offsets", Doc: "where each tile starts in the validity file of", Ref: "5.1.1"},
		{Name: "tile_mins", Doc: "the least value of each tile of", Ref: "5.1.1"}, {Name: "tile_maxes", Doc: "the greatest value of each tile of", Ref: "5.1.1"},
		{Name: "tile_sums", Doc: "the sum of each tile of", Ref: "5.1.1"}, {Name: "tile_null_counts", Doc: "the nulls of each tile of", Ref: "5.1.1"},
	}
	tdbGlobalMins  = &model.Field{Name: "tile_global_order_min_coords", Doc: "the first coordinate of each tile of", Ref: "5.1.1"}
	tdbGlobalMaxes = &model.Field{Name: "tile_global_order_max_coords", Doc: "the last coordinate of each tile of", Ref: "5.1.1"}
	tdbTotalsTile  = &model.Field{Name: "fragment_min_max_sum_null_count", Doc: "over all tiles", Ref: "5.1.1"}
	tdbDoneTile    = &model.Field{Name: "processed_conditions", Ref: "5.1.1"}
)

// tdbFragmentMeta is a fragment metadata file that was read.
type tdbFragmentMeta struct {
	*tdbFooter
	listsAt model.Node                   // the frame of the generic tiles
	tree    model.Node                   // the generic tile of the R-tree
	tile    [tdbLists]map[int]model.Node // the generic tiles of the lists by slot
	old     *tdbOldMeta                  // of versions 1 and 2
	leaves  int64                        // of the R-tree of a sparse fragment, once it was read; -1
}

// tdbSlot is a field of a fragment.
type tdbSlot struct {
	name     string
	file     string // without .tdb
	datatype uint8
	num      uint32
	nullable bool
	filters  []tdbFilter
	attr     *tdbAttr // nil for coordinates and TileDB's own columns
	dim      *tdbDim
	coords   bool // the __coords of versions before 5
}

func (s *tdbSlot) variable() bool { return s.num == tdbVariable }

// cell is the bytes of a cell of fixed size, or of one value.
func (s *tdbSlot) cell() int64 {
	n := int64(tdbDatatypeSize(s.datatype))
	if !s.variable() {
		n *= int64(s.num)
	}
	return n
}

// readFragmentMeta reads a fragment metadata file to its end.
func (a *tdbArray) readFragmentMeta(c *model.Cursor) *tdbFragmentMeta {
	m := &tdbFragmentMeta{tdbFooter: &tdbFooter{}, leaves: -1}
	size := c.Left()
	head := c.Peek(tdbHeaderBytes)
	if len(head) < tdbHeaderBytes {
		tdbReport(c, 3, model.Node{Span: c.Span()}, tdbText(size)+" bytes", "a generic tile and a footer")
		return m
	}
	version := binary.LittleEndian.Uint32(head)
	if tdbIsLegacy(head, size) {
		a.readLegacyMeta(c, m)
		return m
	}
	if version <= 2 {
		a.readOldMeta(c, m)
		return m
	}
	end := size
	var named *tdbSchema // it tells whether the footer of an old version has a length
	if version < 10 {
		named = a.schema(c.Context(), tdbOldSchema)
	}
	switch {
	case named != nil && !tdbFooterHasLength(tdbLayout(version), named):
		if n := tdbFooterSize(version, named); n <= size {
			c.At(c.Base()+size-n, func(c *model.Cursor) { m.tdbFooter = a.readFooter(c, n, tdbFooterF) })
			end -= n
		}
	case version >= 10 || named != nil:
		b := c.PeekAt(c.Base()+size-8, 8)
		n := int64(min(binary.LittleEndian.Uint64(b), 1<<62))
		if n > size-8 {
			c.At(c.Base()+size-8, func(c *model.Cursor) {
				tdbReport(c, 164, c.Field(tdbFLength), n, "at most "+tdbText(size-8))
			})
			end -= 8
			break
		}
		end -= 8 + n
		c.At(c.Base()+end, func(c *model.Cursor) {
			m.tdbFooter = a.readFooter(c, n, tdbFooterF)
			c.LengthOf(c.Field(tdbFLength), m.self).Unchecked()
		})
	case !a.hasSchema(tdbOldSchema): // one that cannot be read has said why
		tdbReport(c, 162, model.Node{Span: c.Span()}, "no "+tdbOldSchema, "the schema of the array")
	}
	// The footer alone says how many cells there are: the lists wait until somebody needs them.
	m.listsAt = c.Frame(tdbListsF, end, func(c *model.Cursor) {
		if m.complete {
			a.readTiles(c, m, end)
		} else {
			a.readUnknownLists(c)
		}
	})
	if a.d.t.Snapshot.Primary != "" {
		a.open(c, m.listsAt)
	}
	return m
}

// readUnknownLists walks generic tiles, one behind the other, where no footer says what they are.
func (a *tdbArray) readUnknownLists(c *model.Cursor) {
	for i := 0; i < 1<<16 && c.Left() > tdbLeastTile; i++ {
		n := tdbListLength(c.Peek(tdbHeaderBytes))
		if n > c.Left() || tdbTileSure(c.Peek(tdbEager), n) < 80 { // a footer without length
			break
		}
		c.Frame(tdbListF.Named("tile[%d]", i), n, func(c *model.Cursor) {
			a.readTile(c, tdbPayloadF, func(c *model.Cursor, _ *tdbTile) { c.Rest(tdbFSectData) })
		})
	}
}

// tdbListLength is how long a generic tile is, by its header.
func tdbListLength(h []byte) int64 {
	if len(h) < tdbHeaderBytes {
		return math.MaxInt64
	}
	return tdbHeaderBytes + int64(binary.LittleEndian.Uint32(h[30:])) + int64(min(binary.LittleEndian.Uint64(h[4:]), 1<<60))
}

// tdbPlace is a generic tile that the footer names.
type tdbPlace struct {
	off   uint64
	at    model.Node // of the offset
	elem  int        // in a list of offsets; -1 for a single one
	field *model.Field
	body  func(*model.Cursor)
	keep  func(model.Node)
}

// readTiles makes frames of the generic tiles that the footer names, in the order of the file. They end before end.
func (a *tdbArray) readTiles(c *model.Cursor, m *tdbFragmentMeta, end int64) {
	places := m.places()
	sort.SliceStable(places, func(i, j int) bool { return places[i].off < places[j].off })
	at, told, wrong := uint64(0), false, false
	for _, p := range places {
		h := c.PeekAt(c.Base()+int64(min(p.off, uint64(end))), tdbHeaderBytes)
		length := tdbListLength(h)
		if p.off < at || length > end-int64(min(p.off, uint64(end))) {
			r := p.at.Range
			if p.elem >= 0 {
				r.Off, r.Len = r.Off+8*int64(p.elem), 8
			}
			wrong = true // and the tile that it should name is not reached
			c.Report(model.Finding{Rule: tdb(165), Span: p.at.Span, Range: r, Found: tdbText(p.off), Expected: "the start of a generic tile before the footer"})
			continue
		}
		if p.off > at && !wrong {
			a.unreached(c, at, p.off)
		}
		c.At(c.Base()+int64(p.off), func(c *model.Cursor) {
			n := c.Frame(p.field, length, func(c *model.Cursor) {
				a.readTile(c, tdbPayloadF, func(c *model.Cursor, _ *tdbTile) { p.body(c) })
			})
			if p.keep != nil {
				p.keep(n)
			}
			if p.elem < 0 {
				c.OffsetOf(p.at, n).Unchecked()
			}
		})
		if v := binary.LittleEndian.Uint32(h); tdbLayout(v) != m.version && !told {
			told = true
			tdbReport(c, 163, m.versionAt, m.version, "the version of its tiles, "+tdbText(v))
		}
		at = p.off + uint64(length)
	}
	if at < uint64(end) && !wrong {
		a.unreached(c, at, uint64(end))
	}
}

func (a *tdbArray) unreached(c *model.Cursor, from, to uint64) {
	c.Report(model.Finding{Rule: tdb(166), Span: c.Span(), Range: c.Range(c.Base()+int64(from), int64(to-from)), Found: tdbText(to-from) + " bytes", Expected: "none"})
}

// places lists the generic tiles of a fragment with what is in them.
func (m *tdbFragmentMeta) places() (out []tdbPlace) {
	slots := m.slotList()
	out = append(out, tdbPlace{off: m.rtree.Uint(), at: m.rtree, elem: -1, field: tdbRTreeF, body: m.readRTree, keep: func(n model.Node) { m.tree = n }})
	for list := range tdbLists {
		m.tile[list] = map[int]model.Node{}
		for i, off := range m.lists[list] {
			slot := slots[i]
			f := tdbListNames[list].Named("%s[%d]", tdbListNames[list].Name, i)
			f.Doc += " " + slot.name
			out = append(out, tdbPlace{off: off, at: m.listAt[list], elem: i, field: f,
				body: func(c *model.Cursor) { tdbReadListTile(c, list, slot) }, keep: func(n model.Node) { m.tile[list][i] = n }})
		}
	}
	d := len(m.schema.dims)
	for i, off := range m.bounds {
		name, dim := tdbGlobalMins, &m.schema.dims[i%d]
		if i >= d {
			name = tdbGlobalMaxes
		}
		f := name.Named("%s[%d]", name.Name, i%d)
		f.Doc += " " + dim.name.Text()
		slot := tdbSlot{name: dim.name.Text(), datatype: dim.datatype, num: 1, dim: dim}
		if dim.variable() {
			slot.num = tdbVariable
		}
		out = append(out, tdbPlace{off: off, at: m.boundsAt, elem: i, field: f, body: func(c *model.Cursor) { tdbReadListTile(c, tdbLMin, slot) }})
	}
	if m.totals.Span != nil {
		out = append(out, tdbPlace{off: m.totals.Uint(), at: m.totals, elem: -1, field: tdbTotalsTile, body: func(c *model.Cursor) { tdbReadTotals(c, slots) }})
	}
	if m.done.Span != nil {
		out = append(out, tdbPlace{off: m.done.Uint(), at: m.done, elem: -1, field: tdbDoneTile, body: tdbReadDone})
	}
	return out
}
