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
	fewDigits    = 7        // digits of a number of 32 bits: a number with fewer was written on purpose, as a mark for missing values
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
		if a.Values == nil || a.Values.Range.Len > left || ctx.Err() != nil {
			continue
		}
		e, ok := a.Values.children().(*elements)
		if !ok || e.rec != nil || e.n < leastNumbers || int64(e.field.Codec.Size()) != e.stride {
			continue
		}
		if x, ok := exponents[e.field.Codec.Type()]; ok {
			left -= a.Values.Range.Len
			// Other checks report unreadable bytes.
			_ = t.see(ctx, a.Values.Range, func(b []byte) error { p.outliers(e, b, x); return nil })
		}
	}
	return ctx.Err()
}

// outliers reports those of one array.
func (p *Probe) outliers(e *elements, b []byte, x exponent) {
	codec := e.field.Codec
	for _, i := range x.candidates(b, codec) {
		o := othersThan(i, b, codec)
		if was, ok := x.turned(b[i*codec.Size():(i+1)*codec.Size()], codec, o); ok {
			s := e.at(int64(i))
			is, _, _ := codec.Decode(b[i*codec.Size():])
			p.Report(Finding{Rule: RuleOutlier, Span: s, Range: s.Range, Found: is.String(), Expected: was.String(), Want: was, Doubt: true,
				Message: Words("one number is %s, while the others lie between %s and %s: a bit of its exponent is probably wrong", is, F(o.from), F(o.to))})
		}
	}
}

// candidates are the numbers that are large enough; none if there are many.
func (x exponent) candidates(b []byte, codec Codec) (out []int) {
	size := codec.Size()
	top := size - 1
	if codec.Endian() == EndianName(binary.BigEndian) {
		top = 0
	}
	for i := 0; (i+1)*size <= len(b); i++ {
		if b[i*size+top]&0x7f < x.from {
			continue
		}
		if v, _, _ := codec.Decode(b[i*size:]); !isFinite(v.Float()) {
			continue
		}
		if out = append(out, i); len(out) > mostOutliers {
			return nil
		}
	}
	return out
}

// others are all finite numbers of an array but one.
type others struct {
	n        int
	from, to float64
	least    float64 // the smallest magnitude that is not 0
}

func othersThan(i int, b []byte, codec Codec) others {
	o, size := others{from: math.Inf(1), to: math.Inf(-1), least: math.Inf(1)}, codec.Size()
	for k := range len(b) / size {
		v, _, _ := codec.Decode(b[k*size:])
		f := v.Float()
		if k == i || !isFinite(f) {
			continue
		}
		if o.n, o.from, o.to = o.n+1, min(o.from, f), max(o.to, f); f != 0 {
			o.least = min(o.least, math.Abs(f))
		}
	}
	return o
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// turned is what a number was if one bit makes it one of the others.
func (x exponent) turned(b []byte, codec Codec, o others) (was Value, ok bool) {
	is, _, _ := codec.Decode(b)
	if o.n < leastNumbers || o.from == o.to || math.Abs(is.Float()) < leastFactor*max(-o.from, o.to) || isMark(is.Float(), len(b)) {
		return was, false
	}
	for _, bit := range x.bits {
		turned, at := append([]byte(nil), b...), bit/8
		if codec.Endian() == EndianName(binary.BigEndian) {
			at = uint(len(b)) - 1 - at
		}
		turned[at] ^= 1 << (bit % 8)
		v, _, _ := codec.Decode(turned)
		if f := v.Float(); f < o.from || f > o.to || math.Abs(f) < o.least {
			continue
		}
		if ok {
			return was, false // several bits may be the wrong one
		}
		was, ok = v, true
	}
	return was, ok
}

// isMark tells whether a number may be a mark for missing values: it has few digits, or is the largest of its type.
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
