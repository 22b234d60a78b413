package ui

import (
	"strings"
	"testing"
)

// TestFirstFrame ends the program when the loop turns without a frame, and not when a frame was drawn, however long its turn took.
func TestFirstFrame(t *testing.T) {
	for _, drawn := range []bool{false, true} {
		turns, code := 0, 0
		f := &firstFrame{}
		f.post = func(do func()) {
			if turns++; drawn && turns == 3 {
				f.drawn.Store(true)
			}
			do()
		}
		var log strings.Builder
		f.watch(&log, func(n int) { code = n }, 0)
		if (code == 2) == drawn || (log.Len() > 0) == drawn {
			t.Errorf("drawn %v: ended with %d after %d turns: %s", drawn, code, turns, &log)
		}
	}
}
