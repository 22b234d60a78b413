package tiledb

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// One wrong byte of a tile whose pipeline has no digest: the least, the greatest and the sum that the fragment was written with (5.1.1) tell it,
// where no other change of one byte gives the same.

const (
	maxSolved  = 16 << 10  // bytes of a tile that is solved
	maxDecoded = 192 << 20 // bytes that trials make
)

// solve offers the one change of a byte after which the cells are those that the fragment was written with.
func (s *summedTile) solve(ctx context.Context, t *model.Tree) []model.Fix {
	s.once.Do(func() {
		raw := s.at.file(fragment.Fixed).rawTile(s.at.k)
		if raw == nil || s.at.Variable() {
			return
		}
		at := raw.Range
		in, err := t.Bytes(ctx, model.Range{Space: at.Space, Off: at.Off, Len: min(at.Len, maxSolved+1)})
		x, ok := s.at.solver(ctx, in)
		if err != nil || len(in) > maxSolved || !ok {
			return
		}
		off, to, n := x.search(ctx)
		if n != 1 || ctx.Err() != nil {
			return
		}
		r := model.Range{Space: at.Space, Off: at.Off + x.from + off, Len: 1}
		s.fixes = []model.Fix{{Label: fmt.Sprintf("set the byte at 0x%x to 0x%02x", r.Off, to), Safe: x.sure(), Edits: []model.Edit{model.Splice{Range: r, With: model.Memory([]byte{to}), Loose: true}}}}
	})
	return s.fixes
}

// solver tries changes of the bytes of the one chunk of a tile.
type solver struct {
	body     []byte // its metadata and data
	from     int64  // where they begin in the tile
	meta     int
	decode   func(body []byte) []byte       // nil where it cannot be undone
	agrees   func(cells []byte) bool        // with all that the fragment says of them
	outside  func(cells []byte, i int) bool // cell i is not between the least and the greatest
	size     int                            // of a cell
	sum      float64                        // how far the sum of the cells as they are is from the one that was stored; 0: they cannot be read
	was      []byte                         // the cells as they are
	bad      []int                          // those outside
	trials   int
	budgeted int64
}

// solver makes one for the bytes of a tile; false where the fragment says too little of it.
func (at tile) solver(ctx context.Context, in []byte) (x *solver, ok bool) {
	slot, told := at.Slot, at.repeated(ctx)
	chunks, _, err := filter.Chunks(in)
	if err != nil || len(chunks) != 1 || told.sum == nil || !slot.HasLimits() || told.low == nil || told.high == nil || at.f.meta.Version < 11 || at.f.meta.Dense && slot.Nullable {
		return nil, false
	}
	c := chunks[0]
	valid, ok := at.valid(ctx)
	if !ok || c.Offset+c.Size() > int64(len(in)) {
		return nil, false
	}
	how, inside := at.f.meta.Coding(slot, fragment.Fixed), at.counted()
	how.Key = at.f.a.d.key()
	x = &solver{body: bytes.Clone(in[c.Offset+storage.ChunkHead : c.Offset+c.Size()]), from: c.Offset + storage.ChunkHead, meta: int(c.Meta), size: int(slot.Cell())}
	x.decode = func(body []byte) []byte {
		out, _, err := how.UnfilterChunk(ctx, body, x.meta, int(c.Orig))
		if err != nil || len(out) != int(c.Orig) {
			return nil
		}
		return out
	}
	measure := func(cells []byte) fragment.Statistics {
		return (&fragment.Cells{Data: cells, Valid: valid}).Measure(slot, inside)
	}
	x.agrees = func(cells []byte) bool {
		got := measure(cells)
		return got.Some && bytes.Equal(got.Min, told.low) && bytes.Equal(got.Max, told.high) && filter.Uint(got.Sum[:], 8) == *told.sum &&
			(told.nulls == nil || !slot.Nullable || got.Nulls == *told.nulls)
	}
	x.outside = func(cells []byte, i int) bool {
		v := cells[i*x.size : (i+1)*x.size]
		return !(&fragment.Cells{Valid: valid}).Null(i) && (inside == nil || inside(i)) && (fragment.LessCell(slot.Datatype, v, told.low) || fragment.LessCell(slot.Datatype, told.high, v))
	}
	if x.was = x.decode(x.body); x.was != nil {
		got := measure(x.was)
		x.sum = math.Abs(realSum(slot.Datatype, filter.Uint(got.Sum[:], 8)) - realSum(slot.Datatype, *told.sum))
		for i := range len(x.was) / x.size {
			if x.outside(x.was, i) {
				x.bad = append(x.bad, i)
			}
		}
	}
	return x, int(c.Orig)%max(1, x.size) == 0 && (valid == nil || len(valid) == int(c.Orig)/x.size)
}

func realSum(t uint8, b uint64) float64 {
	switch {
	case filter.IsFloat(t):
		return math.Float64frombits(b)
	case filter.IsSigned(t):
		return float64(int64(b))
	}
	return float64(b)
}

// sure tells whether so many trials do not meet the sum by chance.
func (x *solver) sure() bool { return x.was != nil && x.sum > 16*float64(x.trials) }

// search returns the change after which all agrees, and how many there are: 2 for more than one, or for more than can be tried.
func (x *solver) search(ctx context.Context) (off int64, to byte, found int) {
	var places []int
	for i := range x.body {
		if ctx.Err() != nil || x.spent() {
			return 0, 0, 2
		}
		if x.touches(i) {
			places = append(places, i)
		}
	}
	for _, i := range places {
		for _, v := range x.solving(i) {
			off, to, found = int64(i), v, found+1
		}
		if found > 1 || x.spent() {
			return 0, 0, 2
		}
	}
	return off, to, found
}

// solving lists the values of byte i with which all agrees: no more than two, and none where the trials are spent.
func (x *solver) solving(i int) (values []byte) {
	is := x.body[i]
	defer func() { x.body[i] = is }()
	for v := range 256 {
		if byte(v) == is {
			continue
		}
		if x.spent() || len(values) > 1 {
			break
		}
		x.body[i] = byte(v)
		if cells := x.try(); cells != nil && (len(x.bad) == 0 || !x.outside(cells, x.bad[0])) && x.agrees(cells) {
			values = append(values, byte(v))
		}
	}
	return values
}

// try undoes the pipeline on the bytes as they are now.
func (x *solver) try() []byte {
	x.trials++
	out := x.decode(x.body)
	x.budgeted += int64(len(out)) + 512
	return out
}

func (x *solver) spent() bool { return x.budgeted > maxDecoded }

// touches tells whether the cells that are outside change with a byte: one of them where there are any.
func (x *solver) touches(i int) bool {
	if len(x.bad) == 0 {
		return true
	}
	for _, xor := range []byte{1, 0xff} {
		x.body[i] ^= xor
		cells := x.try()
		x.body[i] ^= xor
		if cells == nil {
			return true
		}
		n := x.bad[0] * x.size
		if !bytes.Equal(cells[n:n+x.size], x.was[n:n+x.size]) {
			return true
		}
	}
	return false
}

// solveByte offers what solves a tile that is not the one that was written.
func solveByte(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	if s, ok := f.About.(*summedTile); ok {
		return s.solve(ctx, t)
	}
	return nil
}
