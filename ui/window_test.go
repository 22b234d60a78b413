//go:build ci && linux

package ui

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRealWindow builds the program, opens it under Xvfb, clicks a byte with a real pointer, and looks at the screen: the byte
// and the row of the tree are marked, and Ctrl+End scrolls. The pictures stay with -artifacts.
func TestRealWindow(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "spandrel")
	build := exec.Command("go", "build", "-buildvcs=false", "-tags", "migrated_fynedo", "-o", program, "spandrel")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	sample := filepath.Join(dir, "sample.bin")
	if err := os.WriteFile(sample, bytes.Repeat([]byte("spandrel"), 100_000), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, dir)
	s.start(exec.Command("openbox"))
	s.start(exec.Command(program, sample))
	id := s.waitFor("search", "--onlyvisible", "--name", "sample.bin - Spandrel")
	s.do("windowsize", id, "1400", "900")
	s.do("windowmove", id, "0", "0")
	s.do("windowactivate", id)
	time.Sleep(2 * time.Second)
	before := s.picture("opened")
	s.do("mousemove", "--window", id, "700", "300")
	time.Sleep(100 * time.Millisecond)
	s.do("click", "1")
	time.Sleep(300 * time.Millisecond)
	s.do("mousemove", "--window", id, "700", "880")
	time.Sleep(100 * time.Millisecond)
	s.do("mousemove", "--window", id, "700", "890") // what the pointer is on has another colour
	time.Sleep(time.Second)
	after := s.picture("clicked")
	left := image.Rect(0, 0, 480, 900)
	for _, p := range []*palette{light, dark} {
		if count(before, left, p.background) < 1000 {
			continue
		}
		if n := count(after, left, p.selectionDim) - count(before, left, p.selectionDim); n < 1000 {
			t.Errorf("the tree did not follow: %d pixels of a selected row", n)
		}
		if n := count(after, image.Rect(480, 0, 1100, 600), p.selection); n < 50 {
			t.Errorf("the byte is not marked: %d pixels", n)
		}
	}
	s.do("key", "ctrl+End")
	time.Sleep(500 * time.Millisecond)
	if last := s.picture("end"); equal(after, last) {
		t.Error("Ctrl+End does not scroll")
	}
}

// screen is a display of its own, with what runs on it.
type screen struct {
	t       *testing.T
	display string
}

func newScreen(t *testing.T, home string) *screen {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	x := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1920x1200x24", "+extension", "GLX", "-noreset")
	x.ExtraFiles = []*os.File{w}
	var log bytes.Buffer
	x.Stderr = &log
	if err := x.Start(); err != nil {
		t.Fatal("a display is needed: make test installs what it takes: ", err)
	}
	w.Close()
	t.Cleanup(func() {
		x.Process.Signal(os.Interrupt) // it removes its socket
		x.Wait()
		if t.Failed() {
			t.Log("Xvfb printed: ", log.String())
		}
	})
	r.SetReadDeadline(time.Now().Add(20 * time.Second))
	number, err := bufio.NewReader(r).ReadString('\n') // all of it: with the pipe closed earlier the server ends
	if err != nil {
		t.Fatal("no display: ", err)
	}
	s := &screen{t, ":" + strings.TrimSpace(number)}
	t.Setenv("DISPLAY", s.display)
	t.Setenv("HOME", home)
	t.Setenv("LANG", "C.UTF-8")
	t.Setenv("FYNE_SCALE", "1")
	return s
}

// start runs a program until the test ends. What it prints is shown when the test fails.
func (s *screen) start(c *exec.Cmd) {
	s.t.Helper()
	var log bytes.Buffer
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		if s.t.Failed() {
			s.t.Logf("%s printed: %s", c.Path, log.String())
		}
	})
}

func (s *screen) do(args ...string) {
	s.t.Helper()
	if out, err := exec.Command("xdotool", args...).CombinedOutput(); err != nil {
		s.t.Fatalf("xdotool %v: %v %s", args, err, out)
	}
}

// waitFor repeats a search until a window is found.
func (s *screen) waitFor(args ...string) string {
	s.t.Helper()
	for range 150 {
		if out, err := exec.Command("xdotool", args...).Output(); err == nil && len(bytes.Fields(out)) > 0 {
			return string(bytes.Fields(out)[0])
		}
		time.Sleep(200 * time.Millisecond)
	}
	s.t.Fatal("no window")
	return ""
}

func (s *screen) picture(name string) image.Image {
	s.t.Helper()
	path := filepath.Join(s.t.ArtifactDir(), fmt.Sprintf("window-%s.png", name))
	if out, err := exec.Command("import", "-window", "root", path).CombinedOutput(); err != nil {
		s.t.Fatalf("import: %v %s", err, out)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		s.t.Fatal(err)
	}
	return img
}

// count returns how many pixels of an area have a colour.
func count(img image.Image, r image.Rectangle, c color.RGBA) (n int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if color.RGBAModel.Convert(img.At(x, y)) == c {
				n++
			}
		}
	}
	return n
}

func equal(a, b image.Image) bool {
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if a.At(x, y) != b.At(x, y) {
				return false
			}
		}
	}
	return true
}
