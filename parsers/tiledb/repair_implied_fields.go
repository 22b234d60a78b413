package tiledb

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// Which types fields are of, and which filters their tiles went through: those with which the least and greatest values and the sums come out
// that the fragment repeats of them.

// settle finds out the types and the filters of all fields, and returns of how many it knows them. A dimension counts where its cells
// are not stored.
func (x *implied) settle(ctx context.Context, f *frag) (settled int) {
	tiles, _ := f.meta.Count()
	if tiles <= 0 {
		return 0 // there is none to tell it from
	}
	for slot := range f.slots {
		s := &f.slots[slot]
		switch {
		case s.Coords:
			continue
		case slot < len(x.attrs) && x.left != nil && slot < len(x.left.Attrs), s.Dim != nil && (f.meta.Dense || x.knows(len(x.dims))):
			settled++
			continue
		}
		// Of the last tile it is known how many cells it has, and it is not whole where a box does not fill its tiles.
		y := &impliedField{field: f.field(slot), k: int(tiles) - 1, version: x.version, cells: int(f.meta.CellsPerTile(tiles - 1))}
		if y.settle(ctx, x) != nil {
			continue
		}
		switch {
		case slot < len(x.attrs):
			a := &x.attrs[slot]
			if a.Datatype, a.Num, a.Filters = y.datatype, y.num, y.filters; y.everywhere(ctx, int(tiles)) {
				settled++
			}
		case s.Dim == nil:
			x.coords = y.filters
		default:
			x.dims[slot-len(x.attrs)-1].filters = append(y.filters, filter.Filter{}) // none are those of __coords
			settled++
		}
	}
	return settled
}

// impliedField is a field whose type and filters are looked for in its tile k.
type impliedField struct {
	field
	k        int
	version  uint32
	cells    int
	valid    []byte
	datatype uint8
	num      uint32
	filters  []filter.Filter
}

func (y *impliedField) settle(ctx context.Context, x *implied) (err error) {
	if y.Nullable {
		flags := filter.TileType{Datatype: filter.Uint8, CellSize: 1, FormatVersion: y.version}
		if x.validity, err = y.try(ctx, fragment.Validity, flags, func(b []byte) bool {
			y.valid = b
			return len(b) == y.cells && len(bytes.Trim(b, "\x00\x01")) == 0
		}); err != nil {
			return err
		}
	}
	if y.Variable() {
		if y.num = storage.VariableCells; y.strings(ctx) == nil {
			return nil
		}
		return y.texts(ctx, x)
	}
	total := 0
	if list := y.file(fragment.Fixed).totals(ctx); y.k < len(list) {
		total = int(list[y.k])
	}
	if y.cells <= 0 || total <= 0 || total%y.cells != 0 {
		return fmt.Errorf("its cells are not all of one size")
	}
	width := total / y.cells
	err = fmt.Errorf("no filters are known that its tiles went through")
	for _, typed := range typesOf(width) {
		y.datatype, y.num = typed, uint32(width/filter.SizeOf(typed))
		list, e := y.try(ctx, fragment.Fixed, filter.TileType{Datatype: typed, CellSize: width, FormatVersion: y.version},
			func(b []byte) bool { return len(b) == total && y.agrees(ctx, b) })
		if e == nil {
			y.filters = list
			return nil
		}
	}
	return err
}

// everywhere tells whether other tiles of a dense fragment agree too: which of their cells count depends on where each lies.
func (y *impliedField) everywhere(ctx context.Context, tiles int) bool {
	if y.Nullable || y.Variable() || !y.f.meta.Dense || len(y.f.meta.Schema.Dims) < 2 {
		return true
	}
	tile := filter.TileType{Datatype: y.datatype, CellSize: filter.SizeOf(y.datatype) * int(y.num), FormatVersion: y.version}
	raw := y.file(fragment.Fixed).rawTiles(ctx)
	for y.k = 0; y.k < min(tiles, len(raw), 32); y.k++ {
		b, _, err := filter.Coding{Filters: y.filters, Tile: tile}.Unfilter(ctx, raw[y.k], mostImpliedTile)
		if err == nil && !y.agrees(ctx, b) {
			return false
		}
	}
	return true
}

// typesOf are the types that cells of a width may be of. Sums of integers are exact, so that these are tried first.
func typesOf(width int) []uint8 {
	switch {
	case width == 1:
		return []uint8{filter.Int8, filter.Uint8, filter.Char}
	case width == 2:
		return []uint8{filter.Int16, filter.Uint16}
	case width == 4:
		return []uint8{filter.Int32, filter.Uint32, filter.Float32}
	case width == 8:
		return []uint8{filter.Int64, filter.Uint64, filter.Float64, filter.Int32, filter.Float32}
	case width%4 == 0:
		return []uint8{filter.Int32, filter.Float32}
	}
	return []uint8{filter.Uint8}
}

// agrees tells whether the values of a tile are those that the fragment repeats of it; of reals that they look like such, where it repeats none.
func (y *impliedField) agrees(ctx context.Context, b []byte) bool {
	s := *y.Slot
	s.Datatype, s.Num = y.datatype, y.num
	at, cells := field{&s, y.f, y.slot}.tile(int64(y.k)), fragment.Cells{Data: b, Valid: y.valid}
	told := false
	if at.summed() || y.Attr == nil && y.Dim == nil {
		x, got := at.repeated(ctx), cells.Measure(&s, y.f.meta.Inside(int64(y.k)))
		if what, _, _ := x.differs(&s, got); what != "" || got.Nan && x.low != nil && lessOrMore(s.Datatype, x.low, got.Min) {
			return false
		}
		told = x.sum != nil || x.low != nil
	}
	w := filter.SizeOf(y.datatype)
	return told || w < 4 || filter.IsFloat(y.datatype) == mostReal(b, w)
}

// mostReal tells whether most values of w bytes look like real numbers.
func mostReal(b []byte, w int) bool {
	real := 0
	for v := range slices.Chunk(b[:len(b)/w*w], w) {
		if looksReal(filter.Uint(v, w), w) {
			real++
		}
	}
	return 2*real > len(b)/w
}

// texts settles a field of varying size: where its cells start, and what they are.
func (y *impliedField) texts(ctx context.Context, x *implied) (err error) {
	size := uint64(0)
	if list := y.list(ctx, fragment.VarSizes); y.k < len(list) {
		size = list[y.k]
	}
	x.offsets, err = y.try(ctx, fragment.Fixed, filter.TileType{Datatype: filter.Uint64, CellSize: 8, FormatVersion: y.version}, func(b []byte) bool {
		return len(b) == 8*y.cells && misplaced(b, size) < 0
	})
	if err != nil {
		return err
	}
	y.datatype = filter.Ascii
	tile := filter.TileType{Datatype: filter.UtF8, CellSize: 1, FormatVersion: y.version}
	y.filters, err = y.try(ctx, fragment.Var, tile, func(b []byte) bool {
		switch {
		case !utf8.Valid(b):
			y.datatype = filter.Uint8
		case y.datatype == filter.Ascii && bytes.ContainsFunc(b, func(r rune) bool { return r >= utf8.RuneSelf }):
			y.datatype = filter.UtF8
		}
		return uint64(len(b)) == size
	})
	if tile.VarStrings = true; (filter.Coding{Filters: y.filters, Tile: tile}).StringMode() {
		y.datatype = filter.Char // of others it would be packed with where they start
	}
	return err
}

// strings settles a field of texts that are packed with where they start.
func (y *impliedField) strings(ctx context.Context) error {
	raw := y.file(fragment.Var).rawTiles(ctx)
	if y.k >= len(raw) {
		return fmt.Errorf("its tile is not there")
	}
	tile := filter.TileType{Datatype: filter.Ascii, CellSize: 1, FormatVersion: y.version, VarStrings: true}
	for _, t := range []uint8{filter.Dictionary, filter.RLE} {
		for _, pack := range []uint8{filter.NoFilter, filter.Zstd, filter.Gzip, filter.LZ4, filter.Bzip2} {
			list := []filter.Filter{{Type: t, Compressor: map[uint8]uint8{filter.Dictionary: 7, filter.RLE: 4}[t], Level: -1}, {Type: pack, Compressor: pack, Level: -1}}
			b, starts, err := filter.Coding{Filters: list, Tile: tile}.Unfilter(ctx, raw[y.k], mostImpliedTile)
			if err == nil && len(starts) == 8*y.cells && utf8.Valid(b) {
				y.datatype, y.filters = filter.Ascii, list
				return nil
			}
		}
	}
	return fmt.Errorf("its texts are not packed with where they start")
}

// mostImpliedTile is how long a tile may be that is looked at.
const mostImpliedTile = 16 << 20

// try undoes pipelines of one file until what comes out is accepted.
func (y *impliedField) try(ctx context.Context, part int, tile filter.TileType, accept func([]byte) bool) ([]filter.Filter, error) {
	raw := y.file(part).rawTiles(ctx)
	if y.k >= len(raw) || len(raw[y.k]) > mostImpliedTile {
		return nil, fmt.Errorf("its tile is not there")
	}
	for _, list := range pipelines() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, _, err := filter.Coding{Filters: list, Tile: tile}.Unfilter(ctx, raw[y.k], mostImpliedTile)
		if err == nil && accept(b) {
			return list, nil
		}
	}
	return nil, fmt.Errorf("no filters are known that its tiles went through")
}

// pipelines are those that people use: a filter that rearranges bytes, one that packs them, one that sums them, each if at all.
func pipelines() (out [][]filter.Filter) {
	one := func(t uint8) []filter.Filter { return []filter.Filter{{Type: t}} }
	packs, orders, sums := [][]filter.Filter{nil}, [][]filter.Filter{nil}, [][]filter.Filter{nil, one(filter.MD5), one(filter.SHA256)}
	for _, t := range []uint8{filter.Zstd, filter.Gzip, filter.LZ4, filter.Bzip2, filter.RLE} {
		packs = append(packs, []filter.Filter{{Type: t, Compressor: t, Level: -1}})
	}
	orders = append(orders, []filter.Filter{{Type: filter.DoubleDelta, Compressor: filter.DoubleDelta, Level: -1, Reinterpret: filter.Any}},
		[]filter.Filter{{Type: filter.Delta, Compressor: 8, Level: -1, Reinterpret: filter.Any}})
	for _, t := range []uint8{filter.ByteShuffle, filter.BitShuffle, filter.Xor} {
		orders = append(orders, one(t))
	}
	orders = append(orders, []filter.Filter{{Type: filter.BitWidth, Window: 256}}, []filter.Filter{{Type: filter.PositiveDelta, Window: 1024}},
		[]filter.Filter{{Type: filter.PositiveDelta, Window: 1024}, {Type: filter.BitWidth, Window: 256}})
	for _, sum := range sums {
		for _, order := range orders {
			for _, pack := range packs {
				out = append(out, append(append(append([]filter.Filter(nil), order...), pack...), sum...))
			}
		}
	}
	return out
}
