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
	"slices"
	"strings"
	"testing"
	"time"

	"spandrel/ui/paint"
)

// TestRealWindow builds the program, opens it under Xvfb, clicks a byte with a real pointer, and looks at the screen: the byte
// and the row of the tree are marked, and Ctrl+End scrolls. The pictures stay with -artifacts.
func TestRealWindow(t *testing.T) {
	dir := t.TempDir()
	program := buildProgram(t, dir)
	sample := filepath.Join(dir, "sample.bin")
	if err := os.WriteFile(sample, bytes.Repeat([]byte("spandrel"), 100_000), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, dir)
	id := s.openAt(program, sample)
	left, hex := image.Rect(0, 0, 480, 900), image.Rect(360, 0, 1150, 600)
	chosen := func(img image.Image) (row, cell int) { // pixels of the marks, in either theme
		for _, p := range []*paint.Palette{paint.Light, paint.Dark} {
			row, cell = row+count(img, left, p.SelectionDim), cell+count(img, hex, p.Selection)
		}
		return row, cell
	}
	var before, after image.Image
	if !s.until(func() bool {
		before = s.picture("opened")
		return count(before, left, paint.Light.Header)+count(before, left, paint.Dark.Header) > 1000
	}) {
		t.Fatal("the tree is not drawn")
	}
	if row, _ := chosen(before); row > 1000 {
		t.Errorf("%d pixels of a selected row before the click", row)
	}
	s.do("mousemove", "--window", id, "700", "880") // where the window opened, the pointer stood on a byte
	before = s.settled()
	x := 700
	if !s.until(func() bool {
		x ^= 1 // a window that was still being placed may not have seen the pointer come
		s.do("mousemove", "--window", id, fmt.Sprint(x), "300")
		return !equal(before, s.picture("hovered"), before.Bounds())
	}) {
		t.Fatal("nothing lights up under the pointer")
	}
	s.do("mousemove", "1900", "1180")
	if !s.until(func() bool {
		return equal(before, s.picture("left"), before.Bounds().Intersect(image.Rect(0, 100, 1380, 880)))
	}) {
		t.Error("what the pointer was on stays lit when it leaves the window")
	}
	s.do("mousemove", "--window", id, "700", "300")
	s.do("click", "1")
	y := 880
	if !s.until(func() bool {
		y ^= 1 // what is under the pointer has another colour: move it away
		s.do("mousemove", "--window", id, "700", fmt.Sprint(y))
		after = s.picture("clicked")
		row, b := chosen(after)
		return row > 1000 && b > 50
	}) {
		row, b := chosen(after)
		t.Errorf("the tree did not follow or the byte is not marked: %d and %d pixels", row, b)
	}
	s.do("key", "ctrl+End")
	if !s.until(func() bool { return !equal(after, s.picture("end"), hex) }) {
		t.Error("Ctrl+End does not scroll")
	}
}

// buildProgram builds the program as a user has it.
func buildProgram(t *testing.T, dir string, options ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program and opens real windows: minutes on a busy machine")
	}
	program := filepath.Join(dir, "spandrel")
	build := exec.Command("go", slices.Concat([]string{"build", "-buildvcs=false", "-tags", "migrated_fynedo,no_emoji", "-o", program}, options, []string{"spandrel"})...)
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// openAt starts the program on a file and gives its window a place and a size.
func (s *screen) openAt(program, path string) (id string) {
	s.start(exec.Command("openbox"))
	s.start(exec.Command(program, path))
	id = s.waitFor("search", "--onlyvisible", "--name", filepath.Base(path)+" - Spandrel")
	s.do("windowsize", id, "1400", "900")
	s.do("windowmove", id, "0", "0")
	s.do("windowactivate", id)
	return id
}

// screen is a display of its own, with what runs on it.
type screen struct {
	t       *testing.T
	display string
}

func newScreen(t *testing.T, home string) *screen { return newScreenWith(t, home, "+extension", "GLX") }

func newScreenWith(t *testing.T, home string, options ...string) *screen {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	x := exec.Command("Xvfb", append([]string{"-displayfd", "3", "-screen", "0", "1920x1200x24", "-noreset"}, options...)...)
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
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
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

// until repeats a look at the screen for a minute: a busy machine draws late.
func (s *screen) until(ok func() bool) bool {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return false
}

// press sends keys, each when the screen shows what the one before did.
func (s *screen) press(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		before := s.settled()
		s.do("key", key)
		if !s.until(func() bool { after := s.picture("after"); return !equal(before, after, after.Bounds()) }) {
			s.t.Fatalf("%s shows nothing", key)
		}
	}
}

// settled waits until nothing on the screen changes any more, so that what changes next is the answer to what is done next.
func (s *screen) settled() (now image.Image) {
	s.t.Helper()
	before := s.picture("before")
	for range 20 { // something may blink for ever
		time.Sleep(300 * time.Millisecond)
		now = s.picture("before")
		if equal(before, now, now.Bounds()) {
			break
		}
		before = now
	}
	return now
}

// drawn waits until the panes of a document are on the screen.
func (s *screen) drawn() {
	s.t.Helper()
	if !s.until(func() bool {
		now := s.picture("drawn")
		return count(now, now.Bounds(), paint.Light.Header)+count(now, now.Bounds(), paint.Dark.Header) > 1000
	}) {
		s.t.Fatal("nothing is drawn")
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

func equal(a, b image.Image, r image.Rectangle) bool {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if a.At(x, y) != b.At(x, y) {
				return false
			}
		}
	}
	return true
}
