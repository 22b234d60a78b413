//go:build unix

package model

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// adviseRandom keeps the system from reading ahead: a person looks at a few pages far apart, and with a large read-ahead one
// cold row costs milliseconds. Errors do not matter, it is advice.
func adviseRandom(b []byte) { _ = unix.Madvise(b, unix.MADV_RANDOM) }

// adviseWillNeed has the system read pages in the background: those that a scan comes to next. b starts on a page.
func adviseWillNeed(b []byte) { _ = unix.Madvise(b, unix.MADV_WILLNEED) }

// sameOwner gives a file the owner of another, as far as the user may.
func sameOwner(path string, st os.FileInfo) {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		_ = os.Chown(path, int(s.Uid), int(s.Gid))
	}
}
