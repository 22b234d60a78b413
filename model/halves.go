package model

import (
	"context"
	"encoding/binary"
)

// Numbers of 16 bits have two common types with the same size, float16 and bfloat16. Those of one are loaded by every reader as the other, as nonsense. A
// bfloat16 has three more bits of exponent: read as float16, nearly all numbers up to 2 are from 0.5 to 2, and the upper bits of their fraction are not spread
// evenly, because numbers around zero are half as often of the next smaller size.

const (
	leastHalves = 128 // different numbers of an array on which a verdict can rest
	leastBrains = 2   // arrays
)

// BrainFloats are the arrays of float16 whose numbers are those of bfloat16: none unless there are several, and most that can tell are.
func (p *Probe) BrainFloats(ctx context.Context, t *Tree, arrays ...Numbers) (out []Numbers) {
	telling := 0
	for _, a := range arrays {
		is, can := areBrains(t.halves(ctx, a))
		if can {
			telling++
		}
		if is {
			out = append(out, a)
		}
	}
	if len(out) < leastBrains || 4*len(out) < 3*telling {
		return nil
	}
	return out
}

// halves are bytes from the middle of an array of float16; none for any other.
func (t *Tree) halves(ctx context.Context, a Numbers) []byte {
	if a.Values == nil {
		return nil
	}
	e, ok := a.Values.children().(*elements)
	if !ok || e.rec != nil || e.field.Codec.Type() != "f16" {
		return nil
	}
	n := min(e.n, 2*sampledElements)
	b, _ := t.Bytes(ctx, Range{a.Values.Range.Space, a.Values.Range.Off + (e.n-n)/2*2, 2 * n})
	return b
}

// areBrains tells whether numbers read as float16 are those of bfloat16; can tells whether there are enough, of both signs.
func areBrains(b []byte) (is, can bool) {
	var seen [1 << 16]bool
	all, distinct, negative, middle, sizes := 0, 0, 0, 0, [256]int{}
	for ; len(b) >= 2; b = b[2:] {
		x := binary.LittleEndian.Uint16(b)
		magnitude := x &^ (1 << 15)
		if magnitude == 0 {
			continue
		}
		all, negative = all+1, negative+int(x>>15)
		if !seen[x] {
			seen[x], distinct = true, distinct+1
		}
		if magnitude >= 0x3800 && magnitude < 0x4000 { // 0.5 to 2
			middle++
		}
		sizes[magnitude>>7]++ // the exponent of a bfloat16
	}
	if distinct < leastHalves || 5*negative < all || 5*negative > 4*all {
		return false, false
	}
	most := 0
	for i, n := range sizes {
		if n > sizes[most] {
			most = i
		}
	}
	return middle*100 >= 95*all && 4*sizes[most] >= all && 4*sizes[most-1] >= sizes[most] && 10*sizes[most-3] <= 6*sizes[most-1] && 100*sizes[most-3] >= all, true
}
