package cause

import (
	"testing"
	"time"

	"spandrel/model"
)

// TestBudgetIsCounted: what else the machine does, or this process without reading anything, takes nothing from a search; its own work does.
func TestBudgetIsCounted(t *testing.T) {
	const most = 20 * time.Millisecond
	b, _, stop := begin(t.Context(), most)
	defer stop()
	for n := uint32(1); model.CPUTime()-b.cpu < 3*workers*most/2; n++ { // half as much again as the work allowed
		n *= 16_777_619
	}
	if b.over(1) {
		t.Error("idle CPU time ends a search")
	}
	var kept []byte
	for range 1 << 10 {
		kept = append(make([]byte, 0, 1<<20), kept[:min(len(kept), 1)]...)
	}
	if !b.over(1) {
		t.Error("a gigabyte of memory is no work")
	}
}
