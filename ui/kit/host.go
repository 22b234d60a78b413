package kit

import (
	"cmp"
	"context"
	"time"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// Running cancels a submitted job; nil if none is running.
type Running func()

// Stop cancels the job, if one is running.
func (r *Running) Stop() {
	if *r != nil {
		(*r)()
		*r = nil
	}
}

// Host is the window as its parts see it: it runs jobs, shows messages and questions, provides the clipboard and the focus, and runs
// commands by name. All of it belongs to the UI goroutine.
type Host struct {
	App     fyne.App
	Shell   Shell
	Jobs    *model.Jobs
	Post    func(func())                  // runs a function on the UI goroutine
	Failed  func(title string, err error) // called when a job ends
	Pending int                           // results that have not come yet
	grace   Grace                         // for data that is about to be drawn
	Line    *Messages
	Bubble  *Tooltip // says beside a button what it does; nil without a window
	told    *Dialog  // the last notification; nil: none

	toldOf   []string // its titles
	toldText string

	// What the frame, which is above everything in the host, does.
	Command        func(name string)        // carries out a command
	Keys           func(name string) string // what a command does, and its keys
	Typed          func(*fyne.KeyEvent)     // takes a key that the widget with the keyboard has no use for
	Update         func()                   // the selection or the document changed: update the frame
	UpdateCommands func()                   // other commands than before would do something
}

// NewHost makes a host without a window. post must run functions one at a time, on the UI goroutine. The functions of the frame do nothing yet.
func NewHost(a fyne.App, post func(func())) *Host {
	h := &Host{App: a, Post: post, Shell: Silent{}, Failed: func(string, error) {}, Command: func(string) {}, Keys: func(string) string { return "" },
		Typed: func(*fyne.KeyEvent) {}, Update: func() {}, UpdateCommands: func() {}}
	h.Line = NewMessages(h)
	h.Jobs = model.NewJobs(post, h.Line.jobsChanged)
	return h
}

// Say shows a message for a while.
func (h *Host) Say(text string) { h.Line.say(text) }

// Outdated removes a message with such a beginning, because it is no longer true.
func (h *Host) Outdated(begin string) { h.Line.outdated(begin) }

// Hint describes what is under the pointer, or being typed; "" removes it.
func (h *Host) Hint(text string) { h.Line.hint(text) }

// Submit runs a job and calls its Done on the UI goroutine. cancel cancels it: Done is then not called.
func (h *Host) Submit(j model.Job) (cancel func()) {
	h.Pending++
	open := true
	settle := func() {
		if open {
			open = false
			h.Pending--
		}
	}
	done := j.Done
	j.Done = func(v any, err error) {
		settle()
		h.Failed(cmp.Or(j.Title, "work in the background"), err)
		if done != nil {
			done(v, err)
		}
	}
	t := h.Jobs.Submit(j)
	return func() {
		t.Cancel()
		settle()
	}
}

// graceTime is how long the UI goroutine waits for data to be drawn. Data in memory arrives within it, so that
// scrolling shows no pending rows; other data is drawn when it arrives. All panes share it: at most a quarter of the
// elapsed time is spent waiting.
const graceTime = 4 * time.Millisecond

// Grace is how much waiting time is left.
type Grace struct {
	used time.Duration
	at   time.Time
}

// left is how long may be waited now.
func (p *Grace) left(now time.Time) time.Duration {
	p.used = max(0, p.used-now.Sub(p.at)/4)
	p.at = now
	return max(0, graceTime-p.used)
}

// wait waits for a result, as long as may be waited now. A result that is ready costs nothing.
func wait[T any](p *Grace, got <-chan T) (v T, ok bool) {
	begun := time.Now()
	if most := p.left(begun); most > 0 {
		over := time.NewTimer(most)
		defer over.Stop()
		select {
		case v = <-got:
			ok = true
		case <-over.C:
		}
	}
	p.used += time.Since(begun)
	p.at = time.Now()
	return v, ok
}

// Submitter runs jobs: the host, or the window of one document.
type Submitter interface {
	Submit(model.Job) (cancel func())
	Patience() *Grace
}

// Patience is the remaining waiting time of the UI goroutine.
func (h *Host) Patience() *Grace { return &h.grace }

// Progress reports progress.
type Progress func(done, total int64)

// Work runs do in a worker, and then calls then with the result on the UI goroutine. cancel cancels it: then is not called.
func Work[T any](wb Submitter, title string, p model.Priority, do func(ctx context.Context) (T, error), then func(T, error)) (cancel func()) {
	return Watched(wb, title, p, func(ctx context.Context, _ Progress) (T, error) { return do(ctx) }, then)
}

// Watched is Work with progress.
func Watched[T any](wb Submitter, title string, p model.Priority, do func(ctx context.Context, progress Progress) (T, error), then func(T, error)) (cancel func()) {
	return wb.Submit(model.Job{Title: title, Priority: p,
		Run: func(ctx context.Context, progress func(done, total int64)) (any, error) { return do(ctx, progress) },
		Done: func(v any, err error) {
			t, _ := v.(T)
			then(t, err)
		}})
}

// Loader reads what one pane shows. A new request cancels the previous one.
type Loader[T any] struct{ Running }

// Load reads in a worker and then calls then with the result, immediately if it arrives within the grace time. It cancels the previous request.
func (l *Loader[T]) Load(wb Submitter, read func(ctx context.Context) (T, error), then func(T, error)) {
	l.Stop()
	type result struct {
		v   T
		err error
	}
	got := make(chan result, 1)
	l.Running = Work(wb, "", model.Visible, func(ctx context.Context) (T, error) {
		v, err := read(ctx)
		got <- result{v, err}
		return v, err
	}, func(v T, err error) {
		l.Running = nil
		then(v, err)
	})
	if r, ok := wait(wb.Patience(), got); ok {
		l.Stop()
		then(r.v, r.err)
	}
}

// Copy puts a text on the clipboard.
func (h *Host) Copy(s string) { h.App.Clipboard().SetContent(s) }
