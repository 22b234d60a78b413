package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	"spandrel/model"
)

// TestCloseWaitsForReaders closes a document while a job reads it: the job is cancelled, and the files are released when it has
// returned and not before.
func TestCloseWaitsForReaders(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	tree := d.Tree()
	started, returned := make(chan bool), make(chan error, 1)
	d.wb.submit(model.Job{Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
		close(started)
		<-ctx.Done()
		time.Sleep(50 * time.Millisecond) // what it was in the middle of
		_, err := tree.Bytes(ctx, model.Range{Space: tree.Root.Range.Space, Len: 4})
		if errors.Is(err, context.Canceled) {
			err = nil
		}
		returned <- err
		return nil, err
	}, Done: func(any, error) { t.Error("a cancelled job is done") }})
	<-started
	released := false
	b.closeThen(d, func() { released = true })
	if len(b.docs) != 0 || released {
		t.Error("the tab is not closed at once, or the files before the job")
	}
	b.settle(t)
	select {
	case err := <-returned:
		if err != nil {
			t.Error("the job read released files: ", err)
		}
	default:
		t.Error("the files were released while the job ran")
	}
	if !released {
		t.Error("the files were not released")
	}
	d.wb.submit(model.Job{Run: func(context.Context, func(done, total int64)) (any, error) {
		t.Error("a job of a closed document runs")
		return nil, nil
	}})()
	b.closeThen(d, func() { t.Error("closed twice") })
	b.settle(t)
}

// TestReloadStaysInPlace edits the file on the disk and reloads it.
func TestReloadStaysInPlace(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.SelectPath("rows[42]/size", nil)
	b.settle(t)
	b.reload(d)
	b.settle(t)
	if b.current == nil || b.current == d {
		t.Fatal("not opened again")
	}
	wantPath(t, b.current, "rows[42]/size", 8+8*42+4, 4)
}
