package model

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Priority orders jobs: smaller ones first.
type Priority int

// The priorities. Jobs of the last two never use more than half of the workers.
const (
	Visible Priority = iota
	Selected
	Edited
	Prefetch
	Index
	Checks
)

// Job is work for a background worker.
type Job struct {
	Key      any // equal keys share one run; nil never joins
	Title    string
	Priority Priority
	Run      func(ctx context.Context, progress func(done, total int64)) (any, error)
	Done     func(result any, err error) // runs through post; not called after Cancel
}

// Jobs runs jobs on a few workers. Results are delivered through post, one function at a time, on the goroutine that owns the
// documents. Its methods are safe for concurrent use.
type Jobs struct {
	post func(func())

	mu      sync.Mutex
	queue   []*task // that have not begun, the oldest first
	byKey   map[any]*task
	active  []*task // that are running, the oldest first
	slow    int     // running tasks of the last two priorities
	workers int
	changed func()
}

// task is one run, and everyone waiting for it.
type task struct {
	jobs     *Jobs
	key      any
	title    string
	priority Priority
	run      func(ctx context.Context, progress func(done, total int64)) (any, error)
	waiters  map[*Ticket]bool
	cancel   context.CancelFunc // nil: it has not begun
	done     int64
	total    int64
}

// Ticket is a request for a job's result. The work is cancelled when no request is left.
type Ticket struct {
	jobs *Jobs
	task *task
	then func(any, error)
}

// Running describes a job for a status bar.
type Running struct {
	Title       string
	Done, Total int64
	Cancel      func()
}

// NewJobs starts a scheduler with a worker per core but one, and at least two. changed, if not nil, is posted whenever the set of running
// jobs or their progress changes.
func NewJobs(post func(func()), changed func()) *Jobs {
	return &Jobs{post: post, byKey: map[any]*task{}, workers: max(2, runtime.NumCPU()-1), changed: changed}
}

// Submit queues a job, or joins one with the same key that is queued or running.
func (j *Jobs) Submit(job Job) *Ticket {
	j.mu.Lock()
	defer j.mu.Unlock()
	k := &Ticket{jobs: j, then: job.Done}
	if t := j.byKey[job.Key]; t != nil && job.Key != nil {
		k.task = t
		t.waiters[k] = true
		if t.cancel == nil {
			t.priority = min(t.priority, job.Priority)
		}
		return k
	}
	t := &task{jobs: j, key: job.Key, title: job.Title, priority: job.Priority, run: job.Run, waiters: map[*Ticket]bool{k: true}}
	k.task = t
	if job.Key != nil {
		j.byKey[job.Key] = t
	}
	j.queue = append(j.queue, t)
	j.start()
	return k
}

// Cancel withdraws the request: Done is not called. The run stops if no one else waits for it.
func (k *Ticket) Cancel() {
	if k == nil {
		return
	}
	j := k.jobs
	j.mu.Lock()
	defer j.mu.Unlock()
	t := k.task
	delete(t.waiters, k)
	if len(t.waiters) > 0 {
		return
	}
	if j.byKey[t.key] == t {
		delete(j.byKey, t.key)
	}
	if t.cancel != nil {
		t.cancel()
	} else {
		j.drop(t)
	}
}

// drop removes a task from the queue. The lock is held.
func (j *Jobs) drop(t *task) {
	j.queue = slices.DeleteFunc(j.queue, func(q *task) bool { return q == t })
}

// start assigns queued tasks to idle workers. The lock is held.
func (j *Jobs) start() {
	for len(j.active) < j.workers && len(j.queue) > 0 {
		t := slices.MinFunc(j.queue, func(a, b *task) int { return cmp.Compare(a.priority, b.priority) })
		if t.priority >= Index {
			if j.slow >= max(1, j.workers/2) {
				return
			}
			j.slow++
		}
		j.drop(t)
		var ctx context.Context
		ctx, t.cancel = context.WithCancel(context.Background())
		j.active = append(j.active, t)
		go j.work(ctx, t)
	}
}

// shownAfter is how long a job runs before it is worth mentioning. Many report no progress, so nothing else would make it known.
const shownAfter = 300 * time.Millisecond

func (j *Jobs) work(ctx context.Context, t *task) {
	var result any
	if t.title != "" {
		defer time.AfterFunc(shownAfter, j.notify).Stop()
	}
	slow := t.priority >= Index
	err := Contain(func() (err error) {
		result, err = t.run(ctx, func(done, total int64) {
			j.mu.Lock()
			t.done, t.total = done, total
			j.mu.Unlock()
			j.notify()
		})
		return err
	})
	t.cancel()
	j.mu.Lock()
	j.active = slices.DeleteFunc(j.active, func(o *task) bool { return o == t })
	if slow {
		j.slow--
	}
	if j.byKey[t.key] == t {
		delete(j.byKey, t.key)
	}
	waiting := len(t.waiters) > 0
	j.mu.Unlock()
	if waiting { // before the next task starts: results come in the order of the work
		j.post(func() { t.answer(result, err) })
	}
	j.mu.Lock()
	j.start()
	j.mu.Unlock()
	j.notify()
}

// answer delivers a result to everyone who still waits for it.
func (t *task) answer(result any, err error) {
	j := t.jobs
	j.mu.Lock()
	waiters := t.waiters
	t.waiters = map[*Ticket]bool{}
	j.mu.Unlock()
	for k := range waiters {
		if k.then != nil {
			defer k.then(result, err) // a panic in one of them does not affect the others
		}
	}
}

func (j *Jobs) notify() {
	if j.changed != nil {
		j.post(j.changed)
	}
}

// Running lists the running jobs with a title, the oldest first.
func (j *Jobs) Running() (out []Running) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, t := range j.active {
		if t.title != "" {
			out = append(out, Running{t.title, t.done, t.total, t.cancel})
		}
	}
	return out
}
