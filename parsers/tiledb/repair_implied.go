package tiledb

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"path"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Where no schema of an array can be read, its fragments imply most of one: their files tell how many fields there are and which of them vary in
// size, footers in which box the cells lie, and what they repeat of tiles tells types and filters. Names are lost, unless they stand in what is
// left of the schema.

// implied is a schema in the making.
type implied struct {
	a       *array
	name    string         // of its file
	left    *schema.Schema // what is left of it; nil for nothing
	version uint32
	dense   bool
	dims    []impliedDim
	attrs   []schema.NewAttribute

	coords, offsets, validity []filter.Filter
	capacity                  uint64
	tileOrder, cellOrder      byte
}

// impliedDim is a dimension: how its ends are stored, and the cells of a tile along it, 0 where nothing says.
type impliedDim struct {
	datatype  uint8
	low, high uint64
	extent    uint64
	filters   []filter.Filter
}

// fragmentShape is what a footer and the files beside it say without a schema (5.1).
type fragmentShape struct {
	version uint32
	schema  string
	dense   bool
	attrs   int
	dims    int
	domain  []byte
	files   map[string]int64 // sizes by base name without .tdb
}

// impliedOf parses the array with a schema that its fragments imply; nil where they imply none.
func impliedOf(ctx context.Context, a *array) *model.Tree {
	x := &a.implied
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.asked {
		t := imply(ctx, a)
		if ctx.Err() != nil {
			return nil
		}
		x.tree, x.asked = t, true
	}
	return x.tree
}

// mostImplied is how many fragments are asked, and how many attributes they may have.
const mostImplied = 64

func imply(ctx context.Context, a *array) *model.Tree {
	var x *implied
	var first *frag
	for _, f := range a.fragList[max(0, len(a.fragList)-mostImplied):] {
		s, err := shapeOf(f)
		if err != nil || ctx.Err() != nil {
			continue
		}
		if x == nil || x.name != s.schema {
			x, first = impliedBy(a, s), f
		}
		x.widen(s)
	}
	if x == nil || len(x.dims) == 0 {
		return nil
	}
	_, f := x.parsed(ctx, first.name)
	if f == nil {
		return nil
	}
	var best *model.Tree
	most := 0
	for _, way := range x.tiled(ctx, f) {
		x.arrange(way)
		if _, f = x.parsed(ctx, first.name); f == nil {
			return nil
		}
		if n := x.settle(ctx, f); n > most {
			most = n
			best, _ = x.parsed(ctx, first.name)
		}
		if most == len(x.attrs)+len(x.dims) {
			break
		}
	}
	return best
}

// impliedBy is what a fragment implies of its schema without a look into its files.
func impliedBy(a *array, s *fragmentShape) *implied {
	x := &implied{a: a, name: s.schema, left: a.schemas.Part(s.schema), version: s.version, dense: s.dense}
	for i := range s.attrs {
		n := schema.NewAttribute{Name: fmt.Sprintf("a%d", i), Datatype: filter.Char, Num: 1, Nullable: s.has("a", i, "_validity")}
		if s.has("a", i, "_var") {
			n.Num = storage.VariableCells
		}
		x.attrs = append(x.attrs, n)
	}
	return x
}

// parsed is the array with the schema, and a fragment of it; nil where its metadata cannot be read so.
func (x *implied) parsed(ctx context.Context, name string) (t *model.Tree, f *frag) {
	b, err := storage.WriteTile(ctx, x.version, x.payload(ctx), nil)
	if err != nil {
		return nil, nil
	}
	snap := x.a.d.t.Snapshot.With(x.a.path("__schema", x.name), model.BytesContent(b))
	model.Contain(func() error {
		t = model.Parse(ctx, snap, x.a.d.t.Format)
		return ctx.Err()
	})
	if d, ok := t.State.(*doc); ok {
		for _, f := range d.array("").fragList {
			if f.name == name && f.load(ctx) != nil {
				return t, f
			}
		}
	}
	return nil, nil
}

// shapeOf reads the footer of a fragment of version 12 or later.
func shapeOf(f *frag) (*fragmentShape, error) {
	b := fileBytes(f.a.d.t, path.Join(f.dir, metaFileF.Name), 64<<20)
	if len(b) < 8 || binary.LittleEndian.Uint64(b[len(b)-8:]) > uint64(len(b)-8) {
		return nil, fmt.Errorf("no footer")
	}
	foot := b[len(b)-8-int(binary.LittleEndian.Uint64(b[len(b)-8:])) : len(b)-8]
	if len(foot) < 14 {
		return nil, fmt.Errorf("no footer")
	}
	s := &fragmentShape{version: storage.Layout(binary.LittleEndian.Uint32(foot)), files: map[string]int64{}}
	n := binary.LittleEndian.Uint64(foot[4:])
	if s.version < 12 || s.version > storage.VersionNewest || n > uint64(len(foot)-14) {
		return nil, fmt.Errorf("a footer of another version, or none")
	}
	s.schema = string(foot[12 : 12+n])
	foot = foot[12+n:]
	s.dense = foot[0] != 0
	list, _, err := f.a.d.t.Snapshot.List(dot(f.dir))
	for _, e := range list {
		if c, err := f.a.d.t.Snapshot.Content(e.Name); err == nil && e.Regular {
			s.files[strings.TrimSuffix(path.Base(e.Name), ".tdb")] = c.Len()
		}
	}
	for s.attrs < mostImplied && (s.has("a", s.attrs, "") || s.has("a", s.attrs, "_var")) {
		s.attrs++
	}
	if err != nil || foot[1] != 0 || !s.solve(foot[2:]) {
		return nil, fmt.Errorf("its footer and its files do not fit")
	}
	return s, nil
}

func (s *fragmentShape) has(kind string, i int, part string) bool {
	_, ok := s.files[kind+filter.Text(i)+part]
	return ok
}

// solve finds how many dimensions there are, and the bytes of the domain: those with which the footer says of its files how long they are.
func (s *fragmentShape) solve(b []byte) bool {
	least, most := 1, 16
	if !s.dense {
		for least = 0; s.has("d", least, "") || s.has("d", least, "_var"); {
			least++
		}
		most = least
	}
	extra := 0
	for _, name := range []string{"t", "dt", "dci"} {
		if _, ok := s.files[name]; ok {
			extra++
		}
	}
	for s.dims = max(least, 1); s.dims <= most; s.dims++ {
		for sections := range 2 {
			if s.fits(b, s.attrs+1+s.dims+extra, sections) {
				return true
			}
		}
	}
	return false
}

// fits tells whether a footer of so many slots and sections says of its files how long they are, and takes what is before that for the domain.
func (s *fragmentShape) fits(b []byte, slots, sections int) bool {
	behind := 16 + b2i(s.version >= 14) + b2i(s.version >= 15)
	fixed := behind + 8*(3+fragment.Lists)*slots + 16 + 8*b2i(s.version >= 16)
	if s.version >= 23 {
		fixed += 4 + sections*(12+16*s.dims)
	}
	n := len(b) - fixed
	if n < 2*s.dims || s.dense && n%(2*s.dims) != 0 {
		return false
	}
	s.domain = b[:n]
	for i := range s.attrs {
		if int64(binary.LittleEndian.Uint64(b[n+behind+8*i:])) != s.files["a"+filter.Text(i)] {
			return false
		}
	}
	return s.attrs > 0
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// widen takes the box of a fragment into the domain.
func (x *implied) widen(s *fragmentShape) {
	dims := s.box()
	if x.dims == nil {
		x.dims = dims
		return
	}
	if len(dims) != len(x.dims) {
		return
	}
	for i := range dims {
		d := &x.dims[i]
		if dims[i].datatype != d.datatype || d.datatype == filter.Ascii {
			continue
		}
		if fragment.LessCell(d.datatype, binary.LittleEndian.AppendUint64(nil, dims[i].low), binary.LittleEndian.AppendUint64(nil, d.low)) {
			d.low = dims[i].low
		}
		if fragment.LessCell(d.datatype, binary.LittleEndian.AppendUint64(nil, d.high), binary.LittleEndian.AppendUint64(nil, dims[i].high)) {
			d.high = dims[i].high
		}
	}
}

// box reads the domain: all dimensions of numbers are taken to be as wide as each other.
func (s *fragmentShape) box() []impliedDim {
	for _, w := range []int{8, 4, 2, 1} {
		if out := s.boxOfWidth(w); out != nil {
			return out
		}
	}
	return nil
}

// boxOfWidth reads the domain where numbers have so many bytes; nil where that is not how long it is.
func (s *fragmentShape) boxOfWidth(w int) (out []impliedDim) {
	b := s.domain
	for i := range s.dims {
		if s.has("d", i, "_var") {
			if len(b) < 16 || binary.LittleEndian.Uint64(b) > uint64(len(b)-16) {
				return nil
			}
			b = b[16+binary.LittleEndian.Uint64(b):]
			out = append(out, impliedDim{datatype: filter.Ascii})
			continue
		}
		if len(b) < 2*w {
			return nil
		}
		out = append(out, boxOf(b[:w], b[w:2*w], s.dense))
		b = b[2*w:]
	}
	if len(b) > 0 {
		return nil
	}
	return out
}

// boxOf is a dimension of numbers between two ends, of the type that they seem to be of.
func boxOf(low, high []byte, dense bool) impliedDim {
	w := len(low)
	d := impliedDim{datatype: filter.IntOf(w), low: filter.Uint(low, w), high: filter.Uint(high, w)}
	switch {
	case !dense && w >= 4 && looksReal(low) && looksReal(high):
		d.datatype = filter.Float32 + uint8(w/8)
	case fragment.LessCell(d.datatype, high, low):
		d.datatype = unsignedOf(w)
	}
	if filter.IsSigned(d.datatype) {
		d.low, d.high = uint64(int64(d.low)<<(64-8*w)>>(64-8*w)), uint64(int64(d.high)<<(64-8*w)>>(64-8*w))
	}
	return d
}

func unsignedOf(w int) uint8 {
	return map[int]uint8{1: filter.Uint8, 2: filter.Uint16, 4: filter.Uint32, 8: filter.Uint64}[w]
}

// looksReal tells whether bytes look like a real number rather than an integer.
func looksReal(b []byte) bool {
	v, _ := filter.Real(map[int]uint8{4: filter.Float32, 8: filter.Float64}[len(b)], b)
	return math.Abs(v) > 1e-9 && math.Abs(v) < 1e12
}

// payload serializes the schema (3.1): what is left of it as it is, and the rest as it seems.
func (x *implied) payload(ctx context.Context) []byte {
	le := binary.LittleEndian
	raw := func(n model.Node) []byte {
		b, _ := x.a.d.t.Bytes(ctx, n.Range)
		return b
	}
	b := append(le.AppendUint32(nil, x.version), 0, byte(b2i(!x.dense)), x.tileOrder, x.cellOrder)
	if s := x.left; s != nil && s.Capacity.Span != nil {
		b = append(le.AppendUint32(nil, x.version), byte(s.Dups.Uint()), byte(s.Array.Uint()), byte(s.TileOrder.Uint()), byte(s.CellOrder.Uint()))
		x.capacity = s.Capacity.Uint()
	}
	b = le.AppendUint64(b, max(x.capacity, 1))
	if s := x.left; s != nil && s.Validity.Span != nil {
		b = append(append(append(b, raw(s.Coords.Node)...), raw(s.Offsets.Node)...), raw(s.Validity.Node)...)
	} else {
		b = storage.AppendPipeline(storage.AppendPipeline(storage.AppendPipeline(b, x.coords, x.version), x.offsets, x.version), x.validity, x.version)
	}
	b = le.AppendUint32(b, uint32(len(x.dims)))
	for i := range x.dims {
		if x.knows(len(x.dims)) {
			b = append(b, raw(x.left.Dims[i].Self)...)
			continue
		}
		b = x.dims[i].append(b, i, x.version)
	}
	b = le.AppendUint32(b, uint32(len(x.attrs)))
	for i := range x.attrs {
		if x.left != nil && i < len(x.left.Attrs) {
			b = append(b, raw(x.left.Attrs[i].Self)...)
			continue
		}
		b = schema.AppendAttribute(b, x.attrs[i], x.version)
	}
	b = append(b, make([]byte, 4*b2i(x.version >= 18)+4*b2i(x.version >= 20))...) // labels, enumerations
	if x.version >= 22 {
		b = append(le.AppendUint32(b, 0), 1) // no current domain
	}
	return b
}

// knows tells whether what is left of the schema has all n dimensions.
func (x *implied) knows(n int) bool {
	return x.left != nil && len(x.left.Dims) == n && x.left.DimCount.Int() == int64(n)
}

// append serializes dimension i (3.3).
func (d *impliedDim) append(b []byte, i int, version uint32) []byte {
	b = append(storage.AppendText(b, fmt.Sprintf("d%d", i)), d.datatype)
	if d.datatype == filter.Ascii {
		return append(binary.LittleEndian.AppendUint64(storage.AppendPipeline(binary.LittleEndian.AppendUint32(b, storage.VariableCells), d.filters, version), 0), 1)
	}
	w := filter.SizeOf(d.datatype)
	b = binary.LittleEndian.AppendUint64(storage.AppendPipeline(binary.LittleEndian.AppendUint32(b, 1), d.filters, version), uint64(2*w))
	number := func(v uint64) { b = append(b, binary.LittleEndian.AppendUint64(nil, v)[:w]...) }
	number(d.low)
	number(d.high)
	if b = append(b, byte(b2i(d.extent == 0))); d.extent > 0 {
		number(d.extent)
	}
	return b
}
