package model

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Numbers are called swapped only if they are ordinary in the other byte order and not in theirs.
func TestSwapped(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	list := func(c Codec, value func(i int) Value) func(turn bool) *sample {
		var b []byte
		for i := range 200 {
			n, err := c.Encode(value(i))
			if err != nil {
				t.Fatal(err)
			}
			b = append(b, n...)
		}
		return func(turn bool) *sample {
			b := slices.Clone(b)
			for n := range slices.Chunk(b, c.Size()) {
				if turn {
					slices.Reverse(n)
				}
			}
			x := &sample{}
			x.look(b, Range{}, c)
			return x
		}
	}
	weight := func(int) Value { return F(r.NormFloat64() / 50) }
	for name, x := range map[string]func(bool) *sample{
		"doubles":    list(F64LE, func(int) Value { return F(r.NormFloat64()) }),
		"halves":     list(F64BE, func(i int) Value { return F(float64(i) / 2) }),
		"floats":     list(F32LE, func(int) Value { return F(r.NormFloat64()) }),
		"whole":      list(F32LE, func(i int) Value { return F(float64(i)) }),
		"labels":     list(I64LE, func(i int) Value { return I(int64(i * 7)) }),
		"with signs": list(I64LE, func(i int) Value { return I(int64(i - 100)) }),
		"bytes":      list(I32BE, func(i int) Value { return I(int64(i)) }),
		"weights":    list(F16LE, weight),
		"weights, b": list(BF16LE, weight),
	} {
		if x(false).swapped(leastDistinct) {
			t.Errorf("%s: in their own byte order", name)
		}
		if !x(true).swapped(leastDistinct) {
			t.Errorf("%s: not recognised in the other byte order", name)
		}
	}
	for name, x := range map[string]*sample{
		"hashes":         list(U64LE, func(int) Value { return U(r.Uint64()) })(false),
		"times":          list(I64LE, func(i int) Value { return I(1_790_000_000_000_000_000 + int64(i)*86_400_000_000_000) })(false),
		"16-bit sound":   list(I32LE, func(int) Value { return I(int64(int16(r.Uint32())) << 16) })(false),
		"colours":        list(U32LE, func(int) Value { return U(uint64(r.Uint32() &^ 0xff)) })(false),
		"tiny":           list(F64LE, func(i int) Value { return F(math.Ldexp(1+float64(i)/1000, -900)) })(false),
		"denormal":       list(F32LE, func(i int) Value { return F(float64(math.Float32frombits(uint32(i)))) })(false),
		"bits":           list(F64LE, func(int) Value { return F(math.Float64frombits(r.Uint64())) })(false),
		"one value":      list(F64LE, func(int) Value { return F(1.5) })(true),
		"palindromes":    list(U32LE, func(i int) Value { return U(uint64(i)<<24 | uint64(i)) })(false),
		"2 bytes each":   list(I16LE, func(i int) Value { return I(int64(i%128) << 8) })(false),
		"16 random bits": list(F16LE, func(i int) Value { return F(float16(uint16(r.Uint32()) &^ 0x400)) })(false),
		"small halves":   list(F16LE, func(i int) Value { return F(math.Ldexp(float64(i), -24)) })(false),
		"large halves":   list(F16LE, func(i int) Value { return F(float64(100 * i)) })(false),
	} {
		if x.swapped(leastDistinct) {
			t.Errorf("%s: called swapped", name)
		}
	}
}

// Bytes of numbers are reversed wherever a reader begins and ends.
func TestTurned(t *testing.T) {
	x := turned{Memory([]byte("abcdefgh")), 4}
	if b, err := io.ReadAll(io.NewSectionReader(x, 0, x.Len())); err != nil || !bytes.Equal(b, []byte("dcbahgfe")) {
		t.Errorf("%q, %v", b, err)
	}
	b := make([]byte, 3)
	if n, err := x.ReadAt(b, 2); n != 3 || err != nil || string(b) != "bah" {
		t.Errorf("%q, %d, %v", b, n, err)
	}
}
