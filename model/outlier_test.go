package model

import (
	"encoding/binary"
	"math"
	"testing"
)

// A number that one bit of its exponent makes huge is found, and what it was; marks for missing values and several huge numbers are the array's own.
func TestOutliers(t *testing.T) {
	for _, c := range []struct {
		name string
		set  map[int]float32
		want string
	}{
		{"a wrong bit", map[int]float32{70: math.Float32frombits(math.Float32bits(0.1357911) ^ 1<<30)}, "0.1357910"},
		{"none", nil, ""},
		{"a mark", map[int]float32{70: 9.96921e36}, ""},
		{"the largest number", map[int]float32{70: math.MaxFloat32}, ""},
		{"infinity", map[int]float32{70: float32(math.Inf(1))}, ""},
		{"many", map[int]float32{1: 1.2345678e30, 2: 2.2345678e30, 3: 3.2345678e30, 4: 4.2345678e30}, ""},
		{"no bit explains it", map[int]float32{70: 1.2345678e25}, ""},
	} {
		var b []byte
		for i := range 200 {
			v, ok := c.set[i]
			if !ok {
				v = float32(math.Sin(float64(i)))
			}
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		got := ""
		for _, i := range exponents["f32"].candidates(b, F32LE) {
			if was, ok := exponents["f32"].turned(b[4*i:4*i+4], F32LE, othersThan(i, b, F32LE)); ok {
				got += was.String()[:9]
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
