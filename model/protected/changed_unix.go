//go:build unix

package protected

import "golang.org/x/sys/unix"

// changed is when the system last recorded a change of a file, in nanoseconds since 1970; 0 if unknown or known only to the second. Copying,
// renaming and restoring a file update it as writing does, and programs cannot reset it.
func changed(path string) int64 {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil || st.Ctim.Nsec == 0 {
		return 0
	}
	return st.Ctim.Nano()
}
