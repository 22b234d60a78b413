package kit

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"syscall"

	native "github.com/sqweek/dialog"

	"spandrel/ui/askpath"
	"spandrel/ui/paint"
)

// Fail reports that something did not work.
func (h *Host) Fail(what string, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	h.Tell(what, PlainError(err))
}

// OrFail is what follows work in the background: then, or a report that it failed.
func OrFail[T any](h *Host, what string, then func(T)) func(T, error) {
	return func(v T, err error) {
		if err != nil {
			h.Fail(what, err)
			return
		}
		then(v)
	}
}

// PlainError is a system error in the words of a user, with the path that it is about.
func PlainError(err error) string {
	path := ""
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		path = p.Path
	}
	text := err.Error()
	for is, says := range map[error]string{fs.ErrNotExist: "There is no such file or folder", fs.ErrPermission: "Permission denied",
		syscall.ENOSPC: "The disk is full", syscall.EROFS: "The disk is read-only", syscall.EIO: "The disk cannot read or write this"} {
		if errors.Is(err, is) {
			text = says + ": " + path
			if _, rest, more := strings.Cut(err.Error(), "\n"); more {
				text += "\n" + rest
			}
		}
	}
	return strings.TrimSuffix(text, ": ")
}

// choosers takes requests for the system's file dialog. Two dialogs at once crash in native code, so one goroutine on one
// thread shows them, one after the other.
var choosers = make(chan func())

func init() {
	go func() {
		runtime.LockOSThread()
		for ask := range choosers {
			ask()
		}
	}()
}

// Choose asks for a path with the system's dialog and passes it to then; if there is no such dialog, here asks in another way.
func (h *Host) Choose(browse func() (string, error), then func(path string), here func()) {
	dark := paint.Look() == paint.Dark
	ask := func() {
		path, err := "", errors.New("no system dialog")
		func() {
			defer func() { _ = recover() }() // the toolkit panics where it cannot start
			askpath.Colours(dark)
			path, err = browse()
		}()
		h.Post(func() {
			switch {
			case err == nil:
				then(path)
			case !errors.Is(err, native.ErrCancelled):
				here()
			}
		})
	}
	select {
	case choosers <- ask:
	default: // a dialog is open already
	}
}
