package evidence

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// Kind is a kind of event, and how rare it is.
type Kind struct {
	Name   string
	Rarity Bits
	Why    string // where the number comes from
}

// The kinds of events. The numbers order them by how often people report them; the differences matter, not the sums.
var (
	Truncated   = &Kind{"truncated", 2, "downloads and copies that ended early are what people report most"}
	Missing     = &Kind{"file missing", 2, "a folder copied in part"}
	Interrupted = &Kind{"save interrupted", 3, "a killed job leaves one in most crash reports of training"}
	Text        = &Kind{"transferred as text", 3, "git autocrlf, FTP in text mode, editors"}
	Wrapped     = &Kind{"wrapped", 3, "HTTP responses, archives and compression left around a file"}
	Added       = &Kind{"bytes added", 4, "two downloads in one file, a header before it, padding after it"}
	Blanked     = &Kind{"range overwritten with one value", 4, "holes of interrupted downloads, bad sectors"}
	Replaced    = &Kind{"range replaced", 5, "a part of another file or of another save"}
	Rebuilt     = &Kind{"content lost, stored elsewhere too", 5, "an index, a header or a copy of what is stored elsewhere"}
	Overwritten = &Kind{"number overwritten", 6, "a tool or a hex editor that changed one number only"}
	Byte        = &Kind{"byte changed", 6, "as numbers are"}
	Exchanged   = &Kind{"values exchanged", 7, "two numbers written in the wrong order"}
	Moved       = &Kind{"bytes lost or inserted inside", 8, "needs a tool that rewrites a file without knowing it"}
	Flipped     = &Kind{"bit flipped", 8, "storage corrects single bits; what reaches a file is rare"}
	Stale       = &Kind{"changed on purpose, checksum not updated", 10, "needs a person with a hex editor"}
	Odd         = &Kind{"odd writer", 10, "the file is as it was written: software with a defect"}
)

// The strengths of checks, for what a declaration does not say itself.
const (
	capped      Bits = 40 // of any one check: a count among 2⁶⁴ is not that much surer than one among 2⁴⁰
	summed      Bits = 32 // from which on a check is as good as a checksum
	WarningCost Bits = 4  // some real writers do it
	AskedCost   Bits = 12 // of a warning whose cause the user asked for
	constant    Bits = 24 // the least strength of a value that can only be one
	ErrorCost   Bits = 16 // a condition between values that no writer breaks
)

// Sum is the strength of a checksum of so many bytes; a weak one, of added bytes, is passed by one change in 256.
func Sum(width int64, weak bool) Bits {
	if weak {
		return 8
	}
	return min(capped, 8*Bits(width))
}

// Random is how unlikely so many random bytes are to be the right ones.
func Random(width int64) Bits { return min(capped, 8*Bits(width)) }

// Constant is the strength of a magic or a derived number of so many bytes: random bytes pass it seldom, and however short it is, a writer that
// writes another value is noticed by the first reader.
func Constant(width int64) Bits { return max(constant, Random(width)) }

// OneOf is the strength of a set of n legal values for a field of so many bytes.
func OneOf(width int64, n int) Bits { return max(2, min(capped, 8*Bits(width)-Log(float64(n)))) }

// Bare is what bytes cost that nothing explains: a writer has a use for what it writes.
func Bare(n int64) Bits {
	if n == 0 {
		return 0
	}
	return 8 + 3*Log(float64(n)+1)
}

// Unasked is what a value costs of a field of which the rest of the file says another one, though no check fails with it.
const Unasked Bits = 8

// Unlike is what a value costs that is another one than all fields of its name have.
const Unlike Bits = 6

// Sacrificed is what a way back costs that gives up what has a meaning: nothing says where that came from.
const Sacrificed Bits = 8

// Anything is the cost of a number that nothing leads to from the one that should be there. Every other story has to take it for a value that a
// writer meant, which is as surprising.
const Anything Bits = 12

// ways is the choice among the ways in which a number goes wrong.
const ways Bits = 3

// Number is the cost of a number that is what it is where another one should be, each in the bytes of the file: the cheapest way from one to
// the other. bit tells that it is a single flipped bit.
func Number(is, should []byte) (cost Bits, bit bool) {
	if len(is) != len(should) || len(is) == 0 {
		return capped, false
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
		return Log(8 * float64(len(is))), true
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
		cost = min(cost, ways+universal(a)) // any number: small ones are shorter
	}
	return cost, false
}

// blank tells whether bytes are all zero, or all 0xff.
func blank(b []byte) bool {
	return !slices.ContainsFunc(b, func(x byte) bool { return x != b[0] }) && (b[0] == 0 || b[0] == 0xff)
}

// times tells whether a number is another one in units of 2, 4, 8 or 1,024.
func times(a, b uint64) bool {
	return slices.ContainsFunc([]uint64{2, 4, 8, 16, 1024}, func(u uint64) bool { return b != 0 && a/u == b && a%u == 0 })
}

// universal is the length of a code for numbers of any size (Elias gamma).
func universal(n uint64) Bits { return Bits(2*math.Floor(math.Log2(float64(n)+1)) + 1) }

// number reads up to the first 8 bytes.
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
