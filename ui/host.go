package ui

import (
	"cmp"
	"context"
	"time"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// Host is the window as what is in it knows it: it runs jobs, says and asks things, has the clipboard and the keyboard, and carries out
// commands by their names. Everything of it belongs to the UI goroutine.
type Host struct {
	app     fyne.App
	shell   shell
	jobs    *model.Jobs
	post    func(func())                  // runs a function on the UI goroutine
	failed  func(title string, err error) // told how a job ended
	pending int                           // results that have not come yet
	grace   grace                         // for data that is about to be drawn
	line    *messages                     // nil before there is one
	bubble  *tooltip                      // says beside a button what it does; nil without a window

	// What the frame does, which stands above all that is in it.
	command        func(name string)        // carries out a command
	keys           func(name string) string // what a command does, and its keys
	typed          func(*fyne.KeyEvent)     // takes a key that the widget with the keyboard has no use for
	update         func()                   // something else is selected, or edited: what stands around the panes says so
	updateCommands func()                   // other commands than before would do something
}

// newHost makes a host without a window. post must run functions one at a time, on the UI goroutine. What the frame does is nothing yet.
func newHost(a fyne.App, post func(func())) *Host {
	h := &Host{app: a, post: post, shell: silent{}, failed: func(string, error) {}, command: func(string) {}, keys: func(string) string { return "" },
		typed: func(*fyne.KeyEvent) {}, update: func() {}, updateCommands: func() {}}
	h.jobs = model.NewJobs(post, func() {
		if h.line != nil {
			h.line.jobsChanged()
		}
	})
	return h
}

// say shows a message for a while.
func (h *Host) say(text string) { h.line.say(text) }

// outdated drops a message that begins so: it is not true any more.
func (h *Host) outdated(begin string) { h.line.outdated(begin) }

// hint says what is below the pointer, or being typed; "" ends it.
func (h *Host) hint(text string) { h.line.hint(text) }

// submit runs a job and calls its Done on the UI goroutine. cancel withdraws it: Done is then not called.
func (h *Host) submit(j model.Job) (cancel func()) {
	h.pending++
	open := true
	settle := func() {
		if open {
			open = false
			h.pending--
		}
	}
	done := j.Done
	j.Done = func(v any, err error) {
		settle()
		h.failed(cmp.Or(j.Title, "work in the background"), err)
		if done != nil {
			done(v, err)
		}
	}
	t := h.jobs.Submit(j)
	return func() {
		t.Cancel()
		settle()
	}
}

// graceTime is how long the UI goroutine waits for data that is about to be drawn. Data in memory comes within it, so that
// scrolling shows no pending rows; cold data comes later and is drawn then. It is what all panes have together: of the time that passes
// a quarter at most is waited.
const graceTime = 4 * time.Millisecond

// grace is how much of that time is left.
type grace struct {
	used time.Duration
	at   time.Time
}

// left is how long may be waited now.
func (p *grace) left(now time.Time) time.Duration {
	p.used = max(0, p.used-now.Sub(p.at)/4)
	p.at = now
	return max(0, graceTime-p.used)
}

// wait waits for a result, as long as may be waited now. A result that is there already costs nothing.
func wait[T any](p *grace, got <-chan T) (v T, ok bool) {
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

// submitter runs jobs: the host, or what runs those of one document.
type submitter interface {
	submit(model.Job) (cancel func())
	patience() *grace
}

func (h *Host) patience() *grace { return &h.grace }

// loader fetches what one pane shows. A new wish voids the one before.
type loader[T any] struct{ cancel func() }

func (l *loader[T]) load(wb submitter, read func(ctx context.Context) (T, error), then func(T, error)) {
	l.stop()
	type result struct {
		v   T
		err error
	}
	got := make(chan result, 1)
	l.cancel = wb.submit(model.Job{Priority: model.Visible,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			v, err := read(ctx)
			got <- result{v, err}
			return v, err
		},
		Done: func(v any, err error) {
			l.cancel = nil
			t, _ := v.(T)
			then(t, err)
		}})
	if r, ok := wait(wb.patience(), got); ok {
		l.stop()
		then(r.v, r.err)
	}
}

func (l *loader[T]) stop() {
	if l.cancel != nil {
		l.cancel()
		l.cancel = nil
	}
}

// copy puts a text on the clipboard.
func (h *Host) copy(s string) { h.app.Clipboard().SetContent(s) }
