package tiledb

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// Fragments repeat of each tile the least and the greatest value, the sum and the number of nulls (5.1.1). Nothing else tells whether
// the bytes of a cell are those that were written.

// stored reads what the metadata repeat of tile k of a field; nil for what they do not say.
func (f *frag) stored(ctx context.Context, slot int, k int64) (low, high []byte, sum, nulls *uint64) {
	number := func(list int) *uint64 {
		if n := f.list(ctx, list, slot); k < int64(len(n)) {
			return &n[k]
		}
		return nil
	}
	return f.limit(ctx, fragment.Mins, slot, k), f.limit(ctx, fragment.Maxes, slot, k), number(fragment.Sums), number(fragment.NullCounts)
}

// limit reads the least or the greatest value of tile k of a field of fixed size, nil when there is none.
func (f *frag) limit(ctx context.Context, list, slot int, k int64) []byte {
	s := &f.slots[slot]
	payload := f.listPayload(ctx, list, slot)
	if payload == nil || s.Variable() {
		return nil
	}
	t, n := f.a.d.t, s.Cell()
	size, err := t.Bytes(ctx, model.Range{Space: payload.Range.Space, Len: 8})
	if err != nil || int64(min(filter.Uint(size, 8), math.MaxInt64)) < (k+1)*n {
		return nil
	}
	b, err := t.Bytes(ctx, model.Range{Space: payload.Range.Space, Off: 16 + k*n, Len: n})
	if err != nil {
		return nil
	}
	return bytes.Clone(b)
}

// counted tells which cells of tile k its statistics are of; nil for all. A write counts those that it was given, consolidation all of a
// tile, those outside of the box too, which hold the fill value.
func (f *frag) counted(k int64) func(i int) bool {
	if f.stamp.from != f.stamp.to {
		return nil
	}
	return f.meta.Inside(k)
}

// statistics compares the cells of tile k of a field with what the metadata repeat of them.
func (x *deepFragment) statistics(ctx context.Context, slot int, k int64, r model.Range, valid []byte) {
	s := &x.f.slots[slot]
	if x.f.meta.Version < 11 || x.f.meta.Version > storage.VersionNewest || s.Variable() || s.Attr == nil && s.Dim == nil || !s.HasLimits() && !s.HasSum() {
		return
	}
	if x.f.meta.Dense && (x.f.meta.Version < 21 && s.Nullable || k > 0 && !storage.IsNumber(s.Datatype)) {
		return // TileDB wrote them wrongly
	}
	if slices.ContainsFunc(s.Filters, func(f filter.Filter) bool { return f.Type == filter.ScaleFloat || f.Type == filter.WebP }) {
		return // cells come back from these as neighbours of what was written
	}
	data, err := x.f.a.d.t.Bytes(ctx, r)
	if err != nil {
		return
	}
	field := fragment.Cells{Data: data, Valid: valid}
	if valid != nil && len(valid) < field.Cells(s) {
		return // that has been told
	}
	got := field.Measure(s, x.f.counted(k))
	low, high, sum, nulls := x.f.stored(ctx, slot, k)
	say := func(what, found, want string) {
		if x.damaged(ctx, slot) {
			return
		}
		x.p.Wrong(rule.StatisticsDiffer, model.Spot{Span: x.f.a.d.t.Space(r.Space).Root, Range: r}, found, want, model.About(&summedTile{f: x.f, slot: slot, k: k}),
			model.Saying("the %s of the cells of %s in tile %d is not the one that was stored", what, s.Name, k))
	}
	switch {
	case nulls != nil && s.Nullable && *nulls != got.Nulls:
		say("number of nulls", filter.Text(got.Nulls), filter.Text(*nulls))
	case s.HasLimits() && got.Some && !got.Nan && !infinite(s.Datatype, got.Min) && low != nil && !bytes.Equal(low, got.Min) && lessOrMore(s.Datatype, low, got.Min):
		say("least", storage.Cell(s.Datatype, s.Num, got.Min).String(), storage.Cell(s.Datatype, s.Num, low).String())
	case s.HasLimits() && got.Some && !got.Nan && !infinite(s.Datatype, got.Max) && high != nil && !bytes.Equal(high, got.Max) && lessOrMore(s.Datatype, high, got.Max):
		say("greatest", storage.Cell(s.Datatype, s.Num, got.Max).String(), storage.Cell(s.Datatype, s.Num, high).String())
	case s.HasSum() && sum != nil && !sameSum(s.Datatype, *sum, filter.Uint(got.Sum[:], 8)):
		v, _, _ := fragment.SumField(s.Datatype).Codec.Decode(got.Sum[:])
		w, _, _ := fragment.SumField(s.Datatype).Codec.Decode(binary.LittleEndian.AppendUint64(nil, *sum))
		say("sum", v.String(), w.String())
	}
}

// damaged tells whether something is wrong with the lists of statistics of a field, so that they are no evidence against the cells.
func (x *deepFragment) damaged(ctx context.Context, slot int) bool {
	if is, known := x.doubt[slot]; known {
		return is
	}
	t, lists := x.f.a.d.t, []model.Range{}
	for _, list := range []int{fragment.Mins, fragment.Maxes, fragment.Sums, fragment.NullCounts} {
		if payload := x.f.listPayload(ctx, list, slot); payload != nil && t.Open(ctx, payload) == nil { // which reports what is wrong
			lists = append(lists, x.f.meta.Tile[list][slot].Range)
		}
	}
	found, _ := t.Findings()
	x.doubt[slot] = slices.ContainsFunc(found, func(f model.Finding) bool {
		return f.Grade() == model.Error && slices.ContainsFunc(lists, func(r model.Range) bool { return r.Contains(f.Where()) })
	})
	return x.doubt[slot]
}

// infinite tells whether a least or greatest value is beyond all numbers: TileDB stores the greatest or least number then, with which it begins.
func infinite(datatype uint8, v []byte) bool {
	x, _ := filter.Real(datatype, v)
	return math.IsInf(x, 0)
}

// lessOrMore tells whether two values differ in order: NaN and the two zeros do not.
func lessOrMore(t uint8, a, b []byte) bool {
	return fragment.LessCell(t, a, b) || fragment.LessCell(t, b, a)
}

// sameSum compares sums. Those of real numbers may differ in their last digits, by the order in which they were added.
func sameSum(datatype uint8, a, b uint64) bool {
	if !filter.IsFloat(datatype) {
		return a == b
	}
	u, v := math.Float64frombits(a), math.Float64frombits(b)
	return a == b || math.IsNaN(u) || math.IsNaN(v) || math.IsInf(u, 0) || math.IsInf(v, 0) || math.Abs(u-v) <= 1e-6*max(math.Abs(u), math.Abs(v), 1)
}

// summedTile is a tile of cells of fixed size, and what was found of it.
type summedTile struct {
	f    *frag
	slot int
	k    int64

	once  sync.Once
	fixes []model.Fix
}
