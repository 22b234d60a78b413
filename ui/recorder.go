package ui

import (
	"context"
	"errors"
	"time"

	"spandrel/model"
)

// recordEvery is how often the unsaved edits are written at most. What is typed within it is written once.
const recordEvery = time.Second

// recorder writes the unsaved edits of all documents where they survive a crash: in a worker, and joined to one write a second.
type recorder struct {
	records string // the folder of the records; "" records none
	h       *Host
	wait    map[*model.Document]*model.Recording // not written yet
	busy    bool                                 // written less than a second ago, or being written
	second  func(f func())                       // calls f on the UI goroutine a second later
}

func newRecorder(h *Host, records string) *recorder {
	return &recorder{h: h, records: records, wait: map[*model.Document]*model.Recording{}, second: func(f func()) {
		time.AfterFunc(recordEvery, func() { h.post(f) })
	}}
}

// keep records the unsaved edits of a document, or that there are none any more.
func (r *recorder) keep(d *model.Document) {
	if r.records == "" {
		return
	}
	r.wait[d] = d.Recording()
	if !r.busy {
		r.write()
	}
}

// drop forgets what was to be recorded of a document; when it returns nothing writes its record any more.
func (r *recorder) drop(d *model.Document) {
	delete(r.wait, d)
	d.Unrecord()
}

// write writes what waits, and again in a second what came meanwhile.
func (r *recorder) write() {
	if r.busy = len(r.wait) > 0; !r.busy {
		return
	}
	batch, dir := r.take(), r.records
	r.h.submit(model.Job{Priority: model.Edited,
		Run: func(context.Context, func(done, total int64)) (any, error) { return nil, writeAll(batch, dir) },
		Done: func(_ any, err error) {
			r.told(err)
			r.second(r.write)
		}})
}

// flush writes what waits, at once: the program ends.
func (r *recorder) flush() { r.told(writeAll(r.take(), r.records)) }

func (r *recorder) take() []*model.Recording {
	var batch []*model.Recording
	for d, x := range r.wait {
		batch = append(batch, x)
		delete(r.wait, d)
	}
	return batch
}

func (r *recorder) told(err error) {
	if err != nil {
		r.h.fail("The unsaved edits could not be recorded", err)
	}
}

func writeAll(batch []*model.Recording, dir string) error {
	var errs []error
	for _, x := range batch {
		errs = append(errs, x.Write(dir))
	}
	return errors.Join(errs...)
}
