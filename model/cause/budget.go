package cause

import (
	"context"
	"runtime/metrics"
	"sync"
	"time"

	"spandrel/model"
)

// budget is how long a search may take: in the work of the cores, and on the clock.
type budget struct {
	from, work time.Duration // of the process before, and how much more it may do
	start      time.Time
	clock      time.Duration
}

// Purse is how much work the searches of one command may do together. Each may have a part of what is left: the first ones as much as a search
// may have by itself, and very many less and less of it.
type Purse struct {
	mu   sync.Mutex
	left time.Duration
}

// pursed is how many searches to their end a purse is for, purseShare which part of what is left one may have, and leastTime what is worth beginning.
const (
	pursed     = 30
	purseShare = 15
	leastTime  = 20 * time.Millisecond
)

// NewPurse is for searches that may take so long each.
func NewPurse(each time.Duration) *Purse { return &Purse{left: pursed * each} }

// take takes out what a search may have, none where that is not worth beginning. Nil has enough for everybody.
func (p *Purse) take(most time.Duration) time.Duration {
	if p == nil {
		return most
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	got := min(most, p.left/purseShare)
	if got < leastTime {
		return 0
	}
	p.left -= got
	return got
}

// giveBack puts back what a search did not need of what it had.
func (p *Purse) giveBack(had time.Duration, b *budget) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left += max(0, had-(model.CPUTime()-b.from)/time.Duration(model.Cores()))
}

// slack is how much longer a search may take on the clock than on a machine that does nothing else, and how often that is looked at.
const (
	slack = 4
	tick  = 50 * time.Millisecond
)

// begin starts counting. The context ends when what was begun has had three quarters of that again.
func begin(ctx context.Context, most time.Duration) (*budget, context.Context, func()) {
	b := &budget{model.CPUTime(), most * time.Duration(model.Cores()), time.Now(), slack * most}
	ctx, stop := context.WithCancel(ctx)
	go func() {
		t := time.NewTicker(max(time.Millisecond, min(tick, most/2)))
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if b.over(1.75) {
					stop()
				}
			}
		}
	}()
	return b, ctx, stop
}

// Trials run one after the other where much is in memory, or each of them may need much.
const (
	roomy     = 64 << 20 // bytes that may be in memory for trials to run beside each other
	spanSize  = 160      // … that a span takes, with what a format keeps for it
	manyBytes = 16 << 20 // of a document of which a trial may decode a large part of what there is room for
)

// abreast is how many trials of a document of so many bytes, and spans, run at the same time.
func abreast(bytes, spans int64) int {
	heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	if metrics.Read(heap); bytes > manyBytes || spans*spanSize > roomy || heap[0].Value.Kind() == metrics.KindUint64 && heap[0].Value.Uint64() > roomy {
		return 1
	}
	return model.Cores()
}

// over tells whether so many times the budget is spent.
func (b *budget) over(times float64) bool {
	return float64(model.CPUTime()-b.from) > times*float64(b.work) || float64(time.Since(b.start)) > times*float64(b.clock)
}
