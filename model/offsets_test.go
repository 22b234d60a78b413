package model

import (
	"math"
	"testing"
)

// Starts that lie close together and far apart come back as they were, and so does what each offset lies behind.
func TestPackedStarts(t *testing.T) {
	for _, step := range []int64{1, 2, 255, 256, 257, 1 << 16, 1 << 33} {
		p := &packedStarts{}
		const n = 3*runLength + 7
		at := func(i int64) int64 { return 5 + i*step + i/100 }
		for i := range int64(n) {
			p.add(at(i))
		}
		if p.count() != n {
			t.Fatalf("%d starts instead of %d", p.count(), n)
		}
		for i := range int64(n) {
			if got := p.at(i); got != at(i) {
				t.Fatalf("steps of %d: start %d is %d instead of %d", step, i, got, at(i))
			}
			if got := lastStart(p, at(i)); got != i {
				t.Fatalf("steps of %d: %d is behind start %d instead of %d", step, at(i), got, i)
			}
			if got := lastStart(p, at(i)-1); got != i-1 {
				t.Fatalf("steps of %d: %d is behind start %d instead of %d", step, at(i)-1, got, i-1)
			}
		}
		if lastStart(p, math.MaxInt64) != n-1 || step == 1 && len(p.runs[0].far) > 2*runLength {
			t.Errorf("steps of %d: the last is missed, or a run takes %d bytes", step, len(p.runs[0].far))
		}
	}
}
