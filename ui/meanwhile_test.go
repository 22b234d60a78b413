package ui

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"

	"spandrel/model"
)

// meanwhile is what another program does to a file that is open.
var meanwhile = map[string]func(path string) error{
	"replaced": func(path string) error {
		return errors.Join(os.WriteFile(path+".other", []byte("TOY1 of another program"), 0o600), os.Rename(path+".other", path))
	},
	"deleted": os.Remove,
	"cut":     func(path string) error { return os.Truncate(path, 4096) },
}

// A file that is replaced, deleted or cut in the middle of a scroll and of a check of everything: what is shown is what was there or is told to be
// gone, never zeros that no one wrote; the check ends, and the window says what happened.
func TestChangedMeanwhile(t *testing.T) {
	for what, change := range meanwhile {
		path := toyFile(t, 100_000)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1000; i < len(raw)-12; i++ {
			raw[i] = 0xa5
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		b, first := newWindowBench(t, toyFile(t, 1))
		b.close(first)
		begun, changed := make(chan bool, 1), make(chan bool)
		var ended atomic.Int32
		format := *toy
		format.Deep = func(ctx context.Context, tree *model.Tree, _ *model.Probe) error {
			select {
			case begun <- true:
			default:
			}
			<-changed
			_, err := tree.Bytes(ctx, model.Range{Space: tree.Root.Range.Space, Off: tree.Root.Range.Len - 8, Len: 8})
			ended.Add(1)
			return err
		}
		b.formats = []*model.Format{&format}
		b.files.show(path)
		for under := false; !under; { // the check of a small file
			select {
			case f := <-b.queue:
				f()
			case under = <-begun:
			}
		}
		d := b.current
		for k := range int64(10) {
			if k == 5 {
				if err := change(path); err != nil {
					t.Fatal(what, err)
				}
				close(changed)
			}
			d.hex.View.ScrollTo(k * d.hex.View.MaxTop() / 9)
			d.table.View.ScrollTo(k * d.table.View.MaxTop() / 9)
			if b.win.Canvas().Capture(); k >= 5 {
				b.settle(t)
			}
			for len(b.queue) > 0 { // what is there of what was asked for; the check waits
				(<-b.queue)()
			}
			at := d.hex.Page.Off
			for i, shown := range d.hex.Page.Bytes {
				if kind := d.hex.Page.Kind[i]; !kind.Gone && shown != raw[at+int64(i)] {
					t.Fatalf("%s: byte %d is shown as %02x, and was %02x", what, at+int64(i), shown, raw[at+int64(i)])
				}
			}
		}
		b.disk.lookAtDisk()
		b.settle(t)
		if ended.Load() == 0 || d.Check.Cancel != nil {
			t.Errorf("%s: the check ended %d times", what, ended.Load())
		}
		if d.disk.object.Hidden {
			t.Errorf("%s: nothing is said of it", what)
		}
		if d.Editor.Dirty || d.Model.Dirty() {
			t.Errorf("%s: it counts as an edit", what)
		}
	}
}
