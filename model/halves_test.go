package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Numbers are called bfloat16 only if they are those of one that is read as float16, and not if they are any that people store as float16.
func TestBrains(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sign := func() float64 { return float64(1 - 2*r.IntN(2)) }
	for name, x := range map[string]struct {
		value func() float64
		brain bool // also when it is stored as bfloat16
	}{
		"weights":     {func() float64 { return r.NormFloat64() / 50 }, true},
		"embeddings":  {func() float64 { return r.NormFloat64() / 2 }, true},
		"uniform":     {func() float64 { return 2*r.Float64() - 1 }, true},
		"layer norms": {func() float64 { return 1.9 + r.NormFloat64()/10 }, false},
		"whole":       {func() float64 { return float64(r.IntN(200) - 100) }, false},
		"saturated":   {func() float64 { return 2 * math.Tanh(9*r.NormFloat64()) }, false},
		"near one":    {func() float64 { return sign() * (1 + r.NormFloat64()/5) }, false},
	} {
		var half, brain []byte
		for range 1024 {
			v := F(x.value())
			h, _ := F16LE.Encode(v)
			b, _ := BF16LE.Encode(v)
			half, brain = append(half, h...), append(brain, b...)
		}
		if is, _ := areBrains(half); is {
			t.Errorf("%s as float16 are called bfloat16", name)
		}
		if is, _ := areBrains(brain); is != x.brain {
			t.Errorf("%s as bfloat16: %v, want %v", name, is, x.brain)
		}
	}
}
