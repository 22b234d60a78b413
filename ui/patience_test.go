package ui

import (
	"testing"
	"time"
)

// However many panes wait for data that does not come, they wait for no longer than one grace together, and a quarter of the time
// that passes. What is there is taken at once.
func TestPatienceIsShared(t *testing.T) {
	var p patience
	never := make(chan int)
	for range 20 {
		if _, ok := wait(&p, never); ok {
			t.Fatal("nothing came")
		}
	}
	now := time.Now()
	if left := p.left(now); left > grace/2 {
		t.Errorf("%v left after waiting in vain", left)
	}
	if left := p.left(now.Add(time.Second)); left != grace {
		t.Errorf("%v left a second later", left)
	}
	p = patience{}
	there := make(chan int, 1)
	there <- 7
	if v, ok := wait(&p, there); !ok || v != 7 {
		t.Error("what is there was not taken")
	}
}
