//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// memory is the most that a process had in memory, in bytes.
func memory(p *os.ProcessState) int64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "linux" {
		return int64(u.Maxrss) << 10
	}
	return int64(u.Maxrss)
}
