package tiledb

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// Fragments store the minimum, maximum, sum and number of nulls of each tile (5.1.1). Nothing else tells whether
// the bytes of a cell are unchanged.

// repeated is the stored statistics of a tile of a field; nil for missing ones.
type repeated struct {
	low, high  []byte
	sum, nulls *uint64
}

// repeated reads what the metadata repeat of the tile.
func (x tile) repeated(ctx context.Context) repeated {
	number := func(list int) *uint64 {
		if n := x.list(ctx, list); x.k < int64(len(n)) {
			return &n[x.k]
		}
		return nil
	}
	return repeated{x.limit(ctx, fragment.Mins), x.limit(ctx, fragment.Maxes), number(fragment.Sums), number(fragment.NullCounts)}
}

// limit reads the minimum or maximum of a tile of fixed-size cells, nil if there is none.
func (x tile) limit(ctx context.Context, list int) []byte {
	payload := x.payload(ctx, list)
	if payload == nil || x.Variable() {
		return nil
	}
	t, n := x.f.a.d.t, x.Cell()
	size, err := t.Bytes(ctx, model.Range{Space: payload.Range.Space, Len: 8})
	if err != nil || int64(min(filter.Uint(size, 8), math.MaxInt64)) < (x.k+1)*n {
		return nil
	}
	b, _ := t.Bytes(ctx, model.Range{Space: payload.Range.Space, Off: 16 + x.k*n, Len: n})
	return b
}

// counted tells which cells of the tile its statistics cover; nil for all. A write covers those that it was given, consolidation all of a
// tile, including those outside the box, which contain the fill value.
func (x tile) counted() func(i int) bool {
	if x.f.stamp.from != x.f.stamp.to {
		return nil
	}
	return x.f.meta.Inside(x.k)
}

// statistics compares the cells of a tile, which are at r, with the stored statistics.
func (x *deepFragment) statistics(ctx context.Context, at tile, r model.Range, valid []byte) {
	s := at.Slot
	if !at.summed() {
		return
	}
	data, err := x.f.a.d.t.Bytes(ctx, r)
	if err != nil {
		return
	}
	cells := fragment.Cells{Data: data, Valid: valid}
	if valid != nil && len(valid) < cells.Cells(s) {
		return // reported already
	}
	what, found, want := at.repeated(ctx).differs(s, cells.Measure(s, at.counted()))
	if what == "" || x.damaged(ctx, at.field) {
		return
	}
	x.p.Wrong(rule.StatisticsDiffer, x.inSpace(r), found, want,
		model.Saying("the %s of the cells of %s in tile %d does not match the stored one", what, s.Name, at.k))
}

// summed tells whether there are statistics of a tile to compare with its cells.
func (x tile) summed() bool {
	s, m := x.Slot, x.f.meta
	switch {
	case m.Version < 11 || m.Version > storage.VersionNewest, s.Variable(), s.Attr == nil && s.Dim == nil, !s.HasLimits() && !s.HasSum():
		return false
	case m.Dense && (m.Version < 21 && s.Nullable || x.k > 0 && !storage.IsNumber(s.Datatype)): // TileDB wrote them wrongly
		return false
	}
	// With these filters cells come back as neighbours of what was written.
	return !slices.ContainsFunc(s.Filters, func(f filter.Filter) bool { return f.Type == filter.ScaleFloat || f.Type == filter.WebP })
}

// differs describes a stored statistic that differs from the cells; "" if all agree.
func (x repeated) differs(s *fragment.Slot, got fragment.Statistics) (what, found, want string) {
	value := func(b []byte) string { return storage.Cell(s.Datatype, s.Num, b).String() }
	limit := func(got, stored []byte) bool {
		return stored != nil && !infinite(s.Datatype, got) && !bytes.Equal(stored, got) && lessOrMore(s.Datatype, stored, got)
	}
	limits := s.HasLimits() && got.Some && !got.Nan
	switch {
	case x.nulls != nil && s.Nullable && *x.nulls != got.Nulls:
		return "number of nulls", filter.Text(got.Nulls), filter.Text(*x.nulls)
	case limits && limit(got.Min, x.low):
		return "least", value(got.Min), value(x.low)
	case limits && limit(got.Max, x.high):
		return "greatest", value(got.Max), value(x.high)
	case s.HasSum() && x.sum != nil && !got.Overflows && !sameSum(s.Datatype, *x.sum, got.Sum):
		sum := func(bits uint64) string {
			v, _, _ := fragment.SumField(s.Datatype).Codec.Decode(binary.LittleEndian.AppendUint64(nil, bits))
			return v.String()
		}
		return "sum", sum(got.Sum), sum(*x.sum)
	}
	return "", "", ""
}

// damaged tells whether the lists of statistics of a field are damaged, so that they are no evidence against the cells.
func (x *deepFragment) damaged(ctx context.Context, at field) bool {
	slot := at.slot
	if is, known := x.doubt[slot]; known {
		return is
	}
	t, lists := x.f.a.d.t, []model.Range{}
	for _, list := range []int{fragment.Mins, fragment.Maxes, fragment.Sums, fragment.NullCounts} {
		if payload := at.payload(ctx, list); payload != nil && t.Open(ctx, payload) == nil { // it reports the error
			lists = append(lists, x.f.meta.Tile[list][slot].Range)
		}
	}
	found, _ := t.Findings()
	x.doubt[slot] = slices.ContainsFunc(found, func(f model.Finding) bool {
		return f.Grade() == model.Error && slices.ContainsFunc(lists, func(r model.Range) bool { return r.Contains(f.Where()) })
	})
	return x.doubt[slot]
}

// infinite tells whether a minimum or maximum is infinite: TileDB then stores the largest or smallest number, with which it starts.
func infinite(datatype uint8, v []byte) bool {
	x, _ := filter.Real(datatype, v)
	return math.IsInf(x, 0)
}

// lessOrMore tells whether two values are ordered: NaN and the two zeros are not.
func lessOrMore(t uint8, a, b []byte) bool {
	return fragment.LessCell(t, a, b) || fragment.LessCell(t, b, a)
}

// sameSum compares sums. Those of floats may differ in their last digits, depending on the order of addition.
func sameSum(datatype uint8, a, b uint64) bool {
	if !filter.IsFloat(datatype) {
		return a == b
	}
	u, v := math.Float64frombits(a), math.Float64frombits(b)
	return a == b || math.IsNaN(u) || math.IsNaN(v) || math.IsInf(u, 0) || math.IsInf(v, 0) || math.Abs(u-v) <= 1e-6*max(math.Abs(u), math.Abs(v), 1)
}
