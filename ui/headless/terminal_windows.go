package headless

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// understands tells whether a console supports the sequences for colours and for the progress line, and enables them.
func understands(f *os.File) bool {
	var mode uint32
	h := windows.Handle(f.Fd())
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

// expand replaces patterns by the names that match, which the shells of Windows leave to the program.
func expand(args []string) (out []string) {
	for _, a := range args {
		if found, err := filepath.Glob(a); err == nil && len(found) > 0 && strings.ContainsAny(a, "*?") {
			out = append(out, found...)
		} else {
			out = append(out, a)
		}
	}
	return out
}
