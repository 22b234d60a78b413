package block

import (
	"fmt"
	"math"
)

// Guessing the content of a block of an unknown column, for blocks found without a directory.

// SaysCount returns the number of values of a block that states it, of texts or of vectors; 0 for any other block.
func SaysCount(b []byte) int64 {
	if len(b) < 5 {
		return 0
	}
	n := num32(b, 0)
	if n <= 0 || n > int64(len(b))/4 {
		return 0
	}
	if codec, _ := guessText(b, n); codec != nil {
		return n
	}
	if codec, _ := guessVector(b, n); codec != nil {
		return n
	}
	return 0
}

// Fits tells whether a block of a codec contains exactly n values and has no problem.
func Fits(c *Codec, b []byte, n int64) bool {
	k := Read(c, b, n)
	if !k.Whole {
		return false
	}
	ok := true
	k.Check(Options{}, func(i Issue) { ok = ok && i.harmless() })
	return ok
}

// harmless tells whether readers accept the block in spite of a problem.
func (i Issue) harmless() bool {
	switch i.Problem {
	case Encoding, SplitPair, UnusedBits, KeyRange, LegacyMissing, LengthUnit:
		return true
	}
	return false
}

// Guess finds the type that best fits a block of n values: the codec definition, and what distinguishes blocks of one column
// from those of another. It is nil if nothing fits.
func Guess(b []byte, n int64) (definition []byte, class string) {
	if len(b) >= 5 && n >= 0 {
		if definition, class = guessText(b, n); definition != nil {
			return definition, class
		}
		if definition, class = guessVector(b, n); definition != nil && n > 0 && num32(b, 0) == n {
			return definition, class
		}
	}
	return guessNumbers(b, n)
}

// GuessOld does so for the types of old writers, which differ from others only in their length.
func GuessOld(b []byte, n int64) (definition []byte, class string) {
	if n > 0 && int64(len(b)) == plainBytes(Bool2, n) {
		return Define("DvBool", nil), "DvBool"
	}
	return nil, ""
}

func guessText(b []byte, n int64) ([]byte, string) {
	if !Fits(&Codec{Kind: Text}, b, n) {
		return nil, ""
	}
	return Define("TextSpan", nil), "text"
}

// guessVector accepts a block as one of vectors if everything before the items is consistent, and the items are something.
func guessVector(b []byte, n int64) ([]byte, string) {
	k := &reading{Block: &Block{Codec: &Codec{Kind: Vector, Item: &Codec{}}, B: b, N: n, Own: -1}}
	k.vectors(k.Codec, n)
	v := &k.vec
	if len(k.issues) > 0 || v.counts == nil || k.base[1] == 0 || len(b) < 12 {
		return nil, ""
	}
	c := &checking{Block: k.Block, report: func(Issue) {}}
	if c.lengths(); c.counts() || c.count[CountRange] > 0 || c.count[LengthRange] > 0 {
		return nil, ""
	}
	if c.indices(); c.count[IndexOrder] > 0 {
		return nil, ""
	}
	rest, items := b[k.base[1]:], k.items
	item, class := guessText(rest, items)
	if item == nil {
		item, class = guessNumbers(rest, items)
	}
	if item == nil {
		return nil, ""
	}
	size := max(0, v.size)
	return DefineVector(item, size), fmt.Sprintf("vector of %s, %d", class, size)
}

func guessNumbers(b []byte, n int64) (definition []byte, class string) {
	if n <= 0 {
		return nil, ""
	}
	name := ""
	switch size := int64(len(b)); {
	case size == n && smootherAsSigned(b):
		name = "SByte"
	case size == n:
		name = "Byte"
	case size == 2*n:
		name = "Int16"
	case size == 4*n && likeFloats(b, 4):
		name = "Single"
	case size == 4*n:
		name = "Int32"
	case size == 8*n && likeFloats(b, 8):
		name = "Double"
	case size == 8*n:
		name = "Int64"
	case size == 10*n:
		name = "DateTimeOffset"
	case size == 16*n:
		name = "DataViewRowId"
	case size == plainBytes(Bool, n):
		return Define("Boolean", nil), "Boolean"
	default:
		return nil, ""
	}
	return Define(name, nil), fmt.Sprintf("%d bytes", int64(len(b))/n)
}

// smootherAsSigned tells whether bytes differ less from each other as signed numbers.
func smootherAsSigned(b []byte) bool {
	with, without := 0, 0
	for i := 1; i < len(b); i++ {
		d, e := int(int8(b[i]))-int(int8(b[i-1])), int(b[i])-int(b[i-1])
		with, without = with+max(d, -d), without+max(e, -e)
	}
	return with < without
}

// missing tells whether bytes are the float for a missing value: small negative numbers look like others of its kind.
func missing(b []byte, w int64) bool {
	if w == 4 {
		return unsigned(b, 4)&0x7fffffff == 0x7fc00000
	}
	return unsigned(b, 8)&^(1<<63) == 0x7ff8<<48
}

// likeFloats tells whether numbers look like floats: nearly all are 0 or of a usual size.
func likeFloats(b []byte, w int64) bool {
	good, all := 0, 0
	for ; int64(len(b)) >= w && all < 4096; b = b[w:] {
		v := math.Float64frombits(unsigned(b, w))
		if w == 4 {
			v = float64(math.Float32frombits(uint32(unsigned(b, 4))))
		}
		a := math.Abs(v)
		if all++; v == 0 || missing(b, w) || a > 1e-9 && a < 1e12 {
			good++
		}
	}
	return good*10 >= all*9
}
