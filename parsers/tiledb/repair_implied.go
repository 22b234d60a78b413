package tiledb

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Where no schema of an array can be read, its fragments imply most of one: their files tell how many fields there are and which of them vary in
// size, footers in which box the cells lie, and what they repeat of tiles tells types and filters. Names are lost, unless they are in what is
// left of the schema. Each guess is written as a schema, and the fragment is read by it.

// implied is a schema in the making.
type implied struct {
	a       *array
	name    string         // of its file
	left    *schema.Schema // what is left of it; nil for nothing
	version uint32
	dense   bool
	dims    []impliedDim
	attrs   []schema.NewAttribute
	box     fragment.Box // of the cells of all fragments; nil: not known yet

	coords, offsets, validity []filter.Filter
	capacity                  uint64
	order                     arrangement
}

// impliedDim is a dimension.
type impliedDim struct {
	datatype uint8
	filters  []filter.Filter
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

func imply(ctx context.Context, a *array) (best *model.Tree) {
	var x *implied
	var first *frag
	for _, f := range a.fragList[max(0, len(a.fragList)-mostImplied):] {
		if y := impliedBy(ctx, f); x != nil && x.name == y.name {
			if g := x.fragment(ctx, f); g != nil && len(g.meta.Domain) == len(x.box) {
				x.box = x.box.With(g.meta.Box())
			}
		} else if ctx.Err() == nil && y.shape(ctx, f) {
			x, first = y, f
		}
	}
	if x == nil {
		return nil
	}
	f, most := x.fragment(ctx, first), 0
	if f == nil {
		return nil
	}
	for _, way := range x.tiled(ctx, f) {
		x.order = way
		if f = x.fragment(ctx, first); f == nil {
			return nil
		}
		if n := x.settle(ctx, f); n > most {
			most = n
			best = x.parsed(ctx, a.d.t.Format)
		}
		if most == len(x.attrs)+len(x.dims) {
			break
		}
	}
	return best
}

// impliedBy is what the files of a fragment imply of its schema. A sparse one has its coordinates in files.
func impliedBy(ctx context.Context, f *frag) *implied {
	f.load(ctx)
	has := func(kind string, i int, part int) bool {
		return f.files[kind+filter.Text(i)+fragment.PartNames[part]] != nil
	}
	x := &implied{a: f.a, name: namesSchema(ctx, f, f.a.d.t), version: f.stamp.version}
	x.left = f.a.schemas.Part(x.name)
	for i := 0; i < mostImplied && (has("a", i, fragment.Fixed) || has("a", i, fragment.Var)); i++ {
		n := schema.NewAttribute{Name: fmt.Sprintf("a%d", i), Datatype: filter.Char, Num: 1, Nullable: has("a", i, fragment.Validity)}
		if has("a", i, fragment.Var) {
			n.Num = storage.VariableCells
		}
		x.attrs = append(x.attrs, n)
	}
	for i := 0; has("d", i, fragment.Fixed) || has("d", i, fragment.Var); i++ {
		x.dims = append(x.dims, impliedDim{})
		if has("d", i, fragment.Var) {
			x.dims[i].datatype = filter.Ascii
		}
	}
	x.dense = len(x.dims) == 0
	return x
}

// shape finds how many dimensions there are and of which type: those with which the footer of a fragment ends where it should, and says of its
// files how long they are. All dimensions of numbers are taken to be as wide as each other.
func (x *implied) shape(ctx context.Context, f *frag) bool {
	if x.name == "" || len(x.attrs) == 0 || x.version < writesFrom || x.version > storage.VersionNewest {
		return false
	}
	least, most := len(x.dims), len(x.dims)
	if x.dense {
		least, most = 1, 16
	}
	for n := least; n <= most; n++ {
		for _, w := range []int{8, 4, 2, 1} {
			for len(x.dims) < n {
				x.dims = append(x.dims, impliedDim{})
			}
			for i := range x.dims {
				if d := &x.dims[i]; d.datatype != filter.Ascii {
					d.datatype = filter.IntOf(w)
				}
			}
			if g := x.fragment(ctx, f); g != nil && g.whole(ctx) {
				x.retype(g, w)
				if g = x.fragment(ctx, f); g != nil {
					x.box = g.meta.Box()
				}
				return g != nil
			}
		}
	}
	return false
}

// retype gives dimensions of numbers of w bytes the types that they seem to be of, by the ends of their box.
func (x *implied) retype(f *frag, w int) {
	for i := range x.dims {
		d := &x.dims[i]
		if d.datatype == filter.Ascii || x.knows(len(x.dims)) {
			continue
		}
		low, high := f.meta.Domain[i].Ends()
		switch {
		case !x.dense && w >= 4 && looksReal(low.Uint(), w) && looksReal(high.Uint(), w):
			d.datatype = filter.Float32 + uint8(w/8)
		case high.Int() < low.Int():
			d.datatype = map[int]uint8{1: filter.Uint8, 2: filter.Uint16, 4: filter.Uint32, 8: filter.Uint64}[w]
		}
	}
}

// looksReal tells whether w bytes look like a real number rather than an integer.
func looksReal(bits uint64, w int) bool {
	v := math.Float64frombits(bits)
	if w == 4 {
		v = float64(math.Float32frombits(uint32(bits)))
	}
	return math.Abs(v) > 1e-9 && math.Abs(v) < 1e12
}

// parsed is the array with the schema.
func (x *implied) parsed(ctx context.Context, format *model.Format) (t *model.Tree) {
	b, err := storage.WriteTile(ctx, x.version, x.payload(ctx), nil)
	if err != nil {
		return nil
	}
	snap := x.a.d.t.Snapshot.With(x.a.path("__schema", x.name), model.BytesContent(b))
	model.Contain(func() error {
		t = model.Parse(ctx, snap, format)
		return ctx.Err()
	})
	return t
}

// fragment is a fragment of the array as it is read by the schema; nil where its footer does not end where it should, or has no box.
func (x *implied) fragment(ctx context.Context, f *frag) (g *frag) {
	t := x.parsed(ctx, &model.Format{Parse: func(c *model.Cursor) {
		d := &doc{t: c.Tree(), arrays: map[string]*array{}, readKey: x.a.d.readKey}
		c.Tree().State = d
		a := d.array(x.a.dir)
		a.listSchemas(c)
		f.show(a, c)
		g = a.fragList[0]
	}})
	if t == nil || g == nil || g.load(ctx) == nil || g.meta.Null {
		return nil
	}
	if found, _ := t.Findings(); slices.ContainsFunc(found, func(f model.Finding) bool { return f.Rule == rule.FooterLength }) {
		return nil
	}
	return g
}

// payload serializes the schema (3.1): what is left of it as it is, and the rest as it seems.
func (x *implied) payload(ctx context.Context) []byte {
	le := binary.LittleEndian
	raw := func(n model.Node) []byte {
		b, _ := x.a.d.t.Bytes(ctx, n.Range)
		return b
	}
	b := append(le.AppendUint32(nil, x.version), 0, storage.Flag(!x.dense), x.order.tiles, x.order.cells)
	if s := x.left; s != nil && s.Capacity.Span != nil {
		b = append(le.AppendUint32(nil, x.version), byte(s.Dups.Uint()), byte(s.Array.Uint()), byte(s.TileOrder.Uint()), byte(s.CellOrder.Uint()))
		x.capacity = s.Capacity.Uint()
	}
	b = le.AppendUint64(b, max(x.capacity, 1))
	if s := x.left; s != nil && s.Validity.Span != nil {
		b = append(append(append(b, raw(s.Coords.Node)...), raw(s.Offsets.Node)...), raw(s.Validity.Node)...)
	} else {
		for _, pipe := range [][]filter.Filter{x.coords, x.offsets, x.validity} {
			b = storage.AppendPipeline(b, pipe, x.version)
		}
	}
	b = le.AppendUint32(b, uint32(len(x.dims)))
	for i := range x.dims {
		if x.knows(len(x.dims)) {
			b = append(b, raw(x.left.Dims[i].Self)...)
		} else {
			b = x.appendDim(b, i)
		}
	}
	b = le.AppendUint32(b, uint32(len(x.attrs)))
	for i := range x.attrs {
		if x.left != nil && i < len(x.left.Attrs) {
			b = append(b, raw(x.left.Attrs[i].Self)...)
		} else {
			b = schema.AppendAttribute(b, x.attrs[i], x.version)
		}
	}
	for _, since := range []uint32{18, 20, 22} { // no labels, no enumerations, no current domain
		if x.version >= since {
			b = le.AppendUint32(b, 0)
		}
	}
	if x.version >= 22 {
		b = append(b, 1)
	}
	return b
}

// knows tells whether what is left of the schema has all n dimensions.
func (x *implied) knows(n int) bool {
	return x.left != nil && len(x.left.Dims) == n && x.left.DimCount.Int() == int64(n)
}

// appendDim serializes dimension i (3.3). As long as the box is not known its domain is 0 to 0.
func (x *implied) appendDim(b []byte, i int) []byte {
	d, le := &x.dims[i], binary.LittleEndian
	b = append(storage.AppendText(b, fmt.Sprintf("d%d", i)), d.datatype)
	if d.datatype == filter.Ascii {
		return append(le.AppendUint64(storage.AppendPipeline(le.AppendUint32(b, storage.VariableCells), d.filters, x.version), 0), 1)
	}
	w := filter.SizeOf(d.datatype)
	b = le.AppendUint64(storage.AppendPipeline(le.AppendUint32(b, 1), d.filters, x.version), uint64(2*w))
	var ends [2]model.Value
	if x.box != nil {
		ends = x.box[i]
	}
	extents := x.order.extents
	if extents != nil {
		ends[0] = storage.IntOf(d.datatype, int64(x.order.lows[i]))
	}
	for _, v := range ends {
		end, err := storage.CodecOf(d.datatype).Encode(v)
		if err != nil || v.Kind == model.None {
			end = make([]byte, w)
		}
		b = append(b, end...)
	}
	if b = append(b, storage.Flag(extents == nil)); extents != nil {
		b = append(b, le.AppendUint64(nil, uint64(extents[i]))[:w]...)
	}
	return b
}
