package fragment

import (
	"bytes"
	"math"

	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/storage"
)

// HasLimits tells whether fragments store the minimum and maximum of a field (5.1.1).
func (s *Slot) HasLimits() bool {
	switch {
	case s.Dim != nil:
		return false
	case s.Datatype == filter.Ascii || s.Datatype == filter.Char:
		return true
	case s.Variable() || s.Num != 1:
		return false
	}
	return storage.IsNumber(s.Datatype)
}

// HasSum tells whether fragments store the sum of a field: single numbers, including coordinates.
func (s *Slot) HasSum() bool { return !s.Variable() && s.Num == 1 && storage.IsNumber(s.Datatype) }

// Statistics are the stored statistics of a tile of a field, or of all its tiles.
type Statistics struct {
	Some     bool // there is a value
	Nan      bool // there is a NaN: TileDB's minimum and maximum then depend on the order of comparison
	Min, Max []byte
	Sum      uint64 // as i64, u64 or the bits of f64
	Nulls    uint64
	// Overflows means that a sum of the cells in some order can leave the range of its type, where TileDB stops adding: the sum then depends on the order in
	// which the cells were written.
	Overflows bool
}

// Measure computes the statistics of a tile. inside tells which cells count, nil for all, because dense tiles have padding.
func (t *Cells) Measure(s *Slot, inside func(i int) bool) (x Statistics) {
	limits := s.HasLimits()
	switch {
	case s.HasSum():
		if x = t.numbers(s, inside); !limits {
			return Statistics{Sum: x.Sum, Nulls: x.Nulls, Overflows: x.Overflows}
		}
		return x
	case !limits && t.Valid == nil:
		return x
	}
	for i := range t.Cells(s) {
		switch {
		case inside != nil && !inside(i):
		case t.Null(i):
			x.Nulls++
		case limits: // of texts
			x.Widen(s, t.At(s, i), t.At(s, i))
		}
	}
	return x
}

// numbers is Measure for single numbers, without a detour for each and with limits, stored or not.
func (t *Cells) numbers(s *Slot, inside func(i int) bool) Statistics {
	b, size := t.Data, filter.SizeOf(s.Datatype)
	shift := 64 - 8*size
	switch {
	case s.Datatype == filter.Float32:
		return measure(t, s, inside, func(i int) float64 { return float64(math.Float32frombits(le.Uint32(b[4*i:]))) }, math.Float64bits)
	case s.Datatype == filter.Float64:
		return measure(t, s, inside, func(i int) float64 { return math.Float64frombits(le.Uint64(b[8*i:])) }, math.Float64bits)
	case filter.IsSigned(s.Datatype):
		return measure(t, s, inside, func(i int) int64 { return int64(filter.Uint(b[i*size:], size)<<shift) >> shift },
			func(v int64) uint64 { return uint64(v) })
	}
	return measure(t, s, inside, func(i int) uint64 { return filter.Uint(b[i*size:], size) }, func(v uint64) uint64 { return v })
}

// measure measures numbers whose cells value returns, and whose form in sums is bits.
func measure[T int64 | uint64 | float64](t *Cells, s *Slot, inside func(i int) bool, value func(i int) T, bits func(T) uint64) (x Statistics) {
	low, high, least, most, n := -1, -1, T(0), T(0), 0
	for i := range t.Cells(s) {
		if inside != nil && !inside(i) {
			continue
		}
		if t.Null(i) {
			x.Nulls++
			continue
		}
		v := value(i)
		x.Nan = x.Nan || v != v
		if low < 0 || v < least {
			low, least = i, v
		}
		if high < 0 || most < v {
			high, most = i, v
		}
		n++
		x.add(s.Datatype, bits(v))
	}
	x.Overflows = x.Overflows || max(math.Abs(float64(least)), math.Abs(float64(most)))*float64(n) >= mostSum(s.Datatype)
	if x.Some = low >= 0; x.Some {
		x.Min, x.Max = t.At(s, low), t.At(s, high)
	}
	return x
}

// Widen makes room for values from low to high.
func (x *Statistics) Widen(s *Slot, low, high []byte) {
	if !x.Some {
		x.Some, x.Min, x.Max = true, low, high
		return
	}
	if LessCell(s.Datatype, low, x.Min) {
		x.Min = low
	}
	if LessCell(s.Datatype, x.Max, high) {
		x.Max = high
	}
}

// join adds the statistics of another tile.
func (x *Statistics) join(s *Slot, y Statistics) {
	if y.Some {
		x.Widen(s, y.Min, y.Max)
	}
	x.add(s.Datatype, y.Sum)
	x.Nulls += y.Nulls
	x.Nan = x.Nan || y.Nan
}

// LessCell orders the bytes of two cells.
func LessCell(t uint8, a, b []byte) bool {
	if !storage.IsNumber(t) {
		return bytes.Compare(a, b) < 0
	}
	size := filter.SizeOf(t)
	if filter.IsFloat(t) {
		x, _ := filter.Real(t, a[:size])
		y, _ := filter.Real(t, b[:size])
		return x < y
	}
	x, y := filter.Uint(a, size), filter.Uint(b, size)
	if shift := 64 - 8*size; filter.IsSigned(t) {
		return int64(x<<shift) < int64(y<<shift)
	}
	return x < y
}

// mostSum is what a sum of a type cannot exceed.
func mostSum(t uint8) float64 {
	switch {
	case filter.IsFloat(t):
		return math.MaxFloat64
	case filter.IsSigned(t):
		return -math.MinInt64
	}
	return math.MaxUint64
}

// add adds to the sum. One that would leave the range of its type stays at its limit, as in TileDB, which then adds nothing more to it.
func (x *Statistics) add(t uint8, y uint64) {
	z, full := x.Sum+y, false
	switch {
	case x.Overflows:
		return
	case filter.IsFloat(t):
		a, b := math.Float64frombits(x.Sum), math.Float64frombits(y)
		z = math.Float64bits(a + b)
		if full = a < 0 == (b < 0) && math.Abs(a) > math.MaxFloat64-math.Abs(b); full {
			z = math.Float64bits(math.Copysign(math.MaxFloat64, a))
		}
	case !filter.IsSigned(t):
		if full = z < y; full {
			z = math.MaxUint64
		}
	case int64(x.Sum) < 0 == (int64(y) < 0) && int64(y) < 0 != (int64(z) < 0):
		z, full = math.MaxInt64+y>>63, true // or the lowest number
	}
	x.Sum, x.Overflows = z, full
}
