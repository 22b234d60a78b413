package evidence

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// Kind is a kind of event with its rarity in bits.
type Kind struct {
	Name   string
	Rarity Bits
	Why    string // why the rarity is this number
}

// The kinds of events, ordered by how often people report them. Only the differences between rarities matter, not their sums.
var (
	Truncated   = &Kind{"truncated", 2, "downloads and copies that ended early are what people report most"}
	Missing     = &Kind{"file missing", 2, "a folder copied in part"}
	Text        = &Kind{"transferred as text", 3, "git autocrlf, FTP in text mode, editors"}
	Wrapped     = &Kind{"wrapped", 3, "HTTP responses, archives and compression left around a file"}
	Added       = &Kind{"bytes added", 4, "two downloads in one file, a header before it, padding after it"}
	Repeated    = &Kind{"a piece written twice", 4, "downloads and copies resumed too early"}
	Blanked     = &Kind{"range overwritten with one value", 4, "holes of interrupted downloads, bad sectors"}
	Replaced    = &Kind{"range replaced", 5, "a part of another file or of another save"}
	Rebuilt     = &Kind{"content lost, stored elsewhere too", 5, "an index, a header or a copy of what is stored elsewhere"}
	Overwritten = &Kind{"number overwritten", 6, "a tool or a hex editor that changed one number only"}
	Rewritten   = &Kind{"rewritten by one rule throughout", 6, "a script, or an editor's replacing of all, that knows only part of the format"}
	Exchanged   = &Kind{"values exchanged", 7, "two numbers written in the wrong order"}
	Moved       = &Kind{"bytes lost or inserted inside", 8, "needs a tool that rewrites a file without knowing it"}
	Stale       = &Kind{"changed on purpose, checksum not updated", 10, "needs a person with a hex editor"}
	Odd         = &Kind{"odd writer", 10, "the file is as it was written: software with a defect"}
)

// Strengths and costs of checks, used unless a declaration gives its own.
const (
	capped      Bits = 40 // upper bound for any single check: a count out of 2⁶⁴ is hardly more certain than one out of 2⁴⁰
	summed      Bits = 32 // a check of at least this strength counts as a checksum
	WarningCost Bits = 4  // low, because some real writers cause warnings
	AskedCost   Bits = 12 // for a warning whose cause the user asked for
	constant    Bits = 24 // lower bound for a field with only one legal value
	ErrorCost   Bits = 16 // for a condition between values that every writer meets
)

// Sum is the strength of a checksum of width bytes. A weak one is a sum of bytes: 1 of 256 changes passes it.
func Sum(width int64, weak bool) Bits {
	if weak {
		return 8
	}
	return min(capped, 8*Bits(width))
}

// Random is the strength of a match of width bytes: how unlikely random bytes are to have the right values.
func Random(width int64) Bits { return min(capped, 8*Bits(width)) }

// Constant is the strength of a magic or derived number of width bytes. Even a short one has a minimum strength, because the first reader would notice a
// writer that stores another value.
func Constant(width int64) Bits { return max(constant, Random(width)) }

// OneOf is the strength of a field of width bytes that has one of n legal values.
func OneOf(width int64, n int) Bits { return max(2, min(capped, 8*Bits(width)-Log(float64(n)))) }

// Bare is the cost of n bytes without an explanation: writers write no bytes without a purpose.
func Bare(n int64) Bits {
	if n == 0 {
		return 0
	}
	return 8 + 3*Log(float64(n)+1)
}

// Unasked is the extra cost of a change to a field for which the rest of the file implies a value, although no check fails.
const Unasked Bits = 8

// Unlike is the extra cost of a value that differs from that of all other fields with the same name.
const Unlike Bits = 6

// Sacrificed is the extra cost of a repair that discards meaningful content: it leaves open where that content came from.
const Sacrificed Bits = 8

// Anything is the cost of a number that no known kind of error derives from the right one. Every other story has to assume that a writer intended it, which
// is as surprising.
const Anything Bits = 12

// ways is the cost of choosing one of the ways in which a number goes wrong.
const ways Bits = 3

// Number is the cost of the number is where should belongs, both as stored in the file: the cheapest way from one to the other.
func Number(is, should []byte) (cost Bits) {
	if len(is) != len(should) || len(is) == 0 {
		return capped
	}
	w := Bits(len(is))
	cost = min(Anything, 8*w)
	differ, flipped := 0, 0
	for i := range is {
		flipped += bits.OnesCount8(is[i] ^ should[i])
		if is[i] != should[i] {
			differ++
		}
	}
	swapped := slices.Clone(is)
	slices.Reverse(swapped)
	switch {
	case flipped == 1:
		return Log(8 * float64(len(is)))
	case slices.Equal(swapped, should), blank(is):
		cost = ways
	case differ == 1:
		cost = min(cost, 8+Log(float64(len(is))))
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		a, b := number(is, order), number(should, order)
		switch {
		case a-b == 1, b-a == 1:
			cost = min(cost, ways+1)
		case times(a, b), times(b, a):
			cost = min(cost, ways+3)
		}
		cost = min(cost, ways+universal(a)) // arbitrary number: smaller ones have shorter codes
	}
	return cost
}

// leastDisfigured is how many bytes a number has that no writer stores in the wrong order, or as all ones.
const leastDisfigured = 4

// Disfigured is how much the bytes of a number alone say for should in its place: 2 if they are its bytes in reverse order, 1 if all of them are 0xff, so
// that no writer stored this number, else 0.
func Disfigured(is, should []byte) int {
	swapped := slices.Clone(is)
	slices.Reverse(swapped)
	switch {
	case len(is) < leastDisfigured || slices.Equal(is, should):
	case slices.Equal(swapped, should):
		return 2
	case blank(is) && is[0] == 0xff:
		return 1
	}
	return 0
}

// blank tells whether bytes are all zero, or all 0xff.
func blank(b []byte) bool {
	return !slices.ContainsFunc(b, func(x byte) bool { return x != b[0] }) && (b[0] == 0 || b[0] == 0xff)
}

// times tells whether a is b times a common unit size: 2, 4, 8, 16 or 1,024.
func times(a, b uint64) bool {
	return slices.ContainsFunc([]uint64{2, 4, 8, 16, 1024}, func(u uint64) bool { return b != 0 && a/u == b && a%u == 0 })
}

// universal is the length in bits of a code for integers of any size (Elias gamma).
func universal(n uint64) Bits { return Bits(2*math.Floor(math.Log2(float64(n)+1)) + 1) }

// number decodes up to the first 8 bytes as an unsigned integer.
func number(b []byte, order binary.ByteOrder) uint64 {
	var buf [8]byte
	b = b[:min(len(b), 8)]
	if order == binary.BigEndian {
		copy(buf[8-len(b):], b)
		return binary.BigEndian.Uint64(buf[:])
	}
	copy(buf[:], b)
	return binary.LittleEndian.Uint64(buf[:])
}
