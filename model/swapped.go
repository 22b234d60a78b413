package model

import (
	"context"
	"math"
	"math/bits"
)

// Numbers that were written in one byte order and are read in the other are loaded by every reader without an error, as nonsense. What they look like
// tells: nearly all are ordinary in the other order, and most are not in this one.

const (
	sampledElements = 512 // of an array, in its middle
	leastDistinct   = 32  // different numbers on which a verdict can rest
)

// SwappedArray reports an array whose numbers make sense only in the other byte order. It reads some elements in its middle.
func (p *Probe) SwappedArray(ctx context.Context, t *Tree, array *Span) error {
	if array == nil {
		return nil
	}
	e, ok := array.children().(*elements)
	if !ok || e.rec != nil || e.n < leastDistinct {
		return nil
	}
	cells, err := e.cells(ctx, t, array.Range, max(0, (e.n-sampledElements)/2), min(e.n, sampledElements))
	if odd := firstSwapped(cells); err == nil && odd != nil { // what cannot be read is reported elsewhere
		p.Report(Finding{Rule: RuleSwapped, Span: t.At(odd.Range.Space, odd.Range.Off), Range: odd.Range, Found: odd.Value.String(), Expected: swapped(*odd).String()})
	}
	return ctx.Err()
}

// firstSwapped is the first number that differs between the byte orders, if the numbers are ordinary in the other byte order and not in theirs; otherwise nil.
func firstSwapped(cells []Cell) (first *Cell) {
	seen, is, other := map[Value]bool{}, 0, 0
	for i, c := range cells {
		v := swapped(c)
		switch {
		case v.Kind == None:
			return nil
		case v.bits == c.Value.bits || seen[v]: // the same in both orders
			continue
		case first == nil:
			first = &cells[i]
		}
		seen[v] = true
		is += ordinary(c.Value, c.Range.Len)
		other += ordinary(v, c.Range.Len)
	}
	if len(seen) < leastDistinct || other*100 < len(seen)*99 || is*2 >= len(seen) {
		return nil
	}
	return first
}

// swapped is the number of a cell in the other byte order; no value if it is no number of 4 or 8 bytes.
func swapped(c Cell) Value {
	v := c.Value
	if c.Trouble != "" {
		return Value{}
	}
	switch kind, size := v.Kind, c.Range.Len; {
	case kind == Float && size == 8:
		return Value{Kind: Float, bits: bits.ReverseBytes64(v.bits)}
	case kind == Float && size == 4:
		return F(float64(math.Float32frombits(bits.ReverseBytes32(math.Float32bits(float32(v.Float()))))))
	case (kind == Int || kind == Uint) && size == 8:
		return Value{Kind: kind, bits: bits.ReverseBytes64(v.bits)}
	case kind == Int && size == 4:
		return I(int64(int32(bits.ReverseBytes32(uint32(v.bits)))))
	case kind == Uint && size == 4:
		return U(uint64(bits.ReverseBytes32(uint32(v.bits))))
	}
	return Value{}
}

// ordinary is 1 for a number of the size that people store: a float between 1e-8 and 1e8, an integer in the lowest quarter of its bits. A random number is one
// by chance in 1 of 5 at most.
func ordinary(v Value, size int64) int {
	x := math.Abs(v.Float())
	if v.Kind == Float && x >= 1e-8 && x <= 1e8 || v.Kind != Float && x < float64(int64(1)<<(2*size)) {
		return 1
	}
	return 0
}
