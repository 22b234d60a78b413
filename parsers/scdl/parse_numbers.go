package scdl

import (
	"encoding/binary"
	"math/bits"
)

// maxChunks is how many chunk folders are looked at: their numbers have five digits.
const maxChunks = 100_000

// step is how many bytes of an array are read at a time. It is a multiple of every element size.
const step = 1 << 20

// numbers widens little-endian unsigned numbers.
func numbers(v []uint64, b []byte, w int64) []uint64 {
	switch w {
	case 1:
		for _, x := range b {
			v = append(v, uint64(x))
		}
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			v = append(v, uint64(binary.LittleEndian.Uint16(b)))
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			v = append(v, uint64(binary.LittleEndian.Uint32(b)))
		}
	default:
		for ; len(b) >= 8; b = b[8:] {
			v = append(v, binary.LittleEndian.Uint64(b))
		}
	}
	return v
}

// appendNumber appends a number of w bytes.
func appendNumber(b []byte, n uint64, w int64) []byte {
	for range w {
		b, n = append(b, byte(n)), n>>8
	}
	return b
}

// elements returns the numbers [from, to) of an array; nil if there are none, or the file is shorter.
func (a *archive) elements(r *rawArray, from, to int64) []uint64 {
	w := widthOf(r.dtype)
	return numbers(nil, a.slice(r.file, from*w, (to-from)*w), w)
}

func unsigned(r *rawArray) bool {
	return r != nil && r.span != nil && r.dtype >= 1 && r.dtype <= 4 && r.count > 0
}

// whole tells that an array's file holds complete elements only: otherwise its size is the finding, and nothing else is said.
func (r *rawArray) whole() bool {
	return r != nil && r.span != nil && r.count > 0 && r.size == r.count*widthOf(r.dtype)
}

// swap turns around the bytes of a number.
func swap(n uint64, w int64) uint64 { return bits.ReverseBytes64(n) >> (64 - 8*w) }

// ascends looks for the first little-endian number that is below least, which each number sets to itself plus step: with
// step 0 numbers may repeat, with 1 they must ascend. It returns the index, or -1, and what least is then.
func ascends(b []byte, w int64, least, step uint64) (bad int64, next uint64) {
	switch w {
	case 1:
		for i, x := range b {
			if uint64(x) < least {
				return int64(i), least
			}
			least = uint64(x) + step
		}
	case 2:
		for i := 0; i+2 <= len(b); i += 2 {
			x := uint64(binary.LittleEndian.Uint16(b[i : i+2 : i+2]))
			if x < least {
				return int64(i / 2), least
			}
			least = x + step
		}
	case 4:
		for i := 0; i+4 <= len(b); i += 4 {
			x := uint64(binary.LittleEndian.Uint32(b[i : i+4 : i+4]))
			if x < least {
				return int64(i / 4), least
			}
			least = x + step
		}
	default:
		for i := 0; i+8 <= len(b); i += 8 {
			x := binary.LittleEndian.Uint64(b[i : i+8 : i+8])
			if x < least {
				return int64(i / 8), least
			}
			least = max(x, x+step) // the largest number may not wrap
		}
	}
	return -1, least
}
