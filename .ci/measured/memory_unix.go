//go:build unix

package measured

import (
	"os"
	"runtime"
	"syscall"
)

// Memory is the most that a process had in memory, in bytes.
func Memory(p *os.ProcessState) int64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "linux" {
		return int64(u.Maxrss) << 10
	}
	return int64(u.Maxrss)
}
