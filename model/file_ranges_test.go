package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFileRanges compares sets of bytes with sets of numbers.
func TestFileRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type at struct {
		file string
		off  int64
	}
	bytesOf := func(list []FileRange) map[at]bool {
		out := map[at]bool{}
		for _, x := range list {
			for i := range x.Len {
				out[at{x.File, x.Off + i}] = true
			}
		}
		return out
	}
	some := func() (list []FileRange) {
		for range r.IntN(6) {
			list = append(list, FileRange{string(rune('a' + r.IntN(2))), r.Int64N(20), r.Int64N(6)})
		}
		return list
	}
	for range 3000 {
		a, b := some(), some()
		p, q := UnionOf(a...), UnionOf(b...)
		inA, inB := bytesOf(a), bytesOf(b)
		var both, only int64
		for x := range inA {
			if inB[x] {
				both++
			} else {
				only++
			}
		}
		if p.Size() != int64(len(inA)) || p.And(q).Size() != both || p.Minus(q).Size() != only || p.Meets(b...) != (both > 0) || q.Covers(a...) != (only == 0) {
			t.Fatalf("%v and %v: %v, %v, %v", a, b, p, p.And(q), p.Minus(q))
		}
		if len(bytesOf(p.Minus(q)))+len(bytesOf(p.And(q))) != len(inA) || !slices.Equal(p, UnionOf(p...)) {
			t.Fatalf("%v and %v: not sets", a, b)
		}
	}
}

// TestInFiles: a range of bytes that are stored as they are comes from these bytes and no others.
func TestInFiles(t *testing.T) {
	file := &Space{ID: 0, File: "a"}
	stored := &Space{ID: 1, Transform: Identity, Origin: Range{0, 100, 20}}
	packed := &Space{ID: 2, Transform: &Transform{Name: "packed"}, Origin: Range{1, 5, 10}, Root: &Span{Range: Range{2, 0, 50}}}
	tree := &Tree{spaces: []*Space{file, stored, packed}}
	for _, x := range []struct {
		at       Range
		want     []FileRange
		exact    bool
		verbatim bool
	}{
		{Range{0, 7, 3}, []FileRange{{"a", 7, 3}}, true, true},
		{Range{1, 2, 3}, []FileRange{{"a", 102, 3}}, true, true},
		{Range{2, 0, 50}, []FileRange{{"a", 105, 10}}, true, false},
		{Range{2, 0, 5}, []FileRange{{"a", 105, 10}}, false, false},
		{Range{NoSpace, 0, 5}, nil, false, false},
	} {
		in, exact := tree.InFiles(x.at)
		if _, verbatim := tree.Verbatim(x.at); !slices.Equal(in, x.want) || exact != x.exact || verbatim != x.verbatim {
			t.Errorf("%v: %v, exact %v, verbatim %v", x.at, in, exact, verbatim)
		}
	}
}
