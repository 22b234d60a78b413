package kit

import (
	"cmp"
	"context"
	"time"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// Running ends a job that was submitted; nil where none runs.
type Running func()

// Stop ends the job, where one runs.
func (r *Running) Stop() {
	if *r != nil {
		(*r)()
		*r = nil
	}
}

// Host is the window as what is in it knows it: it runs jobs, says and asks things, has the clipboard and the keyboard, and carries out
// commands by their names. Everything of it belongs to the UI goroutine.
type Host struct {
	App     fyne.App
	Shell   Shell
	Jobs    *model.Jobs
	Post    func(func())                  // runs a function on the UI goroutine
	Failed  func(title string, err error) // told how a job ended
	Pending int                           // results that have not come yet
	grace   Grace                         // for data that is about to be drawn
	Line    *Messages                     // nil before there is one
	Bubble  *Tooltip                      // says beside a button what it does; nil without a window
	told    *Dialog                       // the last one that only told something; nil: none did
	toldOf  string                        // its title

	// What the frame does, which stands above all that is in it.
	Command        func(name string)        // carries out a command
	Keys           func(name string) string // what a command does, and its keys
	Typed          func(*fyne.KeyEvent)     // takes a key that the widget with the keyboard has no use for
	Update         func()                   // something else is selected, or edited: what stands around the panes says so
	UpdateCommands func()                   // other commands than before would do something
}

// NewHost makes a host without a window. post must run functions one at a time, on the UI goroutine. What the frame does is nothing yet.
func NewHost(a fyne.App, post func(func())) *Host {
	h := &Host{App: a, Post: post, Shell: Silent{}, Failed: func(string, error) {}, Command: func(string) {}, Keys: func(string) string { return "" },
		Typed: func(*fyne.KeyEvent) {}, Update: func() {}, UpdateCommands: func() {}}
	h.Jobs = model.NewJobs(post, func() {
		if h.Line != nil {
			h.Line.jobsChanged()
		}
	})
	return h
}

// Say shows a message for a while.
func (h *Host) Say(text string) { h.Line.say(text) }

// Outdated drops a message that begins so: it is not true any more.
func (h *Host) Outdated(begin string) { h.Line.outdated(begin) }

// Hint says what is below the pointer, or being typed; "" ends it.
func (h *Host) Hint(text string) { h.Line.hint(text) }

// Submit runs a job and calls its Done on the UI goroutine. cancel withdraws it: Done is then not called.
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

// graceTime is how long the UI goroutine waits for data that is about to be drawn. Data in memory comes within it, so that
// scrolling shows no pending rows; cold data comes later and is drawn then. It is what all panes have together: of the time that passes
// a quarter at most is waited.
const graceTime = 4 * time.Millisecond

// Grace is how much of that time is left.
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

// wait waits for a result, as long as may be waited now. A result that is there already costs nothing.
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

// Submitter runs jobs: the host, or what runs those of one document.
type Submitter interface {
	Submit(model.Job) (cancel func())
	Patience() *Grace
}

// Patience is what is left of the time that the UI goroutine may wait.
func (h *Host) Patience() *Grace { return &h.grace }

// Progress says how far something is.
type Progress func(done, total int64)

// Work has a worker do something, and calls then with what came of it on the UI goroutine. cancel withdraws it: then is not called.
func Work[T any](wb Submitter, title string, p model.Priority, do func(ctx context.Context) (T, error), then func(T, error)) (cancel func()) {
	return Watched(wb, title, p, func(ctx context.Context, _ Progress) (T, error) { return do(ctx) }, then)
}

// Watched is Work that says how far it is.
func Watched[T any](wb Submitter, title string, p model.Priority, do func(ctx context.Context, progress Progress) (T, error), then func(T, error)) (cancel func()) {
	return wb.Submit(model.Job{Title: title, Priority: p,
		Run: func(ctx context.Context, progress func(done, total int64)) (any, error) { return do(ctx, progress) },
		Done: func(v any, err error) {
			t, _ := v.(T)
			then(t, err)
		}})
}

// Loader fetches what one pane shows. A new wish voids the one before.
type Loader[T any] struct{ Running }

// Load reads in a worker and calls then with what was read, at once where that comes within the grace. What was asked for before is not read any more.
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
