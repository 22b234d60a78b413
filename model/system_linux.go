package model

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriting has the system begin to bring a part of a file to the disk, so that the sync at the end has less to wait for.
func startWriting(f diskFile, off, n int64) {
	if f, ok := f.(*os.File); ok {
		_ = unix.SyncFileRange(int(f.Fd()), off, n, unix.SYNC_FILE_RANGE_WRITE)
	}
}

// Room is how many bytes are left for us on the disk of a folder; false where the system does not say.
func Room(folder string) (int64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
