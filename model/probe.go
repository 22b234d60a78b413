package model

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"spandrel/model/parallel"
)

// MaxInFlight is how many bytes the items of a check that run in parallel may use together. An item that needs more runs
// alone.
const MaxInFlight = 192 << 20

// Probe is what a deep check reports to. All of it is safe for concurrent use.
type Probe struct {
	Report   func(Finding)
	Progress func(done, total int64, what string)
	// Buf is a buffer for the item of Each that has the probe; it contains what earlier items left in it.
	Buf []byte

	once   sync.Once
	shared *crew
	held   int64 // of the crew's memory
}

// Cores is how many cores are used for work. In the window Go runs one more thread, its own, which need not wait for work to
// yield.
func Cores() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

// crew is the cores and memory that all items of a check share, including those of nested checks.
type crew struct {
	cores chan struct{} // a place for each helper
	mu    sync.Mutex
	room  *sync.Cond
	free  int64
}

func (p *Probe) crew() *crew {
	p.once.Do(func() {
		if p.shared == nil {
			p.shared = &crew{cores: make(chan struct{}, Cores()-1), free: MaxInFlight}
			p.shared.room = sync.NewCond(&p.shared.mu)
		}
	})
	return p.shared
}

// Each checks n items on all cores: blocks, members, fragments. check gets a probe of its own, and findings are reported in the
// order of the items, whichever finished first. An error ends it: that of the first failed item is returned. Each may be
// called inside an item. A panic becomes a finding, and the other items continue.
func (p *Probe) Each(ctx context.Context, what string, n int64, check func(ctx context.Context, p *Probe, i int64) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := p.crew()
	e := &each{up: p, what: what, n: n, check: check, cancel: cancel, failed: n, waiting: map[int64][]Finding{}}
	e.batch = max(1, min(16, n/int64(32*(cap(c.cores)+1)))) // small enough that all end at about the same time
	var others parallel.Group
	for range min(int64(cap(c.cores)), n-1) {
		select {
		case c.cores <- struct{}{}:
			others.Go(func() {
				defer func() { <-c.cores }()
				e.work(ctx, c)
			})
		default: // all cores are busy already
		}
	}
	e.work(ctx, c)
	others.Wait()
	e.flush()
	if e.err != nil {
		return e.err
	}
	return ctx.Err()
}

// each is a run of Each.
type each struct {
	up     *Probe
	what   string
	n      int64
	batch  int64
	check  func(ctx context.Context, p *Probe, i int64) error
	cancel func()
	next   atomic.Int64
	done   atomic.Int64

	mu      sync.Mutex
	failed  int64 // the first item that had an error, and the error
	err     error
	told    int64               // items before this one have been reported
	waiting map[int64][]Finding // batches after an unfinished one
}

// work takes batches of items until there are no more.
func (e *each) work(ctx context.Context, c *crew) {
	var found []Finding
	var mu sync.Mutex
	q := &Probe{shared: c, Progress: func(int64, int64, string) {}, Report: func(f Finding) {
		mu.Lock()
		defer mu.Unlock()
		found = append(found, f)
	}}
	for ctx.Err() == nil {
		from := e.next.Add(e.batch) - e.batch
		if from >= e.n {
			return
		}
		to := min(from+e.batch, e.n)
		found = nil
		for i := from; i < to && ctx.Err() == nil; i++ {
			e.item(ctx, q, i)
		}
		e.tell(from, to, found)
	}
}

// item checks one item.
func (e *each) item(ctx context.Context, q *Probe, i int64) {
	defer q.release()
	err := Contain(func() error { return e.check(ctx, q, i) })
	if defect := (*Defect)(nil); errors.As(err, &defect) {
		q.Report(Finding{Rule: RuleInternal, Message: err.Error(), Found: string(defect.Stack)})
		return
	}
	if err == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if i < e.failed && (e.err == nil || !errors.Is(err, context.Canceled)) { // cancelled by another's error
		e.failed, e.err = i, err
	}
	e.cancel()
}

// tell passes on the findings of a batch once all batches before it have been passed on.
func (e *each) tell(from, to int64, found []Finding) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting[from] = found
	for ; e.told < e.n; e.told = min(e.told+e.batch, e.n) {
		list, ok := e.waiting[e.told]
		if !ok {
			break
		}
		delete(e.waiting, e.told)
		for _, f := range list {
			e.up.Report(f)
		}
	}
	if e.up.Progress != nil {
		e.up.Progress(e.done.Add(to-from), e.n, e.what)
	}
}

// flush passes on what is left after the run was ended early.
func (e *each) flush() {
	for ; e.told < e.n && len(e.waiting) > 0; e.told += e.batch {
		for _, f := range e.waiting[e.told] {
			e.up.Report(f)
		}
		delete(e.waiting, e.told)
	}
}

// Hold waits until n bytes of memory are free for the item of Each that has the probe, which returns them at its end. Call it
// once, for everything the item needs.
func (p *Probe) Hold(n int64) {
	c := p.crew()
	p.release()
	n = max(0, min(n, MaxInFlight))
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.free < n {
		c.room.Wait()
	}
	c.free -= n
	p.held = n
}

// release returns the held memory.
func (p *Probe) release() {
	if p.held == 0 {
		return
	}
	p.shared.mu.Lock()
	defer p.shared.mu.Unlock()
	p.shared.free += p.held
	p.held = 0
	p.shared.room.Broadcast()
}
