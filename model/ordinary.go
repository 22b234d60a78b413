package model

import "math"

// What numbers look like tells their type and byte order where nothing else does.

// usual is the sizes of the numbers that people store of a type, and how many percent of them have one: an integer is in the lowest quarter of its
// bits. A random number is one by chance in 1 of 5 at most, a float16 in 2 of 5, because it has fewer sizes.
type usual struct {
	from, to float64
	least    int
}

var ordinary = map[string]usual{"f64": {1e-8, 1e8, 99}, "f32": {1e-8, 1e8, 99}, "bf16": {1e-8, 1e8, 99}, "f16": {1.0 / 4096, 2, 95},
	"i64": {0, 1 << 16, 99}, "u64": {0, 1 << 16, 99}, "i32": {0, 1 << 8, 99}, "u32": {0, 1 << 8, 99}}

func (u usual) count(v Value) int {
	if x := math.Abs(v.Float()); x >= u.from && x < u.to {
		return 1
	}
	return 0
}

// Oddness is how many of some numbers, zeros aside, hardly anyone stores.
type Oddness struct{ Huge, Tiny, All int }

// Few tells whether so few are odd that the numbers may be of the type as which they were read. Other bytes that are read as numbers are often odd.
func (o Oddness) Few() bool { return (o.Huge+o.Tiny)*8 <= o.All }

// Count adds some numbers of 4 or 8 bytes. Odd is an integer that uses its highest 8 bits, and a float beyond 1e18 or nearer to 0 than 1e-18.
func (o *Oddness) Count(b []byte, codec Codec) {
	for size := codec.Size(); len(b) >= size; b = b[size:] {
		if AllZero(b[:size]) {
			continue
		}
		o.All++
		v, _, _ := codec.Decode(b)
		switch x := math.Abs(v.Float()); {
		case v.Kind == Float && x <= 1e-18:
			o.Tiny++
		case v.Kind == Float && !(x < 1e18), v.Kind != Float && x >= math.Ldexp(1, 8*size-8):
			o.Huge++
		}
	}
}
