package model

import (
	"time"

	"golang.org/x/sys/windows"
)

// CPUTime is how long the cores have worked for this process: what a search that must end may count, as it does not depend on what else
// the machine is doing.
func CPUTime() time.Duration {
	var created, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user) != nil {
		return 0
	}
	ticks := func(f windows.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(100 * (ticks(kernel) + ticks(user)))
}
