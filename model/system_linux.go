package model

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriting makes the system start to write a part of a file to disk, so that the final sync has less to wait for.
func startWriting(f diskFile, off, n int64) {
	if f, ok := f.(*os.File); ok {
		_ = unix.SyncFileRange(int(f.Fd()), off, n, unix.SYNC_FILE_RANGE_WRITE)
	}
}

// Room is the free space for this user on the disk of a folder; false if unknown.
func Room(folder string) (int64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
