package tiledb

import (
	"bytes"
	"encoding/binary"
	"math"

	"spandrel/parsers/tiledb/filter"
)

// hasLimits tells whether fragments store the least and the greatest value of a field (5.1.1).
func (s *fileSlot) hasLimits() bool {
	switch {
	case s.dim != nil:
		return false
	case s.datatype == filter.Ascii || s.datatype == filter.Char:
		return true
	case s.variable() || s.num != 1:
		return false
	}
	return isNumber(s.datatype)
}

// hasSum tells whether fragments store the sum of a field: single numbers, coordinates among them.
func (s *fileSlot) hasSum() bool { return !s.variable() && s.num == 1 && isNumber(s.datatype) }

// statistics are what a fragment repeats of a tile of a field, or of all its tiles.
type statistics struct {
	some     bool // there is a value
	nan      bool // one is no number: TileDB's least and greatest then depend on the order in which it looked
	min, max []byte
	sum      [8]byte
	nulls    uint64
}

// tileField is a field of a tile.
type tileField struct {
	data   []byte  // cells of fixed size, or values
	starts []int64 // of variable cells in data
	valid  []byte  // of nullable fields
}

// at returns the bytes of cell i.
func (t *tileField) at(s *fileSlot, i int) []byte {
	if !s.variable() {
		n := int(s.cell())
		return t.data[i*n : (i+1)*n]
	}
	if i+1 < len(t.starts) {
		return t.data[t.starts[i]:t.starts[i+1]]
	}
	return t.data[t.starts[i]:]
}

// cells is how many cells the field has.
func (t *tileField) cells(s *fileSlot) int {
	if s.variable() {
		return len(t.starts)
	}
	return len(t.data) / max(int(s.cell()), 1)
}

// null tells whether cell i has no value: its validity says so, or is not there.
func (t *tileField) null(i int) bool { return t.valid != nil && (i >= len(t.valid) || t.valid[i] == 0) }

// measure makes the statistics of a tile. inside tells which cells count, nil for all: dense tiles have padding.
func (t *tileField) measure(s *fileSlot, inside func(i int) bool) (x statistics) {
	limits, sums := s.hasLimits(), s.hasSum()
	if !limits && !sums && t.valid == nil {
		return x
	}
	for i := range t.cells(s) {
		if inside != nil && !inside(i) {
			continue
		}
		if t.null(i) {
			x.nulls++
			continue
		}
		v := t.at(s, i)
		if limits {
			x.nan = x.nan || isNaN(s.datatype, v)
			x.widen(s, v, v)
		}
		if sums {
			x.sum = addSum(s.datatype, x.sum, numberOf(s.datatype, v))
		}
	}
	return x
}

// widen makes room for values from low to high.
func (x *statistics) widen(s *fileSlot, low, high []byte) {
	if !x.some {
		x.some, x.min, x.max = true, low, high
		return
	}
	if lessCell(s.datatype, low, x.min) {
		x.min = low
	}
	if lessCell(s.datatype, x.max, high) {
		x.max = high
	}
}

// join adds the statistics of another tile.
func (x *statistics) join(s *fileSlot, y statistics) {
	if y.some {
		x.widen(s, y.min, y.max)
	}
	x.sum = addSum(s.datatype, x.sum, y.sum)
	x.nulls += y.nulls
	x.nan = x.nan || y.nan
}

// isNaN tells whether a cell is a real number that is none.
func isNaN(t uint8, v []byte) bool {
	switch {
	case t == filter.Float32 && len(v) == 4:
		return math.IsNaN(float64(math.Float32frombits(binary.LittleEndian.Uint32(v))))
	case t == filter.Float64 && len(v) == 8:
		return math.IsNaN(math.Float64frombits(binary.LittleEndian.Uint64(v)))
	}
	return false
}

// lessCell orders the bytes of two cells.
func lessCell(t uint8, a, b []byte) bool {
	switch {
	case !isNumber(t):
		return bytes.Compare(a, b) < 0
	case t == filter.Float32:
		return math.Float32frombits(binary.LittleEndian.Uint32(a)) < math.Float32frombits(binary.LittleEndian.Uint32(b))
	case t == filter.Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(a)) < math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	size := filter.SizeOf(t)
	x, y := filter.Uint(a, size), filter.Uint(b, size)
	if shift := 64 - 8*size; filter.IsSigned(t) {
		return int64(x<<shift) < int64(y<<shift)
	}
	return x < y
}

// numberOf is one value in the form in which sums are stored: 8 bytes, as i64, u64 or f64.
func numberOf(t uint8, b []byte) (out [8]byte) {
	v, _, _ := codecOf(t).Decode(b)
	if filter.IsFloat(t) {
		binary.LittleEndian.PutUint64(out[:], math.Float64bits(v.Float()))
	} else {
		binary.LittleEndian.PutUint64(out[:], v.Uint())
	}
	return out
}

// addSum adds two sums. Those of integers stop at the ends of their range, as TileDB's do.
func addSum(t uint8, a, b [8]byte) (out [8]byte) {
	le := binary.LittleEndian
	x, y := le.Uint64(a[:]), le.Uint64(b[:])
	switch z := x + y; {
	case filter.IsFloat(t):
		le.PutUint64(out[:], math.Float64bits(math.Float64frombits(x)+math.Float64frombits(y)))
	case filter.IsSigned(t) && int64(x) < 0 == (int64(y) < 0) && int64(x) < 0 != (int64(z) < 0):
		if z = math.MaxInt64; int64(x) < 0 {
			z = 1 << 63
		}
		le.PutUint64(out[:], z)
	case !filter.IsSigned(t) && z < x:
		le.PutUint64(out[:], math.MaxUint64)
	default:
		le.PutUint64(out[:], z)
	}
	return out
}

// cellValue is a cell of a field: its bytes, and 0 where it is null.
type cellValue struct {
	data  []byte
	valid byte
}

// set changes a cell.
func (t *tileField) set(s *fileSlot, i int, v cellValue) {
	old := t.at(s, i)
	if s.nullable {
		t.valid[i] = v.valid
	}
	if !s.variable() {
		copy(old, v.data)
		return
	}
	at, end := t.starts[i], t.starts[i]+int64(len(old))
	t.data = append(append(bytes.Clone(t.data[:at]), v.data...), t.data[end:]...)
	for j := i + 1; j < len(t.starts); j++ {
		t.starts[j] += int64(len(v.data) - len(old))
	}
}

// add appends a cell.
func (t *tileField) add(s *fileSlot, v cellValue) {
	if s.variable() {
		t.starts = append(t.starts, int64(len(t.data)))
	}
	if t.data = append(t.data, v.data...); s.nullable {
		t.valid = append(t.valid, v.valid)
	}
}
