//go:build unix

package model

import (
	"syscall"
	"time"
)

// CPUTime is how long the cores have worked for this process: what a search that must end may count, as it does not depend on what else
// the machine is doing.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
