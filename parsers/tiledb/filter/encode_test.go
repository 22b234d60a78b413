package filter

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// Filters that work on numbers read back what they were given, for every type that they take: rising, falling, random, extreme.
func TestNumbersRoundTrip(t *testing.T) {
	ctx := context.Background()
	delta, double := Filter{Type: Delta, Compressor: 8, Reinterpret: Any}, Filter{Type: DoubleDelta, Compressor: 6, Reinterpret: Any}
	width, positive := Filter{Type: BitWidth, Window: 256}, Filter{Type: PositiveDelta, Window: 1024}
	pipelines := [][]Filter{{delta}, {double}, {width}, {positive}, {{Type: Xor}}, {positive, width, compressor(2)}, {width, {Type: 9}, compressor(1)},
		{double, compressor(2)}, {compressor(2), double}, {delta, {Type: 12}}}
	r := rand.New(rand.NewPCG(3, 4))
	for _, typ := range []uint8{Int8, Uint8, Int16, Uint16, Int32, Uint32, Int64, Uint64, Year} {
		size := SizeOf(typ)
		for shape, at := range []func(i int) uint64{
			func(i int) uint64 { return uint64(i) * 3 }, func(i int) uint64 { return -uint64(i) * 70 },
			func(int) uint64 { return r.Uint64() }, func(i int) uint64 { return uint64(1)<<(8*size-1) - uint64(i&1) },
		} {
			for _, cells := range []int{0, 1, 2, 3, 500, 40001} {
				data := make([]byte, cells*size)
				for i := range cells {
					putUint(data[i*size:], size, at(i))
				}
				for _, p := range pipelines {
					tile := TileType{typ, size, 22, false}
					packed, err := Coding{p, tile, nil}.Filter(ctx, data)
					if p[0].Type == PositiveDelta && !rises(typ, data) { // TileDB refuses them too, where they fall inside a window
						if err == nil && !rises(typ, data[:min(len(data), 1024)]) {
							t.Fatalf("falling values of type %d were written", typ)
						}
						if err != nil {
							continue
						}
					}
					if err != nil {
						t.Fatalf("%v of type %d: %v", p, typ, err)
					}
					got, _, err := Coding{p, tile, nil}.Unfilter(ctx, packed, int64(len(data)))
					if err != nil || !bytes.Equal(got, data) {
						t.Fatalf("%v of type %d, shape %d, %d cells: %v", p, typ, shape, cells, err)
					}
				}
			}
		}
	}
}

// rises tells whether no value is less than the one in front of it.
func rises(typ uint8, data []byte) bool {
	size := SizeOf(typ)
	for i := size; i+size <= len(data); i += size {
		a, b := Uint(data[i-size:], size), Uint(data[i:], size)
		if IsSigned(typ) && readInt(data[i:], size) < readInt(data[i-size:], size) || !IsSigned(typ) && b < a {
			return false
		}
	}
	return true
}

// Real numbers that a scale can hold come back as they were; others are refused, not changed.
func TestScaleRoundTrip(t *testing.T) {
	ctx := context.Background()
	f := []Filter{{Type: ScaleFloat, Scale: 0.5, Offset: 10, Width: 2}}
	tile := TileType{Float64, 8, 22, false}
	var data []byte
	for i := range 1000 {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(float64(i)*0.5-100))
	}
	packed, err := Coding{f, tile, nil}.Filter(ctx, data)
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := (Coding{f, tile, nil}).Unfilter(ctx, packed, 1<<20); err != nil || !bytes.Equal(got, data) {
		t.Error("scaled numbers differ", err)
	}
	for _, v := range []float64{1e9, math.NaN(), math.Inf(-1)} {
		if _, err := (Coding{f, tile, nil}).Filter(ctx, binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))); err == nil {
			t.Errorf("%v was scaled", v)
		}
	}
}

// Texts whose offsets the filter takes in come back with them, also empty ones, long ones and none.
func TestStringsRoundTrip(t *testing.T) {
	ctx := context.Background()
	long := string(bytes.Repeat([]byte("x"), 70000))
	for _, texts := range [][]string{{}, {""}, {"a", "a", "b", "", "", "ab"}, {long, "b"}, {"b", long}} {
		var data []byte
		var starts []int64
		for _, s := range texts {
			starts, data = append(starts, int64(len(data))), append(data, s...)
		}
		for _, p := range [][]Filter{{compressor(4)}, {{Type: Dictionary, Compressor: 7}}, {compressor(4), compressor(2)}} {
			tile := TileType{Ascii, 1, 22, true}
			packed, err := Coding{p, tile, nil}.FilterStrings(ctx, data, starts)
			if err != nil {
				t.Fatal(err)
			}
			got, offsets, err := Coding{p, tile, nil}.Unfilter(ctx, packed, 1<<20)
			if err != nil || !bytes.Equal(got, data) || len(offsets) != 8*len(starts) {
				t.Fatalf("%d texts by %v: %d bytes, %d offsets, %v", len(texts), p, len(got), len(offsets)/8, err)
			}
			for i, at := range starts {
				if Uint(offsets[8*i:], 8) != uint64(at) {
					t.Errorf("text %d starts at %d, not at %d", i, Uint(offsets[8*i:], 8), at)
				}
			}
		}
	}
}
