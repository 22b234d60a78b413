package ui

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"spandrel/model"
)

// stallLimit is how long the UI goroutine may be busy at a time.
const stallLimit = 100 * time.Millisecond

// stallWatch asks the UI goroutine again and again whether it has time, and notes what was begun last when that took long. On a machine
// that has other things to do, most of a long wait is not ours: how much the thread of the UI computed between two answers is.
type stallWatch struct {
	wb    *Workbench
	doing string // on the UI goroutine
	waits []time.Duration
	work  []time.Duration
	long  map[string]time.Duration // the most work behind each action
	end   chan bool
	ended chan bool
}

// answer is what the UI goroutine says: what it did last, and how long its thread has computed since it began.
type answer struct {
	doing string
	cpu   time.Duration
}

// threadTime is how long the thread that calls it has computed, where the system tells.
func threadTime() time.Duration {
	b, _ := os.ReadFile("/proc/thread-self/schedstat")
	first, _, _ := strings.Cut(string(b), " ")
	n, _ := strconv.ParseInt(first, 10, 64)
	return time.Duration(n)
}

func (wb *Workbench) watchStalls() *stallWatch {
	w := &stallWatch{wb: wb, long: map[string]time.Duration{}, end: make(chan bool), ended: make(chan bool)}
	go w.run()
	return w
}

func (w *stallWatch) run() {
	defer close(w.ended)
	for last := time.Duration(0); ; {
		begun, said := time.Now(), make(chan answer)
		w.wb.Post(func() { said <- answer{w.doing, threadTime()} })
		now := <-said
		w.waits = append(w.waits, time.Since(begun))
		if last > 0 {
			work := now.cpu - last
			if w.work = append(w.work, work); work > stallLimit/2 {
				w.long[now.doing] = max(w.long[now.doing], work)
			}
		}
		last = now.cpu
		select {
		case <-w.end:
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// do runs an action on the UI goroutine.
func (w *stallWatch) do(name string, f func()) {
	done := make(chan bool)
	w.wb.Post(func() { w.doing = name; f(); close(done) })
	<-done
}

// stop ends the watch and prints what it saw.
func (w *stallWatch) stop(out io.Writer, what string) {
	close(w.end)
	<-w.ended
	slices.Sort(w.waits)
	slices.Sort(w.work)
	at := func(list []time.Duration, per int) float64 {
		if len(list) == 0 {
			return 0
		}
		return ms(list[(len(list)-1)*per/100])
	}
	fmt.Fprintf(out, "%s: the UI worked for %.0f ms at a time at most, %.0f ms in 99 %%; its answer came after %.0f ms at most, "+
		"%.0f ms in 99 %% of %d times; anonymous memory %s\n", what, at(w.work, 100), at(w.work, 99), at(w.waits, 100), at(w.waits, 99), len(w.waits), anonymous())
	for name, took := range w.long {
		fmt.Fprintf(out, "  %.0f ms of work: %s\n", ms(took), name)
	}
}

// use is something that someone does with a document, for the time i.
type use struct {
	name string
	do   func(i int)
}

// useCount is how often something was done that is not done each time.
type useCount struct{ checks, saves int }

// usesOf is what is done with a document while all of it is checked.
func usesOf(d *tab, made *useCount) []use {
	return []use{
		{"scrolling the bytes", func(i int) { d.hex.View.ScrollTo(int64(i) * 977 % max(1, d.hex.View.MaxTop())) }},
		{"scrolling the table", func(i int) { d.table.View.ScrollTo(int64(i) * 1009 % max(1, d.table.View.MaxTop())) }},
		{"scrolling the tree", func(i int) { d.left.View().ScrollTo(int64(i) * 101 % max(1, d.left.View().MaxTop())) }},
		{"choosing a cell", func(i int) {
			if d.table.View.Rows.Count() > 0 {
				d.table.Choose(int64(i)*31%d.table.View.Rows.Count(), 2)
			}
		}},
		{"checking everything", func(i int) {
			if !d.Check.Running() && i%25 == 4 {
				d.Check.All()
				made.checks++
			}
		}},
		{"typing", func(i int) {
			if i%50 == 5 {
				at := func() model.Range { return model.Range{Space: d.hex.Space, Off: d.hex.Size - 8, Len: 1} }
				d.Editor.Replace(at, model.Memory([]byte{byte(i)}), "edit", nil)
			}
		}},
		{"saving", func(i int) {
			if i%350 == 349 && !d.Editor.Saving {
				d.Editor.Save(model.SaveOptions{NoBackup: true}, func([]model.Saved, error) { made.saves++ })
			}
		}},
	}
}

// stallsFor is how long a document is used while it is checked.
const stallsFor = 20 * time.Second

// measureStalls uses a document in every way at once while all of it is checked, and prints how long the UI goroutine was busy at most.
func (wb *Workbench) measureStalls(path string, out io.Writer) {
	opened := make(chan *tab)
	w := wb.watchStalls()
	wb.Post(func() { w.doing = "opening"; wb.files.open(path, func(d *tab) { opened <- d }) })
	doc := <-opened
	if doc == nil {
		w.stop(out, "not opened")
		return
	}
	d, made := doc, &useCount{}
	w.stop(out, "opening "+doc.TabName())
	w = wb.watchStalls()
	w.do("unlocking", func() { d.Editor.SetLocked(false) })
	uses := usesOf(d, made)
	for i, begun := 0, time.Now(); time.Since(begun) < stallsFor; i++ {
		u := uses[i%len(uses)]
		w.do(u.name, func() { u.do(i) })
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	w.stop(out, fmt.Sprintf("scrolling, choosing, typing in %s with %d checks of everything and %d saves begun", doc.TabName(), made.checks, made.saves))
	closed := make(chan bool)
	wb.Post(func() { wb.closeThen(doc, func() { close(closed) }) })
	<-closed
}
