package cause

import (
	"context"
	"runtime/metrics"
	"sync"
	"time"

	"spandrel/model"
)

// budget bounds a search by counted work, so that the same file has the same answers; CPU time and the clock only end what the count misjudges.
type budget struct {
	from, work time.Duration // effort of the process at the start, and what the search may add
	cpu        time.Duration // CPU time used by the process at the start
	start      time.Time
	clock      time.Duration
}

// Purse is the work that the searches of one command share. Each may use a part of what is left: the first as much as a single search
// would, later ones less and less.
type Purse struct {
	mu   sync.Mutex
	left time.Duration
}

// A purse pays for pursed complete searches; one search may use purseShare of what is left; less than leastTime is not worth starting.
const (
	pursed     = 30
	purseShare = 15
	leastTime  = 20 * time.Millisecond
)

// NewPurse is for searches of at most this long each.
func NewPurse(each time.Duration) *Purse { return &Purse{left: pursed * each} }

// take withdraws the time for one search, 0 if too little is left. A nil purse is unlimited.
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

// giveBack returns the time that a search did not use.
func (p *Purse) giveBack(had time.Duration, b *budget) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left += max(0, had-(model.Effort()-b.from)/workers)
}

// A search may do as much as workers cores do in its time, however many there are. It may take some times as much CPU time, and far longer on the clock of a
// busy machine; tick is how often that is checked.
const (
	workers  = 2
	slackCPU = 3
	slack    = 15
	tick     = 50 * time.Millisecond
)

// begin starts the count. The context ends at 1.75 times the budget, so that what has started can finish.
func begin(ctx context.Context, most time.Duration) (*budget, context.Context, func()) {
	b := &budget{model.Effort(), most * workers, model.CPUTime(), time.Now(), slack * most}
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

// Trials run one after the other if memory is short.
const (
	roomy     = 64 << 20 // bytes in memory up to which trials may run in parallel
	spanSize  = 160      // bytes of memory for a span, including what a format keeps for it
	manyBytes = 16 << 20 // bytes of a document that a trial may fill the memory with by decoding
)

// abreast is how many trials run in parallel for a document of so many bytes and spans.
func abreast(bytes, spans int64) int {
	heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	if metrics.Read(heap); bytes > manyBytes || spans*spanSize > roomy || heap[0].Value.Kind() == metrics.KindUint64 && heap[0].Value.Uint64() > roomy {
		return 1
	}
	return model.Cores()
}

// over tells whether the budget has been used so many times.
func (b *budget) over(times float64) bool {
	return float64(model.Effort()-b.from) > times*float64(b.work) || b.outOfTime(times)
}

// outOfTime tells whether a search takes so much longer than the count of its work says that it is ended anyway.
func (b *budget) outOfTime(times float64) bool {
	return float64(model.CPUTime()-b.cpu) > times*slackCPU*float64(b.work) || float64(time.Since(b.start)) > times*float64(b.clock)
}
