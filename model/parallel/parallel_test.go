package parallel_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"spandrel/model"
	"spandrel/model/correct"
	"spandrel/model/parallel"
)

// A panic on another goroutine ends what waits for it, and no more than that; the others are waited for. Its stack is that of the place it came from.
func TestPanicGoesOnWhereItIsWaitedFor(t *testing.T) {
	var others atomic.Int64
	err := model.Contain(func() error {
		var g parallel.Group
		for i := range 8 {
			g.Go(func() {
				if i == 3 {
					broken()
				}
				others.Add(1)
			})
		}
		g.Wait()
		t.Error("Wait returned")
		return nil
	})
	defect := (*model.Defect)(nil)
	if !errors.As(err, &defect) || defect.What != "broken on purpose" || !strings.Contains(string(defect.Stack), "parallel_test.broken") || others.Load() != 7 {
		t.Errorf("%v; %d of the others ended", err, others.Load())
	}
}

func broken() { panic("broken on purpose") }

// What is asked on all cores may be a format's: a defect in it is the caller's.
func TestDefectInAcceptIsTheCallers(t *testing.T) {
	stream := &correct.Stream{In: []byte{0x4b, 0x4c, 0x4a, 0x06, 0x00}, Length: -1, Limit: 64, Accept: func([]byte) bool { panic("broken on purpose") }}
	err := model.Contain(func() error { _, err := stream.Flip(t.Context(), nil); return err })
	if defect := (*model.Defect)(nil); !errors.As(err, &defect) {
		t.Errorf("%v", err)
	}
}

// A page fault on another goroutine is what it is on the caller's.
func TestFaultStaysAFault(t *testing.T) {
	err := model.Guard(func() error {
		var g parallel.Group
		g.Go(func() { panic(fault{}) })
		g.Wait()
		return nil
	})
	if !errors.Is(err, model.ErrShrunk) {
		t.Errorf("%v", err)
	}
}

type fault struct{}

func (fault) Addr() uintptr { return 1 << 20 }
