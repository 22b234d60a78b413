package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Numbers are called swapped only if they are ordinary in the other byte order and not in theirs.
func TestFirstSwapped(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cells := func(size int64, value func(i int) Value) (out []Cell) {
		for i := range 200 {
			out = append(out, Cell{Value: value(i), Range: Range{Len: size}})
		}
		return out
	}
	turned := func(in []Cell) (out []Cell) {
		for _, c := range in {
			out = append(out, Cell{Value: swapped(c), Range: c.Range})
		}
		return out
	}
	ordinary := map[string][]Cell{
		"doubles":    cells(8, func(int) Value { return F(r.NormFloat64()) }),
		"halves":     cells(8, func(i int) Value { return F(float64(i) / 2) }),
		"floats":     cells(4, func(int) Value { return F(float64(float32(r.NormFloat64()))) }),
		"whole":      cells(4, func(i int) Value { return F(float64(i)) }),
		"labels":     cells(8, func(i int) Value { return I(int64(i * 7)) }),
		"with signs": cells(8, func(i int) Value { return I(int64(i - 100)) }),
		"bytes":      cells(4, func(i int) Value { return I(int64(i)) }),
	}
	for name, list := range ordinary {
		if firstSwapped(list) != nil {
			t.Errorf("%s: in their own byte order", name)
		}
		if firstSwapped(turned(list)) == nil {
			t.Errorf("%s: not recognised in the other byte order", name)
		}
	}
	odd := map[string][]Cell{
		"hashes":          cells(8, func(int) Value { return U(r.Uint64()) }),
		"times":           cells(8, func(i int) Value { return I(1_790_000_000_000_000_000 + int64(i)*86_400_000_000_000) }),
		"16-bit sound":    cells(4, func(int) Value { return I(int64(int16(r.Uint32())) << 16) }),
		"colours":         cells(4, func(int) Value { return U(uint64(r.Uint32() &^ 0xff)) }),
		"tiny":            cells(8, func(i int) Value { return F(math.Ldexp(1+float64(i)/1000, -900)) }),
		"denormal":        cells(4, func(i int) Value { return F(float64(math.Float32frombits(uint32(i)))) }),
		"bits":            cells(8, func(int) Value { return F(math.Float64frombits(r.Uint64())) }),
		"one value":       turned(cells(8, func(int) Value { return F(1.5) })),
		"palindromes":     cells(4, func(i int) Value { return U(uint64(i)<<24 | uint64(i)) }),
		"bytes of 2 each": cells(2, func(i int) Value { return I(int64(i) << 8) }),
	}
	for name, list := range odd {
		if firstSwapped(list) != nil {
			t.Errorf("%s: called swapped", name)
		}
	}
}
