package model

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
)

// listing is a probe that keeps what is reported, in order.
func listing() (*Probe, *[]string) {
	var got []string
	return &Probe{Report: func(f Finding) { got = append(got, f.Message) }, Progress: func(int64, int64, string) {}}, &got
}

// Findings come out in the order of the items, those of checks inside checks too, however many run at once.
func TestEachKeepsOrder(t *testing.T) {
	const n, inner = 500, 7
	p, got := listing()
	var last int64
	p.Progress = func(done, total int64, what string) {
		if total != n || what != "blocks" || done < 0 || done > n {
			t.Errorf("%d of %d %s", done, total, what)
		}
		last = max(last, done)
	}
	err := p.Each(bg, "blocks", n, func(ctx context.Context, p *Probe, i int64) error {
		return p.Each(ctx, "parts", inner, func(_ context.Context, p *Probe, k int64) error {
			p.Hold(1 << 20)
			p.Wrong(RuleValue, nil, nil, nil, Saying("%d.%d", i, k))
			return nil
		})
	})
	if err != nil || len(*got) != n*inner || last != n {
		t.Fatalf("%d findings, progress to %d, %v", len(*got), last, err)
	}
	for i, s := range *got {
		if want := fmt.Sprintf("%d.%d", i/inner, i%inner); s != want {
			t.Fatalf("finding %d is %s", i, s)
		}
	}
}

// The error of the first item that has one ends the run; a panic is a finding and ends nothing.
func TestEachFails(t *testing.T) {
	broken := errors.New("broken")
	p, _ := listing()
	var ran atomic.Int64
	err := p.Each(bg, "", 1e6, func(ctx context.Context, _ *Probe, i int64) error {
		if ran.Add(1); i == 100 {
			return broken
		}
		return ctx.Err()
	})
	if !errors.Is(err, broken) || ran.Load() == 1e6 {
		t.Errorf("%v after %d items", err, ran.Load())
	}
	p, got := listing()
	err = p.Each(bg, "", 50, func(_ context.Context, p *Probe, i int64) error {
		if i == 7 {
			panic("seven")
		}
		return nil
	})
	if err != nil || len(*got) != 1 || (*got)[0] != "internal error: seven" {
		t.Errorf("%v, %v", *got, err)
	}
	ctx, cancel := context.WithCancel(bg)
	p, got = listing()
	err = p.Each(ctx, "", 1e6, func(_ context.Context, p *Probe, i int64) error {
		if p.Wrong(RuleValue, nil, nil, nil); i == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || len(*got) == 0 || len(*got) > 1e5 {
		t.Errorf("%v, %d findings", err, len(*got))
	}
}

// What runs at the same time never holds more than the limit together; more than the limit goes alone.
func TestEachHolds(t *testing.T) {
	p, _ := listing()
	var now, most atomic.Int64
	err := p.Each(bg, "", 64, func(_ context.Context, p *Probe, i int64) error {
		n := int64(MaxInFlight/2 + 1)
		if i%5 == 0 {
			n = 10 * MaxInFlight
		}
		p.Hold(n)
		if k := now.Add(1); k > most.Load() {
			most.Store(k)
		}
		p.Buf = append(p.Buf[:0], make([]byte, 10)...)
		now.Add(-1)
		return nil
	})
	if err != nil || most.Load() != 1 {
		t.Errorf("%d at once, %v", most.Load(), err)
	}
}
