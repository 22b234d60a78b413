package model

import (
	"math/rand/v2"
	"testing"
)

// The shortest list of steps leads from one list to the other, with no more rows that come and go than were made to.
func TestShortest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var a, b []uint64
		changes := 0
		for range r.IntN(40) {
			v := uint64(r.IntN(6))
			switch r.IntN(6) {
			case 0:
				a, changes = append(a, v), changes+1
			case 1:
				b, changes = append(b, v), changes+1
			default:
				a, b = append(a, v), append(b, v)
			}
		}
		steps, ok := shortest(a, b)
		i, j, alone := int64(0), int64(0), 0
		for _, s := range steps {
			if s.a >= 0 && s.a != i || s.b >= 0 && s.b != j || s.a >= 0 && s.b >= 0 && a[s.a] != b[s.b] {
				t.Fatalf("%v %v: %v", a, b, steps)
			}
			if s.a >= 0 {
				i++
			}
			if s.b >= 0 {
				j++
			}
			if s.a < 0 || s.b < 0 {
				alone++
			}
		}
		if !ok || int(i) != len(a) || int(j) != len(b) || alone > changes {
			t.Fatalf("%v %v: %v, %d alone of %d", a, b, steps, alone, changes)
		}
	}
}
