package ui

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/kit"
)

// TestCloseWaitsForReaders closes a document while a job reads it: the job is cancelled, and the files are released when it has
// returned and not before.
func TestCloseWaitsForReaders(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	tree := d.Tree()
	started, returned := make(chan bool), make(chan error, 1)
	d.Window.Submit(model.Job{Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
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
	d.Window.Submit(model.Job{Run: func(context.Context, func(done, total int64)) (any, error) {
		t.Error("a job of a closed document runs")
		return nil, nil
	}})()
	b.closeThen(d, func() { t.Error("closed twice") })
	b.settle(t)
}

// TestReloadStaysInPlace reloads the first of two files: the tab, the pane at the bottom, the field and the lock stay as they are.
func TestReloadStaysInPlace(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	b.files.show(toyFile(t, 7))
	b.settle(t)
	b.show(d)
	d.Sel.Path("rows[42]/size", nil)
	d.Lower.Show(kit.TabProblems)
	d.Editor.SetLocked(false)
	b.settle(t)
	b.disk.reload(d)
	b.settle(t)
	if b.current == nil || b.current == d {
		t.Fatal("not opened again")
	}
	bench.WantPath(t, b.current.Document, "rows[42]/size", 8+8*42+4, 4)
	if b.tabs.Items[0] != b.current.item || b.tabs.Selected() != b.current.item || len(b.tabs.Items) != 2 {
		t.Error("its tab went elsewhere")
	}
	if b.current.Lower.Bottom.SelectedIndex() != kit.TabProblems || b.current.Editor.Locked {
		t.Error("another pane is shown, or it is locked")
	}
}

// TestSaveAs writes the edited file elsewhere and goes on there; the old file stays as it was.
func TestSaveAs(t *testing.T) {
	path := toyFile(t, 10)
	b, d := newWindowBench(t, path)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d.Editor.SetLocked(false)
	d.Editor.Replace(func() model.Range { return model.Range{Space: d.hex.Space, Off: 12, Len: 1} }, model.Memory([]byte{77}), "edit", nil)
	b.settle(t)
	to := filepath.Join(t.TempDir(), "other.toy")
	b.saver.writeAs(d, to)
	b.settle(t)
	raw, err := os.ReadFile(to)
	if err != nil || raw[12] != 77 {
		t.Errorf("written: %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the old file changed")
	}
	if len(b.docs) != 1 || b.current.Model.Path != to || b.current.Editor.Dirty {
		t.Error("the tab does not show the new file")
	}
	b.current.Editor.Undo()
	b.settle(t)
	now, err := b.current.Tree().Snapshot.Content("other.toy")
	got := make([]byte, 1)
	if err == nil {
		_, err = now.ReadAt(got, 12)
	}
	if err != nil || got[0] != before[12] || !b.current.Editor.Dirty {
		t.Errorf("undo behind Save as: %v, byte %d", err, got[0])
	}
}

// TestChangedOnDisk changes the file behind the window's back: it is told once for each change, and Reload shows the new bytes. Saving over it asks too, and Overwrite saves.
func TestChangedOnDisk(t *testing.T) {
	path := toyFile(t, 10)
	b, d := newWindowBench(t, path)
	write := func(n byte) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		raw[12] = n
		if err := os.WriteFile(path+".new", raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path+".new", time.Time{}, time.Now().Add(time.Duration(n)*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	look := func(told bool) {
		t.Helper()
		b.disk.lookAtDisk()
		b.settle(t)
		if d.disk.object.Visible() != told {
			t.Fatalf("the change on disk is told: %v", !told)
		}
	}
	look(false)
	write(1)
	look(true)
	d.disk.keep.Tapped(nil)
	look(false)
	write(2)
	look(true)
	b.menus.run("reload")
	b.settle(t)
	if d = b.current; d == nil {
		t.Fatal("not reloaded")
	}
	size := d.Tree().Root.Get("rows").Child(0).Get("size")
	if v, err := d.Tree().Value(context.Background(), size); err != nil || v.Uint() != 2 {
		t.Errorf("reloaded value %v %v", v, err)
	}
	look(false)
	d.Editor.SetLocked(false)
	nine, err := model.ParseValue(model.Uint, "9")
	if err != nil {
		t.Fatal(err)
	}
	d.Editor.SetValue(size, nine, nil)
	b.settle(t)
	write(3)
	b.saver.save(d, b.saver.options(), nil)
	b.settle(t)
	if len(b.Shell.(*kit.WindowShell).Boxes) != 1 {
		t.Fatal("overwritten without a question")
	}
	b.Shell.(*kit.WindowShell).Boxes[0].Press(1)
	b.settle(t)
	if raw, _ := os.ReadFile(path); raw[12] != 9 {
		t.Errorf("saved %d", raw[12])
	}
	if d.Editor.Dirty || !strings.HasPrefix(b.Line.Said, "saved sample.toy, read back and verified; the old bytes are in sample.toy.") {
		t.Errorf("dirty %v, status %q", d.Editor.Dirty, b.Line.Said)
	}
}

// A document whose file is gone stays open when it is reloaded.
func TestReloadOfMissingFile(t *testing.T) {
	path := toyFile(t, 10)
	b, d := newWindowBench(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.menus.run("reload")
	b.settle(t)
	if len(b.docs) != 1 || b.current != d || len(b.Shell.(*kit.WindowShell).Boxes) != 1 {
		t.Errorf("%d documents, %d dialogs", len(b.docs), len(b.Shell.(*kit.WindowShell).Boxes))
	}
}

// What is left when a field is deleted is selected in its place, and nothing is lit that is not there.
func TestDeletedFieldIsLeft(t *testing.T) {
	b, d := newBench(t, toyFile(t, 10))
	d.Sel.Path("rows[5]/size", nil)
	b.settle(t)
	d.hex.Hover(1, d.hex.At.HexX(3))
	d.Editor.SetLocked(false)
	d.hex.SelectTo(0, false)
	d.hex.Key(fyne.KeyA, fyne.KeyModifierShortcutDefault)
	d.hex.Key(fyne.KeyDelete, 0)
	b.settle(t)
	if d.Sel.Now.Span != d.Tree().Root || d.hex.Size != 0 {
		t.Errorf("%q is selected of %d bytes", d.Sel.Now.Span.Path(), d.hex.Size)
	}
	if d.Sel.Hover.Len != 0 || len(d.hex.View.Marks) != 0 {
		t.Errorf("%v is lit", d.Sel.Hover)
	}
}

// TestCancelledReading cancels the reading of a file, and of an edit: no tab opens, and the edit is not made.
func TestCancelledReading(t *testing.T) {
	b, d := newBench(t, toyFile(t, 4))
	started, held := make(chan bool), false
	slow := *toy
	slow.Parse = func(c *model.Cursor) {
		if held {
			started <- true
			<-started
		}
		toy.Parse(c)
	}
	b.close(d)
	b.formats = []*model.Format{&slow}
	b.files.show(toyFile(t, 5))
	b.settle(t)
	d = b.current
	cancel := func() {
		<-started
		for _, r := range b.Jobs.Running() {
			r.Cancel()
		}
		started <- true
		b.settle(t)
	}
	held = true
	b.files.show(toyFile(t, 6))
	cancel()
	if len(b.docs) != 1 || b.current != d {
		t.Errorf("%d documents", len(b.docs))
	}
	d.Editor.SetLocked(false)
	was := d.Tree()
	d.Editor.SetValue(was.Root.Get("count"), model.U(3), nil)
	cancel()
	if d.Tree() != was || d.Editor.Dirty || d.Editor.Busy {
		t.Error("a cancelled edit was made, or is still being made")
	}
	held = false
	d.Editor.SetValue(was.Root.Get("count"), model.U(3), nil)
	b.settle(t)
	if d.Tree() == was || !d.Editor.Dirty {
		t.Error("no edit is made after one was cancelled")
	}
}

// A file that is cut while it is open: the bytes that are gone are marked as such and are never zeros, what is left is shown, and the
// difference to the disk can be listed.
func TestCutBehindTheWindow(t *testing.T) {
	path := toyFile(t, 10)
	b, d := newWindowBench(t, path)
	if err := os.Truncate(path, 30); err != nil {
		t.Fatal(err)
	}
	b.disk.lookAtDisk()
	b.settle(t)
	if !d.disk.object.Visible() || !strings.Contains(d.disk.text.Text, "30 bytes instead of 100") {
		t.Errorf("told: %v, %q", d.disk.object.Visible(), d.disk.text.Text)
	}
	for i, k := range d.hex.Page.Kind {
		if k.Gone != (i >= 30) {
			t.Fatalf("byte %d is gone: %v", i, k.Gone)
		}
	}
	if len(d.hex.Page.Kind) != 100 || !bytes.HasPrefix(d.hex.Page.Bytes, []byte("TOY1")) {
		t.Errorf("%d bytes, %q", len(d.hex.Page.Kind), d.hex.Page.Bytes[:4])
	}
	b.disk.compareDisk(d)
	b.settle(t)
	if len(b.docs) != 2 || b.current != d || d.find.Count() == 0 {
		t.Errorf("%d documents, %d differences", len(b.docs), d.find.Count())
	}
}

// A folder that is watched tells of a change without the window being asked.
func TestFolderIsWatched(t *testing.T) {
	path := toyFile(t, 10)
	b, first := newWindowBench(t, path)
	b.close(first)
	b.settle(t)
	b.disk.watch()
	b.files.show(path)
	b.settle(t)
	if err := os.Truncate(path, 30); err != nil {
		t.Fatal(err)
	}
	for end := time.After(20 * time.Second); !b.current.disk.object.Visible(); {
		select {
		case f := <-b.queue:
			f()
		case <-end:
			t.Fatal("no one noticed")
		}
	}
	b.settle(t)
	b.close(b.current)
	b.settle(t)
	if n := len(b.disk.watcher.folders); n != 0 {
		t.Errorf("%d folders are still watched", n)
	}
}

// What a save will do with each file is said: one that was not there takes no one's place.
func TestSaveTextOfNewFiles(t *testing.T) {
	text := saveText([]model.Saved{{Path: "/a/new", New: true, Bytes: 12}, {Path: "/a/old", Bytes: 12}})
	made, replaced, _ := strings.Cut(text, "/a/old")
	if strings.Contains(made, "replaces") || !strings.Contains(made, "a new file") || !strings.Contains(replaced, "replaces the old one") {
		t.Error(text)
	}
}
