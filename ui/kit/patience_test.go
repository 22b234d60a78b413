package kit

import (
	"testing"
	"time"
)

// However many panes wait for data that does not come, they wait for no longer than one grace together, and a quarter of the time
// that passes. What is there is taken at once.
func TestPatienceIsShared(t *testing.T) {
	now := time.Now()
	p := Grace{}
	for _, c := range []struct{ used, passed, want time.Duration }{{0, 0, graceTime}, {graceTime, 0, 0}, {graceTime, 2 * graceTime, graceTime / 2}, {3 * graceTime, graceTime, 0}, {graceTime, time.Second, graceTime}} {
		p = Grace{c.used, now}
		if got := p.left(now.Add(c.passed)); got != c.want {
			t.Errorf("%v after %v waited and %v passed, want %v", got, c.used, c.passed, c.want)
		}
	}
	p = Grace{}
	if _, ok := wait(&p, make(chan int)); ok || p.used < graceTime {
		t.Errorf("nothing came, and %v are counted: %v", p.used, ok)
	}
	there := make(chan int, 1)
	there <- 7
	p = Grace{}
	if v, ok := wait(&p, there); !ok || v != 7 {
		t.Error("what is there was not taken")
	}
}
