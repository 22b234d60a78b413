package doc

import (
	"context"
	"errors"
	"time"

	"spandrel/model"
	"spandrel/ui/kit"
)

// recordEvery is how often the unsaved edits are written at most. What is typed within it is written once.
const recordEvery = time.Second

// Recorder writes the unsaved edits of all documents where they survive a crash: in a worker, and joined to one write a second.
type Recorder struct {
	Records string // the folder of the records; "" records none
	h       *kit.Host
	wait    map[*model.Document]*model.Recording // not written yet
	busy    bool                                 // written less than a second ago, or being written
	Second  func(f func())                       // calls f on the UI goroutine a second later
}

// NewRecorder makes a recorder that writes to a folder; "" records none.
func NewRecorder(h *kit.Host, records string) *Recorder {
	return &Recorder{h: h, Records: records, wait: map[*model.Document]*model.Recording{}, Second: func(f func()) {
		time.AfterFunc(recordEvery, func() { h.Post(f) })
	}}
}

// keep records the unsaved edits of a document, or that there are none any more.
func (r *Recorder) keep(d *model.Document) {
	if r.Records == "" {
		return
	}
	r.wait[d] = d.Recording()
	if !r.busy {
		r.write()
	}
}

// Drop forgets what was to be recorded of a document; when it returns nothing writes its record any more.
func (r *Recorder) Drop(d *model.Document) {
	delete(r.wait, d)
	d.Unrecord()
}

// write writes what waits, and again in a second what came meanwhile.
func (r *Recorder) write() {
	if r.busy = len(r.wait) > 0; !r.busy {
		return
	}
	batch, dir := r.take(), r.Records
	kit.Work(r.h, "", model.Edited, func(context.Context) (any, error) { return nil, writeAll(batch, dir) }, func(_ any, err error) {
		r.told(err)
		r.Second(r.write)
	})
}

// Flush writes what waits, at once: the program ends.
func (r *Recorder) Flush() { r.told(writeAll(r.take(), r.Records)) }

func (r *Recorder) take() []*model.Recording {
	var batch []*model.Recording
	for d, x := range r.wait {
		batch = append(batch, x)
		delete(r.wait, d)
	}
	return batch
}

func (r *Recorder) told(err error) {
	if err != nil {
		r.h.Fail("The unsaved edits could not be recorded", err)
	}
}

func writeAll(batch []*model.Recording, dir string) error {
	var errs []error
	for _, x := range batch {
		errs = append(errs, x.Write(dir))
	}
	return errors.Join(errs...)
}
