package model

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
)

// SmallFloat is a floating-point type of at most eight bits, as used for the weights of models, with its value for every bit pattern.
// Other values are rounded to the nearest, ties to even.
type SmallFloat struct {
	name   string
	values []float64 // by their bits; NaN if the bits are not a number
	sorted []uint8   // bits of the numbers, sorted by value
}

// The small floats of OCP (OFP8 and MX, 2023) and, as FNUZ, of AMD and Graphcore. Only E5M2 has infinities; the FNUZ types have no
// negative zero, whose bits are NaN. E2M1 has four bits, E2M3 and E3M2 have six, the others eight.
var (
	E4M3     = smallFloat("f8_e4m3", 4, 3, 7, func(b int) bool { return b&0x7f == 0x7f })
	E5M2     = smallFloat("f8_e5m2", 5, 2, 15, func(b int) bool { return b&0x7f > 0x7c })
	E4M3FNUZ = smallFloat("f8_e4m3fnuz", 4, 3, 8, func(b int) bool { return b == 0x80 })
	E5M2FNUZ = smallFloat("f8_e5m2fnuz", 5, 2, 16, func(b int) bool { return b == 0x80 })
	E8M0     = powers()
	E2M1     = smallFloat("f4_e2m1", 2, 1, 1, func(int) bool { return false })
	E2M3     = smallFloat("f6_e2m3", 2, 3, 1, func(int) bool { return false })
	E3M2     = smallFloat("f6_e3m2", 3, 2, 3, func(int) bool { return false })
)

// smallFloat makes a type of a sign, an exponent and a fraction.
func smallFloat(name string, exponent, fraction, bias int, nan func(bits int) bool) *SmallFloat {
	f := &SmallFloat{name: name, values: make([]float64, 1<<(1+exponent+fraction))}
	for b := range f.values {
		e, m := b>>fraction&(1<<exponent-1), float64(b&(1<<fraction-1))
		if e > 0 {
			m += float64(int(1) << fraction)
		}
		v := math.Ldexp(m, max(e, 1)-bias-fraction)
		switch {
		case nan(b):
			v = math.Float64frombits(plainNaN)
		case name == "f8_e5m2" && e == 31:
			v = math.Inf(1)
		}
		if b>>(exponent+fraction) == 1 {
			v = -v
		}
		f.values[b] = v
	}
	return f.sort()
}

// powers are the scales of MX: powers of two without a sign.
func powers() *SmallFloat {
	f := &SmallFloat{name: "f8_e8m0", values: make([]float64, 256)}
	for b := range 255 {
		f.values[b] = math.Ldexp(1, b-127)
	}
	f.values[255] = math.Float64frombits(plainNaN)
	return f.sort()
}

func (f *SmallFloat) sort() *SmallFloat {
	for b, v := range f.values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			f.sorted = append(f.sorted, uint8(b))
		}
	}
	slices.SortStableFunc(f.sorted, func(a, b uint8) int {
		switch x, y := f.values[a], f.values[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return f
}

func (f *SmallFloat) Size() int      { return 1 }
func (f *SmallFloat) Type() string   { return f.name }
func (f *SmallFloat) Endian() string { return "" }
func (f *SmallFloat) Kind() Kind     { return Float }

func (f *SmallFloat) Decode(b []byte) (Value, int, error) {
	if len(b) < 1 {
		return Value{}, 0, ErrShort
	}
	return F(f.Of(b[0])), 1, nil
}

// Width is the number of bits of a value.
func (f *SmallFloat) Width() int64 { return int64(bits.Len(uint(len(f.values) - 1))) }

// Of is the value of the lowest Width bits of b.
func (f *SmallFloat) Of(b byte) float64 { return f.values[int(b)&(len(f.values)-1)] }

func (f *SmallFloat) Encode(v Value) ([]byte, error) {
	b, err := f.Bits(v)
	return []byte{b}, err
}

// Bits are those of the nearest value. A value beyond the largest one is an error.
func (f *SmallFloat) Bits(v Value) (byte, error) {
	if !v.IsNumber() {
		return 0, fmt.Errorf("%s is not a number", v)
	}
	x := v.Float()
	for b, is := range f.values {
		if is == x && math.Signbit(is) == math.Signbit(x) || math.IsNaN(is) && math.IsNaN(x) {
			return byte(b), nil
		}
	}
	least, most := f.values[f.sorted[0]], f.values[f.sorted[len(f.sorted)-1]]
	if x != x || x < least || x > most {
		return 0, fmt.Errorf("%s does not fit in %s: %g to %g", v, f.name, least, most)
	}
	i := sort.Search(len(f.sorted), func(i int) bool { return f.values[f.sorted[i]] >= x })
	above := f.sorted[i]
	if i == 0 {
		return above, nil
	}
	below := f.sorted[i-1]
	switch down, up := x-f.values[below], f.values[above]-x; {
	case down < up, down == up && below&1 == 0:
		return below, nil
	}
	return above, nil
}
