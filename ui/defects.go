package ui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"spandrel/model"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
)

// defects reports panics that ended an action but not the program, and logs them for bug reports.
type defects struct {
	wb   *Workbench
	log  string    // log file; "" for none
	also io.Writer // where they are written beside that

	mu   sync.Mutex
	seen map[string]bool      // each is logged once
	told map[string]time.Time // time of the last defect, by action
}

// The number of defects logged per run, and the size at which the log file starts again.
const (
	mostDefects = 100
	longestLog  = 1 << 20
	tellEvery   = kit.SaidFor // the message of the last time is still there
)

func newDefects(wb *Workbench) *defects {
	return &defects{wb: wb, also: os.Stderr, seen: map[string]bool{}, told: map[string]time.Time{}}
}

// guarded wraps posted functions so that a panic in one of them ends only that one.
func guarded(post func(func())) func(func()) {
	return func(f func()) { post(func() { guard.Do("showing the result of background work", f) }) }
}

// caught logs a defect, writes unsaved edits at once, and tells the user, from any goroutine.
func (x *defects) caught(what string, err error) {
	var defect *model.Defect
	if !errors.As(err, &defect) { // a file that shrank below what is shown
		x.wb.Post(func() { x.wb.Say(what + ": " + kit.PlainError(err)) })
		return
	}
	x.note(what, defect)
	if !x.tells(what) {
		return
	}
	x.wb.Post(func() {
		x.wb.saver.recorder.Flush()
		text := "Internal error in: " + what + ". Unsaved edits are kept"
		if x.log != "" {
			text += "; details are in " + x.log
		}
		x.wb.Say(text)
	})
}

// tells decides whether to tell the user about a defect. A failing draw repeats with every frame, and telling about it draws again.
func (x *defects) tells(what string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if time.Since(x.told[what]) < tellEvery || x.told[what].IsZero() && len(x.told) >= mostDefects {
		return false
	}
	x.told[what] = time.Now()
	return true
}

// note logs a new defect.
func (x *defects) note(what string, defect *model.Defect) {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := what + "\x00" + defect.What
	if x.seen[key] || len(x.seen) >= mostDefects {
		return
	}
	x.seen[key] = true
	entry := fmt.Sprintf("%s Spandrel %s, %s: %s\n%s\n", time.Now().Format(time.RFC3339), x.wb.version, what, defect.What, defect.Stack)
	io.WriteString(x.also, "spandrel: internal error: "+strings.TrimSpace(entry)+"\n")
	if x.log == "" {
		return
	}
	how := os.O_APPEND
	if st, err := os.Stat(x.log); err == nil && st.Size() > longestLog {
		how = os.O_TRUNC
	}
	if os.MkdirAll(filepath.Dir(x.log), 0o700) != nil {
		return
	}
	if f, err := os.OpenFile(x.log, os.O_CREATE|os.O_WRONLY|how, 0o600); err == nil {
		io.WriteString(f, entry)
		f.Close()
	}
}

// logged logs the defect that ended a job; the owner of the job tells the user.
func (x *defects) logged(title string, err error) {
	if defect := (*model.Defect)(nil); errors.As(err, &defect) {
		x.note(title, defect)
	}
}
