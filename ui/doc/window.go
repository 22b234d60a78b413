package doc

import (
	"context"
	"sync"

	"spandrel/model"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
)

// Window is the host as seen by one document's panes: jobs that they submit end with the document, whose files are
// released once no one reads them.
type Window struct {
	*kit.Host
	Ended   bool
	running map[*model.Job]func() // what withdraws each job that is on its way

	files *files
}

// files are those of a document, shared by its views.
type files struct {
	use    sync.RWMutex // held for reading while a job of the document runs
	closed bool         // they are released
}

func newWindow(h *kit.Host) *Window { return &Window{Host: h, files: &files{}} }

// share is the window of another view: its jobs read the same files, and end with it.
func (k *Window) share() *Window { return &Window{Host: k.Host, files: k.files} }

// Submit is Host.submit for a job that reads the document. After the end of the document it does nothing.
func (k *Window) Submit(j model.Job) (cancel func()) {
	if k.Ended {
		return func() {}
	}
	key, run, done := &j, j.Run, j.Done
	j.Run = func(ctx context.Context, progress func(done, total int64)) (any, error) {
		release, open := k.Hold()
		if !open {
			return nil, context.Canceled
		}
		defer release()
		return run(ctx, progress)
	}
	j.Done = func(v any, err error) {
		delete(k.running, key)
		if done != nil {
			done(v, err)
		}
	}
	withdraw := k.Host.Submit(j)
	if k.running == nil {
		k.running = map[*model.Job]func(){}
	}
	k.running[key] = withdraw
	return func() {
		delete(k.running, key)
		withdraw()
	}
}

// Hold prevents the files of the document from being released until release is called; open is false if they have been.
func (k *Window) Hold() (release func(), open bool) {
	k.files.use.RLock()
	return k.held()
}

// TryHold is Hold for callers that must not wait for a document being closed.
func (k *Window) TryHold() (release func(), open bool) {
	if !k.files.use.TryRLock() {
		return nil, false
	}
	return k.held()
}

func (k *Window) held() (release func(), open bool) {
	if k.files.closed {
		k.files.use.RUnlock()
		return nil, false
	}
	return k.files.use.RUnlock, true
}

// end cancels all jobs and calls release, in the background, when the last of them has returned. Then done is posted. If release is nil the files stay open.
func (k *Window) end(release, done func()) {
	k.Ended = true
	for _, withdraw := range k.running {
		withdraw()
	}
	k.running = nil
	k.Pending++
	go func() {
		if release != nil {
			k.files.use.Lock()
			k.files.closed = true
			guard.Do("closing a document", release)
			k.files.use.Unlock()
		}
		k.Post(func() {
			k.Pending--
			if done != nil {
				done()
			}
		})
	}()
}
