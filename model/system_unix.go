//go:build unix

package model

import (
	"os"
	"syscall"

	"github.com/edsrzf/mmap-go"
	"golang.org/x/sys/unix"
)

// This file and system_windows.go contain all differences between systems: how a file is opened so that it may be replaced while it is
// read, how one file replaces another, and which file names are allowed.

// answers are the errors that mean that there is no such file: the name is not possible, or a link leads in circles.
var answers = []syscall.Errno{syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL, syscall.EILSEQ}

// openShared opens a file for reading. Other programs, and a save, may rename, replace or remove it meanwhile.
func openShared(path string) (*os.File, error) { return os.Open(path) }

// mapRegion maps a file, or returns nil if that is not possible: then it is read.
func mapRegion(f *os.File, size int64) []byte {
	m, _ := mmap.MapRegion(f, int(size), mmap.RDONLY, 0, 0)
	return m
}

func unmapRegion(b []byte) error { return (*mmap.MMap)(&b).Unmap() }

// adviseRandom turns off read-ahead: a person looks at a few pages far apart, and with a large read-ahead one
// cold row costs milliseconds. Errors do not matter, because it is only advice.
func adviseRandom(b []byte) { _ = unix.Madvise(b, unix.MADV_RANDOM) }

// adviseWillNeed makes the system read pages in the background: those that a scan will reach next. b starts on a page.
func adviseWillNeed(b []byte) { _ = unix.Madvise(b, unix.MADV_WILLNEED) }

// sameOwner gives a file the owner of another, as far as the user may.
func sameOwner(path, _ string, st os.FileInfo) {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		_ = os.Chown(path, int(s.Uid), int(s.Gid))
	}
}

// umask is the user's file mode mask. It can only be read by setting it: at the start, when no files are created.
var umask = func() os.FileMode {
	was := syscall.Umask(0o077)
	syscall.Umask(was)
	return os.FileMode(was)
}()

// lockFile takes the advisory write lock of a file until it is given back; ErrLocked if another program has it. On a file system without
// locks it succeeds.
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

// replaceFile renames a file over another, which may be open.
func replaceFile(from, to string) error { return os.Rename(from, to) }

// removeFile removes a file, which may be open, or an empty folder.
func removeFile(path string) error { return os.Remove(path) }

// syncDir makes the names in a folder durable.
func syncDir(d *os.File) error { return d.Sync() }

// systemName is an error unless a file of a folder may have this name on this system.
func systemName(string) error { return nil }
