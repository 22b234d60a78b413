//go:build unix

package model

import (
	"syscall"
	"time"
)

// CPUTime is the CPU time used by this process: a search bounded by it gives the same answers whatever else
// the machine is doing.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
