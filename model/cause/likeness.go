package cause

import (
	"math"

	"spandrel/model/evidence"
)

// How much bytes look like those of a file: by how often each value stands at the same place of a number there.

// unseenWeight is what a value counts that never occurs.
const unseenWeight = 0.5

// lane is the width of most numbers, by which the bytes of a file are compared where nothing says how wide they are.
const lane = 8

// likeness is how often bytes have each value, by their place in numbers of a width.
type likeness struct {
	count [][256]float64
	total []float64
}

func likenessOf(width int, b []byte) *likeness {
	l := &likeness{make([][256]float64, width), make([]float64, width)}
	l.add(b, 0, 1)
	return l
}

// add counts bytes so many times, the first of which is at a place of the values; -1 takes them out again.
func (l *likeness) add(b []byte, at int64, times float64) {
	k := l.place(at)
	for _, x := range b {
		l.count[k][x] += times
		l.total[k] += times
		if k++; k == len(l.total) {
			k = 0
		}
	}
}

// place is where in a number a byte stands.
func (l *likeness) place(at int64) int {
	n := int64(len(l.total))
	return int((at%n + n) % n)
}

// surprise is how many bits bytes are worth that stand at a place of the values: 8 each for bytes that look like any.
func (l *likeness) surprise(b []byte, at int64) (bits evidence.Bits) {
	k := l.place(at)
	for _, x := range b {
		bits -= evidence.Bits(math.Log2((l.count[k][x] + unseenWeight) / (l.total[k] + 256*unseenWeight)))
		if k++; k == len(l.total) {
			k = 0
		}
	}
	return bits
}
