package model

import (
	"math"
	"testing"
)

// Every value of every small float is written as it was read, and what lies between two is rounded to the nearer, or to the even one.
func TestSmallFloats(t *testing.T) {
	for _, f := range []*SmallFloat{E4M3, E5M2, E4M3FNUZ, E5M2FNUZ, E8M0, E2M1, E2M3, E3M2} {
		for b, v := range f.values {
			back, err := f.Bits(F(v))
			if err != nil || !math.IsNaN(v) && int(back) != b {
				t.Errorf("%s: %#x is %g, written as %#x: %v", f.name, b, v, back, err)
			}
		}
		for i, b := range f.sorted[1:] {
			a := f.sorted[i]
			middle := f.values[a]/2 + f.values[b]/2
			back, err := f.Bits(F(middle))
			if err != nil || back&1 == 1 && f.values[a] != f.values[b] && f.name != "f8_e8m0" {
				t.Errorf("%s: %g, between %#x and %#x, is written as %#x: %v", f.name, middle, a, b, back, err)
			}
		}
	}
	for _, c := range []struct {
		f    *SmallFloat
		bits byte
		want float64
	}{
		{E4M3, 0x7e, 448}, {E4M3, 0x01, 1.0 / 512}, {E4M3, 0xb8, -1}, {E4M3, 0x7f, math.NaN()},
		{E5M2, 0x7b, 57344}, {E5M2, 0x7c, math.Inf(1)}, {E5M2, 0xfc, math.Inf(-1)}, {E5M2, 0x7d, math.NaN()}, {E5M2, 0x01, 1.0 / 65536},
		{E4M3FNUZ, 0x7f, 240}, {E4M3FNUZ, 0x80, math.NaN()}, {E5M2FNUZ, 0x7f, 57344}, {E5M2FNUZ, 0x40, 1}, {E5M2FNUZ, 0x80, math.NaN()},
		{E8M0, 0, math.Ldexp(1, -127)}, {E8M0, 127, 1}, {E8M0, 254, math.Ldexp(1, 127)}, {E8M0, 255, math.NaN()},
		{E2M1, 1, 0.5}, {E2M1, 7, 6}, {E2M1, 0xf, -6}, {E2M1, 0x27, 6},
		{E2M3, 1, 0.125}, {E2M3, 0x1f, 7.5}, {E2M3, 0x3f, -7.5}, {E3M2, 1, 0.0625}, {E3M2, 0x1f, 28}, {E3M2, 0x0c, 1},
	} {
		if got := c.f.Of(c.bits); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s %#x: %g, not %g", c.f.name, c.bits, got, c.want)
		}
	}
	for _, f := range []*SmallFloat{E4M3, E4M3FNUZ, E8M0, E2M1} {
		if _, err := f.Encode(F(1e300)); err == nil {
			t.Errorf("%s takes 1e300", f.name)
		}
		if _, err := f.Encode(S("x")); err == nil {
			t.Errorf("%s takes a text", f.name)
		}
	}
	if _, err := E8M0.Encode(F(-1)); err == nil {
		t.Error("a scale is never negative")
	}
}
