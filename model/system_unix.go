//go:build unix

package model

import (
	"os"
	"syscall"

	"github.com/edsrzf/mmap-go"
	"golang.org/x/sys/unix"
)

// This file and system_windows.go are all that differs between systems: how a file is opened so that it may be replaced while it is
// read, how one takes the place of another, and what names files may have.

// answers are the errors by which the system says that there is no such file: none may have the name, or it leads in circles.
var answers = []syscall.Errno{syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL, syscall.EILSEQ}

// openShared opens a file for reading. Others, and a save, may rename, replace or remove it meanwhile.
func openShared(path string) (*os.File, error) { return os.Open(path) }

// mapRegion maps a file, or returns nil where that cannot be: then it is read.
func mapRegion(f *os.File, size int64) []byte {
	m, _ := mmap.MapRegion(f, int(size), mmap.RDONLY, 0, 0)
	return m
}

func unmapRegion(b []byte) error { return (*mmap.MMap)(&b).Unmap() }

// adviseRandom keeps the system from reading ahead: a person looks at a few pages far apart, and with a large read-ahead one
// cold row costs milliseconds. Errors do not matter, it is advice.
func adviseRandom(b []byte) { _ = unix.Madvise(b, unix.MADV_RANDOM) }

// adviseWillNeed has the system read pages in the background: those that a scan comes to next. b starts on a page.
func adviseWillNeed(b []byte) { _ = unix.Madvise(b, unix.MADV_WILLNEED) }

// sameOwner gives a file the owner of another, as far as the user may.
func sameOwner(path, _ string, st os.FileInfo) {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		_ = os.Chown(path, int(s.Uid), int(s.Gid))
	}
}

// umask is what the user keeps from others of each new file. It can be asked by setting it alone: at the start, when no one makes files.
var umask = func() os.FileMode {
	was := syscall.Umask(0o077)
	syscall.Umask(was)
	return os.FileMode(was)
}()

// lockFile takes the advisory lock of a file, as one who writes, until it is given back; ErrLocked when another program has it. On a disk that
// knows no locks no one has one.
func lockFile(path string) (back func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	switch err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}); err {
	case syscall.EAGAIN, syscall.EACCES:
		f.Close()
		return nil, ErrLocked
	}
	return f.Close, nil
}

// replaceFile lets a file take the place of another, which may be open.
func replaceFile(from, to string) error { return os.Rename(from, to) }

// removeFile removes a file, which may be open, or an empty folder.
func removeFile(path string) error { return os.Remove(path) }

// syncDir makes the names in a folder durable.
func syncDir(d *os.File) error { return d.Sync() }

// systemName tells whether a file of a folder may have a name here, and why not.
func systemName(string) error { return nil }
