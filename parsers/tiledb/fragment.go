package tiledb

import (
	"encoding/binary"
	"math"
	"sort"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Fragment metadata (5.1): generic tiles back to back, then the footer.
var (
	rTreeF    = &model.Field{Name: "rtree", Doc: "bounding boxes of the tiles", Ref: "5.1.3"}
	rDims     = &model.Field{Name: "num_dimensions", Ref: "5.1.3", Codec: model.U32LE}
	rFanout   = &model.Field{Name: "fanout", Ref: "5.1.3", Codec: model.U32LE}
	rType     = &model.Field{Name: "datatype", Ref: "5.1.3", Codec: model.U8, Enum: datatypes}
	rLevels   = &model.Field{Name: "num_levels", Ref: "5.1.3", Codec: model.U32LE}
	rLevelF   = &model.Field{Name: "levels", Doc: "the root first", Ref: "5.1.3"}
	rLevel    = &model.Field{Name: "level", Ref: "5.1.3"}
	rCount    = &model.Field{Name: "num_mbrs", Ref: "5.1.3", Codec: model.U64LE}
	rBoxes    = &model.Field{Name: "mbrs", Ref: "5.1.3"}
	rBox      = &model.Field{Name: "mbr", Ref: "5.1.3"}
	listsF    = &model.Field{Name: "lists", Doc: "generic tiles: R-tree, tile offsets, statistics", Ref: "5.1.1"}
	payloadF  = &model.Field{Name: "payload", Doc: "the bytes of the tile, unfiltered"}
	listCount = &model.Field{Name: "count", Ref: "5.1.1", Codec: model.U64LE}
	listF     = &model.Field{Name: "values", Ref: "5.1.1"}
	listElem  = &model.Field{Name: "value", Ref: "5.1.1", Codec: model.U64LE}
	listSum   = &model.Field{Name: "sum", Ref: "5.1.1"}
	minFixed  = &model.Field{Name: "fixed_size", Ref: "5.1.1", Codec: model.U64LE}
	minVar    = &model.Field{Name: "var_size", Ref: "5.1.1", Codec: model.U64LE}
	minValues = &model.Field{Name: "fixed", Doc: "one value for each tile, or where it starts in the variable part", Ref: "5.1.1"}
	minValue  = &model.Field{Name: "value", Ref: "5.1.1"}
	minData   = &model.Field{Name: "var", Ref: "5.1.1"}
	total     = &model.Field{Name: "field", Ref: "5.1.1"}
	totMinLen = &model.Field{Name: "min_size", Ref: "5.1.1", Codec: model.U64LE}
	totMin    = &model.Field{Name: "min", Ref: "5.1.1"}
	totMaxLen = &model.Field{Name: "max_size", Ref: "5.1.1", Codec: model.U64LE}
	totMax    = &model.Field{Name: "max", Ref: "5.1.1"}
	totNulls  = &model.Field{Name: "null_count", Ref: "5.1.1", Codec: model.U64LE}
	doneF     = &model.Field{Name: "conditions", Doc: "delete commits that the cells have gone through", Ref: "5.1.1"}
	doneEntry = &model.Field{Name: "condition", Ref: "5.1.1"}
	doneLen   = &model.Field{Name: "length", Ref: "5.1.1", Codec: model.U64LE}
	doneName  = &model.Field{Name: "name", Ref: "5.1.1", Codec: model.UTF8}

	listNames = [lists]*model.Field{
		{Name: "tile_offsets", Doc: "where each tile starts in the file of", Ref: "5.1.1"}, {Name: "tile_var_offsets",
			Doc: "where each tile starts in the variable file of", Ref: "5.1.1"},
		{Name: "tile_var_sizes", Doc: "unfiltered bytes of each variable tile of", Ref: "5.1.1"}, {Name: "tile_validity_offsets",
			Doc: "where each tile starts in the validity file of", Ref: "5.1.1"},
		{Name: "tile_mins", Doc: "the least value of each tile of", Ref: "5.1.1"}, {Name: "tile_maxes",
			Doc: "the greatest value of each tile of", Ref: "5.1.1"},
		{Name: "tile_sums", Doc: "the sum of each tile of", Ref: "5.1.1"}, {Name: "tile_null_counts", Doc: "the nulls of each tile of",
			Ref: "5.1.1"},
	}
	globalMins  = &model.Field{Name: "tile_global_order_min_coords", Doc: "the first coordinate of each tile of", Ref: "5.1.1"}
	globalMaxes = &model.Field{Name: "tile_global_order_max_coords", Doc: "the last coordinate of each tile of", Ref: "5.1.1"}
	totalsTile  = &model.Field{Name: "fragment_min_max_sum_null_count", Doc: "over all tiles", Ref: "5.1.1"}
	doneTile    = &model.Field{Name: "processed_conditions", Ref: "5.1.1"}
)

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

// readFragmentMeta reads a fragment metadata file to its end.
func (a *array) readFragmentMeta(c *model.Cursor) *fragmentMeta {
	m := &fragmentMeta{footer: &footer{}, leaves: -1}
	size := c.Left()
	head := c.Peek(headerBytes)
	if len(head) < headerBytes {
		c.Wrong(headerCut, nil, filter.Text(size)+" bytes", "a generic tile and a footer")
		return m
	}
	version := binary.LittleEndian.Uint32(head)
	if isLegacy(head, size) {
		a.readLegacyMeta(c, m)
		return m
	}
	if version <= 2 {
		a.readOldMeta(c, m)
		return m
	}
	end := size
	var named *schemaInfo // it tells whether the footer of an old version has a length
	if version < 10 {
		named = a.schema(c.Context(), oldSchema)
	}
	switch {
	case named != nil && !footerHasLength(layout(version), named):
		if n := footerSize(version, named); n <= size {
			c.At(c.Base()+size-n, func(c *model.Cursor) { m.footer = a.readFooter(c, n, footerF) })
			end -= n
		}
	case version >= 10 || named != nil:
		b := c.PeekAt(c.Base()+size-8, 8)
		n := int64(min(binary.LittleEndian.Uint64(b), 1<<62))
		if n > size-8 {
			c.At(c.Base()+size-8, func(c *model.Cursor) {
				c.Wrong(footerLength, c.Field(fLength), n, "at most "+filter.Text(size-8))
			})
			end -= 8
			break
		}
		end -= 8 + n
		c.At(c.Base()+end, func(c *model.Cursor) {
			m.footer = a.readFooter(c, n, footerF)
			c.LengthOf(c.Field(fLength), m.self)
		})
	case !a.hasSchema(oldSchema): // one that cannot be read has said why
		c.Wrong(oldSchemaMissing, nil, "no "+oldSchema, "the schema of the array")
	}
	// The footer alone says how many cells there are: the lists wait until somebody needs them.
	m.listsAt = c.Frame(listsF, end, func(c *model.Cursor) {
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
func (a *array) readUnknownLists(c *model.Cursor) {
	for i := 0; i < 1<<16 && c.Left() > leastTile; i++ {
		n := listLength(c.Peek(headerBytes))
		if n > c.Left() || tileSure(c.Peek(eager), n) < 80 { // a footer without length
			break
		}
		c.Frame(listF.Named("tile[%d]", i), n, func(c *model.Cursor) {
			a.readTile(c, payloadF, func(c *model.Cursor, _ *genericTile) { c.Rest(fSectData) })
		})
	}
}

// listLength is how long a generic tile is, by its header.
func listLength(h []byte) int64 {
	if len(h) < headerBytes {
		return math.MaxInt64
	}
	return headerBytes + int64(binary.LittleEndian.Uint32(h[30:])) + int64(min(binary.LittleEndian.Uint64(h[4:]), 1<<60))
}

// place is a generic tile that the footer names.
type place struct {
	off   uint64
	at    model.Node // of the offset
	elem  int        // in a list of offsets; -1 for a single one
	field *model.Field
	body  func(*model.Cursor)
	keep  func(model.Node)
}

// readTiles makes frames of the generic tiles that the footer names, in the order of the file. They end before end.
func (a *array) readTiles(c *model.Cursor, m *fragmentMeta, end int64) {
	places := m.places()
	sort.SliceStable(places, func(i, j int) bool { return places[i].off < places[j].off })
	at, told, wrong := uint64(0), false, false
	for _, p := range places {
		h := c.PeekAt(c.Base()+int64(min(p.off, uint64(end))), headerBytes)
		length := listLength(h)
		if p.off < at || length > end-int64(min(p.off, uint64(end))) {
			r := p.at.Range
			if p.elem >= 0 {
				r.Off, r.Len = r.Off+8*int64(p.elem), 8
			}
			wrong = true // and the tile that it should name is not reached
			c.Wrong(offsetLeadsNowhere, model.Spot{Span: p.at.Span, Range: r}, p.off, "the start of a generic tile before the footer")
			continue
		}
		if p.off > at && !wrong {
			a.unreached(c, at, p.off)
		}
		c.At(c.Base()+int64(p.off), func(c *model.Cursor) {
			n := c.Frame(p.field, length, func(c *model.Cursor) {
				a.readTile(c, payloadF, func(c *model.Cursor, _ *genericTile) { p.body(c) })
			})
			if p.keep != nil {
				p.keep(n)
			}
			if p.elem < 0 {
				c.OffsetOf(p.at, n)
			}
		})
		if v := binary.LittleEndian.Uint32(h); layout(v) != m.version && !told {
			told = true
			c.Wrong(versionsDiffer, m.versionAt, m.version, "the version of its tiles, "+filter.Text(v))
		}
		at = p.off + uint64(length)
	}
	if at < uint64(end) && !wrong {
		a.unreached(c, at, uint64(end))
	}
}

func (a *array) unreached(c *model.Cursor, from, to uint64) {
	c.Wrong(footerUnreached, c.Range(c.Base()+int64(from), int64(to-from)), filter.Text(to-from)+" bytes", "none")
}

// places lists the generic tiles of a fragment with what is in them.
func (m *fragmentMeta) places() (out []place) {
	slots := m.slotList()
	out = append(out, place{off: m.rtree.Uint(), at: m.rtree, elem: -1, field: rTreeF, body: m.readRTree,
		keep: func(n model.Node) { m.tree = n }})
	for list := range lists {
		m.tile[list] = map[int]model.Node{}
		for i, off := range m.lists[list] {
			slot := slots[i]
			f := listNames[list].Named("%s[%d]", listNames[list].Name, i)
			f.Doc += " " + slot.name
			out = append(out, place{off: off, at: m.listAt[list], elem: i, field: f,
				body: func(c *model.Cursor) { readListTile(c, list, slot) }, keep: func(n model.Node) { m.tile[list][i] = n }})
		}
	}
	d := len(m.schema.dims)
	for i, off := range m.bounds {
		name, dim := globalMins, &m.schema.dims[i%d]
		if i >= d {
			name = globalMaxes
		}
		f := name.Named("%s[%d]", name.Name, i%d)
		f.Doc += " " + dim.name.Text()
		slot := fileSlot{name: dim.name.Text(), datatype: dim.datatype, num: 1, dim: dim}
		if dim.variable() {
			slot.num = variableCells
		}
		out = append(out, place{off: off, at: m.boundsAt, elem: i, field: f, body: func(c *model.Cursor) { readListTile(c, lMin, slot) }})
	}
	if m.totals.Span != nil {
		out = append(out, place{off: m.totals.Uint(), at: m.totals, elem: -1, field: totalsTile,
			body: func(c *model.Cursor) { readTotals(c, slots) }})
	}
	if m.done.Span != nil {
		out = append(out, place{off: m.done.Uint(), at: m.done, elem: -1, field: doneTile, body: readDone})
	}
	return out
}
