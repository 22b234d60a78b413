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
}

// Cells is a field of a tile.
type Cells struct {
	Data   []byte  // cells of fixed size, or values
	Starts []int64 // of variable cells in data
	Valid  []byte  // of nullable fields
}

// At returns the bytes of cell i.
func (t *Cells) At(s *Slot, i int) []byte {
	if !s.Variable() {
		n := int(s.Cell())
		return t.Data[i*n : (i+1)*n]
	}
	if i+1 < len(t.Starts) {
		return t.Data[t.Starts[i]:t.Starts[i+1]]
	}
	return t.Data[t.Starts[i]:]
}

// Cells is how many cells the field has.
func (t *Cells) Cells(s *Slot) int {
	if s.Variable() {
		return len(t.Starts)
	}
	return len(t.Data) / max(int(s.Cell()), 1)
}

// Null tells whether cell i has no value: according to its validity, or because the cell does not exist.
func (t *Cells) Null(i int) bool { return t.Valid != nil && (i >= len(t.Valid) || t.Valid[i] == 0) }

// Measure computes the statistics of a tile. inside tells which cells count, nil for all, because dense tiles have padding.
func (t *Cells) Measure(s *Slot, inside func(i int) bool) (x Statistics) {
	limits, sums := s.HasLimits(), s.HasSum()
	if !limits && !sums && t.Valid == nil {
		return x
	}
	for i := range t.Cells(s) {
		if inside != nil && !inside(i) {
			continue
		}
		if t.Null(i) {
			x.Nulls++
			continue
		}
		v := t.At(s, i)
		if limits {
			x.Nan = x.Nan || isNaN(s.Datatype, v)
			x.Widen(s, v, v)
		}
		if sums {
			x.Sum = addSum(s.Datatype, x.Sum, numberOf(s.Datatype, v))
		}
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
	x.Sum = addSum(s.Datatype, x.Sum, y.Sum)
	x.Nulls += y.Nulls
	x.Nan = x.Nan || y.Nan
}

// isNaN tells whether a cell is NaN.
func isNaN(t uint8, v []byte) bool {
	x, _ := filter.Real(t, v)
	return math.IsNaN(x)
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

// numberOf is one value in the 64-bit form in which sums are stored.
func numberOf(t uint8, b []byte) uint64 {
	v, _, _ := storage.CodecOf(t).Decode(b)
	if filter.IsFloat(t) {
		return math.Float64bits(v.Float())
	}
	return v.Uint()
}

// addSum adds two sums. Integer sums saturate, as in TileDB.
func addSum(t uint8, x, y uint64) uint64 {
	z := x + y
	switch {
	case filter.IsFloat(t):
		return math.Float64bits(math.Float64frombits(x) + math.Float64frombits(y))
	case !filter.IsSigned(t) && z < x:
		return math.MaxUint64
	case filter.IsSigned(t) && int64(x) < 0 == (int64(y) < 0) && int64(x) < 0 != (int64(z) < 0):
		return math.MaxInt64 + x>>63 // or the lowest number
	}
	return z
}

// Value is a cell of a field: its bytes, and its validity.
type Value struct {
	Data  []byte
	Valid byte
}

// Set changes a cell.
func (t *Cells) Set(s *Slot, i int, v Value) {
	old := t.At(s, i)
	if s.Nullable {
		t.Valid[i] = v.Valid
	}
	if !s.Variable() {
		copy(old, v.Data)
		return
	}
	at, end := t.Starts[i], t.Starts[i]+int64(len(old))
	t.Data = append(append(bytes.Clone(t.Data[:at]), v.Data...), t.Data[end:]...)
	for j := i + 1; j < len(t.Starts); j++ {
		t.Starts[j] += int64(len(v.Data) - len(old))
	}
}

// Add appends a cell.
func (t *Cells) Add(s *Slot, v Value) {
	if s.Variable() {
		t.Starts = append(t.Starts, int64(len(t.Data)))
	}
	if t.Data = append(t.Data, v.Data...); s.Nullable {
		t.Valid = append(t.Valid, v.Valid)
	}
}
