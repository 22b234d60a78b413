package ui

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"fyne.io/fyne/v2"
)

// A second start passes its files to the open window, through a socket that only the user can access. Each display has its own.

// answerTime is how long the other program may take to answer; maxHanded bounds what it may send.
const (
	answerTime = 2 * time.Second
	maxHanded  = 1 << 20
)

// listener is where later starts of the program connect; nil if there is another window already, or this one is not to be shared.
var listener net.Listener

// socket is the path of the socket, in a folder that belongs to the user alone.
func socket() (string, error) {
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		if dir = filepath.Join(cache, "spandrel"); os.MkdirAll(dir, 0o700) != nil {
			return "", fmt.Errorf("%s cannot be created", dir)
		}
	}
	display := os.Getenv("WAYLAND_DISPLAY") + " " + os.Getenv("DISPLAY")
	return filepath.Join(dir, fmt.Sprintf("spandrel-%08x", crc32.ChecksumIEEE([]byte(display)))), nil
}

// HandOver passes paths to the window that is already open and tells whether there is one. If there is none, later starts will find
// this one.
func HandOver(paths []string) bool {
	at, err := socket()
	if err != nil {
		return false
	}
	if knock(at, paths) {
		return true
	}
	if st, err := os.Lstat(at); err == nil && st.Mode()&os.ModeSocket != 0 {
		os.Remove(at) // of a program that died
	}
	if listener, err = net.Listen("unix", at); err == nil {
		os.Chmod(at, 0o600)
	}
	return false
}

// knock passes paths to whoever listens and tells whether they were accepted.
func knock(at string, paths []string) bool {
	c, err := net.DialTimeout("unix", at, answerTime)
	if err != nil {
		return false
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(answerTime))
	full := make([]string, len(paths))
	for i, p := range paths {
		full[i] = absolute(p)
	}
	answer := make([]byte, 2)
	if err := json.NewEncoder(c).Encode(full); err != nil {
		return false
	}
	_, err = io.ReadFull(c, answer)
	return err == nil && string(answer) == "ok"
}

// receive calls open, on any goroutine, with the paths that later starts pass on, until l is closed.
func receive(l net.Listener, open func(paths []string)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		c.SetDeadline(time.Now().Add(answerTime))
		var paths []string
		if json.NewDecoder(io.LimitReader(c, maxHanded)).Decode(&paths) == nil {
			io.WriteString(c, "ok")
			open(paths)
		}
		c.Close()
	}
}

// welcome opens what later starts pass on, and brings the window to the front.
func welcome(wb *Workbench, win fyne.Window) {
	if listener == nil {
		return
	}
	go receive(listener, func(paths []string) {
		wb.Post(func() {
			wb.files.all(paths)
			win.RequestFocus()
		})
	})
}
