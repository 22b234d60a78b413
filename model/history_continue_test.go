package model

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A document that was saved as another file goes on there with its history: undo and redo bring back the bytes of each step, and what
// is left to save is only what differs, although the old file is closed and gone.
func TestContinueUnderAnotherName(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	path, to := filepath.Join(dir, "a.bin"), filepath.Join(dir, "b.bin")
	if err := os.WriteFile(path, bytes.Repeat([]byte("0123456789"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Open(ctx, path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var states [][]byte
	for i, at := range []int64{10, 5000, 20} { // replaces, deletes, inserts
		states = append(states, d.bytes(t))
		r := Range{Space: d.Tree.Root.Range.Space, Off: at, Len: int64(2 - i)}
		p, err := d.Plan(ctx, "step", Splice{Range: r, With: Memory([]byte("xyz"[:i+1])), Loose: true})
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(ctx, p, nil)
	}
	states = append(states, d.bytes(t))
	d.Undo(ctx) // one step waits to be made again
	if _, err := d.Save(ctx, SaveOptions{Out: to}); err != nil {
		t.Fatal(err)
	}
	n, err := Open(ctx, to, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if err := n.Continue(d); err != nil {
		t.Fatal(err)
	}
	if err := n.Continue(d); !errors.Is(err, ErrNoHistory) {
		t.Error("a document with a history takes another:", err)
	}
	d.Close()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	for i := 1; i >= 0; i-- {
		n.Undo(ctx)
		if !bytes.Equal(n.bytes(t), states[i]) {
			t.Errorf("undone to step %d: other bytes", i)
		}
		changed := int64(0)
		for _, r := range n.Unsaved("b.bin") {
			changed += r.New
		}
		if changed > 8 {
			t.Errorf("%d bytes are said to differ from the disk", changed)
		}
	}
	for i := range 3 {
		if n.Redo(ctx); !bytes.Equal(n.bytes(t), states[i+1]) {
			t.Errorf("made again to step %d: other bytes", i+1)
		}
		if want := i != 1; n.Dirty() != want {
			t.Errorf("step %d: unsaved is %v", i+1, n.Dirty())
		}
	}
}
