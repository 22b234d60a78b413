package ui

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/parsers"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// TestMain measures frames on a display where SPANDREL_FRAMES asks for it, as `make frames` does: a window wants the goroutine that the
// process begins with. The value is a file to scroll; "." makes one of 3.2 GB that no format knows.
func TestMain(m *testing.M) {
	path := os.Getenv("SPANDREL_FRAMES")
	if path == "" {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "spandrel-frames")
	if err == nil {
		err = measureAll(dir, path, os.Stdout)
		os.RemoveAll(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// shardMembers is how many the shard has that is checked: 1 GiB.
const shardMembers = 1 << 20

func measureAll(dir, path string, out io.Writer) error {
	if path == "." {
		path = filepath.Join(dir, "sparse")
		if err := os.WriteFile(path, []byte("frames"), 0o600); err != nil {
			return err
		}
		if err := os.Truncate(path, 3_200_000_000); err != nil {
			return err
		}
	}
	index, err := largeIndex(dir, shardMembers)
	if err != nil {
		return err
	}
	many, err := manySamples(filepath.Join(dir, "many"), 200)
	if err != nil {
		return err
	}
	crowds, err := crowdedSamples(filepath.Join(dir, "crowds"), 100_000)
	if err != nil {
		return err
	}
	measureWindow(path, index, many, crowds, out)
	return nil
}

// measureWindow opens the window on a file, scrolls its hex pane and its table, and prints how long a frame keeps the UI goroutine,
// and how much anonymous memory there is. A frame is everything between two chances to run something else: layout, drawing,
// and the buffer swap. Of the index it prints how long the UI goroutine is busy at a time while it is checked, edited and saved: it is
// changed. Then it prints how long the UI goroutine is busy when many files are open at once, and when a folder or file among very many
// is opened.
func measureWindow(path, index string, many, crowds []string, out io.Writer) {
	app.SetMetadata(fyne.AppMetadata{ID: appID + ".measure", Name: "Spandrel", Migrations: map[string]bool{"fyneDo": true}})
	ownThread()
	a := app.NewWithID(appID + ".measure")
	a.Settings().SetTheme(paint.NewTheme(paint.Light))
	wb := newWorkbench(a, parsers.All(), fyne.Do)
	win := a.NewWindow("Spandrel frames")
	wb.Shell = kit.NewWindowShell(wb.Host, win)
	wb.build()
	wb.settled = wb.tidier()
	win.SetPadded(false)
	win.SetContent(wb.content())
	win.Resize(fyne.NewSize(1600, 1000))
	a.Lifecycle().SetOnStarted(func() {
		wb.files.open(path, func(d *tab) {
			if d == nil {
				a.Quit()
				return
			}
			go func() {
				defer wb.Post(a.Quit)
				time.Sleep(2 * time.Second)
				wb.measure(d, out)
				wb.measureStalls(index, out)
				wb.measureClosing(path, out)
				wb.measureMany(many, out)
				for _, path := range crowds {
					wb.measureCrowd(path, out)
				}
			}()
		})
	})
	win.ShowAndRun()
}

// frameSteps is how often each step is taken.
const frameSteps = 100

// measure prints how long frames take: of paging through rows, of choosing, of the pointer moving and of typing.
func (wb *Workbench) measure(d *tab, out io.Writer) {
	shown := make(chan bool)
	wb.Post(func() { d.frame.arrange(layoutBoth); close(shown) }) // what is out of sight costs nothing
	<-shown
	views := []struct {
		name string
		view *rows.View
	}{{"hex", d.hex.View}, {"table", d.table.View}, {"tree", d.tree.View}}
	for _, v := range views {
		page := func(i int) { v.view.ScrollTo(int64(50 * i)) }
		back := func(i int) { v.view.ScrollTo(v.view.MaxTop() - int64(50*i)) }
		wb.timed(out, v.name+", pages from the first row", page)
		wb.timed(out, v.name+", pages from the last row", back)
		wb.timed(out, v.name+", the pointer", func(i int) { v.view.Rows.Hover(v.view.Top+int64(i%20), float32(20+i%100)) })
		wb.timed(out, v.name+", choosing a row", func(i int) {
			v.view.Rows.Press(v.view.Top+int64(i%20), float32(120+7*(i%10)), rows.Press{Button: desktop.MouseButtonPrimary})
		})
	}
	wait := make(chan bool)
	wb.Post(func() { d.Editor.SetLocked(false); d.hex.SelectTo(0, false); close(wait) })
	<-wait
	wb.timed(out, "hex, typing", func(i int) { d.hex.Typed('7') })
	if d.graph != nil {
		drawn := make(chan bool)
		wb.Post(func() { d.Lower.OpenGraph(); close(drawn) })
		<-drawn
		time.Sleep(time.Second)
		wb.timed(out, "graph, zooming", func(i int) {
			d.graph.View.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, []float32{25, -25}[i/10%2]), PointEvent: fyne.PointEvent{Position: fyne.NewPos(200, 100)}})
		})
	}
}

// timed takes a step many times and prints how long the window takes for it, and how much memory that left in use.
func (wb *Workbench) timed(out io.Writer, name string, step func(i int)) {
	var times []time.Duration
	before := anonymous()
	for i := range frameSteps {
		times = append(times, wb.blocked(func() { step(i) }))
	}
	slices.Sort(times)
	fmt.Fprintf(out, "%-32s input to paint: median %.1f ms, 95 %% %.1f ms; anonymous memory %s, afterwards %s\n", name,
		ms(times[len(times)/2]), ms(times[len(times)*95/100]), before, anonymous())
}

// measureClosing opens the file in another tab and closes it, 60 times, and prints what memory and mappings stay.
func (wb *Workbench) measureClosing(path string, out io.Writer) {
	wait := func(f func(done func())) {
		done := make(chan bool)
		wb.Post(func() { f(func() { close(done) }) })
		<-done
	}
	wait(func(done func()) { wb.closeThen(wb.current, done) })
	for i := range 61 {
		if i%10 == 0 {
			runtime.GC()
			debug.FreeOSMemory()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			fmt.Fprintf(out, "after %2d files opened and closed: anonymous memory %s, live heap %.1f MiB, %d goroutines, %d mappings of the file\n",
				i, anonymous(), float64(m.HeapAlloc)/(1<<20), runtime.NumGoroutine(), mappings(path))
		}
		wait(func(done func()) { wb.files.open(path, func(*tab) { done() }) })
		time.Sleep(200 * time.Millisecond) // it is drawn
		wait(func(done func()) { wb.closeThen(wb.current, done) })
	}
}

// measureMany opens files in a tab each, turns to each, and closes all.
func (wb *Workbench) measureMany(paths []string, out io.Writer) {
	fmt.Fprintf(out, "nothing is open: %s\n", wb.rested())
	w, begun := wb.watchStalls(), time.Now()
	wb.Post(func() { w.doing = "opening"; wb.files.all(paths) })
	for n := 0; n < len(paths); time.Sleep(20 * time.Millisecond) {
		w.do("opening", func() { n = len(wb.docs) })
	}
	w.stop(out, fmt.Sprintf("opening %d documents, in %.1f s", len(paths), time.Since(begun).Seconds()))
	w = wb.watchStalls()
	for range paths {
		w.do("turning to the next", func() { wb.stepTab(1) })
		time.Sleep(50 * time.Millisecond)
	}
	w.stop(out, fmt.Sprintf("turning to each of %d documents", len(paths)))
	w = wb.watchStalls()
	for range paths {
		closed := make(chan bool)
		w.do("closing", func() { wb.closeThen(wb.current, func() { close(closed) }) })
		<-closed
	}
	w.stop(out, fmt.Sprintf("closing %d documents", len(paths)))
	fmt.Fprintf(out, "closed, and nothing done since: %s\n", wb.rested())
}

// rested is how much memory there is when nothing was done for a while.
func (wb *Workbench) rested() string {
	time.Sleep(fyneForgets + time.Second)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return fmt.Sprintf("anonymous memory %s, live heap %.1f MiB", anonymous(), float64(m.HeapAlloc)/(1<<20))
}

// measureCrowd opens something that lies among many files.
func (wb *Workbench) measureCrowd(path string, out io.Writer) {
	w, begun := wb.watchStalls(), time.Now()
	done := make(chan *tab)
	wb.Post(func() { w.doing = "opening"; wb.files.open(path, func(d *tab) { done <- d }) })
	d := <-done
	took := time.Since(begun)
	time.Sleep(time.Second)
	w.stop(out, fmt.Sprintf("opening %s in %.1f s", path, took.Seconds()))
	fmt.Fprintf(out, "open: %s\n", wb.rested())
	if d != nil {
		closed := make(chan bool)
		wb.Post(func() { wb.closeThen(d, func() { close(closed) }) })
		<-closed
	}
}

// mappings counts the places where a file is mapped, where the system tells.
func mappings(path string) int {
	b, _ := os.ReadFile("/proc/self/maps")
	return strings.Count(string(b), path)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// blocked runs a step on the UI goroutine and returns the longest time in which that goroutine ran nothing else afterwards: the
// frame that shows the step.
func (wb *Workbench) blocked(step func()) (longest time.Duration) {
	wait := func(f func()) {
		done := make(chan bool)
		wb.Post(func() { f(); close(done) })
		<-done
	}
	start := time.Now()
	wait(step)
	longest = time.Since(start)
	for time.Since(start) < 50*time.Millisecond {
		at := time.Now()
		wait(func() {})
		longest = max(longest, time.Since(at))
	}
	return longest
}

// anonymous returns the memory of the process that is not a mapped file, where the system tells.
func anonymous() string {
	b, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(b), "\n") {
		if n, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			return strings.Join(strings.Fields(n), " ")
		}
	}
	return "unknown"
}
