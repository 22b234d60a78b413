//go:build unix

package ui

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// TestDialogBesideAPipe opens Fyne's own file dialog in a folder with a pipe without a writer: the window does not wait for it.
func TestDialogBesideAPipe(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Chdir(dir)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "array.npy"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b, _ := newWindowBench(t, toyFile(t, 3))
	done, read := make(chan struct{}), 0
	var w sync.WaitGroup
	w.Go(func() { // what reads the pipe gets its end, time and again: the test fails rather than hangs
		for {
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
				if f, err := os.OpenFile(filepath.Join(dir, "pipe"), os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
					f.Close()
					read++
				}
			}
		}
	})
	b.files.fileHere()
	close(done)
	if w.Wait(); read > 0 {
		t.Errorf("the dialog read the pipe %d times", read)
	}
	files := 0
	eachVisible(b.win.Canvas().Overlays().Top(), func(o fyne.CanvasObject) {
		if _, ok := o.(*widget.FileIcon); ok {
			files++
		}
	})
	if files != 2 { // the folder above, and the array
		t.Errorf("%d files listed", files)
	}
}
