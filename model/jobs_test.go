package model

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// drain returns a post function and a function that runs what was posted until done tells to stop.
func drain() (post func(func()), until func(done func() bool)) {
	ch := make(chan func(), 100)
	return func(f func()) { ch <- f }, func(done func() bool) {
		for !done() {
			(<-ch)()
		}
	}
}

func TestJobsJoinAndCancel(t *testing.T) {
	post, until := drain()
	j := NewJobs(post, nil)
	var runs atomic.Int32
	release := make(chan bool)
	job := func(done func(any, error)) Job {
		return Job{Key: "k", Run: func(ctx context.Context, _ func(int64, int64)) (any, error) {
			runs.Add(1)
			select {
			case <-release:
				return 7, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}, Done: done}
	}
	got := 0
	first := j.Submit(job(func(any, error) { t.Error("a cancelled wish was answered") }))
	j.Submit(job(func(v any, err error) { got = v.(int) }))
	first.Cancel() // the second waiter takes over
	close(release)
	until(func() bool { return got != 0 })
	if runs.Load() != 1 || got != 7 {
		t.Errorf("%d runs, result %d", runs.Load(), got)
	}
}

func TestJobsCancelStops(t *testing.T) {
	post, _ := drain()
	j := NewJobs(post, nil)
	started, stopped := make(chan bool), make(chan error)
	k := j.Submit(Job{Run: func(ctx context.Context, _ func(int64, int64)) (any, error) {
		started <- true
		<-ctx.Done()
		stopped <- ctx.Err()
		return nil, ctx.Err()
	}})
	<-started
	k.Cancel()
	if err := <-stopped; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A job that runs for a while is made known even if it reports no progress, and several are listed in the order in which they began.
func TestJobsRunning(t *testing.T) {
	known := make(chan bool, 100)
	j := NewJobs(func(f func()) { f() }, func() { known <- true })
	release := make(chan bool)
	defer close(release)
	for _, title := range []string{"a", "b"} {
		started := make(chan bool)
		j.Submit(Job{Title: title, Run: func(context.Context, func(int64, int64)) (any, error) {
			close(started)
			<-release
			return nil, nil
		}})
		<-started
	}
	select {
	case <-known:
	case <-time.After(time.Minute):
		t.Fatal("no one is told of a job that runs")
	}
	for range 20 {
		if all := j.Running(); len(all) != 2 || all[0].Title != "a" || all[1].Title != "b" {
			t.Fatalf("running: %v", all)
		}
	}
}

func TestJobsPriority(t *testing.T) {
	post, until := drain()
	j := NewJobs(post, nil)
	j.workers = 1
	gate := make(chan bool)
	var order []Priority
	add := func(p Priority) {
		j.Submit(Job{Priority: p, Run: func(context.Context, func(int64, int64)) (any, error) {
			<-gate
			return p, nil
		}, Done: func(v any, _ error) { order = append(order, v.(Priority)) }})
	}
	for _, p := range []Priority{Visible, Checks, Prefetch, Visible} {
		add(p)
	}
	close(gate)
	until(func() bool { return len(order) == 4 })
	for i, want := range []Priority{Visible, Visible, Prefetch, Checks} {
		if order[i] != want {
			t.Fatalf("ran in order %v", order)
		}
	}
}

// TestDefect checks that a panic in a format is an error of the job, the tables and the deep checks, and does not end the
// program.
func TestDefect(t *testing.T) {
	post := make(chan func(), 10)
	jobs := NewJobs(func(f func()) { post <- f }, nil)
	var got error
	jobs.Submit(Job{Run: func(context.Context, func(int64, int64)) (any, error) { panic("broken") }, Done: func(_ any, err error) { got = err }})
	(<-post)()
	if defect := (*Defect)(nil); !errors.As(got, &defect) || defect.What != "broken" || len(defect.Stack) == 0 {
		t.Errorf("%v", got)
	}
	f := &Format{Name: "broken", Parse: func(c *Cursor) { c.Skip(c.Left()) }, Tables: func(context.Context, *Tree) []Table { panic("tables") },
		Deep: func(context.Context, *Tree, *Probe) error { panic("deep") }}
	d, err := OpenBytes(context.Background(), "x", []byte("abc"), nil, f)
	if err != nil {
		t.Fatal(err)
	}
	if tables := d.Tree.Tables(bg); tables != nil {
		t.Errorf("%v", tables)
	}
	if err := d.Deep(context.Background(), nil); err != nil {
		t.Error(err)
	}
	found, _ := d.Tree.Findings()
	if len(found) != 2 || found[0].Rule != RuleInternal || found[1].Rule != RuleInternal {
		t.Errorf("%v", found)
	}
}
