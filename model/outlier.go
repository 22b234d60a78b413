package model

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// A wrong bit in the exponent of a number makes it larger by a factor of 2³² or more, which nothing else does to a single number of an array.

const (
	leastNumbers = 64       // of an array that is judged
	mostOutliers = 3        // more of them are the array's own
	leastFactor  = 1 << 30  // between an outlier and the largest other number
	mostNumbers  = 64 << 20 // bytes of all arrays that are read
	fewDigits    = 7        // digits of a number of 32 bits: fewer are those of one that somebody wrote, as a mark for missing values
)

// exponent is how the numbers of a type show in their highest byte that they are very large.
type exponent struct {
	from byte   // the lowest value of its lower 7 bits that may be an outlier
	bits []uint // the bits of the exponent whose change makes a number that large
}

var exponents = map[string]exponent{
	"f32":  {0x54, []uint{30, 29, 28}},
	"bf16": {0x54, []uint{14, 13, 12}},
	"f64":  {0x44, []uint{62, 61, 60, 59, 58}},
}

// Outliers reports single floating-point numbers far beyond all others of their array that would be among these with another bit of their exponent.
func (p *Probe) Outliers(ctx context.Context, t *Tree, arrays ...Numbers) error {
	left := int64(mostNumbers)
	for _, a := range arrays {
		if a.Values == nil || ctx.Err() != nil {
			continue
		}
		e, ok := a.Values.children().(*elements)
		if !ok || e.rec != nil || e.n < leastNumbers || a.Values.Range.Len > left || int64(e.field.Codec.Size()) != e.stride {
			continue
		}
		x, ok := exponents[e.field.Codec.Type()]
		if !ok {
			continue
		}
		left -= a.Values.Range.Len
		codec := e.field.Codec
		// Other checks report unreadable bytes.
		_ = t.see(ctx, a.Values.Range, func(b []byte) error {
			for _, i := range x.outliers(b, codec) {
				if was, low, high, ok := x.turned(b, codec, i); ok {
					s := e.at(int64(i))
					is, _, _ := codec.Decode(b[i*codec.Size():])
					p.Report(Finding{Rule: RuleOutlier, Span: s, Range: s.Range, Found: is.String(), Expected: was.String(), Want: was, Doubt: true,
						Message: Words("one number is %s, while the others lie between %s and %s: a bit of its exponent is probably wrong", is, low, high)})
				}
			}
			return nil
		})
	}
	return ctx.Err()
}

// outliers are the numbers that are large enough; none if there are many.
func (x exponent) outliers(b []byte, codec Codec) (out []int) {
	size := codec.Size()
	top := size - 1
	if codec.Endian() == EndianName(binary.BigEndian) {
		top = 0
	}
	for i := 0; (i+1)*size <= len(b); i++ {
		if b[i*size+top]&0x7f < x.from {
			continue
		}
		if v, _, _ := codec.Decode(b[i*size:]); math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0) {
			continue
		}
		if out = append(out, i); len(out) > mostOutliers {
			return nil
		}
	}
	return out
}

// turned is what number i of an array was if one bit makes it one of the others, and between which these lie.
func (x exponent) turned(b []byte, codec Codec, i int) (was, low, high Value, ok bool) {
	size := codec.Size()
	is, _, _ := codec.Decode(b[i*size:])
	from, to, least, n := math.Inf(1), math.Inf(-1), math.Inf(1), 0
	for k := range len(b) / size {
		w, _, _ := codec.Decode(b[k*size:])
		if f := w.Float(); k != i && f == f && !math.IsInf(f, 0) {
			if from, to, n = min(from, f), max(to, f), n+1; f != 0 {
				least = min(least, math.Abs(f))
			}
		}
	}
	if n < leastNumbers || from == to || math.Abs(is.Float()) < leastFactor*max(-from, to) || isMark(is.Float(), size) {
		return
	}
	for _, bit := range x.bits {
		turned := append([]byte(nil), b[i*size:(i+1)*size]...)
		at := bit / 8
		if codec.Endian() == EndianName(binary.BigEndian) {
			at = uint(size) - 1 - at
		}
		turned[at] ^= 1 << (bit % 8)
		if w, _, _ := codec.Decode(turned); w.Float() >= from && w.Float() <= to && math.Abs(w.Float()) >= least {
			if was, ok = w, !ok; !ok {
				return // several bits may be the wrong one
			}
		}
	}
	return was, F(from), F(to), ok
}

// isMark tells whether somebody may have written a number as a mark for missing values: it has few digits, or is the largest of its type.
func isMark(f float64, size int) bool {
	digits := func() int {
		mantissa, _, _ := strings.Cut(strconv.FormatFloat(math.Abs(f), 'e', -1, 8*size), "e")
		return len(strings.Replace(mantissa, ".", "", 1))
	}
	switch size {
	case 4:
		return digits() < fewDigits || math.Abs(f) == math.MaxFloat32
	case 8:
		return digits() < 2*fewDigits || math.Abs(f) == math.MaxFloat64
	}
	return false
}
