//go:build ci && linux

package ui

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spandrel/model"
)

// TestNoOpenGL starts the program on a display without OpenGL: it says so and ends with status 2 instead of running unseen.
func TestNoOpenGL(t *testing.T) {
	dir := t.TempDir()
	program := buildProgram(t, dir)
	newScreenWith(t, dir, "-extension", "GLX")
	c := exec.Command(program)
	var log bytes.Buffer
	c.Stderr = &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(60*time.Second, func() { c.Process.Kill() })
	defer late.Stop()
	err := c.Wait()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 2 || !strings.Contains(log.String(), "OpenGL") {
		t.Errorf("%v: %s", err, log.String())
	}
}

// TestShellInRealWindow goes from a killed window with an unsaved edit to a next start that has the file open and recovers the
// edit, and from there through preferences and a quit to a third start.
func TestShellInRealWindow(t *testing.T) {
	dir := t.TempDir()
	program := buildProgram(t, dir)
	if err := os.CopyFS(filepath.Join(dir, "bad"), os.DirFS("../testdata/taridx/bad/022-n-rows")); err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(dir, "bad", "train.taridx")
	s := newScreen(t, dir)
	s.start(exec.Command("openbox"))
	run := func(title string, args ...string) *exec.Cmd {
		c := exec.Command(program, args...)
		s.start(c)
		s.do("windowactivate", s.waitFor("search", "--onlyvisible", "--name", title))
		s.drawn()
		return c
	}
	first := run("train.taridx - Spandrel", index)
	s.press("ctrl+Return", "Return")
	s.waitFor("search", "--onlyvisible", "--name", "● train.taridx - Spandrel")
	unsaved := filepath.Join(dir, ".config", "fyne", appID, "unsaved")
	if !s.until(func() bool { return len(model.Recoveries(unsaved)) == 1 }) {
		t.Fatal("the edit is not recorded")
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.Wait()
	second := run("train.taridx - Spandrel")
	s.settled()
	s.picture("recovery")
	s.do("key", "Return")
	s.waitFor("search", "--onlyvisible", "--name", "● train.taridx - Spandrel")
	s.press("ctrl+comma")
	s.picture("preferences")
	s.press("Escape", "ctrl+equal", "ctrl+q", "Left") // zoomed in; the edit is discarded
	s.settled()
	s.do("key", "Return")
	ended := make(chan error, 1)
	go func() { ended <- second.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the window ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the window does not quit")
	}
	run("train.taridx - Spandrel")
	s.picture("again")
	list, err := filepath.Glob(filepath.Join(dir, ".config", "fyne", appID, "*.json"))
	if err != nil || len(list) != 1 {
		t.Fatalf("preferences: %v %v", list, err)
	}
	if b, err := os.ReadFile(list[0]); err != nil || !strings.Contains(string(b), `"zoom":110`) {
		t.Errorf("preferences: %s %v", b, err)
	}
}
