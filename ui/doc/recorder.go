package doc

import (
	"context"
	"errors"
	"time"

	"spandrel/model"
	"spandrel/ui/kit"
)

// recordEvery is the shortest interval between two writes of unsaved edits. Typing within it is written once.
const recordEvery = time.Second

// Recorder saves the unsaved edits of all documents for recovery after a crash: in a worker, at most once a second.
type Recorder struct {
	Records string // the folder of the records; "" records none
	h       *kit.Host
	wait    map[*model.Document]*model.Recording // not written yet
	busy    bool                                 // written less than a second ago, or being written
	Second  func(f func())                       // calls f on the UI goroutine a second later
}

// NewRecorder makes a recorder that writes to a folder; with "" it records nothing.
func NewRecorder(h *kit.Host, records string) *Recorder {
	return &Recorder{h: h, Records: records, wait: map[*model.Document]*model.Recording{}, Second: func(f func()) {
		time.AfterFunc(recordEvery, func() { h.Post(f) })
	}}
}

// keep records the unsaved edits of a document, or that there are none.
func (r *Recorder) keep(d *model.Document) {
	if r.Records == "" {
		return
	}
	r.wait[d] = d.Recording()
	if !r.busy {
		r.write()
	}
}

// Drop discards the pending record of a document; after it returns nothing writes its record any more.
func (r *Recorder) Drop(d *model.Document) {
	delete(r.wait, d)
	d.Unrecord()
}

// write writes what is pending, and again after a second what has been added meanwhile.
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

// Flush writes what is pending at once, because the program ends.
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
	return errors.Join(model.Map(batch, func(x *model.Recording) error { return x.Write(dir) })...)
}
