package cause

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"

	"spandrel/model"
)

// Slip is how bytes went wrong if a repair is right: the smaller, the more common.
type Slip uint8

// The slips: a bit flips, a digit is mistyped, the byte order is swapped, a number is in another unit.
const (
	OneBit Slip = iota
	OneDigit
	ByteOrder
	Unit
	Other
)

func (s Slip) String() string {
	return [...]string{"one bit differs", "one digit differs", "the bytes are in reverse order", "the value is in another unit", ""}[s]
}

// Slip returns how the bytes that a repair changes went wrong: Other unless it changes a single number of at most 8 bytes.
func (x *Repair) Slip() Slip {
	if len(x.Changes) != 1 {
		return Other
	}
	c := x.Changes[0]
	was, is := c.Was, c.Is
	if c.Del != c.Grown || len(was) != len(is) || int64(len(was)) != c.Del || len(was) == 0 {
		return Other
	}
	flipped := 0
	for i := range was {
		flipped += bits.OnesCount8(was[i] ^ is[i])
	}
	other := func(b byte) bool { return b < '0' || b > '9' }
	switch differ := model.Differences(was, is); {
	case flipped == 1:
		return OneBit
	case len(was) > 8:
		return Other
	case differ == 1 && !slices.ContainsFunc(was, other) && !slices.ContainsFunc(is, other):
		return OneDigit // the number is written as text
	case len(was) > 1 && slices.Equal(was, exchanged(is, len(is))):
		return ByteOrder
	case slices.ContainsFunc(numbers(was, is), func(n [2]uint64) bool { return oneDigit(n[0], n[1]) }):
		return OneDigit
	case slices.ContainsFunc(numbers(was, is), func(n [2]uint64) bool { return scaled(n[0], n[1]) || scaled(n[1], n[0]) }):
		return Unit
	}
	return Other
}

// numbers reads both sides as numbers, in either byte order.
func numbers(was, is []byte) (out [][2]uint64) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		out = append(out, [2]uint64{number(was, order), number(is, order)})
	}
	return out
}

// oneDigit tells whether two numbers in decimal differ in one digit.
func oneDigit(a, b uint64) bool {
	x, y := strconv.FormatUint(a, 10), strconv.FormatUint(b, 10)
	return len(x) == len(y) && len(x) > 1 && model.Differences(x, y) == 1
}

// scaled tells whether a number is another one in a smaller unit: bits, decimal or binary thousands, bytes per element.
func scaled(a, b uint64) bool {
	for _, unit := range []uint64{2, 4, 8, 10, 100, 1000, 1024, 1e6, 1 << 20, 1e9} {
		if b > 0 && a/unit == b && a%unit == 0 {
			return true
		}
	}
	return false
}
